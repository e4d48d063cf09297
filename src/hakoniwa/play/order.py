"""Whose turn is next: a nomination that names someone here; else who was asked; else round the scene while it lasts;
else whoever elsewhere has waited longest."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from hakoniwa.director.direct import DirectedTurn
from hakoniwa.director.next_speaker import CharacterRegistry, Resolved, policy_of, resolve_next_speaker
from hakoniwa.play.session import Session
from hakoniwa.play.standing import story_place
from hakoniwa.stage.names import nfkc
from hakoniwa.stage.world import WorldState, people_in
from hakoniwa.turn import IntentKind

_SIGNS = re.compile(r"[\[{]")
SHORTEST, ALONE, TOGETHER = 2, 3, 9  # turns of a scene: at least, of somebody alone, of people together


def next_by_reply(session: Session, speaker: str, cut: DirectedTurn) -> Resolved:
    """The next speaker, by what the speaker's own reply says, by the scene, and by the garden's policy."""
    world = session.after(session.world, cut.take.ruling.world_delta)
    here = people_in(world, world.characters[speaker].location)
    order = [who for who in session.cast if who not in session.standing.muted]
    by_lot = session.scenario.speakers.policy == "random" and order != [speaker]
    following = None if by_lot or not order else _next_in_scene(session, world, speaker, _whom_asked(cut), order)
    if following == speaker:
        return _same_again(session, speaker)
    text = own_words(session.world, cut.take.performance.text)
    return _resolve_next(session, speaker, text, here, [speaker, following, *order] if following else order)


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
    """The next one by policy alone, round the whole cast."""
    order = [who for who in session.cast if who not in session.standing.muted]
    return _same_again(session, speaker) if order == [speaker] else _resolve_next(session, speaker, "", (), order)


def _same_again(session: Session, speaker: str) -> Resolved:
    """The same one again, who is alone."""
    return Resolved(next_id=speaker, reason=session.scenario.speakers.policy, extracted="", normalized="")


def _resolve_next(session: Session, speaker: str, text: str, here: Collection[str], order: Sequence[str]) -> Resolved:
    policy = policy_of(session.scenario.speakers)
    dice = session.standing.dice(session.garden.seed, session.branch, "next", speaker)
    return resolve_next_speaker(text, speaker, members(session, here, order), policy, dice)


def members(session: Session, here: Collection[str], order: Sequence[str]) -> CharacterRegistry:
    """The cast in an order, as the resolver wants it: without those the user has muted, and who is here."""
    entries: list[dict[str, Any]] = []
    for name in dict.fromkeys(order):
        sheet = session.cast[name]
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


# --- the scene --------------------------------------------------------------------------------------------------------


def _whom_asked(cut: DirectedTurn) -> str | None:
    """Who has been asked something."""
    asks = [one for one in cut.take.ruling.parsed.action_intents if one.intent == IntentKind.ASK]
    return (cut.take.performance.to or asks[-1].target) if asks else None


def _next_in_scene(session: Session, world: WorldState, speaker: str, asked: str | None, order: Sequence[str]) -> str:
    """Who follows by where the story is: a scene goes on while it is short, and then goes on elsewhere."""
    rooms = {who: world.characters[who].location for who in (*order, speaker)}
    scene, length = session.standing.scene
    room = story_place(scene, session.world, world, speaker)
    length = length + 1 if room == scene else 1
    if asked is not None and asked != speaker and asked in order and rooms[asked] == rooms[speaker]:
        return asked
    stayed = [who for who in order if who != speaker and rooms[who] == room]
    joined = [who for who in order if who != speaker and rooms[who] == rooms[speaker] != room]
    if stayed and length < (TOGETHER if rooms[speaker] == room else SHORTEST):
        return _after(speaker, stayed, order)
    if joined:
        return _after(speaker, joined, order)
    if stayed and length < TOGETHER:
        return _after(speaker, stayed, order)
    if speaker in order and not stayed and length < ALONE:
        return speaker
    others = [who for who in order if who != speaker]
    elsewhere = [who for who in others if rooms[who] != room] or others or [speaker]
    return min(elsewhere, key=lambda who: session.standing.last_turns.get(who, 0))


def _after(speaker: str, others: Sequence[str], order: Sequence[str]) -> str:
    """The first of others after the speaker, in the order of the cast."""
    place = order.index(speaker) if speaker in order else -1
    return next(who for who in [*order[place + 1 :], *order] if who in others)
