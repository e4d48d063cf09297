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

from hakoniwa.capabilities.means import ToolServer
from hakoniwa.llm.bounded import PLAIN, bound_response


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


def _words(said: CallToolResult) -> str:
    return "\n".join(block.text for block in said.content if isinstance(block, TextContent))


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
