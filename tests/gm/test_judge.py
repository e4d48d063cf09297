"""The referee: every rule reached, in Japanese and in English, and what allowed acts do to the world."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from hakoniwa.gm.history import History
from hakoniwa.gm.step import GMStep, rule_on
from hakoniwa.pack import pack
from hakoniwa.stage.patch import MAX_OPERATIONS, apply
from hakoniwa.stage.scenario import find, load, shipped_scenarios
from hakoniwa.stage.world import WorldState, problems
from hakoniwa.turn import REASON_ORDER, DeniedReason
from tests.worlds import LANGUAGES, WORDS, kitchen, lighthouse, spelled, tiny

ALLOWED = "allowed"
REASON_OF = {
    "ambiguous": "AMBIGUOUS_ACTION", "scope": "OUT_OF_SCOPE", "missing": "MISSING_OBJECT",
    "elsewhere": "WRONG_LOCATION", "owned": "NOT_OWNED", "state": "INVALID_STATE",
    "contradicts": "CONTRADICTS_WORLD", "rate": "RATE_LIMITED",
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """A reply in tags, with the names of the lighthouse in braces; who gives it, in what world, and the verdict."""

    reply: str
    verdict: str
    who: str = "keeper"
    given: dict[str, Any] = field(default_factory=dict)
    before: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return f"{self.who} {self.reply[:60]} {self.verdict}".replace("{", "").replace("}", "")


OPEN_DOOR = {"iron_door": {"state": ["open"]}}
OPEN_GATE = {"gate": {"state": ["open"]}}
OPEN_CUPBOARD = {"cupboard": {"state": ["open"]}}
OPEN_BOXES = {**OPEN_CUPBOARD, "tin": {"state": ["open"]}}
POCKET, WORN = {"twine": {"carried_by": "mate"}}, {"coat": {"worn_by": "mate"}}
FUSED = {"verb": "TURN_ON", "needs": ["off", {"fuse": "on"}]}
SOLAR = {"verb": "TURN_ON", "needs": {"weather": "?"}}
HOT = {"stove": {"state": ["on"]}}

ROWS = [
    # --- looking, touching, sitting: hardly ever denied
    Row("(INSPECT: {table})", ALLOWED),
    Row("(INSPECT: {trunk})", ALLOWED),
    Row("(INSPECT: {coat})", ALLOWED),
    Row("(INSPECT: {mate})", ALLOWED),
    Row("(INSPECT)", ALLOWED),
    Row("(POINT: {stove})", ALLOWED),
    Row("(TOUCH: {trunk})", ALLOWED),
    Row("(TOUCH: {mate})", ALLOWED),
    Row("(HUG: {mate})", ALLOWED),
    Row("(KNOCK: {iron_door})", ALLOWED),
    Row("(SIT: {bench})", ALLOWED),
    Row("(SIT: {table})", ALLOWED),
    Row("(SIT)", ALLOWED),
    Row("(CALL: {guest})", ALLOWED),
    Row("(INSPECT: {brass_key})", "state.enclosed"),
    Row("(INSPECT: {spyglass})", "elsewhere.thing"),
    Row("(TOUCH: {notebook})", "owned.held", who="mate"),
    Row("(HUG: {guest})", "elsewhere.person"),
    Row("(READ: {mate})", "state.no-affordance"),
    Row("(TOUCH: {air})", ALLOWED),
    # --- taking
    Row("(GET: {biscuit})", ALLOWED),
    Row("(GET: {bucket})", ALLOWED),
    Row("(GET: {pebble})", ALLOWED),
    Row("(GET: {coat})", ALLOWED, who="mate"),
    Row("(GET: {piano})", "missing.thing"),
    Row("(GET: {rusty_key})", "elsewhere.thing"),
    Row("(GET: {notebook})", "owned.held", who="mate"),
    Row("(GET: {coat})", "owned.owner"),
    Row("(GET: {brass_key})", "state.enclosed"),
    Row("(GET: {tin})", "state.enclosed"),
    Row("(GET: {brass_key})", "state.enclosed", given=OPEN_CUPBOARD),
    Row("(GET: {brass_key})", ALLOWED, given=OPEN_BOXES),
    Row("(GET: {coin})", "state.hidden"),
    Row("(GET: {table})", "state.fixed"),
    Row("(GET: {gate})", "state.fixed"),
    Row("(GET: {notebook})", "state.already-held"),
    Row("(GET: {biscuit}) (GET: {biscuit})", "state.already-held"),
    Row("(GET: {biscuit}) (GET: {rope})", "state.hands-full"),
    Row("(GET: {biscuit}) (GET: {rope})", ALLOWED, who="mate"),
    Row("(GET: {biscuit}) (GET: {rope}) (GET: {twine})", "state.hands-full", who="mate"),
    Row("(GET: {biscuit})", "state.hands-full", who="parrot"),
    Row("(GET: {something})", "ambiguous.vague"),
    Row("(GET: {it})", "ambiguous.vague", who="mate"),
    Row("(GET: {cord})", "ambiguous.many"),
    Row("(GET: {cord})", ALLOWED, given={"twine": None}),
    Row("(GET)", "ambiguous.no-object", who="mate"),
    # --- putting down, in and on
    Row("(PUT: {notebook})", ALLOWED),
    Row("(PUT: {it})", ALLOWED),
    Row("(PUT: {notebook} -> {table})", ALLOWED),
    Row("(PUT: {notebook} -> {bucket})", ALLOWED),
    Row("(PUT: {notebook} -> {cupboard})", "state.container-closed"),
    Row("(PUT: {notebook} -> {cupboard})", ALLOWED, given=OPEN_CUPBOARD),
    Row("(PUT: {notebook} -> {trunk})", "state.container-closed"),
    Row("(PUT: {notebook} -> {tin})", "state.enclosed"),
    Row("(PUT: {notebook} -> {basket})", "owned.owner"),
    Row("(PUT: {notebook} -> {gate})", "state.not-a-place"),
    Row("(GET: {bucket}) (PUT: {bucket} -> {bucket})", "state.into-itself"),
    Row("(GET: {bucket}) (PUT: {bucket} -> {pebble})", "state.into-itself"),
    Row("(PUT: {biscuit} -> {table})", "owned.in-hand"),
    Row("(PUT: {biscuit})", "owned.in-hand"),
    Row("(PUT: {notebook} -> {table})", "owned.held", who="mate"),
    Row("(PUT: {notebook} -> {piano})", "missing.thing"),
    Row("(PUT: {notebook} -> {barrel})", "elsewhere.thing"),
    Row("(PUT: {notebook} -> {pier})", "elsewhere.thing"),
    Row("(PUT: {notebook} -> {post})", ALLOWED),
    Row("(GET: {biscuit}) (PUT: {biscuit} -> {table})", ALLOWED),
    # --- about one's person: pockets, and what is worn
    Row("(GET: {twine})", ALLOWED, who="mate", given=POCKET),
    Row("(PRODUCE: {twine})", ALLOWED, who="mate", given=POCKET),
    Row("(INSPECT: {twine})", ALLOWED, who="mate", given=POCKET),
    Row("(GET: {twine}) (PRODUCE: {twine})", ALLOWED, who="mate", given=POCKET),
    Row("(PRODUCE: {notebook})", ALLOWED),
    Row("(PRODUCE: {biscuit})", ALLOWED),
    Row("(PRODUCE: {table})", "state.fixed"),
    Row("(GET: {biscuit}) (GET: {rope}) (PRODUCE: {twine})", "state.hands-full", who="mate", given=POCKET),
    Row("(FOLD: {twine})", "owned.put-away", who="mate", given=POCKET),
    Row("(PUT: {twine} -> {table})", "owned.put-away", who="mate", given=POCKET),
    Row("(GET: {twine}) (PUT: {twine} -> {table})", ALLOWED, who="mate", given=POCKET),
    Row("(GET: {twine})", "owned.carried", given=POCKET),
    Row("(INSPECT: {twine})", "owned.carried", given=POCKET),
    Row("(PUT: {notebook} -> {twine})", "state.not-a-place", given=POCKET),
    Row("(GET: {pebble})", "owned.carried", given={"bucket": {"carried_by": "mate"}}),
    Row("(INSPECT: {pebble})", "owned.carried", given={"bucket": {"carried_by": "mate"}}),
    Row("(GET: {pebble})", ALLOWED, given={"bucket": {"carried_by": "keeper"}}),
    Row("(PUT: {notebook} -> {bucket})", ALLOWED, given={"bucket": {"carried_by": "keeper"}}),
    Row("(PUT: {notebook} -> {bucket})", "owned.carried", given={"bucket": {"carried_by": "mate"}}),
    Row("(STOW: {notebook})", ALLOWED),
    Row("(STOW: {notebook}) (PRODUCE: {notebook}) (STOW: {it})", ALLOWED),
    Row("(STOW: {biscuit})", "owned.in-hand"),
    Row("(GET: {bucket}) (STOW: {bucket})", "state.no-pocket"),
    Row("(GET: {biscuit}) (STOW: {biscuit})", "state.no-pocket", given={"biscuit": {"edible": "drink"}}),
    Row("(GET: {biscuit}) (STOW: {biscuit})", "state.no-pocket", given={"biscuit": {"alive": True}}),
    Row("(INSPECT: {coat})", ALLOWED, given=WORN),
    Row("(TOUCH: {coat})", "owned.worn", given=WORN),
    Row("(REMOVE: {coat})", "owned.worn", given=WORN),
    Row("(REMOVE: {coat})", ALLOWED, who="mate", given=WORN),
    Row("(GET: {coat})", ALLOWED, who="mate", given=WORN),
    Row("(MEND: {coat})", ALLOWED, who="mate", given=WORN),
    Row("(ADJUST: {coat})", ALLOWED, who="mate", given={"coat": {**WORN["coat"], "affordances": ["MEND"]}}),
    Row("(FOLD: {coat})", "state.no-affordance", who="mate", given={"coat": {**WORN["coat"], "affordances": ["MEND"]}}),
    Row("(PUT: {coat} -> {table})", "owned.put-on", who="mate", given=WORN),
    Row("(REMOVE: {coat}) (PUT: {coat} -> {table})", ALLOWED, who="mate", given=WORN),
    Row("(WEAR: {coat})", "state.already-worn", who="mate", given=WORN),
    Row("(WEAR: {coat})", "owned.in-hand", who="mate"),
    Row("(GET: {coat}) (WEAR: {coat}) (GET: {biscuit}) (GET: {rope})", ALLOWED, who="mate"),
    Row("(GET: {biscuit}) (GET: {rope}) (REMOVE: {coat})", "state.hands-full", who="mate", given=WORN),
    # --- food is eaten, drink is drunk
    Row("(GET: {biscuit}) (EAT: {biscuit})", ALLOWED, given={"biscuit": {"edible": "food"}}),
    Row("(GET: {biscuit}) (DRINK: {biscuit})", "state.not-drink", given={"biscuit": {"edible": "food"}}),
    Row("(GET: {biscuit}) (EAT: {biscuit})", "state.not-food", given={"biscuit": {"edible": "drink"}}),
    # --- what is needed elsewhere
    Row("(TURN_ON: {radio})", "state.needs-other", given={"radio": {"affordances": [FUSED]}}),
    Row("(TURN_ON: {radio})", "state.needs-weather", given={"radio": {"affordances": [SOLAR]}}),
    Row("(GO_OUT)", "scope.outside"),
    Row("(GO_OUT: {bakery})", "scope.outside"),
    Row("(GO_OUT: {pier})", ALLOWED, given=OPEN_GATE),
    # --- giving
    Row("(GIVE: {notebook} -> {mate})", ALLOWED),
    Row("(PUT: {notebook} -> {mate})", ALLOWED),
    Row("(GIVE: {notebook} -> {guest})", "elsewhere.person"),
    Row("(GIVE: {notebook} -> {parrot})", "state.their-hands-full"),
    Row("(GIVE: {notebook} -> {keeper})", "state.self"),
    Row("(GIVE: {biscuit} -> {mate})", "owned.in-hand"),
    Row("(GIVE: {notebook} -> {stranger})", "missing.person"),
    Row("(CALL: {stranger})", "missing.person"),
    Row("(GIVE: {notebook})", "ambiguous.no-object"),
    # --- two things in one act: the earlier reason wins over both
    Row("(PUT: {rusty_key} -> {piano})", "missing.thing"),
    Row("(PUT: {piano} -> {barrel})", "missing.thing"),
    Row("(PUT: {biscuit} -> {barrel})", "elsewhere.thing"),
    Row("(PUT: {biscuit} -> {cupboard})", "owned.in-hand"),
    Row("(PUT: {coat} -> {piano})", "missing.thing"),
    Row("(GIVE: {coat} -> {guest})", "elsewhere.person"),
    Row("(PUT: {it} -> {something})", "ambiguous.vague"),
    # --- rooms and doors
    Row("(MOVE: {pier})", ALLOWED, given=OPEN_GATE),
    Row("(MOVE: {gate})", ALLOWED, given=OPEN_GATE),
    Row("(MOVE: {loft})", ALLOWED, given=OPEN_DOOR),
    Row("(MOVE: {guest})", ALLOWED, given=OPEN_DOOR),
    Row("(MOVE: {table})", ALLOWED),
    Row("(OPEN: {gate}) (MOVE: {pier})", ALLOWED),
    Row("(MOVE: {pier})", "state.door-closed"),
    Row("(MOVE: {loft})", "state.door-locked"),
    Row("(MOVE: {post})", "state.already-there"),
    Row("(MOVE: {pier})", "state.no-exit", who="guest"),
    Row("(MOVE: {bakery})", "scope.unknown-place"),
    Row("(MOVE)", "ambiguous.no-object"),
    Row("(OPEN: {gate})", ALLOWED),
    Row("(OPEN: {iron_door})", "state.locked", who="guest"),
    Row("(CLOSE: {gate})", "state.already"),
    Row("(OPEN: {gate})", "state.already", given=OPEN_GATE),
    Row("(OPEN: {gate})", "elsewhere.thing", who="guest"),
    # --- keys and locks
    Row("(OPEN: {iron_door})", "state.locked"),
    Row("(UNLOCK: {iron_door})", "state.requires"),
    Row("(GET: {brass_key}) (UNLOCK: {iron_door})", ALLOWED, given=OPEN_BOXES),
    Row("(GET: {brass_key}) (UNLOCK: {iron_door}) (OPEN: {iron_door}) (MOVE: {loft})", ALLOWED, given=OPEN_BOXES),
    Row("(GET: {brass_key}) (OPEN: {iron_door})", "state.locked", given=OPEN_BOXES),
    Row("(GET: {brass_key}) (UNLOCK: {iron_door}) (MOVE: {loft})", "state.door-closed", given=OPEN_BOXES),
    Row("(UNLOCK: {iron_door})", "state.already", given=OPEN_DOOR),
    Row("(LOCK: {iron_door})", "state.already"),
    Row("(GET: {brass_key}) (LOCK: {iron_door})", "state.not-closed", given={**OPEN_BOXES, **OPEN_DOOR}),
    Row("(GET: {brass_key}) (CLOSE: {iron_door}) (LOCK: {iron_door})", ALLOWED, given={**OPEN_BOXES, **OPEN_DOOR}),
    Row("(LOCK: {iron_door})", "state.requires", given={"iron_door": {"state": ["closed"]}}),
    Row("(UNLOCK: {cupboard})", "state.no-lock"),
    Row("(LOCK: {gate})", "state.no-lock"),
    Row("(OPEN: {trunk})", "state.locked"),
    Row("(UNLOCK: {trunk})", "state.requires"),
    Row("(CLOSE: {trunk})", "state.no-affordance"),
    Row("(OPEN: {cupboard})", ALLOWED),
    Row("(OPEN: {cupboard}) (OPEN: {tin}) (GET: {brass_key})", ALLOWED),
    Row("(OPEN: {cupboard}) (GET: {brass_key})", "state.enclosed"),
    # --- using what lists affordances, and what lists none
    Row("(KICK: {iron_door})", ALLOWED),
    Row("(KICK: {stove})", "state.no-affordance"),
    Row("(KICK: {barrel})", "elsewhere.thing"),
    Row("(READ: {notebook})", ALLOWED),
    Row("(USE: {notebook})", ALLOWED),
    Row("(READ: {bench})", "state.no-affordance"),
    Row("(READ: {biscuit})", "owned.in-hand"),
    Row("(READ: {chart})", "owned.in-hand"),
    Row("(GET: {rope}) (FOLD: {rope})", ALLOWED),
    Row("(FOLD: {rope})", "owned.in-hand"),
    Row("(TURN_ON: {radio})", ALLOWED),
    Row("(TURN_OFF: {radio})", "state.already"),
    Row("(TURN_ON: {stove})", ALLOWED),
    Row("(TURN_ON: {stove})", "state.needs", given=HOT),
    Row("(TURN_OFF: {stove})", "state.no-affordance"),
    Row("(BREW: {stove})", "state.needs"),
    Row("(BREW: {stove})", ALLOWED, given=HOT),
    Row("(TURN_ON: {stove}) (BREW: {stove})", ALLOWED),
    Row("(BREW: {stove})", "state.exists", given={**HOT, "cocoa": {"edible": True}}),
    Row("(USE)", "ambiguous.no-object", who="mate"),
    Row("(USE: {piano})", "missing.thing"),
    # --- eating and drinking
    Row("(GET: {biscuit}) (EAT: {biscuit})", ALLOWED),
    Row("(GET: {biscuit}) (EAT)", ALLOWED),
    Row("(GET: {biscuit}) (EAT: {it})", ALLOWED),
    Row("(EAT: {biscuit})", "owned.in-hand"),
    Row("(EAT: {table})", "state.not-edible"),
    Row("(EAT: {notebook})", "state.not-edible"),
    Row("(GET: {cup}) (DRINK: {cup})", ALLOWED),
    Row("(GET: {cup}) (DRINK: {cup}) (DRINK: {cup})", "state.needs"),
    Row("(GET: {biscuit}) (EAT: {biscuit}) (GET: {biscuit})", "missing.thing"),
    # --- too much at once
    Row("(INSPECT: {table}) " * 70, "state.too-much"),
    # --- saying what is not so
    Row('"{post} {guest}"', ALLOWED),
    # --- the third time
    Row("(INSPECT: {table})", "rate.same", before=("(INSPECT: {table})", "(INSPECT: {table})")),
    Row("(INSPECT: {table})", ALLOWED, before=("(INSPECT: {table})",)),
    Row("(INSPECT: {table})", ALLOWED, before=("(INSPECT: {table})", "(SIT: {bench})")),
    Row("(INSPECT: {table})", ALLOWED, before=("(INSPECT: {table})", "(INSPECT: {stove})", "(INSPECT: {table})")),
    Row("(GET: {piano})", "missing.thing", before=("(GET: {piano})", "(GET: {piano})")),
]


def step(row: Row, language: str) -> tuple[WorldState, GMStep]:
    words, world, history = WORDS[language], lighthouse(language, row.given), History()
    who = words[row.who]
    for turn, reply in enumerate(row.before):
        history.add(rule_on(world, who, reply.format(**words), history, turn).past)
    return world, rule_on(world, who, row.reply.format(**words), history, len(row.before))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_an_act_is_judged(row: Row, language: str) -> None:
    world, judged = step(row, language)
    ruling = judged.ruling

    if row.verdict == ALLOWED:
        assert (ruling.allowed, ruling.denied_reason, ruling.explanation) == (True, None, None)
        assert problems(apply(world, ruling.world_delta)) == []
        return
    assert ruling.explanation is not None
    assert (ruling.explanation.rule, ruling.denied_reason) == (row.verdict, REASON_OF[row.verdict.split(".")[0]])
    assert (ruling.allowed, ruling.world_delta, ruling.told, judged.processes) == (False, (), (), ())


CLAIMS = [
    ("ja", "汐里", "「もう朝だな」", "contradicts.time"),
    ("ja", "汐里", "「雪が降っているな」", "contradicts.weather"),
    ("ja", "汐里", "「音羽がここにいるよ」", "contradicts.presence"),
    ("ja", "汐里", "（見知らぬ男が入ってくる）", "scope.new-character"),
    ("en", "Maren", '"Good morning! It is a bright morning."', "contradicts.time"),
    ("en", "Maren", '"It is snowing."', "contradicts.weather"),
    ("en", "Maren", '"Tilda is here."', "contradicts.presence"),
    ("en", "Maren", "(a strange man walks in)", "scope.new-character"),
    ("ja", "汐里", "「鉄平がここにいるよ」", ALLOWED),
    ("ja", "汐里", "「朝になったら雨もやむだろうか？」", ALLOWED),
    ("en", "Maren", '"Ivo is here."', ALLOWED),
    ("en", "Maren", '"Is Tilda here?"', ALLOWED),
]


@pytest.mark.parametrize(("language", "who", "reply", "verdict"), CLAIMS)
def test_what_is_said_of_the_world_must_be_so(language: str, who: str, reply: str, verdict: str) -> None:
    ruling = rule_on(lighthouse(language), who, reply).ruling

    assert (ruling.explanation.rule if ruling.explanation else ALLOWED) == verdict
    assert ruling.allowed == (verdict == ALLOWED)


@pytest.mark.parametrize("name", shipped_scenarios())
def test_every_weather_of_a_garden_is_some_sky(name: str) -> None:
    """Else anything could be said of it: that it pours, on a fair day."""
    scenario = load(find(name))
    deltas = (one for incident in scenario.incidents for one in incident.delta if one.path == "/meta/weather")
    skies = pack(scenario.language).claims.skies.values()
    for weather in filter(None, (scenario.world.meta.weather, *(str(one.value) for one in deltas))):
        assert any(word in weather for sky in skies for word in sky), weather


def test_it_does_not_pour_on_a_fair_day() -> None:
    world = load(find("tea_room")).world
    assert rule_on(world, "Theo", '"It\'s pouring!"').ruling.denied_reason == "CONTRADICTS_WORLD"
    assert rule_on(world, "Theo", '"Such a clear sky."').ruling.allowed


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_is_reached_by_some_row(language: str) -> None:
    reached = {row.verdict for row in ROWS} | {verdict for spoken, _, _, verdict in CLAIMS if spoken == language}

    assert {rule.removesuffix(".alive") for rule in pack(language).denied} - reached == set()


def test_every_reason_has_its_rules() -> None:
    assert {REASON_OF[rule.split(".")[0]] for rule in pack("ja").denied} == {*DeniedReason}
    assert [*REASON_OF.values()] == sorted(DeniedReason, key=lambda reason: REASON_ORDER[reason])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("verb", ["GET", "OPEN", "EAT", "INSPECT", "SIT", "TURN_ON", "READ", "CALL", "GIVE", "MOVE"])
def test_a_tag_may_be_written_in_the_language_of_the_world(verb: str, language: str) -> None:
    words, world = WORDS[language], lighthouse(language)
    target = words[{"MOVE": "bakery", "CALL": "mate", "OPEN": "cupboard", "TURN_ON": "radio"}.get(verb, "bench")]

    written = rule_on(world, words["keeper"], f"（{spelled(verb, language)}：{target}）").ruling
    canonical = rule_on(world, words["keeper"], f"({verb}: {target})").ruling

    assert (written.denied_reason, written.world_delta) == (canonical.denied_reason, canonical.world_delta)


# --- what allowed acts do -------------------------------------------------------------------------------------------


def after(world: WorldState, who: str, reply: str, **how: Any) -> WorldState:
    ruling = rule_on(world, who, reply, **how).ruling
    assert ruling.allowed, ruling.explanation
    return apply(world, ruling.world_delta)


def played(reply: str, language: str = "ja", who: str = "keeper", given: dict[str, Any] | None = None) -> WorldState:
    words = WORDS[language]
    return after(lighthouse(language, given), words[who], reply.format(**words))


def test_a_taken_thing_stays_in_the_world_and_in_one_hand() -> None:
    world = played("(GET: {biscuit})")

    assert world.props["干し芋"].held_by == "汐里"
    assert world.props["干し芋"].on is None
    assert world.characters["汐里"].holding == ("手帳", "干し芋")


def test_acts_build_on_each_other() -> None:
    world = played("(OPEN: {cupboard}) (OPEN: {tin}) (GET: {brass_key}) (UNLOCK: {iron_door}) (OPEN: {iron_door})")

    assert [world.props[name].state for name in ("戸棚", "茶筒", "鉄扉")] == [("open",)] * 3
    assert world.props["真鍮の鍵"].held_by == "汐里"


def test_one_denied_act_and_the_whole_turn_changes_nothing() -> None:
    world = lighthouse("ja")

    ruling = rule_on(world, "汐里", "(GET: 干し芋) (OPEN: 戸棚) (GET: ピアノ) (SIT: 長椅子) 「聞いたか？」").ruling

    assert (ruling.denied_reason, ruling.world_delta, ruling.told) == (DeniedReason.MISSING_OBJECT, (), ())
    assert apply(world, ruling.world_delta) is world


def test_what_is_put_into_a_container_is_inside_and_on_anything_else_on_top() -> None:
    assert played("(PUT: {notebook} -> {bucket})").props["手帳"].inside == "手桶"
    assert played("(PUT: {notebook} -> {table})").props["手帳"].on == "卓"
    loose = played("(PUT: {notebook})").props["手帳"]
    assert (loose.inside, loose.on, loose.held_by, loose.location) == (None, None, None, "詰所")


def test_a_given_thing_changes_hands() -> None:
    world = played("(GIVE: {notebook} -> {mate})")

    assert (world.characters["汐里"].holding, world.characters["鉄平"].holding) == ((), ("手帳",))
    assert world.props["手帳"].held_by == "鉄平"


def test_whoever_goes_takes_what_they_hold_and_all_that_is_in_it() -> None:
    world = played("(GET: {bucket}) (MOVE: {pier})", given=OPEN_GATE)

    assert {world.props[name].location for name in ("手帳", "手桶", "小石")} == {"桟橋"}
    assert world.characters["汐里"].location == "桟橋"


BAG = {"袋": {"location": "茶室", "container": True}, **{f"豆{number}": {"inside": "袋"} for number in range(100)}}


@pytest.mark.parametrize(
    "reply",
    ["(GET: 袋) (MOVE: 中庭)", "(INSPECT: 袋) " * 70, "「" + "豆は？" * 70 + "」", "(GET: 豆1) (PUT: 豆1 -> 袋) " * 20],
    ids=["a heavy bag", "many acts", "many questions", "to and fro"],
)
def test_no_turn_does_more_than_a_delta_may_hold(reply: str) -> None:
    world = tiny(BAG)

    ruling = rule_on(world, "楓", reply).ruling

    assert len(ruling.world_delta) <= MAX_OPERATIONS
    assert problems(apply(world, ruling.world_delta)) == []
    assert ruling.allowed or ruling.explanation


def test_who_sits_has_a_posture_until_they_rise_or_go() -> None:
    sitting = played("(SIT: {bench})", given=OPEN_GATE)
    assert sitting.characters["汐里"].posture == "座っている"

    assert after(sitting, "汐里", "(STAND)").characters["汐里"].posture is None
    assert after(sitting, "汐里", "(MOVE: 桟橋)").characters["汐里"].posture is None


def test_opening_with_the_key_that_the_affordance_names_unlocks_too() -> None:
    given = {"rusty_key": {"on": None, "location": "詰所"}}
    world = played("(GET: {rusty_key}) (OPEN: {trunk}) (PUT: {notebook} -> {table}) (GET: {chart})", given=given)

    assert world.props["長持"].state == ("open",)
    assert world.props["海図"].held_by == "汐里"


def test_unlocking_leaves_it_closed_and_locking_needs_no_memory() -> None:
    world = played("(GET: {brass_key}) (UNLOCK: {iron_door})", given=OPEN_BOXES)
    assert world.props["鉄扉"].state == ("closed",)

    assert after(world, "汐里", "(LOCK: 鉄扉)").props["鉄扉"].state == ("locked",)


@pytest.mark.parametrize("key", ["銅の鍵", "どうのかぎ", "合鍵"])
def test_a_key_goes_by_any_of_its_names(key: str) -> None:
    props = {
        "鍵箱": {"location": "茶室", "container": True, "state": ["locked"], "affordances": [f"開ける(要:{key})"]},
        "銅の鍵": {"held_by": "楓", "aliases": ["合鍵", "どうのかぎ"]},
    }
    world = tiny(props, characters={"楓": {"location": "茶室", "holding": ["銅の鍵"]}})

    assert after(world, "楓", "(OPEN: 鍵箱)").props["鍵箱"].state == ("open",)


@pytest.mark.parametrize(
    ("state", "verb", "result"),
    [
        (["施錠"], "OPEN", None), (["閉"], "OPEN", ("開",)), (["開"], "CLOSE", ("閉",)),
        (["消灯"], "TURN_ON", ("点灯",)),
        (["点灯"], "TURN_OFF", ("消灯",)), (["default"], "OPEN", ("open",)), ([], "OPEN", ("open",)),
        (["off", "dusty"], "TURN_ON", ("dusty", "on")),
    ],
)  # fmt: skip
def test_states_keep_the_spelling_of_their_world(state: list[str], verb: str, result: tuple[str, ...] | None) -> None:
    world = tiny({"厨子": {"location": "茶室", "fixed": True, "container": True, "state": state}})

    ruling = rule_on(world, "楓", f"({verb}: 厨子)").ruling

    assert (apply(world, ruling.world_delta).props["厨子"].state if ruling.allowed else None) == result


def test_a_book_held_open_leaves_no_trace() -> None:
    world = after(lighthouse("ja", {"rope": {"state": []}}), "鉄平", "(GET: 綱) (OPEN: 綱)")

    assert world.props["綱"].state == ()


def test_what_is_eaten_leaves_the_world() -> None:
    world = played("(GET: {biscuit}) (EAT: {biscuit})")

    assert "干し芋" not in world.props
    assert world.characters["汐里"].holding == ("手帳",)
    assert rule_on(world, "汐里", "(GET: 干し芋)").ruling.denied_reason == DeniedReason.MISSING_OBJECT


def test_what_stood_on_a_thing_that_is_eaten_stays_behind() -> None:
    world = tiny({"餅": {"location": "茶室", "edible": True}, "蜜柑": {"on": "餅"}})

    eaten = after(world, "楓", "(GET: 餅) (EAT: 餅)")

    assert (eaten.props["蜜柑"].on, eaten.props["蜜柑"].location) == (None, "茶室")


def test_a_drunk_cup_is_empty_and_still_there() -> None:
    world = played("(GET: {cup}) (DRINK: {cup})")

    assert world.props["湯のみ"].state == ("empty",)
    assert world.props["湯のみ"].held_by == "汐里"


def test_in_an_old_world_unknown_things_may_be_eaten_but_no_machines() -> None:
    world = WorldState.model_validate(
        kitchen(props={"トースト": {"location": "キッチン"}, "レンジ": {"location": "キッチン", "state": ["off"]}})
    )

    assert "トースト" not in after(world, "やな", "(GET: トースト) (EAT: トースト)").props
    ruling = rule_on(world, "やな", "(EAT: レンジ)").ruling
    assert ruling.explanation
    assert ruling.explanation.rule == "state.not-edible"


def test_a_door_of_an_old_world_is_no_food() -> None:
    rooms = {"キッチン": {"exits": {"廊下": {"via": "引き戸"}}}, "廊下": {"exits": ["キッチン"]}}
    world = WorldState.model_validate(kitchen(locations=rooms, props={"引き戸": {"location": "キッチン"}}))

    assert rule_on(world, "やな", "(EAT: 引き戸)").ruling.denied_reason == DeniedReason.INVALID_STATE


def test_old_and_new_worlds_get_the_same_delta() -> None:
    old, new = WorldState.model_validate(kitchen()), WorldState.model_validate(kitchen(version="0.2"))

    deltas = [rule_on(world, "やな", "(GET: マグカップ)").ruling.world_delta for world in (old, new)]

    assert deltas[0] == deltas[1]
    assert [(one.op, one.path) for one in deltas[0]] == [
        ("add", "/characters/やな/holding/-"), ("add", "/props/マグカップ/held_by"), ("add", "/events/-"),
    ]  # fmt: skip


def test_what_is_merely_listed_in_a_hand_can_be_used_put_down_and_given() -> None:
    people = {"やな": {"location": "キッチン", "holding": ["ふきん"]}, "あゆ": {"location": "キッチン", "holding": []}}
    world = WorldState.model_validate(kitchen(characters=people))

    down = after(world, "やな", "(PUT: ふきん)")
    assert (down.props["ふきん"].location, down.characters["やな"].holding) == ("キッチン", ())
    given = after(world, "やな", "(GIVE: ふきん -> あゆ)")
    assert (given.characters["やな"].holding, given.characters["あゆ"].holding) == ((), ("ふきん",))
    assert after(world, "やな", "(USE: ふきん)").characters["やな"].holding == ("ふきん",)


def test_hidden_things_come_to_light_when_what_they_are_on_is_inspected() -> None:
    world = played("(INSPECT: {bench}) (GET: {coin})")

    assert world.props["銀貨"].held_by == "汐里"
    assert world.props["銀貨"].state == ()


def test_a_look_from_outside_does_not_find_what_is_in_a_closed_box() -> None:
    props = {
        "箱": {"location": "茶室", "container": True, "state": ["closed"]},
        "指輪": {"inside": "箱", "state": ["hidden"]},
    }
    shut = after(tiny(props), "楓", "(INSPECT: 箱)")
    opened = after(tiny(props), "楓", "(OPEN: 箱) (INSPECT: 箱)")

    assert (shut.props["指輪"].state, opened.props["指輪"].state) == (("hidden",), ())


def test_an_affordance_may_make_change_consume_and_pose() -> None:
    told = "{who}は{what}をこぼした！"
    spill = {"verb": "こぼす", "consumes": True, "makes": {"染み": {"fixed": True}}, "told": told}
    nap = {"verb": "横になる", "posture": "丸くなっている", "status": ["眠い"]}
    here = {"location": "茶室"}
    world = tiny({"墨汁": {**here, "affordances": [spill]}, "布団": {**here, "affordances": [nap]}})

    spilled = rule_on(world, "楓", "(GET: 墨汁) (SPILL: 墨汁)").ruling
    asleep = after(world, "楓", "(LIE: 布団)")

    stained = apply(world, spilled.world_delta)
    assert (stained.props["染み"].location, "墨汁" in stained.props) == ("茶室", False)
    assert spilled.told[-1] == "楓は墨汁をこぼした！"
    assert (asleep.characters["楓"].posture, asleep.characters["楓"].status) == ("丸くなっている", ("眠い",))


def test_a_door_that_is_broken_down_leaves_the_way_open() -> None:
    rooms = {"茶室": {"exits": {"中庭": {"via": "襖"}}}, "中庭": {"exits": {"茶室": {"via": "襖"}}}}
    smash = {"verb": "壊す", "consumes": True}
    world = tiny({"襖": {"location": "茶室", "state": ["closed"], "affordances": [smash]}}, locations=rooms)

    broken = after(world, "楓", "(BREAK: 襖) (MOVE: 中庭)")

    assert broken.characters["楓"].location == "中庭"
    assert problems(broken) == []


def test_what_takes_time_is_set_going() -> None:
    judged = rule_on(lighthouse("ja", HOT), "汐里", "(BREW: ストーブ)")

    (process,) = judged.processes
    assert (process.prop, process.due, process.becomes, [*process.makes]) == ("ストーブ", 3 + 2, ("on",), ["ココア"])
    assert apply(lighthouse("ja", HOT), judged.ruling.world_delta).props["ストーブ"].state == ("on", "brewing")


def test_brewing_switches_a_machine_on_in_a_world_that_says_nothing_of_it() -> None:
    world = WorldState.model_validate(kitchen())
    judged = rule_on(world, "やな", "（コーヒーを淹れる）「いい匂い」").ruling

    assert [(one.op, one.path, one.value) for one in judged.world_delta[:1]] == [
        ("replace", "/props/コーヒーメーカー/state", ["on", "brewing"])
    ]
    assert (
        rule_on(apply(world, judged.world_delta), "あゆ", "（コーヒーを淹れる）").ruling.world_delta[0].path
        == "/events/-"
    )


# --- implicit taking ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "who", "allowed"),
    [
        ("(EAT: 干し芋)", "汐里", True), ("(PUT: 綱 -> 卓)", "汐里", True), ("(EAT: 干し芋)", "オウム", False),
        ("(READ: 手帳)", "鉄平", False), ("(FOLD: 外套)", "汐里", False), ("(FOLD: 外套)", "鉄平", True),
        ("(READ: 海図)", "汐里", False), ("(DRINK: 湯のみ)", "汐里", True),
    ],
)  # fmt: skip
def test_with_implicit_take_what_is_free_and_near_is_taken_silently(reply: str, who: str, allowed: bool) -> None:
    world = lighthouse("ja")

    assert rule_on(world, who, reply).ruling.denied_reason == DeniedReason.NOT_OWNED
    ruling = rule_on(world, who, reply, implicit_take=True).ruling
    assert ruling.allowed is allowed
    if allowed:
        assert len(ruling.told) == 2
        assert problems(apply(world, ruling.world_delta)) == []


# --- repetition -----------------------------------------------------------------------------------------------------


def reasons(*turns: tuple[int, str, str]) -> list[str | None]:
    """The denied reason of each (turn, speaker, reply), one session after the other's turn."""
    world, history, found = lighthouse("ja"), History(), []
    for turn, who, reply in turns:
        judged = rule_on(world, who, reply, history, turn)
        history.add(judged.past)
        found.append(judged.ruling.denied_reason)
    return found


def test_the_third_time_in_a_row_is_too_much() -> None:
    same = "(INSPECT: 卓)"

    assert reasons((1, "汐里", same), (2, "汐里", same), (3, "汐里", same)) == [None, None, "RATE_LIMITED"]
    assert reasons((1, "汐里", same), (2, "鉄平", same), (3, "汐里", same)) == [None, None, None]
    assert reasons((1, "汐里", same), (2, "汐里", "「うん」"), (3, "汐里", same)) == [None, None, None]


def test_the_same_question_counts_whatever_the_marks_around_it() -> None:
    asked = [(1, "汐里", "「鍵はどこ？」"), (3, "汐里", "「鍵はどこ？？」"), (5, "汐里", "「……鍵は、どこ？」")]

    assert reasons(*asked) == [None, None, "RATE_LIMITED"]


def test_retakes_of_one_turn_count_once() -> None:
    same = "(INSPECT: 卓)"
    turns = [(1, "汐里", same), (2, "汐里", same), (2, "汐里", same), (2, "汐里", same), (3, "汐里", same)]

    assert reasons(*turns) == [None, None, None, None, "RATE_LIMITED"]


def test_any_other_reason_comes_before_repetition() -> None:
    same = "(OPEN: 長持)"

    assert reasons((1, "汐里", same), (2, "汐里", same), (3, "汐里", same)) == ["INVALID_STATE"] * 3
