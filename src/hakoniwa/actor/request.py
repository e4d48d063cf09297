"""Requests: what somebody asks for in plain words (「窓を開けて」, "open the window"), as urges for who hears it."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from hakoniwa.gm.act import Act, stage_direction
from hakoniwa.gm.checks import affordances_for
from hakoniwa.gm.intents.use import SWITCHES
from hakoniwa.pack import pack, verb_of
from hakoniwa.stage.names import Kind, nfkc
from hakoniwa.stage.world import Condition, WorldState

STRENGTH, URGENCY = 0.7, 0.9
MOST_CLAUSES, LONGEST_CLAUSE = 40, 400  # whoever asks for something does so in a few words, and at the end
_CLAUSE = re.compile(r"[。！!？?\n]|(?<!\d)\.(?!\d)")
_KANJI, _KATAKANA, _LATIN = r"[㐀-鿿々]", r"[ァ-ヺー]", r"[0-9A-Za-z]"


@dataclass(frozen=True, slots=True)
class Mention:
    """A name of the world, where it stands in a sentence."""

    kind: Kind
    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Wish:
    """A verb in a form that asks for it, where it stands in a sentence."""

    verb: str
    start: int
    end: int


def requested_urges(text: str, world: WorldState) -> list[dict[str, Any]]:
    """The urges a request raises: to do this to that, in whoever is named or else in everyone who hears it."""
    found: dict[str, dict[str, Any]] = {}
    addressees: list[str] = []
    for clause in _clauses(text):
        wishes = _wishes(clause, world.language)
        mentions = _mentions(_blank_wishes(clause, wishes), world)
        receivers = _receivers(clause, mentions)
        addressees += [one.name for one in mentions if one.kind == "character" and one not in receivers]
        for wish in wishes:
            if act := _meant_act(wish, mentions, receivers, world) or _act_within(clause, wish, world):
                found.setdefault(act.tag, _urge(act, world))
    who = list(dict.fromkeys(addressees))
    return [{**urge, "who": who} for urge in found.values()]


def _clauses(text: str) -> list[str]:
    """The last sentences of a text, and the last words of each."""
    found = [one for one in _CLAUSE.split(nfkc(text)) if one.strip()]
    return [one[-LONGEST_CLAUSE:] for one in found[-MOST_CLAUSES:]]


def _blank_wishes(clause: str, wishes: list[Wish]) -> str:
    """The clause with its verbs blanked out: the 鍵 of 引き出しの鍵を開けて is no thing, it belongs to the verb."""
    for wish in wishes:
        clause = clause[: wish.start] + " " * (wish.end - wish.start) + clause[wish.end :]
    return clause


def _act_within(clause: str, wish: Wish, world: WorldState) -> Act | None:
    """A thing that the verb itself speaks of, if that is what the thing is for: 電話に出て."""
    named = _mentions(clause[wish.start : wish.end], world)
    fitting = [one.name for one in named if affordances_for(world, one.name, wish.verb)]
    return Act(verb_of(wish.verb), fitting[0]) if fitting else None


def _urge(act: Act, world: WorldState) -> dict[str, Any]:
    name = pack(world.language).phrases["urge.asked"].format(act=stage_direction(world, act, world.language))
    return {
        "name": name, "kind": "duty", "strength": STRENGTH, "urgency": URGENCY, "grows": 0.0, "once": True,
        "goal": _goal(act, world),
    }  # fmt: skip


def _goal(act: Act, world: WorldState) -> dict[str, Any]:
    """What would satisfy the asker: for doors and switches that it is so, whoever does it; else the deed itself."""
    prop = world.props.get(act.target or "")
    if prop is not None and act.verb.id in SWITCHES and prop.is_(Condition.IN_PLACE):
        _, english, japanese = SWITCHES[act.verb.id]
        becomes = [word for one in affordances_for(world, act.target or "", act.verb.id) for word in one.becomes]
        return {"state": {act.target: (*becomes, japanese if prop.is_(Condition.JAPANESE) else english)[0]}}
    place = {"destination": [act.destination]} if act.destination else {}
    return {"did": {"verb": act.verb.id, "target": [act.target], **place}}


def _meant_act(wish: Wish, mentions: list[Mention], receivers: list[Mention], world: WorldState) -> Act | None:
    """The act a wish asks for: the nearest thing on the side where the language puts its objects."""
    verb = verb_of(wish.verb)
    kinds = ("location", "prop") if verb.intent == "MOVE" else ("prop",)
    places = [one for one in receivers if verb.intent == "PUT" and one.kind != "location"]
    things = [one for one in mentions if one.kind in kinds and one not in places and _governs(wish, one, world)]
    if not things:
        return None
    target = min(things, key=lambda one: min(abs(wish.start - one.end), abs(one.start - wish.end))).name
    maker = _maker(target, wish.verb, world)
    return Act(verb, maker or target, places[-1].name if places else None)


def _governs(wish: Wish, one: Mention, world: WorldState) -> bool:
    """Japanese names the thing before the verb, English after it."""
    return one.end <= wish.start if world.language == "ja" else wish.start < one.start


def _maker(name: str, verb: str, world: WorldState) -> str | None:
    """What makes the thing that is asked for: コーヒーを淹れて means the coffee maker."""
    for maker, prop in world.props.items():
        for one in prop.affordances:
            made = {**one.makes, **(one.after.makes if one.after else {})}
            if verb_of(one.verb).id == verb and name in made:
                return maker
    return None


# --- names in a sentence -------------------------------------------------------------------------------------------


def _mentions(clause: str, world: WorldState) -> list[Mention]:
    """Every name of the world in a clause; the longest wins where two overlap."""
    found: list[Mention] = []
    for form, (kind, name) in sorted(_forms(world), key=lambda pair: -len(pair[0])):
        for match in re.finditer(_bounded_pattern(form), clause, re.IGNORECASE):
            if all(match.end() <= one.start or one.end <= match.start() for one in found):
                found.append(Mention(kind, name, match.start(), match.end()))
    return sorted(found, key=lambda one: one.start)


def _forms(world: WorldState) -> Iterator[tuple[str, tuple[Kind, str]]]:
    heads = Counter(name.rpartition(" ")[2] for name in world.props)
    for prop_name, prop in world.props.items():
        head = prop_name.rpartition(" ")[2]
        short = (head,) if heads[head] == 1 else ()  # the window, where there is only the bay window
        yield from ((nfkc(form), ("prop", prop_name)) for form in (prop_name, *prop.aliases, *short))
        made = {name for one in prop.affordances for name in (*one.makes, *(one.after.makes if one.after else {}))}
        yield from ((nfkc(name), ("prop", name)) for name in sorted(made - set(world.props)))
    for who, figure in world.characters.items():
        yield from ((nfkc(form), ("character", who)) for form in (who, *figure.aliases))
    for room, location in world.locations.items():
        yield from ((nfkc(form), ("location", room)) for form in (room, *location.aliases))


@cache
def _bounded_pattern(form: str) -> str:
    """A pattern for a name that is not part of a longer word: 本 is not in 本当, カップ not in マグカップ."""
    before = next((f"(?<!{script})" for script in (_KANJI, _KATAKANA, _LATIN) if re.match(script, form[0])), "")
    after = next((f"(?!{script})" for script in (_KANJI, _KATAKANA, _LATIN) if re.match(script, form[-1])), "")
    return f"{before}{re.escape(form.rstrip('ー') or form)}ー?{after}"


_RECEIVES = re.compile(r"(?:さん|ちゃん|くん|君|様)?(?:の(?:中|上))?[にへ]")
_TO = re.compile(r"\b(?:to|into|onto|on|in|inside)\s+(?:the\s+|a\s+|an\s+)?$", re.IGNORECASE)


def _receivers(clause: str, mentions: list[Mention]) -> list[Mention]:
    """Who or what something is to go to: 棚に, ミナに, "to Theo"."""
    return [one for one in mentions if _RECEIVES.match(clause[one.end :]) or _TO.search(clause[: one.start])]


# --- verbs in a sentence -------------------------------------------------------------------------------------------


def _wishes(clause: str, language: str) -> list[Wish]:
    return _japanese_wishes(clause) if language == "ja" else _english_wishes(clause)


# What may follow 開けて for it to be a request: nothing, or an auxiliary that asks.
_AUXILIARIES = "くだ|下さ|くれ|ちょ|み[てよろ]|おいて|おけ|もら|貰|ほし|欲し|いただ|頂|き[てな]|来て|やって|あげて"
_ENDS = r"(?=$|[\s、,…~〜」』)よねー])"
_ASKS = rf"(?=$|[\s、,…~〜」』)よねなさー]|{_AUXILIARIES})"


@cache
def _japanese_forms() -> Sequence[tuple[str, str]]:
    """Every form that asks, with its verb, the longest first: 開けなさい, 開けよう, 開けて, 開けろ → OPEN."""
    surfaces = pack("ja").surfaces
    forms = {form: verb for surface, verb in surfaces.items() if _inflects(surface) for form in asking_forms(surface)}
    return _longest_first(forms)


def _inflects(surface: str) -> bool:
    return surface[-1] in "うくぐすつぬぶむる"


def _japanese_wishes(clause: str) -> list[Wish]:
    found: list[Wish] = []
    for form, verb in _japanese_forms():
        if form not in clause:
            continue
        follows = _ASKS if form.endswith(("て", "で")) else _ENDS
        for match in re.finditer(re.escape(form) + follows, clause):
            if all(match.end() <= one.start or one.end <= match.start() for one in found):
                found.append(Wish(verb, match.start(), match.end()))
    ends = {one.end for one in found}
    # What follows a て without a pause only helps it: the あげて of 撫でてあげて gives nothing to anyone.
    return sorted((one for one in found if one.start not in ends), key=lambda one: one.start)


def _longest_first(forms: Mapping[str, str]) -> Sequence[tuple[str, str]]:
    return sorted(forms.items(), key=lambda pair: (-len(pair[0]), pair[0]))


_SOUNDS = {  # ending: て form, stem before ます, imperative, volitional
    "う": ("って", "い", "え", "おう"),
    "く": ("いて", "き", "け", "こう"),
    "ぐ": ("いで", "ぎ", "げ", "ごう"),
    "す": ("して", "し", "せ", "そう"),
    "つ": ("って", "ち", "て", "とう"),
    "ぬ": ("んで", "に", "ね", "のう"),
    "ぶ": ("んで", "び", "べ", "ぼう"),
    "む": ("んで", "み", "め", "もう"),
    "る": ("って", "り", "れ", "ろう"),
}
_ONE_ROW = re.compile(r"[いきぎしじちにひびみりえけげせぜてでねへべめれ]る$|(?:見|寝|着|出|煮|得|似)る$")
_STILL_FIVE_ROW = re.compile(r"(?:かじ|はい|すべ|しゃべ|ひね|いじ)る$")
_NOT_SURU = re.compile(r"(?:すす|さす|こす|ゆす)る$")


def asking_forms(verb: str) -> list[str]:
    """The forms of a Japanese verb, given in its dictionary form, in which something is asked for."""
    te, stem, order, lets = _parts(verb)
    return [te, order, lets, f"{stem}なさい", f"{stem}ましょう", f"{stem}ください", f"{stem}下さい"]


def _parts(verb: str) -> tuple[str, str, str, str]:
    if verb.endswith("する") and not _NOT_SURU.search(verb):
        root = verb[:-2]
        return f"{root}して", f"{root}し", f"{root}しろ", f"{root}しよう"
    root = verb[:-1]
    if _ONE_ROW.search(verb) and not _STILL_FIVE_ROW.search(verb):
        return f"{root}て", root, f"{root}ろ", f"{root}よう"
    te, stem, order, lets = _SOUNDS[verb[-1]]
    te = "って" if verb.endswith(("行く", "いく")) else te
    return root + te, root + stem, root + order, root + lets


_SUBJECTS = "i|he|she|they|we|did|was|were|is|are|to"
_ARTICLES = "the|a|an|my|your|his|her|their|its|our|some|that|this"
_REFUSED = re.compile(rf"\b(?:don'?t|never|(?<!why )not|{_SUBJECTS}|{_ARTICLES})\s+$", re.IGNORECASE)


def _english_wishes(clause: str) -> list[Wish]:
    """Plain verb forms that nobody else is the subject of and nothing negates."""
    found: list[Wish] = []
    straight = clause.replace("’", "'")
    low = straight.casefold()
    for surface, verb in _english_forms():
        if surface.partition(" ")[0] not in low:
            continue
        for match in re.finditer(_english_pattern(surface), straight, re.IGNORECASE):
            taken = any(match.start() < one.end and one.start < match.end() for one in found)
            if not taken and not _REFUSED.search(straight[: match.start()]):
                found.append(Wish(verb, match.start(), match.end()))
    return sorted(found, key=lambda one: one.start)


@cache
def _english_forms() -> Sequence[tuple[str, str]]:
    return _longest_first(pack("en").surfaces)


@cache
def _english_pattern(surface: str) -> str:
    """A verb in one piece, or with its thing in the middle: turn on the lamp, turn the lamp on."""
    first, _, rest = surface.partition(" ")
    apart = rf"(?=\s[^,;]{{1,40}}\s{re.escape(rest)}\s*(?:$|[,;!?]|and\b|please\b|now\b))"
    more = rf"(?:\s+{re.escape(rest)}\b|{apart})" if rest else ""
    return rf"\b{re.escape(first)}\b(?!'){more}"
