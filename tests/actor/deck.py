"""A deck of character cards: as many as one likes, all versions, odd fields at every level, each from a seed."""

import base64
import json
import struct
import zlib
from random import Random
from typing import Any, NamedTuple

from hakoniwa.actor.cards import containers

WORDS = (
    "銀の髪", "王都", "{{char}}", "{{user}}", "dragon", "歌姫", "*smiles*", "「やあ」", "<START>", "深い森", "ﾊﾝｶｸ",
    "👩‍🚀", "naïve", "it's", '"Hello."', "<script>alert(1)</script>", "![x](http://nowhere.example/x.png)", "on", "no",
    "null", "1e3", "07:10", "2024-01-01", "- a", "# b", "key: value", "|", "'", "\\", "\t", "\n", "\n\n", "\u200b",
    "\u202e", "\x07", "﷽",
)  # fmt: skip
NAMES = ("アリア", "Aria", "王・アリア", "Aria Black", "亜里亜🌙", "../../Aria", "Ａｒｉａ", "CON", "アリア/ベル")
DEEP = {"a": {"b": [None, {"c": "深い"}]}}
ODD: tuple[Any, ...] = (None, True, False, 0, -1, 2**53, 0.1, 1e-9, "", [], {}, [[]], DEEP)


class Dealt(NamedTuple):
    """One card: as data, as a JSON file, and as a picture that perhaps holds an older version too."""

    raw: dict[str, Any]
    json: bytes
    png: bytes


def dealt(seed: int) -> Dealt:
    dice = Random(seed)
    version = 1 + seed % 3
    raw = _card(dice, version)
    older = _card(dice, 2) if version == 3 and dice.random() < 0.5 else None
    return Dealt(raw, _written(raw, dice), _picture(raw, older, dice))


def text(dice: Random, most: int = 12) -> str:
    between = dice.choice(("", " ", "\n"))
    return between.join(dice.choice(WORDS) for _ in range(dice.randint(0, most)))


def _written(raw: dict[str, Any], dice: Random) -> bytes:
    form = json.dumps(raw, ensure_ascii=dice.random() < 0.3, indent=dice.choice((None, 2, 4)))
    return b"\xef\xbb\xbf" * (dice.random() < 0.2) + form.encode()


def _card(dice: Random, version: int) -> dict[str, Any]:
    fields = _shuffled(_fields(dice, version), dice)
    if version == 1:
        return fields
    frame = {"spec": f"chara_card_v{version}", "spec_version": f"{version}.0", "data": fields, **_odd(dice)}
    repeated = {name: fields[name] for name in ("name", "description", "first_mes") if name in fields}
    return _shuffled({**frame, **(repeated if dice.random() < 0.5 else {})}, dice)


def _fields(dice: Random, version: int) -> dict[str, Any]:
    fields: dict[str, Any] = {"name": dice.choice(NAMES), "description": text(dice, 30), "first_mes": text(dice)}
    fields |= {name: text(dice) for name in ("personality", "scenario") if dice.random() < 0.8}
    fields["mes_example"] = "\n".join(_talk(dice) for _ in range(dice.randint(0, 6)))
    if version > 1:
        fields |= {name: text(dice) for name in ("creator_notes", "system_prompt", "post_history_instructions")}
        fields["alternate_greetings"] = [text(dice) for _ in range(dice.randint(0, 3))]
        fields |= {"tags": ["歌", text(dice, 2)], "creator": text(dice, 2), "character_version": "1.2"}
        fields["extensions"] = _odd(dice)
        fields["character_book"] = _book(dice, version)
    if version > 2:
        fields |= {"nickname": dice.choice(("", "アリー")), "group_only_greetings": [text(dice)], "creation_date": 17e8}
        fields["assets"] = [{"type": "icon", "uri": "https://nowhere.example/a.png", "name": "main", "ext": "png"}]
    return {**fields, **_odd(dice)}


def _talk(dice: Random) -> str:
    return dice.choice(("<START>", "{{user}}: ", "{{char}}: ", "アリア：", "")) + text(dice, 4)


def _book(dice: Random, version: int) -> Any:
    if dice.random() < 0.2:
        return None
    entries = [_entry(dice, version) for _ in range(dice.randint(0, 6))]
    book = {"name": text(dice, 2), "entries": entries, "extensions": _odd(dice), **_odd(dice)}
    if dice.random() < 0.5:
        book |= {"scan_depth": dice.randint(0, 9), "token_budget": dice.choice((0, 400)), "recursive_scanning": True}
    if dice.random() < 0.1:
        book["entries"] = {str(place): entry for place, entry in enumerate(entries)}
    return book


def _entry(dice: Random, version: int) -> Any:
    if dice.random() < 0.05:
        return dice.choice(ODD)
    entry: dict[str, Any] = {
        "keys": [text(dice, 2) for _ in range(dice.randint(0, 3))],
        "content": dice.choice(("", "@@depth 2\n@@activate\n")) + text(dice),
        "extensions": dice.choice(({}, {"selectiveLogic": dice.randint(0, 3), "probability": 50}, _odd(dice))),
        "enabled": dice.random() < 0.8,
        "insertion_order": dice.randint(-10, 200),
        **_odd(dice),
    }
    if version > 2:
        entry |= {"use_regex": dice.random() < 0.5, "constant": dice.random() < 0.2}
        entry["keys"] += dice.choice(([], ["/dra(gon|ke)/i"], ["(a+)+$"], ["(?=x)"], ["C++"]))
    return _shuffled(entry, dice)


def _odd(dice: Random) -> dict[str, Any]:
    """Fields that nobody has ever heard of."""
    names = [f"{dice.choice(('x_', '未知', 'agnai/'))}{dice.randint(0, 99)}" for _ in range(dice.randint(0, 2))]
    return {name: dice.choice(ODD) for name in names}


def _shuffled(data: dict[str, Any], dice: Random) -> dict[str, Any]:
    return dict(dice.sample(list(data.items()), len(data)))


# --- pictures --------------------------------------------------------------------------------------------------------


def _picture(raw: dict[str, Any], older: dict[str, Any] | None, dice: Random) -> bytes:
    keyword = "ccv3" if raw.get("spec") == "chara_card_v3" else "chara"
    texts = [packed(keyword, json.dumps(raw).encode(), dice.choice((b"tEXt", b"tEXt", b"zTXt", b"iTXt")))]
    if older is not None:
        texts.insert(dice.randint(0, 1), packed("chara", json.dumps(older).encode()))
    return pictured([*texts, containers.Chunk(b"tEXt", b"parameters\0a portrait")])


def pictured(texts: list[containers.Chunk]) -> bytes:
    """A small picture with these text chunks before its pixels, as some programs have them."""
    header = struct.pack(">IIBBBBB", 2, 3, 8, 2, 0, 0, 0)
    pixels = zlib.compress((b"\0" + bytes(range(6))) * 3)
    return containers.build_png(
        [containers.Chunk(b"IHDR", header), *texts, containers.Chunk(b"IDAT", pixels), containers.Chunk(b"IEND", b"")]
    )


def packed(keyword: str, data: bytes, kind: bytes = b"tEXt") -> containers.Chunk:
    """A card in a text chunk of any of the three kinds."""
    value = base64.b64encode(data)
    match kind:
        case b"zTXt":
            return containers.Chunk(kind, keyword.encode() + b"\0\0" + zlib.compress(value))
        case b"iTXt":
            return containers.Chunk(kind, keyword.encode() + b"\0\1\0ja\0\0" + zlib.compress(value))
    return containers.text_chunk(keyword, value)
