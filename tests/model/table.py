"""The table of `make model`: a row for each model and way, made of the lines that its parts have left."""

from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

from hakoniwa.director.reply_check import FAULTS
from tests.model.parts import Part, lines

HEADS = ("model", "way", "turns", "usable as it came", "lost", "echoes done", "acts of others done", "calls a turn",
         "retakes a turn", "tokens evaluated a turn", "seconds to the first word", "drift")  # fmt: skip
SHOWN = ("user", "chosen", "reply", "kept", "deeds", "told", "lost", "decided", "replies")
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
        model, way, str(count), f"{usable / count:.0%}{reasons}",
        str(sum(one["lost"] is not None for one in turns)),
        str(sum(one.get("echo_done", False) for one in turns)) if plays else "",
        str(sum(one.get("others_done", False) for one in turns)) if plays else "",
        f"{mean(one['calls'] for one in turns):.2f}", f"{mean(one['retakes'] for one in turns):.2f}",
        f"{mean([one['evaluated'] or 0 for one in turns]):.0f}",
        f"{median(found):.1f}" if (found := [one["first"] for one in turns if one["first"] is not None]) else "",
        f"{sum(bool(one.get('drift')) for one in turns) / count:.0%}" if plays else "",
    ]  # fmt: skip


def _readable(folder: Path, parts: Sequence[Part]) -> list[str]:
    """Every turn in a few lines, to be read and labelled by eye."""
    told: list[str] = []
    for part in {one.id: one for one in parts}.values():
        some = lines(folder, part)
        told += [f"\n## {part.name}\n"] if some else []
        for one in some:
            wrong = ", ".join([*one["faults"], *([f"drift {one['drift']}"] if one.get("drift") else [])]) or "usable"
            told += [f"- {one['turn']} {one.get('speaker', '')} [{wrong}] {one['found'] if one.get('found') else ''}"]
            told += [
                f"  - {key}: {one[key]}"
                for key in ("user", "chosen", "reply", "kept", "deeds", "told", "lost", "decided", "replies")
                if one.get(key)
            ]
    return told
