"""ReplyCheck: whether a first reply could be used as it came: in form, in the character's language, no echo of the
prompt, no copy of a line. A measure, beside the Director's own checks, which mend what they can."""

import json
import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from hakoniwa.director.checks.echo import LINE, bare_text, echo_in
from hakoniwa.gm.act import stage_direction
from hakoniwa.gm.options import possible_acts
from hakoniwa.gm.read import read
from hakoniwa.llm import Call
from hakoniwa.llm.reply import is_foreign
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import Value

Fault = Literal["none", "form", "language", "echo", "copy", "other"]
FAULTS: tuple[Fault, ...] = ("none", "form", "language", "echo", "copy", "other")
THINK = "actor.think"
ALIKE = 0.92
_MARKED = re.compile(r"[「『“\"（(]")
LEFTOVER = re.compile(r"```|^\s*[{\[]|[{}]|<[^>]*>", re.MULTILINE)
OFFERED = re.compile(r"^\d+ .*$", re.MULTILINE)  # a line of the list of what may be done and said
ENDED = re.compile(r"[。．.!?！？…‥」』”\"'’)）\]~〜—♪]\s*$")


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
    told = "\n".join(one.content for one in call.messages if one.role != "assistant")
    told = OFFERED.sub("", told)
    for known in sorted((*_acts_in_words(seen), *seen.lines), key=len, reverse=True):
        told = told.replace(known, "\n") if known else told
    return echo_in([parsed.speech or "", *parsed.directions, words], told, seen.world.language)


def _acts_in_words(seen: ReplyScene) -> list[str]:
    """What may be done now, in the words in which it may be played."""
    world = seen.world
    return [stage_direction(world, act, world.language) for act in possible_acts(world, seen.who)]


def _copy(words: str, seen: ReplyScene) -> str:
    """The earlier line that is said once more, alone or among others."""
    said, least = bare_text(read(words, seen.world, seen.who).speech or ""), LINE[seen.world.language]
    known = [one for one in seen.lines if len(bare_text(one)) >= least]
    return next((one for one in known if bare_text(one) in said or are_alike(said, bare_text(one))), "")


def are_alike(one: str, other: str) -> bool:
    return one == other or SequenceMatcher(None, one, other, autojunk=False).ratio() >= ALIKE


def evaluated_tokens(calls: Sequence[Call]) -> int | None:
    """The tokens a server had to work through: read and not remembered from before, and written."""
    counts = [one.usage for one in calls if one.usage.prompt is not None]
    if not counts:
        return None
    return sum((one.prompt or 0) - (one.cached or 0) + (one.completion or 0) for one in counts)
