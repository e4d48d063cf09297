"""The licences of everything that runs with Hakoniwa, from what the packages say of themselves: docs/licences.md."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import NamedTuple

from packaging.requirements import Requirement

from tests.trust.promise import ROOT

PAGE = ROOT / "docs" / "licences.md"
RUNTIME, DEVELOPMENT, VECTORS = "requirements.lock", "requirements-dev.lock", "requirements-vectors.lock"
EXTRAS = ("postgres", "cluster")
LOCKED = re.compile(r"^([\w.-]+)(?:\[[\w,.-]+\])?==([^ ;\\]+)(?: *; *(.+?))? *\\?$", re.MULTILINE)
UNKNOWN = "unknown"

# What may be passed on with a program under the MIT licence and asks for no more than a notice; MPL-2.0 asks for
# changes to its own files alone, and none are made.
ALLOWED = frozenset({
    "0BSD", "Apache-2.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "CC0-1.0", "ISC", "MIT", "MIT-0",
    "MPL-2.0", "PSF-2.0", "Python-2.0", "Unlicense", "Zlib",
})  # fmt: skip
OTHERWISE_ALLOWED = {
    "@dicebear/styles": "only Lorelei is taken, which is under CC0 1.0",
    "psycopg": "a library of its own, unchanged",
    "psycopg-binary": "a library of its own, unchanged",
}
SPDX = {
    "Apache Software License": "Apache-2.0", "BSD License": "BSD", "ISC License (ISCL)": "ISC", "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0", "Python Software Foundation License": "PSF-2.0",
}  # fmt: skip
ELSEWHERE = {"colorama": "BSD-3-Clause", "pywin32": "PSF-2.0"}  # what only another system installs cannot be asked here


HEAD = """# Licences

Hakoniwa itself is under the [MIT licence](../LICENSE). This is what comes along when it is installed, in the versions
that are locked, by what each package says of itself. *Needed* says when: always, to run or to be installed, or with an
extra of that name. What `ja-ginza` asks for is not listed: its files are read, and nothing else of it is installed.

The lists of English nouns in `src/hakoniwa/lexicon` (`nouns.en.txt`, `objects.en.txt`, `places.en.txt` and
`garments.en.txt`) are derived from WordNet, copyright 2006 by Princeton University, under the WordNet licence, which
stands at the head of each.

Pictures of things are Fluent Emoji by Microsoft under the MIT licence (from `@iconify-json/fluent-emoji-flat`), or
drawn for Hakoniwa. They are found by keywords of `emojibase-data` (MIT licence), which has them from the Unicode CLDR
(Unicode licence v3). Faces are put together from the parts of *Lorelei* by Lisa Wischofsky, given to everybody under
CC0 1.0 (from `@dicebear/styles`, whose other styles are not used). The notices come along in
`src/hakoniwa/pictures/NOTICE.md`.

`make audit` writes this page. `make test` fails where it is not up to date, or where a licence is none of those that
`tests/trust/licences.py` allows.
"""


class Package(NamedTuple):
    """A package as it is locked, what it is for, and on what terms it is to be had."""

    name: str
    version: str
    needed: str
    terms: str


def packages() -> list[Package]:
    """Everything that is locked and runs: at all, with an extra, or for word vectors."""
    core, others, needed = _locked(RUNTIME), _locked(DEVELOPMENT), defaultdict(list)
    for extra in EXTRAS:
        for name in _closure("hakoniwa-g3", extra) - dict(core).keys():
            needed[name].append(extra)
    return [
        *(Package(name, version, "always", _terms(name)) for name, version in core),
        *(Package(one, version, ", ".join(needed[one]), _terms(one)) for one, version in others if one in needed),
        *(Package(name, version, "offline", _terms(name)) for name, version in _locked(VECTORS)),
    ]  # fmt: skip


def _locked(lock: str) -> list[tuple[str, str]]:
    """Names and versions of a lock, without what only a browser would run."""
    found = LOCKED.findall((ROOT / lock).read_text(encoding="utf-8"))
    return [(_normal(name), version) for name, version, marker in found if "== 'emscripten'" not in marker]


def _closure(name: str, extra: str) -> set[str]:
    """A package with everything that it needs, and all that this needs in turn."""
    found: set[tuple[str, str]] = set()
    waiting = [(name, extra)]
    while waiting:
        if (one := waiting.pop()) not in found:
            found.add(one)
            waiting += [(needed.name, more) for needed in _needs(*one) for more in ("", *sorted(needed.extras))]
    return {_normal(one) for one, _ in found}


def _needs(name: str, extra: str) -> list[Requirement]:
    about = _installed(name)
    wanted = map(Requirement, about.requires or []) if about else []
    return [one for one in wanted if one.marker is None or one.marker.evaluate({"extra": extra})]


def _installed(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


# --- on what terms ----------------------------------------------------------------------------------------------------


def _terms(name: str) -> str:
    about = _installed(name)
    return licence(about) if about else ELSEWHERE.get(name, UNKNOWN)


def licence(one: Distribution) -> str:
    """The licence of a package: as an expression, by its classifiers, or in its own words if those are few."""
    about = one.metadata
    if expression := about.get("License-Expression"):
        return str(expression)
    named = [line.rpartition(" :: ")[2] for line in about.get_all("Classifier", []) if line.startswith("License ::")]
    words = str(about.get("License") or "").strip().splitlines()
    own = words[0] if words and len(words[0]) < 60 else UNKNOWN
    return " AND ".join(SPDX.get(each, each) for each in named) or SPDX.get(own, own)


def allowed(name: str, terms: str) -> bool:
    """Whether one of the alternatives of an expression asks for nothing but what is allowed."""
    ways = terms.strip("()").split(" OR ")
    return name in OTHERWISE_ALLOWED or any(ALLOWED.issuperset(way.split(" AND ")) for way in ways)


def parts_of_the_page() -> list[Package]:
    """What the console's page is made of and built with, by its own lock."""
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text(encoding="utf-8"))
    parts = ((path.rpartition("node_modules/")[2], about) for path, about in lock["packages"].items() if path)
    return [Package(name, about["version"], "page", about.get("license", UNKNOWN)) for name, about in parts]


# --- the list ---------------------------------------------------------------------------------------------------------


def page() -> str:
    return "\n".join(_page(packages(), parts_of_the_page())) + "\n"


def _page(found: Iterable[Package], parts: Iterable[Package]) -> Iterator[str]:
    yield HEAD
    yield from ("| Package | Version | Needed | Licence |", "|---|---|---|---|")
    for name, version, needed, terms in sorted(found):
        why = f" ({OTHERWISE_ALLOWED[name]})" if name in OTHERWISE_ALLOWED else ""
        yield f"| {name} | {version} | {needed} | {terms}{why} |"
    yield from ("", "## The console's page", "", "What it is made of and built with, by its own lock.", "")
    by_terms = defaultdict(set)
    for one in parts:
        by_terms[one.terms].add(f"{one.name} {one.version}")
    yield from (f"- {terms}: {', '.join(sorted(names))}." for terms, names in sorted(by_terms.items()))
