"""Preferences: what the user likes and dislikes. Only what rests on an event in which they said so is confirmed."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypedDict

from hakoniwa.persona.generated import Generated, unseal
from hakoniwa.persona.records import Preference, Revision
from hakoniwa.persona.write_plan import PreferenceUpdate

MOST_PER_BUCKET = 6
DOMAINS: tuple[Literal["food", "topic", "style"], ...] = ("food", "topic", "style")
OPPOSITE: dict[str, Literal["like", "dislike"]] = {"like": "dislike", "dislike": "like"}

_Key = tuple[str, str, str]


class Liking(TypedDict):
    """One thing that is liked or disliked, and a word about it."""

    subject: str
    note: Generated | None


class LikingsByPolarity(TypedDict):
    like: list[Liking]
    dislike: list[Liking]


class ConfirmedPreferences(TypedDict):
    """What may be asserted of the user's likings."""

    food: LikingsByPolarity
    topic: LikingsByPolarity
    style: LikingsByPolarity


def confirmed_preferences(preferences: Iterable[Preference]) -> ConfirmedPreferences:
    """The confirmed ones, at most six of a kind: the surest first and, of equals, the newest."""
    sure = [one for one in preferences if one.status == "confirmed"][::-1]
    sure.sort(key=lambda one: -one.confidence)
    food, topic, style = (_bucket([one for one in sure if one.domain == domain]) for domain in DOMAINS)
    return {"food": food, "topic": topic, "style": style}


def _bucket(preferences: list[Preference]) -> LikingsByPolarity:
    likings: LikingsByPolarity = {"like": [], "dislike": []}
    for one in preferences:
        bucket = likings[one.polarity]
        if len(bucket) < MOST_PER_BUCKET:
            bucket.append({"subject": one.subject, "note": one.note})
    return likings


# --- how they change --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _PreferenceChange:
    """A preference between how it was and how it comes to be."""

    item: int
    before: Preference | None
    after: Preference
    reason: str = ""


def preference_revisions(
    updates: Sequence[PreferenceUpdate],
    existing: Mapping[int, Preference],
    evidence: tuple[int, ...],
    now: datetime,
) -> tuple[Revision, ...]:
    """What updates make of the preferences there are, as one revision each; nothing for what stays as it was."""
    standing = {key_of(one): _PreferenceChange(item, one, one) for item, one in existing.items()}
    for update in updates:
        _update(standing, update)
    stated = dict.fromkeys(one.evidence_event_id for one in updates if one.evidence_event_id)
    rests_on = tuple(dict.fromkeys((*stated, *evidence)))
    return tuple(_revision(one, rests_on, now) for one in standing.values() if one.after is not one.before)


def key_of(one: Preference | PreferenceUpdate, polarity: str | None = None) -> _Key:
    """What makes two preferences the same one, however wide or large its letters are written."""
    subject = unicodedata.normalize("NFKC", one.subject).casefold().strip()
    return one.domain, polarity or one.polarity, subject


def _update(standing: dict[_Key, _PreferenceChange], update: PreferenceUpdate) -> None:
    key, opposite = key_of(update), key_of(update, OPPOSITE[update.polarity])
    if update.op == "revoke":
        _revoke(standing, key, _reason(update, "revoked"))
        return
    stated = update.op == "confirm" and update.evidence_event_id > 0
    old = standing.get(key)
    new = _assert_preference(old.after if old else None, update, stated)
    reason = _reason(update, new.status)
    standing[key] = replace(old, after=new, reason=reason) if old else _PreferenceChange(0, None, new, reason)
    if stated:
        _revoke(standing, opposite, "opposite_stated")


def _assert_preference(old: Preference | None, update: PreferenceUpdate, stated: bool) -> Preference:
    """A preference that was stated, or that shows again; to be shown never makes it less than it was."""
    base = old or Preference(domain=update.domain, polarity=update.polarity, subject=update.subject)
    status = "confirmed" if stated or base.status == "confirmed" else "candidate"
    standing = old is not None and old.status != "revoked"
    confidence = max(update.confidence, base.confidence) if standing else update.confidence
    if old is not None and update.note is None and (old.status, old.confidence) == (status, confidence):
        return old
    note = base.note if update.note is None else update.note
    return base.model_copy(update={"status": status, "confidence": confidence, "note": note})


def _revoke(standing: dict[_Key, _PreferenceChange], key: _Key, reason: str) -> None:
    old = standing.get(key)
    if old is not None and old.after.status != "revoked":
        standing[key] = replace(old, after=old.after.model_copy(update={"status": "revoked"}), reason=reason)


def _reason(update: PreferenceUpdate, otherwise: str) -> str:
    return unseal(update.reason) if update.reason is not None else otherwise


def _revision(one: _PreferenceChange, evidence: tuple[int, ...], now: datetime) -> Revision:
    return Revision(
        item=one.item,
        kind="preference",
        before=one.before.model_dump(mode="json") if one.before else None,
        after=one.after.model_dump(mode="json"),
        reason=one.reason,
        evidence=evidence,
        at=now,
    )
