"""mcp: any tool of an MCP server that the configuration names."""

import asyncio
import importlib
from dataclasses import dataclass
from typing import Any, ClassVar

from hakoniwa.ghost.action import ActionResult, Offer, Order, ResultStatus
from hakoniwa.ghost.capabilities.allowed import ToolServer
from hakoniwa.ghost.capabilities.capability import Capability, brought, capabilities, failed
from hakoniwa.ghost.capabilities.means import Means, Meter
from hakoniwa.ghost.capabilities.text import bounded, plain
from hakoniwa.ghost.capabilities.told import told

LONGEST_ANSWER = 4_000
PREFIX = "mcp:"
CLIENT = "hakoniwa.ghost.tool_client"  # takes most of a second to load: only who uses a tool does


@dataclass(frozen=True)
class Answer:
    """What a tool said, in words and in structure."""

    text: str
    structured: Any


class Unanswered(Exception):
    """A tool that gave no answer; `fault` says why."""

    def __init__(self, fault: str) -> None:
        super().__init__(fault)
        self.fault = fault


@capabilities.add("mcp")
class Mcp(Capability):
    """Its action types are `mcp:<server>/<tool>`, and its results come in the server's name."""

    name: ClassVar = "mcp"
    action_types: ClassVar = frozenset({"mcp"})
    idempotent: ClassVar = False

    def offers(self, means: Means) -> tuple[Offer, ...]:
        servers = sorted(means.servers.items())
        return tuple(Offer(f"{PREFIX}{name}/{tool}", ()) for name, server in servers for tool in server.tools)

    async def run(self, order: Order, means: Means) -> ActionResult:
        if order.action_type not in (offer.action_type for offer in self.offers(means)):
            return failed(self.name, "not-allowed", means)
        server, _, tool = order.action_type.removeprefix(PREFIX).partition("/")
        try:
            said = await answer(means.servers[server], tool, order.payload)
        except Unanswered as unanswered:
            status: ResultStatus = "unknown" if unanswered.fault == "timed-out" else "failed"
            return failed(f"{PREFIX}{server}", unanswered.fault, means, status=status)
        facts = {"tool": tool, "text": plain(said.text, LONGEST_ANSWER), "structured": bounded(said.structured)}
        summary = told("tool.done", means.language, server=server, tool=tool)
        return brought(f"{PREFIX}{server}", "success", summary, facts)


async def answer(server: ToolServer, tool: str, arguments: dict[str, Any], meter: Meter | None = None) -> Answer:
    """What one tool of it says; Unanswered if it is not allowed, not there, too slow, or says that it failed.

    All that it returned goes onto the meter, whether there is a use for it or not."""
    if tool not in server.tools:
        raise Unanswered("not-allowed")
    try:
        async with asyncio.timeout(server.seconds):
            client = await asyncio.to_thread(importlib.import_module, CLIENT)
            said = await client.said_by(server, tool, arguments)
    except TimeoutError:
        raise Unanswered("timed-out") from None
    except Exception:  # a server, and the pipes to it, can fail in any way they like
        raise Unanswered("unreachable") from None
    if meter is not None:
        meter.taken += said.size
    if said.failed:
        raise Unanswered("tool")
    return Answer(said.text, said.structured)
