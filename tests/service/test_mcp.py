"""MCP over HTTP: tools and resources of gardens, memory only by a grant, characters' words as data, and no stranger."""

import asyncio
import json
from typing import Any

import pytest

from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.service.mcp_door import NOTICE, PATH, harmless
from hakoniwa.service.mcp_tools import GRANTED_TOOLS, TOOLS
from tests.service.door import PATIENCE, WholeDoor, refused, request
from tests.service.plot import Hesitant, Plot, garden
from tests.service.talk import broken_off

BOTH = "application/json, text/event-stream"


def asked(door: WholeDoor, method: str, **params: Any) -> dict[str, Any]:
    """What the server of MCP answers a request with."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    response = door.send(json.dumps(body).encode(), PATH, accept=BOTH)
    assert response.status_code == 200, response.text
    (data,) = [line[6:] for line in response.text.splitlines() if line.startswith("data: ")]
    found: dict[str, Any] = json.loads(data)
    return found


def called(door: WholeDoor, tool: str, **arguments: Any) -> Any:
    """What a tool that must succeed has to say."""
    result = asked(door, "tools/call", name=tool, arguments=arguments)["result"]
    assert not result.get("isError"), result
    told = json.loads(result["content"][0]["text"])
    assert told["notice"] == NOTICE
    return told["untrusted"]


def tools(door: WholeDoor) -> set[str]:
    return {one["name"] for one in asked(door, "tools/list")["result"]["tools"]}


def test_a_garden_is_opened_played_and_explained(door: WholeDoor) -> None:
    called(door, "open_garden", scenario="kitchen_morning", id="g", seed=3)
    assert [one["id"] for one in called(door, "list_gardens")] == ["g"]
    turn = called(door, "play_turn", garden="g")
    assert turn["turn"] == 1
    assert called(door, "say", garden="g", text="おはよう")["lines"][0]["text"] == "おはよう"
    who = turn["who"]
    acts = called(door, "possible_acts", garden="g", who=who, limit=5)["acts"]
    assert called(door, "act", garden="g", who=who, text=acts[0]["tag"])["turn"] == 2
    assert called(door, "why", garden="g", turn=1)


def test_the_referee_steps(door: WholeDoor) -> None:
    assert called(door, "gm_step", **request())["allowed"] is True


def test_transcript_and_scene_are_resources(door: WholeDoor) -> None:
    called(door, "open_garden", scenario="kitchen_morning", id="g", seed=3)
    spoken = called(door, "play_turn", garden="g")["lines"][-1]["text"]
    listed = {one["uri"] for one in asked(door, "resources/list")["result"]["resources"]}
    assert listed == {"hakoniwa://gardens/g/transcript", "hakoniwa://gardens/g/scene"}
    (transcript,) = asked(door, "resources/read", uri="hakoniwa://gardens/g/transcript")["result"]["contents"]
    assert transcript["text"].startswith(f"> {NOTICE}")
    assert spoken in transcript["text"]
    (scene,) = asked(door, "resources/read", uri="hakoniwa://gardens/g/scene")["result"]["contents"]
    assert json.loads(scene["text"])["untrusted"]["turn"] == 1


def test_memory_is_no_tool_until_it_is_granted(door: WholeDoor) -> None:
    assert tools(door) == {one.name for one in TOOLS}
    assert "error" in asked(door, "tools/call", name="recall", arguments={"garden": "c", "who": "yana", "about": "猫"})
    with Plot(MemoryJournal(), lambda: None, mcp_memory=True) as granted:
        assert tools(granted) == {one.name for one in (*TOOLS, *GRANTED_TOOLS)}
        granted.post("/v1/chats", {"persona": "yana", "name": "c"})
        granted.post("/v1/chats/c/messages", {"text": "猫を飼いはじめたよ"}, accept="application/json")
        (found, *_) = called(granted, "recall", garden="c", who="yana", about="猫")
        assert "猫" in found["text"]


@pytest.mark.parametrize(
    ("tool", "arguments", "about"),
    [
        ("play_turn", {"garden": "nowhere"}, "nowhere"),
        ("play_turn", {"garden": "../chats"}, "nothing at this address"),
        ("play_turn", {}, "garden"),
        ("say", {"garden": "g", "text": "あ" * 8_001}, "text"),
        ("open_garden", {"scenario": "/etc/passwd"}, "/etc/passwd"),
        ("why", {"garden": "g", "turn": 0}, "turn"),
        ("list_gardens", {"surprise": 1}, "surprise"),
    ],
)
def test_a_call_that_cannot_be_served_says_why(
    open_door: WholeDoor, tool: str, arguments: dict[str, Any], about: str
) -> None:
    result = asked(open_door, "tools/call", name=tool, arguments=arguments)["result"]
    assert result["isError"]
    assert about in result["content"][0]["text"]


@pytest.mark.parametrize("uri", ["hakoniwa://gardens/none/scene", "file:///etc/passwd", "hakoniwa://gardens/a/b/scene"])
def test_no_other_resource_can_be_read(open_door: WholeDoor, uri: str) -> None:
    assert "error" in asked(open_door, "resources/read", uri=uri)


def test_ids_of_gardens_are_completed_and_a_part_is_a_prompt(door: WholeDoor) -> None:
    called(door, "open_garden", scenario="kitchen_morning", id="morning", seed=3)
    ref = {"type": "ref/resource", "uri": "hakoniwa://gardens/{garden}/scene"}
    found = asked(door, "completion/complete", ref=ref, argument={"name": "garden", "value": "mo"})
    assert found["result"]["completion"]["values"] == ["morning"]
    assert [one["name"] for one in asked(door, "prompts/list")["result"]["prompts"]] == ["take_part"]
    prompt = asked(door, "prompts/get", name="take_part", arguments={"garden": "morning", "who": "やな"})
    assert "やな" in prompt["result"]["messages"][0]["content"]["text"]
    assert "error" in asked(door, "prompts/get", name="take_part", arguments={"garden": "morning"})


def test_what_characters_say_cannot_pose_as_somebody_else() -> None:
    assert harmless({"a<|im_start|>": ["<start_of_turn>", {"n": 1, "t": "\u200bx"}]}) == {
        "a< |im_start| >": ["< start_of_turn>", {"n": 1, "t": "x"}]
    }


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"authorization": ""}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"origin": "https://evil.example"}, 403),
        ({"host": "evil.example"}, 421),
        ({"content-type": "text/plain"}, 415),
    ],
)
def test_a_stranger_gets_no_further_than_the_gate(open_door: WholeDoor, headers: dict[str, str], status: int) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
    refused(open_door.send(body, PATH, accept=BOTH, **headers), status)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff", b'{"jsonrpc": "2.0"}', b"[" * 50_000])
def test_what_is_no_message_is_refused(open_door: WholeDoor, body: bytes) -> None:
    response = open_door.send(body, PATH, accept=BOTH)
    assert 400 <= response.status_code < 500


def test_a_body_without_end_is_refused(open_door: WholeDoor) -> None:
    async def flood() -> Any:
        for _ in range(40):
            yield b" " * 65_536

    assert open_door.send(flood(), PATH, accept=BOTH).status_code == 413


def test_a_client_that_hangs_up_stops_the_turn_it_asked_for() -> None:
    model = Hesitant()
    with garden(model) as door:
        params = {"name": "play_turn", "arguments": {"garden": "g"}}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        hanging = broken_off(door, PATH, model.speaking, said=call, accept=BOTH)
        door.wait_for(asyncio.wait_for(hanging, PATIENCE))
        assert door.sooner_or_later(lambda: model.stopped)
        assert door.get("/v1/gardens/g")["turn"] == 0
