"""Worlds made to hurt: sentences that are programs, patterns that never end, lists of things that are no names."""

import base64
import gc
import json
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.service.door import Door, WholeDoor, refused, request, together
from tests.service.rulings import patched
from tests.service.test_body import compact
from tests.worlds import kitchen

CARD = base64.b64encode(b'{"name": "Mio", "description": "a keeper"}').decode()


@pytest.fixture
def door() -> Iterator[Door]:
    with Door() as opened:
        yield opened


def thing(**fields: Any) -> dict[str, Any]:
    return kitchen(props={"皿": {"location": "キッチン", **fields}})


def status(door: Door, **changes: Any) -> int:
    return door.send(compact(request(**changes))).status_code


@pytest.mark.parametrize(
    "told",
    ["{who.__class__}", "{who.nowhere}", "{who[0]}", "{who[nowhere]}", "{who!r}", "{who:>10000000}", "{who:{what}}",
     "{}", "{0}", "{nobody}", "{", "}", "{who", "{who}}", "{{who}"],
)  # fmt: skip
@pytest.mark.parametrize("later", [False, True])
def test_a_sentence_is_not_a_program(door: Door, told: str, later: bool) -> None:
    told = told.replace("who", "what") if later else told
    affordance = {"verb": "叩く", **({"after": {"turns": 1, "told": told}} if later else {"told": told})}
    refused(door.step(world_state=thing(affordances=[affordance]), raw_output="（皿を叩く）"), 422)


def test_a_sentence_may_name_who_and_what_and_hold_braces(door: Door) -> None:
    affordance = {"verb": "叩く", "told": "{who}は{what}を叩いた。{{コン}}"}
    ruling = door.ruling(world_state=thing(affordances=[affordance], fixed=True), raw_output="(叩く: 皿)")
    assert ruling["told"] == ["やなは皿を叩いた。{コン}"]


@pytest.mark.parametrize("exits", [[{}], [[]], [None], [1], [True], "居間", 3, {"居間": 3}, {"居間": [[]]}])
def test_exits_are_names(door: Door, exits: Any) -> None:
    refused(door.step(world_state=kitchen(locations={"キッチン": {"exits": exits}, "居間": {}})), 422)


@pytest.mark.parametrize(
    "affordance",
    ["開ける(要:" + " " * 10_000 + "鍵", "開ける(要:" + "鍵," * 50_000, "(" * 200_000, "開ける" * 20_000,
     "開ける(要" + " " * 200_000 + "鍵", "開ける(" * 20_000],
)  # fmt: skip
def test_a_long_affordance_is_refused(door: Door, affordance: str) -> None:
    assert status(door, world_state=thing(affordances=[affordance])) == 422


@pytest.mark.parametrize("placed", [True, False])
def test_a_tower_of_things_is_refused(door: Door, placed: bool) -> None:
    props: dict[str, Any] = {"箱0": {"location": "キッチン"}}
    for number in range(1, 2000):
        props[f"箱{number}"] = {"inside": f"箱{number - 1}", **({"location": "キッチン"} if placed else {})}
    assert status(door, world_state=kitchen(props=props)) == 422


def test_a_thousand_errors_are_told_like_one(door: Door) -> None:
    props = {f"皿{number}": {"location": number, "state": [number] * 5} for number in range(2000)}
    assert status(door, world_state=kitchen(props=props)) == 422


@pytest.mark.parametrize(
    "unit", ["（", "「", "(", "*", "<think>", "Thought:", "(GET: ", " -> ", "何？", "皿を取って", "\n", "[Next: "]
)
def test_a_reply_as_long_as_may_be_is_read(door: Door, unit: str) -> None:
    assert status(door, raw_output=unit * (32_000 // len(unit.encode()))) == 200


def test_a_world_without_things_and_events_can_be_patched_all_the_same(door: Door) -> None:
    world = {"location": {"current": "庭"}, "characters": {"やな": {"location": "庭", "holding": ["鋏"]}}}
    ruling = door.ruling(world_state=world, raw_output="（鋏を置く）")
    after = patched(world, ruling["world_delta"])
    assert (after["props"], len(after["events"])) == ({"鋏": {"location": "庭"}}, 1)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_world_that_is_wrong_is_told_in_the_language_of_the_caller(door: Door, language: str) -> None:
    body = compact(request(world_state=kitchen(characters={"やな": {"location": 3}})))
    detail = refused(door.send(body, accept_language=language), 422)["detail"]
    assert ("正しくありません" in detail) == (language == "ja")


@pytest.mark.parametrize(
    ("path", "body", "told"),
    [
        ("/v1/cards", {"name": "mio", "data": CARD}, [201, 409, 409, 409]),
        ("/v1/scenarios", {"name": "mine", "text": "title: 庵"}, [200] * 4),
    ],
)
def test_what_is_kept_under_one_name_at_once_is_kept_once(
    monkeypatch: pytest.MonkeyPatch, path: str, body: dict[str, str], told: list[int]
) -> None:
    written = Path.write_bytes

    def slowly(self: Path, data: bytes) -> int:
        count = written(self, data)
        time.sleep(0.02)
        return count

    monkeypatch.setattr(Path, "write_bytes", slowly)
    with WholeDoor() as whole:
        sent = [whole.sending(json.dumps(body).encode(), path) for _ in told]
        assert sorted(one.status_code for one in whole.wait_for(together(*sent))) == told


@pytest.mark.long
def test_verbs_nobody_knows_are_not_kept_for_ever(door: Door) -> None:
    def asked(number: int) -> None:
        world = thing(affordances=[f"{number}{'あ' * 50}" for number in range(number * 200, (number + 1) * 200)])
        door.ruling(session_id=f"動詞-{number % 3}", turn_number=number, world_state=world, possible_acts=1)

    def held() -> int:
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    for number in range(25):
        asked(number)
    before = held()
    for number in range(25, 75):
        asked(number)
    after = held()
    tracemalloc.stop()
    assert after - before < 1_000_000, after - before
