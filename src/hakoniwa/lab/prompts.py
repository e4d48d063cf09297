"""Prompts side by side: turns of a garden that was played are asked for once more, with other templates, and each first
reply is counted by the same rules: in form, in the character's language, no echo of the prompt, no copy of a line."""

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path
from statistics import mean
from typing import Any

from hakoniwa import prompts
from hakoniwa.app import journal_of, mind_of, model_of
from hakoniwa.app.doctor import rehearsed_turns
from hakoniwa.director.check import CheckInput
from hakoniwa.director.evaluate import run_checks
from hakoniwa.director.reply_check import FAULTS, ReplyCheck, ReplyScene, check_reply, evaluated_tokens
from hakoniwa.errors import UsageError
from hakoniwa.gm.read import read
from hakoniwa.journal import MAIN, Journal, Row
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.lab.axes import LINES, LineContext, five_axes
from hakoniwa.llm.find import ServerSearch
from hakoniwa.llm.ledger import Ledger
from hakoniwa.play.loop import lines_before, rehearse
from hakoniwa.play.session import Mind, Session
from hakoniwa.play.standing import turn_of
from hakoniwa.settings import Settings
from hakoniwa.stage.world import people_in
from hakoniwa.turn import FiveAxes, Value

SHIPPED = "shipped"


# --- contexts: turns of a garden, as they were when they began ----------------------------------------------------


def contexts_of(journal: Journal, garden: str, branch: str, count: int) -> list[int]:
    """The numbers of so many turns of characters, evenly over the whole garden."""
    turns = [row.event.turn for row in journal.lineage(garden, branch) if _is_own_turn(row)]
    if not turns:
        raise UsageError("lab.no-turns", garden=garden)
    step = max(1.0, len(turns) / count)
    return [turns[int(place * step)] for place in range(min(count, len(turns)))]


def _is_own_turn(row: Row) -> bool:
    return row.event.kind == "turn" and row.event.origin.startswith("actor:")


def session_before(journal: Journal, garden: str, branch: str, turn: int, mind: Mind) -> tuple[Session, str]:
    """A garden as it stood before a turn, in a journal of its own, and whose turn it was."""
    rows = journal.lineage(garden, branch)
    place = next(at for at, row in enumerate(rows) if row.event.kind == "turn" and row.event.turn == turn)
    copy, plot = MemoryJournal(), journal.garden(garden)
    copy.create(plot)
    copy.append(garden, MAIN, [row.event for row in rows[:place]], None)
    return Session(copy, plot, mind), turn_of(rows[place].event).speaker


# --- one variant over all contexts -----------------------------------------------------------------------------------


class VariantReply(Value):
    """What came of one context with one variant."""

    variant: str
    turn: int
    speaker: str
    check: ReplyCheck
    reply: str
    calls: int
    evaluated: int | None  # tokens that were read and not remembered, and those that were written
    seconds: float


class VariantJob(Value):
    """A folder of templates that stand in for the shipped ones, and the turns they are tried on."""

    variant: str
    folder: Path | None
    settings: Settings
    garden: str
    branch: str
    turns: tuple[int, ...]


def variants_of(folders: Sequence[Path]) -> list[tuple[str, Path | None]]:
    """The shipped prompts first, then each folder under its own name."""
    for one in folders:
        if not one.is_dir():
            raise UsageError("lab.no-templates", folder=str(one))
    return [(SHIPPED, None), *((one.resolve().name, one.resolve()) for one in folders)]


def compare(jobs: Sequence[VariantJob]) -> Iterator[list[VariantReply]]:
    """The replies to each variant. Each has a process of its own: templates that were read stay read."""
    for job in jobs:
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            yield pool.submit(try_variant, job).result()


def try_variant(job: VariantJob) -> list[VariantReply]:
    """Ask for every turn once, with the templates of one variant."""
    prompts.put_before(job.folder)
    with closing(journal_of(job.settings)) as journal:
        mind = mind_of(job.settings, model_of(job.settings))
        return asyncio.run(_ask_for_all(job, journal, mind))


async def _ask_for_all(job: VariantJob, journal: Journal, mind: Mind) -> list[VariantReply]:
    replies = []
    for turn in job.turns:
        session, who = session_before(journal, job.garden, job.branch, turn, mind)
        with closing(session):
            replies.append(await ask_once(job.variant, session, who, turn))
    return replies


async def ask_once(variant: str, session: Session, who: str, turn: int) -> VariantReply:
    """One turn up to its first performance, of which nothing is kept."""
    if not isinstance(getattr(session.mind, "model", None), Ledger):
        raise UsageError("lab.no-model", model=session.mind.name)
    _, thought, calls = await rehearse(session, who)
    as_data = thought is not None and thought.chosen is not None
    check = check_reply(calls, ReplyScene(session.world, who, lines_before(session)), as_data=as_data)
    seconds = round(sum(one.total_ms for one in calls) / 1000, 1)
    return VariantReply(
        variant=variant, turn=turn, speaker=who, check=check, reply="\n".join(one.reply for one in calls),
        calls=len(calls), evaluated=evaluated_tokens(calls), seconds=seconds,
    )  # fmt: skip


class VariantSummary(Value):
    """A variant in one line: how many replies, how many usable as they came, and how many have which fault."""

    variant: str
    replies: int
    usable: int
    faults: dict[str, int]
    calls: float
    evaluated: float | None
    seconds: float


def sum_up(variant: str, replies: Sequence[VariantReply]) -> VariantSummary:
    counts: list[Any] = [one.evaluated for one in replies if one.evaluated is not None]
    return VariantSummary(
        variant=variant,
        replies=len(replies),
        usable=sum(one.check.usable for one in replies),
        faults={name: sum(name in one.check.faults for one in replies) for name in FAULTS},
        calls=round(mean(one.calls for one in replies), 2),
        evaluated=round(mean(counts), 1) if counts else None,
        seconds=round(mean(one.seconds for one in replies), 1),
    )


# --- the score of a model --------------------------------------------------------------------------------------------

QUALITY_PROMPTS = 8


class QualityScore(Value):
    """A model on the fixed set of a language: of 100, and what the score is made of."""

    score: int
    replies: int
    usable: int
    axes: dict[str, float]  # means over the replies that could be used


def quality(settings: Settings, chosen: ServerSearch, language: str) -> QualityScore:
    """A reply that cannot be used counts nothing, another the mean of its five axes."""
    return asyncio.run(_quality(mind_of(settings, chosen), language))


async def _quality(mind: Mind, language: str) -> QualityScore:
    axes: list[dict[str, float]] = []
    async for one in rehearsed_turns(mind, language, QUALITY_PROMPTS):
        if one.check.usable and one.performance is not None:
            axes.append(_five_axes(one.session, one.who, one.performance.text).model_dump())
    means = {name: round(mean(one[name] for one in axes), 2) for name in (axes[0] if axes else {})}
    score = sum(mean(one.values()) for one in axes) / QUALITY_PROMPTS
    return QualityScore(score=round(100 * score), replies=QUALITY_PROMPTS, usable=len(axes), axes=means)


def _five_axes(session: Session, who: str, text: str) -> FiveAxes:
    world, turns = session.world, session.standing.turns
    company = [one for one in people_in(world, world.characters[who].location) if one != who]
    said = [turn.take.ruling.parsed.speech or "" for turn in turns]
    own = [words for turn, words in zip(turns, said, strict=True) if turn.speaker == who]
    line = CheckInput(who, session.cast[who], text, read(text, world, who), world.language, company, own)
    failed = {one.check for one in run_checks(line).findings}
    return five_axes(line, failed, LineContext(world, said[-LINES:] or [session.scenario.opening.text]))
