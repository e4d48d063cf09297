"""The eight numbers as a language model meets them: two sheets one number apart, and what the prompt says differs."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, NamedTuple

import pytest

from hakoniwa.actor.language import LanguageMind
from hakoniwa.actor.mind import MindState, Struggle, decide
from hakoniwa.actor.turn_prompts import Acts, TurnForm
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm import ChatModel, Message, Usage
from hakoniwa.llm.scripted import ScriptedModel
from hakoniwa.messages import LANGUAGES
from hakoniwa.play.session import Session
from hakoniwa.play.turn import play_turn
from hakoniwa.turn import Turn
from tests.actor.test_personality import NUMBERS
from tests.gardens import first_asked, garden_of

WORDS: dict[str, dict[str, str]] = {
    "ja": {
        "me": "澄", "mate": "連れ", "here": "控えの間", "beyond": "奥の間", "attic": "屋根裏", "door": "扉",
        "key": "奥の鍵", "box": "小箱", "open": "開ける", "unlock": "解錠する(要:奥の鍵)", "kick": "蹴る",
        "armed": "武装", "enter": "奥へ入りたい", "peek": "中を見たい", "climb": "上へ行きたい", "count": "数えたい",
        "offer": "君が開けてよ", "time": "朝", "bead": "数珠玉", "trinket": "根付",
    },
    "en": {
        "me": "Sumi", "mate": "Rook", "here": "antechamber", "beyond": "vault", "attic": "attic", "door": "door",
        "key": "vault key", "box": "casket", "open": "open", "unlock": "unlock(needs:vault key)", "kick": "kick",
        "armed": "armed", "enter": "get in there", "peek": "see inside", "climb": "go up", "count": "count them",
        "offer": "Why don't you open it", "time": "morning", "bead": "bead", "trinket": "trinket",
    },
}  # fmt: skip

LABELS = {
    "ja": ("見立て: ", "望み（強い順）: ", "つもり: "),
    "en": ("How you see it: ", "What you want, strongest first: ", "What you mean to do: "),
}
BELIEFS, DESIRES, INTENTION = range(3)
ACTS = {"ja": "いまできる行動の例: ", "en": "Acts that are possible now: "}
BETWEEN = {"ja": ("／", "、"), "en": (" / ", ", ")}


class Obedient(ChatModel):
    """A model that performs what the prompt says it means to do, word for word, and never changes its mind."""

    name = "obedient"
    context = 0

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def chat(
        self, messages: Sequence[Message], purpose: str, max_tokens: int, schema: dict[str, Any] | None = None
    ) -> AsyncIterator[str | Usage]:
        prompt = first_asked(messages)
        if purpose == "actor.think":
            self.asked.append(prompt)
        language = "ja" if LABELS["ja"][0] in prompt else "en"
        deed = seen_in(prompt, language).deed
        yield {"ja": f"（{deed or '黙る'}）", "en": f"({deed or 'waits'})"}[language]


class Seen(NamedTuple):
    """What a prompt says of somebody's mind."""

    beliefs: list[str]
    desires: list[str]
    intention: str

    @property
    def deed(self) -> str:
        """The intention without how much will is left for it."""
        return re.split(r"（| \(", self.intention)[0]

    @property
    def will(self) -> str:
        return self.intention.removeprefix(self.deed).strip("（） ()")


def seen_in(prompt: str, language: str) -> Seen:
    labels, (slash, comma) = LABELS[language], BETWEEN[language]
    lines = [line.removeprefix(label) for label in labels for line in prompt.splitlines() if line.startswith(label)]
    beliefs, desires, *rest = lines
    return Seen(beliefs.split(slash), desires.split(comma), rest[0] if rest else "")


def antechamber(language: str, status: str = "", **props: dict[str, Any]) -> dict[str, Any]:
    """A locked door, somebody else, a stair to the attic, and whatever things a test needs."""
    word = WORDS[language]
    door = {
        "location": word["here"], "fixed": True, "state": ["locked"],
        "affordances": [word["open"], word["unlock"], word["kick"]],
    }  # fmt: skip
    ways = {word["beyond"]: {"via": word["door"]}, word["attic"]: {}}
    back = {"exits": {word["here"]: {}}}
    return {
        "time": {"label": word["time"]},
        "location": {"current": word["here"]},
        "locations": {word["here"]: {"exits": ways}, word["beyond"]: back, word["attic"]: back},
        "characters": {
            word["me"]: {"location": word["here"]},
            word["mate"]: {"location": word["here"], "status": [word[status]] if status else []},
        },
        "props": {word["door"]: door, **{word.get(key, key): prop for key, prop in props.items()}},
    }


def sheet(**numbers: Any) -> dict[str, Any]:
    """A sheet of all 0.5 but for what is given."""
    personality = {name: numbers.pop(name) for name in NUMBERS if name in numbers}
    return {"persona": "…", "personality": personality, **numbers}


def desire(name: str, kind: str, goal: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": name, "kind": kind, "strength": 0.5, "urgency": 0.5, "goal": goal, **more}


def session_of(world: dict[str, Any], language: str, model: ChatModel, acts: Acts = "free", **given: Any) -> Session:
    garden = garden_of(world, {WORDS[language]["me"]: sheet(**given)})
    journal = MemoryJournal()
    journal.create(garden)
    return Session(journal, garden, LanguageMind(model, TurnForm(acts=acts, phases="two")))


def prompts(world: dict[str, Any], language: str, turns: int = 1, heard: str = "", **given: Any) -> list[str]:
    """What the model is asked at the beginning of each of that many turns."""
    model = Obedient()
    session = session_of(world, language, model, **given)

    async def through() -> None:
        await session.open()
        if heard:
            await session.say(heard)
        for _ in range(turns):
            await play_turn(session, WORDS[language]["me"])

    asyncio.run(through())
    session.close()
    return model.asked


def seen(world: dict[str, Any], language: str, turns: int = 1, heard: str = "", **given: Any) -> list[Seen]:
    return [seen_in(prompt, language) for prompt in prompts(world, language, turns, heard, **given)]


def wants_in(language: str) -> list[dict[str, Any]]:
    word = WORDS[language]
    return [desire(word["enter"], "curiosity", {"at": word["beyond"]}, strength=1, urgency=1)]


both = pytest.mark.parametrize("language", LANGUAGES)


# --- one number apart, and nothing else in the prompt changes --------------------------------------------------------

SCENES: dict[str, Callable[[str], tuple[dict[str, Any], dict[str, Any]]]] = {
    "door": lambda language: (antechamber(language), {"turns": 2, "desires": wants_in(language)}),
    "offer": lambda language: (antechamber(language), {"heard": WORDS[language]["offer"]}),
    "fighter": lambda language: (antechamber(language, "armed"), {"agreeableness": 0.2}),
    "rivals": lambda language: (antechamber(language), {"desires": rivals(language, "duty")}),
    "crowd": lambda language: (antechamber(language, **crowd(language)), {}),
}


def crowd(language: str) -> dict[str, dict[str, Any]]:
    """More things than anyone takes in."""
    word = WORDS[language]
    return {f"{word['trinket']} {number}": {"location": word["here"]} for number in range(12)}


def rivals(language: str, kind: str) -> list[dict[str, Any]]:
    """A need of the body against one of another kind, equally strong."""
    word = WORDS[language]
    deed = {"did": {"verb": "INSPECT", "target": [word["door"]]}}
    meet: dict[str, Any] = {"talked": "*"} if kind == "company" else deed
    return [desire("body", "body", deed), desire(kind, kind, meet)]


TEMPER = {"ja": "気分:", "en": "Your mood:"}


@both
@pytest.mark.parametrize(
    ("number", "low", "high", "scene", "line"),
    [
        ("grit", 0.5, 0.9, "door", INTENTION),
        ("openness", 0.0, 1.0, "crowd", BELIEFS),
        ("conscientiousness", 0.1, 0.9, "rivals", DESIRES),
        ("conscientiousness", 0.1, 0.9, "door", INTENTION),
        ("extraversion", 0.1, 0.9, "door", INTENTION),
        ("agreeableness", 0.1, 0.9, "offer", BELIEFS),
        ("agreeableness", 0.1, 0.9, "door", INTENTION),
        ("growth_mindset", 0.1, 0.9, "door", BELIEFS),
        ("values", {"duty": 0.0}, {"duty": 1.0}, "rivals", DESIRES),
    ],
)
def test_a_number_changes_its_own_line_of_the_prompt_and_no_other(
    number: str, low: Any, high: Any, scene: str, line: int, language: str
) -> None:
    world, more = SCENES[scene](language)

    one, other = (prompts(world, language, **more, **{number: value})[-1].splitlines() for value in (low, high))

    changed = [pair for pair in zip(one, other, strict=True) if len(set(pair)) > 1]
    changed = [pair for pair in changed if not pair[0].startswith(TEMPER[language]) or number != "extraversion"]
    changed = [pair for pair in changed if not pair[0].startswith(ACTS[language])]  # which begin with what is meant
    assert len(changed) == 1
    assert all(text.startswith(LABELS[language][line]) for text in changed[0])


# --- grit ------------------------------------------------------------------------------------------------------------

WILL = {
    "ja": {3: "別の手をあと2つ試せる", 2: "別の手をあと1つ試せる", 1: "これが駄目なら諦める"},
    "en": {3: "will left for 2 other means", 2: "will left for 1 other means", 1: "if this fails, let it go"},
}


@both
@pytest.mark.parametrize(("grit", "tries"), [(0.1, 0), (0.5, 1), (0.9, 3)])
def test_grit_is_how_many_other_means_the_model_is_told_to_try(grit: float, tries: int, language: str) -> None:
    first, *later = seen(antechamber(language), language, 7, grit=grit, desires=wants_in(language))

    tried = [one for one in later if one.intention]
    assert first.will == ""
    assert [one.will for one in tried] == [WILL[language][left] for left in range(tries, 0, -1)]
    assert len({one.deed for one in (first, *tried)}) == tries + 1


@both
def test_without_grit_the_model_hears_no_more_of_it(language: str) -> None:
    before, after = seen(antechamber(language), language, 2, grit=0.1, desires=wants_in(language))

    assert before.desires == [WORDS[language]["enter"]]
    assert after.desires == {"ja": ["特になし"], "en": ["nothing in particular"]}[language]
    assert after.intention == ""


# --- the means -------------------------------------------------------------------------------------------------------

MEEK = {"conscientiousness": 0.2, "extraversion": 0.2, "agreeableness": 0.8}
MEANS = [
    ("conscientiousness", 0.9, {"ja": "扉を調べる", "en": "look closely at the door"}),
    ("agreeableness", 0.1, {"ja": "扉を蹴る", "en": "kick the door"}),
    ("extraversion", 0.9, {"ja": "連れを呼ぶ", "en": "call Rook"}),
]


@both
@pytest.mark.parametrize(("number", "value", "deed"), MEANS)
def test_before_a_locked_door_the_model_is_told_the_means(
    number: str, value: float, deed: dict[str, str], language: str
) -> None:
    numbers = {**MEEK, number: value}

    tails = seen(antechamber(language), language, 2, desires=wants_in(language), **numbers)

    assert tails[1].deed == deed[language]


@both
@pytest.mark.parametrize(
    ("value", "deed"),
    [
        (0.9, {"ja": "小箱を調べる", "en": "look closely at the casket"}),
        (0.2, {"ja": "小箱を開ける", "en": "open the casket"}),
    ],
)
def test_a_careful_person_is_told_to_look_before_opening(value: float, deed: dict[str, str], language: str) -> None:
    word = WORDS[language]
    world = antechamber(language, box={"location": word["here"], "container": True, "state": ["closed"]})
    desires = [desire(word["peek"], "curiosity", {"state": {word["box"]: "open"}})]

    (tail,) = seen(world, language, conscientiousness=value, desires=desires)

    assert tail.deed == deed[language]


@both
@pytest.mark.parametrize(("number", "value", "deed"), MEANS[:2])
def test_where_acts_are_chosen_the_means_stands_first(
    number: str, value: float, deed: dict[str, str], language: str
) -> None:
    word = WORDS[language]
    model = ScriptedModel({"actor.think": ['{"thought": "…", "acts": [1]}']})
    session = session_of(
        antechamber(language), language, model, "choose", desires=wants_in(language), **{**MEEK, number: value}
    )
    refused = Struggle(tries_left=1, tried=(f"(OPEN: {word['door']})",))
    view = session.view(word["me"])
    decision = decide(view, MindState(struggles={word["enter"]: refused}))

    thought = asyncio.run(session.mind.think(view, decision))
    session.close()

    assert stands_first(deed[language], model, language)
    assert thought.chosen == (decision.acts[0].tag,)


def stands_first(deed: str, model: ScriptedModel, language: str) -> bool:
    """Whether this is what is meant, and the first of the acts to pick."""
    prompt = first_asked(model.calls[0][1])
    return f"\n1 {deed}\n" in prompt and seen_in(prompt, language).deed == deed


# --- desires ---------------------------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize(
    ("number", "kind", "likes"),
    [
        ("openness", "curiosity", 0.9),
        ("conscientiousness", "duty", 0.9),
        ("extraversion", "company", 0.9),
        ("neuroticism", "safety", 0.9),
        ("agreeableness", "gain", 0.1),
        ("agreeableness", "esteem", 0.1),
    ],
)
def test_the_numbers_rank_the_desires_the_model_reads(number: str, kind: str, likes: float, language: str) -> None:
    def ranked(value: float) -> list[str]:
        (tail,) = seen(antechamber(language), language, desires=rivals(language, kind), **{number: value})
        return tail.desires

    wanted = [[one for one in ranked(value) if one in (kind, "body")] for value in (likes, 1.0 - likes)]
    assert wanted == [[kind, "body"], ["body", kind]]  # a stranger is feared besides


@both
@pytest.mark.parametrize("kind", ["safety", "company", "esteem", "curiosity", "duty", "gain"])
def test_values_rank_the_desires_the_model_reads(kind: str, language: str) -> None:
    def ranked(value: float) -> list[str]:
        (tail,) = seen(antechamber(language), language, values={kind: value}, desires=rivals(language, kind))
        return tail.desires

    assert (ranked(1.0), ranked(0.0)) == ([kind, "body"], ["body", kind])


# --- beliefs ---------------------------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize(("value", "room"), [(0.0, 2), (0.5, 5), (1.0, 8)])
def test_openness_is_how_many_beliefs_the_model_reads(value: float, room: int, language: str) -> None:
    world, _ = SCENES["crowd"](language)

    (tail,) = seen(world, language, openness=value)

    assert len(tail.beliefs) == room


@both
def test_openness_is_how_much_of_the_new_enters(language: str) -> None:
    word = WORDS[language]
    inside = {f"{word['bead']} {number}": {"inside": word["box"]} for number in range(9)}
    world = antechamber(
        language, box={"location": word["here"], "container": True, "state": ["closed"]}, **crowd(language), **inside
    )
    desires = [desire(word["peek"], "body", {"state": {word["box"]: "open"}})]

    def news(value: float) -> int:
        before, after = seen(world, language, 2, openness=value, conscientiousness=0.2, desires=desires)
        assert before.deed
        return sum(word["bead"] in belief for belief in after.beliefs)

    assert news(0.0) < news(0.5) < news(1.0)


@both
@pytest.mark.parametrize(
    ("value", "belief"),
    [
        (0.9, {"ja": "声の言葉は親切からだ", "en": "A voice means it kindly"}),
        (0.5, {"ja": "声が何か言っている", "en": "A voice has said something"}),
        (0.1, {"ja": "声の言葉には裏がある", "en": "A voice is after something"}),
    ],
)
def test_agreeableness_reads_an_offer_as_kind_or_suspect(value: float, belief: dict[str, str], language: str) -> None:
    (tail,) = seen(antechamber(language), language, heard=WORDS[language]["offer"], agreeableness=value)

    assert belief[language] in tail.beliefs


@both
@pytest.mark.parametrize(
    ("numbers", "belief"),
    [
        ({"neuroticism": 0.9}, {"ja": "連れは勝てない相手だ", "en": "Rook is more than I can handle"}),
        ({"neuroticism": 0.1}, {"ja": "連れは倒しがいのある獲物だ", "en": "Rook is a worthy quarry"}),
        (
            {"neuroticism": 0.1, "agreeableness": 0.8},
            {"ja": "連れはただ者ではなさそうだ", "en": "Rook is no ordinary person"},
        ),
    ],
)
def test_neuroticism_reads_an_armed_man_as_threat_or_prey(
    numbers: dict[str, float], belief: dict[str, str], language: str
) -> None:
    (tail,) = seen(antechamber(language, "armed"), language, **{"agreeableness": 0.2, **numbers})

    assert belief[language] in tail.beliefs


@both
@pytest.mark.parametrize(
    ("value", "belief"),
    [
        (
            0.9,
            {
                "ja": "うまくいかなかった——一つ分かったことがある",
                "en": "that did not work, and I have learnt something",
            },
        ),
        (0.5, {"ja": "うまくいかなかった", "en": "that did not work"}),
        (
            0.1,
            {
                "ja": "うまくいかなかった——やはり自分には無理だ",
                "en": "that did not work; I am simply no good at this",
            },
        ),
    ],
)
def test_growth_mindset_tells_the_model_a_failure_as_lesson_or_proof(
    value: float, belief: dict[str, str], language: str
) -> None:
    before, after = seen(antechamber(language), language, 2, growth_mindset=value, desires=wants_in(language))

    assert after.beliefs[0] == belief[language]
    assert belief[language] not in before.beliefs


@both
def test_what_was_denied_is_told_in_the_next_prompt(language: str) -> None:
    before, after = prompts(antechamber(language), language, 2, desires=wants_in(language))

    told = {"ja": "\nFACT: 扉には鍵がかかっている。\n", "en": "\nFACT: the door is locked.\n"}[language]
    assert (told in before, told in after) == (False, True)


# --- what a model does of its own -------------------------------------------------------------------------------------


def turns(replies: dict[str, list[str]], count: int, acts: Acts = "free", **sheet: Any) -> list[Turn]:
    """Turns of a model that goes on saying these lines, before the locked door."""
    model = ScriptedModel({f"actor.{purpose}": lines for purpose, lines in replies.items()}, loop=True)
    session = session_of(antechamber("ja"), "ja", model, acts, desires=wants_in("ja"), **sheet)

    async def through() -> list[Turn]:
        await session.open()
        return [await play_turn(session, "澄") for _ in range(count)]

    return asyncio.run(through())


@pytest.mark.parametrize("grit", [0.1, 0.5, 0.9])
def test_a_try_that_a_retake_corrected_is_a_try(grit: float) -> None:
    lines = {"think": ["…"], "perform": ["(OPEN: 扉)"], "retake": ["（笑う）「ふう」"]}
    assert turns(lines, 2, grit=grit)[1].thought.intention != "扉を開ける"


def test_a_model_that_only_talks_does_not_keep_one_intention_for_ever() -> None:
    lines = {"think": ["…"], "perform": ["「ふう」"], "retake": ["「ふう」"]}
    assert len({turn.thought.intention for turn in turns(lines, 8)}) > 1


def test_what_was_not_done_uses_up_no_try() -> None:
    lines = {"think": ["…"], "perform": ["(OPEN: 扉)", "「ふう」"], "retake": ["(OPEN: 扉)", "(OPEN: 扉)", "「うん」"]}
    told = [(turn.thought.intention, turn.thought.tries_left) for turn in turns(lines, 3, grit=0.9)]
    assert told == [("扉を開ける", None), ("扉を調べる", 3), ("扉を調べる", 3)]


def test_where_acts_are_chosen_a_locked_door_can_be_tried() -> None:
    lines = {"think": ['{"thought": "よし", "acts": [1]}'], "perform": ["「ふう」"], "retake": ["「ふう」"]}
    assert turns(lines, 1, "choose", grit=0.9)[0].thought.chosen == ("(OPEN: 扉)",)


@both
def test_where_acts_are_chosen_calling_somebody_is_offered(language: str) -> None:
    number, value, deed = MEANS[2]
    word = WORDS[language]
    model = ScriptedModel({"actor.think": ['{"thought": "…", "acts": [1]}']})
    sheet = {**MEEK, number: value}
    session = session_of(antechamber(language), language, model, "choose", desires=wants_in(language), **sheet)
    struggle = Struggle(tries_left=1, tried=(f"(OPEN: {word['door']})",))
    view = session.view(word["me"])
    asyncio.run(session.mind.think(view, decide(view, MindState(struggles={word["enter"]: struggle}))))
    assert stands_first(deed[language], model, language)


def test_a_denial_upsets_the_neurotic_and_the_prompt_says_so() -> None:
    more: dict[str, Any] = {"grit": 0.9, "desires": wants_in("ja"), "speech": {"address": {"連れ": "お前"}}}
    calm, upset = (prompts(antechamber("ja"), "ja", 3, neuroticism=number, **more)[1] for number in (0.0, 1.0))
    assert "気分: 沈んでいる" in upset
    assert "沈んでいる" not in calm


@both
def test_whether_one_is_the_first_to_speak_is_told(language: str) -> None:
    shy, open_ = (prompts(antechamber(language), language, 1, extraversion=number)[0] for number in (0.0, 1.0))
    assert {"ja": "自分からはあまり話さない", "en": "not the first to speak"}[language] in shy
    assert {"ja": "黙っているより話しかけたい", "en": "would rather talk than be silent"}[language] in open_
