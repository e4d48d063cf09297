"""Whose turn is next: a nomination that names someone here, else round the whole cast."""

import re
from collections.abc import Collection, Iterator
from typing import Any

from hakoniwa.director.direct import DirectedTurn
from hakoniwa.director.next_speaker import CharacterRegistry, Resolved, policy_of, resolve_next_speaker
from hakoniwa.play.session import Session
from hakoniwa.stage.names import nfkc
from hakoniwa.stage.world import WorldState, people_in

_SIGNS = re.compile(r"[\[{]")


def next_by_reply(session: Session, speaker: str, cut: DirectedTurn) -> Resolved:
    """The next speaker, by what the speaker's own reply says and by the garden's policy."""
    world = session.after(session.world, cut.take.ruling.world_delta)
    here = people_in(world, world.characters[speaker].location)
    return _resolve_next(session, speaker, own_words(session.world, cut.take.performance.text), here)


def own_words(world: WorldState, text: str) -> str:
    """A reply without the names in it that look like a nomination: a name is data, whoever utters it."""
    if not _SIGNS.search(nfkc(text)):
        return text
    names = {nfkc(name) for name in _names(world)}
    for name in sorted(one for one in names if "[" in one or "{" in one):
        text = nfkc(text).replace(name, " ")
    return text


def _names(world: WorldState) -> Iterator[str]:
    for table in (world.props, world.locations, world.characters):
        for name, one in table.items():
            yield from (name, *one.aliases)


def next_by_policy(session: Session, speaker: str) -> Resolved:
    """The next one by policy alone."""
    return _resolve_next(session, speaker, "", ())


def _resolve_next(session: Session, speaker: str, text: str, here: Collection[str]) -> Resolved:
    """Round robin goes through the whole cast, so that someone elsewhere goes on living; one alone goes on alone."""
    policy = policy_of(session.scenario.speakers)
    if [who for who in session.cast if who not in session.standing.muted] == [speaker]:
        return Resolved(next_id=speaker, reason=policy.fallback, extracted="", normalized="")
    dice = session.standing.dice(session.garden.seed, session.branch, "next", speaker)
    return resolve_next_speaker(text, speaker, members(session, here), policy, dice)


def members(session: Session, here: Collection[str]) -> CharacterRegistry:
    """The cast as the resolver wants it: without those the user has muted, and who is here."""
    entries: list[dict[str, Any]] = []
    for name, sheet in session.cast.items():
        if name not in session.standing.muted:
            entries.append(
                {
                    "internal_id": name,
                    "display_name": [sheet.display_name, *sheet.display_names],
                    "short_name": sheet.short_name,
                    "aliases": [*sheet.aliases, *session.world.characters[name].aliases],
                    "absent": name not in here,
                }
            )
    return CharacterRegistry(entries)
