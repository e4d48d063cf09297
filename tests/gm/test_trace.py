"""Tracing: what the referee is said to have asked about a turn is what it went by, question by question."""

import pytest

from hakoniwa.gm.history import History
from hakoniwa.gm.step import rule_on
from hakoniwa.gm.trace import TracedItem, trace_judgement
from hakoniwa.stage.patch import apply
from hakoniwa.stage.world import WorldState
from tests.gm.test_cases import CASES, FILES
from tests.gm.test_judge import ROWS
from tests.worlds import LANGUAGES, WORDS, kitchen, lighthouse, tiny

Told = tuple[str, str]
MEANT: list[Told] = [("meant", "passed"), ("instrument", "not_applicable"), ("source", "not_applicable")]
FINE: list[Told] = [("size", "passed")]


def verdict(matters: list[TracedItem]) -> tuple[str, str] | None:
    """Which rule stood against it, by the last that was asked about; nothing can stand against what came before."""
    assert [one for one in matters[:-1] if one.denial] == []
    denial = matters[-1].denial
    return (denial.rule, denial.reason) if denial else None


def ruled(world: WorldState, who: str, reply: str, history: History, turn: int) -> WorldState:
    """The world after a reply; what was asked about it is held against the ruling."""
    step = rule_on(world, who, reply, history, turn)
    why = step.ruling.explanation
    asked = list(trace_judgement(world, who, step.ruling.parsed, history.until(who, turn)))
    assert verdict(asked) == ((why.rule, why.reason) if why else None), reply
    history.add(step.past)
    return apply(world, step.ruling.world_delta)


@pytest.mark.parametrize("setting", [path.stem for path in FILES])
def test_what_was_asked_leads_to_the_ruling_in_every_case(setting: str) -> None:
    for case in (one for one in CASES if one["id"].startswith(f"{setting}-")):
        history, world = History(), None
        for request in case["steps"]:
            if "world_state" in request:
                world = WorldState.model_validate(request["world_state"], extra="ignore")
            assert world is not None
            world = ruled(world, request["speaker"], request["raw_output"], history, request["turn_number"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_and_for_every_rule_there_is(language: str) -> None:
    words = WORDS[language]
    for row in ROWS:
        world, history, who = lighthouse(language, row.given), History(), words[row.who]
        for turn, reply in enumerate((*row.before, row.reply)):
            ruled(world, who, reply.format(**words), history, turn)


def told(world: WorldState, who: str, reply: str) -> list[tuple[str, list[Told]]]:
    parsed = rule_on(world, who, reply).ruling.parsed
    return [
        (matter.about, [(one.question, one.answer) for one in matter.replies])
        for matter in trace_judgement(world, who, parsed, History())
    ]


THINGS = {
    "湯のみ": {"location": "茶室"},
    "戸棚": {"location": "茶室", "container": True, "fixed": True, "state": ["closed"]},
    "鉢": {"location": "中庭"},
}
HERE: list[Told] = [("exists", "passed"), ("here", "passed")]
ACTS: list[tuple[str, list[Told]]] = [
    (
        "(GET: 湯のみ)",
        [*MEANT, ("named", "passed"), *HERE, ("unclaimed", "passed"), ("in-reach", "passed"), ("movable", "passed"),
         ("hand-free", "passed"), *FINE],
    ),
    ("(GET: 鉢)", [*MEANT, ("named", "passed"), ("exists", "passed"), ("here", "denied")]),
    ("(GET: 剣)", [("meant", "passed"), ("exists", "denied")]),
    ("(GET: 何か)", [("meant", "denied")]),
    ("(MOVE: 砂漠)", [("meant", "passed"), ("in-scope", "denied")]),
    (
        "(INSPECT: 湯のみ)",
        [*MEANT, *HERE, ("at-hand", "not_applicable"), ("in-reach", "passed"), ("afforded", "not_applicable"),
         ("state", "not_applicable"), ("worn", "not_applicable"), *FINE],
    ),
    (
        "(OPEN: 戸棚)",
        [*MEANT, *HERE, ("at-hand", "passed"), ("in-reach", "passed"), ("afforded", "passed"), ("state", "passed"),
         ("worn", "not_applicable"), *FINE],
    ),
    (
        "(MOVE: 中庭)",
        [*MEANT, ("named", "passed"), ("known-place", "passed"), ("not-there-yet", "passed"), ("way", "passed"),
         ("door", "passed"), *FINE],
    ),
    (
        "(PUT: 湯のみ)",
        [*MEANT, ("named", "passed"), ("exists", "passed"), ("place-exists", "not_applicable"), ("here", "passed"),
         ("place-here", "not_applicable"), ("in-hand", "denied")],
    ),
    ("(TOUCH: 蓬)", [*MEANT, ("here", "passed"), ("afforded", "not_applicable"), *FINE]),
]  # fmt: skip


@pytest.mark.parametrize(("reply", "questions"), ACTS, ids=[one[0] for one in ACTS])
def test_every_question_is_told_in_order_with_its_answer(reply: str, questions: list[Told]) -> None:
    assert told(tiny(THINGS), "楓", reply)[0] == ("act", questions)


def test_acts_are_asked_about_on_what_the_earlier_ones_left_and_none_after_a_denial() -> None:
    found = told(tiny(THINGS), "楓", "(GET: 湯のみ) (PUT: 湯のみ -> 戸棚) (GET: 鉢)")
    assert [(about, answers[-1]) for about, answers in found] == [
        ("act", ("size", "passed")), ("act", ("place-takes", "denied")),
    ]  # fmt: skip


def test_claims_are_asked_about_one_by_one_and_what_claims_nothing_is_not() -> None:
    night = WorldState.model_validate(kitchen(time={"label": "夜", "turn": 3}))
    found = told(night, "やな", "「あゆがいるね。朝日が眩しい」")
    assert found[-1] == ("claim", [("time", "denied")])
    quiet = told(night, "やな", "「寒い？」")
    nothing = [(question, "not_applicable") for question in ("time", "weather", "presence")]
    assert quiet == [("claim", nothing), ("repetition", [("repetition", "not_applicable")])]
