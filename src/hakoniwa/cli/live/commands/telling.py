"""/why: what stands behind a turn."""

from collections.abc import Iterator

from rich.text import Text

from hakoniwa.cli.live.command import LiveCommand, commands, number
from hakoniwa.cli.live.names import act_of
from hakoniwa.cli.live.show import Show
from hakoniwa.director.next_speaker import operation_of
from hakoniwa.errors import UsageError
from hakoniwa.gm.act import shown
from hakoniwa.gm.stall import NOTICE
from hakoniwa.play.export import why_of
from hakoniwa.play.plain_words import changes_told, chosen_because, chosen_desire, facts_told, read_told
from hakoniwa.stage.world import called
from hakoniwa.turn import ActionIntent, Explanation, Ruling, Turn

RANKED, RAW = 5, "--raw"


@commands.add("why")
class Why(LiveCommand):
    async def run(self, show: Show, rest: str) -> None:
        turns = show.session.standing.turns
        last = turns[-1].number if turns else 0
        raw = RAW in rest.split()
        wanted = number(show, "why", rest.replace(RAW, "").strip(), default=last)
        turn = show.session.turn(wanted)
        if turn is None:
            raise UsageError("play.no-such-turn", wanted=wanted, last=last)
        show.printer.title(show.say("play.why.title", turn=turn.number, who=called(show.session.world, turn.speaker)))
        show.printer.table(dict(_rows(show, turn, raw=raw)))


def _rows(show: Show, turn: Turn, *, raw: bool) -> Iterator[tuple[str, str | Text]]:
    ruling = turn.take.ruling
    if turn.thought.text:
        yield from _thought(show, turn)
    else:
        yield show.say("play.why.thought"), show.say("play.why.user")
    world, lang, intents = show.session.world, show.terminal.lang, ruling.parsed.action_intents
    understood = map(_intent, intents) if raw else read_told(world, intents, lang)
    yield show.say("play.why.read"), "\n".join(understood) or "—"
    yield from _ruling(show, ruling, raw=raw)
    if changes := why_of(turn).changes if raw else changes_told(world, ruling.world_delta, lang):
        yield show.say("play.why.changes"), "\n".join(changes)
    if cards := ruling.fact_cards if raw else facts_told(ruling.fact_cards):
        yield show.say("play.why.facts"), "\n".join(cards)
    following = called(show.session.world, turn.next_speaker) if turn.next_speaker else show.say("play.why.nobody")
    yield show.say("play.why.next"), show.noted(following, [show.say(f"play.by.{turn.next_reason}")])
    yield from _logged(show, turn)


def _logged(show: Show, turn: Turn) -> Iterator[tuple[str, str]]:
    """What the logs have of a turn, where there is something."""
    nomination, sanitized, stall = operation_of(turn), turn.take.sanitized, turn.take.ruling.stall_score
    if nomination.extracted_raw:
        yield show.say("play.why.operation"), f"{nomination.extracted_raw} → {nomination.normalized}"
    if sanitized.triggered:
        instead = sanitized.replacement or show.say("logs.nothing")
        yield show.say("play.why.sanitizer"), f"{sanitized.original_action} → {instead}"
    if stall >= NOTICE:
        yield show.say("play.why.stall"), f"{stall:.2f}"


def _thought(show: Show, turn: Turn) -> Iterator[tuple[str, str]]:
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


def _ruling(show: Show, ruling: Ruling, *, raw: bool) -> Iterator[tuple[str, str | Text]]:
    why = ruling.explanation
    if why is None:
        yield show.say("play.why.ruling"), Text(show.say("play.why.allowed"), "green")
        return
    head = [show.say("play.why.denied", reason=why.reason, rule=why.rule)] if raw else []
    yield show.say("play.why.ruling"), Text("\n".join([*head, why.told, *_whereabouts(show, why)]), "red")
    acts = [act for tag in why.instead if (act := act_of(tag))]
    if acts:
        world, language = show.session.world, show.session.scenario.language
        lines = [shown(world, act, language) + (f"  {act.tag}" if raw else "") for act in acts]
        yield show.say("play.why.instead"), "\n".join(lines)


def _whereabouts(show: Show, why: Explanation) -> Iterator[str]:
    what = why.resolved or why.written or ""
    if why.held_by:
        yield show.say("play.why.held", what=what, who=called(show.session.world, why.held_by))
    elif why.where:
        yield show.say("play.why.where", what=what, where=why.where)
