"""Whose turn is next: a nomination that names someone here, else round the whole cast."""

from collections.abc import Iterable
from typing import Any

from hakoniwa.director.direct import Cut
from hakoniwa.director.next_speaker import CharacterRegistry, NextPolicy, Resolved, resolve_next_speaker
from hakoniwa.play.session import Session
from hakoniwa.stage.patch import apply
from hakoniwa.stage.world import present


def following(session: Session, speaker: str, cut: Cut) -> Resolved:
    """The next speaker, by what the speaker's own reply says and by the garden's policy."""
    world = apply(session.world, cut.take.ruling.world_delta)
    here = present(world, world.characters[speaker].location)
    dice = session.standing.dice(session.garden.seed, session.branch, "next", speaker)
    policy = NextPolicy(fallback=session.scenario.speakers.policy)
    named = resolve_next_speaker(cut.take.performance.text, speaker, members(session, here), policy, dice)
    if named["reason"] in ("tag", "fuzzy") and named["next_id"]:
        return named
    return in_order(session, speaker, policy)


def in_order(session: Session, speaker: str, policy: NextPolicy | None = None) -> Resolved:
    """The next one round the whole cast, so that someone elsewhere goes on living there; one alone goes on alone."""
    dice = session.standing.dice(session.garden.seed, session.branch, "next", speaker)
    policy = policy or NextPolicy(fallback=session.scenario.speakers.policy)
    found = resolve_next_speaker("", speaker, members(session, [*session.cast]), policy, dice)
    alone = [who for who in session.cast if who not in session.standing.muted] == [speaker]
    if found["next_id"] is None and alone:
        return Resolved(next_id=speaker, reason=policy.fallback, extracted="", normalized="")
    return found


def members(session: Session, who: Iterable[str]) -> CharacterRegistry:
    """These characters as the resolver wants them, without those the user has muted."""
    entries: list[dict[str, Any]] = []
    for name in session.cast:
        if name in who and name not in session.standing.muted:
            sheet, figure = session.cast[name], session.world.characters[name]
            entries.append(
                {
                    "internal_id": name,
                    "display_name": sheet.display_name,
                    "short_name": sheet.short_name,
                    "aliases": [*sheet.aliases, *figure.aliases],
                }
            )
    return CharacterRegistry(entries)
