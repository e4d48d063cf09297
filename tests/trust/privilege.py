"""Text gains no privilege: authority comes from where a text is from, never from what it says.

Whatever the obedient model has read and said, everything that happened is held against what may happen."""

import asyncio
import html
import io
import json
import os
import random
import re
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from lxml import etree
from lxml import html as markup
from markdown_it import MarkdownIt

from hakoniwa import llm
from hakoniwa.actor import turn_prompts
from hakoniwa.capabilities import agent_delegate, fetch
from hakoniwa.cli import printer, screen
from hakoniwa.cli.terminal import Terminal
from hakoniwa.director import next_speaker
from hakoniwa.gm import step
from hakoniwa.lab.report.analysis import _cell
from hakoniwa.llm import make_harmless
from hakoniwa.pack import pack
from hakoniwa.persona.generated import Generated
from hakoniwa.play import export, order, transcript
from hakoniwa.play import turn as turns
from hakoniwa.play.session import Session
from hakoniwa.service import answering, chat_events, garden_events
from hakoniwa.service.answering import AnswerPiece
from hakoniwa.service.chat_events import chat_event_of
from hakoniwa.stage.names import nfkc
from hakoniwa.stage.world import WorldState, people_in
from hakoniwa.turn import Event, PatchOp, Ruling
from tests.capabilities.hostile import inside
from tests.trust.carriers import (
    CARRIERS,
    GRANTED,
    SEARCH,
    SEARCH_KEY,
    TO_GARDENS,
    WHISPER,
    InChat,
    InGarden,
    InLife,
    Played,
    carried,
)
from tests.trust.obedient import Obedient
from tests.trust.payloads import CARD, FAMILIES, LOOK_ALIKE, MARK, THING, marked, payload
from tests.trust.promise import Mutant, Patch, Promise, Tries, Try

KEY = "CANARY-KEY-73"  # in the environment
FACES_DRAWN = re.compile(
    r'<svg class="faces" aria-hidden="true">(?:<symbol id="face-\d+" viewBox="0 0 980 980"></symbol>)*</svg>'
)
FACE_SHOWN = re.compile(r'<svg class="face" aria-hidden="true"><use href="#face-\d+"/></svg>')
LIVE = frozenset({"script", "iframe", "object", "embed", "img", "svg", "form", "base", "link", "input", "video"})
ACTIVE_MARKDOWN = frozenset({"image", "link_open", "html_block", "html_inline"})
FORMULAS = ("=", "+", "-", "@", "\t", "\r")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
REFUSED = frozenset({"not-allowed", "option", "bad-payload", "not-configured"})  # before anything was begun
LINE_END = re.compile(r"\r\n|\r|\n")
# By what a chat template, or a reader who does not look closely, would be told that somebody else is speaking.
STEERING = re.compile(
    r"<\|[^<>\n]*>|<[^<>\n]*\|>|<(?:start|end)_of_turn>|</?(?:s|bos|eos)>|\[/?INST\]"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
SCENE = re.compile(r"<scene_state location=.*?</scene_state>", re.DOTALL)
OF_SCENES = frozenset({"scene_state", "actor", "environment", "exits"})
NAMED = re.compile(r'(?:\[\s*next\s*:|"next"\s*:\s*")([^\]"]*)', re.IGNORECASE)
FACT = re.compile(r"\s*FACT\s*:", re.IGNORECASE)  # as the cards of the GM and the Director begin in a prompt
SIGNS = re.compile(r"(?:(?:FACT|SCENE|STYLE|REL)\s*:\s*)+", re.IGNORECASE)  # of all that pose as one
FORGED = re.compile(rf"{SIGNS.pattern}[^\n」]+", re.IGNORECASE)
IN_THEIR_PLACE = re.compile(r"^あなたは[^\n]*。\n(.*?)^(?:知っていること|思い出したこと|気分|見立て): ", re.S | re.M)
CHANGING = frozenset(  # what may change the world, and who brings it about
    {("turn", "actor"), ("clock", "gm"), ("process", "gm"), ("incident", "gm"), ("incident", "user"), ("prop", "user")}
)

View = Callable[[Session], Iterator[str]]


def check(count: int, seed: int) -> Tries:
    """Carry texts of all families in by all carriers, in turn."""
    chance, arrived = random.Random(seed), set()
    ways = [(family, carrier) for family in FAMILIES for carrier in CARRIERS]
    chance.shuffle(ways)
    with patch.dict(os.environ, HAKONIWA_API_KEY=KEY), asyncio.Runner() as runner:
        for number in range(count):
            family, carrier = ways[number % len(ways)]
            model = Obedient(payload(family, chance), number)
            yield _tried(carrier, family, model, runner, chance)
            arrived |= {carrier} if model.seen else set()
        if count >= len(ways):
            yield from _cards(runner, chance)
            yield Try("every carrier carries", sorted(set(CARRIERS) - arrived))


def _tried(carrier: str, family: str, model: Obedient, runner: asyncio.Runner, chance: random.Random) -> Try:
    seen = carried(carrier, model.text, model, runner)
    found = [] if seen is None else list(breaches(seen, chance.choice(VIEWS)))
    return Try(carrier, [f"{carrier}, {family}: {one}: {model.text!r}" for one in found])


def _cards(runner: asyncio.Runner, chance: random.Random) -> Tries:
    """Forged cards in every spelling, by every carrier that leads to where there are real ones."""
    for spelling in FAMILIES[CARD]:
        for carrier in TO_GARDENS:
            yield _tried(carrier, CARD, Obedient(marked(spelling, chance)), runner, chance)


def breaches(seen: InGarden | InChat | InLife, view: View) -> Iterator[str]:
    """Every privilege that was gained; a garden is looked at by one of the slower ways in which people see it."""
    prompts = "\n".join(prompt for _, prompt in seen.model.asked)
    yield from (f"{name} is out" for name in (KEY, WHISPER, SEARCH_KEY) if name in prompts)
    yield from _of_prompts(prompts)
    match seen:
        case InGarden():
            yield from _of_rows(seen)
            yield from _of_cards(seen)
            for one in seen.played:
                yield from _of_turn(seen.session, one)
            yield from view(seen.session)
            yield from _in_a_table(seen.session)
            said = "".join(seen.model.said)
            yield from _one_event(
                garden_events.EVENTS.frame(garden_events.PieceNews(turn=1, who="LUMINA", text=said)), said
            )
        case InChat():
            yield from _of_chat(seen)
        case InLife():
            yield from _of_life(seen)


# --- a prompt ---------------------------------------------------------------------------------------------------------


def _of_prompts(prompts: str) -> Iterator[str]:
    """Whether something in a prompt poses as another message, or as part of the scene."""
    if sign := STEERING.search(prompts):
        yield f"a prompt has {sign[0]!r} in it"
    for scene in set(SCENE.findall(prompts)):
        try:
            tags = {one.tag for one in etree.fromstring(scene).iter()}
        except etree.XMLSyntaxError:
            tags = {"something that is no XML"}
        yield from (f"the scene has {tag} in it" for tag in sorted(tags - OF_SCENES))


# --- a garden ---------------------------------------------------------------------------------------------------------


def _of_rows(seen: InGarden) -> Iterator[str]:
    """Whether anything changed the world but what may, or somebody has turns that they did not play."""
    actors = [row.event.origin for row in seen.session.rows if row.event.origin.startswith("actor:")]
    if actors != [f"actor:{one.who}" for one in seen.played]:
        yield f"events in the name of {actors}"
    for row in seen.session.rows:
        by = (row.event.kind, row.event.origin.partition(":")[0])
        if row.event.world_delta and by not in CHANGING:
            yield f"the world was changed by {by}"


# --- fact cards -------------------------------------------------------------------------------------------------------


def _of_cards(seen: InGarden) -> Iterator[str]:
    """Whether something poses as a fact of the GM or the Director, on record or before a model's eyes."""
    claims = tuple(_claim(one[0]) for one in FORGED.finditer(_unmarked(seen.model.text)))
    cards = {card for turn in seen.session.turns() for card in (*turn.take.ruling.fact_cards, *turn.facts)}
    yield from (f"a forged card is on record: {card!r}" for card in sorted(cards) if _claim(card).startswith(claims))
    known = {*cards, pack("ja").phrases["goes-on"]}
    for told in dict.fromkeys(seen.model.told):
        lines = [line for line in told.splitlines() if FACT.match(nfkc(line))]
        place = IN_THEIR_PLACE.search(told.rpartition("【いま】")[2])
        lines += place[1].splitlines() if place else []
        yield from (f"a prompt has a card that nobody gave: {line!r}" for line in lines if line not in known)


def _claim(card: str) -> str:
    """What a card says, real or forged."""
    return SIGNS.sub("", _unmarked(card)).strip()


def _unmarked(text: str) -> str:
    return nfkc(make_harmless(text)).replace(MARK, "").strip()


# --- a turn -----------------------------------------------------------------------------------------------------------


def _of_turn(session: Session, played: Played) -> Iterator[str]:
    own = [row for row in played.rows if row.event.kind == "turn"]
    if [row.event.origin for row in own] != [f"actor:{played.who}"]:
        yield f"turns of {[row.event.origin for row in own]} instead of one of {played.who}"
    if {row.event.origin for row in played.rows if row.event.kind != "turn"} - {"gm"}:
        yield "an event in another's name"
    if any(row.event.payload.get("speaker", played.who) != played.who for row in own):
        yield "a turn that says it is another's"
    yield from _speaker_after(session, played)
    yield from _world_after(played)


def _speaker_after(session: Session, played: Played) -> Iterator[str]:
    """Someone who is here may be named by the speaker's own reply; else it is whoever follows in the scene."""
    cast = list(session.cast)
    here = people_in(played.after, played.after.characters[played.who].location)
    place = cast.index(played.who) + 1
    follower = next((one for one in [*cast[place:], *cast[: place - 1]] if one in here), played.who)
    chosen = played.turn.next_speaker
    if chosen != follower and not (played.obeyed and chosen in here and chosen in cast and _named(session, played)):
        yield f"{chosen} speaks next ({played.turn.next_reason}), who was not to be chosen"


def _named(session: Session, played: Played) -> bool:
    """Whether the reply has the very name of whoever is next where a nomination has one, and not only the like."""
    sheet = session.cast[played.turn.next_speaker or ""]
    names = [one for one in (played.turn.next_speaker, sheet.display_name, sheet.short_name) if one]
    said = nfkc(played.turn.take.performance.text)
    return any(name.casefold() in found.casefold() for name in names for found in NAMED.findall(said))


def _world_after(played: Played) -> Iterator[str]:
    before, after = (world.model_dump(mode="json") for world in (played.before, played.after))
    for table in ("characters", "locations", "props"):
        if before[table].keys() != after[table].keys():
            yield f"{table} came or went: {sorted(before[table].keys() ^ after[table].keys())}"
    if any(before.get(name) != after.get(name) for name in ("rules", "meta", "locations")):
        yield "the world was told anew"
    named = {target for _, target in played.turn.deeds} if played.obeyed and played.turn.take.ruling.allowed else set()
    for name in before["props"].keys() & after["props"].keys() - named:
        if before["props"][name] != after["props"][name]:
            yield f"{name} changed, and nobody did anything with it"
    yield from _others_after(played.who, named, before, after)


def _others_after(who: str, named: set[str | None], before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """Others may have been given what the actor held, or took in this very turn, and that is all."""
    hand = {*before["characters"][who]["holding"], *named}
    for name in before["characters"].keys() & after["characters"].keys() - {who}:
        old, new = before["characters"][name], after["characters"][name]
        held, holds = set(old["holding"]), set(new["holding"])
        if holds - held - hand or held - holds or {**old, "holding": ()} != {**new, "holding": ()}:
            yield f"{name} was moved by {who}"


# --- what people see --------------------------------------------------------------------------------------------------


def _on_a_page(session: Session) -> Iterator[str]:
    page = markup.fromstring(_without_faces(export.to_html(session, "ja"), session))
    for element in page.iter():
        if element.tag in LIVE or any(name.startswith("on") for name in element.attrib):
            yield f"the page has a live {element.tag}"
        if any(not element.attrib[name].startswith("#") for name in ("href", "src") if name in element.attrib):
            yield f"the page leads out by its {element.tag}"


def _without_faces(page: str, session: Session) -> str:
    """A page without the faces that are drawn for it, each to the letter as it was drawn."""
    for entry in export.cast_entries(session):
        page = page.replace(entry.face, "")
    return FACE_SHOWN.sub("", FACES_DRAWN.sub("", page))


def _in_markdown(session: Session) -> Iterator[str]:
    tokens = MarkdownIt("commonmark").parse(export.to_markdown(session, "ja"))
    kinds = {one.type for token in tokens for one in (token, *(token.children or ()))}
    yield from (f"the script in Markdown has a live {kind}" for kind in sorted(kinds & ACTIVE_MARKDOWN))


def _on_a_terminal(session: Session) -> Iterator[str]:
    if sign := CONTROL.search(_printed(session)):
        yield f"the terminal is told {sign[0]!r}"


def _in_a_table(session: Session) -> Iterator[str]:
    """What was said and thought, as cells of a table that a spreadsheet opens."""
    texts = [text for turn in session.turns() for text in (turn.thought.text, turn.take.performance.text)]
    yield from (f"a cell is a formula: {text[:20]!r}" for text in texts if str(_cell(text)).startswith(FORMULAS))


VIEWS: tuple[View, ...] = (_on_a_page, _in_markdown, _on_a_terminal)


def _printed(session: Session) -> str:
    """The play as it goes to a terminal."""
    with redirect_stdout(io.StringIO()) as out:
        printer.PlayPrinter(Terminal("ja"), session, thoughts=True).follow(session.rows)
    return out.getvalue()


def _one_event(frame: bytes, text: str = "") -> Iterator[str]:
    """Whether a stream carries one event and no more, with that text, by the rules browsers read it by."""
    sent = frame.decode()
    lines = LINE_END.split(sent)
    fields = [line.partition(":")[0] for line in lines if line and not line.startswith(":")]
    if sent.count("\n\n") != 1 or sorted({*fields} - {"id"}) != ["data", "event"] or len({*fields}) != len(fields):
        yield f"a frame of {fields}"
    elif not _says(next(line for line in lines if line.startswith("data:"))[5:], text):
        yield "a frame that says something else"


def _says(data: str, text: str) -> bool:
    """Whether the data of an event is JSON, with that text if it has one."""
    try:
        return bool(json.loads(data).get("text", text) == text)
    except ValueError:
        return False


# --- a chat, and a life of one's own ----------------------------------------------------------------------------------


def _of_chat(seen: InChat) -> Iterator[str]:
    exchanges = [(row.event.kind, row.event.origin, row.event.payload.get("user_text")) for row in seen.rows]
    if exchanges != [("chat", "user", words) for words in seen.said]:
        yield f"other exchanges than there were: {exchanges}"
    asked_and_said = zip(seen.model.asked, seen.model.said, strict=True)
    replies = [reply for (purpose, _), reply in asked_and_said if purpose == "ghost.reply"]
    if [row.event.payload.get("assistant_text") for row in seen.rows] != replies:
        yield "an answer that nobody gave"
    for reply in replies:
        yield from _one_event(answering.EVENTS.frame(AnswerPiece(text=Generated(reply))), reply)


def _of_life(seen: InLife) -> Iterator[str]:
    if strangers := {row.event.origin for row in seen.rows} - {"autonomy"}:
        yield f"events in the name of {sorted(strangers)}"
    for row in seen.rows:
        if row.event.kind == "autonomy.result":
            yield from _of_result(row.event.payload, seen.granted)
        if SEARCH_KEY in json.dumps(row.event.payload):
            yield "the key of the search server is out"
        if (what := chat_event_of(row)) is not None:
            yield from _one_event(chat_events.EVENTS.frame(what, row.seq))
    if wrong := [host for host, _ in seen.wire.dialled if host != SEARCH and inside(host)]:
        yield f"a connection to {wrong}"


def _of_result(result: dict[str, Any], granted: frozenset[str]) -> Iterator[str]:
    """Whether something was done that was not granted, or a task got as far as the runner that may not be given."""
    if result["action_type"] not in granted and result["result"]["result_status"] != "failed":
        yield f"{result['action_type']} was done, and never granted"
    asked, fault = result["asked"], result["result"]["result_payload"].get("fault")
    command = asked.get("backend", "").partition(":")[2]
    stranger = command and command not in GRANTED
    optional = str(asked.get("task_instruction", "")).startswith("-")
    if "agent_delegate" in granted and fault not in REFUSED and (stranger or optional):
        yield f"a task that may not be given: {asked}"


# --- mutants ----------------------------------------------------------------------------------------------------------


def _gullible(patch: Patch) -> None:
    """Who speaks next is read in whatever was said lately, whoever said it."""

    def following(session: Session, speaker: str, cut: Any) -> Any:
        heard = "\n".join(str(row.event.payload.get("text", "")) for row in session.rows[-3:])
        here = people_in(session.world, session.world.characters[speaker].location)
        return order._resolve_next(session, speaker, f"{heard}\n{cut.take.performance.text}", here, [*session.cast])

    patch.setattr(turns, "next_by_reply", following)


def _anybody(patch: Patch) -> None:
    patch.setattr(order, "people_in", lambda world, _: list(world.characters))


def _patched_by_words(patch: Patch) -> None:
    """A thing that somebody speaks of comes into being."""
    after = Session.after

    def believing(self: Session, world: WorldState, delta: Any) -> WorldState:
        found = after(self, world, delta)
        props = {**found.props, THING: found.props["杯"]}
        return found.model_copy(update={"props": props}) if self.rows[2:] else found

    patch.setattr(Session, "after", believing)


def _overheard(patch: Patch) -> None:
    """Everybody hears every whisper."""
    of = transcript.Transcripts.of

    def everything(self: Any, who: str, rows: Any) -> Any:
        return of(self, who, [_public(row, list(self._lines)) for row in rows])

    def _public(row: Any, everyone: list[str]) -> Any:
        return row.model_copy(update={"event": row.event.model_copy(update={"witnesses": tuple(everyone)})})

    patch.setattr(transcript.Transcripts, "of", everything)


def _given_to_anybody(patch: Patch) -> None:
    patch.setattr(agent_delegate, "refusal", lambda *_: None)


def _unescaped(patch: Patch) -> None:
    patch.setattr(export, "_page", export._templates(autoescape=False))


def _steered(patch: Patch) -> None:
    patch.setattr(printer, "printable", str)
    patch.setattr(screen, "harmless", lambda text, *_: text)


def _plainly(patch: Patch) -> None:
    patch.setattr(export._plain, "filters", {**export._plain.filters, "plain": str})


def _so_be_it(patch: Patch) -> None:
    """Whatever the user says of the weather is so."""
    honest = Session.say

    async def say(self: Session, text: str, urges: Any = ()) -> Any:
        await honest(self, text, urges)
        delta = (PatchOp(op="replace", path="/meta/weather", value=text),)
        return await self.commit([Event(kind="user", turn=0, origin="user", payload={"text": ""}, world_delta=delta)])

    patch.setattr(Session, "say", say)


def _in_anybodys_place(patch: Patch) -> None:
    patch.setattr(llm, "_SPEAKER", re.compile(r"(?!)"))


def _alike(patch: Patch) -> None:
    """Names that look the same are the same."""
    honest = next_speaker.normalized
    patch.setattr(next_speaker, "normalized", lambda raw: honest(raw).replace(LOOK_ALIKE, "NOX"))


def _led_inside(patch: Patch) -> None:
    patch.setattr(fetch, "is_public", lambda _: True)


def _written_into_the_scene(patch: Patch) -> None:
    honest = turn_prompts.scene_xml
    patch.setattr(turn_prompts, "scene_xml", lambda *details: html.unescape(honest(*details)))


def _taken_at_their_word(patch: Patch) -> None:
    """What anybody is heard to say after FACT: is a fact."""
    honest = Session._facts

    def believing(self: Session, who: str) -> tuple[str, ...]:
        heard = "\n".join(one.speech for one in self.standing.recent[who])
        return (*re.findall(r"FACT: .*", heard), *honest(self, who))

    patch.setattr(Session, "_facts", believing)


def _ruled_by_words(patch: Patch) -> None:
    """The GM repeats what a reply gives out as a card."""
    honest = step.cards

    def repeating(ruling: Ruling, *details: Any) -> tuple[str, ...]:
        return (*re.findall(r"FACT: .*", ruling.parsed.speech or ""), *honest(ruling, *details))

    patch.setattr(step, "cards", repeating)


def _unquoted(patch: Patch) -> None:
    patch.setattr(turn_prompts, "quote_text", str)
    patch.setattr(
        turn_prompts, "_render_frame", turn_prompts._render_frame.__wrapped__
    )  # what is kept would be seen by whoever comes later


def _known_for_certain(patch: Patch) -> None:
    """What a lorebook says is a fact."""
    honest = Session.view

    def believing(self: Session, who: str, memories: Any = ()) -> Any:
        view = honest(self, who, memories)
        return replace(view, facts=(*view.facts, *view.lore), lore=())

    patch.setattr(Session, "view", believing)


PROMISE = Promise(
    name="privilege",
    says="Text gains no privilege: 40 families of payloads by 12 carriers, and a model that obeys whatever it reads.",
    check=check,
    short=100,
    long=5000,
    share=500,
    mutants=(
        Mutant("a nomination counts whoever says it", _gullible, 30),
        Mutant("somebody elsewhere can be named", _anybody, 30),
        Mutant("what is spoken of exists", _patched_by_words, 30),
        Mutant("whispers are heard by everybody", _overheard, 30),
        Mutant("any program can be given tasks", _given_to_anybody, 30, seed=0),
        Mutant("texts in a page are not escaped", _unescaped, 30, seed=4),
        Mutant("Markdown is taken at its word", _plainly, 30, seed=6),
        Mutant("signs that steer a terminal are printed", _steered, 30, seed=8),
        Mutant("what the user says is so", _so_be_it, 30),
        Mutant("a text can begin a message", _in_anybodys_place, 30),
        Mutant("names that look alike are one", _alike, 30, seed=5),
        Mutant("a page may lead inside", _led_inside, 30, seed=2),
        Mutant("names are markup", _written_into_the_scene, 30),
        Mutant("what is said to be a fact is one", _taken_at_their_word, 15, seed=2344),
        Mutant("the referee repeats forged cards", _ruled_by_words, 15, seed=2344),
        Mutant("a line can pose as a card", _unquoted, 15, seed=2344),
        Mutant("a lorebook gives out cards", _known_for_certain, 30),
    ),
)
