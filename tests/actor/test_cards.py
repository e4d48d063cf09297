"""Cards: what comes in goes out again unharmed, what was edited wins, and a sheet of ours survives the journey."""

import json
import struct
import subprocess
import sys
import zipfile
import zlib
from io import BytesIO
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hakoniwa.actor import character
from hakoniwa.actor.cards import containers
from hakoniwa.actor.cards.files import file_name, open_sheet, sheet_text, store
from hakoniwa.actor.cards.macros import fill_macros
from hakoniwa.actor.cards.read import card_in
from hakoniwa.actor.cards.sheet import ImportedSheet, sheet_of
from hakoniwa.actor.cards.write import card_of, json_of, png_of
from hakoniwa.actor.character import Character, Personality
from hakoniwa.actor.lore import LoreEntry, LoreScan
from hakoniwa.errors import CardError
from hakoniwa.stage import document
from hakoniwa.stage.document import Document
from tests.actor.deck import dealt, packed, pictured

CARDS = range(200)
ARIA: dict[str, Any] = {
    "name": "アリア",
    "description": "{{char}}は王都の歌姫。{{user}}の幼なじみ。",
    "personality": "負けず嫌い",
    "scenario": "酒場で<USER>と再会する。",
    "first_mes": "*手を振る* 「久しぶり、{{user}}！」",
    "mes_example": (
        "<START>\n{{user}}: やあ\n{{char}}: *微笑む* 「元気だった？」\n「聞いていく？」\n"
        "<START>\nアリア：「負けないから」"
    ),
}
V2: dict[str, Any] = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "description": ARIA["description"],
    "data": {
        **ARIA,
        "creator_notes": "よろしく",
        "alternate_greetings": ["「また会えたね」"],
        "extensions": {"talkativeness": "0.5"},
        "character_book": {
            "recursive_scanning": True,
            "entries": [
                {"keys": ["王都"], "content": "{{char}}の故郷。", "enabled": True, "insertion_order": 5, "x_id": 7},
                {"keys": ["竜"], "content": "@@depth 2\n竜は北に棲む。", "enabled": True, "extensions": {"y": 1}},
                "no entry",
            ],
        },
    },
}


def imported(raw: dict[str, Any], user: str = "") -> ImportedSheet:
    return sheet_of(card_in(json.dumps(raw).encode()), user)


def exported(sheet: Character, raw: dict[str, Any], *spec: Any) -> dict[str, Any]:
    return card_of(sheet, card_in(json.dumps(raw).encode()), *spec).raw


def edited(sheet: Character, **changes: Any) -> Character:
    return sheet.model_copy(update=changes)


# --- there and back --------------------------------------------------------------------------------------------------


def test_a_json_card_comes_back_as_it_went_through_a_sheet_on_disk(tmp_path: Path) -> None:
    for seed in CARDS:
        dealer, name = dealt(seed), f"somebody_{seed}"
        sheet = sheet_of(card_in(dealer.json)).sheet
        path = store(sheet, dealer.json, tmp_path, name)
        assert character.load(name, tmp_path).model_copy(update={"card": None}) == sheet, seed
        again = json_of(card_of(*open_sheet(path)))
        assert json.dumps(json.loads(again)) == json.dumps(dealer.raw), seed


def test_a_picture_comes_back_to_the_byte(tmp_path: Path) -> None:
    for seed in CARDS:
        dealer = dealt(seed)
        path = store(sheet_of(card_in(dealer.png)).sheet, dealer.png, tmp_path, f"somebody_{seed}")
        assert png_of(card_of(*open_sheet(path))) == dealer.png, seed


@pytest.mark.parametrize("spec", ["v1", "v2", "v3"])
def test_another_version_of_a_card_makes_the_same_sheet(spec: Any) -> None:
    for seed in CARDS[::4]:
        card = card_in(dealt(seed).json)
        sheet = sheet_of(card).sheet
        other = card_of(sheet, card, spec)
        assert other.spec == spec
        assert sheet_of(card_in(json_of(other))).sheet == sheet, seed
        assert sheet_of(card_in(png_of(other))).sheet == sheet, seed


def test_an_edited_sheet_comes_back_as_it_was_edited() -> None:
    for seed in CARDS[::4]:
        card = card_in(dealt(seed).png)
        sheet = sheet_of(card).sheet
        new = edited(
            sheet,
            persona=f"{sheet.persona}\n(1)",
            personality=Personality(grit=0.9),
            examples=(*sheet.examples, "（笑う）「ほらね」"),
            lore=tuple(edited(one, content=f"{one.content}。") for one in sheet.lore[1:]),
            aliases=("歌姫",),
        )
        assert sheet_of(card_in(png_of(card_of(new, card)))).sheet == new, seed


@pytest.mark.parametrize(
    ("name", "spec"), list(zip(character.shipped_sheets(), cycle(["v1", "v2", "v3"]), strict=False))
)
def test_every_sheet_of_ours_survives_as_a_card(name: str, spec: Any) -> None:
    sheet = character.load(name, Path("nowhere"))
    card = card_of(sheet, spec=spec)
    assert sheet_of(card_in(png_of(card))).sheet == sheet
    assert sheet_of(card_in(json_of(card))).sheet == sheet


# --- what a sheet says -----------------------------------------------------------------------------------------------


def test_a_card_becomes_a_sheet() -> None:
    sheet = imported(V2).sheet
    assert sheet == Character.model_validate(
        {
            "display_name": "アリア",
            "persona": (
                "{{char}}は王都の歌姫。{{user}}の幼なじみ。\n\n性格: 負けず嫌い\n\n状況: 酒場で{{user}}と再会する。"
            ),
            "examples": ["（微笑む）「元気だった？」「聞いていく？」", "「負けないから」"],
            "greetings": ["*手を振る* 「久しぶり、{{user}}！」", "「また会えたね」"],
            "notes": "よろしく",
            "lore": [
                {"keys": ["王都"], "content": "{{char}}の故郷。", "order": 5},
                {"keys": ["竜"], "content": "竜は北に棲む。"},
            ],
            "lore_scan": {"recursive": True},
            "phrasebook": {"idle": {"*": ["元気だった？", "聞いていく？", "負けないから"]}},
        }
    )
    assert sheet.personality == Personality()
    assert set(sheet.personality.model_dump().values()) == {0.5}


def test_v1_and_v2_of_a_card_say_the_same() -> None:
    plain = {**V2, "data": ARIA}
    assert imported(ARIA).sheet == imported(plain).sheet


def test_the_user_of_a_card_can_be_somebody_of_the_cast(tmp_path: Path) -> None:
    raw = json.dumps(V2).encode()
    sheet = imported(V2, "やな").sheet
    assert "やなの幼なじみ" in sheet.persona
    path = store(sheet, raw, tmp_path, "aria", "やな")
    assert card_of(*open_sheet(path)).raw == V2


def test_an_english_card_speaks_english() -> None:
    raw = {"name": "Ada", "description": "{{char}} likes {{user}}.", "personality": "kind"}
    sheet = imported({**raw, "mes_example": '{{char}}: *nods* "Yes."'}).sheet
    assert sheet.persona == "{{char}} likes {{user}}.\n\nPersonality: kind"
    assert sheet.examples == ('(nods) "Yes."',)


@pytest.mark.parametrize(
    ("written", "kept", "played"),
    [
        ("{{CHAR}} and <bot>", "{{char}} and {{char}}", "アリー and アリー"),
        ("{{ user }}", "{{user}}", "ナオ"),
        ("a{{// a secret }}b{{comment: c}}{{hidden_key:d}}", "ab", "ab"),
        (
            "{{pick::one::one}} {{roll:d1}} {{reverse:abc}}",
            "{{pick::one::one}} {{roll:d1}} {{reverse:abc}}",
            "one 1 cba",
        ),
        ("{{time}} {{unknown:x}} {{", "{{time}} {{unknown:x}} {{", "{{time}} {{unknown:x}} {{"),
    ],
)
def test_a_sheet_keeps_macros_and_they_are_filled_in_where_it_is_played(written: str, kept: str, played: str) -> None:
    sheet = imported({**ARIA, "nickname": "アリー", "description": written}).sheet
    data = fill_macros(sheet.model_dump(mode="json"), "ナオ", "ja", Random(0))
    assert [text.split("\n")[0] for text in (sheet.persona, data["persona"])] == [kept, played]


def test_dice_of_macros_fall_by_their_seed_and_notes_stay_as_they_are() -> None:
    data = {"display_name": "Ada", "lore": [{"content": "{{random:a,b,c\\,d}}"}], "notes": "for {{user}}"}
    drawn = {fill_macros(data, "", "en", Random(seed))["lore"][0]["content"] for seed in range(20)}
    assert drawn == {"a", "b", "c,d"}
    assert fill_macros(data, "", "en", Random(1)) == fill_macros(data, "", "en", Random(1))
    assert fill_macros(data, "", "en", Random(1))["notes"] == "for {{user}}"


@pytest.mark.parametrize(
    ("samples", "lines"),
    [
        ("", ()),
        ("<START>\n{{user}}: hello", ()),
        ("She hums.", ("She hums.",)),
        ("{{char}}: a\nb\n{{user}}: c\nd\n{{char}}: e", ("a b", "e")),
        ("{{char}}: time: 07:10", ("time: 07:10",)),
        ("{{char}}: a\n{{char}}: a", ("a",)),
    ],
)
def test_only_the_characters_own_lines_are_samples(samples: str, lines: tuple[str, ...]) -> None:
    assert imported({"name": "Ada", "mes_example": samples}).sheet.examples == lines


def test_a_nickname_is_the_short_name() -> None:
    raw = {"spec": "chara_card_v3", "data": {"name": "アリア・ベル", "nickname": "アリー", "description": "{{char}}"}}
    assert imported(raw).sheet.short_name == "アリー"
    assert imported(raw).sheet.persona == "{{char}}"


def test_lorebook_entries_are_read_in_the_words_of_cards_and_of_sillytavern() -> None:
    entry = {
        "key": ["竜", ""], "keysecondary": ["北"], "comment": "竜について", "content": "棲む。", "selective": True,
        "order": 3, "selectiveLogic": 3, "disable": True, "caseSensitive": True, "matchWholeWords": False,
        "scanDepth": 2, "constant": True,
    }  # fmt: skip
    expected = LoreEntry(
        keys=("竜",), secondary_keys=("北",), name="竜について", content="棲む。", selective=True, order=3, logic="all",
        enabled=False, case_sensitive=True, whole_words=False, depth=2, constant=True,
    )  # fmt: skip
    book = {"entries": {"0": entry}, "scan_depth": 7.0, "token_budget": 300, "recursive_scanning": True}
    sheet = imported({**ARIA, "character_book": book}).sheet
    assert sheet.lore == (expected,)
    assert sheet.lore_scan == LoreScan(depth=7, budget=300, recursive=True)


@pytest.mark.parametrize(
    ("decorator", "enabled", "constant"),
    [("@@activate", True, True), ("@@dont_activate", False, False), ("@@depth 3\n@@role system", True, False)],
)
def test_decorators_are_no_part_of_what_is_known(decorator: str, enabled: bool, constant: bool) -> None:
    book = {"entries": [{"keys": ["k"], "content": f"{decorator}\n\nknown"}]}
    (entry,) = imported({**ARIA, "character_book": book}).sheet.lore
    assert (entry.content, entry.enabled, entry.constant) == ("known", enabled, constant)


@pytest.mark.parametrize(
    ("count", "kept"), [(2000, 2000), (2001, 2000), (20_000, 2000)], ids=["at the cap", "one above", "ten times"]
)
def test_a_lorebook_has_at_most_two_thousand_entries(count: int, kept: int) -> None:
    book = {"entries": [{"keys": [f"k{place}"], "content": "x"} for place in range(count)]}
    found = imported({**ARIA, "character_book": book})
    assert len(found.sheet.lore) == kept
    assert [note.key for note in found.notes] == (["lore-many"] if count > kept else [])
    left = exported(edited(found.sheet, lore=()), {**ARIA, "character_book": book})["character_book"]
    assert left["entries"] == book["entries"][kept:]


def test_a_pattern_that_cannot_be_used_is_a_plain_word_with_a_note() -> None:
    book = {"entries": [{"keys": ["(?=x)", "a|b"], "content": "x", "use_regex": True}]}
    found = imported({**ARIA, "character_book": book})
    assert [(note.key, note.details) for note in found.notes] == [("lore-patterns", {"count": 1})]
    many = {"entries": [{"keys": [f"a|{place}"], "content": "x", "use_regex": True} for place in range(300)]}
    (note,) = imported({**ARIA, "character_book": many}).notes
    assert note.details == {"count": 300 - 256}


# --- what was edited wins, and nothing else changes ------------------------------------------------------------------


def test_a_new_name_is_written_and_all_else_stays() -> None:
    new = exported(edited(imported(V2).sheet, display_name="ベル"), V2)
    assert new == {**V2, "data": {**V2["data"], "name": "ベル"}}


def test_an_edited_persona_keeps_personality_and_scenario_where_it_still_ends_with_them() -> None:
    sheet = imported(V2).sheet
    new = exported(edited(sheet, persona=sheet.persona.replace("歌姫", "踊り子")), V2)
    assert new["data"]["description"] == new["description"] == "{{char}}は王都の踊り子。{{user}}の幼なじみ。"
    assert (new["data"]["personality"], new["data"]["scenario"]) == (ARIA["personality"], ARIA["scenario"])
    whole = exported(edited(sheet, persona="別の人。"), V2)["data"]
    assert [whole[name] for name in ("description", "personality", "scenario")] == ["別の人。", "", ""]


def test_an_edited_entry_of_the_lorebook_keeps_what_sheets_do_not_know() -> None:
    sheet = imported(V2).sheet
    bell_rings = LoreEntry(keys=("鐘",), content="正午に鳴る。")
    lore = (edited(sheet.lore[1], content="竜はもういない。"), sheet.lore[0], bell_rings)
    old = V2["data"]["character_book"]["entries"]
    dragon, capital, bell, unread = exported(edited(sheet, lore=lore), V2)["data"]["character_book"]["entries"]
    assert dragon == {**old[1], "content": "@@depth 2\n竜はもういない。"}
    assert (capital, unread) == (old[0], old[2])
    assert (bell["keys"], bell["content"], bell["enabled"]) == (["鐘"], "正午に鳴る。", True)


def test_numbers_go_into_an_extension_beside_those_of_others() -> None:
    new = exported(edited(imported(V2).sheet, personality=Personality(grit=0.9)), V2)
    extensions = new["data"]["extensions"]
    assert extensions["talkativeness"] == "0.5"
    assert extensions["hakoniwa"]["sheet"]["personality"] == {"grit": 0.9}
    assert {**new["data"], "extensions": V2["data"]["extensions"]} == V2["data"]


def test_what_another_program_changed_in_an_exported_card_wins_over_our_extension() -> None:
    sheet = character.load("yana", Path("nowhere"))
    raw = card_of(sheet).raw
    raw = {**raw, "data": {**raw["data"], "description": "別の人。", "name": "はな"}}
    again = imported(raw).sheet
    assert again == edited(sheet, display_name="はな", persona="別の人。")


def test_an_extension_cannot_name_a_file_of_the_users_disk() -> None:
    raw = card_of(character.load("yana", Path("nowhere"))).raw
    raw["data"]["extensions"]["hakoniwa"]["sheet"]["card"] = {"file": "passwd"}
    assert imported(raw).sheet.card is None


def test_an_extension_that_is_none_is_noted_and_kept() -> None:
    for odd in (5, [], {"sheet": 1}, {"sheet": {"display_name": "x"}}, {"sheet": {"x": "\x00"}}):
        raw = {**V2, "data": {**V2["data"], "extensions": {"hakoniwa": odd}}}
        found = imported(raw)
        assert found.sheet.display_name == "アリア"
        assert "extension" in [note.key for note in found.notes]
        assert exported(found.sheet, raw) == raw


@pytest.mark.parametrize("spec", ["v2", "v3"])
def test_a_v1_card_with_a_field_called_data_is_still_a_v1_card(spec: Any) -> None:
    raw = {**ARIA, "data": {"name": "別人"}, "avatar": "none"}
    assert exported(imported(raw).sheet, raw) == raw
    newer = exported(imported(raw).sheet, raw, spec)
    assert newer["data"]["name"] == "アリア"
    assert (newer["data"]["data"], newer["avatar"]) == ({"name": "別人"}, "none")
    assert imported(newer).sheet == imported(raw).sheet


# --- pictures --------------------------------------------------------------------------------------------------------


def test_the_newer_of_two_cards_in_a_picture_is_read_and_both_are_edited() -> None:
    newer = {"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": "三", "x": 1}}
    older = {"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "二", "y": 2, "creator_notes": "V3を"}}
    raw = pictured([packed("chara", json.dumps(older).encode()), packed("ccv3", json.dumps(newer).encode())])
    card = card_in(raw)
    sheet = sheet_of(card).sheet
    assert sheet.display_name == "三"
    again = card_in(png_of(card_of(edited(sheet, display_name="四"), card)))
    assert again.texts == {
        "chara": {**older, "data": {**older["data"], "name": "四"}},
        "ccv3": {**newer, "data": {**newer["data"], "name": "四"}},
    }


def test_an_exported_picture_keeps_its_image_and_other_texts() -> None:
    card = card_in(dealt(1).png)
    out = png_of(card_of(edited(sheet_of(card).sheet, display_name="四"), card))
    kept = [one for one in containers.chunks_of(out, "-") if containers.keyword_of(one) != "chara"]
    assert kept == [one for one in containers.chunks_of(dealt(1).png, "-") if containers.keyword_of(one) != "chara"]
    assert b"parameters\0a portrait" in [one.data for one in kept]


def test_another_picture_can_be_used_and_its_old_card_goes() -> None:
    card = card_in(json.dumps(V2).encode())
    out = png_of(card, picture=dealt(2).png)
    assert card_in(out).texts == {"chara": V2}
    with pytest.raises(CardError, match="not-png"):
        png_of(card, picture=b"\xff\xd8 a photograph")


def test_a_character_without_a_picture_gets_a_plain_one() -> None:
    header, pixels, text, end = containers.chunks_of(png_of(card_in(json.dumps(V2).encode())), "-")
    assert [header.kind, pixels.kind, text.kind, end.kind] == [b"IHDR", b"IDAT", b"tEXt", b"IEND"]
    width, height = struct.unpack(">II", header.data[:8])
    assert len(zlib.decompress(pixels.data)) == height * (1 + 3 * width)


def test_a_v3_card_in_a_new_picture_has_a_v2_beside_it() -> None:
    raw = {"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": "三", "assets": []}}
    card = card_in(png_of(card_in(json.dumps(raw).encode())))
    assert card.texts["ccv3"] == raw
    assert card.texts["chara"] == {**raw, "spec": "chara_card_v2", "spec_version": "2.0"}


def test_a_charx_archive_is_read_with_its_icon() -> None:
    icon = pictured([])
    assets = [
        {"type": "icon", "uri": "https://nowhere.example/a.png", "name": "main", "ext": "png"},
        {"type": "icon", "uri": "embeded://assets/icon/images/b.png", "name": "b", "ext": "png"},
    ]
    raw = {"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": "三", "assets": assets}}
    card = card_in(archive({"card.json": json.dumps(raw).encode(), "assets/icon/images/b.png": icon}))
    assert (card.raw, card.picture) == (raw, icon)
    assert card_in(png_of(card)).texts["ccv3"] == raw


def archive(files: dict[str, bytes]) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name, data in files.items():
            target.writestr(name, data)
    return out.getvalue()


# --- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("アリア", "アリア"),
        ("Aria Black", "Aria Black"),
        ("../../etc/passwd", "_.._etc_passwd"),
        ("..", "character"),
        ("C:\\x", "C__x"),
        ("NUL", "_NUL"),
        ("com1.txt", "_com1.txt"),
        ("a\x00\u202eb\n", "ab"),
        ("𠮷" * 64, "𠮷" * 50),
        ("", "character"),
    ],
)
def test_a_file_is_named_after_its_character_and_stays_in_its_folder(name: str, file: str) -> None:
    assert file_name(name) == file
    assert file_name(file) == file
    assert Path(file).name == file


def test_a_stored_sheet_overwrites_nothing_by_itself(tmp_path: Path) -> None:
    raw = json.dumps(V2).encode()
    sheet = sheet_of(card_in(raw)).sheet
    path = store(sheet, raw, tmp_path / "cast", "aria")
    assert sorted(one.name for one in path.parent.iterdir()) == ["aria.card.json", "aria.yaml"]
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(CardError, match=r"card\.exists"):
        store(sheet, raw, tmp_path / "cast", "aria")
    assert path.read_text(encoding="utf-8") == "mine"
    store(sheet, raw, tmp_path / "cast", "aria", force=True)
    assert open_sheet(path)[0].display_name == "アリア"
    with pytest.raises(CardError, match=r"card\.bad-name"):
        store(sheet, raw, tmp_path / "cast", "../aria")


def test_a_sheet_without_its_card_says_so(tmp_path: Path) -> None:
    raw = json.dumps(V2).encode()
    path = store(sheet_of(card_in(raw)).sheet, raw, tmp_path, "aria")
    (tmp_path / "aria.card.json").unlink()
    with pytest.raises(CardError, match=r"card\.original"):
        open_sheet(path)
    assert character.load("aria", tmp_path).display_name == "アリア"


@pytest.mark.parametrize(
    "fields",
    [
        {"description": "あ" * 400_000},
        {"extensions": {"hakoniwa": {"sheet": {"display_name": "ア", "persona": "", "aliases": ["a"] * 600}}}},
    ],
    ids=["bytes", "values"],
)
def test_a_sheet_too_large_to_load_is_not_written(
    fields: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document, "MAX_NODES", 500)
    raw = json.dumps({**ARIA, **fields}).encode()
    with pytest.raises(CardError, match=r"card\.sheet-size"):
        store(sheet_of(card_in(raw)).sheet, raw, tmp_path, "aria")
    assert list(tmp_path.iterdir()) == []


SLOW = """
import sys
from pathlib import Path
from time import sleep
from hakoniwa.actor.cards import files
from hakoniwa.actor.cards.read import card_in
from hakoniwa.actor.cards.sheet import sheet_of

def slowly(path, raw, honest=files.write_atomically):
    print(path.name, flush=True)
    sleep(0.3)
    honest(path, raw)

files.write_atomically = slowly
raw = Path(sys.argv[1]).read_bytes()
files.store(sheet_of(card_in(raw)).sheet, raw, Path(sys.argv[2]), "aria")
"""


def test_of_two_processes_that_bring_a_card_under_one_name_one_is_refused(tmp_path: Path) -> None:
    first, second = (json.dumps({**ARIA, "description": one}).encode() for one in ("one", "two"))
    (tmp_path / "first.json").write_bytes(first)
    cast = tmp_path / "cast"
    command = [sys.executable, "-c", SLOW, tmp_path / "first.json", cast]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline()
        with pytest.raises(CardError, match=r"card\.exists"):
            store(sheet_of(card_in(second)).sheet, second, cast, "aria")
    assert other.returncode == 0
    assert open_sheet(cast / "aria.yaml")[0].persona.startswith("one")
    assert (cast / "aria.card.json").read_bytes() == first


def test_a_sheet_reads_well() -> None:
    text = sheet_text(imported({**ARIA, "description": "一行目。\n\n二行目。"}).sheet)
    assert "persona: |-\n  一行目。\n\n  二行目。\n" in text
    assert "  grit: 0.5\n" in text
    assert Document(text, "-").to(Character) == imported({**ARIA, "description": "一行目。\n\n二行目。"}).sheet
