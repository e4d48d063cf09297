"""The one alias table: every spelling of a name finds its thing, and the better match comes first."""

import pytest

from hakoniwa.stage.names import NameTable, fold_name
from hakoniwa.stage.patch import apply
from hakoniwa.turn import PatchOp
from tests.worlds import tiny


def table(
    props: dict[str, tuple[str, ...]] | None = None,
    characters: dict[str, tuple[str, ...]] | None = None,
    locations: dict[str, tuple[str, ...]] | None = None,
    parts: dict[str, tuple[str, ...]] | None = None,
) -> NameTable:
    return NameTable.of(props or {}, parts or {}, characters or {}, locations or {}, [])


def best(names: NameTable, written: str) -> tuple[str, str] | None:
    found = names.find(written)
    return (found[0][0], found[0][1][1]) if found else None


def best_of_each(names: NameTable, written: str) -> dict[str, str]:
    """How well each candidate answers to a written name."""
    return dict(reversed([(name, how) for how, (_, name) in names.find(written)]))


JAPANESE = table(
    props={
        "ソファ": ("長椅子",), "茶": (), "お盆": (), "ご本尊": (), "マグカップ": ("カップ",), "ランプ": (),
        "Wi-Fiルーター": (), "ティーポット": (),
    },
    characters={"あゆ": ("姉様",), "ミツル": ()},
    locations={"リビング": ("居間",)},
    parts={"ランプ": ("ほや", "つまみ")},
)  # fmt: skip

ENGLISH = table(
    props={"Tea Pot": ("kettle",), "umbrella": (), "key-ring": (), "The Times": ()},
    characters={"Ruth": ("Mum",)},
    locations={"living room": ("lounge",)},
    parts={"umbrella": ("handle",)},
)


@pytest.mark.parametrize(
    ("written", "match"),
    [
        ("ソファ", ("exact", "ソファ")),
        ("ソファー", ("derived", "ソファ")),
        ("そふぁ", ("derived", "ソファ")),
        ("ｿﾌｧ", ("exact", "ソファ")),
        ("  ソファ  ", ("exact", "ソファ")),
        ("長椅子", ("alias", "ソファ")),
        ("茶", ("exact", "茶")),
        ("お茶", ("derived", "茶")),
        ("御茶", ("derived", "茶")),
        ("盆", ("derived", "お盆")),
        ("本尊", ("derived", "ご本尊")),
        ("カップ", ("alias", "マグカップ")),
        ("かっぷ", ("derived", "マグカップ")),
        ("ティー・ポット", ("derived", "ティーポット")),
        ("ＷＩＦＩルータ", ("derived", "Wi-Fiルーター")),
        ("アユ", ("derived", "あゆ")),
        ("あゆ", ("exact", "あゆ")),
        ("あゆちゃん", ("derived", "あゆ")),
        ("あゆさん", ("derived", "あゆ")),
        ("アユ先輩", ("derived", "あゆ")),
        ("姉様", ("alias", "あゆ")),
        ("みつる君", ("derived", "ミツル")),
        ("居間", ("alias", "リビング")),
        ("ほや", ("part", "ランプ")),
        ("ツマミ", ("part", "ランプ")),
        ("様", None),
        ("お", None),
        ("ソファベッド", None),
        ("", None),
        ("ー", None),
    ],
)
def test_japanese_spellings_meet(written: str, match: tuple[str, str] | None) -> None:
    assert best(JAPANESE, written) == match


@pytest.mark.parametrize(
    ("written", "match"),
    [
        ("Tea Pot", ("exact", "Tea Pot")),
        ("the tea pot", ("derived", "Tea Pot")),
        ("a teapot", ("derived", "Tea Pot")),
        ("an umbrella", ("derived", "umbrella")),
        ("my umbrella", ("derived", "umbrella")),
        ("UMBRELLA", ("derived", "umbrella")),
        ("kettle", ("alias", "Tea Pot")),
        ("her kettle", ("derived", "Tea Pot")),
        ("key ring", ("derived", "key-ring")),
        ("The Times", ("exact", "The Times")),
        ("Times", ("derived", "The Times")),
        ("ruth", ("derived", "Ruth")),
        ("the living room", ("derived", "living room")),
        ("handle", ("part", "umbrella")),
        ("the", None),
        ("anvil", None),
        ("brella", None),
    ],
)
def test_english_spellings_meet(written: str, match: tuple[str, str] | None) -> None:
    assert best(ENGLISH, written) == match


def test_exact_beats_alias_beats_derived_beats_part() -> None:
    names = table(props={"鈴": (), "風鈴": ("鈴",), "スズ": (), "すずー": (), "御簾": ()}, parts={"御簾": ("鈴",)})

    assert best_of_each(names, "鈴") == {"鈴": "exact", "風鈴": "alias", "御簾": "part"}
    assert best_of_each(names, "すず") == {"スズ": "derived", "すずー": "derived"}
    assert best_of_each(names, "すずー") == {"すずー": "exact", "スズ": "derived"}
    order = ["exact", "alias", "derived", "part"]
    for written in ("鈴", "すず", "すずー"):
        ranks = [order.index(how) for how, _ in names.find(written)]
        assert ranks == sorted(ranks)


def test_all_that_share_a_name_are_found() -> None:
    names = table(props={"赤い鍵": ("鍵",), "青い鍵": ("鍵",)}, characters={"鍵": ()})

    assert names.find("鍵") == [
        ("exact", ("character", "鍵")), ("alias", ("prop", "赤い鍵")), ("alias", ("prop", "青い鍵")),
        ("derived", ("prop", "赤い鍵")), ("derived", ("prop", "青い鍵")), ("derived", ("character", "鍵")),
    ]  # fmt: skip


def test_a_thing_that_comes_later_is_found_like_one_that_was_always_there() -> None:
    before = tiny({"茶": {"location": "茶室"}, "急須": {"location": "茶室", "aliases": ["ポット"]}})
    value = {"location": "茶室", "aliases": ["ポット"], "parts": ["湯気"]}
    after = apply(before, [PatchOp(op="add", path="/props/お茶", value=value)])

    fresh = after.model_validate(after.model_dump())
    for written in ("お茶", "茶", "オチャ", "ポット", "ぽっと", "湯気", "急須"):
        assert best_of_each(after.index.names, written) == best_of_each(fresh.index.names, written)
        assert best(after.index.names, written) == best(fresh.index.names, written)


def test_making_the_same_thing_again_and_again_does_not_make_looking_up_dearer() -> None:
    world = tiny()
    for _ in range(20):
        world = apply(world, [PatchOp(op="add", path="/props/泡", value={"location": "茶室"})])
        world = apply(world, [PatchOp(op="remove", path="/props/泡")])

    assert len(world.index.names.find("泡")) <= 2


@pytest.mark.parametrize("text", ["ソファー", "the Key-Ring", "Ａ　Ｂ", "ーーー", ""])
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold_name(fold_name(text)) == fold_name(text)


@pytest.mark.parametrize(
    ("names", "language"),
    [(table(props={"mug": ()}), "en"), (table(props={"mug": ()}, characters={"やな": ()}), "ja"), (table(), "en")],
)
def test_the_language_of_a_world_is_that_of_its_names(names: NameTable, language: str) -> None:
    assert names.language == language
