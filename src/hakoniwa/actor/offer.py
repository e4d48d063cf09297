"""offered: the possible acts a model is shown, the ones that serve what is wanted first."""

import math
from collections.abc import Collection, Mapping

from hakoniwa.actor.mind import Decision
from hakoniwa.actor.view import View
from hakoniwa.gm.act import Act
from hakoniwa.gm.options import possible_acts, various
from hakoniwa.stage.goal import Goal

SEARCHED, OFTEN = 400, 2


def offered(view: View, decision: Decision, limit: int) -> list[Act]:
    """The act that is meant, possible or not (some things must be tried); then acts on what the desires are about,
    strongest first; then the rest, on as many things as there are. What was done time and again lately is left out."""
    lately = decision.state.last_acts
    stale = {tag for tag in lately if lately.count(tag) >= OFTEN}
    possible = possible_acts(view.believed, view.who, limit=SEARCHED)
    acts = various(act for act in possible if not stale or act.tag not in stale)
    known = {one.name: one.goal for one in (*view.character.desires, *decision.state.urges)}
    goals = [known[one.desire] for one in decision.ranked if one.desire in known]
    wanted = {name: rank for rank, goal in reversed([*enumerate(goals)]) for name in _about(goal)}
    places = {place for goal in goals for place in _places(goal)}
    ranked = sorted(acts, key=lambda act: _rank(act, wanted, places))
    meant = decision.acts[:1]
    return [*meant, *(act for act in ranked if act not in meant)][:limit]


def _about(goal: Goal) -> set[str | None]:
    """The things and rooms a goal speaks of."""
    deed = {*goal.did.target, *goal.did.destination} if goal.did else set()
    return {*deed, *goal.state, *goal.placed, goal.holding, goal.at, goal.seen} - {None}


def _places(goal: Goal) -> set[str]:
    """Where a goal wants things to go."""
    return {*goal.placed.values(), *(goal.did.destination if goal.did else ())}


def _rank(act: Act, wanted: Mapping[str | None, int], places: Collection[str]) -> tuple[bool, float, bool]:
    """Laying things where nobody wants anything comes last; before that the rank of the first desire an act may
    serve, looks after deeds."""
    idle = act.verb.id == "PUT" and act.destination is not None and act.destination not in places
    return idle, wanted.get(act.target, math.inf), act.verb.id == "INSPECT"
