"""mcp: any tool of an MCP server that the configuration names."""

import asyncio
import importlib
from dataclasses import dataclass
from typing import Any, ClassVar

from hakoniwa.capabilities.capability import (
    Capability,
    bound_value,
    capabilities,
    failed_result,
    format_sentence,
    make_result,
    plain,
)
from hakoniwa.capabilities.means import ByteMeter, CapabilityMeans, ToolServer
from hakoniwa.persona.action import ActionOffer, ActionOrder, ActionResult, ResultStatus

LONGEST_ANSWER = 4_000
PREFIX = "mcp:"
CLIENT = "hakoniwa.capabilities.tool_client"  # takes most of a second to load: only who uses a tool does


@dataclass(frozen=True)
class ToolAnswer:
    """What a tool said, in words and in structure."""

    text: str
    structured: Any


class ToolFailed(Exception):
    """A tool that gave no answer; `fault` says why."""

    def __init__(self, fault: str) -> None:
        super().__init__(fault)
        self.fault = fault


@capabilities.add("mcp")
class McpTools(Capability):
    """Its action types are `mcp:<server>/<tool>`, and its results come in the server's name."""

    name: ClassVar = "mcp"
    action_types: ClassVar = frozenset({"mcp"})
    idempotent: ClassVar = False

    def offers(self, means: CapabilityMeans) -> tuple[ActionOffer, ...]:
        servers = sorted(means.servers.items())
        return tuple(ActionOffer(f"{PREFIX}{name}/{tool}", ()) for name, server in servers for tool in server.tools)

    async def run(self, order: ActionOrder, means: CapabilityMeans) -> ActionResult:
        if order.action_type not in (offer.action_type for offer in self.offers(means)):
            return failed_result(self.name, "not-allowed", means)
        server, _, tool = order.action_type.removeprefix(PREFIX).partition("/")
        try:
            said = await call_tool(means.servers[server], tool, order.payload)
        except ToolFailed as unanswered:
            status: ResultStatus = "unknown" if unanswered.fault == "timed-out" else "failed"
            return failed_result(f"{PREFIX}{server}", unanswered.fault, means, status=status)
        facts = {"tool": tool, "text": plain(said.text, LONGEST_ANSWER), "structured": bound_value(said.structured)}
        summary = format_sentence("tool.done", means.language, server=server, tool=tool)
        return make_result(f"{PREFIX}{server}", "success", summary, facts)


async def call_tool(
    server: ToolServer, tool: str, arguments: dict[str, Any], meter: ByteMeter | None = None
) -> ToolAnswer:
    """What one tool of it says; Unanswered if it is not allowed, not there, too slow, or says that it failed.

    All that it returned goes onto the meter, whether there is a use for it or not."""
    if tool not in server.tools:
        raise ToolFailed("not-allowed")
    try:
        async with asyncio.timeout(server.seconds):
            client = await asyncio.to_thread(importlib.import_module, CLIENT)
            said = await client.ask_tool(server, tool, arguments)
    except TimeoutError:
        raise ToolFailed("timed-out") from None
    except Exception:  # a server, and the pipes to it, can fail in any way they like
        raise ToolFailed("unreachable") from None
    if meter is not None:
        meter.taken += said.size
    if said.failed:
        raise ToolFailed("tool")
    return ToolAnswer(said.text, said.structured)
