"""Character cards and their lorebooks to be read."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from hakoniwa.actor import lore
from hakoniwa.actor.cards.book import lore_in, scan_in
from hakoniwa.actor.cards.files import sheet_text
from hakoniwa.actor.cards.read import MAX_DEPTH, Card, Spec, card_in
from hakoniwa.actor.cards.sheet import sheet_of
from hakoniwa.actor.cards.write import card_of, json_of, png_of
from hakoniwa.actor.character import Character, Personality
from hakoniwa.errors import HakoniwaError
from hakoniwa.stage.document import Document
from tests.actor.deck import Dealt, dealt, packed, pictured
from tests.trust.reader import Chance, Reader, named
from tests.trust.scrawl import spoilt_bytes, words

CARD = (
    "{", "}", "[", "]", '"', ",", ":", '"name"', '"data"', '"spec"', '"chara_card_v2"', '"chara_card_v3"',
    '"description"', '"アリア"', '"character_book"', '"entries"', '"keys"', '"content"', '"extensions"', '"hakoniwa"',
    '"sheet"', "null", "true", "1e400", "NaN", "-0", str(2**64), '"\\ud800"', '"{{char}}は{{user}}を見る"', "<START>",
    "\\n", '"alternate_greetings"', '{"name": "x", "a": ', "[[[[[[[[", "]]]]]]]]",
    '{"spec": "chara_card_v2", "data": {"name": "x", ', "}}",
)  # fmt: skip
MACROS = (
    "{{char}}", "{{user}}", "{{", "}}", "{{random:a,b", "{{//", "<START>", "<", "*", "*a* ", '"', "「", "{{comment:",
    "\n", "a", "あ", "\u200b", "アリア: ", "{{char}}: ", "<user>", "{{ ", "::", "\\,",
)  # fmt: skip
BOOK = (
    "銀の髪", "王都", "dragon", "dragons", "/dra(gon|ke)/i", "(a+)+$", "(?=x)", "C++", "[", "@@activate\n",
    "@@dont_activate\n", "{{user}}", "、", " ", "/", "\\", "a|", ".*", "^", "$", "\u200b", "ﾊﾝｶｸ", "x" * 300,
    "{{random:a,b}}",
)  # fmt: skip
SPECS: tuple[Spec | None, ...] = (None, "v1", "v2", "v3")
ODD: tuple[Any, ...] = (None, True, 0, -1, 2**62, 1e308, "", [], {}, [[1]], ["a", 1], {"a": 1}, {"0": {"content": "x"}})


@cache
def _deck() -> list[Dealt]:
    return [dealt(seed) for seed in range(60)]


def a_card(chance: Chance) -> bytes:
    """A card of the deck as JSON or picture, spoilt as a file or within its chunks; or words of JSON."""
    one, other = chance.choice(_deck()), chance.choice(_deck())
    match chance.randrange(6):
        case 0:
            return words(chance, CARD).encode("utf-8", "surrogatepass")
        case 1:
            return spoilt_bytes(chance, (one.json, other.json))
        case 2:
            return spoilt_bytes(chance, (one.png, other.png))
        case 3:
            return json.dumps(_swapped(chance, one.raw)).encode()
    inner = (
        json.dumps(_swapped(chance, one.raw)).encode() if chance.random() < 0.7 else spoilt_bytes(chance, (one.json,))
    )
    kind = chance.choice((b"tEXt", b"zTXt", b"iTXt"))
    return pictured([packed(chance.choice(("chara", "ccv3", "Chara")), inner, kind)])


def _swapped(chance: Chance, data: dict[str, Any]) -> dict[str, Any]:
    """A card with some things of another kind than they should be, or nested deep."""
    changed: dict[str, Any] = json.loads(json.dumps(data))
    for _ in range(chance.randint(0, 2)):
        holder: Any = changed
        while True:
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            if not keys:
                break
            key = chance.choice(keys)
            if isinstance(holder[key], dict | list) and chance.random() < 0.7:
                holder = holder[key]
                continue
            strange = chance.choice((*ODD, words(chance, MACROS), _nested(chance.choice((5, 60, 70, 150)))))
            holder[key] = json.loads(json.dumps(strange))
            break
    return changed


def _nested(depth: int) -> Any:
    value: Any = "deep"
    for _ in range(depth):
        value = [value]
    return value


def read_card(raw: bytes) -> object:
    card = card_in(raw, "card.png")
    return card, sheet_of(card)


def lost_on_the_way(raw: bytes, found: Any) -> Iterator[str]:
    """Whether a card that was read nests too deep, or its sheet is another once it has been on disk and back."""
    card, imported = found
    if _depth(card.raw) > MAX_DEPTH:
        yield f"nested {_depth(card.raw)} deep"
    if len(raw) % 16 == 0:  # the whole way is long
        edited = imported.sheet.model_copy(update={"personality": Personality(grit=0.25), "notes": "!"})
        again = named(lambda: _there_and_back(card, edited, SPECS[len(raw) // 16 % len(SPECS)]))
        if not isinstance(again, HakoniwaError) and again != edited:
            yield "another sheet once it is a card again"


def _there_and_back(card: Card, sheet: Character, spec: Spec | None) -> Character:
    """Onto the disk as a sheet, out as a card of some version, and in again."""
    kept = Document(sheet_text(sheet), "-").to(Character)
    out = card_of(kept, card, spec)
    return sheet_of(card_in(json_of(out) if card.picture is None else png_of(out))).sheet


def _depth(data: Any) -> int:
    layer, depth = [data], 0
    while layer:
        depth += 1
        below = [one.values() if isinstance(one, dict) else one for one in layer if isinstance(one, dict | list)]
        layer = [inner for one in below for inner in one]
    return depth - 1


def long_card(unit: str, frame: str) -> bytes:
    """A card with a long text in every field, in each of its forms."""
    fields = dict.fromkeys(("description", "first_mes", "mes_example", "creator_notes"), unit)
    book = {"entries": [{"keys": [unit[:200]], "content": unit}]}
    raw = json.dumps({"spec": "chara_card_v2", "data": {"name": unit[:64] or "x", **fields, "character_book": book}})
    if frame == "picture":
        return pictured([packed("chara", raw.encode(), b"zTXt"), *[packed("x", b"")] * (len(unit) // 32)])
    return raw.encode()


# --- lorebooks --------------------------------------------------------------------------------------------------------


def a_book(chance: Chance) -> tuple[Any, str]:
    """A lorebook, and what is said while it lies open."""
    entries = [_entry(chance) for _ in range(chance.randint(0, 6))]
    book: Any = {
        "entries": entries,
        "recursive_scanning": chance.random() < 0.5,
        "scan_depth": chance.choice((2, *ODD)),
    }
    if chance.random() < 0.1:
        book = chance.choice((*ODD, {"entries": {str(place): one for place, one in enumerate(entries)}}))
    return book, words(chance, BOOK)


def _entry(chance: Chance) -> Any:
    entry: dict[str, Any] = {
        "keys": [words(chance, BOOK, 2) for _ in range(chance.randint(0, 3))], "content": words(chance, BOOK, 6),
        "use_regex": chance.random() < 0.4, "selective": chance.random() < 0.4, "secondary_keys": ["王都", "(a*)*b"],
        "extensions": {"selectiveLogic": chance.randint(-1, 4)}, "case_sensitive": chance.random() < 0.3,
    }  # fmt: skip
    for _ in range(chance.choice((0, 0, 1, 2))):
        entry[chance.choice((*entry, "key", "constant", "insertion_order", "comment", "priority"))] = chance.choice(ODD)
    return entry


def read_book(given: tuple[Any, str]) -> object:
    book, heard = given
    entries, notes = lore_in(book, str.strip)
    return entries, notes, lore.recall_lore(lore.Lorebook(entries), [heard], scan_in(book))


def too_much_lore(_: Any, found: Any) -> Iterator[str]:
    _, _, facts = found
    if len(facts) > lore.MAX_FACTS or any(len(fact) > lore.MAX_FACT for fact in facts):
        yield f"{len(facts)} facts, the longest of {max(map(len, facts))} characters"


def long_book(unit: str, _: str) -> tuple[Any, str]:
    entries = [{"keys": [unit[:32], "a"], "content": unit[place : place + 32]} for place in range(0, len(unit), 32)]
    long = {"keys": [unit[:200], "a"], "content": unit, "use_regex": True}
    return {"entries": [long, *entries], "recursive_scanning": True}, unit


CARD_READER = Reader(a_card, read_card, lost_on_the_way, MACROS, long_card, frames=("json", "picture"), size=16_384)
LOREBOOK = Reader(a_book, read_book, too_much_lore, BOOK, long_book)
