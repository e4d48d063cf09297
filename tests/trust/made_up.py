"""Requests that schemathesis makes up from OpenAPI, fitting and not, and replies about small worlds by chance."""

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random
from typing import Any
from urllib.parse import unquote, urlencode, urlsplit

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode

from hakoniwa.gm.request import MAX_REPLY
from hakoniwa.service.routes.gm import PATH
from tests.service.door import request
from tests.service.fuzz import SCRAPS
from tests.trust.asking import KNOWN
from tests.trust.house import HOST, TOKEN, Answer, Asked, House, posted
from tests.worlds import PEOPLE, ROOMS, THINGS, VERBS, small_worlds

AT_A_TIME = 10
A_WORLD = 5  # operations between two rounds of small worlds
THEIRS = ("session_id", "turn_number", "raw_output", "possible_acts")
NAMES = (*THINGS, *ROOMS, *PEOPLE, "削り屑", "どこにもない物")
Sent = tuple[Asked, Answer, list[str]]


def made_up(house: House, chance: Random, seconds: float) -> Iterator[tuple[str, Sent]]:
    """What comes of some seconds of the processor, a few requests for each operation in turn."""
    until = time.process_time() + seconds
    schema = schemathesis.openapi.from_dict(house.document)
    known = [found.ok() for found in schema.get_all_operations()]
    while True:
        chance.shuffle(known)
        for place, operation in enumerate(known):
            for mode in GenerationMode:
                yield from (("made up", one) for one in _of(house, operation, mode, chance))
            if place % A_WORLD == 0:
                yield from (("small worlds", one) for one in _in_small_worlds(house, chance))
            if time.process_time() > until:
                return


def _drawn(strategy: st.SearchStrategy[Any], chance: Random, take: Callable[[Any], None]) -> None:
    """A few examples of a strategy, others with every seed."""
    few = settings(
        max_examples=AT_A_TIME, database=None, deadline=None, derandomize=False, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    with suppress(Unsatisfiable):  # where nothing can be wrong
        seed(chance.getrandbits(32))(few(given(strategy)(take)))()


def _of(house: House, operation: Any, mode: GenerationMode, chance: Random) -> list[Sent]:
    sent: list[Sent] = []
    there = chance.random() < 0.5

    def ask(case: Any) -> None:
        if there:  # names made up by chance name nobody
            case.path_parameters |= {name: KNOWN[name][0] for name in case.path_parameters if name in KNOWN}
        asked = _asked(case)
        sent.append((asked, house.ask(asked), []))
        if case.path == PATH and isinstance(case.body, dict):
            sent.append(_as_described(house, case.body))

    _drawn(operation.as_strategy(generation_mode=mode), chance, ask)
    return sent


def _asked(case: Any) -> Asked:
    """A case as it goes over the wire, with the token."""
    made = case.as_transport_kwargs(base_url=f"http://{HOST}")
    own = {"host": HOST, "authorization": f"Bearer {TOKEN}"}
    named = {**{name.lower(): str(value) for name, value in made["headers"].items()}, **own}
    headers = [(name, value.encode("latin-1", "replace").decode("latin-1")) for name, value in named.items()]
    body = json.dumps(made["json"]).encode() if "json" in made else made.get("data") or b""
    path = unquote(urlsplit(made["url"]).path)
    query = urlencode(made["params"] or {}, doseq=True).encode()
    return Asked(case.method, path, headers, (body if isinstance(body, bytes) else str(body).encode(),), query)


def _as_described(house: House, theirs: dict[str, Any]) -> Sent:
    """What the document allows is taken and what it forbids is not: worlds made up by chance hold no speaker, so this
    one does, and the rest of the step is made up."""
    body = request(**{name: theirs[name] for name in THEIRS if name in theirs})
    rules = house.document["components"]["schemas"]["GMStepRequest"]["properties"]
    allowed = all(fits(body[name], rules[name]) for name in THEIRS if name in body)
    allowed = allowed and len(str(body["raw_output"]).encode()) <= MAX_REPLY
    asked = posted(PATH, body)
    answer = house.ask(asked)
    expected = (200, 409) if allowed else (400, 413, 422)
    return asked, answer, [] if answer.status in expected else [f"{answer.status} and not one of {expected}"]


def fits(value: Any, rule: dict[str, Any]) -> bool:
    """Whether a text or a number is what a schema asks for."""
    if rule["type"] == "string":
        return (
            isinstance(value, str)
            and rule.get("minLength", 0) <= len(value) <= rule["maxLength"]
            and re.search(rule.get("pattern", ""), value) is not None
        )
    whole = isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1
    return whole and rule["minimum"] <= value <= rule.get("maximum", rule.get("exclusiveMaximum", 0) - 1)


# --- small worlds ----------------------------------------------------------------------------------------------------


def replies() -> st.SearchStrategy[str]:
    """Acts on the things of a small world, with anything around them."""
    parts = st.one_of(
        st.builds("({}: {})".format, st.sampled_from((*VERBS, "GET", "PUT", "MOVE")), st.sampled_from(NAMES)),
        st.builds("(PUT: {} -> {})".format, st.sampled_from(NAMES), st.sampled_from(NAMES)),
        st.builds("（{}を{}）".format, st.sampled_from(NAMES), st.sampled_from(("取る", "置く", "食べる"))),
        st.sampled_from(SCRAPS),
        st.text(max_size=20),
    )
    return st.lists(parts, max_size=6).map("".join)


def _in_small_worlds(house: House, chance: Random) -> list[Sent]:
    """Any reply of anybody in any small world is answered."""
    sent: list[Sent] = []
    session = f"small-{chance.getrandbits(32)}"

    def step(drawn: tuple[Any, str, str]) -> None:
        world, who, reply = drawn
        body = request(
            session_id=session, turn_number=len(sent), speaker=who,
            raw_output=reply.encode("utf-8", "replace").decode(),
            world_state=world.model_dump(mode="json", exclude_unset=True),
        )  # fmt: skip
        asked = posted(PATH, body)
        answer = house.ask(asked)
        sent.append((asked, answer, [] if answer.status in (200, 409, 422) else [f"{answer.status} for a small world"]))

    _drawn(st.tuples(small_worlds(), st.sampled_from(PEOPLE), replies()), chance, step)
    return sent
