"""A client of MCP servers: one connection for one call."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from hakoniwa.capabilities.capability import one_line
from hakoniwa.capabilities.means import ToolForm, ToolServer
from hakoniwa.llm.bounded import PLAIN, bound_response

LONGEST_ABOUT, MOST_FIELDS, DEEPEST = 120, 8, 3
TYPES = frozenset({"string", "integer", "number", "boolean", "array", "object"})


class ToolReply(NamedTuple):
    """What a tool said, in words and in structure, whether it calls that a failure, and how many bytes it all was."""

    text: str
    structured: Any
    failed: bool
    size: int


async def ask_tool(server: ToolServer, tool: str, arguments: dict[str, Any]) -> ToolReply:
    """What a tool answers, however long it takes."""
    async with _connect(server) as client:
        said = await client.call_tool(tool, arguments)
    size = len(said.model_dump_json(by_alias=True, exclude_none=True).encode())
    return ToolReply(_words(said), said.structured_content, bool(said.is_error), size)


async def list_tools(server: ToolServer) -> dict[str, ToolForm]:
    """What each of the allowed tools does and takes, in its own words and by its own schema."""
    async with _connect(server) as client:
        found = (await client.list_tools()).tools
    return {
        one.name: ToolForm(about=one_line(one.description or "", LONGEST_ABOUT), payload=plain_schema(one.input_schema))
        for one in found
        if one.name in server.tools
    }


def _words(said: CallToolResult) -> str:
    return "\n".join(block.text for block in said.content if isinstance(block, TextContent))


def plain_schema(schema: Any, depth: int = DEEPEST) -> dict[str, Any]:
    """A tool's schema without references and formats, so that a server makes a small grammar of it; what has to be left
    open may be anything, and a tool checks what it is given by itself."""
    given = schema if isinstance(schema, dict) else {}
    choices = [one for one in given.get("anyOf", ()) if isinstance(one, dict) and one.get("type") != "null"]
    given = {**given, **choices[0]} if choices else given
    kept: dict[str, Any] = {name: given[name] for name in ("const", "enum") if name in given}
    if isinstance(about := given.get("description"), str):
        kept["description"] = one_line(about, LONGEST_ABOUT)
    if given.get("type") in TYPES:
        kept["type"] = given["type"]
    if depth and isinstance(fields := given.get("properties"), dict):
        needed = [one for one in given.get("required", ()) if one in fields]
        named = dict.fromkeys([*needed, *[one for one in fields if one not in needed][:MOST_FIELDS]])
        kept |= {"properties": {name: plain_schema(fields[name], depth - 1) for name in named}, "required": needed}
        kept["additionalProperties"] = False
    if depth and "items" in given:
        kept["items"] = plain_schema(given["items"], depth - 1)
    return kept


@asynccontextmanager
async def _connect(server: ToolServer) -> AsyncIterator[Client]:
    """A connection of its own, which offers the server nothing: no sampling, no questions, no folders."""
    if server.url:
        async with (
            httpx2.AsyncClient(
                headers={**PLAIN, **server.headers},
                event_hooks={"response": [bound_response]},
                timeout=server.seconds,
                trust_env=False,
            ) as http,
            Client(streamable_http_client(server.url, http_client=http)) as client,
        ):
            yield client
        return
    program, *arguments = server.command
    parameters = StdioServerParameters(command=program, args=arguments, env=dict(server.environment))
    with open(os.devnull, "w") as nowhere:
        async with Client(stdio_client(parameters, errlog=nowhere)) as client:
            yield client
