"""/look, /who, /map, /why: the garden and its turns in words."""

from collections.abc import Iterable, Iterator

from rich.text import Text

from hakoniwa.cli.live.arguments import number_argument, split_name
from hakoniwa.cli.live.show import LiveShow
from hakoniwa.director.next_speaker import operation_of
from hakoniwa.director.reply_check import evaluated_tokens
from hakoniwa.errors import UsageError
from hakoniwa.gm.act import act_of, stage_direction
from hakoniwa.gm.stall import NOTICE
from hakoniwa.llm import Call
from hakoniwa.messages import states_in_words
from hakoniwa.play.export import reasons_of
from hakoniwa.play.plain_words import (
    changes_told,
    chosen_because,
    chosen_desire,
    facts_told,
    policy_told,
    read_told,
)
from hakoniwa.stage.scene import LastSeen, Scene, SeenThing, look
from hakoniwa.stage.world import Condition, enclosing_container, holder, people_in, rooms, story_name, things_here
from hakoniwa.turn import ActionIntent, Explanation, Ruling, Turn

NAMED, RANKED, RAW = 8, 5, "--raw"


async def show_view(show: LiveShow, rest: str) -> None:
    who = split_name(show.session, rest)[0] if rest else _onlooker(show)
    scene = look(show.session.world, who, show.session.standing.beliefs.get(who))
    show.printer.title(show.say("play.look.title", who=story_name(show.session.world, who)))
    show.printer.line("  " + show.joined([scene.location, scene.time, scene.weather]))
    if scene.description:
        show.printer.line(f"  {scene.description}")
    show.printer.table(_scene(show, scene))


async def show_people(show: LiveShow, _: str) -> None:
    rows = {story_name(show.session.world, who): _person(show, who) for who in show.session.world.characters}
    show.printer.table(rows)


async def show_map(show: LiveShow, _: str) -> None:
    for room in rooms(show.session.world):
        for line in _room(show, room):
            show.printer.line(line, indent=4)


def _onlooker(show: LiveShow) -> str:
    """Through whose eyes the camera sees: whoever spoke last, or someone who is where it is."""
    world, turns = show.session.world, show.session.standing.turns
    here = people_in(world, world.location.current) or list(world.characters)
    return turns[-1].speaker if turns and turns[-1].speaker in here else here[0]


def _scene(show: LiveShow, scene: Scene) -> dict[str, str]:
    others = [_person_here(show, one.name) for one in scene.people if one.name != scene.viewer]
    own = [one.name for one in scene.things if scene.viewer in (one.held_by, one.bearer)]
    things = [_thing(show, one) for one in scene.things if one.held_by is None and one.bearer != scene.viewer]
    rows = {"people": others, "own": own, "things": things, "exits": list(scene.exits)}
    nothing = show.say("play.look.nothing")
    told = {name: show.listed(found) or nothing for name, found in rows.items()}
    if scene.last_seen:
        told["remembered"] = "\n".join(_memories(show, scene.last_seen))
    return {show.say(f"play.look.{name}"): text for name, text in told.items()}


def _person_here(show: LiveShow, who: str) -> str:
    world = show.session.world
    held = world.characters[who].holding
    notes = [show.say("play.look.holding", things=show.listed(held))] if held else []
    return show.noted(story_name(world, who), notes)


def _thing(show: LiveShow, one: SeenThing) -> str:
    return show.noted(one.name, [*states_in_words(one.state, show.terminal.lang), *([one.place] if one.place else [])])


def _memories(show: LiveShow, last_seen: Iterable[LastSeen]) -> Iterator[str]:
    """What is remembered, place by place; of many things in one place the first few are named."""
    places: dict[tuple[str, bool], list[str]] = {}
    for one in last_seen:
        places.setdefault((one.where, one.gone), []).append(one.name)
    for (where, gone), names in places.items():
        more = [show.say("cli.and-more", count=len(names) - NAMED)] if len(names) > NAMED else []
        things = show.listed([*names[:NAMED], *more])
        yield show.say("play.look.gone" if gone else "play.look.last-seen", where=where, things=things)


def _person(show: LiveShow, who: str) -> str:
    world, sheet = show.session.world, show.session.cast.get(who)
    figure, mind = world.characters[who], show.session.standing.minds.get(who)
    full = sheet.display_name if sheet and sheet.display_name != story_name(world, who) else ""
    held = show.say("play.look.holding", things=show.listed(figure.holding)) if figure.holding else ""
    mood = show.say(f"mood.{mind.mood.label}") if mind else ""
    return show.joined([full, figure.location, figure.posture or "", held, show.listed(figure.status), mood])


def _room(show: LiveShow, room: str) -> Iterator[Text]:
    """A room with what can be seen in it: not what is hidden or shut away."""
    world = show.session.world
    location = world.locations.get(room)
    ways = [show.noted(way, [one.via] if one.via else []) for way, one in location.exits.items()] if location else []
    here = Text(room, "bold reverse" if room == world.location.current else "bold")
    yield Text.assemble(here, "  → " + show.listed(ways) if ways else "")
    if persons := people_in(world, room):
        yield Text.assemble("    ", (show.listed(_person_here(show, who) for who in persons), "cyan"))
    if things := [_with_state(show, name) for name in things_here(world, room) if _in_view(show, name)]:
        yield Text.assemble("    ", (show.listed(things), "dim"))


def _in_view(show: LiveShow, name: str) -> bool:
    world = show.session.world
    return not (world.props[name].is_(Condition.HIDDEN) or enclosing_container(world, name) or holder(world, name))


def _with_state(show: LiveShow, name: str) -> str:
    return show.noted(name, states_in_words(show.session.world.props[name].state, show.terminal.lang))


async def explain_turn(show: LiveShow, rest: str) -> None:
    turns = show.session.standing.turns
    last = turns[-1].number if turns else 0
    raw = RAW in rest.split()
    wanted = number_argument(show, "why", rest.replace(RAW, "").strip(), default=last)
    turn = show.session.turn(wanted)
    if turn is None:
        raise UsageError("play.no-such-turn", wanted=wanted, last=last)
    show.printer.title(show.say("play.why.title", turn=turn.number, who=story_name(show.session.world, turn.speaker)))
    show.printer.table(dict(_rows(show, turn, raw=raw)))


def _rows(show: LiveShow, turn: Turn, *, raw: bool) -> Iterator[tuple[str, str | Text]]:
    ruling = turn.take.ruling
    if turn.thought.text:
        yield from _thought(show, turn)
    else:
        yield show.say("play.why.thought"), show.say("play.why.user")
    world, lang, intents = show.session.world, show.terminal.lang, ruling.parsed.action_intents
    understood = map(_intent, intents) if raw else read_told(world, intents, lang)
    yield show.say("play.why.read"), "\n".join(understood) or "—"
    yield from _ruling(show, ruling, raw=raw)
    if changes := reasons_of(turn).changes if raw else changes_told(world, ruling.world_delta, lang):
        yield show.say("play.why.changes"), "\n".join(changes)
    if cards := ruling.fact_cards if raw else facts_told(ruling.fact_cards):
        yield show.say("play.why.facts"), "\n".join(cards)
    following = story_name(show.session.world, turn.next_speaker) if turn.next_speaker else show.say("play.why.nobody")
    yield show.say("play.why.next"), show.noted(following, [show.say(f"play.by.{turn.next_reason}")])
    yield from _log_rows(show, turn)
    yield from _price(show, turn)


def _price(show: LiveShow, turn: Turn) -> Iterator[tuple[str, str]]:
    """What a turn cost: calls of the model, the tokens it read and wrote, and the seconds."""
    rows = show.session.journal.calls(show.session.garden.id, show.session.branch, turn.number)
    calls = [Call.model_validate(row.call) for row in rows]
    if calls:
        told = {"calls": len(calls), "seconds": f"{sum(one.total_ms for one in calls) / 1000:.1f}"}
        tokens = evaluated_tokens(calls)
        yield show.say("play.why.price"), show.say("play.why.paid", tokens="—" if tokens is None else tokens, **told)
    if drift := turn.take.drift:
        yield show.say("play.why.drift"), "\n".join(drift)


def _log_rows(show: LiveShow, turn: Turn) -> Iterator[tuple[str, str]]:
    """What the logs have of a turn, where there is something."""
    speakers = show.session.scenario.speakers
    nomination, sanitized, stall = operation_of(turn, speakers), turn.take.sanitized, turn.take.ruling.stall_score
    if nomination.extracted_raw:
        yield show.say("play.why.operation"), f"{nomination.extracted_raw} → {nomination.normalized}"
    if policy := policy_told(speakers, show.terminal.lang):
        yield show.say("play.why.policy"), policy
    if sanitized.triggered:
        instead = sanitized.replacement or show.say("logs.nothing")
        yield show.say("play.why.sanitizer"), f"{sanitized.original_action} → {instead}"
    if stall >= NOTICE:
        yield show.say("play.why.stall"), f"{stall:.2f}"


def _thought(show: LiveShow, turn: Turn) -> Iterator[tuple[str, str]]:
    thought = turn.thought
    yield show.say("play.why.thought"), thought.text
    if thought.beliefs:
        yield show.say("play.why.beliefs"), "\n".join(thought.beliefs)
    ranked = [
        f"{one.score:.2f}  " + show.noted(one.desire, [show.say(f"play.kind.{one.kind}")])
        for one in thought.desires[:RANKED]
    ]
    if ranked:
        yield show.say("play.why.desires"), "\n".join(ranked)
    if chosen := chosen_desire(turn):
        reason = chosen_because(turn, show.terminal.lang)
        yield show.say("play.why.chosen"), "\n".join([chosen, *([reason] if reason else [])])
    if thought.means:
        yield show.say("play.why.means"), show.say(f"play.way.{thought.means}")
    if thought.tries_left is not None:
        yield show.say("play.why.tries"), str(thought.tries_left)


def _intent(one: ActionIntent) -> str:
    kind = one.intent if one.verb in (None, one.intent) else f"{one.intent}/{one.verb}"
    arrow = f" → {one.destination}" if one.destination else ""
    said = f"  {one.detail}" if one.detail and one.verb is None else ""
    return f"{kind}{f' {one.target}' if one.target else ''}{arrow}{said}"


def _ruling(show: LiveShow, ruling: Ruling, *, raw: bool) -> Iterator[tuple[str, str | Text]]:
    why = ruling.explanation
    if why is None:
        yield show.say("play.why.ruling"), Text(show.say("play.why.allowed"), "green")
        return
    head = [show.say("play.why.denied", reason=why.reason, rule=why.rule)] if raw else []
    yield show.say("play.why.ruling"), Text("\n".join([*head, why.told, *_whereabouts(show, why)]), "red")
    acts = [act for tag in why.instead if (act := act_of(tag))]
    if acts:
        world, language = show.session.world, show.session.scenario.language
        lines = [stage_direction(world, act, language) + (f"  {act.tag}" if raw else "") for act in acts]
        yield show.say("play.why.instead"), "\n".join(lines)


def _whereabouts(show: LiveShow, why: Explanation) -> Iterator[str]:
    what = why.resolved or why.written or ""
    if why.held_by:
        yield show.say("play.why.held", what=what, who=story_name(show.session.world, why.held_by))
    elif why.where:
        yield show.say("play.why.where", what=what, where=why.where)
