"""The same thing wanted more than once, at once or out of order: it happens once for everybody who was told it did."""

import json
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from hakoniwa.journal import Journal
from hakoniwa.service.gm_sessions import PREFIX
from tests.service.fuzz import valid
from tests.trust.asking import Maker, filled, operations
from tests.trust.house import Answer, Asked, House, posted

STEP = "/v1/gm/step"
IN_ONE_PIECE = ("accept", "application/json")
Repeat = Callable[[House, Journal, Random, int], Iterator[str]]


def _sent(house: House, chance: Random, wanted: Sequence[Asked]) -> list[Answer]:
    """Some of it at once, and the rest one after another."""
    at = chance.randint(0, len(wanted))
    return [*house.ask_at_once(wanted[:at]), *(house.ask(one) for one in wanted[at:])]


def steps(house: House, _: Journal, chance: Random, number: int) -> Iterator[str]:
    """Steps of a session in any order, each up to three times, get one answer each, whoever else has that turn too."""
    turns = [valid(chance, turn) | {"session_id": f"again-{number}"} for turn in range(chance.randint(1, 5))]
    made = [{**one, "speaker": who} for one in turns for who in one["world_state"]["characters"]]
    wanted = [posted(STEP, one) for one in made for _ in range(chance.randint(1, 3))]
    chance.shuffle(wanted)
    told: dict[bytes, set[tuple[int, bytes]]] = {}
    for asked, answer in zip(wanted, _sent(house, chance, wanted), strict=True):
        told.setdefault(asked.pieces[0], set()).add((answer.status, answer.body))
    for one in made:
        answers = told[posted(STEP, one).pieces[0]]
        if len(answers) > 1 or {status for status, _ in answers} != {200}:
            yield f"a step was answered with {answers}: {one}"
        else:
            yield from _in_other_words(house, one, *(json.loads(body)["allowed"] for _, body in answers))


def _in_other_words(house: House, step: dict[str, Any], allowed: bool) -> Iterator[str]:
    """The same turn of the same speaker in other words is a retake after a denial, and comes too late otherwise."""
    status = house.ask(posted(STEP, {**step, "raw_output": f"{step['raw_output']}。"})).status
    if status != (409 if allowed else 200):
        yield f"a step that was {'allowed' if allowed else 'denied'} was in other words answered with {status}: {step}"


def names(house: House, _: Journal, chance: Random, number: int) -> Iterator[str]:
    """What is to have a name that is not taken yet comes into being once, and whoever comes later is told so."""
    maker = Maker(house.document, chance)
    makers = [one for one in operations(house.document) if "201" in one.answers and one.body is not None]
    one = chance.choice(makers)
    path = filled(one.path, maker.parameters(one, "path"))
    body = {**maker.value(one.body or {}), "name": f"once-{number}"}
    body.pop("replace", None)  # whoever says that means it
    wanted = [posted(path, body)] * 3
    told = sorted(answer.status for answer in _sent(house, chance, wanted))
    if told[0] == 201 and told != [201, 409, 409]:
        yield f"{one.method} {path} three times: {told}"


def acts(house: House, journal: Journal, chance: Random, number: int) -> Iterator[str]:
    yield from _said("/v1/gardens/g/act", {"who": "やな"}, house, journal, chance, number)


def messages(house: House, journal: Journal, chance: Random, number: int) -> Iterator[str]:
    yield from _said("/v1/chats/c/messages", {}, house, journal, chance, number)


def _said(
    path: str, body: dict[str, str], house: House, journal: Journal, chance: Random, number: int
) -> Iterator[str]:
    """Of words that are sent several times, each that was accepted happened, and no other."""
    words = f"「{number}番目の話」"
    wanted = [posted(path, {**body, "text": words}, IN_ONE_PIECE)] * 3
    taken = sum(answer.status == 200 for answer in _sent(house, chance, wanted))
    rows = journal.since(0, 100_000, path.split("/")[3])
    happened = sum(words.strip("「」") in json.dumps(row.event.payload, ensure_ascii=False) for row in rows)
    if happened != taken:
        yield f"{path}: {taken} were accepted and {happened} happened"


REPEATS: Sequence[Repeat] = (steps, names, acts, messages)


def twice_in(journal: Journal) -> Iterator[str]:
    """Steps that happened more than once: a turn that was allowed, or the same take of one."""
    for garden in journal.gardens():
        if garden.id.startswith(PREFIX):
            kept = [step for row in journal.since(0, 100_000, garden.id) for step in row.event.payload["steps"]]
            keys = [(step["past"]["turn"], step["past"]["speaker"], step["digest"]) for step in kept]
            allowed = [key[:2] for key, step in zip(keys, kept, strict=True) if step["allowed"]]
            if len(set(keys)) < len(keys) or len(set(allowed)) < len(allowed):
                yield f"{garden.id}: a step happened twice"
