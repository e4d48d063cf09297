"""Prompts over a long garden: they grow to a limit, only at their end, and never past what the model can hold."""

import asyncio
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import pytest

from hakoniwa.actor.language import PERFORM_TOKENS, PICK_TOKENS, TAIL, TURN_TOKENS, LanguageMind
from hakoniwa.actor.mind import decide
from hakoniwa.actor.turn_prompts import TurnForm, TurnPrompts
from hakoniwa.app import scenario_at
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.llm.ledger import Ledger
from hakoniwa.play.loop import next_turn, resume
from hakoniwa.play.session import Session
from hakoniwa.stage import scenario
from tests.actor.chatter import Chatter
from tests.gardens import FREE, first_asked, shipped_garden
from tests.pace import busy

TURNS, FEW, SMALL = 100, 40, 2048
GROWTH, CUTS, SHARED, WARM = 2.0, 8, 0.9, 2
TAIL_PER_TOKEN = {"ja": 1.75, "en": 3.65}  # less than in prose: names, signs and lists take more tokens
MARKS = {"ja": ("【これまで】\n", "\n\n【いま】\n", "（前のこと）"), "en": ("[So far]\n", "\n\n[Now]\n", "(Earlier) ")}
SHIPPED = scenario.shipped_scenarios()
EACH = pytest.mark.parametrize(  # of the shipped gardens `make test` plays every third
    "name", [pytest.param(name, marks=() if place % 3 == 0 else pytest.mark.long) for place, name in enumerate(SHIPPED)]
)
CHOOSE, IN_TWO = TurnForm(), TurnForm(phases="two")
APART = ("detective_office", "whispers_en")  # their people go their own ways at once
BOTH = pytest.mark.parametrize("name", ["kitchen_morning", "tea_room"])


class Prompt(NamedTuple):
    """A prompt of the first phase, taken apart."""

    who: str
    rules: str
    lines: str
    tail: str
    tokens: int

    @property
    def before(self) -> str:
        return self.rules + self.lines


class Long(NamedTuple):
    """A garden played for long, and all its model was asked."""

    session: Session
    model: Chatter

    @property
    def language(self) -> str:
        return self.session.scenario.language

    def tokens(self, text: str) -> int:
        return int(len(text) / self.model.per_token)

    @property
    def prompts(self) -> list[Prompt]:
        """The first prompt of every turn: nothing has been answered yet."""
        speakers = [row.event.payload["speaker"] for row in self.session.rows if row.event.kind == "turn"]
        asked = [first_asked(messages) for _, messages in self.model.calls if "<scene_state" in messages[-1].content]
        return [self._taken_apart(who, text) for who, text in zip(speakers, asked, strict=True)]

    def _taken_apart(self, who: str, text: str) -> Prompt:
        begins, ends, _ = MARKS[self.language]
        rules, mark, rest = text.partition(begins)
        lines, _, tail = rest.rpartition(ends)
        return Prompt(who, rules + mark, lines, tail, self.tokens(text))


@cache
def played(name: str, form: TurnForm = CHOOSE, context: int = 4096, turns: int = TURNS) -> Long:
    garden, journal = shipped_garden(name, 1), MemoryJournal()
    journal.create(garden)
    language = scenario_at(name)[0].language
    model = Chatter(language, context)
    session = Session(journal, garden, LanguageMind(Ledger(model), form))

    async def through() -> None:
        await session.open()
        for _ in range(turns):
            assert await next_turn(session) is not None
            await resume(session)

    asyncio.run(through())
    session.close()
    return Long(session, model)


def cuts(long: Long) -> Iterator[tuple[Prompt, Prompt]]:
    """Each prompt whose lines do not go on where one had left off, after the last one of the same speaker."""
    last: dict[str, Prompt] = {}
    for prompt in long.prompts:
        if prompt.who in last and not prompt.lines.startswith(last[prompt.who].lines):
            yield last[prompt.who], prompt
        last[prompt.who] = prompt


# --- how much ------------------------------------------------------------------------------------------------------


@EACH
def test_a_prompt_at_most_doubles_in_a_hundred_turns(name: str) -> None:
    sizes = [prompt.tokens for prompt in played(name).prompts]
    assert max(sizes) / sizes[0] <= GROWTH


@EACH
def test_a_turns_own_part_fits_into_what_is_kept_for_it(name: str) -> None:
    long = played(name)
    sizes = [len(prompt.tail) / TAIL_PER_TOKEN[long.language] for prompt in long.prompts]
    assert max(sizes) <= TAIL


@pytest.mark.parametrize("form", [FREE, IN_TWO, CHOOSE], ids=["free", "two", "one"])
@BOTH
def test_prompt_and_reply_fit_into_a_small_context(name: str, form: TurnForm) -> None:
    long = played(name, form, SMALL, FEW)
    first = TURN_TOKENS if form.phases == "one" else PICK_TOKENS
    sizes = [
        sum(long.tokens(message.content) for message in messages) + (first if len(messages) == 2 else PERFORM_TOKENS)
        for _, messages in long.model.calls
    ]
    assert max(sizes) <= SMALL


@BOTH
def test_a_small_context_leaves_less_of_what_was(name: str) -> None:
    shown = [max(len(one.lines) for one in long.prompts) for long in (played(name, CHOOSE, SMALL, FEW), played(name))]
    assert shown[0] < shown[1]


def test_a_turn_asks_once() -> None:
    assert [purpose for purpose, _ in played("kitchen_morning").model.calls] == ["actor.perform"] * TURNS


# --- only at its end -----------------------------------------------------------------------------------------------


@EACH
def test_rules_and_cast_are_the_same_for_all_from_first_to_last(name: str) -> None:
    assert len({prompt.rules for prompt in played(name).prompts}) == 1


@EACH
def test_the_transcript_only_grows_until_it_is_cut(name: str) -> None:
    long = played(name)
    assert len(list(cuts(long))) <= CUTS * len(long.session.cast)


@BOTH
def test_whoever_witnessed_the_same_reads_the_same(name: str) -> None:
    goes_on = [after.before.startswith(one.before) for one, after in in_company(played(name)) if one.who != after.who]
    assert len(goes_on) > CUTS
    assert goes_on.count(False) <= CUTS


@BOTH
def test_the_second_phase_goes_on_from_the_first_where_acts_are_in_the_words(name: str) -> None:
    calls = [one for one in played(name, FREE, SMALL, FEW).model.calls if one[0] != "actor.retake"]
    assert [purpose for purpose, _ in calls] == ["actor.think", "actor.perform"] * FEW
    for (_, first), (_, second) in zip(calls[::2], calls[1::2], strict=True):
        assert [message.role for message in second] == ["system", "user", "assistant", "user"]
        assert second[:2] == first


@BOTH
def test_words_alone_are_asked_for_with_what_speaking_takes(name: str) -> None:
    long = played(name, IN_TWO, SMALL, FEW)
    firsts = [messages for purpose, messages in long.model.calls if purpose == "actor.think"]
    spoken = [messages for purpose, messages in long.model.calls if purpose == "actor.perform"]
    assert len(firsts) == len(spoken) == FEW
    assert len({system.content for system, _ in spoken}) == len(long.session.cast)
    size = [sum(len(one.content) for some in calls for one in some) for calls in (firsts, spoken)]
    assert size[1] < size[0] / 2


@EACH
def test_nearly_all_before_the_tail_was_in_ones_own_call_before(name: str) -> None:
    last: dict[str, Prompt] = {}
    pairs = []
    for prompt in played(name).prompts:
        pairs += [(last[prompt.who], prompt)] if prompt.who in last else []
        last[prompt.who] = prompt
    assert shared(pairs[WARM:]) >= SHARED


@EACH
def test_nearly_all_before_the_tail_was_in_the_call_before_of_who_lived_through_the_same(name: str) -> None:
    pairs = in_company(played(name))[WARM:]
    assert len(pairs) > WARM or name in APART
    assert not pairs or shared(pairs) >= SHARED


def shared(pairs: list[tuple[Prompt, Prompt]]) -> float:
    """How much of what stands before the tail the call before had."""
    sizes = [len(prompt.before) for _, prompt in pairs]
    return sum(in_common(one.before, after.before) for one, after in pairs) / sum(sizes)


def in_company(long: Long) -> list[tuple[Prompt, Prompt]]:
    """Each prompt after the one before it, where its speaker has witnessed all that the one before had."""
    return [pair for pair, same in zip(pairwise(long.prompts), together(long), strict=True) if same]


def together(long: Long) -> Iterator[bool]:
    """Of each turn but the first, whether its speaker has witnessed all that the one before had, and so reads on."""
    lived: dict[str, list[int]] = {who: [] for who in long.session.cast}
    before: list[int] | None = None
    for row in long.session.rows:
        if row.event.kind == "turn":
            own = lived[row.event.payload["speaker"]]
            if before is not None:
                yield own[: len(before)] == before
            before = [*own]
        for who in row.event.witnesses:
            lived[who].append(row.seq)


def in_common(one: str, other: str) -> int:
    """How many characters two texts have in common before they differ."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


# --- cuts ----------------------------------------------------------------------------------------------------------


@EACH
def test_a_cut_takes_a_third_at_least_and_tells_it_in_short(name: str) -> None:
    long = played(name)
    summary = MARKS[long.language][2]
    found = list(cuts(long))
    assert found, "nothing was cut: the test shows nothing"
    for before, after in found:
        assert after.lines.startswith(summary)
        assert told(after, summary) <= 2 / 3 * told(before, summary)


def told(prompt: Prompt, summary: str) -> int:
    """How many characters of transcript a prompt has besides the summary."""
    return sum(len(line) for line in prompt.lines.splitlines() if not line.startswith(summary))


# --- what it costs us ----------------------------------------------------------------------------------------------


@pytest.mark.pace
def test_putting_a_prompt_together_does_not_take_longer_as_a_garden_grows() -> None:
    long = played("kitchen_morning")
    view = long.session.view("やな")
    decision = decide(view, long.session.standing.minds["やな"])
    assert len(view.transcript) > TURNS
    assert (
        busy(lambda: [TurnPrompts(view, decision, CHOOSE, lambda _: 1200).opening for _ in range(20)], within=0.1) < 0.1
    )
