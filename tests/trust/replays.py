"""Gardens played to be played again: by the built-in mind, or by a model whose replies follow from what it is asked.

As a program it plays the gardens that are named on its standard input, in the journal whose address it is given or else
in a new file, and prints what came of each."""

import asyncio
import hashlib
import json
import os
import random
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.actor.language import LanguageMind
from hakoniwa.app.chats import ghosts_of
from hakoniwa.journal import Garden
from hakoniwa.journal.open import open_journal
from hakoniwa.llm import ChatModel, Message, Usage
from hakoniwa.play import order
from hakoniwa.play.export import to_jsonl
from hakoniwa.play.loop import next_turn
from hakoniwa.play.session import Session
from hakoniwa.settings import Settings
from hakoniwa.stage.world import WorldState
from tests.gardens import shipped_garden
from tests.trust.scratch import scratch

SCENARIOS = ("three_voices", "kitchen_morning", "mansion", "tea_room", "detective_office")
TURNS, TURNS_BUILT_IN = 3, 9
MUTANT = "TRUST_MUTANT"
LINES = (
    "（窓の外を見る）「静かだね」", "「ねえ、さっきの話の続きは？」", "（テーブルに手を置く）「そうかな」[Next: NOX]",
    "Thought: 迷う。\nOutput: （頷く）「行ってみよう」", "（椅子に座る）「少し休もう」", "（居間へ行く）「あとで」",
    "(GET: マグカップ)「借りるよ」", "（コーヒーメーカーのスイッチを入れる）「飲む人は？」", "「……」",
    "*looks around* 「誰かいるの？」", "（鍵を探す）「どこかにあるはず」", "（宝箱を開ける）「開いた！」",
)  # fmt: skip


class Spec(NamedTuple):
    """Which garden: its scenario, its seed, and whether a model plays it."""

    scenario: str
    seed: int
    model: bool


class Echo(ChatModel):
    """Says what follows from every sign of what it is asked: a prompt that differs in one gets another reply."""

    name, context = "echo", 0

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str | Usage]:
        asked = purpose + "".join(f"\0{one.role}\0{one.content}" for one in messages)
        number = int.from_bytes(hashlib.sha256(asked.encode()).digest()[:4])
        yield LINES[number % len(LINES)]
        yield Usage(finish="stop")


def specs(count: int, seed: int) -> list[Spec]:
    chance, places = random.Random(seed), len(SCENARIOS)
    return [Spec(SCENARIOS[one // 2 % places], chance.randrange(2**31), one % 2 == 0) for one in range(count)]


def played(url: str, specs: Iterable[Spec], home: Path) -> list[str]:
    """The canonical export of every garden, in short."""
    with closing(open_journal(url)) as journal:
        return [asyncio.run(_played(journal, number, spec, home)) for number, spec in enumerate(specs)]


async def _played(journal: Any, number: int, spec: Spec, home: Path) -> str:
    session = Session(journal, _garden(journal, number, spec), LanguageMind(Echo()) if spec.model else BuiltinMind())
    if spec.model:
        settings = Settings(home=home, embedder="none")
        session.ghosts = await asyncio.to_thread(ghosts_of, session, settings)
    await session.open()
    await session.say("みんな、そこで何をしているの？")
    for _ in range(TURNS if spec.model else TURNS_BUILT_IN):
        if session.standing.ended is None:
            await next_turn(session)
    await session.undo()
    await next_turn(session)
    exported = to_jsonl(session)
    session.close()
    return hashlib.sha256(exported.encode()).hexdigest()


def _garden(journal: Any, number: int, spec: Spec) -> Garden:
    garden = shipped_garden(spec.scenario, spec.seed).model_copy(update={"id": f"{number}"})
    journal.create(garden)
    return garden


# --- mutants: put in by a variable, for it is another process that plays ---------------------------------------------


def _through_a_set() -> None:
    def present(world: WorldState, room: str) -> list[str]:
        return list({name for name, figure in world.characters.items() if figure.location == room})

    def members(session: Session, here: Any) -> Any:
        session.cast = {who: session.cast[who] for who in set(session.cast)}
        return honest(session, here)

    honest = order.members
    order.present, order.members = present, members


MUTANTS: dict[str, Callable[[], None]] = {"a set is gone through": _through_a_set}


def main() -> None:
    if name := os.environ.get(MUTANT):
        MUTANTS[name]()
    wanted = [Spec(*one) for one in json.load(sys.stdin)]
    with scratch() as folder:
        url, *_ = [*sys.argv[1:], f"sqlite:///{folder}/journal.db"]
        json.dump(played(url, wanted, folder), sys.stdout)


if __name__ == "__main__":
    main()
