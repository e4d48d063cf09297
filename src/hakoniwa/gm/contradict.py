"""CONTRADICTS_WORLD: an assertion about here and now against the time, the weather or who is present."""

import re
from collections.abc import Iterator

from hakoniwa.gm.act import Denial
from hakoniwa.pack import ClaimPatterns, pack
from hakoniwa.stage.names import nfkc
from hakoniwa.stage.world import WorldState
from hakoniwa.turn import DeniedReason, ParsedOutput

_SENTENCE = re.compile(r"[^。！!？?\n…]+[。！!？?…]*")
_JAPANESE = re.compile(r"[぀-ヿ㐀-鿿]")
_QUOTED = re.compile(r"『[^』]*』?")
_MAX = 2_000


def contradiction(parsed: ParsedOutput, world: WorldState, who: str) -> Denial | None:
    """The first plain claim that the world belies; questions, wishes, memories and negations claim nothing."""
    for claim, claims in claims_in(parsed):
        for _, ask in QUESTIONS:
            if found := ask(claim, world, who, claims):
                return found
    return None


def claims_in(parsed: ParsedOutput) -> Iterator[tuple[str, ClaimPatterns]]:
    """The clauses in which something is plainly asserted, with the language they are in."""
    for sentence in _sentences(parsed):
        claims = pack("ja" if _JAPANESE.search(sentence) else "en").claims
        if any(hedge.search(sentence) for hedge in claims.hedges):
            continue
        for clause in claims.pauses.split(sentence):
            if clause and not any(hedge.search(clause) for hedge in claims.nearby):
                yield clause, claims


def _sentences(parsed: ParsedOutput) -> Iterator[str]:
    texts = [parsed.speech or "", *parsed.directions]
    for text in texts:
        plain = _QUOTED.sub("", nfkc(text[:_MAX]))
        yield from (found.group().strip() for found in _SENTENCE.finditer(plain))


def _time(sentence: str, world: WorldState, _: str, claims: ClaimPatterns) -> Denial | None:
    label = world.time.label.casefold()
    now = [name for name, words in claims.during.items() if label in words]
    if not now:
        return None
    for name, cue in claims.time.items():
        if name not in now and cue.search(sentence):
            return Denial("contradicts.time", DeniedReason.CONTRADICTS_WORLD, name, where=world.time.label)
    return None


def _weather(sentence: str, world: WorldState, _: str, claims: ClaimPatterns) -> Denial | None:
    weather = world.meta.weather.casefold()
    now = [name for name, words in claims.skies.items() if any(word in weather for word in words)]
    if not now:
        return None
    for name, cue in claims.weather.items():
        if name not in now and cue.search(sentence):
            return Denial("contradicts.weather", DeniedReason.CONTRADICTS_WORLD, name, where=world.meta.weather)
    return None


def _presence(sentence: str, world: WorldState, who: str, claims: ClaimPatterns) -> Denial | None:
    """Someone is said to be here who is elsewhere."""
    room = world.characters[who].location if who in world.characters else world.location.current
    rooms = (room, *(world.locations[room].aliases if room in world.locations else ()))
    here = claims.here.search(sentence) or any(one in sentence for one in rooms)
    if not here or not claims.being.search(sentence):
        return None
    for name, figure in world.characters.items():
        if name != who and figure.location != room and any(one in sentence for one in (name, *figure.aliases)):
            return Denial("contradicts.presence", DeniedReason.CONTRADICTS_WORLD, name, where=figure.location)
    return None


QUESTIONS = (("time", _time), ("weather", _weather), ("presence", _presence))
