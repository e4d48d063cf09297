"""A model server that goes wrong in every way we know, wherever a model is asked: each ends in time, by its name.

The call sites are read from the code: a purpose that nobody tries is a breach by itself."""

import ast
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence

from tests.real.misbehaving import FAULTS
from tests.trust import afflicted
from tests.trust.afflicted import OUTCOMES, WIRED, Cell
from tests.trust.callsites import SITES
from tests.trust.promise import ROOT, Mutant, Patch, Promise, Tries, Try

SOURCE = ROOT / "src" / "hakoniwa"
ALL_SITES = (*SITES, *WIRED)
# Who speaks with a model server without a conversation, and where it is tried.
BY_WIRE = {
    "llm/bench.py": "the doctor", "llm/probe.py": "the doctor", "llm/find.py": "the doctor",
    "memory/embedding/server.py": "vectors",
}  # fmt: skip


SEEDS = (37, 182, 182, 10, 17, 48)  # from which each mutant meets at once what it breaks


def check(count: int, seed: int) -> Tries:
    """Every fault at every site, streamed and at once; with a count, so many of them, each in one of the two ways."""
    yield Try("every call site is known", [*_unknown(), *sorted(set(FAULTS) ^ set(OUTCOMES))])
    for cell, wrong in _tried(_cells(count, seed)):
        yield Try(cell.site if cell else "nothing secret was logged", [f"{cell}: {one}" for one in wrong])


def _cells(count: int, seed: int) -> list[Cell]:
    both = [Cell(fault, site, streams) for fault in FAULTS for site in ALL_SITES for streams in (True, False)]
    if not count:
        return both
    halved = [cell for place, cell in enumerate(both) if cell.streaming is ((place // 2 + seed) % 2 == 0)]
    random.Random(seed).shuffle(halved)
    return halved[:count]


def _tried(cells: Sequence[Cell]) -> Iterator[tuple[Cell | None, list[str]]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.trust.afflicted"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        cwd=ROOT, env={**os.environ},
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(cells))
        process.stdin.close()
        for line in process.stdout:
            cell, wrong = json.loads(line)
            yield (Cell(*cell) if cell else None), wrong
        if process.wait():
            yield None, ["the process has died of it"]
    finally:
        process.kill()
        process.wait()


# --- the call sites in the code ---------------------------------------------------------------------------------------


def _unknown() -> Iterator[str]:
    """Call sites that are not tried here."""
    tried = {site.purpose for site in SITES.values()}
    for path in sorted(SOURCE.rglob("*.py")):
        name, text = path.relative_to(SOURCE).as_posix(), path.read_text(encoding="utf-8")
        if ".chat(" in text:
            yield from (f"{name} asks for {one!r}" for one in _purposes(ast.parse(text)) if one not in tried)
        if ("llm.wire import" in text or "wire.send(" in text) and re.search(r"\bsend\b", text) and name not in BY_WIRE:
            yield f"{name} speaks with a server"


def _purposes(module: ast.Module) -> Iterator[str]:
    """What models are asked for: written at the call, named in the module, or handed on by a function in it."""
    known = {
        target.id: value.value
        for node in module.body if isinstance(node, ast.Assign)
        for names, values in [_pairs(node)]
        for target, value in zip(names, values, strict=False)
        if isinstance(target, ast.Name) and isinstance(value, ast.Constant)
    }  # fmt: skip
    for function in ast.walk(module):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            own = [argument.arg for argument in function.args.args if argument.arg != "self"]
            for purpose in _asked(function, "chat", 1):
                if isinstance(purpose, ast.Attribute) and purpose.attr == "purpose":
                    continue  # a call that was made elsewhere, where it is seen
                if isinstance(purpose, ast.Name) and purpose.id in own:
                    yield from _handed_on(module, function.name, own.index(purpose.id))
                else:
                    yield _written(purpose, known)


def _pairs(node: ast.Assign) -> tuple[Sequence[ast.expr], Sequence[ast.expr]]:
    target, value = node.targets[0], node.value
    both = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
    return (target.elts, value.elts) if both else ((target,), (value,))  # type: ignore[attr-defined]


def _handed_on(module: ast.Module, function: str, place: int) -> Iterator[str]:
    """What a function is called with; a model that wraps another one is called from elsewhere, where it is seen."""
    if function != "chat":
        yield from (_written(one, {}) for one in _asked(module, function, place))


def _asked(node: ast.AST, method: str, place: int) -> Iterator[ast.expr]:
    calls = (one for one in ast.walk(node) if isinstance(one, ast.Call) and len(one.args) > place)
    for call in calls:
        if isinstance(call.func, ast.Attribute) and call.func.attr == method:
            yield call.args[place]


def _written(purpose: ast.expr, known: dict[str, object]) -> str:
    found = known.get(purpose.id) if isinstance(purpose, ast.Name) else getattr(purpose, "value", None)
    return found if isinstance(found, str) else ast.unparse(purpose)


def _elsewhere(name: str) -> Callable[[Patch], None]:
    return lambda patch: patch.setenv(afflicted.MUTANT, name)


def _one_site_less(patch: Patch) -> None:
    patch.setattr(afflicted, "SITES", SITES)
    patch.setattr(sys.modules[__name__], "SITES", {name: site for name, site in SITES.items() if name != "scoring"})


PROMISE = Promise(
    name="faults",
    says="A model may fail in every way we know, wherever it is asked: what comes of it has a name, and ends in time.",
    check=check,
    short=31,
    long=0,
    share=0,
    mutants=(
        Mutant("a call site nobody tries", _one_site_less, 1),
        *(Mutant(name, _elsewhere(name), 3, seed) for name, seed in zip(afflicted.MUTANTS, SEEDS, strict=True)),
    ),
)
