"""An MCP server with tools of every temper; `python -m tests.capabilities.tool_server` speaks over its pipes."""

import os
import time
from typing import Any

from mcp.server.mcpserver import MCPServer

server = MCPServer("tempers")


@server.tool()
def greet(name: str) -> str:
    return f"こんにちは、{name}さん。"


@server.tool()
def surroundings(flood: str) -> dict[str, Any]:
    return {"variables": sorted(os.environ), "flood": flood * 100_000}


@server.tool()
def search(query: str) -> dict[str, Any]:
    return {"results": [{"url": "http://a.test/", "title": query, "content": "見出し"}, {"url": 5}]}


@server.tool()
def fail() -> str:
    raise RuntimeError("canary")


@server.tool()
def dawdle() -> str:
    time.sleep(60)
    return ""


@server.tool()
def die() -> str:
    os._exit(1)


if __name__ == "__main__":
    server.run()
