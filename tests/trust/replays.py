"""Gardens played to be played again: by the built-in mind, or by a model whose replies follow from what it is asked.

As a program it plays the gardens that are named on its standard input, in a new file, and prints what came of each. If
it is given the address of a journal it plays them there, as somebody else might: the last one first, so that no row,
Ghost or memory has the number it has here, under other names, and years later."""

import asyncio
import hashlib
import json
import os
import random
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any, NamedTuple

from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.actor.language import LanguageMind
from hakoniwa.app.chats import ghosts_of
from hakoniwa.journal import GardenRecord
from hakoniwa.journal.open import open_journal
from hakoniwa.llm import ChatModel, Message, Usage
from hakoniwa.play import order
from hakoniwa.play.export import to_jsonl
from hakoniwa.play.ghosts import GardenGhosts
from hakoniwa.play.loop import next_turn
from hakoniwa.play.session import Session
from hakoniwa.play.standing import GardenState
from hakoniwa.settings import Settings
from hakoniwa.stage.world import WorldState
from tests.gardens import FREE, shipped_garden
from tests.trust.scratch import scratch

SCENARIOS = ("three_voices", "kitchen_morning", "mansion", "tea_room", "detective_office")
TURNS, TURNS_BUILT_IN = 3, 9
YEARS = timedelta(days=4321, hours=5)
MUTANT = "TRUST_MUTANT"
LINES = (
    "（窓の外を見る）「静かだね」", "「ねえ、さっきの話の続きは？」", "（テーブルに手を置く）「そうかな」[Next: NOX]",
    "Thought: 迷う。\nOutput: （頷く）「行ってみよう」", "（椅子に座る）「少し休もう」", "（居間へ行く）「あとで」",
    "(GET: マグカップ)「借りるよ」", "（コーヒーメーカーのスイッチを入れる）「飲む人は？」", "「……」",
    "*looks around* 「誰かいるの？」", "（鍵を探す）「どこかにあるはず」", "（宝箱を開ける）「開いた！」",
)  # fmt: skip


SAID = (  # so much that not all of it stays in a prompt, and much that comes to mind again
    "みんな、そこで何をしているの？",
    "窓の外は雨だね。テーブルのマグカップは、椅子に座っていた人のものかな。コーヒーメーカーのスイッチは？" * 5,
    "鍵を探すなら居間だよ。宝箱を開ける話の続きは、少し休もうと言った人に聞いてみよう。頷いたのは誰？" * 5,
)


class Spec(NamedTuple):
    """Which garden: its scenario, its seed, and whether a model plays it."""

    scenario: str
    seed: int
    model: bool


class Echo(ChatModel):
    """Says what follows from every sign of what it is asked: a prompt that differs in one gets another reply.

    It has so little room that all but what was said last has to be remembered."""

    name, context = "echo", 1

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


def played(url: str, specs: Sequence[Spec], home: Path) -> list[str]:
    """The canonical export of every garden, in short."""
    with closing(open_journal(url)) as journal:
        return [asyncio.run(_played(journal, str(number), spec, home)) for number, spec in enumerate(specs)]


def played_elsewhere(url: str, specs: Sequence[Spec], home: Path) -> list[str]:
    """The same gardens, as somebody else plays them."""
    _live_later()
    with closing(open_journal(url)) as journal:
        numbers = range(len(specs), 0, -1)
        found = [asyncio.run(_played(journal, f"garden-{one}", specs[one - 1], home)) for one in numbers]
    return found[::-1]


class Later(datetime):
    """What the time is, years later."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> "Later":
        return super().now(tz) + YEARS


def _live_later() -> None:
    """Have this process, for good, take the time for a later one."""
    for name, module in [*sys.modules.items()]:
        if name.partition(".")[0] in ("hakoniwa", "__main__") and vars(module).get("datetime") is datetime:
            module.datetime = Later  # type: ignore[attr-defined]


async def _played(journal: Any, name: str, spec: Spec, home: Path) -> str:
    mind = LanguageMind(Echo(), FREE) if spec.model else BuiltinMind()
    session = Session(journal, _garden(journal, name, spec), mind)
    if spec.model:
        settings = Settings(home=home, embedder="none")
        session.ghosts = await asyncio.to_thread(ghosts_of, session, settings)
    await session.open()
    for words in SAID:
        await session.say(words)
    for _ in range(TURNS if spec.model else TURNS_BUILT_IN):
        if session.standing.ended is None:
            await next_turn(session)
    await session.undo()
    await next_turn(session)
    exported = to_jsonl(session)
    session.close()
    return hashlib.sha256(exported.encode()).hexdigest()


def _garden(journal: Any, name: str, spec: Spec) -> GardenRecord:
    garden = shipped_garden(spec.scenario, spec.seed).model_copy(update={"id": name})
    journal.create(garden)
    return garden


# --- mutants: put in by a variable, for it is another process that plays ---------------------------------------------


def _through_a_set() -> None:
    def present(world: WorldState, room: str) -> list[str]:
        return list({name for name, figure in world.characters.items() if figure.location == room})

    def in_scene(session: Session, world: WorldState, speaker: str, asked: Any, names: Any) -> str:
        session.cast = {who: session.cast[who] for who in set(session.cast)}
        return honest(session, world, speaker, asked, list(set(names)))

    honest = order._next_in_scene
    order.people_in, order._next_in_scene = present, in_scene


def _by_the_calendar() -> None:
    """Dice fall otherwise on another day."""

    def dice(self: GardenState, seed: int, *purpose: object) -> random.Random:
        return honest(self, seed, f"{datetime.now(UTC):%F}", *purpose)

    honest = GardenState.dice
    GardenState.dice = dice  # type: ignore[method-assign]


def _numbered() -> None:
    """What comes to mind comes with the number of its row."""

    async def recalled(self: GardenGhosts, who: str) -> list[tuple[int, str]]:
        return [(seq, f"{seq}. {text}") for seq, text in await honest(self, who)]

    honest = GardenGhosts.recalled
    GardenGhosts.recalled = recalled  # type: ignore[method-assign]


MUTANTS: dict[str, Callable[[], None]] = {
    "a set is gone through": _through_a_set,
    "dice know the date": _by_the_calendar,
    "memories are told with their numbers": _numbered,
}


def main() -> None:
    if name := os.environ.get(MUTANT):
        MUTANTS[name]()
    wanted = [Spec(*one) for one in json.load(sys.stdin)]
    with scratch() as folder:
        if urls := sys.argv[1:]:
            json.dump(played_elsewhere(urls[0], wanted, folder), sys.stdout)
        else:
            json.dump(played(f"sqlite:///{folder}/journal.db", wanted, folder), sys.stdout)


if __name__ == "__main__":
    main()
