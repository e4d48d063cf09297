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
from hakoniwa.capabilities.means import ByteMeter, CapabilityMeans, ToolForm, ToolServer
from hakoniwa.llm.reply import fits
from hakoniwa.persona.action import ActionOffer, ActionOrder, ActionResult, ResultStatus

LONGEST_ANSWER = 4_000
LISTING_SECONDS = 10.0
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
        """What each server says of its allowed tools; one that cannot be asked has nothing to offer."""
        return tuple(
            _make_offer(name, tool, form, means)
            for name in sorted(means.servers)
            for tool, form in asyncio.run(_forms_of(name, means)).items()
        )

    async def run(self, order: ActionOrder, means: CapabilityMeans) -> ActionResult:
        server, _, tool = order.action_type.removeprefix(PREFIX).partition("/")
        if server not in means.servers or tool not in means.servers[server].tools:
            return failed_result(self.name, "not-allowed", means)
        form = (await _forms_of(server, means)).get(tool)
        if form and not fits(order.payload, form.payload):
            return failed_result(f"{PREFIX}{server}", "bad-payload", means)
        try:
            said = await call_tool(means.servers[server], tool, order.payload)
        except ToolFailed as unanswered:
            means.forms.pop(server, None)  # it may be another by now
            status: ResultStatus = "unknown" if unanswered.fault == "timed-out" else "failed"
            return failed_result(f"{PREFIX}{server}", unanswered.fault, means, status=status)
        facts = {"tool": tool, "text": plain(said.text, LONGEST_ANSWER), "structured": bound_value(said.structured)}
        summary = format_sentence("tool.done", means.language, server=server, tool=tool)
        return make_result(f"{PREFIX}{server}", "success", summary, facts)


async def _forms_of(name: str, means: CapabilityMeans) -> dict[str, ToolForm]:
    """What a server has said of its tools, asked once while it answers."""
    if name not in means.forms:
        try:
            async with asyncio.timeout(min(LISTING_SECONDS, means.servers[name].seconds)):
                client = await asyncio.to_thread(importlib.import_module, CLIENT)
                means.forms[name] = await client.list_tools(means.servers[name])
        except Exception:  # a server, and the pipes to it, can fail in any way they like
            return {}
    return means.forms[name]


def _make_offer(server: str, tool: str, form: ToolForm, means: CapabilityMeans) -> ActionOffer:
    about = format_sentence("offer.tool", means.language, server=server, tool=tool, about=form.about).strip()
    return ActionOffer(f"{PREFIX}{server}/{tool}", about, form.payload, _sample(form.payload))


def _sample(schema: dict[str, Any]) -> Any:
    """What a tool could be given, as far as its schema tells."""
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    match schema.get("type"):
        case "object":
            fields = schema.get("properties", {})
            return {name: _sample(fields[name]) for name in schema.get("required", ())}
        case "array":
            return []
        case "integer" | "number":
            return 1
        case "boolean":
            return True
    return "…"


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
