"""Small worlds to test with: a kitchen as another engine sends it, a lighthouse in two languages, and random ones."""

from typing import Any

from hypothesis import strategies as st

from hakoniwa.pack import pack
from hakoniwa.stage.world import WorldState

LANGUAGES = ("ja", "en")


def kitchen(**changes: Any) -> dict[str, Any]:
    """A version 0.1 world in the form other engines send: no rooms listed, no held_by, nothing about food."""
    return {
        "version": "0.1",
        "time": {"label": "朝", "turn": 0},
        "location": {"current": "キッチン"},
        "characters": {
            "やな": {"status": ["起床済み"], "holding": [], "location": "キッチン"},
            "あゆ": {"status": ["起床済み"], "holding": [], "location": "キッチン"},
        },
        "props": {
            "マグカップ": {"location": "キッチン", "state": ["clean"]},
            "コーヒーメーカー": {"location": "キッチン", "state": ["off"]},
        },
        "events": [],
        **changes,
    }


def tiny(props: dict[str, Any] | None = None, **changes: Any) -> WorldState:
    """Two rooms with an open way between them, 楓 and 蓬 in the first, and whatever things a test needs."""
    data: dict[str, Any] = {
        "version": "0.2",
        "location": {"current": "茶室"},
        "locations": {"茶室": {"exits": ["中庭"]}, "中庭": {"exits": ["茶室"]}},
        "characters": {"楓": {"location": "茶室", "holding": []}, "蓬": {"location": "茶室", "holding": []}},
        "props": props or {},
    }
    return WorldState.model_validate({**data, **changes})


# The names of the lighthouse by what they stand for, so that one table of acts serves both languages.
WORDS: dict[str, dict[str, str]] = {
    "ja": {
        "post": "詰所", "loft": "灯室", "pier": "桟橋",
        "keeper": "汐里", "mate": "鉄平", "guest": "音羽", "parrot": "オウム",
        "iron_door": "鉄扉", "gate": "木戸",
        "cupboard": "戸棚", "tin": "茶筒", "brass_key": "真鍮の鍵", "bucket": "手桶", "pebble": "小石", "basket": "籠",
        "trunk": "長持", "chart": "海図", "rusty_key": "錆びた鍵", "barrel": "樽", "case": "革鞄",
        "table": "卓", "biscuit": "干し芋", "cup": "湯のみ", "stove": "ストーブ", "cocoa": "ココア",
        "notebook": "手帳", "coat": "外套", "spyglass": "望遠鏡", "bench": "長椅子", "coin": "銀貨",
        "rope": "綱", "twine": "麻縄", "cord": "紐", "radio": "無線機",
        "something": "何か", "it": "それ", "bakery": "製粉所", "piano": "ピアノ", "stranger": "旅の男", "air": "空気",
    },
    "en": {
        "post": "watch room", "loft": "lamp room", "pier": "pier",
        "keeper": "Maren", "mate": "Ivo", "guest": "Tilda", "parrot": "Kraa",
        "iron_door": "iron door", "gate": "gate",
        "cupboard": "cupboard", "tin": "tea tin", "brass_key": "brass key", "bucket": "bucket", "pebble": "pebble",
        "basket": "basket", "trunk": "trunk", "chart": "chart", "rusty_key": "rusty key", "barrel": "barrel",
        "case": "case", "table": "table", "biscuit": "biscuit", "cup": "cup", "stove": "stove", "cocoa": "cocoa",
        "notebook": "notebook", "coat": "oilskin", "spyglass": "spyglass", "bench": "bench", "coin": "coin",
        "rope": "rope", "twine": "twine", "cord": "cord", "radio": "radio",
        "something": "something", "it": "it", "bakery": "bakery", "piano": "piano", "stranger": "the peddler",
        "air": "air",
    },
}  # fmt: skip


def spelled(verb: str, language: str) -> str:
    """A verb as a scenario author of that language would write it."""
    return next(form for form, known in pack(language).surfaces.items() if known == verb)


def lighthouse(language: str = "ja", given: dict[str, dict[str, Any] | None] | None = None) -> WorldState:
    """Three rooms behind a locked and a closed door, nested containers, keys, food, a stove, four people.

    `given` changes things by their key in WORDS; None takes one away."""
    word = WORDS[language]
    props = _lighthouse_props(word, language)
    for key, change in (given or {}).items():
        if change is None:
            del props[word[key]]
        else:
            spelt = {
                field: word.get(value, value) if isinstance(value, str) else value for field, value in change.items()
            }
            props[word[key]] = {**props.get(word[key], {"location": word["post"]}), **spelt}
    return WorldState.model_validate(
        {
            "version": "0.2",
            "time": {"label": "夜" if language == "ja" else "night", "turn": 3, "clock": "21:40"},
            "meta": {"weather": "雨" if language == "ja" else "rain"},
            "location": {"current": word["post"]},
            "locations": {
                word["post"]: {
                    "exits": {word["loft"]: {"via": word["iron_door"]}, word["pier"]: {"via": word["gate"]}}
                },
                word["loft"]: {"exits": {word["post"]: {"via": word["iron_door"]}}},
                word["pier"]: {"exits": {word["post"]: {"via": word["gate"]}}},
            },
            "characters": {
                word["keeper"]: {"location": word["post"], "holding": [word["notebook"]]},
                word["mate"]: {"location": word["post"], "holding": []},
                word["guest"]: {"location": word["loft"], "holding": [word["spyglass"]]},
                word["parrot"]: {"location": word["post"], "hands": 0},
            },
            "props": props,
            "events": [],
        }
    )


def _lighthouse_props(word: dict[str, str], language: str) -> dict[str, Any]:
    needs = "要" if language == "ja" else "needs"

    def verb(name: str, key: str = "") -> str:
        return spelled(name, language) + (f"({needs}:{word[key]})" if key else "")

    post, pier = {"location": word["post"]}, {"location": word["pier"]}
    iron_door = [verb("OPEN"), verb("CLOSE"), verb("UNLOCK", "brass_key"), verb("LOCK", "brass_key"), verb("KICK")]
    drink = {"verb": verb("DRINK"), "needs": ["full"], "becomes": ["empty"]}
    brew = {
        "verb": verb("BREW"),
        "needs": ["on"],
        "becomes": ["on", "brewing"],
        "after": {"turns": 2, "becomes": ["on"], "makes": {word["cocoa"]: {"edible": True}}, "told": "{what}!"},
    }
    things: dict[str, dict[str, Any]] = {
        "iron_door": {**post, "fixed": True, "state": ["locked"], "affordances": iron_door},
        "gate": {**post, "fixed": True, "state": ["closed"]},
        "cupboard": {**post, "fixed": True, "container": True, "state": ["closed"]},
        "tin": {"inside": word["cupboard"], "container": True, "state": ["closed"]},
        "brass_key": {"inside": word["tin"]},
        "bucket": {**post, "container": True},
        "pebble": {"inside": word["bucket"]},
        "basket": {**post, "container": True, "state": ["open"], "owner": word["mate"]},
        "trunk": {
            **post, "fixed": True, "container": True, "state": ["locked"],
            "affordances": [verb("OPEN", "rusty_key"), verb("ATTACK")],
        },
        "chart": {"inside": word["trunk"], "affordances": [verb("READ")]},
        "rusty_key": {"on": word["barrel"]},
        "barrel": {**pier, "fixed": True},
        "table": {**post, "fixed": True, "parts": ["脚" if language == "ja" else "leg"]},
        "biscuit": {"on": word["table"], "edible": True},
        "cup": {"on": word["table"], "state": ["full"], "affordances": [drink, verb("WASH")]},
        "stove": {
            **post, "fixed": True, "state": ["off"],
            "affordances": [{"verb": verb("TURN_ON"), "needs": ["off"], "becomes": ["on"]}, brew],
        },
        "notebook": {
            "held_by": word["keeper"], "owner": word["keeper"], "affordances": [verb("READ"), verb("WRITE")],
        },
        "coat": {**post, "owner": word["mate"]},
        "spyglass": {"held_by": word["guest"]},
        "bench": {**post, "fixed": True, "affordances": [verb("SIT")]},
        "coin": {"on": word["bench"], "state": ["hidden"]},
        "rope": {**post, "aliases": [word["cord"]]},
        "twine": {**post, "aliases": [word["cord"]]},
        "radio": {**post, "fixed": True, "state": ["off"]},
    }  # fmt: skip
    return {word[key]: thing for key, thing in things.items()}


# --- random worlds -------------------------------------------------------------------------------------------------

ROOMS, PEOPLE = ("北の間", "南の間", "渡り廊下"), ("藍", "杏")
THINGS = ("壺", "盆", "扇", "鈴", "櫛", "お櫛", "飴")
STATES = ("open", "closed", "locked", "on", "off", "hidden", "clean", "開", "閉", "default")
VERBS = (
    "WEAR",
    "REMOVE",
    "OPEN",
    "CLOSE",
    "LOCK",
    "UNLOCK",
    "TURN_ON",
    "TURN_OFF",
    "READ",
    "SIT",
    "EAT",
    "KICK",
    "INSPECT",
    "まわす",
)


@st.composite
def affordances(draw: st.DrawFn) -> dict[str, Any]:
    """One affordance in long form, whatever it asks and does."""
    made = draw(st.booleans())
    return {
        "verb": draw(st.sampled_from(VERBS)),
        "needs": draw(st.lists(st.sampled_from(STATES), max_size=1))
        + draw(st.sampled_from([[], [], [{"鈴": "on"}], [{"weather": "雨"}]])),
        "requires": draw(st.lists(st.sampled_from(THINGS), max_size=1)),
        "becomes": draw(st.lists(st.sampled_from(STATES), max_size=1)),
        "consumes": draw(st.booleans()),
        "makes": {"削り屑": {"edible": True}} if made else {},
    }


@st.composite
def small_worlds(draw: st.DrawFn) -> WorldState:
    """Valid worlds of a few rooms, people and things, in every combination of place, state and affordance."""
    rooms = ROOMS[: draw(st.integers(1, 3))]
    people: dict[str, dict[str, Any]] = {
        who: {"location": draw(st.sampled_from(rooms)), "hands": draw(st.integers(0, 2))} for who in PEOPLE
    }
    props: dict[str, dict[str, Any]] = {}
    for name in draw(st.lists(st.sampled_from(THINGS), unique=True, max_size=6)):
        props[name] = draw(_things()) | draw(_places(rooms, list(props)))
    for who, figure in people.items():
        figure["holding"] = [name for name, prop in props.items() if prop.get("held_by") == who]
    doors = {name: prop["location"] for name, prop in props.items() if "location" in prop and not _can_vanish(prop)}
    exits = {room: {"exits": draw(_exits(room, rooms, doors))} for room in rooms}
    return WorldState.model_validate(
        {
            "version": draw(st.sampled_from(["0.1", "0.2"])),
            "location": {"current": rooms[0]},
            "locations": exits if draw(st.booleans()) else {},
            "characters": people,
            "props": props,
        }
    )


@st.composite
def _things(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "state": draw(st.lists(st.sampled_from(STATES), max_size=2, unique=True)),
        "fixed": draw(st.booleans()),
        "container": draw(st.booleans()),
        "edible": draw(st.sampled_from([None, True, False, "food", "drink"])),
        "alive": draw(st.sampled_from([None, None, True])),
        "surface": draw(st.sampled_from([None, None, True, False])),
        "hangs": draw(st.sampled_from([None, None, True])),
        "wearable": draw(st.sampled_from([None, None, True])),
        "affordances": draw(st.lists(affordances(), max_size=2)),
        "owner": draw(st.sampled_from([None, None, *PEOPLE])),
    }


@st.composite
def _places(draw: st.DrawFn, rooms: tuple[str, ...], others: list[str]) -> dict[str, str]:
    """In a room, in or on another thing, or with somebody; all but the first leave the room to be worked out."""
    kind = draw(st.sampled_from(["location", "location", "inside", "on", "held_by", "carried_by", "worn_by"]))
    if kind in ("inside", "on") and others:
        return {kind: draw(st.sampled_from(others))}
    if kind.endswith("_by"):
        return {kind: draw(st.sampled_from(PEOPLE))}
    return {"location": draw(st.sampled_from(rooms))}


@st.composite
def _exits(draw: st.DrawFn, room: str, rooms: tuple[str, ...], doors: dict[str, str]) -> dict[str, dict[str, str]]:
    """Ways into other rooms, some of them through something that stands on one of their sides."""
    others = [other for other in rooms if other != room] or [room]
    ways = draw(st.lists(st.sampled_from(others), unique=True))
    near = {way: [{"via": door} for door, place in doors.items() if place in (room, way)] for way in ways}
    return {way: draw(st.sampled_from([{}, *near[way]])) for way in ways if way != room}


def _can_vanish(prop: dict[str, Any]) -> bool:
    return prop["edible"] is not False or any(one["consumes"] or one["verb"] == "EAT" for one in prop["affordances"])
