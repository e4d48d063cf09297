"""What comes in a body: every cap at its edge, one above and ten times above, and JSON that only some can read."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from hakoniwa.gm.request import MAX_ACTS, MAX_REPLY
from hakoniwa.service.body import MAX_BODY, MAX_DEPTH, MAX_WORLD
from hakoniwa.stage.world import MAX_CHARACTERS, MAX_LOCATIONS, MAX_NAME, MAX_NESTING, MAX_PROPS
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


def padded(length: int) -> bytes:
    """A valid body of so many bytes, the rest of it blanks."""
    body = compact(request(session_id=f"body-{length}"))
    return body[:-1] + b" " * (length - len(body)) + body[-1:]


@pytest.mark.parametrize(("length", "status"), [(MAX_BODY, 200), (MAX_BODY + 1, 413), (10 * MAX_BODY, 413)])
def test_a_body_has_an_end(door: Door, length: int, status: int) -> None:
    response = door.send(padded(length))
    assert response.status_code == status
    if status == 413:
        assert str(MAX_BODY) in refused(response, 413)["detail"]


@pytest.mark.parametrize(("length", "status"), [(MAX_BODY, 200), (MAX_BODY + 1, 413), (10 * MAX_BODY, 413)])
def test_a_body_that_does_not_announce_its_length_has_the_same_end(door: Door, length: int, status: int) -> None:
    async def in_pieces() -> AsyncIterator[bytes]:
        body = padded(length)
        for place in range(0, length, 65_536):
            yield body[place : place + 65_536]

    assert door.send(in_pieces()).status_code == status


def heavy(length: int) -> dict[str, Any]:
    """A world of so many bytes as JSON."""
    bare = len(compact(kitchen(rules=[""])))
    return kitchen(rules=["あ" * ((length - bare) // 3) + "x" * ((length - bare) % 3)])


@pytest.mark.parametrize(("length", "status"), [(MAX_WORLD, 200), (MAX_WORLD + 1, 413), (10 * MAX_WORLD, 413)])
def test_a_world_has_an_end_of_its_own(door: Door, length: int, status: int) -> None:
    assert len(compact(heavy(length))) == length
    assert answered(door, f"world-{length}", world_state=heavy(length)) == status


def test_blanks_and_other_fields_are_not_part_of_the_world(door: Door) -> None:
    body = request(session_id="spacious", world_state=heavy(MAX_WORLD), lorebook="x" * MAX_WORLD)
    assert door.send(json.dumps(body, ensure_ascii=False, indent=4).encode()).status_code == 200


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        ("a" * MAX_REPLY, 200),
        ("a" * (MAX_REPLY + 1), 422),
        ("a" * 10 * MAX_REPLY, 422),
        ("あ" * (MAX_REPLY // 3), 200),
        ("あ" * (MAX_REPLY // 3 + 1), 422),
    ],
    ids=["at", "above", "ten times", "kana at", "kana above"],
)
def test_a_reply_has_an_end_in_bytes(door: Door, reply: str, status: int) -> None:
    assert answered(door, f"reply-{len(reply)}", raw_output=reply) == status


def nested(layers: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(layers - 1):
        found = [found]
    return found


@pytest.mark.parametrize(
    ("depth", "allowed"), [(MAX_DEPTH, (200,)), (MAX_DEPTH + 1, (422,)), (10 * MAX_DEPTH, (400, 422))]
)
def test_a_world_is_only_so_deep(door: Door, depth: int, allowed: tuple[int, ...]) -> None:
    world = kitchen(their_own=nested(depth - 1))
    assert answered(door, f"depth-{depth}", world_state=world) in allowed


def crowded(people: int = 2, props: int = 2, rooms: int = 2) -> dict[str, Any]:
    names = [f"部屋{number}" for number in range(rooms)]
    return {
        "location": {"current": names[0]},
        "locations": {name: {} for name in names},
        "characters": {"やな": {"location": names[0]}}
        | {f"客{number}": {"location": names[0]} for number in range(1, people)},
        "props": {f"皿{number}": {"location": names[0]} for number in range(props)},
    }


@pytest.mark.parametrize("times", ["at", "above", "ten times"])
@pytest.mark.parametrize(
    ("what", "cap"), [("people", MAX_CHARACTERS), ("props", MAX_PROPS), ("rooms", MAX_LOCATIONS)]
)
def test_a_world_holds_only_so_many(door: Door, what: str, cap: int, times: str) -> None:
    count = {"at": cap, "above": cap + 1, "ten times": 10 * cap}[times]
    status = answered(door, f"{what}-{count}", world_state=crowded(**{what: count}))
    assert status == 200 if times == "at" else status in OVER


@pytest.mark.parametrize("times", ["at", "above", "ten times", "in a circle"])
def test_things_lie_only_so_deep_in_one_another(door: Door, times: str) -> None:
    count = {"at": MAX_NESTING, "above": MAX_NESTING + 1, "ten times": 10 * MAX_NESTING, "in a circle": 1}[times]
    here = {"location": "キッチン"}
    props = {f"箱{number}": {**here, "inside": f"箱{number - 1}"} for number in range(1, count + 1)}
    props["箱0"] = {**here, "inside": "箱1"} if times == "in a circle" else here
    assert answered(door, f"nest-{times}", world_state=kitchen(props=props)) == (200 if times == "at" else 422)


@pytest.mark.parametrize(("asked", "status"), [(MAX_ACTS, 200), (MAX_ACTS + 1, 422), (10 * MAX_ACTS, 422), (-1, 422)])
def test_only_so_many_possible_acts_can_be_asked_for(door: Door, asked: int, status: int) -> None:
    assert answered(door, f"acts-{asked}", possible_acts=asked) == status


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
def test_names_are_short(door: Door, where: str) -> None:
    lengths = {0: 422, MAX_NAME: 200, MAX_NAME + 1: 422, 10 * MAX_NAME: 422}
    assert {n: answered(door, f"{where}-{n}", **named("匙" * n)[where]) for n in lengths} == lengths


@pytest.mark.parametrize("where", named(""))
@pytest.mark.parametrize("sign", INVISIBLE)
def test_names_can_be_seen(door: Door, where: str, sign: str) -> None:
    assert answered(door, f"{where}-{sign}", **named(f"匙{INVISIBLE[sign]}皿")[where]) == 422


@pytest.mark.parametrize(
    ("name", "status"), [("n" * 128, 200), ("n" * 129, 422), ("n" * 1280, 422), ("", 422), ("a\x00b", 422)]
)
def test_a_session_has_a_name_that_any_journal_can_keep(door: Door, name: str, status: int) -> None:
    assert answered(door, name) == status


@pytest.mark.parametrize(
    ("turn", "status"), [(2**31 - 1, 200), (2**31, 422), (10 * 2**31, 422), (-1, 422), (1.5, 422), (None, 422)]
)
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


@pytest.mark.parametrize("value", [[], {}, True, 1e10, "x" * 100_000, None, [[]], "\x00", -0.0])
@pytest.mark.parametrize("field", ["session_id", "turn_number", "speaker", "raw_output", "world_state"])
def test_a_field_of_the_wrong_kind_is_refused(door: Door, field: str, value: Any) -> None:
    fits = {("turn_number", "-0.0"), ("raw_output", "\x00")}
    status = 200 if (field, str(value)) in fits else 422
    body = {**request(session_id=f"{field}-{str(value)[:20]!r}"), field: value}
    assert door.send(compact(body)).status_code == status
