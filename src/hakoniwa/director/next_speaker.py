"""Who speaks next: the last tag that names a member decides; otherwise the policy does. Linear, and it never raises."""

import json
import logging
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from random import Random
from typing import Annotated, Any, ClassVar, Literal, TypedDict

from pydantic import ConfigDict, Field

from hakoniwa.stage.names import nfkc
from hakoniwa.stage.scenario import Speakers
from hakoniwa.turn import Turn, Value

log = logging.getLogger("hakoniwa.operation")
_THINK = re.compile(r"<\s*+(/?)\s*+(?:think|thought|thinking)\s*+>", re.IGNORECASE)
_QUOTE = re.compile(r"[「」『』]")
_TAG = re.compile(r"\[\s*+next\s*+:([^\[\]]{0,200})\]", re.IGNORECASE)
_CONTROL = re.compile(r'\{\s*+"(?:type|next)"\s*+:', re.IGNORECASE)
_TRIM = " @#*_\t\r\n\"'`“”‘’()（）「」『』<>、。,.!！?？:;・~〜"
_REMARK = re.compile(r"\([^()]*\)")
_HONORIFICS = ("さん", "様", "ちゃん", "君", "くん", "さま", "先輩", "殿", "氏")
_TO_HIRAGANA = {code: code - 0x60 for code in range(ord("ァ"), ord("ヶ") + 1)}
_LONGEST_CONTROL, _MOST_TAGS = 1000, 16


@dataclass
class NextPolicy:
    """What happens when nobody valid is named."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    allow_self_nomination: bool = False
    fallback: Literal["round_robin", "random"] = "round_robin"
    fuzzy_threshold: Annotated[float, Field(ge=0, le=1)] = 0.85


@dataclass
class CharacterRegistry:
    """The members in order: `internal_id`, `display_name`, `short_name`, perhaps `aliases`.

    A `hidden` member never speaks; an `absent` one cannot be named, but has their turn.
    """

    members: Sequence[dict[str, Any]]


class Resolved(TypedDict):
    """The decision: who, why, and what it was read from."""

    next_id: str | None
    reason: str
    extracted: str
    normalized: str


def resolve_next_speaker(
    response_text: str,
    current_id: str,
    registry: CharacterRegistry,
    policy: NextPolicy,
    dice: Random | None = None,
) -> Resolved:
    """The member who speaks next. Only the text of the current speaker's own reply is asked."""
    members = [one for one in registry.members if not one.get("hidden") and one.get("internal_id")]
    try:
        found = _find_nomination(response_text, current_id, members, policy)
    except Exception:
        log.exception("next speaker: reading failed, going on by policy")
        found = Resolved(next_id=None, reason="none", extracted="", normalized="")
    if found["next_id"] is None:
        found = _choose_by_policy(found, current_id, members, policy, dice)
    _log(found, policy)
    return found


class Operation(Value):
    """A decision as the `operation` log has it, with the policy it was made by."""

    extracted_raw: str
    normalized: str
    matched_id: str | None
    reason: str
    policy: NextPolicy


def operation_of(turn: Turn, speakers: Speakers) -> Operation:
    """The `operation` entry of a turn that was played in a garden with this policy."""
    raw = turn.next_tag
    return Operation(
        extracted_raw=raw, normalized=normalized(raw), matched_id=turn.next_speaker, reason=turn.next_reason,
        policy=policy_of(speakers),
    )  # fmt: skip


def policy_of(speakers: Speakers) -> NextPolicy:
    """The policy of a garden."""
    return NextPolicy(speakers.allow_self_nomination, speakers.policy, speakers.fuzzy_threshold)


def _log(found: Resolved, policy: NextPolicy) -> None:
    entry = Operation(
        extracted_raw=found["extracted"], normalized=found["normalized"], matched_id=found["next_id"],
        reason=found["reason"], policy=policy,
    )  # fmt: skip
    log.log(
        logging.WARNING if found["next_id"] is None else logging.INFO,
        "extracted_raw=%(extracted_raw)r normalized=%(normalized)r matched_id=%(matched_id)r reason=%(reason)s",
        entry.model_dump(),
    )


def _find_nomination(text: str, current: str, members: Sequence[dict[str, Any]], policy: NextPolicy) -> Resolved:
    """The last nomination that names a member; a control message goes before any tag."""
    spoken = _without_thought(unicodedata.normalize("NFKC", text))
    quoted = _quotations(spoken)
    first, nominations = "", [*_controls(spoken, quoted), *reversed(_tags(spoken, quoted))]
    names = MemberNames([one for one in members if nominations and not one.get("absent")])
    for raw in nominations:
        first = first or raw
        if member := names.match(raw, policy.fuzzy_threshold):
            who, reason = member
            refused = who == current and not policy.allow_self_nomination
            return Resolved(
                next_id=None if refused else who, reason=reason, extracted=raw.strip(), normalized=normalized(raw)
            )
    return Resolved(next_id=None, reason="none", extracted=first.strip(), normalized=normalized(first))


def nominations(text: str) -> list[str]:
    """The tags of a reply that name who is next, as they stand in it."""
    return [tag[0] for tag in _TAG.finditer(text)]


def _without_thought(text: str) -> str:
    """Everything outside thoughts; one that is never closed swallows the rest."""
    kept, depth, last = [], 0, 0
    for mark in _THINK.finditer(text):
        if depth == 0:
            kept.append(text[last : mark.start()])
        depth = max(0, depth - 1) if mark[1] else depth + 1
        last = mark.end()
    return "".join([*kept, text[last:] if depth == 0 else ""])


def _tags(text: str, quoted: Sequence[tuple[int, int]]) -> list[str]:
    """The tags outside quotation marks, each spelling once and at its last place; only the newest few count."""
    found: dict[str, None] = {}
    for tag in _TAG.finditer(text):
        if not _within(tag.start(), quoted):
            found.pop(tag[1], None)
            found[tag[1]] = None
    return list(found)[-_MOST_TAGS:]


def _quotations(text: str) -> list[tuple[int, int]]:
    """Where the outermost 「」 and 『』 stand; one that never closes quotes nothing."""
    found, depth, opened = [], 0, 0
    for mark in _QUOTE.finditer(text):
        if mark[0] in "「『":
            opened = opened if depth else mark.start()
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                found.append((opened, mark.end()))
    return found


def _within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    before = bisect_right(spans, place, key=lambda span: span[0])
    return before > 0 and place < spans[before - 1][1]


def _controls(text: str, quoted: Sequence[tuple[int, int]]) -> Iterator[str]:
    """The `next` of control messages outside quotation marks, newest first."""
    starts = [found.start() for found in _CONTROL.finditer(text) if not _within(found.start(), quoted)]
    for start in reversed(starts[-_MOST_TAGS:]):
        try:
            message, _ = json.JSONDecoder().raw_decode(text[start : start + _LONGEST_CONTROL])
        except (ValueError, RecursionError):
            continue
        if message.get("type") == "control" and isinstance(message.get("next"), str):
            yield message["next"]


def normalized(raw: str) -> str:
    """A name as it is compared: one width, no quotes, brackets, punctuation or honorific, upper case."""
    name = nfkc(raw).strip(_TRIM)
    for honorific in _HONORIFICS:
        if name.endswith(honorific) and len(name) > len(honorific):
            name = name.removesuffix(honorific)
            break
    return name.strip(_TRIM).upper()


def _names_of(members: Sequence[dict[str, Any]], key: str) -> Iterator[tuple[str, str]]:
    """Every normalized name of one kind with the member who bears it."""
    for member in members:
        value = member.get(key) or ()
        for name in [value] if isinstance(value, str) else value:
            if form := normalized(name):
                yield form, member["internal_id"]


class MemberNames:
    """The names of the members: ids before display names before short names before aliases."""

    def __init__(self, members: Sequence[dict[str, Any]]) -> None:
        self.tables: list[dict[str, str | None]] = []
        for key in ("internal_id", "display_name", "short_name", "aliases"):
            table: dict[str, str | None] = {}
            for form, who in _names_of(members, key):
                table[form] = who if table.get(form, who) == who else None
            self.tables.append(table)

    def match(self, raw: str, threshold: float) -> tuple[str, str] | None:
        """The member a name means and whether it was spelled right; a name that two share decides nothing."""
        name = normalized(raw)
        if not name:
            return None
        for form in dict.fromkeys((name, normalized(_REMARK.sub("", raw)))):
            for table in self.tables:
                if form in table:
                    who = table[form]
                    return (who, "tag") if who else None
        if who := self._in_other_kana(name):
            return who, "tag"
        known = {form: who for table in reversed(self.tables) for form, who in table.items() if who and len(form) > 1}
        close = get_close_matches(name, list(known), n=1, cutoff=threshold) if len(name) > 1 else []
        return (known[close[0]] or "", "fuzzy") if close else None

    def _in_other_kana(self, name: str) -> str | None:
        """The one member whose name is this, but for hiragana and katakana; one character is no name to go by."""
        sound = name.translate(_TO_HIRAGANA)
        for table in self.tables:
            found = {who for form, who in table.items() if len(name) > 1 and form.translate(_TO_HIRAGANA) == sound}
            if found:
                return found.pop() if len(found) == 1 else None
        return None


def _choose_by_policy(
    found: Resolved, current: str, members: Sequence[dict[str, Any]], policy: NextPolicy, dice: Random | None
) -> Resolved:
    """Round robin in the order of the registry, or at random; never the speaker themselves."""
    ids = [member["internal_id"] for member in members]
    others = [one for one in ids if one != current]
    if not others:
        return Resolved(next_id=None, reason="none", extracted=found["extracted"], normalized=found["normalized"])
    if policy.fallback == "random":
        who = (dice or Random()).choice(others)
    else:
        who = ids[(ids.index(current) + 1) % len(ids)] if current in ids else ids[0]
    return Resolved(next_id=who, reason=policy.fallback, extracted=found["extracted"], normalized=found["normalized"])
