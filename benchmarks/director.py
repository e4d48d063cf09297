"""What the Director costs: the sanitizer and the checks on a line, the resolver with 50 members and on 200 KB."""

import logging
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

from benchmarks.worlds import WORLD_20
from hakoniwa.actor.character import Character
from hakoniwa.director.check import CheckInput
from hakoniwa.director.direct import scene_items
from hakoniwa.director.evaluate import run_checks
from hakoniwa.director.next_speaker import CharacterRegistry, NextPolicy, resolve_next_speaker
from hakoniwa.director.sanitize import ActionSanitizer
from hakoniwa.gm.read import read
from hakoniwa.stage.world import WorldState

LINES = (
    "（コーヒーを一口飲んで）「おはよう。今日は早いね」",
    "（マグカップを手に取って、テーブルに置く）「よし」",
    "*眼鏡を直しながら微笑む*「本当に？」（スマホを伏せる）",
    "「五時（夕方のほう）に待ち合わせね」",
)
UNITS = ("[Next: ", "<think>", "「」", "[Next: NOX]", '{"type":')
MEMBERS = CharacterRegistry(
    [{"internal_id": f"MEMBER{n}", "display_name": f"登場人物{n}号", "short_name": f"M{n}"} for n in range(50)]
)


class Size(NamedTuple):
    rounds: int
    batch: int
    longest: int  # bytes


FULL, SMALLEST = Size(15, 50, 200_000), Size(1, 1, 2_000)


def median(act: Callable[[], object], rounds: int, times: int) -> float:
    """CPU microseconds of one call."""
    seen = []
    for _ in range(rounds + 1):
        start = time.process_time_ns()
        for _ in range(times):
            act()
        seen.append((time.process_time_ns() - start) / 1e3 / times)
    return statistics.median(seen[1:])


def resolve(text: str) -> object:
    return resolve_next_speaker(text, "MEMBER0", MEMBERS, NextPolicy())


def sanitize(items: list[str]) -> object:
    return [ActionSanitizer().sanitize(line, items) for line in LINES]


def main(size: Size) -> None:
    logging.disable(logging.INFO)
    world = WorldState.model_validate(WORLD_20)
    items = scene_items(world, "やな")
    sheet = Character.model_validate(
        {"display_name": "やな", "persona": "姉。", "speech": {"first_person": "あたし", "forbidden": ["です", "ます"]}}
    )
    said = ["おはよう。よく眠れた？", "今日は雨だね。", "パンが焼けたよ。"]
    lines = [CheckInput("やな", sheet, text, read(text, world, "やな"), "ja", ["あゆ"], said) for text in LINES]
    long = [unit * (size.longest // len(unit.encode())) for unit in UNITS]
    figures = {
        "sanitize a line": median(lambda: sanitize(items), size.rounds, size.batch) / len(LINES),
        "check a line": median(lambda: [run_checks(line) for line in lines], size.rounds, size.batch) / len(LINES),
        "next speaker, a tag": median(lambda: resolve("「やあ」[Next: MEMBER49]"), size.rounds, size.batch),
        "next speaker, no tag": median(lambda: resolve("「やあ」"), size.rounds, size.batch),
        "next speaker, misspelled": median(lambda: resolve("[Next: MEMBER49X]"), size.rounds, size.batch),
        f"next speaker, {size.longest // 1000} KB": max(
            median(lambda text=text: resolve(text), size.rounds, 1) for text in long
        ),
    }
    for name, value in figures.items():
        print(f"  {name:<26}{value:9.0f} µs CPU")
    print("  (targets: about 1,000 µs with 50 members, 50,000 µs on 200 KB)")
