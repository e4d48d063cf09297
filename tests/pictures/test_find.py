"""What things look like: words and ends of words in two languages, and nothing rather than something absurd."""

import xml.etree.ElementTree as ElementTree

import pytest

from hakoniwa.pictures.catalogue import known_words, pictures, svg_of
from hakoniwa.pictures.find import picture_of
from hakoniwa.stage.scenario import find, load, shipped_scenarios
from hakoniwa.stage.world import UnplacedProp

LOOKS = {
    "蔵の鍵": "key", "rusty old key": "old-key", "書き物机": "desk", "石油ランプ": "oil-lamp", "紅茶の缶": "tin",
    "書類の山": "document", "stack of papers": "document", "pile of books": "books", "bunch of keys": "key",
    "slice of cake": "cake", "鳩時計": "wall-clock", "bread knife": "knife", "植物図鑑": "book", "人参": "carrot",
    "手鏡": "mirror", "oak tree": "tree", "pot of tea": "teapot", "cup of tea": "cup-of-tea", "Brass Bed": "bed",
    "ペットボトル": "bottle", "薬箱": "box", "羅針盤": "compass", "wine glasses": "wine-glass", "瀬戸物の皿": "plate",
}  # fmt: skip
LOOKS_LIKE_NOTHING = (
    "コーヒーの染み", "coffee stain", "馬車", "水車", "灯台", "制御盤", "双眼鏡", "火薬", "急須の蓋", "人魚の鱗",
    "stained glass", "traffic light", "gold bar", "power station", "river bank", "snow globe", "door handle",
    "pillow case", "本棚の裏", "gizmo", "あれ",
)  # fmt: skip


@pytest.mark.parametrize("name", LOOKS)
def test_a_name_says_what_a_thing_looks_like(name: str) -> None:
    found = picture_of(name)
    assert found is not None
    assert found.name == LOOKS[name]


@pytest.mark.parametrize("name", LOOKS_LIKE_NOTHING)
def test_what_is_only_nearly_right_is_left_out(name: str) -> None:
    assert picture_of(name) is None


def test_an_alias_helps_a_name_and_the_author_is_asked_first() -> None:
    assert picture_of("ごま") is None
    for names, wanted, look in (("ごま", None, "cat"), ("ごま", "dog", "dog"), ("ごま", "no-such-picture", "cat")):
        found = picture_of(names, ["猫"], wanted)
        assert found is not None
        assert found.name == look


@pytest.mark.parametrize("name", shipped_scenarios())
def test_every_thing_that_ships_has_a_picture(name: str) -> None:
    plain = [one for one, prop in everything(name).items() if picture_of(one, prop.aliases, prop.picture) is None]
    assert plain == (["コーヒーの染み"] if name == "detective_office" else [])


def everything(scenario: str) -> dict[str, UnplacedProp]:
    """What is in a scenario, and what can come to be in it."""
    found: dict[str, UnplacedProp] = dict(load(find(scenario)).world.props)
    waiting = list(found.values())
    while waiting:
        for one in waiting.pop().affordances:
            made = {**one.makes, **(one.after.makes if one.after else {})}
            found |= made
            waiting += made.values()
    return found


def test_every_picture_is_one_and_does_nothing_else() -> None:
    assert set(known_words()["pictures"]) <= set(pictures())
    for picture in pictures().values():
        for state in (None, *picture.states):
            svg = svg_of(picture.name, state) or ""
            nodes = list(ElementTree.fromstring(svg).iter())
            tags = {node.tag.partition("}")[2] for node in nodes}
            assert not tags & {"script", "foreignObject", "image", "style", "a"}, picture.name
            assert all(node.get("href", "#")[0] == "#" for node in nodes), picture.name
            assert "http" not in svg.replace("http://www.w3.org/2000/svg", ""), picture.name
        assert not picture.states or svg_of(picture.name) != svg_of(picture.name, picture.states[0])


def test_a_word_stands_for_one_picture() -> None:
    for language in ("ja", "en"):
        words = [word for entry in known_words()["pictures"].values() for word in entry[language]]
        assert sorted({word for word in words if words.count(word) > 1}) == []
