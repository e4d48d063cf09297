"""What holds for every intent: an act is denied in words both languages have, or leaves a world that adds up."""

from collections.abc import Iterator

import pytest

from hakoniwa.gm.act import Act, Denial, intents
from hakoniwa.gm.judge import after_act, denial_of, effect_of
from hakoniwa.pack import LANGUAGES, pack
from hakoniwa.stage.world import WorldState, problems
from hakoniwa.turn import PHYSICAL
from tests.worlds import lighthouse


def acts(world: WorldState, intent: str) -> Iterator[Act]:
    """Every verb of an intent on everything there is: places, people, things, and nothing at all."""
    for verb in pack(world.language).verbs.values():
        if verb.intent == intent:
            yield from (Act(verb, name) for name in (None, *world.locations, *world.characters, *world.props))


def test_every_verb_has_its_judge_and_every_judge_its_verbs() -> None:
    assert {verb.intent for verb in pack("ja").verbs.values()} == {*intents} == {*PHYSICAL}


@pytest.mark.parametrize("intent", list(intents))
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_act_is_denied_in_words_or_leaves_a_world_that_adds_up(intent: str, language: str) -> None:
    world = lighthouse(language)
    who = next(iter(world.characters))
    verdicts = {act: denial_of(world, who, act) for act in acts(world, intent)}
    rules = {denial.rule for denial in verdicts.values() if denial}
    assert rules <= {*pack(language).denied}
    done = [act for act, denial in verdicts.items() if denial is None]
    assert [act.tag for act in done if not effect_of(world, who, act).told] == []
    assert [act.tag for act in done if problems(after_act(world, who, act))] == []


@pytest.mark.parametrize("intent", list(intents))
def test_a_denial_is_the_first_question_that_is_answered_so(intent: str) -> None:
    world = lighthouse("en")
    who = next(iter(world.characters))

    def first(act: Act) -> Denial | None:
        asked = intents[intent].questions(world, act)
        return next((denial for one in asked if (denial := one.ask(world, who, act))), None)

    assert [act.tag for act in acts(world, intent) if first(act) != denial_of(world, who, act)] == []
