"""Hostile cards: whatever is in the file, it is a sheet or a clear refusal, in bounded time, and nothing is fetched."""

import contextlib
import json
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.actor.cards import containers
from hakoniwa.actor.cards.files import sheet_text
from hakoniwa.actor.cards.read import MAX_CARD, card_in
from hakoniwa.actor.cards.sheet import sheet_of
from hakoniwa.actor.cards.write import card_of, json_of
from hakoniwa.actor.character import Instructions
from hakoniwa.errors import CardError
from hakoniwa.messages import LANGUAGES, tell
from tests.actor.deck import packed, pictured
from tests.pace import busy

MUTATED, AT_A_TIME = 2000, 100
IDS = ("at the cap", "one above", "ten times")
ODD: tuple[Any, ...] = (
    None, True, 0, -1, 2**62, 2**70, 10**400, 1e308, float("nan"), float("inf"), "", "x" * 3000, "\ud800",
    "\x00\u202e", "(", "{{user", "\U000e0041", "../../x", [], {}, [[1]], ["a", 1], [None], {"a": 1}, {"sheet": {}},
    {"0": {"content": "x", "key": "a,b"}},
)  # fmt: skip


def plain(**fields: Any) -> bytes:
    return json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "アリア", **fields}}).encode()


def told(error: CardError) -> bool:
    """Whether a refusal can be told in every language, and says which file it is about."""
    return all(tell(error, lang) and error.details["file"] for lang in LANGUAGES)


def refusal(raw: bytes) -> str:
    with pytest.raises(CardError) as refused:
        sheet_of(card_in(raw, "x.png"))
    assert told(refused.value)
    return refused.value.key.removeprefix("card.")


# --- one by one ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        (b"", "not-a-card"),
        (b"GIF89a", "not-a-card"),
        (b"[1]", "not-a-card"),
        (b"{}", "not-a-card"),
        (b'{"name": 5}', "field"),
        (b'{"name": null}', "no-name"),
        (b'{"name": "\\u202e \\u200b"}', "no-name"),
        (b'{"name": "x", "a": NaN}', "not-json"),
        (b'{"name": "x", "a": 1e400}', "number"),
        (b'{"name": "x", "a": 9223372036854775808}', "number"),
        (b'{"name": "x", "a": ' + b"9" * 5000 + b"}", "not-json"),
        (b'{"name": "\\ud800"}', "not-json"),
        (b'{"name": "x", "\\udc00": 1}', "not-json"),
        (b'{"name": "\xff"}', "not-json"),
        (b'{"name": "x"', "not-json"),
        (b'{"name": ' + b"[" * 50_000 + b"]" * 50_000 + b"}", "too-deep"),
        (b'{"spec": "chara_card_v4", "data": {"name": "x"}}', "spec"),
        (b'{"spec": ["chara_card_v2"], "data": {"name": "x"}}', "spec"),
        (b'{"spec": "chara_card_v2"}', "field"),
        (b'{"spec": "chara_card_v2", "data": [1]}', "field"),
        (plain(alternate_greetings="hi"), "field"),
        (plain(alternate_greetings=["hi", 5]), "field"),
        *((plain(**{name: {"a": 1}}), "field") for name in ("description", "scenario", "mes_example", "nickname")),
        (pictured([]), "no-card"),
        (pictured([packed("chara", plain())])[:-20], "png-cut-off"),
        (containers.PNG_SIGNATURE, "png-cut-off"),
        (containers.build_png([containers.Chunk(b"IEND", b"")]), "png-header"),
        (containers.build_png([containers.Chunk(b"IHDR", bytes(13)), containers.Chunk(b"IEND", b"")]), "png-header"),
        (pictured([packed("chara", plain())]).replace(b"parameters", b"", 1).replace(b"IDAT", b"IDaT"), "png-checksum"),
        (pictured([containers.text_chunk("chara", b"%%%")]), "png-text"),
        (pictured([containers.Chunk(b"zTXt", b"chara\0\0not packed")]), "png-text"),
        (pictured([containers.Chunk(b"zTXt", b"chara\0\0" + zlib.compress(b"e30=" * 99)[:-9])]), "png-text"),
        (pictured([containers.Chunk(b"iTXt", b"chara\0")]), "not-json"),
        (containers.ZIP_SIGNATURE, "archive-broken"),
        (containers.ZIP_SIGNATURE + b"\0" * 400, "archive-broken"),
    ],
)  # fmt: skip
def test_what_is_no_card_is_refused_by_name(raw: bytes, key: str) -> None:
    assert refusal(raw) == key


@pytest.mark.parametrize("kind", [b"zTXt", b"iTXt"])
def test_a_text_that_unpacks_to_too_much_is_not_unpacked(kind: bytes) -> None:
    bomb = zlib.compress(b"A" * (2 * containers.MAX_TEXT), 9)
    head = b"chara\0\0" if kind == b"zTXt" else b"chara\0\1\0\0\0"
    raw = pictured([containers.Chunk(kind, head + bomb)])
    assert len(raw) < MAX_CARD // 100
    assert refusal(raw) == "png-text-size"


def zipped(files: dict[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", packing) as target:
        for name, data in files.items():
            target.writestr(name, data)
    return out.getvalue()


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        (zipped({"readme.txt": b"hello"}), "archive-empty"),
        (zipped({"card.json": b"{"}), "not-json"),
        (zipped({"card.json": plain() + b" " * (8 << 20)}), "archive-size"),
        (zipped({"card.json": plain(), **{f"a{place}": b"" for place in range(256)}}), "archive-size"),
        (zipped({"card.json": plain(), **{f"a{place}": b"" for place in range(2560)}}), "archive-size"),
        (zipped({f"a{place}": b"" for place in range(20_000)}), "archive-size"),
        (zipped({"card.json": plain(x="y" * 999)}).replace(b"card.json", b"card.jsom", 1), "archive-broken"),
        (zipped({"card.json": plain(x="y" * 999)})[:-30], "archive-broken"),
        (zipped({"card.json": plain()}, zipfile.ZIP_LZMA).replace(b"\x0e\x00", b"\x63\x00"), "archive-packing"),
        (zipped({"card.json": plain()}, zipfile.ZIP_LZMA), "archive-packing"),
        (zipped({"card.json": plain()}, zipfile.ZIP_BZIP2), "archive-packing"),
    ],
)
def test_an_archive_that_lies_is_refused(raw: bytes, key: str) -> None:
    assert refusal(raw) == key


@pytest.mark.parametrize("packing", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_file_in_an_archive_that_says_it_is_small_is_not_unpacked_further(packing: int) -> None:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", packing) as target:
        target.writestr("card.json", plain() + b" " * (32 << 20))
        target.infolist()[0].file_size = 900
    tracemalloc.start()
    try:
        assert refusal(out.getvalue()) in ("archive-broken", "archive-packing")
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_an_archive_whose_picture_is_packed_too_well_is_refused_by_name() -> None:
    out = BytesIO()
    assets = [{"type": "icon", "uri": "embeded://a.png", "name": "main"}]
    with zipfile.ZipFile(out, "w") as target:
        target.writestr("card.json", plain(assets=assets))
        target.writestr("a.png", containers.PNG_SIGNATURE, zipfile.ZIP_BZIP2)
    with pytest.raises(CardError) as refused:
        card_in(out.getvalue(), "x.charx")
    assert refused.value.details == {"file": "x.charx", "name": "a.png", "packing": "bzip2"}


def test_an_archive_at_the_cap_is_read_and_nothing_in_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    raw = zipped({"card.json": plain(), "../../evil.txt": b"x", **{f"a{place}": b"" for place in range(254)}})
    assert card_in(raw).fields["name"] == "アリア"
    assert list(tmp_path.iterdir()) == []


def test_what_looks_like_code_stays_plain_text_and_nothing_is_fetched() -> None:
    code = "<script>alert(1)</script> ![x](http://nowhere.example/leak.png) {{7*7}} [Next: やな] <start_of_turn>"
    assets = [{"type": "icon", "uri": f"{scheme}://nowhere.example/a", "name": "main"} for scheme in ("http", "file")]
    found = sheet_of(card_in(plain(description=code, first_mes=code, assets=assets, avatar="http://nowhere.example/")))
    assert found.sheet.persona == code
    assert found.sheet.greetings == (code,)


def test_instructions_to_a_model_do_not_become_part_of_the_character() -> None:
    sheet = sheet_of(card_in(plain(system_prompt="OBEY", post_history_instructions="OBEY"))).sheet
    assert "OBEY" not in sheet_text(sheet.model_copy(update={"instructions": Instructions()}))


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("ア\u202eリ\u200bア\x07\n", "アリア"),
        ("Ａ\u3000Ｂ", "A B"),
        ("x" * 64, "x" * 64),
        ("x" * 65, "x" * 64),
        ("x" * 640, "x" * 64),
        ("\ufdfa" * 64, None),
        ("\U000e0041\U000e0042アリア", "アリア"),
    ],
)
def test_a_name_is_short_and_all_of_it_can_be_seen(written: str, name: str | None) -> None:
    found = sheet_of(card_in(plain(name=written)))
    assert name is None or found.sheet.display_name == name
    assert 0 < len(found.sheet.display_name) <= 64
    assert found.sheet.display_name.isprintable()
    assert [note.key for note in found.notes] == ([] if written in ("x" * 64, "Ａ\u3000Ｂ") else ["name"])
    assert json.loads(json_of(card_of(found.sheet, card_in(plain(name=written)))))["data"]["name"] == written


def test_signs_that_hide_words_are_left_out_of_the_sheet_and_kept_in_the_card() -> None:
    hidden = "声\u202e\u200b\x1b[31m\U000e0041\ufeff" + "👩\u200d🚀"
    card = card_in(plain(description=hidden))
    assert sheet_of(card).sheet.persona == "声[31m👩\u200d🚀"
    assert card_of(sheet_of(card).sheet, card).fields["description"] == hidden


MATCH = {"content": "x", "use_regex": True}
HEAVY: dict[str, Callable[[], bytes]] = {
    "many values": lambda: b'{"name":"A","x":[' + b"[]," * 900_000 + b"[]]}",
    "a long name": lambda: plain(name="あ" * 1_000_000),
    "macros": lambda: plain(description="{{user}}" * 200_000),
    "open macros": lambda: plain(description="{{// " * 90_000 + "{{ " * 90_000),
    "blank samples": lambda: plain(mes_example=" " * 3_000_000),
    "short samples": lambda: plain(mes_example="ab\n" * 1_000_000),
    "starts": lambda: plain(mes_example="<START>" * 400_000 + "<" * 400_000),
    "asterisks": lambda: plain(mes_example="*" * 1_000_000 + '"' * 1_000_000),
    "greetings": lambda: plain(alternate_greetings=[""] * 300_000),
    "keys": lambda: plain(character_book={"entries": [{**MATCH, "keys": ["(a+)+$"] * 400}] * 2000}),
    "patterns": lambda: plain(character_book={"entries": [{**MATCH, "keys": _patterns(n)} for n in range(2000)]}),
    "decorators": lambda: plain(character_book={"entries": [{"keys": ["k"], "content": "@@a\n" * 200_000}]}),
}


def _patterns(seed: int) -> list[str]:
    return [f"(x{place}|y)*{seed}" for place in range(32)]


@pytest.mark.pace
@pytest.mark.parametrize("kind", HEAVY)
def test_a_heavy_card_costs_no_more_than_seconds(kind: str) -> None:
    raw = HEAVY[kind]()

    def taken() -> None:
        with contextlib.suppress(CardError):
            sheet_text(sheet_of(card_in(raw)).sheet)

    assert busy(taken, within=5.0, tries=2) < 5.0
