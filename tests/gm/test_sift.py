"""Sifting: every shipped pattern knows its story from a near miss, and the language means what its page says."""

from collections.abc import Sequence
from typing import Any

import pytest

from hakoniwa.gm.pattern import Kind, StoryMoment, StoryPattern, shipped_patterns
from hakoniwa.gm.sift import REMEMBERED, PatternMatcher, sift

SHIPPED = {pattern.name: pattern for pattern in shipped_patterns()}
Story = list[StoryMoment]


def moment(turn: int, kind: Kind, who: str | None = None, **traits: str) -> StoryMoment:
    return StoryMoment(turn=turn, kind=kind, who=who, **traits)  # type: ignore[arg-type]


def told(turn: int, who: str, other: str, place: str = "tin") -> StoryMoment:
    return moment(turn, "told", who, other=other, target="key", topic=place)


def act(turn: int, who: str, verb: str, target: str, want: str | None = None) -> StoryMoment:
    return StoryMoment(turn=turn, kind="act", who=who, verb=verb, target=target, want=want, deed=f"{verb} {target}")


def denied(
    turn: int, who: str, verb: str, target: str, want: str | None = None, reason: str = "INVALID_STATE"
) -> StoryMoment:
    return act(turn, who, verb, target, want).model_copy(update={"kind": "denied", "reason": reason})


def gave(turn: int, who: str, other: str, target: str) -> StoryMoment:
    return moment(turn, "gave", who, verb="GIVE", target=target, other=other)


def got(turn: int, who: str, target: str) -> StoryMoment:
    return moment(turn, "got", who, target=target)


def made(turn: int, who: str, target: str, **want: str) -> StoryMoment:
    return moment(turn, "made", who, target=target, **want)


def fulfilled(turn: int, who: str, want: str) -> StoryMoment:
    return moment(turn, "fulfilled", who, want=want)


def asked(turn: int, who: str, other: str) -> StoryMoment:
    return moment(turn, "asked", who, other=other, text=f"{other}?")


def answered(turn: int, who: str, other: str) -> StoryMoment:
    return moment(turn, "answered", who, other=other, text="yes")


def said(turn: int, who: str, other: str) -> StoryMoment:
    return moment(turn, "said", who, other=other, text="well")


def parted(turn: int, one: str, two: str) -> Story:
    return [moment(turn, "parted", one, other=two), moment(turn, "parted", two, other=one)]


def met(turn: int, who: str, other: str, room: str = "hall") -> StoryMoment:
    return moment(turn, "met", who, other=other, room=room)


def urged(turn: int, who: str, want: str, **traits: str) -> StoryMoment:
    return moment(turn, "urged", who, want=want, text="A bell rings.", **traits)


def searched(first: int, who: str, want: str, *things: str) -> Story:
    return [act(first + 2 * place, who, "OPEN", thing, want) for place, thing in enumerate(things)]


def bricks(first: int, count: int) -> Story:
    return [act(first + 2 * place, "Ann", "GET", f"brick {place}", "wall") for place in range(count)]


def asked_for(turn: int, who: str) -> StoryMoment:
    return urged(turn, who, "air", other="user", verb="OPEN", target="window", deed="open the window")


def parcel(turn: int, who: str) -> StoryMoment:
    return urged(turn, who, "parcel", topic="post", verb="OPEN", target="parcel", deed="open the parcel")


FOUND_KEY = [moment(10, "found", "Ann", target="key", other="tin", want="in"), got(12, "Ann", "key")]
BELL = [urged(5, who, "answer", topic="bell") for who in ("Ann", "Bob")]
BREWING, RING = [act(1, "Ann", "GET", "pot", "tea"), act(4, "Ann", "BREW", "pot", "tea")], BELL[0]
PLACES = ("desk", "shelf", "tin", "bin")
TALK = [asked(1, "Ann", "Bob"), answered(2, "Bob", "Ann"), asked(4, "Bob", "Ann"), answered(5, "Ann", "Bob")]
LIE = moment(1, "lied", "Ann", other="Bob", target="key", topic="tin")
FOUND_OUT = moment(9, "exposed", "Bob", other="Ann", target="key", topic="tin")
PROMISE = moment(1, "promised", "Ann", other="Bob", verb="OPEN", target="box")
PROMISES = {"kept-promise": "kept", "broken-promise": "broke", "promise-out-of-mind": "forgot"}
CHATTER = [said(turn, "Bob", "Ann") for turn in range(1, 13, 2)]

STORIES: dict[str, tuple[Story, list[Story]]] = {
    "third-time-lucky": (
        [denied(1, "Ann", "OPEN", "box"), denied(5, "Ann", "OPEN", "box"), act(9, "Ann", "OPEN", "box")],
        [
            [denied(1, "Ann", "OPEN", "box"), act(9, "Ann", "OPEN", "box")],
            [denied(1, "Ann", "OPEN", "box"), denied(5, "Bob", "OPEN", "box"), act(9, "Ann", "OPEN", "box")],
            [denied(1, "Ann", "OPEN", "box"), denied(5, "Ann", "OPEN", "box"), act(9, "Ann", "INSPECT", "box")],
            [
                *(denied(turn, "Ann", "OPEN", "box", reason="RATE_LIMITED") for turn in (1, 5)),
                act(9, "Ann", "OPEN", "box"),
            ],
        ],
    ),
    "by-all-means": (
        [denied(1, "Ann", "OPEN", "box", "in"), denied(3, "Ann", "PICK", "box", "in"), fulfilled(7, "Ann", "in")],
        [
            [denied(1, "Ann", "OPEN", "box", "in"), denied(3, "Ann", "OPEN", "box", "in"), fulfilled(7, "Ann", "in")],
            [denied(1, "Ann", "OPEN", "box", "in"), denied(3, "Ann", "PICK", "box", "in"), fulfilled(7, "Bob", "in")],
        ],
    ),
    "gave-up": (
        [denied(turn, "Ann", "OPEN", "box") for turn in (1, 5, 9)],
        [
            [denied(turn, "Ann", "OPEN", "box") for turn in (1, 5)],
            [*(denied(turn, "Ann", "OPEN", "box") for turn in (1, 5, 9)), act(30, "Ann", "OPEN", "box")],
        ],
    ),
    "wanted-it-back": (
        [gave(1, "Ann", "Bob", "cup"), denied(9, "Ann", "GET", "cup", reason="NOT_OWNED")],
        [
            [gave(1, "Ann", "Bob", "cup"), act(9, "Bob", "GET", "cup")],
            [gave(1, "Ann", "Bob", "cup"), act(9, "Ann", "GET", "pot")],
            [gave(1, "Ann", "Bob", "cup"), act(9, "Ann", "INSPECT", "cup")],
        ],
    ),
    "forgotten-promise": (
        [asked_for(0, "Ann"), moment(1, "said", "Ann", want="air"), act(1, "Ann", "GET", "rug", "air")],
        [
            [asked_for(0, "Ann"), act(1, "Ann", "GET", "rug", "rest"), act(3, "Ann", "PUT", "rug", "rest")],
            [
                asked_for(0, "Ann"), act(1, "Ann", "GET", "rug", "air"), act(3, "Ann", "PUT", "rug", "air"),
                act(20, "Ann", "OPEN", "window", "air"),
            ],
            [
                asked_for(0, "Ann"), act(1, "Ann", "GET", "rug", "air"), act(3, "Ann", "PUT", "rug", "air"),
                act(20, "Bob", "OPEN", "window"),
            ],
        ],
    ),
    "long-search": (
        [*searched(4, "Ann", "in", "desk", "shelf", "tin"), *FOUND_KEY, fulfilled(20, "Ann", "in")],
        [
            [*searched(4, "Ann", "in", "desk", "tin"), *FOUND_KEY, fulfilled(20, "Ann", "in")],
            [*searched(4, "Ann", "in", "desk", "tin", "desk"), *FOUND_KEY, fulfilled(20, "Ann", "in")],
            [*searched(4, "Ann", "in", "desk", "shelf", "tin"), FOUND_KEY[0], fulfilled(20, "Ann", "in")],
            [*searched(4, "Ann", "tea", "desk", "shelf", "tin"), *FOUND_KEY, fulfilled(20, "Ann", "in")],
        ],
    ),
    "searched-in-vain": (
        searched(1, "Ann", "in", "desk", "shelf", "tin", "bin", "rug"),
        [
            searched(1, "Ann", "in", "desk", "shelf", "tin", "bin"),
            [*searched(1, "Ann", "in", "desk", "shelf", "tin", "bin", "rug"), fulfilled(20, "Ann", "in")],
        ],
    ),
    "back-to-it": (
        [*BREWING, RING, fulfilled(7, "Ann", "answer"), fulfilled(11, "Ann", "tea")],
        [
            [BREWING[1], RING, fulfilled(7, "Ann", "answer"), fulfilled(11, "Ann", "tea")],
            [
                *BREWING, RING, act(6, "Ann", "GET", "cup", "tea"), fulfilled(7, "Ann", "answer"),
                fulfilled(11, "Ann", "tea"),
            ],
            [*BREWING, fulfilled(4, "Ann", "tea"), RING, fulfilled(7, "Ann", "answer"), fulfilled(11, "Ann", "tea")],
            [*BREWING, RING, fulfilled(11, "Ann", "tea")],
        ],
    ),
    "beaten-to-it": (
        [denied(1, "Ann", "OPEN", "door"), act(4, "Bob", "OPEN", "door")],
        [
            [denied(1, "Ann", "OPEN", "door"), act(4, "Ann", "OPEN", "door")],
            [denied(1, "Ann", "OPEN", "door"), act(3, "Ann", "OPEN", "door"), act(4, "Bob", "OPEN", "door")],
            [denied(1, "Ann", "OPEN", "door"), act(4, "Bob", "INSPECT", "door")],
            [denied(1, "Ann", "OPEN", "door"), act(40, "Bob", "OPEN", "door")],
        ],
    ),
    "snatched": (
        [made(3, "Ann", "tea", want="drink"), act(6, "Bob", "DRINK", "tea")],
        [
            [made(3, "Ann", "tea"), act(6, "Bob", "DRINK", "tea")],
            [made(3, "Ann", "tea", want="drink"), gave(5, "Ann", "Bob", "tea"), act(6, "Bob", "DRINK", "tea")],
            [made(3, "Ann", "tea", want="drink"), act(6, "Ann", "DRINK", "tea")],
            [made(3, "Ann", "tea", want="drink"), made(5, "Bob", "tea"), act(6, "Bob", "DRINK", "tea")],
            [made(3, "Ann", "tea", want="drink"), fulfilled(5, "Ann", "drink"), act(6, "Bob", "DRINK", "tea")],
        ],
    ),
    "no-answer": (
        [asked(1, "Ann", "Bob"), said(5, "Ann", "Bob")],
        [[asked(1, "Ann", "Bob"), answered(4, "Bob", "Ann")], [said(1, "Ann", "Bob")]],
    ),
    "reunion": (
        [*parted(1, "Ann", "Bob"), met(10, "Ann", "Cat"), met(30, "Bob", "Ann")],
        [
            [*parted(1, "Ann", "Bob"), met(12, "Bob", "Ann")],
            [*parted(1, "Ann", "Bob"), met(12, "Ann", "Bob"), met(30, "Bob", "Ann")],
        ],
    ),
    "three-hands": (
        [got(1, "Ann", "letter"), got(5, "Bob", "letter"), got(9, "Cat", "letter")],
        [
            [got(1, "Ann", "letter"), got(5, "Bob", "letter"), got(9, "Ann", "letter")],
            [got(1, "Ann", "tea"), got(5, "Bob", "tea"), made(7, "Bob", "tea"), got(9, "Cat", "tea")],
        ],
    ),
    "kindness-returned": (
        [gave(1, "Ann", "Bob", "cup"), gave(40, "Bob", "Ann", "rose")],
        [
            [gave(1, "Ann", "Bob", "cup"), gave(40, "Bob", "Cat", "rose")],
            [gave(1, "Ann", "Bob", "cup"), gave(40, "Ann", "Bob", "rose")],
        ],
    ),
    "made-for-you": (
        [made(1, "Ann", "tea"), gave(3, "Ann", "Bob", "tea"), act(5, "Bob", "DRINK", "tea")],
        [
            [made(1, "Ann", "tea"), gave(3, "Ann", "Bob", "tea"), act(5, "Bob", "PUT", "tea")],
            [made(1, "Cat", "tea"), gave(3, "Ann", "Bob", "tea"), act(5, "Bob", "DRINK", "tea")],
        ],
    ),
    "untouched": (
        [gave(1, "Ann", "Bob", "tea"), act(9, "Bob", "PUT", "tea")],
        [
            [gave(1, "Ann", "Bob", "tea"), act(5, "Bob", "DRINK", "tea"), act(9, "Bob", "PUT", "tea")],
            [gave(1, "Ann", "Bob", "tea"), act(9, "Ann", "PUT", "tea")],
        ],
    ),
    "alone-at-last": (
        [*CHATTER, moment(13, "alone", "Ann"), act(14, "Ann", "SIT", "chair")],
        [
            [*CHATTER[1:], moment(13, "alone", "Ann"), act(14, "Ann", "SIT", "chair")],
            [*CHATTER, moment(13, "alone", "Ann"), met(14, "Bob", "Ann"), act(15, "Ann", "SIT", "chair")],
            [*CHATTER, moment(13, "alone", "Ann"), act(14, "Ann", "GET", "rug"), act(15, "Ann", "SIT", "chair")],
            [*CHATTER, moment(13, "alone", "Bob"), act(14, "Bob", "SIT", "chair")],
        ],
    ),
    "tug-of-war": (
        [act(1, "Ann", "OPEN", "window"), act(4, "Bob", "CLOSE", "window"), act(9, "Ann", "OPEN", "window")],
        [
            [act(1, "Ann", "OPEN", "window"), act(4, "Ann", "CLOSE", "window"), act(9, "Ann", "OPEN", "window")],
            [act(1, "Ann", "OPEN", "window"), act(4, "Bob", "CLOSE", "door"), act(9, "Ann", "OPEN", "window")],
            [act(1, "Ann", "OPEN", "window"), act(4, "Bob", "CLOSE", "window"), act(9, "Cat", "OPEN", "window")],
        ],
    ),
    "already-done": (
        [parcel(1, "Ann"), act(3, "Bob", "OPEN", "parcel"), *searched(4, "Ann", "parcel", *PLACES)],
        [
            [parcel(1, "Ann"), *searched(4, "Ann", "parcel", *PLACES), act(30, "Bob", "OPEN", "parcel")],
            [parcel(1, "Ann"), act(3, "Bob", "OPEN", "parcel"), *searched(4, "Ann", "parcel", "desk", "shelf", "tin")],
            [parcel(1, "Ann"), act(3, "Bob", "OPEN", "parcel"), *searched(4, "Ann", "tea", *PLACES)],
        ],
    ),
    "came-when-called": (
        [act(1, "Ann", "CALL", "Bob"), met(4, "Bob", "Ann")],
        [
            [act(1, "Ann", "CALL", "Bob"), met(4, "Ann", "Bob")],
            [act(1, "Ann", "CALL", "Bob"), met(4, "Cat", "Ann")],
            [act(1, "Ann", "CALL", "Bob"), met(14, "Bob", "Ann")],
        ],
    ),
    "nobody-came": (
        [*parted(1, "Ann", "Bob"), act(4, "Ann", "CALL", "Bob")],
        [
            [act(4, "Ann", "CALL", "Bob")],
            [*parted(1, "Ann", "Bob"), met(3, "Bob", "Ann"), act(4, "Ann", "CALL", "Bob")],
            [*parted(1, "Ann", "Bob"), act(4, "Ann", "CALL", "Bob"), met(12, "Ann", "Bob")],
        ],
    ),
    "long-wish": (
        [*bricks(1, 8), fulfilled(18, "Ann", "wall")],
        [
            [*bricks(1, 7), fulfilled(18, "Ann", "wall")],
            [*bricks(1, 4), fulfilled(9, "Ann", "wall"), *bricks(11, 4), fulfilled(20, "Ann", "wall")],
        ],
    ),
    "first-to-move": (
        [*BELL, fulfilled(9, "Bob", "answer")],
        [
            [BELL[1], fulfilled(9, "Bob", "answer")],
            [*BELL, fulfilled(6, "Bob", "answer")],
            [*BELL, fulfilled(6, "Ann", "answer"), fulfilled(9, "Bob", "answer")],
        ],
    ),
    "cannot-stop-looking": (
        [act(turn, "Ann", "INSPECT", "clock") for turn in range(1, 26, 4)],
        [
            [act(turn, "Ann", "INSPECT", "clock") for turn in range(1, 17, 4)],
            [act(turn, "Ann", "INSPECT", "clock") for turn in range(1, 70, 4)],
            [act(turn, "Ann", "INSPECT", f"clock {turn}") for turn in range(1, 26, 4)],
        ],
    ),
    "talk-takes-off": (
        [*TALK, asked(7, "Ann", "Bob"), answered(8, "Bob", "Ann")],
        [
            [*TALK, asked(7, "Ann", "Bob")],
            [*TALK, asked(7, "Ann", "Cat"), answered(8, "Cat", "Ann")],
            [*TALK, asked(27, "Ann", "Bob"), answered(28, "Bob", "Ann")],
        ],
    ),
    "lie-found-out": (
        [LIE, FOUND_OUT],
        [[told(1, "Ann", "Bob"), FOUND_OUT], [LIE, moment(9, "exposed", "Bob", other="Cat", target="key")]],
    ),
    "whisper-changed": (
        [told(1, "Ann", "Bob"), told(3, "Bob", "Cat"), told(5, "Cat", "Ann", "box")],
        [
            [told(1, "Ann", "Bob"), told(3, "Bob", "Cat"), told(5, "Cat", "Ann")],
            [told(1, "Ann", "Bob"), told(3, "Bob", "Cat", "box")],
        ],
    ),
    "gossip": (
        [told(1, "Ann", "Bob"), told(3, "Bob", "Cat")],
        [[told(1, "Ann", "Bob"), told(3, "Bob", "Ann")], [told(1, "Ann", "Bob"), told(3, "Ann", "Cat")]],
    ),
    "kept-secret": (
        [moment(1, "refused", "Ann", other="Bob", target="key")],
        [[moment(1, "refused", "Ann", other="Bob", target="key"), told(9, "Ann", "Cat")]],
    ),
    **{
        name: (
            [PROMISE, moment(9, kind, "Ann", other="Bob", verb="OPEN", target="box")],
            [[PROMISE, moment(9, kind, "Ann", other="Cat", verb="OPEN", target="box")], [PROMISE]],
        )
        for name, kind in PROMISES.items()
    },
    "habit": (
        [act(turn, "Ann", "DRINK", "tea") for turn in range(1, 50, 12)],
        [
            [act(turn, "Ann", "DRINK", "tea") for turn in range(1, 38, 12)],
            [act(turn, ("Ann", "Bob")[turn % 2], "DRINK", "tea") for turn in range(1, 9)],
            [act(turn, "Ann", "OPEN", "tea") for turn in range(1, 50, 12)],
        ],
    ),
}  # fmt: skip


def over(story: Story) -> int:
    """A turn long enough after the story for everything that waits."""
    return 62 if story[-1].turn < 62 else story[-1].turn


def test_every_shipped_pattern_has_its_story() -> None:
    assert sorted(STORIES) == sorted(SHIPPED)


@pytest.mark.parametrize("name", STORIES)
def test_a_pattern_finds_its_story(name: str) -> None:
    story, _ = STORIES[name]
    (match,) = sift([SHIPPED[name]], story, over(story))
    assert match.turns[0] == min(one.turn for one in story)


NEAR_MISSES = [(name, miss) for name, (_, misses) in STORIES.items() for miss in misses]


@pytest.mark.parametrize(
    ("name", "miss"), NEAR_MISSES, ids=[f"{name}-{at}" for at, (name, _) in enumerate(NEAR_MISSES)]
)
def test_a_near_miss_is_no_match(name: str, miss: Story) -> None:
    assert sift([SHIPPED[name]], miss, over(miss)) == []


def test_every_pattern_has_a_near_miss() -> None:
    assert [name for name, (_, misses) in STORIES.items() if not misses] == []


# --- the language -----------------------------------------------------------------------------------------------------


def pattern(*events: dict[str, Any], within: int = 100, where: Sequence[str] = ()) -> StoryPattern:
    words = {"ja": "x", "en": "x"}
    return StoryPattern.model_validate(
        {"name": "x", "title": words, "told": words, "within": within, "events": events, "where": list(where)}
    )


def found(
    one: StoryPattern, story: Story, until: int | None = None
) -> list[tuple[tuple[int, ...], dict[str, str], int]]:
    return [(match.turns, match.names, match.times) for match in sift([one], story, until)]


OPENED = {"kind": "act", "verb": "OPEN", "who": "?who", "target": "?thing"}
CLOSED = {"kind": "act", "verb": "CLOSE", "who": "?other", "target": "?thing"}


def test_a_variable_stands_for_one_thing_throughout() -> None:
    story = [act(1, "Ann", "OPEN", "box"), act(2, "Bob", "CLOSE", "door"), act(3, "Bob", "CLOSE", "box")]
    assert found(pattern(OPENED, CLOSED), story) == [((1, 3), {"who": "Ann", "thing": "box", "other": "Bob"}, 1)]


def test_a_variable_never_stands_for_nothing() -> None:
    assert found(pattern({"kind": "said", "other": "?whom"}), [moment(1, "said", "Ann")]) == []


def test_a_star_asks_for_any_value() -> None:
    story = [moment(1, "said", "Ann"), moment(2, "said", "Ann", other="Bob")]
    assert found(pattern({"kind": "said", "who": "?who", "other": "*"}), story) == [((2,), {"who": "Ann"}, 1)]


def test_a_list_asks_for_any_of_its_values() -> None:
    story = [act(1, "Ann", "OPEN", "box"), act(2, "Ann", "KICK", "box"), act(3, "Ann", "PICK", "box")]
    one = pattern({"kind": ["act", "denied"], "verb": ["OPEN", "PICK"], "target": "box"})
    assert [match.turns for match in sift([one], story)] == [(1,), (3,)]


def test_a_comparison_keeps_two_apart() -> None:
    story = [act(1, "Ann", "OPEN", "box"), act(2, "Ann", "CLOSE", "box"), act(3, "Bob", "CLOSE", "box")]
    assert [turns for turns, _, _ in found(pattern(OPENED, CLOSED, where=["?who != ?other"]), story)] == [(1, 3)]
    assert found(pattern(OPENED, CLOSED, where=["?other != Bob", "?who != ?other"]), story) == []


def test_within_is_counted_from_the_first_beat_and_in_a_beat_from_the_one_before() -> None:
    story = [act(1, "Ann", "OPEN", "box"), act(6, "Bob", "CLOSE", "box")]
    assert len(found(pattern(OPENED, CLOSED, within=5), story)) == 1
    assert found(pattern(OPENED, CLOSED, within=4), story) == []
    assert found(pattern(OPENED, {**CLOSED, "within": 4}), story) == []


def test_after_asks_for_a_pause() -> None:
    story = [act(1, "Ann", "OPEN", "box"), act(3, "Bob", "CLOSE", "box"), act(6, "Bob", "CLOSE", "box")]
    assert [turns for turns, _, _ in found(pattern(OPENED, {**CLOSED, "after": 5}), story)] == [(1, 6)]


def test_what_must_not_happen_ends_a_thread() -> None:
    one = pattern(OPENED, {**CLOSED, "without": [{"kind": "said", "who": "?who"}]})
    opened, closed = act(1, "Ann", "OPEN", "box"), act(6, "Bob", "CLOSE", "box")
    assert len(found(one, [opened, moment(3, "said", "Bob"), closed])) == 1
    assert found(one, [opened, moment(3, "said", "Ann"), closed]) == []


def test_what_repeats_counts_all_its_times() -> None:
    one = pattern({**OPENED, "times": 2}, CLOSED)
    story = [act(turn, "Ann", "OPEN", "box") for turn in (1, 2, 3)]
    assert found(one, [story[0], act(9, "Bob", "CLOSE", "box")]) == []
    ((turns, _, times),) = found(one, [*story, act(9, "Bob", "CLOSE", "box")])
    assert (turns, times) == ((1, 2, 3, 9), 3)


def test_each_counts_only_what_is_new() -> None:
    one = pattern({"kind": "act", "verb": "OPEN", "who": "?who", "times": 3, "each": "target"})
    story = [act(turn, "Ann", "OPEN", thing) for turn, thing in enumerate(["box", "tin", "box", "jar"], start=1)]
    assert found(one, story) == [((1, 2, 4), {"who": "Ann"}, 3)]
    assert found(one, story[:3]) == []


def test_turns_pass_in_which_something_does_not_happen() -> None:
    one = pattern(OPENED, {"passes": 5, "without": [{"kind": "act", "verb": "CLOSE", "target": "?thing"}]})
    opened = act(1, "Ann", "OPEN", "box")
    assert found(one, [opened], until=5) == []
    assert [turns for turns, _, _ in found(one, [opened], until=6)] == [(1, 6)]
    assert found(one, [opened, act(6, "Bob", "CLOSE", "box")], until=20) == []
    assert [turns for turns, _, _ in found(one, [opened, act(7, "Bob", "CLOSE", "box")])] == [(1, 6)]


def test_what_repeats_puts_off_the_turns_that_pass() -> None:
    one = pattern({**OPENED, "times": 2}, {"passes": 5}, within=10)
    story = [act(turn, "Ann", "OPEN", "box") for turn in (1, 4, 8)]
    assert [(turns, times) for turns, _, times in found(one, story, until=30)] == [((1, 4, 8, 13), 3)]
    assert found(one, [*story, act(12, "Ann", "OPEN", "box")], until=30) == []


def test_a_new_name_is_tried_and_the_search_goes_on() -> None:
    one = pattern(OPENED, {"kind": "got", "who": "?who", "target": "?prize"}, {"kind": "goal", "target": "?prize"})
    story = [act(1, "Ann", "OPEN", "box"), got(2, "Ann", "lint"), got(3, "Ann", "gem"), moment(4, "goal", target="gem")]
    assert [turns for turns, _, _ in found(one, story)] == [(1, 3, 4)]


def test_what_one_moment_began_ends_once() -> None:
    story = [act(1, "Ann", "OPEN", "box"), act(2, "Bob", "CLOSE", "box"), act(3, "Bob", "CLOSE", "box")]
    assert [turns for turns, _, _ in found(pattern(OPENED, CLOSED), story)] == [(1, 2)]


def test_of_two_beginnings_the_newer_is_kept() -> None:
    story = [act(1, "Ann", "OPEN", "box"), act(2, "Ann", "OPEN", "box"), act(3, "Bob", "CLOSE", "box")]
    assert [turns for turns, _, _ in found(pattern(OPENED, CLOSED), story)] == [(2, 3)]


def test_one_moment_is_not_two_beats() -> None:
    assert found(pattern(OPENED, OPENED), [act(1, "Ann", "OPEN", "box")]) == []


def test_matches_come_in_the_order_of_their_ends_whatever_the_order_of_patterns() -> None:
    story = [one for name in ("reunion", "tug-of-war", "habit") for one in STORIES[name][0]]
    story.sort(key=lambda one: one.turn)
    for patterns in (shipped_patterns(), shipped_patterns()[::-1]):
        assert [match.pattern.name for match in sift(patterns, story)] == ["tug-of-war", "reunion", "habit"]


def test_a_sieve_remembers_only_so_much() -> None:
    sieve = PatternMatcher(pattern(OPENED, CLOSED, within=100_000))
    for turn in range(REMEMBERED + 50):
        sieve.feed(act(turn, "Ann", "OPEN", f"box {turn}"))
    assert len(sieve.threads) == REMEMBERED
    assert sieve.feed(act(900, "Bob", "CLOSE", "box 0")) == []
    assert len(sieve.feed(act(900, "Bob", "CLOSE", f"box {REMEMBERED}"))) == 1


def test_a_moment_touches_only_the_threads_it_speaks_of() -> None:
    sieve = PatternMatcher(
        pattern(OPENED, {**CLOSED, "without": [{"kind": "act", "verb": "BREAK", "target": "?thing"}]})
    )
    for turn in range(100):
        sieve.feed(act(turn, "Ann", "OPEN", f"box {turn}"))
    broken = act(100, "Bob", "BREAK", "box 7")
    touched = [shelf.asked_for(broken) for shelf in sieve.concerned(broken)]
    assert [len(threads) for threads in touched] == [1]
