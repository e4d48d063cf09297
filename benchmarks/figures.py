"""docs/figures.md: what one whole run of the benchmarks printed, with the day, the machine and the code."""

import os
import platform
import subprocess
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "figures.md"


def write_page(printed: Mapping[str, str], seconds: float, page: Path = PAGE) -> None:
    """Write the page anew; `printed` is each benchmark's own text under its name."""
    page.write_text("\n".join(_lines(printed, seconds)), encoding="utf-8")


def _lines(printed: Mapping[str, str], seconds: float) -> Iterator[str]:
    yield from ("# Figures", "", "<!-- written by make bench -->", "")
    made = f"{datetime.now(UTC):%Y-%m-%d}, commit {commit()}, {machine()}"
    yield f"One whole `make bench`, which took {seconds / 60:.0f} minutes: {made}."
    yield "`make bench ARGS=name` measures one of them alone and leaves this page as it is."
    for name, text in printed.items():
        yield from ("", f"## {name}", "", "```text", text.strip("\n"), "```")
    yield ""


def machine() -> str:
    """Cores, memory and Python of this machine."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return f"{os.cpu_count()} cores, {memory:.0f} GiB of memory, {system}"


def commit() -> str:
    """The commit that was measured, and whether there were changes that are in none."""
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".", f":!{PAGE.relative_to(ROOT)}")
    return (_git("rev-parse", "--short", "HEAD") or "without a commit") + (" with changes" if changed else "")


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
