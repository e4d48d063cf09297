"""What stands behind a turn in people's words; the engine's own stay in the turn."""

import re
from collections.abc import Iterable, Iterator, Sequence

from hakoniwa.actor.mind import REST, MindState
from hakoniwa.gm.act import Act, stage_direction
from hakoniwa.gm.typed import TypedLine
from hakoniwa.messages import say, states_in_words
from hakoniwa.pack import verb_of
from hakoniwa.stage.scenario import Speakers
from hakoniwa.stage.world import WorldState, story_name
from hakoniwa.turn import PHYSICAL, ActionIntent, PatchOp, Turn

SPOKEN = {"SAY": "plain.say", "ASK": "plain.ask", "ANSWER": "plain.answer"}
PLACES = {"inside": "plain.inside", "on": "plain.on", "location": "plain.is-in"}
ABOUT = {"carried_by": "plain.carried", "worn_by": "plain.worn"}
TOLD_BY_THEMSELVES = (["held_by"], ["on"], ["carried_by"], ["worn_by"])
_MARK = re.compile(r"^[A-Z]+:\s*")


def changes_told(world: WorldState, delta: Sequence[PatchOp], lang: str) -> tuple[str, ...]:
    """What a delta did to the world, one sentence for each thing people would speak of."""
    moved = {_steps(one)[1] for one in delta if _steps(one)[0] == "props" and _steps(one)[2:3] in TOLD_BY_THEMSELVES}
    told = (sentence for one in delta for sentence in _change(world, one, lang, moved))
    return tuple(dict.fromkeys(told))


def _change(world: WorldState, one: PatchOp, lang: str, moved: set[str]) -> Iterator[str]:
    kind, *rest = _steps(one)
    if kind == "characters" and len(rest) > 1:
        yield from _of_somebody(story_name(world, rest[0]), rest[1], one, lang)
    elif kind == "props" and rest:
        yield from _of_a_thing(world, rest, one, lang, moved)
    elif (kind, *rest) == ("meta", "weather"):
        yield say("plain.weather", lang, value=one.value)
    elif (kind, *rest) == ("time", "label"):
        yield say("plain.time", lang, value=one.value)


def _of_somebody(who: str, field: str, one: PatchOp, lang: str) -> Iterator[str]:
    if field == "location":
        yield say("plain.moved", lang, who=who, where=one.value)
    elif field in ("posture", "status") and one.value:
        value = one.value if isinstance(one.value, str) else "・".join(map(str, one.value))
        yield say("plain.looks", lang, who=who, value=value)


def _of_a_thing(world: WorldState, steps: list[str], one: PatchOp, lang: str, moved: set[str]) -> Iterator[str]:
    what, field = steps[0], steps[1] if len(steps) > 1 else ""
    if not field:
        yield say("plain.gone" if one.op == "remove" else "plain.appeared", lang, what=what)
    elif field == "held_by":
        held = one.op != "remove" and one.value is not None
        yield say("plain.held" if held else "plain.let-go", lang, what=what, who=story_name(world, str(one.value)))
    elif field in ABOUT and one.op != "remove" and one.value:
        yield say(ABOUT[field], lang, what=what, who=story_name(world, str(one.value)))
    elif field in PLACES and one.value and not (field == "location" and what in moved):
        yield say(PLACES[field], lang, what=what, where=one.value)
    elif field == "state" and one.op != "remove":
        states = [one.value] if isinstance(one.value, str) else one.value or ()
        if words := states_in_words(states, lang):
            yield say("plain.state", lang, what=what, state=say("play.comma", lang).join(words))


def _steps(one: PatchOp) -> list[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in one.path.split("/")[1:]]


def read_told(world: WorldState, intents: Iterable[ActionIntent], lang: str) -> tuple[str, ...]:
    """Each act as it was understood, in words."""
    return tuple(_intent_in_words(world, one, lang) for one in intents)


def reading_told(world: WorldState, line: TypedLine, lang: str) -> tuple[str, ...]:
    """What a typed line is read as, in words: its acts, and what of it is not understood."""
    plain = (one.with_field("detail", None) for one in line.parsed.action_intents)
    unread = tuple(say("plain.unread", lang, text=one) for one in line.parsed.unread)
    return (*read_told(world, plain, lang), *unread)


def _intent_in_words(world: WorldState, one: ActionIntent, lang: str) -> str:
    if one.intent in PHYSICAL:
        return stage_direction(
            world, Act(verb_of(one.verb or one.intent), one.target or "……", one.destination), world.language
        )
    if one.intent in SPOKEN:
        return say(SPOKEN[one.intent], lang)
    return one.detail or say("plain.gesture", lang)


def facts_told(cards: Iterable[str]) -> tuple[str, ...]:
    """Fact cards without the marks that are for a model."""
    return tuple(_MARK.sub("", card) for card in cards)


def chosen_desire(turn: Turn) -> str | None:
    """The desire that a turn was for: what is intended since, else the strongest that was not passed over."""
    ranked = [one.desire for one in turn.thought.desires]
    mind = MindState.model_validate(turn.mind) if turn.mind else MindState()
    if mind.intention in ranked:
        return mind.intention
    let_be = (turn.number + REST, turn.number + REST - 1)
    return next((one for one in ranked if mind.resting.get(one) not in let_be), None)


def chosen_because(turn: Turn, lang: str) -> str | None:
    """Why that desire and not a stronger one; None where it is the strongest."""
    ranked, chosen = [one.desire for one in turn.thought.desires], chosen_desire(turn)
    stronger = ranked[: ranked.index(chosen)] if chosen is not None else []
    if not stronger:
        return None
    names = say("play.comma", lang).join(say("plain.quoted", lang, name=name) for name in stronger)
    return say("plain.passed-over", lang, names=names)


def policy_told(speakers: Speakers, lang: str) -> str | None:
    """How nominations are taken in a garden that has its own way; None where it is the usual one."""
    usual = Speakers()
    own = (speakers.allow_self_nomination, speakers.fuzzy_threshold)
    if own == (usual.allow_self_nomination, usual.fuzzy_threshold):
        return None
    oneself = say(f"plain.oneself-{'may' if speakers.allow_self_nomination else 'never'}", lang)
    return say("plain.nominations", lang, oneself=oneself, likeness=f"{speakers.fuzzy_threshold:.2f}")
