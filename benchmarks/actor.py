"""An actor on a language model: calls, prompts and CPU with one that takes no time, cache and acts with a real one.

The real one is Gemma 3 270M behind llama.cpp. Its cache has two figures, by the server's own count from the third turn
on: the share of the tokens before a turn's tail that it did not have to read again, and the plain share of all tokens.
It is a base model, which does not act unless it is led to: where acts count, they begin with a few words given to it.
`make bench ARGS=actor TURNS=30` plays fewer turns than the usual 200.
"""

import asyncio
import json
import logging
import os
import statistics
import time
import urllib.request
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

from hakoniwa.actor.language import Acts, LanguageMind
from hakoniwa.app import scenario_at
from hakoniwa.director.check import Line
from hakoniwa.director.evaluate import Director, DirectorMinimal
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm import Call, ChatModel, Message
from hakoniwa.llm.ledger import Ledger
from hakoniwa.play.loop import next_turn
from hakoniwa.play.session import Session
from hakoniwa.turn import Evaluation
from tests.actor.chatter import Chatter
from tests.gardens import shipped_garden

try:
    from hakoniwa.llm.openai import OpenAIChat
    from tests.real.gemma import NAME, gemma
    from tests.real.plays import LEADS, Brief, Played, rates, watched
except ImportError:
    gemma = None

ACTS: tuple[Acts, ...] = ("free", "choose")
GARDEN, CONTEXT = "kitchen_morning", 4096
GROWN, ROUNDS = 100, 5
THINK, PERFORM = 40, 50  # what a chat model takes for a sentence or two, and for a line with an act
SHORT = (8, 14)
WARM, CACHED_TURNS = 2, 12
TURNS = int(os.environ.get("TURNS", "200"))
SERVERS: dict[str, dict[str, Any]] = {
    "one slot, no host cache": {"slots": 1, "host_cache": False},
    "the server's defaults": {},
    "two slots": {"slots": 2, "context": 2 * CONTEXT},
}
TAILS = ("\n\n【いま】\n", "\n\n[Now]\n")


class Lenient(Director):
    """Lets everything pass, so that no turn has a retake for its form."""

    async def evaluate(self, line: Line) -> Evaluation:
        return Evaluation()


def played_on(model: ChatModel, name: str, acts: Acts, director: Director | None = None) -> Session:
    journal = MemoryJournal()
    journal.create(garden := shipped_garden(name, 1))
    session = Session(journal, garden, LanguageMind(Ledger(model), acts))
    session.director = director or DirectorMinimal()
    return session


# --- with a model that takes no time ---------------------------------------------------------------------------------


def letters(messages: Sequence[Message]) -> int:
    return sum(len(one.content) for one in messages)


async def costs(acts: Acts, turns: int = GROWN) -> tuple[list[float], Chatter]:
    """CPU milliseconds of each turn of a garden, and the model with all that it was asked."""
    model = Chatter(scenario_at(GARDEN)[0].language, CONTEXT)
    session = played_on(model, GARDEN, acts)
    await session.open()
    seen = []
    for _ in range(turns):
        began = time.process_time()
        await next_turn(session)
        seen.append((time.process_time() - began) * 1e3)
    session.close()
    return seen, model


def without_waiting(acts: Acts) -> None:
    asyncio.run(costs(acts))  # what is loaded once is no part of a turn
    rounds = [asyncio.run(costs(acts)) for _ in range(ROUNDS)]
    best = min(statistics.median(seen) for seen, _ in rounds)
    calls = rounds[0][1].calls
    asked = [letters(messages) for purpose, messages in calls if purpose == "actor.think"]
    sizes = ", ".join(f"{asked[turn - 1]:,} at turn {turn}" for turn in (1, 50, 100))
    print(f"  acts {acts}: {len(calls) / GROWN:.2f} calls a turn, {best:.1f} ms CPU a turn (target: 5.0)")
    print(f"    prompt: {sizes} characters, {max(asked):,} at most: {max(asked) / asked[0]:.2f} × (target: 2.00 ×)")


# --- what a real server's cache serves -------------------------------------------------------------------------------


class Share(NamedTuple):
    """Tokens that were asked for and came from the cache, before the tail and in all."""

    before: int = 0
    before_cached: int = 0
    tokens: int = 0
    cached: int = 0

    def __str__(self) -> str:
        before, plain = self.before_cached / max(self.before, 1), self.cached / max(self.tokens, 1)
        return f"{before:6.1%} of the tokens before the tail, {plain:6.1%} of all"


def tokens_in(url: str, text: str) -> int:
    body = json.dumps({"content": text, "add_special": True, "parse_special": True}).encode()
    request = urllib.request.Request(f"{url.removesuffix('/v1')}/tokenize", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return len(json.load(answer)["tokens"])


def before_tail(call: Call) -> str:
    """A prompt as the model reads it, up to where the turn's own part begins."""
    text = call.messages[0].content
    return "<start_of_turn>user\n" + text[: max(text.rfind(mark) for mark in TAILS)]


def share(url: str, played: Sequence["Played"]) -> Share:
    total = Share()
    for call in (call for one in played[WARM:] for call in one.calls):
        if call.usage.prompt is None or call.usage.cached is None:
            continue
        before = tokens_in(url, before_tail(call))
        cached = call.usage.cached
        new = (before, min(before, cached), call.usage.prompt, cached)
        total = Share(*(one + more for one, more in zip(total, new, strict=True)))
    return total


def cache(server: str, acts: Acts, director: Director) -> Share:
    with gemma(**{"context": CONTEXT, **SERVERS[server]}) as url:
        model = Brief(OpenAIChat(NAME, url, context=CONTEXT), THINK, PERFORM)
        played = asyncio.run(watched(played_on(model, GARDEN, acts, director), CACHED_TURNS))
        return share(url, played)


def served() -> None:
    for server in SERVERS:
        for acts in ACTS:
            print(f"  {server}, acts {acts}: {cache(server, acts, Lenient())} (target: 95 %)", flush=True)
            print(f"    with the retakes of this model: {cache(server, acts, DirectorMinimal())}", flush=True)


# --- how acts fare on a real model -----------------------------------------------------------------------------------


def fared(acts: Acts) -> Iterator[str]:
    for name in ("kitchen_morning", "tea_room"):
        language = scenario_at(name)[0].language
        with gemma(CONTEXT) as url:
            model = Brief(OpenAIChat(NAME, url, context=CONTEXT), *SHORT, LEADS[language])
            played = asyncio.run(watched(played_on(model, name, acts), TURNS // 2))
        unseen = [name for one in played for name in one.out_of_sight]
        yield f"  acts {acts}, {name}: {rates(played)}; acts on what is out of sight {len(unseen)} (target: 0)"


def main() -> None:
    logging.disable(logging.WARNING)
    print(f"  {GARDEN}, {GROWN} turns, a model that takes no time")
    for acts in ACTS:
        without_waiting(acts)
    if gemma is None or find_spec("xllamacpp") is None:
        print("  no real model: xllamacpp and its weights are not installed (make test installs them)")
        return
    print(f"  {GARDEN}, {CACHED_TURNS} turns, Gemma 3 270M", flush=True)
    served()
    print(f"  {TURNS} turns each, Gemma 3 270M, led to act", flush=True)
    for acts in ACTS:
        for line in fared(acts):
            print(line, flush=True)


if __name__ == "__main__":
    main()
