"""Prompts side by side: turns of a garden that was played are asked for once more, with other templates, and each first
reply is counted by the same rules: in form, in the character's language, no echo of the prompt, no copy of a line."""

import asyncio
import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from difflib import SequenceMatcher
from multiprocessing import get_context
from pathlib import Path
from statistics import mean
from typing import Any, Literal, NamedTuple

from hakoniwa import prompts
from hakoniwa.actor.mind import decide
from hakoniwa.app import journal_of, mind_of, model_of
from hakoniwa.errors import ModelError, UsageError
from hakoniwa.gm.act import stage_direction
from hakoniwa.gm.options import possible_acts
from hakoniwa.gm.read import read
from hakoniwa.journal import MAIN, Journal, Row
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm import Call
from hakoniwa.llm.ledger import Ledger
from hakoniwa.llm.reply import is_foreign
from hakoniwa.play.session import Mind, Session
from hakoniwa.play.standing import turn_of
from hakoniwa.settings import Settings
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import Value

Fault = Literal["none", "form", "language", "echo", "copy", "other"]
FAULTS: tuple[Fault, ...] = ("none", "form", "language", "echo", "copy", "other")
SHIPPED = "shipped"
THINK = "actor.think"
PLACEHOLDERS = frozenset(
    {"台詞", "セリフ", "行動", "しぐさ", "言葉", "考え", "番号", "words", "act", "gesture", "thought", "...", "…"}
)
RUN = {"ja": 16, "en": 40}  # characters in a row that nobody writes by chance, once the names are out of them
LINE = {"ja": 8, "en": 16}  # characters of a line that is more than a greeting
ALIKE = 0.92
_MARKED = re.compile(r"[「『“\"（(]")
LEFTOVER = re.compile(r"```|^\s*[{\[]|[{}]|<[^>]*>", re.MULTILINE)
ENDED = re.compile(r"[。．.!?！？…‥」』”\"'’)）\]~〜—♪]\s*$")


# --- the rules: one first reply --------------------------------------------------------------------------------------


class ReplyScene(NamedTuple):
    """What a reply is held against: the world, who speaks, and every line they could copy."""

    world: WorldState
    who: str
    lines: Sequence[str]


class ReplyCheck(Value):
    """A first reply by the rules: the words in it, and what is wrong with them; nothing, if they can be used as they
    came."""

    words: str
    faults: tuple[Fault, ...] = ()
    found: str = ""  # the run that was echoed, or the line that was copied

    @property
    def usable(self) -> bool:
        return not self.faults


def check_reply(calls: Sequence[Call], seen: ReplyScene, *, as_data: bool = False) -> ReplyCheck:
    """The first reply of a turn; `as_data`: its acts came as data, so that the words may stand by themselves."""
    call = next((one for one in calls if one.purpose != THINK), calls[-1] if calls else None)
    words, structured = written_words(call.reply) if call else ("", False)
    if call is None or not words:  # where acts come as data, nothing need be said
        return ReplyCheck(words="", faults=() if call and not call.fault and (structured or as_data) else ("none",))
    echoed, copied = _echo(words, call, seen), _copy(words, seen)
    wrong: dict[Fault, bool] = {
        "form": _out_of_form(words, call, seen, plain=structured or as_data),
        "language": is_foreign(words, seen.world.language, seen.world.characters),
        "echo": bool(echoed),
        "copy": bool(copied),
        "other": bool(other_people_in(words, seen)),
    }
    return ReplyCheck(words=words, faults=tuple(name for name, found in wrong.items() if found), found=echoed or copied)


def written_words(reply: str) -> tuple[str, bool]:
    """The words of a reply, and whether they stood in an object of their own."""
    try:
        data = json.loads(reply)
    except ValueError:
        return reply.strip(), False
    words = data.get("words") if isinstance(data, dict) else None
    return (words.strip(), True) if isinstance(words, str) else (reply.strip(), False)


def _out_of_form(words: str, call: Call, seen: ReplyScene, *, plain: bool) -> bool:
    """Whether somebody would have to mend it: signs that are no part of a play, others' lines, half a sentence."""
    parsed = read(words, seen.world, seen.who)
    said = parsed.speech is not None or bool(parsed.directions)
    broken = parsed.format_break is not None or bool(LEFTOVER.search(words)) or _speaks_for_others(words, seen)
    cut = call.usage.finish == "length" and not ENDED.search(words)
    return not said or broken or cut or not (plain or _MARKED.search(words))


def _speaks_for_others(words: str, seen: ReplyScene) -> bool:
    """Whether there is a line that begins with the name of another, as in a script."""
    others = "|".join(re.escape(one) for one in seen.world.characters if one != seen.who)
    return bool(others and re.search(rf"^\W*(?:{others})\s*[:：「\"]", words, re.MULTILINE))


def other_people_in(words: str, seen: ReplyScene) -> list[str]:
    """The stage directions that tell what another person does."""
    found = read(words, seen.world, seen.who).directions
    others = [re.escape(one) for one in seen.world.characters if one != seen.who]
    if not others:
        return []
    subject = re.compile(rf"^\W*(?:{'|'.join(others)})(?:さん|ちゃん|くん)?(?:は|が|も|、|\s+(?!and\b)[a-z]+s\b)")
    return [one for one in found if subject.search(one)]


def _echo(words: str, call: Call, seen: ReplyScene) -> str:
    """A placeholder that is spoken, or a long run of what the model was told to do."""
    parsed = read(words, seen.world, seen.who)
    bare = {_bare(one) for one in (parsed.speech or "", *parsed.directions)}
    if spoken := bare & PLACEHOLDERS:
        return sorted(spoken)[0]
    told = "\n".join(one.content for one in call.messages if one.role != "assistant")
    for known in sorted((*_acts_in_words(seen), *seen.lines), key=len, reverse=True):
        told = told.replace(known, "\n") if known else told
    run = longest_run(words, told)
    return run if len(run) >= RUN[seen.world.language] else ""


def _acts_in_words(seen: ReplyScene) -> list[str]:
    """What may be done now, in the words in which it may be played."""
    world = seen.world
    return [stage_direction(world, act, world.language) for act in possible_acts(world, seen.who)]


def longest_run(words: str, told: str) -> str:
    """The longest stretch of a reply that stands in the prompt as well."""
    best = ""
    for line in filter(None, words.splitlines()):
        for start in range(len(line)):
            while line[start : start + len(best) + 1] in told and start + len(best) < len(line):
                best = line[start : start + len(best) + 1]
    return best.strip()


def _copy(words: str, seen: ReplyScene) -> str:
    """The earlier line that is said once more, alone or among others."""
    said, least = _bare(read(words, seen.world, seen.who).speech or ""), LINE[seen.world.language]
    known = [one for one in seen.lines if len(_bare(one)) >= least]
    return next((one for one in known if _bare(one) in said or are_alike(said, _bare(one))), "")


def are_alike(one: str, other: str) -> bool:
    return one == other or SequenceMatcher(None, one, other, autojunk=False).ratio() >= ALIKE


def _bare(text: str) -> str:
    """A text without signs at its ends, however it is written."""
    return unicodedata.normalize("NFKC", text).strip(" 　「」『』“”\"'()。、.,!?…[]").casefold()


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


def lines_before(session: Session) -> list[str]:
    """Every line that has been said, and the examples of the sheets."""
    said = [turn.take.ruling.parsed.speech or "" for turn in session.turns()]
    examples = [line for one in session.cast.values() for line in one.examples]
    return [one for one in (session.scenario.opening.text, *said, *examples) if one]


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
    """One turn, thought and performed, of which nothing is kept."""
    calls: list[Call] = []
    model = getattr(session.mind, "model", None)
    if not isinstance(model, Ledger):
        raise UsageError("lab.no-model", model=session.mind.name)

    async def keep(_: str, call: Call) -> None:
        calls.append(call)

    model.record, model.reuse, model.language = keep, None, session.scenario.language
    view = session.view(who)
    decision = decide(view, session.standing.minds[who])
    as_data = False
    try:
        thought = await session.mind.think(view, decision)
        as_data = thought.chosen is not None
        await session.mind.perform(view, decision, thought)
    except ModelError:
        pass  # it is counted by what is in the calls
    seconds = round(sum(one.total_ms for one in calls) / 1000, 1)
    check = check_reply(calls, ReplyScene(session.world, who, lines_before(session)), as_data=as_data)
    return VariantReply(
        variant=variant, turn=turn, speaker=who, check=check, reply="\n".join(one.reply for one in calls),
        calls=len(calls), evaluated=evaluated_tokens(calls), seconds=seconds,
    )  # fmt: skip


def evaluated_tokens(calls: Sequence[Call]) -> int | None:
    """The tokens a server had to work through: read and not remembered from before, and written."""
    counts = [one.usage for one in calls if one.usage.prompt is not None]
    if not counts:
        return None
    return sum((one.prompt or 0) - (one.cached or 0) + (one.completion or 0) for one in counts)


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
