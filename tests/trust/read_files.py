"""Files to be read: scenarios in YAML, scenes in XML."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from hakoniwa.stage import import_xml
from hakoniwa.stage.document import Document
from hakoniwa.stage.scenario import Scenario
from tests.trust.reader import Chance, Reader, framed, nothing_wrong
from tests.trust.scrawl import spoilt_bytes, text, words

CANARY = "CANARY-READ-31"

SCENARIOS = (
    'id: a\ntitle: 朝\nworld:\n  location: {current: 部屋}\n  characters: {凪: {location: 部屋}}\n'
    '  props: {杯: {location: 部屋, state: ["on"]}}\ncast: {凪: {sheet: stranger}}\n',
    "id: b\ntitle: b\nlanguage: en\nworld: {location: {current: r}, characters: {a: &a {location: r}, b: *a}}\n"
    "cast: {a: {sheet: s}, b: {sheet: s, knows: all}}\nincidents:\n  - id: x\n    text: |\n      rain\n"
    "    delta: [{op: add, path: /rules/-, value: wet}]\n",
    "a: &a {p: 1, q: 2, r: 3}\n" + "".join(
        f"{name}: &{name} {{p: *{before}, q: *{before}, r: *{before}}}\n" for before, name in pairwise("abcdefghijklm")
    ),
)  # fmt: skip
YAML = (
    "id: a\n", "title: 朝\n", "world:\n", "  ", "- ", "? ", ": ", "[", "]", "{", "}", ", ", "&a ", "*a", "&b ", "*b ",
    "!!int ", "!!float ", "!!bool ", "!!binary ", "!!set ", "!!omap ", "!!timestamp ", "!!str ", "!!null ",
    "!!python/name:os.system ", "!x ", "! ", "<<: ", "'", '"', "|\n", ">-\n", "# ", "\n", "---\n", "...\n",
    "%YAML 1.1\n", "%TAG ! a\n", "on", "yes", "~", "1_0", "0x", "0o7", "0b1", "1:30", ".inf", ".nan", "1e400",
    "2024-01-02", "=", "\t", "cast: ", "a: ", "props", "location: ", "部屋", "0x" + "f" * 5000, "\\ud800",
    '"\\U00110000"', "@", "`", "_",
)  # fmt: skip
SCENES = tuple(scene.encode() for scene in (
    '<?xml version="1.0" encoding="UTF-8"?><scene_state><meta><time>朝 07:10</time><location>駅</location></meta>'
    '<actors><actor id="a"><name>凪</name><holding>切符, 傘(黒, 長い)</holding></actor></actors><environment>'
    '<object id="o" state="held_by_a, wet"><name>手紙</name><affordance>開ける(要:鍵), 叩く</affordance></object>'
    "</environment><rules><rule>静かに</rule></rules></scene_state>",
    '<!DOCTYPE s [<!ENTITY e "x"><!ENTITY f "&e;&e;">]><scene_state><meta><location>部屋&f;</location></meta><actors>'
    "<actor><name>凪</name></actor></actors></scene_state>",
))  # fmt: skip
XML = (
    "<scene_state>", "</scene_state>", "<meta>", "</meta>", "<location>", "</location>", "<actors>", "</actors>",
    "<actor>", '<actor id="a">', "</actor>", "<name>凪</name>", "<name>", "</name>", "<holding>", "切符, 傘", "(", ")",
    "、", "<environment>", '<object state="held_by_a">', "</object>", "<!--", "-->", "<![CDATA[", "]]>", "<?x y?>",
    "&amp;", "&e;", "&#0;", "&#xD800;", '<!DOCTYPE s [<!ENTITY e SYSTEM "{decoy}">]>', '<!DOCTYPE s [<!ENTITY e "x">]>',
    "<rules><rule>", "</rule></rules>", '<?xml version="1.0" encoding="utf-16"?>',
    "<tension_level>High</tension_level>", "<event>", "</event>", '"', "<a/>",
)  # fmt: skip
XML_UNITS = (
    ",", "、", ", ", "(", ")", "(,", ",)", "( ", " ", "&e;", "<a>", "<a/>", "<!---->", "<event>x</event>",
    "<rules><rule>x</rule></rules>", "<environment><object><name>x</name></object></environment>",
    "<actors><actor><name>x</name><holding>y</holding></actor></actors>",
)  # fmt: skip
WHOLE = (
    "{declared}<scene_state><meta><location>{room}</location></meta><actors><actor><name>凪</name><status>{list}</status>"
    "</actor></actors>{more}</scene_state>"
)
ENTITY = '<!DOCTYPE s [<!ENTITY e SYSTEM "{decoy}">]>'


def a_scenario(chance: Chance) -> str:
    return text(chance, YAML, SCENARIOS)


def read_scenario(written: str) -> object:
    return Document(written, "x.yaml").to(Scenario).model_dump_json()


class Scenes:
    """The importer of XML, which reads files; beside them lies one that nobody asked for."""

    def __init__(self, folder: Path) -> None:
        self.path, self.decoy = folder / "scene.xml", folder / "decoy.txt"
        self.decoy.write_text(CANARY, encoding="utf-8")

    def made(self, chance: Chance) -> bytes:
        number = chance.random()
        if number < 0.3:
            return words(chance, XML).replace("{decoy}", self.decoy.as_uri()).encode("utf-8", "surrogatepass")
        if number < 0.5:
            listed = words(chance, XML, 3) if chance.random() < 0.5 else "切符, 傘(黒、長い), "
            return self._whole(room=f"駅{chance.choice(('', '&e;', '&#65;'))}", list=listed)
        return spoilt_bytes(chance, SCENES) if number < 0.95 else chance.randbytes(chance.randint(0, 60))

    def _whole(self, room: str = "駅", list: str = "", more: str = "") -> bytes:
        declared = ENTITY.format(decoy=self.decoy.as_uri())
        whole = WHOLE.format(declared=declared, room=room, list=list, more=more)
        return whole.encode("utf-8", "surrogatepass")

    def read(self, raw: bytes) -> object:
        self.path.write_bytes(raw)
        return import_xml.read_scene(self.path).model_dump_json()

    def wrong(self, _: bytes, found: Any) -> Iterator[str]:
        if CANARY in found:
            yield "a file was read that nobody asked for"

    def long(self, unit: str, frame: str) -> bytes:
        return self._whole(list=unit) if frame == "list" else self._whole(more=unit)


YAML_READER = Reader(
    a_scenario, read_scenario, nothing_wrong,
    (*YAML, "[a, ", "{a: ", "[[], ", "- - ", "a:\n ", "&a [*a], ", "x: [1,", "'a', "),
    framed, frames=("{}", "[{}]", "a: |\n  {}"), size=4_096,
)  # fmt: skip


def importer(folder: Path) -> Reader:
    scenes = Scenes(folder)
    return Reader(scenes.made, scenes.read, scenes.wrong, XML_UNITS, scenes.long, frames=("list", "more"), size=8_192)
