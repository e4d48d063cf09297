"""CONTRIBUTING is followed to the letter in a copy of the tree: what it adds works, and the tests of its kind hold."""

import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.trust.promise import ROOT

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
STEP = re.compile(r"`((?:src|tests)/[\w/.]+)`:\n\n +```(yaml|python)\n(.*?)\n +```", re.DOTALL)
# The tests that run over everything that is registered or written in the word files.
HELD = ("tests/gm/test_lexicon.py", "tests/gm/test_read.py", "tests/director/test_checks.py", "tests/test_messages.py",
        "tests/capabilities/test_contract.py", "tests/test_docs.py")  # fmt: skip


class Step(NamedTuple):
    """One block of the page, and the file that it is for."""

    path: str
    language: str
    block: str


def steps_of(title: str) -> Iterator[Step]:
    _, _, rest = PAGE.partition(f"\n## {title}\n")
    for path, language, block in STEP.findall(rest.partition("\n## ")[0]):
        yield Step(path, language, textwrap.dedent(block))


def carry_out(tree: Path, step: Step) -> None:
    """Write a file that is new, put a row at the head of a table, or lines below the keys they stand under."""
    path = tree / step.path
    if step.language == "yaml":
        path.write_text(below_keys(path.read_text(encoding="utf-8"), step.block), encoding="utf-8")
    elif path.exists():
        head = "    [\n"
        path.write_text(
            path.read_text(encoding="utf-8").replace(head, f"{head}        {step.block}\n", 1), encoding="utf-8"
        )
    else:
        path.write_text(f"{step.block}\n", encoding="utf-8")


def below_keys(text: str, block: str) -> str:
    """The text with each last line of a block below the keys that lead to it there."""
    lines, keys = text.split("\n"), list[str]()
    for line in block.split("\n"):
        depth = (len(line) - len(line.lstrip())) // 2
        keys = [*keys[:depth], line]
        if not line.endswith(":"):
            place = -1
            for key in keys[:-1]:
                place = lines.index(key, place + 1)
            lines.insert(place + 1, line)
    return "\n".join(lines)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree in which all of the page has been carried out."""
    copy = tmp_path_factory.mktemp("tree")
    for name in subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")[:-1]:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    for title in ("Your first change: add a verb", "Add a check", "Add a capability"):
        for step in steps_of(title):
            carry_out(copy, step)
    return copy


def run(tree: Path, *words: str) -> str:
    """What a program prints that runs on the copy."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    ended = subprocess.run(
        [sys.executable, *words], cwd=tree, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout[-3_000:] + ended.stderr[-3_000:]
    return ended.stdout


def test_every_chapter_says_what_to_write_and_where() -> None:
    assert [
        len(list(steps_of(title))) for title in ("Your first change: add a verb", "Add a check", "Add a capability")
    ] == [3, 3, 3]


def test_what_is_added_works(tree: Path) -> None:
    seen = run(
        tree,
        "-c",
        textwrap.dedent("""
        import asyncio
        from hakoniwa.capabilities.catalogue import capability_for
        from hakoniwa.capabilities.means import CapabilityMeans
        from hakoniwa.director.evaluate import run_checks
        from hakoniwa.gm.step import rule_on
        from tests.capabilities.orders import order
        from tests.director.lines import line_of
        from tests.worlds import tiny
        room = tiny({"茶碗": {"location": "茶室"}})
        print(*rule_on(room, "楓", "（茶碗を手に取り、祝福する）").ruling.told)
        print(*run_checks(line_of("「わあ！！！！」")).checks_failed)
        print(asyncio.run(capability_for("toss_coin").run(order("toss_coin", {}), CapabilityMeans())).result_payload)
    """),
    )
    told, failed, tossed = seen.splitlines()
    assert (told, failed) == ("楓は茶碗を手に取った。 楓は茶碗を祝福した。", "shouting")
    assert tossed in ("{'side': '表'}", "{'side': '裏'}")


def test_every_test_of_its_kind_holds_over_what_is_added(tree: Path) -> None:
    run(tree, "-m", "ruff", "check", "src", "tests")
    run(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", *HELD)
