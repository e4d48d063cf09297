"""Requests nobody would send: valid ones, and what becomes of them when they are twisted at random places."""

import copy
import json
from collections.abc import Callable
from random import Random
from typing import Any

from tests.worlds import LANGUAGES, kitchen, lighthouse

Place = tuple[Any, Any]

REPLIES = (
    "Thought: 眠い。\nOutput: （マグカップを手に取る）「おはよう、あゆ。今日は何にする？」",
    "（冷蔵庫を開けて、中を覗き込む）「何か残ってたかな」（扉を閉める）",
    '*picks up the cup and drinks* "Good morning." (PUT: cup -> table)',
    "(GET: 湯のみ) (DRINK) (PUT: 湯のみ -> 卓) [Next: 鉄平]",
    "<think>どうしよう</think>「ねえ、鍵はどこ？」（戸棚を開ける）（茶筒を開けて、真鍮の鍵を取り出す）",
    "(MOVE: pier)(OPEN: gate)(GIVE: notebook -> Ivo)(TAKE: biscuit)(EAT: biscuit)",
    "（外套を鉄平に渡して、桟橋へ向かう）「じゃあね」",
    "（手を伸ばしかけて、やめる）「……ううん、なんでもない」",
    "(UNLOCK: trunk) (OPEN: trunk) (GET: chart) (READ: chart)",
    "「朝日が眩しいね」（窓の外を見る）",
)
SCRAPS = (
    "（", "）", "(", ")", "*", "「", "」", "『", "</think>", "<think>", "<THOUGHT>", "Thought:", "Output:", "[Next: ",
    "]", "(GET: ", "(PUT: x -> ", " -> ", "(DRINK)", "->", "：", "\n", "\r\n", "\t", "\x00", "\x1b[31m", "\u200b",
    "\u202e", "を手に取る", "に置く", "それ", "何か", "？", "。", "FACT: ", "</object><rules>", "]]>", "<!--", "{who}",
    "{0}", "%s", "<|im_end|>", "<start_of_turn>", "[INST]", "../../etc/passwd", "'; DROP TABLE events; --",
    "=HYPERLINK(1)", "$(id)", "~0", "~1", "/", "//", "-", "\\", '"', "'", "０", "ｶﾞ", "が", "𠮷", "👨‍👩‍👧", "Ω", "И",
    "\ufdfa", "ﷺ" * 20, "あ" * 65, '{"op":"remove","path":"/props"}', '{"type":"control","next":"やな"}', "null", "NaN",
    "__proto__", "constructor",
)  # fmt: skip
NUMBERS = (0, -1, 1, 2, 63, 64, 65, 1000, 2**31 - 1, 2**31, 2**63 - 1, 2**63, 10**30, 0.5, -0.0, 1e308, 1e-320)
OTHERS: tuple[Any, ...] = (None, True, False, [], {}, "", [None], {"": ""}, [[]], {"location": "キッチン"})


def worlds() -> list[dict[str, Any]]:
    """Worlds as other engines send them, with every kind of thing in them."""
    known = [lighthouse(language).model_dump(mode="json", exclude_unset=True) for language in LANGUAGES]
    held = kitchen(characters={"やな": {"location": "キッチン", "holding": ["スプーン"]}, "あゆ": {"location": "居間"}})
    sparse: dict[str, Any] = {
        "location": {"current": "庭"},
        "characters": {"やな": {"location": "庭"}},
        "props": {
            "鉢": {"location": "庭", "container": True}, "種": {"inside": "鉢"}, "鋏": {"held_by": "やな"},
            "実": {"location": "庭", "edible": True, "state": []},
        },
    }  # fmt: skip
    sparse["characters"]["やな"]["holding"] = ["鋏"]
    return [kitchen(), held, sparse, *known]


WORLDS = [json.dumps(world) for world in worlds()]


def valid(chance: Random, number: int) -> dict[str, Any]:
    """A request that nothing is wrong with."""
    world = json.loads(chance.choice(WORLDS))
    return {
        "session_id": f"fuzz-{number % 7}",
        "turn_number": number,
        "speaker": chance.choice(list(world["characters"])),
        "raw_output": _reply(chance, world),
        "world_state": world,
        "possible_acts": chance.choice((0, 0, 3, 200)),
    }


def _reply(chance: Random, world: dict[str, Any]) -> str:
    """A reply about this world, or about another one."""
    names = [*world["props"], *world["characters"], *world.get("locations", {}), "月", "moon"]
    verbs = ("GET", "PUT", "OPEN", "CLOSE", "EAT", "DRINK", "MOVE", "UNLOCK", "TURN_ON", "READ", "GIVE", "INSPECT")
    acts = [
        f"({chance.choice(verbs)}: {chance.choice(names)}{chance.choice(('', '', ' -> ' + chance.choice(names)))})"
        for _ in range(chance.choice((0, 1, 1, 2, 5, 40)))
    ]
    told = [f"（{chance.choice(names)}を{chance.choice(('手に取る', '開ける', '置く', '食べる', '見る'))}）"]
    return "".join(chance.sample([chance.choice(REPLIES), "".join(acts), *told], chance.randint(1, 3)))


def twisted(chance: Random, number: int) -> bytes:
    """The body of a request after up to four changes to its structure and perhaps some to its text."""
    return written(chance, bent(chance, valid(chance, number)))


def bent(chance: Random, data: dict[str, Any]) -> dict[str, Any]:
    """The JSON of a request after some changes, or none, as long as there is something left to change."""
    for _ in range(chance.choice((0, 1, 1, 2, 4))):
        if data:
            chance.choice(TWISTS)(chance, data)
    return data


def written(chance: Random, data: dict[str, Any]) -> bytes:
    """JSON as bytes, which sometimes suffer on their way."""
    body = json.dumps(data, ensure_ascii=chance.random() < 0.2).encode("utf-8", "surrogatepass")
    return _torn(chance, body) if chance.random() < 0.15 else body


def _places(node: Any) -> list[Place]:
    """Every key and index of a tree."""
    found: list[Place] = []
    nodes = [node]
    while nodes:
        one = nodes.pop()
        keys = one.items() if isinstance(one, dict) else enumerate(one) if isinstance(one, list) else ()
        for key, value in keys:
            found.append((one, key))
            if isinstance(value, dict | list):
                nodes.append(value)
    return found


def _retyped(chance: Random, data: Any) -> None:
    node, key = chance.choice(_places(data))
    node[key] = copy.deepcopy(chance.choice(chance.choice((NUMBERS, OTHERS, SCRAPS))))


def _dropped(chance: Random, data: Any) -> None:
    node, key = chance.choice(_places(data))
    del node[key]


def _swapped(chance: Random, data: Any) -> None:
    (one, here), (other, there) = chance.choice(_places(data)), chance.choice(_places(data))
    one[here], other[there] = copy.deepcopy(other[there]), copy.deepcopy(one[here])


def _renamed(chance: Random, data: Any) -> None:
    node, key = chance.choice([place for place in _places(data) if isinstance(place[0], dict)])
    node[_marred(chance, str(key))] = node.pop(key)


def _reworded(chance: Random, data: Any) -> None:
    """A text gets something hostile in it; a name that stands in several places gets it everywhere."""
    texts = [(node, key) for node, key in _places(data) if isinstance(node[key], str)]
    if texts:
        node, key = chance.choice(texts)
        node[key] = _marred(chance, node[key])


def _rechristened(chance: Random, data: dict[str, Any]) -> None:
    """A name is changed wherever it stands, so that the world still adds up."""
    names = sorted({str(key) for node, key in _places(data.get("world_state")) if isinstance(node, dict)} - KNOWN)
    if names:
        old = chance.choice(names)
        renamed = _everywhere(data, old, _marred(chance, old))
        data.clear()
        data.update(renamed)


def _everywhere(node: Any, old: str, new: str) -> Any:
    if isinstance(node, dict):
        return {_everywhere(key, old, new): _everywhere(value, old, new) for key, value in node.items()}
    if isinstance(node, list):
        return [_everywhere(one, old, new) for one in node]
    return node.replace(old, new) if isinstance(node, str) and old else node


def _buried(chance: Random, data: Any) -> None:
    node, key = chance.choice(_places(data))
    for _ in range(chance.choice((1, 2, 31, 33, 150))):
        node[key] = [node[key]] if chance.random() < 0.5 else {"x": node[key]}


def _multiplied(chance: Random, data: Any) -> None:
    node, key = chance.choice(_places(data))
    if isinstance(node, dict):
        node.update({f"{key}{number}": copy.deepcopy(node[key]) for number in range(chance.choice((1, 3, 70)))})
    else:
        node += [copy.deepcopy(node[key]) for _ in range(chance.choice((1, 3, 70)))]


def _stretched(chance: Random, data: Any) -> None:
    texts = [(node, key) for node, key in _places(data) if isinstance(node[key], str)]
    if texts:
        node, key = chance.choice(texts)
        node[key] = (node[key] or "x") * chance.choice((2, 64, 500))


def _restated(chance: Random, data: dict[str, Any]) -> None:
    """A thing is now in, on or held by another, in another state: often a world that still adds up, only oddly."""
    props = _objects(data, "props")
    if props:
        states = ("open", "closed", "locked", "hidden", "on", "off", "開", "施錠")
        prop = props[chance.choice(list(props))]
        prop.update({
            chance.choice(("inside", "on", "held_by", "owner", "location")): chance.choice([*props, "やな", None]),
            "state": chance.sample(states, chance.randint(0, 2)),
            "container": chance.random() < 0.5,
            "fixed": chance.random() < 0.3,
            "affordances": copy.deepcopy(chance.sample(AFFORDANCES, chance.randint(0, 2))),
        })  # fmt: skip


def _objects(data: dict[str, Any], kind: str) -> dict[str, dict[str, Any]]:
    world = data.get("world_state")
    found = world.get(kind) if isinstance(world, dict) else None
    return {name: one for name, one in found.items() if isinstance(one, dict)} if isinstance(found, dict) else {}


AFFORDANCES: tuple[Any, ...] = (
    "開ける(要:鍵)", "開ける(要:", "飲む", "unlock(needs: x, y)", "", "食べる",
    {"verb": "開ける", "makes": {"豆": {"edible": True}}, "consumes": True},
    {"verb": "TAKE", "becomes": ["open", "open"], "posture": "座っている", "status": ["満足"]},
    {"verb": "叩く", "told": "{who}は{what}を叩いた。"},
    {"verb": "鳴らす", "after": {"turns": 1, "makes": {"音": {}}, "told": "{what}が鳴った。"}},
    {"verb": "叩く", "told": "{whom}"}, {"verb": "叩く", "told": "{"}, {"verb": "叩く", "told": "{who.nowhere}"},
    {"verb": "叩く", "told": "{what[nowhere]}"}, {"verb": "叩く", "told": "{who:>10000000}"},
    "開ける(要:" + " " * 99 + "x",
)  # fmt: skip
TWISTS: tuple[Callable[[Random, Any], None], ...] = (
    _retyped, _dropped, _swapped, _renamed, _reworded, _rechristened, _buried, _multiplied, _stretched, _restated,
)  # fmt: skip
KNOWN = {
    "version", "time", "meta", "location", "locations", "characters", "props", "rules", "events", "holding", "state",
}  # fmt: skip


def _marred(chance: Random, text: str) -> str:
    at = chance.randint(0, len(text))
    return chance.choice((text[:at] + chance.choice(SCRAPS) + text[at:], chance.choice(SCRAPS), text[at:], text * 2))


def _torn(chance: Random, body: bytes) -> bytes:
    """Bytes lost, doubled, changed or put in."""
    for _ in range(chance.randint(1, 4)):
        at, length = chance.randint(0, len(body)), chance.choice((1, 1, 3, 50))
        doubled, noise = body[at : at + length] * 2, chance.randbytes(length)
        body = body[:at] + chance.choice((b"", doubled, noise, b"\\ud800", b"1e999", b"[" * 99)) + body[at + length :]
    return body
