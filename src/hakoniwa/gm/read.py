"""Reading a reply: thought, speech, stage directions and act tags told apart. Total: any string gives an answer."""

import re
from collections.abc import Sequence
from itertools import compress, islice
from types import ModuleType

from hakoniwa.gm import english, japanese
from hakoniwa.gm.clause import Telling
from hakoniwa.gm.history import History
from hakoniwa.gm.interpret import Reading, read_clauses, without_sips, without_way_stations
from hakoniwa.gm.pieces import Kind, Piece, narrowed, take_apart
from hakoniwa.gm.second import UNDECIDED, SecondReading, doubt_about, tag_of
from hakoniwa.gm.telling import with_telling
from hakoniwa.pack import LANGUAGES, Verb, fold_surface, pack, verb_of
from hakoniwa.stage.world import WorldState, people_in, sight
from hakoniwa.turn import ActionIntent, IntentKind, ParsedOutput

_TAG = re.compile(r"^\s*+(?P<verb>[^:\n]{1,40}?)\s*+:\s*+(?P<rest>[^\n]{1,200}?)\s*$")
_BARE_TAG = re.compile(r"^\s*[A-Z][A-Z_]{1,20}\s*$")
_ARROW = re.compile(r"\s*(?:->|→|=>|⇒)\s*")
_QUESTION = re.compile(
    r"[?？]|(?:です|ます|ません|ない|でしょう|だろう|の|た|る)か(?:い|ね|よ)?[。…\s]*$|(?:かな|かしら)[。…\s]*$"
    r"|(?:です|ます|ません|ない|の|た|る)か(?:い|ね)?、[^、。]{1,12}[。…\s]*$"
    # Who, what or where, and an ending that asks: どこへ行ってたんだい, 何にするの, 誰だ. It is a word of its own,
    # not the なに of そんなに; 何度か, 誰でも and どうなるか ask nothing.
    r"|(?:(?<![ぁ-ん])|(?<=[はがをにのもとでへて]))"
    r"(?:[誰何]|なに|どこ|いつ|どれ|どっち|どちら|どう|なぜ|なんで|いくつ|いくら)"
    r"(?!も|でも|とか|とも|の間|せ|ぞ|り|やら)(?:(?!か(?!ら|い))[^、。!！]){0,30}?"
    r"(?:の|んだ|のだ|んです|のです|だい|(?<=[誰何こつれちう])(?:した|だ))(?:い|よ|ね|さ)?[。…\s]*$"
    r"|何[一-龯ァ-ヶー]{1,4}だい?[。…\s]*$"  # 何ミリだ, 何者だ
)
# To whoever asked, ココアかな is an answer.
_MUSING = re.compile(r"(?:かな|かしら)[。…\s]*$")
_SENTENCE = re.compile(r"[^。！!？?\n]+[。！!？?]*")
_JAPANESE = re.compile(r"[぀-ヿ㐀-鿿]")
_QUOTED = re.compile(r"[「『][^「『」』]*[」』]")
_LONGEST_TAG = 300
_LONGEST_TOLD = 2_000
MOST_OWN, MOST_GESTURES = 3, 64


def read(
    text: str, world: WorldState, who: str, history: History | None = None, second: SecondReading | None = None
) -> ParsedOutput:
    """A reply taken apart, as a reader would; what is not sure is asked of a second reading, if there is one."""
    apart = take_apart(text, world, who)
    quoted = any(piece.kind == "quoted" for piece in apart.pieces)
    reading = Reading(world, who, pack(world.language))
    told = not quoted and _told(apart.pieces, world, who)
    directions = [one.text for one in apart.pieces if one.kind == "direction" or told or (quoted and _narrated(one))]
    speech = None if told else _speech(apart.pieces, "quoted" if quoted else "bare")
    acts = [(one, _acts(one, reading, second)) for one in directions]
    found = [act for _, listed in acts for act in listed]
    plain = tuple(one for one, _ in acts if not _TAG.match(narrowed(one[:_LONGEST_TAG])))
    tagged = len(plain) < len(acts)
    addressee = _addressee(speech, world, who, history)
    repairs = tuple(dict.fromkeys(apart.repairs))
    return ParsedOutput(
        thought=apart.thought,
        speech=speech,
        action_intents=(
            *_with_targets(_few_gestures(found if tagged else without_sips(found, reading))),
            *with_telling(_spoken(speech, addressee, who, history), world, who),
        ),
        directions=plain,
        unread=tuple(reading.unread),
        addressee=addressee,
        format_break=repairs[0] if repairs else None,
        repairs=repairs,
    )


def _few_gestures(acts: Sequence[ActionIntent]) -> list[ActionIntent]:
    """The acts without gestures that nobody counts any more: they change nothing."""
    gestures = (number for number, act in enumerate(acts) if act.intent is IntentKind.EMOTE)
    too_many = set(islice(gestures, MOST_GESTURES, None))
    return [act for number, act in enumerate(acts) if number not in too_many]


def led_by(tag: str, parsed: ParsedOutput, world: WorldState) -> ParsedOutput | None:
    """A reply as it reads with the tag of an act before it, without reading it again; None where that would not do:
    the reply has acts of its own, or the tag names none."""
    act = None if any(one.is_act for one in parsed.action_intents) else _tagged(tag[1:-1], world)
    return parsed.with_field("action_intents", (act, *parsed.action_intents)) if act else None


def made_sure(parsed: ParsedOutput) -> ParsedOutput:
    """A reply with every act taken for what it was read as."""
    acts = tuple(one if one.sure else one.with_field("sure", True) for one in parsed.action_intents)
    return parsed.with_field("action_intents", acts)


def _speech(pieces: Sequence[Piece], kind: Kind) -> str | None:
    """Quoted words where there are any, else whatever stands outside the stage directions."""
    return " ".join(piece.text for piece in pieces if piece.kind == kind) or None


def _narrated(piece: Piece) -> bool:
    """Where speech stands in quotation marks, a sentence outside them is narration."""
    return piece.kind == "bare" and len(piece.text) > 3


def _told(pieces: Sequence[Piece], world: WorldState, who: str) -> bool:
    """Whether a reply in which nothing is marked tells what its speaker does: by name, or by naming sure acts alone:
    with things of this world, where they may as well be asked of another."""
    if len(pieces) != 1 or pieces[0].kind != "bare" or len(pieces[0].text) > _LONGEST_TOLD:
        return False
    text = pieces[0].text
    how: Telling = language_of(text).telling(text, world.index.names, who)
    if how in ("told", ""):
        return how == "told"
    reading = Reading(world, who, pack(world.language))
    acts = _acts(text, reading)
    here = how == "ordered" or all(reading.names(one.target or "", "prop", "location") for one in acts)
    return here and all(one.verb and one.sure for one in acts) and not reading.unread


def _with_targets(acts: Sequence[ActionIntent]) -> list[ActionIntent]:
    """A tag that names nothing is about what the act before it was about: (GET: 茶) (DRINK)."""
    found: list[ActionIntent] = []
    for act in acts:
        before = found[-1].target if found and act.verb and act.target is None and found[-1].verb else None
        found.append(act.model_copy(update={"target": before}) if before else act)
    return found


def _acts(direction: str, reading: Reading, second: SecondReading | None = None) -> list[ActionIntent]:
    """The acts of a direction: a tag names its act, words describe theirs, and what has none is a gesture."""
    if tag := _tagged(direction, reading.world):
        return [tag]
    before, plain = len(reading.acts), _QUOTED.sub("", direction)
    language = language_of(direction)
    reading.language, reading.over = pack(language.LANGUAGE), False
    read_clauses(language.clauses_of(plain, reading.world.index.names, reading.who), reading)
    if second is not None:
        reading.acts[before:] = _read_again(reading, before, second)
    found = without_way_stations(reading.acts[before:])
    return found or [ActionIntent(intent=IntentKind.EMOTE, detail=direction)]


def _read_again(reading: Reading, before: int, second: SecondReading) -> list[ActionIntent]:
    """The acts with those that were not sure as a second reading has them, and with what it made of the unread."""
    names = names_in_sight(reading.world, reading.who)
    kept = []
    for place, act in enumerate(reading.acts[before:], start=before):
        clause = reading.doubts.get(place)
        chosen = UNDECIDED if clause is None else second.choose(doubt_about(clause, [tag_of(act)], names))
        if chosen is not None:
            kept.append(act if chosen == UNDECIDED else act.with_field("sure", True))
    for clause in list(reading.unread):
        doubt = doubt_about(clause, _candidates(clause, reading.world), names, read=False)
        chosen = second.choose(doubt) if doubt.candidates else None
        tag = None if chosen is None or chosen == UNDECIDED else doubt.candidates[chosen]
        meant = _tagged(tag[1:-1], reading.world) if tag else None
        if meant:
            kept.append(meant)
            reading.unread.remove(clause)
    return kept


def names_in_sight(world: WorldState, who: str) -> list[str]:
    """The things and people that a scene has."""
    if who not in world.characters:
        return list(world.props)
    others = [one for one in people_in(world, world.characters[who].location) if one != who]
    return [*sight(world, who), *others]


def _candidates(clause: str, world: WorldState) -> list[str]:
    """What might be done with the things that a clause names: what they are for, then what is done with any thing."""
    folded_clause = fold_surface(clause)
    named = [name for name in world.props if fold_surface(name) in folded_clause][:2]
    own = {name: [verb_of(one.verb).id for one in world.props[name].affordances] for name in named}
    return [f"({verb}: {name})" for name in named for verb in (*own[name][:MOST_OWN], "GET", "PUT", "USE")]


def language_of(text: str) -> ModuleType:
    """The adapter that reads a text."""
    return japanese if _JAPANESE.search(text) else english


def _is_verb(verb: Verb, world: WorldState) -> bool:
    """Whether the language packs or some thing's own affordances know the verb."""
    if any(verb.id in pack(language).verbs for language in LANGUAGES):
        return True
    return any(verb_of(one.verb) == verb for prop in world.props.values() for one in prop.affordances)


def _tagged(direction: str, world: WorldState) -> ActionIntent | None:
    if len(direction) > _LONGEST_TAG:
        return None
    narrow = narrowed(direction)
    tag = _TAG.match(narrow)
    if tag and (verb := verb_of(direction[tag.start("verb") : tag.end("verb")])) and _is_verb(verb, world):
        target, *places = _ARROW.split(direction[tag.start("rest") : tag.end("rest")], maxsplit=1)
        return ActionIntent(
            intent=IntentKind(verb.intent),
            target=target.strip() or None,
            detail=verb.id,
            verb=verb.id,
            destination=places[0].strip() if places and places[0].strip() else None,
        )
    bare = _BARE_TAG.match(narrow) is not None
    if bare and (verb := verb_of(narrow)).id == fold_surface(narrow).upper() and _is_verb(verb, world):
        return ActionIntent(intent=IntentKind(verb.intent), detail=verb.id, verb=verb.id)
    return None


def _addressee(speech: str | None, world: WorldState, who: str, history: History | None) -> str | None:
    """Whom the words are for: a name in them, whoever asked, or the only other person here."""
    if speech is None:
        return None
    room = world.characters[who].location if who in world.characters else world.location.current
    others = [name for name in people_in(world, room) if name != who]
    named = [
        (speech.find(form), name)
        for name in others
        for form in (name, *world.characters[name].aliases)
        if form in speech
    ]
    if named:
        return min(named)[1]
    if history and (asker := history.asker_of(who)) in others:
        return asker
    return others[0] if len(others) == 1 else None


def _spoken(speech: str | None, addressee: str | None, who: str, history: History | None) -> list[ActionIntent]:
    """What is said and what is asked; words to someone who asked are an answer."""
    if speech is None:
        return []
    sentences = [found.group().strip() for found in _SENTENCE.finditer(speech) if found.group().strip()]
    answers = history is not None and history.asker_of(who) is not None
    asks = [bool(_QUESTION.search(one)) and not (answers and _MUSING.search(one)) for one in sentences]
    asked, said = list(compress(sentences, asks)), [one for one, ask in zip(sentences, asks, strict=True) if not ask]
    kind = IntentKind.ANSWER if answers else IntentKind.SAY
    words = [ActionIntent(intent=kind, target=addressee, detail=" ".join(said))] if said else []
    return words + [ActionIntent(intent=IntentKind.ASK, target=addressee, detail=one) for one in asked]
