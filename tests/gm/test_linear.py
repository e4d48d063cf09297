"""A reply that is twice as long takes at most about twice as long to read, whatever it repeats."""

import time
from itertools import pairwise

import pytest

from hakoniwa.gm.read import read
from tests.worlds import lighthouse

ROOM = lighthouse("ja")
SIZES = (4_096, 8_192, 16_384, 32_768)
# Twice the text may take this much more time, and this many seconds that a busy machine may add.
GROWTH, SLACK, TRIES = 2.5, 0.05, 6

FAMILIES = {
    "openers": "（", "closers": "）", "nested brackets": "（（）", "quotes": "「", "quotation marks": '"a" ',
    "asterisks": "*", "directions": "*あ*", "thoughts": "Thought: あ\n", "thoughts on one line": "Thought: ",
    "outputs": "Output: あ\n", "think tags": "<think>", "closing think tags": "</think>",
    "thoughts in tags": "<think>あ</think>", "tags of acts": "(GET: 茶筒)", "act after act": "(GET: 茶筒)(PUT: 茶筒)",
    "arrows": "(PUT: a -> ", "nominations": "[Next: ", "control tokens": "<|im_start|>", "labels": "汐里「",
    "lines of others": "鉄平「あ」\n", "colons": ":", "blanks": "　", "nouns with の": "茶筒の",
    "nouns with と": "茶筒と", "commas": "茶筒、", "one verb": "食べる", "acts in words": "茶筒を手に取り、",
    "walking": "外へ出て、",
    "relative clauses": "持つ人が", "questions": "ですか、", "sentences": "晴れだ。", "conditions": "どうだろう",
    "English words": "takes the tin and ", "English nouns": "tin of the ", "English commas": "tin, ",
    "symbols": "\\{%s}",
}  # fmt: skip


def seconds(text: str) -> float:
    """The processor time to read it."""
    started = time.process_time()
    read(text, ROOM, "汐里")
    return time.process_time() - started


def grows_in_step(times: list[float]) -> bool:
    return all(later <= GROWTH * earlier + SLACK for earlier, later in pairwise(times))


@pytest.mark.parametrize("inside", ["{}", "（{}）", "「{}」"], ids=["bare", "direction", "speech"])
@pytest.mark.parametrize("unit", FAMILIES.values(), ids=FAMILIES.keys())
def test_twice_the_text_is_at_most_twice_the_work(unit: str, inside: str) -> None:
    texts = [inside.format(unit * (size // len(unit.encode()))) for size in SIZES]
    times = [seconds(text) for text in texts]
    # Others use the machine too, so each size has some more tries to show its best.
    for _ in range(TRIES):
        if not grows_in_step(times):
            times = [min(known, seconds(text)) for known, text in zip(times, texts, strict=True)]

    assert grows_in_step(times), times
