"""Reading a reply: thought, speech, stage directions and act tags told apart. Total: any string gives an answer."""

import re
from collections.abc import Sequence
from itertools import compress

from hakoniwa.gm import english, japanese
from hakoniwa.gm.history import History
from hakoniwa.gm.pieces import Kind, Piece, narrowed, take_apart
from hakoniwa.pack import LANGUAGES, Verb, fold_surface, pack, verb_of
from hakoniwa.stage.world import WorldState, people_in
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


def read(text: str, world: WorldState, who: str, history: History | None = None) -> ParsedOutput:
    """A reply taken apart, as a reader would."""
    apart = take_apart(text, world, who)
    quoted = any(piece.kind == "quoted" for piece in apart.pieces)
    directions = [one.text for one in apart.pieces if one.kind == "direction" or (quoted and _narrated(one))]
    speech = _speech(apart.pieces, "quoted" if quoted else "bare")
    acts = [(one, _acts(one, world, who)) for one in directions]
    addressee = _addressee(speech, world, who, history)
    repairs = tuple(dict.fromkeys(apart.repairs))
    return ParsedOutput(
        thought=apart.thought,
        speech=speech,
        action_intents=(
            *_with_targets([act for _, found in acts for act in found]),
            *_spoken(speech, addressee, who, history),
        ),
        directions=tuple(one for one, _ in acts if not _TAG.match(narrowed(one[:_LONGEST_TAG]))),
        addressee=addressee,
        format_break=repairs[0] if repairs else None,
        repairs=repairs,
    )


def led_by(tag: str, parsed: ParsedOutput, world: WorldState) -> ParsedOutput | None:
    """A reply as it reads with the tag of an act before it, without reading it again; None where that would not do:
    the reply has acts of its own, or the tag names none."""
    act = None if any(one.verb for one in parsed.action_intents) else _tagged(tag[1:-1], world)
    return parsed.with_field("action_intents", (act, *parsed.action_intents)) if act else None


def _speech(pieces: Sequence[Piece], kind: Kind) -> str | None:
    """Quoted words where there are any, else whatever stands outside the stage directions."""
    return " ".join(piece.text for piece in pieces if piece.kind == kind) or None


def _narrated(piece: Piece) -> bool:
    """Where speech stands in quotation marks, a sentence outside them is narration."""
    return piece.kind == "bare" and len(piece.text) > 3


def _with_targets(acts: Sequence[ActionIntent]) -> list[ActionIntent]:
    """A tag that names nothing is about what the act before it was about: (GET: 茶) (DRINK)."""
    found: list[ActionIntent] = []
    for act in acts:
        before = found[-1].target if found and act.verb and act.target is None and found[-1].verb else None
        found.append(act.model_copy(update={"target": before}) if before else act)
    return found


def _acts(direction: str, world: WorldState, who: str) -> list[ActionIntent]:
    """The acts of a direction: a tag names its act, words describe theirs, and what has none is a gesture."""
    if tag := _tagged(direction, world):
        return [tag]
    language = japanese if _JAPANESE.search(direction) else english
    found = language.acts_in(_QUOTED.sub("", direction), world, who)
    return found or [ActionIntent(intent=IntentKind.EMOTE, detail=direction)]


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
    if _BARE_TAG.match(narrow) and (verb := verb_of(narrow)).id == fold_surface(narrow).upper():
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
