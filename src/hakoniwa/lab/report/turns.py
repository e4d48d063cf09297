"""turns.csv: every turn of every run as one line, for whoever wants to calculate for themselves."""

import csv
import json
from io import StringIO
from typing import Any

from hakoniwa.lab.results import Results, Run, TurnRow

OF_RUN = ("run", "model", "variant", "scenario", "seed", "arm")
OF_TURN = tuple(TurnRow.model_fields)
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet takes for the beginning of one


def turns_csv(results: Results) -> str:
    file = StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow((*OF_RUN, *OF_TURN))
    for run in results.runs:
        writer.writerows([*_of_run(run), *map(_cell, row.model_dump(mode="json").values())] for row in run.rows)
    return "\ufeff" + file.getvalue()  # without the mark, spreadsheets misread Japanese


def _of_run(run: Run) -> list[Any]:
    key = run.key
    return [key.id, key.model, key.variant.label, key.scenario, key.seed, key.arm]


def _cell(value: Any) -> Any:
    """A value as a cell holds it; a text that looks like a formula is marked as text."""
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False) if value else ""
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return value
