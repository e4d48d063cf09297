"""Caps on what comes in over HTTP, tried at the referee's door."""

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx

from hakoniwa.gm.request import MAX_ACTS, MAX_REPLY
from hakoniwa.service.requests import MAX_BODY, MAX_DEPTH
from hakoniwa.stage.world import MAX_CHARACTERS, MAX_LOCATIONS, MAX_NAME, MAX_NESTING, MAX_PROPS, MAX_WORLD
from tests.service.door import Door, request
from tests.trust.cap import MEBIBYTE, Cap
from tests.worlds import kitchen

MAX_SESSION, MAX_TURN = 128, 2**31 - 1
HERE = {"location": "キッチン"}
Body = dict[str, Any]


def compact(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def refusal(response: httpx.Response) -> str:
    """The title of the problem a request is answered with, which says what is wrong; nothing, if it is answered."""
    if response.status_code == 200:
        return ""
    told = response.json()
    assert response.status_code in (400, 413, 422), told
    assert response.headers["content-type"] == "application/problem+json"
    assert told["detail"]
    return str(told["title"])


def padded(size: int) -> bytes:
    """A valid body of so many bytes, the rest of it blanks."""
    body = compact(request())
    return body[:-1] + b" " * (size - len(body)) + body[-1:]


async def in_pieces(body: bytes) -> AsyncIterator[bytes]:
    for place in range(0, len(body), 65_536):
        yield body[place : place + 65_536]


def heavy(size: int) -> Body:
    """A world of so many bytes as JSON."""
    bare = len(compact(kitchen(rules=[""])))
    return {"world_state": kitchen(rules=["あ" * ((size - bare) // 3) + "x" * ((size - bare) % 3)])}


def deep(size: int) -> Body:
    found: list[Any] = []
    for _ in range(size - 2):
        found = [found]
    return {"world_state": kitchen(their_own=found)}


def crowded(people: int = 2, props: int = 2, rooms: int = 2) -> Body:
    names = [f"部屋{place}" for place in range(rooms)]
    here = {"location": names[0]}
    guests = {f"客{place}": here for place in range(1, people)}
    return {
        "world_state": {
            "location": {"current": names[0]}, "locations": {name: {} for name in names},
            "characters": {"やな": here, **guests}, "props": {f"皿{place}": here for place in range(props)},
        }
    }  # fmt: skip


def tower(size: int) -> Body:
    """Things in one another, so many deep."""
    props = {f"箱{place}": {**HERE, "inside": f"箱{place - 1}"} for place in range(1, size + 1)}
    return {"world_state": kitchen(props={"箱0": HERE, **props})}


def named(where: str, name: str) -> Body:
    """A request with a name in one of the places where names stand."""
    mine = {"やな": HERE}
    match where:
        case "speaker":
            return {"speaker": name, "world_state": kitchen(characters={name: HERE})}
        case "character":
            return {"world_state": kitchen(characters={**mine, name: HERE})}
        case "room":
            return {"world_state": kitchen(locations={"キッチン": {}, name: {}})}
        case "camera":
            return {"world_state": kitchen(location={"current": name})}
        case "hand":
            return {"world_state": kitchen(characters={"やな": {**HERE, "holding": [name]}})}
        case "prop":
            return {"world_state": kitchen(props={name: HERE})}
        case "place":
            return {"world_state": kitchen(props={"皿": {"location": name}})}
    return {"world_state": kitchen(props={"皿": {**HERE, where: name if where == "owner" else [name]}})}


UNSEEN = {"control": "\x07", "zero width": "\u200b", "bidi": "\u202e"}
PLACES = ("speaker", "character", "room", "camera", "hand", "prop", "place", "aliases", "parts", "owner")


class Doorstep:
    """What is sent to a door, each time in a session of its own."""

    def __init__(self, door: Door) -> None:
        self._door, self._sent = door, 0

    def step(self, made: Callable[[int], Body]) -> Callable[[int], Callable[[], str]]:
        """A step of the referee with something of a size in it."""

        def prepared(size: int) -> Callable[[], str]:
            self._sent += 1
            body = compact(request(**{"session_id": f"s{self._sent}", **made(size)}))
            return lambda: refusal(self._door.send(body))

        return prepared

    def whole(self, size: int) -> Callable[[], str]:
        body = padded(size)
        return lambda: refusal(self._door.send(body))

    def unannounced(self, size: int) -> Callable[[], str]:
        """A body that does not say how long it is."""
        body = padded(size)
        return lambda: refusal(self._door.send(in_pieces(body)))

    def caps(self) -> dict[str, Cap]:
        step = self.step
        return {
            "bytes of a body": Cap(MAX_BODY, self.whole),
            "bytes of a body in pieces": Cap(MAX_BODY, self.unannounced),
            "bytes of a world": Cap(MAX_WORLD, step(heavy), memory=64 * MEBIBYTE),
            "depth of a world": Cap(MAX_DEPTH, step(deep)),
            "bytes of a reply": Cap(MAX_REPLY, step(lambda size: {"raw_output": "a" * size})),
            "bytes of a reply in kana": Cap(MAX_REPLY // 3, step(lambda size: {"raw_output": "あ" * size})),
            "people of a world": Cap(MAX_CHARACTERS, step(lambda size: crowded(people=size))),
            "things of a world": Cap(MAX_PROPS, step(lambda size: crowded(props=size))),
            "rooms of a world": Cap(MAX_LOCATIONS, step(lambda size: crowded(rooms=size))),
            "things in one another": Cap(MAX_NESTING, step(tower)),
            "possible acts": Cap(MAX_ACTS, step(lambda size: {"possible_acts": size})),
            "name of a session": Cap(MAX_SESSION, step(lambda size: {"session_id": "n" * size})),
            "number of a turn": Cap(MAX_TURN, step(lambda size: {"turn_number": size})),
            **{f"name: {where}": Cap(MAX_NAME, step(lambda size, where=where: named(where, "匙" * size)))
               for where in PLACES},
            **{f"{kind} characters in a name": Cap(0, step(lambda size, sign=sign: named("prop", "匙" + sign * size)))
               for kind, sign in UNSEEN.items()},
        }  # fmt: skip
