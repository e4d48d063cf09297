"""Nobody is told what they cannot know: not by the referee, not by an incident, not by a prompt."""

import asyncio
from collections.abc import Iterator
from random import Random

import pytest

from hakoniwa.actor.mind import decide
from hakoniwa.actor.turn_prompts import TurnForm, TurnPrompts
from hakoniwa.actor.view import CharacterView
from hakoniwa.director import direct
from hakoniwa.gm.leaks import leaks
from hakoniwa.gm.telling import names_in
from hakoniwa.play.between import ring
from hakoniwa.play.loop import next_turn
from hakoniwa.play.session import Session
from hakoniwa.play.turn import user_turn
from hakoniwa.stage.scenario import find, load, shipped_scenarios
from hakoniwa.turn import Turn
from tests.gardens import opened, shipped_garden

TURNS = 12  # of every scenario; benchmarks/knowledge.py plays ten thousand in all
GRASPED = ("GET", "OPEN", "INSPECT")


def prompt_lines(session: Session, who: str) -> list[str]:
    """What a prompt of this turn tells its character, besides what they have witnessed."""
    view = session.view(who)
    decision = decide(view, session.standing.minds[who])
    _, *tail = TurnPrompts(view, decision, TurnForm(), lambda _: 0).opening[1].content.split("\n\n")
    return [*view.facts, *"\n".join(tail).splitlines()]


def known_names(session: Session, who: str, view: CharacterView) -> set[str]:
    """The names that somebody may know: seen, heard, written on their sheet, or said in front of everybody."""
    role, sheet = session.scenario.cast[who], session.cast[who]
    written = [sheet.model_dump_json(), str(role.desires), session.scenario.description, session.scenario.opening.text]
    written += [session.scenario.model_dump_json(include={"incidents", "opening"})]  # what raises urges is witnessed
    written += [str(line) for line in view.transcript.window(1 << 20).lines]
    written += [one for thing in view.scene.things for one in thing.affordances]  # what a thing asks for is seen on it
    heard = {name for text in written for one in names_in(text, session.world) for name in one.names}
    return heard | set(view.belief.props) | {name for one in view.belief.claims for name in (one.fact.subject,)}


def unknown_in_prompt(session: Session, who: str) -> Iterator[str]:
    """What the prompt of this turn says that its character cannot know."""
    view = session.view(who)
    known, lines = known_names(session, who, view), prompt_lines(session, who)
    texts = (session.cast[who].model_dump_json(), str(session.scenario.cast[who].desires), *session.common_knowledge)
    for line in lines:
        for one in names_in(line, session.world):
            if one.means[0][0] == "prop" and not known.intersection(one.names):
                yield f"{one.names}: {line}"
    for line in view.facts:
        yield from (str(one) for one in leaks(line, who, session.world, session.standing.beliefs, texts))


def told_to(session: Session, turn: Turn) -> Iterator[str]:
    """What the story tells of a denial that its character cannot know."""
    if explanation := turn.take.ruling.explanation:
        yield from (str(one) for one in leaks(explanation.told, turn.speaker, session.world, session.standing.beliefs))


async def _play(session: Session, turns: int, dice: Random) -> list[str]:
    """Play by itself, and every other turn somebody grasps at a thing that may be anywhere."""
    await session.open()
    found: list[str] = []
    for number in range(turns):
        if session.standing.ended:
            break
        who = session.speaker()
        found += unknown_in_prompt(session, who)
        if number % 2:
            thing = dice.choice(sorted(session.world.props))
            turn = await user_turn(session, who, f"({dice.choice(GRASPED)}: {thing})")
            found += told_to(session, turn)
        else:
            await next_turn(session)
    return found


def played_unknowns(name: str, turns: int, seed: int = 1) -> list[str]:
    return asyncio.run(_play(opened(shipped_garden(name, seed)), turns, Random(seed)))


@pytest.mark.parametrize("name", shipped_scenarios())
def test_no_prompt_says_what_its_character_cannot_know(name: str) -> None:
    assert played_unknowns(name, TURNS) == []


def test_a_referee_that_tells_where_things_are_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant that the tests above are there to catch."""
    monkeypatch.setattr(direct, "for_those_present", lambda ruling, *_: ruling)
    assert any(played_unknowns("detective_office", 24, seed) for seed in range(1, 5))


def test_an_incident_that_comes_of_a_thing_is_perceived_where_that_thing_is() -> None:
    session = opened(shipped_garden("detective_office", 1))
    incident = next(one for one in session.scenario.incidents if one.id == "safe_named")
    world = session.world
    away = world.characters["助手"].with_field("location", "廊下")
    apart = world.model_copy(update={"characters": {**world.characters, "助手": away}}).indexed(None)
    assert ring(incident, world, 1).witnesses == ("レイモンド", "助手")
    assert ring(incident, apart, 1).witnesses == ("レイモンド",)


def test_a_denial_that_is_seen_is_told_as_it_is() -> None:
    """Only what is out of sight is left unsaid."""
    scenario = load(find("detective_office"))
    assert "引き出し" in scenario.world.props
    session = opened(shipped_garden("detective_office", 1))
    turn = asyncio.run(user_turn(session, "助手", "(OPEN: 引き出し)"))
    assert turn.take.ruling.explanation is not None
    assert turn.take.ruling.explanation.why in turn.take.ruling.explanation.told
