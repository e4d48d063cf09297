"""What comes in a body: names, numbers, and JSON that only some can read. Caps are tried in tests/trust/bounds.py."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from hakoniwa.service.requests import MAX_WORLD
from tests.service.door import Door, refused, request
from tests.worlds import kitchen

OVER = (413, 422)
INVISIBLE = {
    "null": "\x00",
    "newline": "\n",
    "escape": "\x1b",
    "delete": "\x7f",
    "next line": "\x85",
    "soft hyphen": "\u00ad",
    "zero-width space": "\u200b",
    "zero-width joiner": "\u200d",
    "right-to-left mark": "\u200f",
    "line separator": "\u2028",
    "paragraph separator": "\u2029",
    "right-to-left override": "\u202e",
    "first strong isolate": "\u2068",
    "byte order mark": "\ufeff",
}


@pytest.fixture(scope="module")
def door() -> Iterator[Door]:
    with Door() as opened:
        yield opened


def compact(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def answered(door: Door, name: str, **changes: Any) -> int:
    """The status of a step in a session of its own; a refusal must say why."""
    response = door.send(compact(request(session_id=name, **changes)))
    if response.status_code != 200:
        assert refused(response, response.status_code)["detail"]
    return response.status_code


# --- caps ------------------------------------------------------------------------------------------------------------


def heavy(length: int) -> dict[str, Any]:
    """A world of so many bytes as JSON."""
    bare = len(compact(kitchen(rules=[""])))
    return kitchen(rules=["あ" * ((length - bare) // 3) + "x" * ((length - bare) % 3)])


def test_blanks_and_other_fields_are_not_part_of_the_world(door: Door) -> None:
    body = request(session_id="spacious", world_state=heavy(MAX_WORLD), lorebook="x" * MAX_WORLD)
    assert door.send(json.dumps(body, ensure_ascii=False, indent=4).encode()).status_code == 200


def test_things_do_not_lie_in_a_circle(door: Door) -> None:
    here = {"location": "キッチン"}
    props = {"箱0": {**here, "inside": "箱1"}, "箱1": {**here, "inside": "箱0"}}
    assert answered(door, "circle", world_state=kitchen(props=props)) == 422


def test_nobody_asks_for_fewer_acts_than_none(door: Door) -> None:
    assert answered(door, "acts", possible_acts=-1) == 422


# Every place in a request where a name stands.
def named(name: str) -> dict[str, dict[str, Any]]:
    person = {"やな": {"location": "キッチン"}}
    return {
        "speaker": {"speaker": name, "world_state": kitchen(characters={name: {"location": "キッチン"}})},
        "prop": {"world_state": kitchen(props={name: {"location": "キッチン"}})},
        "character": {"world_state": kitchen(characters={**person, name: {"location": "キッチン"}})},
        "room": {"world_state": kitchen(locations={"キッチン": {}, name: {}})},
        "place": {"world_state": kitchen(props={"皿": {"location": name}})},
        "camera": {"world_state": kitchen(location={"current": name})},
        "alias": {"world_state": kitchen(props={"皿": {"location": "キッチン", "aliases": [name]}})},
        "part": {"world_state": kitchen(props={"皿": {"location": "キッチン", "parts": [name]}})},
        "owner": {"world_state": kitchen(props={"皿": {"location": "キッチン", "owner": name}})},
        "in hand": {"world_state": kitchen(characters={"やな": {"location": "キッチン", "holding": [name]}})},
    }


@pytest.mark.parametrize("where", named(""))
def test_a_name_is_not_empty(door: Door, where: str) -> None:
    assert answered(door, f"{where}-0", **named("")[where]) == 422


@pytest.mark.parametrize("where", named(""))
def test_names_can_be_seen(door: Door, where: str) -> None:
    told = {sign: answered(door, f"{where}-{sign}", **named(f"匙{INVISIBLE[sign]}皿")[where]) for sign in INVISIBLE}
    assert told == dict.fromkeys(INVISIBLE, 422)


@pytest.mark.parametrize(("name", "status"), [("", 422), ("a\x00b", 422)])
def test_a_session_has_a_name_that_any_journal_can_keep(door: Door, name: str, status: int) -> None:
    assert answered(door, name) == status


@pytest.mark.parametrize(("turn", "status"), [(0, 200), (-1, 422), (1.5, 422), (None, 422)])
def test_a_turn_has_a_number(door: Door, turn: Any, status: int) -> None:
    assert answered(door, f"turn-{turn}", turn_number=turn) == status


@pytest.mark.parametrize("gone", ["session_id", "turn_number", "speaker", "raw_output", "world_state"])
def test_what_is_missing_is_named(door: Door, gone: str) -> None:
    body = {name: value for name, value in request().items() if name != gone}
    assert gone in refused(door.send(compact(body)), 422)["detail"]


def test_a_speaker_must_be_in_the_world(door: Door) -> None:
    assert "幽霊" in refused(door.step(speaker="幽霊"), 422)["detail"]


def test_a_world_that_does_not_add_up_is_refused(door: Door) -> None:
    world = kitchen(props={"皿": {"location": "キッチン", "held_by": "やな"}})
    assert "皿" in refused(door.step(world_state=world), 422)["detail"]


# --- JSON that only some can read ------------------------------------------------------------------------------------

WHOLE = compact(request(session_id="JSON"))
ODD: dict[str, tuple[bytes, tuple[int, ...]]] = {
    "nothing": (b"", (400,)),
    "blanks": (b" \n\t ", (400,)),
    "null": (b"null", (422,)),
    "true": (b"true", (422,)),
    "an array": (b"[]", (422,)),
    "a string": (b'"hello"', (422,)),
    "a number": (b"3", (422,)),
    "an empty object": (b"{}", (422,)),
    "NaN": (b'{"turn_number": NaN}', (400,)),
    "Infinity": (b'{"turn_number": Infinity}', (400,)),
    "-Infinity": (b'{"turn_number": -Infinity}', (400,)),
    "beyond a double": (b'{"turn_number": 1e400}', (400,)),
    "below a double": (b'{"turn_number": -1e400}', (400,)),
    "beyond a double, deep down": (b'{"world_state": {"a": [{"b": 1e999}]}}', (400,)),
    "beyond 64 bits": (b'{"turn_number": 9223372036854775808}', (400,)),
    "below 64 bits": (b'{"turn_number": -9223372036854775809}', (400,)),
    "beyond 64 bits, in a field nobody reads": (WHOLE[:-1] + b',"x":[1,36893488147419103232]}', (400,)),
    "5,000 digits": (b'{"turn_number": ' + b"1" * 5000 + b"}", (400,)),
    "5,000 digits behind the point": (b'{"turn_number": 0.' + b"1" * 5000 + b"}", (422,)),
    "a lone surrogate": (b'{"session_id": "\\ud800"}', (400,)),
    "a lone low surrogate": (b'{"session_id": "\\udc00 and on"}', (400,)),
    "surrogates the wrong way round": (b'{"session_id": "\\udc00\\ud800"}', (400,)),
    "a lone surrogate in a key": (b'{"\\ud83d": 1}', (400,)),
    "a lone surrogate in the reply": (WHOLE.replace(b"Thought", b"\\ud800"), (400,)),
    "a surrogate as bytes": (b'{"session_id": "\xed\xa0\x80"}', (400,)),
    "50,000 brackets": (b"[" * 50_000, (400,)),
    "50,000 brackets, closed": (b"[" * 50_000 + b"]" * 50_000, (400, 422)),
    "50,000 braces": (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, (400, 422)),
    "the same key twice": (b'{"session_id": "a",' + WHOLE[1:], (200,)),
    "the same key twice, the latter wrong": (WHOLE[:-1] + b',"session_id":7}', (422,)),
    "a byte order mark": (b"\xef\xbb\xbf" + WHOLE, (400,)),
    "UTF-16": (WHOLE.decode().encode("utf-16"), (400,)),
    "not UTF-8": (b'{"session_id": "\xff\xfe"}', (400,)),
    "overlong UTF-8": (b'{"session_id": "\xc0\xaf"}', (400,)),
    "cut off": (WHOLE[:-1], (400,)),
    "cut off in a character": (WHOLE[: WHOLE.index("朝".encode()) + 1], (400,)),
    "two values": (WHOLE + WHOLE, (400,)),
    "a comma at the end": (WHOLE[:-1] + b",}", (400,)),
    "single quotes": (b"{'session_id': 'a'}", (400,)),
    "a comment": (b"{/* hello */}", (400,)),
    "a raw newline in a string": (b'{"session_id": "a\nb"}', (400,)),
    "a null byte": (b'{"session_id": "a\x00b"}', (400,)),
    "HTML": (b"<!doctype html><html></html>", (400,)),
    "a form": (b"session_id=a&turn_number=0", (400,)),
}


@pytest.mark.parametrize("what", ODD)
def test_odd_json_is_told_apart_and_never_fails(door: Door, what: str) -> None:
    body, statuses = ODD[what]
    response = door.send(body)
    assert response.status_code in statuses
    if response.status_code != 200:
        assert refused(response, response.status_code)["detail"]


@pytest.mark.parametrize("field", ["session_id", "turn_number", "speaker", "raw_output", "world_state"])
def test_a_field_of_the_wrong_kind_is_refused(door: Door, field: str) -> None:
    fits = {("turn_number", "-0.0"), ("raw_output", "\x00")}
    for value in ([], {}, True, 1e10, "x" * 100_000, None, [[]], "\x00", -0.0):
        status = 200 if (field, str(value)) in fits else 422
        body = {**request(session_id=f"{field}-{str(value)[:20]!r}"), field: value}
        assert door.send(compact(body)).status_code == status, str(value)[:20]
