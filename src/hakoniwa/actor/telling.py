"""Telling as a choice: what somebody may ask, tell, refuse or make up, by what they need, know and feel."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hakoniwa.actor.mind import Decision
from hakoniwa.actor.plan import aims, missing_things
from hakoniwa.actor.view import CharacterView
from hakoniwa.actor.wording import manner
from hakoniwa.gm.telling import facts_in, telling_lexicon, thing_asked_for
from hakoniwa.stage.belief import counts
from hakoniwa.stage.claims import fact_in_words, live_claims, place_of
from hakoniwa.stage.relations import Bond
from hakoniwa.stage.world import story_name
from hakoniwa.turn import Fact, SpeechVerb, WitnessedEvent

OFFERED, NEEDED = 3, 4
WILLING, DECEITFUL = 0.4, 0.2
PLACED = ("at", "in", "on")


@dataclass(frozen=True)
class SpeechAct:
    """Words as something one may choose to do: to whom, and about what."""

    verb: SpeechVerb
    to: str
    about: Fact | None = None
    true: bool = True  # whether the speaker believes it


def offered_speech_acts(view: CharacterView, decision: Decision, limit: int = OFFERED) -> list[SpeechAct]:
    """The speech acts that make most sense now: what one was asked, then what one needs to know, then what is news."""
    found = dict.fromkeys([*_replies(view), *_questions(view, decision), *_news(view)])
    return list(found)[:limit]


def spoken_line(act: SpeechAct, view: CharacterView) -> str:
    """The words of a speech act, which a reader takes for what they are."""
    lines = telling_lexicon(view.language).lines
    how = manner(view)
    if act.about is None or act.verb != SpeechVerb.TELL:
        what = story_name(view.believed, act.about.subject) if act.about else ""
        return view.dice.choice(lines[act.verb][how]).format(what=what, you=view.address(act.to))
    form = "noun" if act.about.relation in PLACED else "verb"
    fact = _of_oneself(fact_in_words(act.about, view.believed), view)
    words = view.dice.choice(lines[SpeechVerb.TELL][f"{form}-{how}"]).format(fact=fact)
    return words[:1].upper() + words[1:]


def is_said(act: SpeechAct, words: str, view: CharacterView) -> bool:
    """Whether words do what a speech act is about, as a reader takes them."""
    if not words or act.about is None:
        return bool(words)
    if act.verb == SpeechVerb.ASK:
        return thing_asked_for(words, view.believed) == act.about.subject
    meant = (act.about.subject, act.about.relation, act.about.object)
    told = (one.fact for one in facts_in(words, view.believed, view.who))
    return act.verb != SpeechVerb.TELL or any((one.subject, one.relation, one.object) == meant for one in told)


def _of_oneself(fact: str, view: CharacterView) -> str:
    """A fact in which somebody speaks of themselves."""
    own = story_name(view.believed, view.who)
    if view.language == "en":
        return fact.replace(f"{own} has", "I have").replace(f"{own} is", "I am")
    return fact.replace(own, view.character.speech.first_person or own)


def willingness(view: CharacterView, other: str, subject: str) -> float:
    """How ready somebody is to tell another where a thing is: by kindness, trust and warmth, and their own interest."""
    bond = view.bonds.get(other, Bond())
    own = any(subject in str(one.goal) and one.kind == "gain" for one in view.character.desires)
    return view.character.personality.agreeableness + 0.3 * bond.trust + 0.3 * bond.warmth - (0.6 if own else 0.0)


# --- what one was asked -----------------------------------------------------------------------------------------------


def question_of(view: CharacterView) -> tuple[WitnessedEvent, str] | None:
    """The latest question after a thing that somebody here has put to this character, and the thing."""
    for seen in reversed(view.recent):
        to_me = seen.who in view.company and seen.asked in (view.who, "*", None)
        if to_me and (subject := thing_asked_for(seen.speech, view.believed)):
            return seen, subject
    return None


def _replies(view: CharacterView) -> Iterator[SpeechAct]:
    asked = question_of(view)
    if asked is None:
        return
    seen, subject = asked
    known = place_of(view.believed, subject)
    ready = willingness(view, seen.who, subject)
    if known is None or subject == seen.who:
        return
    told = SpeechAct(SpeechVerb.TELL, seen.who, known)
    if ready >= WILLING:
        yield told
    elif ready < DECEITFUL and (made_up := _made_up(view, known)):
        yield SpeechAct(SpeechVerb.TELL, seen.who, made_up, true=False)
    yield SpeechAct(SpeechVerb.REFUSE, seen.who, Fact(subject=subject, relation="at"))
    if ready < WILLING:
        yield told


def _made_up(view: CharacterView, known: Fact) -> Fact | None:
    """Another place in which the thing might be, for one who does not want it found."""
    others = [
        name for name, prop in view.believed.props.items()
        if prop.container and name not in (known.object, known.subject) and prop.location != view.scene.location
    ]  # fmt: skip
    return Fact(subject=known.subject, relation="in", object=others[0]) if others else None


# --- what one needs, and what is news ---------------------------------------------------------------------------------


def _questions(view: CharacterView, decision: Decision) -> Iterator[SpeechAct]:
    wanted = [one.goal for one in (decision.desire, *view.character.desires, *decision.state.urges) if one]
    meant = (aim for goal in wanted[:NEEDED] for aim in aims(goal, view.believed, view.who))
    for name in dict.fromkeys(name for aim in meant for name in missing_things(aim, view.believed)):
        for other in view.company:
            yield SpeechAct(SpeechVerb.ASK, other, Fact(subject=name, relation="at"))


def _news(view: CharacterView) -> Iterator[SpeechAct]:
    """What one was told and takes for true, for those who are not known to know it."""
    for claim in live_claims(view.belief.claims):
        for other in view.company if counts(view.belief, claim) else ():
            if other != claim.source and claim.fact.subject not in view.knows_of.get(other, ()):
                yield SpeechAct(SpeechVerb.TELL, other, claim.fact)


def first_of(acts: Sequence[SpeechAct], *verbs: SpeechVerb) -> SpeechAct | None:
    """The first of these acts that is of one of these kinds."""
    return next((one for one in acts if one.verb in verbs), None)
