"""The table of `make model`: a row for each model and way, made of the lines that its parts have left."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import mean, median
from typing import Any

import yaml

from hakoniwa.director.reply_check import FAULTS, written_words
from tests.model.parts import Part, lines

HEADS = (
    "model", "way", "turns", "usable as it came", "the same by eye", "lost", "echoes done", "acts of others done",
    "calls a turn", "retakes a turn", "tokens evaluated a turn", "seconds to the first word", "drift", "drift by eye",
)  # fmt: skip
SHOWN = ("user", "chosen", "reply", "kept", "deeds", "told", "lost", "decided", "replies")
LABELS = Path(__file__).with_name("labels.yaml")
BEGIN, END = "<!-- table -->", "<!-- end of the table -->"


def write_page(folder: Path, parts: Sequence[Part], page: Path | None) -> str:
    """The table as Markdown; put between its marks in a page, if one is given. What was said goes beside the lines."""
    groups: dict[tuple[str, str], dict[str, Part]] = {}
    for part in parts:
        way = f"chat, {part.about}" if part.kind == "chat" else part.way
        groups.setdefault((part.model, way), {})[part.id] = part
    found = {key: [one for part in some.values() for one in lines(folder, part)] for key, some in groups.items()}
    rows = [_row(*key, some) for key, some in found.items() if some]
    table = "\n".join(_line(one) for one in (HEADS, ["---"] * len(HEADS), *rows))
    (folder / "turns.md").write_text("\n".join(_readable(folder, list(parts))), encoding="utf-8")
    if page:
        before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
        page.write_text(f"{before}{BEGIN}\n{table}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    return table


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _row(model: str, way: str, turns: Sequence[dict[str, Any]]) -> list[str]:
    count, plays = len(turns), "kept" in turns[0]
    usable = sum(not one["faults"] for one in turns)
    why = [f"{name} {many}" for name in FAULTS if (many := sum(name in one["faults"] for one in turns))]
    reasons = f" ({', '.join(why)})" if why else ""
    return [
        model, way, str(count), f"{usable / count:.0%}{reasons}", _by_eye(turns),
        str(sum(one["lost"] is not None for one in turns)),
        str(sum(one.get("echo_done", False) for one in turns)) if plays else "",
        str(sum(one.get("others_done", False) for one in turns)) if plays else "",
        f"{mean(one['calls'] for one in turns):.2f}", f"{mean(one['retakes'] for one in turns):.2f}",
        f"{mean([one['evaluated'] or 0 for one in turns]):.0f}",
        f"{median(found):.1f}" if (found := [one["first"] for one in turns if one["first"] is not None]) else "",
        f"{sum(bool(one.get('drift')) for one in turns) / count:.0%}" if plays else "", _drift_by_eye(turns),
    ]  # fmt: skip


# --- labels by eye ---------------------------------------------------------------------------------------------------


@cache
def _labels() -> dict[tuple[str, str], list[str]]:
    """What somebody found in first replies, by speaker and reply: of another run only what is the same counts."""
    rows = yaml.safe_load(LABELS.read_text(encoding="utf-8")) if LABELS.is_file() else []
    return {(row["speaker"], row["reply"]): row["found"] for row in rows}


def _found_by_eye(turns: Sequence[dict[str, Any]]) -> list[list[str]]:
    keys = ((one.get("speaker", ""), _first_words(one["reply"])) for one in turns)
    return [_labels()[key] for key in keys if key in _labels()]


def _first_words(replies: Sequence[str]) -> str:
    """The words of the first reply that has any: a reply with acts alone is an object without them."""
    read = ((written_words(one), one) for one in replies)
    return next((words for (words, apart), one in read if apart or not one.lstrip().startswith("{")), "")


def _by_eye(turns: Sequence[dict[str, Any]]) -> str:
    """The share that can be used, of those that were labelled, and why the others cannot."""
    found = [[name for name in one if name != "drift"] for one in _found_by_eye(turns)]
    why = Counter(name for one in found for name in one)
    reasons = f" ({', '.join(f'{name} {many}' for name, many in sorted(why.items()))})" if why else ""
    return f"{sum(not one for one in found) / len(found):.0%} of {len(found)}{reasons}" if found else ""


def _drift_by_eye(turns: Sequence[dict[str, Any]]) -> str:
    found = _found_by_eye(turns)
    return f"{sum('drift' in one for one in found) / len(found):.0%}" if found else ""


def _readable(folder: Path, parts: Sequence[Part]) -> list[str]:
    """Every turn in a few lines, to be read and labelled by eye."""
    told: list[str] = []
    for part in {one.id: one for one in parts}.values():
        some = lines(folder, part)
        told += [f"\n## {part.name}\n"] if some else []
        for one in some:
            wrong = ", ".join([*one["faults"], *([f"drift {one['drift']}"] if one.get("drift") else [])]) or "usable"
            told += [f"- {one['turn']} {one.get('speaker', '')} [{wrong}] {one['found'] if one.get('found') else ''}"]
            told += [f"  - {key}: {one[key]}" for key in SHOWN if one.get(key)]
    return told
