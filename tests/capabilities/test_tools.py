"""MCP tools, on a real server over its pipes: what the configuration names can be used, and nothing else."""

import asyncio
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.capabilities.means import FETCHED, CapabilityMeans, ToolServer, WebMeans
from hakoniwa.capabilities.tool_client import plain_schema
from hakoniwa.capabilities.tools import LONGEST_ANSWER, McpTools
from hakoniwa.capabilities.web_access import WebAccess
from hakoniwa.persona.action import ActionResult
from tests.capabilities.orders import order
from tests.capabilities.wire import PUBLIC, Wire, names, page

ROOT = Path(__file__).parents[2]
SERVER = ToolServer(
    tools=("greet", "surroundings", "search", "fail", "dawdle", "die"),
    command=(sys.executable, "-m", "tests.capabilities.tool_server"),
    environment={"PYTHONPATH": str(ROOT)},
)
PAGE = "<p>煎茶は七十度。"
MEANS = CapabilityMeans(servers={"tempers": SERVER}, language="en")


def use(tool: str, means: CapabilityMeans = MEANS, **arguments: Any) -> ActionResult:
    return asyncio.run(McpTools().run(order(f"mcp:tempers/{tool}", arguments), means))


def test_a_tool_answers_in_the_servers_name_and_sees_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAKONIWA_API_KEY", "canary")
    result = use("surroundings", flood="\x1b[1m")
    assert (result.capability_name, result.result_status) == ("mcp:tempers", "success")
    said, text = result.result_payload["structured"], result.result_payload["text"]
    assert "PYTHONPATH" in said["variables"]
    assert not any("KEY" in name for name in said["variables"])
    assert len(text) == LONGEST_ANSWER
    assert "\x1b" not in text + said["flood"]


@pytest.mark.parametrize(
    ("tool", "seconds", "status", "fault"),
    [
        ("fail", 120.0, "failed", "tool"),
        ("dawdle", 2.0, "unknown", "timed-out"),
        ("die", 120.0, "failed", "unreachable"),
        ("unlisted", 120.0, "failed", "not-allowed"),
    ],
)
def test_a_tool_that_fails_does_so_by_name(tool: str, seconds: float, status: str, fault: str) -> None:
    result = use(tool, replace(MEANS, servers={"tempers": SERVER.with_field("seconds", seconds)}))
    assert (result.result_status, result.result_payload) == (status, {"fault": fault})


@pytest.mark.parametrize("action_type", ["mcp:tempers", "mcp:other/greet", "mcp:tempers/greet/more", "mcp:", "mcp"])
def test_what_the_configuration_does_not_name_is_not_connected_to(action_type: str) -> None:
    means = CapabilityMeans(servers={"tempers": SERVER.with_field("command", ("/nonexistent",))})
    result = asyncio.run(McpTools().run(order(action_type, {}), means))
    assert result.result_payload == {"fault": "not-allowed"}


@pytest.mark.parametrize("command", [("/nonexistent",), ("/bin/echo", "not json")])
def test_a_server_that_is_none_is_reported(command: tuple[str, ...]) -> None:
    means = CapabilityMeans(servers={"tempers": SERVER.with_fields({"command": command, "seconds": 60.0})})
    assert use("greet", means, name="x").result_payload == {"fault": "unreachable"}


def test_a_tool_is_offered_with_what_it_takes_and_asked_for_nothing_else() -> None:
    offers = {one.action_type: one for one in McpTools().offers(MEANS)}
    assert set(offers) == {f"mcp:tempers/{tool}" for tool in SERVER.tools}
    greet = offers["mcp:tempers/greet"]
    assert greet.payload["properties"]["name"]["type"] == "string"
    assert (greet.payload["required"], list(greet.example)) == (["name"], ["name"])
    for wrong in ({}, {"name": 5}, {"name": "x", "more": 1}):
        assert use("greet", **wrong).result_payload == {"fault": "bad-payload"}


def test_a_server_that_does_not_answer_has_nothing_to_offer() -> None:
    means = CapabilityMeans(servers={"tempers": SERVER.with_field("command", ("/nonexistent",))})
    assert McpTools().offers(means) == ()


def test_a_schema_is_made_plain() -> None:
    nested = {"type": "object", "properties": {"who": {"anyOf": [{"type": "null"}, {"type": "string"}], "format": "x"},
              "rest": {"$ref": "#/$defs/Rest"}}, "required": ["who", "gone"]}  # fmt: skip
    assert plain_schema(nested) == {
        "type": "object", "properties": {"who": {"type": "string"}, "rest": {}}, "required": ["who"],
        "additionalProperties": False,
    }  # fmt: skip


def test_a_tool_can_do_the_searching() -> None:
    wire = Wire({"/": page("<title>茶</title><p>煎茶は七十度。")})
    web = WebMeans(search_tool="tempers/search", wire=wire, resolve=names({"a.test": [PUBLIC]}))
    result = asyncio.run(WebAccess().run(order("web_research", {"query": "煎茶"}), replace(MEANS, web=web)))
    assert result.result_payload == {
        "findings": [{"title": "茶", "url": "http://a.test/", "excerpt": "煎茶は七十度。", "from": "page"}],
        "sources": [{"url": "http://a.test/", "title": "茶"}],
        "notes": [],
    }


def test_what_a_tool_says_in_words_is_a_finding_too() -> None:
    web = WebMeans(search_tool="tempers/greet", search_argument="name")
    result = asyncio.run(WebAccess().run(order("web_research", {"query": "煎茶"}), replace(MEANS, web=web)))
    assert [one["excerpt"] for one in result.result_payload["findings"]] == ["こんにちは、煎茶さん。"]


def researched(tool: str, **limits: Any) -> ActionResult:
    """Research by a tool, which finds one page."""
    web = WebMeans(
        search_tool=f"tempers/{tool}", wire=Wire({"/": page(PAGE)}), resolve=names({"a.test": [PUBLIC]}), **limits
    )
    return asyncio.run(WebAccess().run(order("web_research", {"query": "煎茶"}), replace(MEANS, web=web)))


@pytest.mark.long
def test_what_a_search_tool_returns_counts_toward_the_day() -> None:
    taken = researched("search").details_json[FETCHED]
    hits = {"results": [{"url": "http://a.test/", "title": "煎茶", "content": "見出し"}, {"url": 5}]}
    assert taken > len(json.dumps(hits, ensure_ascii=False).encode()) + len(PAGE.encode())
    assert researched("fail").details_json[FETCHED] > 0


def test_a_search_tool_that_returns_more_than_there_is_room_for_is_of_no_use() -> None:
    result = researched("search", room=20)
    assert result.result_payload == {"fault": "spent"}
    assert result.details_json[FETCHED] > 20
    assert researched("fail", room=20).result_payload == {"fault": "spent"}


@pytest.mark.long
def test_pages_that_a_search_tool_found_are_read_in_the_room_that_it_left() -> None:
    searched = researched("search").details_json[FETCHED] - len(PAGE.encode())
    result = researched("search", room=searched + 5)
    assert result.result_payload["notes"] == [{"url": "http://a.test/", "fault": "spent"}]
