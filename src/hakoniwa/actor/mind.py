"""Belief, desire, intention: personality as numbers decides what is wanted and by what means. No model is asked."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from hakoniwa.actor.appraisal import appraise_person, appraise_proposal, desires_now, proposal_weight
from hakoniwa.actor.character import Character
from hakoniwa.actor.invitation import invitations
from hakoniwa.actor.plan import (
    ENABLING,
    Aim,
    aims,
    deed_done,
    holds_true,
    lacks_tool,
    obstacle,
    plan,
    sources,
    unexplored_aims,
)
from hakoniwa.actor.view import CharacterView
from hakoniwa.gm.act import Act
from hakoniwa.gm.judge import denial_of
from hakoniwa.messages import states_in_words
from hakoniwa.pack import pack, verb_of
from hakoniwa.stage.belief import counts
from hakoniwa.stage.claims import fact_in_words, live_claims
from hakoniwa.stage.goal import Desire, Goal
from hakoniwa.stage.relations import Bond
from hakoniwa.stage.scene import SeenPerson
from hakoniwa.stage.world import WorldState, in_sight, story_name, thing
from hakoniwa.turn import RankedDesire, Value

CAREFUL = 0.6
TRUSTED, FELT = 0.7, 0.2
REST, LONG_REST, SATED, CALM = 3, 14, 20, 8
PRESSING = ("body", "safety", "company")  # what comes back as soon as it has grown again
LINKED, STRIDE = 4, 3  # acts of one turn, and the rooms that are walked through in it
# What an act is worth if one walks for it, has only just come, or only carries; and for how many own turns one stays
WALKING, SETTLING, HANDLING, STAY = 0.45, 0.15, 0.4, 5
RESOLVE = 1.3  # whoever is set on something minds the trouble less
CONSIDERED = 6  # the strongest desires, of which the one that costs least for what it is wins
FADE_FACTOR, FADE_LIMIT = 0.96, 0.12
FORCE_VERBS = ("KICK", "ATTACK", "BREAK", "PUSH")


class Mood(Value):
    """Valence, arousal and dominance, −1 to 1."""

    valence: float = 0.1
    arousal: float = 0.0
    dominance: float = 0.0

    @property
    def label(self) -> str:
        if self.arousal > 0.4:
            return "tense"
        if self.valence > 0.25:
            return "good"
        return "bad" if self.valence < -0.2 else "calm"


class Struggle(Value):
    """A desire that met resistance: what was tried, and how many other means are left to try."""

    tries_left: int
    tried: tuple[str, ...] = ()


class MindState(Value):
    """Everything a mind carries from turn to turn; the journal keeps it with the turn."""

    urgency: dict[str, float] = {}
    urges: tuple[Desire, ...] = ()
    resting: dict[str, int] = {}
    intention: str | None = None
    struggles: dict[str, Struggle] = {}
    mood: Mood = Mood()
    inspected: tuple[str, ...] = ()
    failed: tuple[str, str | None] | None = None
    failed_act: str | None = None
    last_acts: tuple[str, ...] = ()
    unheeded: str | None = None
    said: tuple[str, ...] = ()
    mused: tuple[str, ...] = ()
    arrived: int = -100
    spoke: int = 0
    topics: dict[str, int] = {}
    awaiting: tuple[str, str] | None = None
    met: tuple[str, ...] = ()


@dataclass(frozen=True)
class Decision:
    """What a character has made up their mind to do."""

    state: MindState
    ranked: tuple[RankedDesire, ...] = ()
    desire: Desire | None = None
    acts: tuple[Act, ...] = ()
    instead: tuple[Act, ...] = ()  # what is done where there is nothing to say
    means: str = "idle"
    beliefs: tuple[str, ...] = ()
    offered: tuple[Desire, ...] = ()  # what the things around suggest


@dataclass(frozen=True)
class Course:
    """A way to go on: what a desire is worth once its trouble is counted, and the acts that serve it."""

    worth: float
    desire: Desire
    acts: tuple[Act, ...]
    means: str


# --- personality ---------------------------------------------------------------------------------------------------


def tries_after_denial(grit: float) -> int:
    """How many further means an intention survives once it was denied."""
    return 3 if grit >= 0.7 else 1 if grit >= 0.4 else 0


def weight(kind: str, character: Character) -> float:
    """How much a kind of desire counts for this person: their values times their temperament."""
    who = character.personality
    temperament = {
        "body": 1.0,
        "safety": 0.6 + 0.8 * who.neuroticism,
        "company": 0.5 + who.extraversion,
        "esteem": 1.25 - 0.5 * who.agreeableness,
        "curiosity": 0.5 + who.openness,
        "duty": 0.5 + who.conscientiousness,
        "gain": 1.5 - who.agreeableness,
    }
    value = next((share for name, share in character.values.items() if name == kind), 0.5)
    return (0.5 + value) * temperament[kind]


def apply_shock(mood: Mood, valence: float, arousal: float, neuroticism: float) -> Mood:
    """The mood after a shock, the larger the more neurotic the person."""
    scale = 0.4 + 1.2 * neuroticism
    return Mood(
        valence=_clip(mood.valence + valence * scale),
        arousal=_clip(mood.arousal + arousal * scale),
        dominance=_clip(mood.dominance + (0.1 if valence > 0 else -0.1) * scale),
    )


def _clip(number: float) -> float:
    return round(max(-1.0, min(1.0, number)), 4)


def _settle_mood(mood: Mood) -> Mood:
    return Mood(
        valence=_clip(0.1 + (mood.valence - 0.1) * 0.85),
        arousal=_clip(mood.arousal * 0.7),
        dominance=_clip(mood.dominance * 0.85),
    )


# --- belief --------------------------------------------------------------------------------------------------------


def believe(view: CharacterView, state: MindState) -> tuple[str, ...]:
    """The belief block: how this person reads the scene. Openness decides how much of it enters."""
    room = 2 + round(6 * view.character.personality.openness)
    news = chain(_about_failure(view, state), _about_telling(view))
    return tuple(islice(chain(news, _about_people(view), _about_things(view)), room))


def _about_failure(view: CharacterView, state: MindState) -> Iterator[str]:
    if state.failed is None:
        return
    mindset = view.character.personality.growth_mindset
    key = "failure-lesson" if mindset >= 0.6 else "failure-proof" if mindset <= 0.4 else "failure"
    yield _phrase(view, f"belief.{key}")


def _about_telling(view: CharacterView) -> Iterator[str]:
    """What somebody has said since one's last turn, and who it was."""
    for one in live_claims(view.belief.claims):
        if counts(view.belief, one) and one.turn >= view.turn - len(view.cast):
            source = _phrase(view, "heard", source=story_name(view.believed, one.source))
            yield f"{source}: {fact_in_words(one.fact, view.believed)}"


def _about_people(view: CharacterView) -> Iterator[str]:
    for person in view.scene.people:
        if person.name != view.who:
            taken, felt = appraise_person(view, person), _about_bond(view, person.name)
            if taken or not felt:
                yield _phrase(view, f"belief.{taken.takes_for if taken else 'person'}", who=person.name)
            yield from felt
    for seen in view.recent:
        if seen.asked == view.who or (seen.who == "user" and seen.speech):
            taken = appraise_proposal(view.character, seen.who)
            speaker = _phrase(view, "transcript.voice") if seen.who == "user" else seen.who
            yield _phrase(view, f"belief.{taken.takes_for if taken else 'offer'}", who=speaker)


def _about_bond(view: CharacterView, other: str) -> list[str]:
    """What is strongly felt for somebody."""
    bond = view.bonds.get(other, Bond())
    marks = {
        "trust": bond.trust >= TRUSTED, "distrust": bond.trust < 0.0,
        "like": bond.warmth >= FELT, "dislike": bond.warmth <= -FELT,
        "owe": bond.debt >= FELT, "owed": bond.debt <= -FELT,
    }  # fmt: skip
    return [_phrase(view, f"bond.{name}", who=other) for name, strong in marks.items() if strong]


def _about_things(view: CharacterView) -> Iterator[str]:
    for one in sorted(view.scene.things, key=lambda seen: _age(view, seen.name)):
        if known := states_in_words(one.state, view.language):
            states = pack(view.language).phrases["list"].join(known)
            yield _phrase(view, "belief.state", what=one.name, state=states)
        else:
            yield _phrase(view, "belief.thing", what=one.name)
    for memory in view.scene.last_seen:
        yield _phrase(view, "belief.gone" if memory.gone else "belief.elsewhere", what=memory.name, where=memory.where)


def _age(view: CharacterView, name: str) -> int:
    """How many turns a thing has looked the way it does: news come first."""
    memory = view.belief.props.get(name)
    return view.turn - memory.turn if memory else 0


def _phrase(view: CharacterView, key: str, **names: str) -> str:
    return pack(view.language).phrases[key].format(**names)


# --- desire --------------------------------------------------------------------------------------------------------


def desires_of(view: CharacterView, state: MindState) -> tuple[Desire, ...]:
    """Everything somebody may want now: by who they are, by what was asked or happened, by what they see and feel."""
    return (*view.character.desires, *state.urges, *desires_now(view))


def begin_turn(view: CharacterView, state: MindState) -> MindState:
    """The mind at the start of a turn: needs have grown, moods settled, and events have raised urges."""
    alive = [
        one for one in state.urges if not _is_overtaken(one, view) and state.urgency.get(one.name, 1.0) > FADE_LIMIT
    ]
    known = {one.name: one for one in (*view.character.desires, *alive, *desires_now(view))}
    fresh = [one for one in (*view.urges, *_call_desires(view)) if one.name not in known]
    urgency = {name: _grow_urgency(one, state.urgency.get(name, one.urgency)) for name, one in known.items()}
    urgency |= {one.name: one.urgency for one in view.urges}
    urgency |= {one.name: one.urgency for one in fresh}
    mood = _settle_mood(state.mood)
    if any(seen.incident for seen in view.recent):
        mood = apply_shock(mood, -0.05, 0.35, view.character.personality.neuroticism)
    resting = {name: until for name, until in state.resting.items() if until > view.turn}
    resting = {name: until for name, until in resting.items() if name not in {one.name for one in view.urges}}
    return state.with_fields({"urgency": urgency, "urges": (*alive, *fresh), "mood": mood, "resting": resting})


def _grow_urgency(desire: Desire, urgency: float) -> float:
    """Needs grow until they are met; an urge that does not grow fades."""
    return round(min(1.0, urgency + desire.grows) if desire.grows else urgency * FADE_FACTOR, 4)


def _is_overtaken(urge: Desire, view: CharacterView) -> bool:
    """Somebody else has done what this urge was about."""
    deed = urge.goal.did
    return deed is not None and any(
        verb == verb_of(deed.verb).id and target in deed.target for seen in view.recent for verb, target in seen.deeds
    )


def _call_desires(view: CharacterView) -> Iterator[Desire]:
    """Being called is a reason to go where the caller is."""
    for seen in view.recent:
        if ("CALL", view.who) in seen.deeds and seen.room and seen.room != view.scene.location:
            name = _phrase(view, "urge.called", who=seen.who)
            yield Desire(name=name, kind="company", strength=0.7, urgency=0.9, once=True, goal=Goal(at=seen.room))


def compete(view: CharacterView, state: MindState, offered: Sequence[Desire] = ()) -> list[tuple[float, Desire]]:
    """The desires by strength × urgency × weight, strongest first; finishing what was begun counts extra."""
    conscientious = view.character.personality.conscientiousness
    desires = [*desires_of(view, state), *offered]
    weights = {kind: weight(kind, view.character) for kind in {one.kind for one in desires}}
    scored = []
    for desire in desires:
        if desire.name in state.resting or holds_true(desire.goal, view.believed, view.who):
            continue
        score = desire.strength * state.urgency.get(desire.name, desire.urgency) * weights[desire.kind]
        score *= proposal_weight(view.character, desire)
        if state.intention == desire.name:
            score *= 1.0 + 0.8 * conscientious
        scored.append((round(score * (0.95 + 0.1 * view.dice.random()), 4), desire))
    return sorted(scored, key=lambda pair: -pair[0])


# --- intention -----------------------------------------------------------------------------------------------------


def decide(view: CharacterView, state: MindState, invited: bool = False) -> Decision:
    """The winning desire that something can be done about, and the acts that do it; `invited`: what things and people
    suggest counts among the desires, for a mind that has no ideas of its own."""
    state, offered = (
        begin_turn(view, state),
        tuple(invitations(view, view.turn - state.spoke) if invited and view.character.improvises else ()),
    )
    scored = compete(view, state, offered)
    own = [(score, one) for score, one in scored if not view.character.desires or one not in offered]
    ranked = tuple(RankedDesire(desire=one.name, kind=one.kind, score=score) for score, one in own)
    decision = Decision(state, ranked, beliefs=believe(view, state), offered=offered)
    courses: list[Course] = []
    for score, desire in scored:
        if score < 0.02 or len(courses) >= CONSIDERED or _is_settled(courses, score):
            break
        chosen = pursue(view, state, desire)
        if chosen is None or _walks_into_danger(view, chosen[0], score):
            state = _rest_desire(state, desire, view.turn + REST)
        else:
            acts, means = chosen
            courses.append(Course(score * _ease(view, state, desire, acts), desire, tuple(acts), means))
    decision = replace(decision, state=state)
    if not courses:
        return decision
    best = max(courses, key=lambda one: one.worth)
    if best.desire.name not in {one.desire for one in ranked}:
        won = RankedDesire(desire=best.desire.name, kind=best.desire.kind, score=best.worth)
        decision = replace(decision, ranked=(*ranked, won))
    others = [one.acts for one in courses if one.acts and "MOVE" not in {act.verb.id for act in one.acts}]
    return replace(
        decision,
        desire=best.desire,
        acts=best.acts,
        means=best.means,
        instead=next(iter(others), ()) if not best.acts else (),
    )


def _is_settled(courses: Sequence[Course], score: float) -> bool:
    """Whether no weaker desire can win any more, and there is something to do where there is nothing to say."""
    return any(one.worth >= score for one in courses) and any(one.acts for one in courses)


def _ease(view: CharacterView, state: MindState, desire: Desire, acts: Sequence[Act]) -> float:
    """What is left of a desire once its trouble is counted: walking, above all out of company, and mere carrying."""
    verbs = {act.verb.id for act in acts}
    if verbs and verbs <= {"GET", "PUT", "MOVE"} and not (desire.goal.holding or desire.goal.placed):
        return HANDLING
    if "MOVE" not in verbs or desire.kind == "safety" or desire.by or desire.name in {one.name for one in view.urges}:
        return 1.0
    ease = WALKING * (SETTLING if view.turn - state.arrived < STAY * max(2, len(view.cast)) else 1.0)
    if desire.goal.talked and not view.company:
        return float(ease**0.5)
    whole = ease * (_attachment(view) if view.company else 1.0)
    return float(whole ** (RESOLVE - desire.strength))


def _attachment(view: CharacterView) -> float:
    """What leaving company is worth: less while somebody is speaking, and to the sociable."""
    talking = any(seen.speech and seen.who in view.company for seen in view.recent)
    return (0.5 if talking else 0.75) - 0.2 * view.character.personality.extraversion


def _walks_into_danger(view: CharacterView, acts: Sequence[Act], score: float) -> bool:
    """Whether the way leads to somebody who is feared more than the goal is wanted."""
    rooms = {act.target for act in acts if act.verb.id == "MOVE"}
    feared = (
        taken.strength
        for name, figure in view.belief.people.items()
        if figure.location in rooms and name != view.who
        for taken in [appraise_person(view, SeenPerson(name=name, status=figure.status))]
        if taken and taken.takes_for == "threat"
    )
    return max(feared, default=0.0) > score


def _rest_desire(state: MindState, desire: Desire, until: int) -> MindState:
    return state.with_field("resting", {**state.resting, desire.name: until})


def pursue(view: CharacterView, state: MindState, desire: Desire) -> tuple[list[Act], str] | None:
    """The next acts towards a desire and the means they are, or None if there is nothing to be done."""
    if desire.goal.talked:
        return _seek_company(view, desire.goal.talked)
    options = aims(desire.goal, view.believed, view.who)
    if desire.goal.away and not options:
        return _call_for_help(view, desire.goal.away)
    for aim in options:
        found = plan(aim, view.believed, view.who)
        if found and found[0].tag != state.failed_act and not _is_repetitive(state, found):
            return _look_first(view, state, found, desire)
    for aim in options:
        if chosen := _try_other_means(view, state, desire, aim):
            return chosen
    return None


def _is_repetitive(state: MindState, acts: Sequence[Act]) -> bool:
    """Whether this would be the same act for the third time in a row."""
    return any(state.last_acts.count(act.tag) >= 2 for act in acts[:2])


def _look_first(view: CharacterView, state: MindState, found: list[Act], desire: Desire) -> tuple[list[Act], str]:
    """Who is careful, or was asked and does not trust it, looks before opening something whose inside they do not
    know."""
    first = found[0]
    prop = thing(view.believed, first.target or "")
    unknown = prop is not None and prop.container and first.target not in state.inspected
    taken = appraise_proposal(view.character, desire.by) if desire.by else None
    suspicious = taken is not None and taken.takes_for == "trap"
    careful = suspicious or view.character.personality.conscientiousness >= CAREFUL
    if careful and unknown and first.verb.id == "OPEN":
        return [Act(verb_of("INSPECT"), first.target)], "inspect"
    return _linked_acts(view, state, found, desire), "direct"


def _linked_acts(view: CharacterView, state: MindState, found: list[Act], desire: Desire) -> list[Act]:
    """What is done in one go: the way through rooms one knows, what must be taken or opened, and what that was for.

    What was tried before in vain is left until one stands before it."""
    struggle, acts = state.struggles.get(desire.name), list[Act]()
    vain = struggle.tried if struggle else ()
    for act in found[:LINKED]:
        strides = sum(one.verb.id == "MOVE" for one in acts)
        barred = act.tag in vain or _is_hearsay(view, act.target) or (act.verb.id == "MOVE" and strides >= STRIDE)
        if acts and barred:
            break
        acts.append(act)
        unknown = act.verb.id == "MOVE" and act.target not in view.belief.rooms
        if unknown or act.verb.id not in ENABLING or _shows_its_inside(view, state, act):
            break
    return acts


def _is_hearsay(view: CharacterView, name: str | None) -> bool:
    return name in view.believed.props and name not in view.belief.props


def _shows_its_inside(view: CharacterView, state: MindState, act: Act) -> bool:
    """Whether an act opens what nobody here has looked into: then that is the event."""
    prop = thing(view.believed, act.target or "")
    return act.verb.id == "OPEN" and prop is not None and prop.container and act.target not in state.inspected


def _seek_company(view: CharacterView, wanted: str) -> tuple[list[Act], str] | None:
    """Talk to whoever is here, or go to where they were last seen."""
    if view.company and (wanted == "*" or wanted in view.company):
        return [], "talk"
    others = [name for name in view.belief.people if name != view.who and wanted in ("*", name)]
    for name in others:
        room = view.belief.people[name].location
        found = plan(Aim(verb_of("MOVE"), room), view.believed, view.who) if room != view.scene.location else None
        if found:
            return found[:1], "direct"
    return None


def _try_other_means(view: CharacterView, state: MindState, desire: Desire, aim: Aim) -> tuple[list[Act], str] | None:
    """No way is known: try it plainly once, then by other means as long as the will lasts, none of them twice."""
    hearsay = _is_hearsay(view, aim.target)
    barrier = None if hearsay else obstacle(aim, view.believed, view.who)  # what one only heard of calls for a search
    known = [one for one in sources(aim, view.believed) if thing(view.believed, one)]
    if barrier is None and known and not hearsay and not lacks_tool(aim, view.believed):
        return _look_again(view, state, known, desire)
    struggle = state.struggles.get(desire.name)
    if struggle is None and barrier and in_sight(view.believed, view.who, barrier.name):
        return [Act(verb_of("OPEN"), barrier.name)], "direct"
    if struggle is not None and struggle.tries_left <= 0:
        return None
    tried = struggle.tried if struggle else ()
    for _, means, acts in sorted(_means(view, state, barrier.name if barrier else None), key=lambda one: -one[0]):
        if acts and acts[0].tag not in tried and not _is_repetitive(state, acts):
            return _look_first(view, state, acts, desire)[0][:1], means
    return None


def _look_again(
    view: CharacterView, state: MindState, names: Sequence[str], desire: Desire
) -> tuple[list[Act], str] | None:
    """What could not be used when last seen may be ready by now: go and see, if it is somewhere else."""
    for name in names:
        memory = view.belief.props.get(name)
        if memory is None or in_sight(view.believed, view.who, name):
            continue
        if found := plan(Aim(verb_of("INSPECT"), name), view.believed, view.who):
            return _linked_acts(view, state, found, desire), "check"
    return None


def _means(view: CharacterView, state: MindState, barrier: str | None) -> Iterator[tuple[float, str, list[Act]]]:
    """The ways round an obstacle with how much each is this person's way."""
    who = view.character.personality
    yield 0.45 + 0.2 * who.grit, "search", _hunt(view, state)
    if barrier is None:
        return
    here = in_sight(view.believed, view.who, barrier)
    if here and barrier not in state.inspected:
        yield who.conscientiousness, "inspect", [Act(verb_of("INSPECT"), barrier)]
    if here:
        yield 1.0 - who.agreeableness, "force", _force(view.believed, view.who, barrier)
    yield who.extraversion, "call", _call(view)
    yield 0.5 + 0.25 * who.openness, "pick", plan(Aim(verb_of("PICK"), barrier), view.believed, view.who) or []


def _hunt(view: CharacterView, state: MindState) -> list[Act]:
    """The nearest place that has not been looked into yet."""
    found = [
        (len(way) + reluctance, way)
        for reluctance, aim in unexplored_aims(view.believed, view.who, state.inspected, view.belief.rooms)
        if (way := plan(aim, view.believed, view.who))
    ]
    return min(found, key=lambda one: one[0])[1] if found else []


def _force(world: WorldState, who: str, name: str) -> list[Act]:
    options = (Act(verb_of(verb), name) for verb in FORCE_VERBS)
    return [act for act in options if denial_of(world, who, act) is None][:1]


def _call_for_help(view: CharacterView, feared: str) -> tuple[list[Act], str] | None:
    """There is no way out: call somebody else, if there is anybody."""
    acts = _call(view, feared)
    return (acts, "call") if acts else None


def _call(view: CharacterView, but: str = "") -> list[Act]:
    others = [*view.company, *(name for name in view.belief.people if name not in (view.who, *view.company))]
    return [Act(verb_of("CALL"), name) for name in others if name != but][:1]


# --- learning ------------------------------------------------------------------------------------------------------


def learn(decision: Decision, view: CharacterView, world: WorldState, acts: Sequence[Act], allowed: bool) -> MindState:
    """The mind after the ruling: what was met falls silent, what was denied is tried otherwise or let go."""
    state = decision.state
    if not allowed:
        return _learn_denial(decision, view, acts)
    inspected = [act.target for act in acts if act.verb.id in ("INSPECT", "OPEN") and act.target]
    met = [one for one in desires_of(view, state) if _met(one.goal, world, view.who, acts)]
    state = state.with_fields(
        {
            "failed": None,
            "failed_act": None,
            "last_acts": (*state.last_acts, *dict.fromkeys(act.tag for act in acts))[-6:],
            "arrived": view.turn if any(act.verb.id == "MOVE" for act in acts) else state.arrived,
            "inspected": _newest(state.inspected, inspected, 200),
        }
    )
    for desire in met:
        state = _satisfy_desire(state, desire)
        if desire.kind not in PRESSING and not desire.once:
            state = _rest_desire(state, desire, view.turn + CALM * max(1, len(view.cast)))
    for wish in decision.offered if acts else ():
        if _met(wish.goal, world, view.who, acts):
            state = _rest_desire(state, wish, view.turn + SATED * max(1, len(view.cast)))
    if decision.desire in met:
        mood = apply_shock(state.mood, 0.12, -0.05, view.character.personality.neuroticism)
        return state.with_fields({"intention": None, "mood": mood})
    return _record_step(state, decision, acts, view)


def _met(goal: Goal, world: WorldState, who: str, acts: Sequence[Act]) -> bool:
    """Whether these acts brought the goal about; what others did unseen meets nothing."""
    if goal.did:
        return deed_done(goal.did, acts)
    if goal.away:
        return any(act.verb.id == "MOVE" for act in acts) and holds_true(goal, world, who)
    named = {*goal.state, *goal.placed, goal.holding, goal.at, goal.seen} - {None}
    mine = any(act.target in named or act.destination in named for act in acts)
    return mine and not goal.talked and holds_true(goal, world, who)


def _satisfy_desire(state: MindState, desire: Desire) -> MindState:
    return state.with_fields(
        {
            "urgency": {**state.urgency, desire.name: 0.0},
            "urges": tuple(one for one in state.urges if one.name != desire.name),
            "resting": {**state.resting, desire.name: 1 << 30} if desire.once else state.resting,
            "struggles": {name: one for name, one in state.struggles.items() if name != desire.name},
        }
    )


def learn_from_talk(state: MindState, view: CharacterView, to: str) -> MindState:
    """The mind after a word with somebody: the wish for their company is met."""
    state = state.with_field("spoke", view.turn)
    met = [one for one in desires_of(view, state) if one.goal.talked in ("*", to)]
    for desire in met:
        state = _satisfy_desire(state, desire)
    return state


def _record_step(state: MindState, decision: Decision, acts: Sequence[Act], view: CharacterView) -> MindState:
    """Another step was made; a means other than the plain way or the search uses up a try."""
    desire, grit = decision.desire, view.character.personality.grit
    if desire and decision.means == "check":
        state = _rest_desire(state, desire, view.turn + LONG_REST * max(1, len(view.cast)))
    if desire is None or decision.means == "talk":
        return state.with_fields({"intention": None, "unheeded": None})
    if decision.acts and not any(act in acts for act in decision.acts):
        return _put_off(state, desire, decision.acts[0].tag, view.turn)
    state = state.with_field("unheeded", None)
    struggle = state.struggles.get(desire.name)
    if decision.means not in ("force", "call", "pick") and (decision.means != "inspect" or struggle is None):
        return state.with_field("intention", desire.name)
    struggle = struggle or Struggle(tries_left=tries_after_denial(grit))
    spent = Struggle(tries_left=struggle.tries_left - 1, tried=_newest(struggle.tried, (act.tag for act in acts), 40))
    return state.with_fields({"intention": desire.name, "struggles": {**state.struggles, desire.name: spent}})


def _put_off(state: MindState, desire: Desire, act: str, turn: int) -> MindState:
    """Something else was done instead of what was meant: once is a digression, twice and the desire rests a while."""
    if state.unheeded != act:
        return state.with_fields({"intention": desire.name, "unheeded": act})
    return _rest_desire(state, desire, turn + REST).with_fields({"intention": None, "unheeded": None})


def _learn_denial(decision: Decision, view: CharacterView, acts: Sequence[Act]) -> MindState:
    """Grit decides what a denial leaves of an intention."""
    state, desire, who = decision.state, decision.desire, view.character.personality
    last = decision.acts[-1] if decision.acts else None
    state = state.with_fields(
        {
            "mood": apply_shock(state.mood, -0.2, 0.15, who.neuroticism),
            "failed": (last.verb.id, last.target) if last else ("*", None),
            "failed_act": last.tag if last else None,
        }
    )
    if desire is None:
        return state
    struggle = state.struggles.get(desire.name)
    left = struggle.tries_left - 1 if struggle else tries_after_denial(who.grit)
    tags = [act.tag for act in (*decision.acts, *acts)]
    spent = Struggle(tries_left=left, tried=_newest(struggle.tried if struggle else (), tags, 40))
    state = state.with_fields({"struggles": {**state.struggles, desire.name: spent}, "intention": desire.name})
    return state if left > 0 else _rest_desire(state, desire, view.turn + LONG_REST).with_field("intention", None)


def _newest(old: Sequence[str], new: Iterable[str], limit: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*old, *new]))[-limit:]
