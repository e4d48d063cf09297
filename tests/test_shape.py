"""The shape of the code: short functions, imports that point one way, and nothing of this machine in the repository."""

import ast
import math
import re
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
LONGEST_USUAL_FUNCTION = 40
VAGUE = {"utils", "helpers", "common", "core", "services", "managers"}
CACHES = {"__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".import_linter_cache", ".hypothesis"}
NOT_OURS = {".git", ".venv", "node_modules", "build", "dist", *CACHES}

# Of a word alone, for a reader cannot tell what it does: `told` of what, to whom?
PARTICIPLE = re.compile(
    r"_*(?:[a-z]+(?:ed|ing)|begun|bound|brought|built|caught|chosen|cut|done|drawn|driven|felt|found|given|gone|heard|held|kept"
    r"|known|laid|left|lost|made|meant|met|put|said|seen|sent|shown|sought|spent|split|spoken|sunk|taken|taught|thought|told"
    r"|understood|won|written)"
)
# Nouns, and verbs whose stem ends so.
NO_PARTICIPLES = {
    "beginning", "crossing", "embed", "reembed", "feeling", "finding", "greeting", "happening", "heading", "meaning",
    "ring", "ruling", "speed", "streaming", "thing", "thinking", "timing", "warning", "writing", "thought", "cut",
    "put", "split",
}  # fmt: skip

TWICE_FOR_NOW = {"Role", "_Reader"}  # of the GM's two readers, until one of them goes
PARTICIPLES_FOR_NOW = {
    "hakoniwa.actor.mind._met", "hakoniwa.cli.gm.typed", "hakoniwa.cli.live.prompt.prompting",
    "hakoniwa.director.next_speaker.normalized",
    "hakoniwa.lab.report.analysis.spent", "hakoniwa.play.highlights.told",
}  # fmt: skip

Function = ast.FunctionDef | ast.AsyncFunctionDef
Import = ast.Import | ast.ImportFrom


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = {module_name(path): path for path in sorted(SOURCE.glob("hakoniwa/**/*.py"))}


@cache
def trees() -> dict[str, ast.Module]:
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in PATHS.items()}


def functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def imports(node: ast.AST) -> Iterator[Import]:
    """Every import that happens when the code runs, those inside functions too."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Import):
            yield child
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            yield from (found for other in child.orelse for found in imports(ast.Module([other], [])))
        else:
            yield from imports(child)


def imported_modules(module: str, node: Import) -> Iterator[str]:
    """The modules of ours that one import statement names."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in PATHS)
        return
    base = absolute(module, node)
    for alias in node.names:
        inner = f"{base}.{alias.name}"
        if inner in PATHS:
            yield inner
        elif base in PATHS:
            yield base


def absolute(module: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = module.split(".") if PATHS[module].name == "__init__.py" else module.split(".")[:-1]
    return ".".join([*package[: len(package) - node.level + 1], *([node.module] if node.module else [])])


def repository_files() -> list[Path]:
    """What git tracks or would track; without git's help, every file that is not plainly made by a tool."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        names = subprocess.run(listing, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
        found = [ROOT / name for name in names if name]
    except (OSError, subprocess.CalledProcessError):
        found = [path for path in ROOT.rglob("*") if not NOT_OURS & set(path.relative_to(ROOT).parts)]
    return [path for path in found if path.is_file()]


def private_place() -> re.Pattern[bytes]:
    """A home directory, or the directory this checkout happens to sit in."""
    places = ["root", r"(?:home|Users)/[\w.-]+"]
    if ROOT.parent not in {Path("/"), Path("/tmp"), Path(tempfile.gettempdir()).resolve()}:  # tests may have their own
        places.append(re.escape(str(ROOT.parent).lstrip("/")))
    return re.compile(rf"(?<![\w.~/-])/(?:{'|'.join(places)})/".encode())


def test_there_is_code_to_look_at() -> None:
    assert "hakoniwa.cli" in PATHS


def test_most_functions_fit_on_a_screen() -> None:
    lengths = sorted(
        ((node.end_lineno or 0) - node.lineno + 1, f"{module}.{node.name}")
        for module, tree in trees().items()
        for node in functions(tree)
    )
    p95 = lengths[math.ceil(0.95 * len(lengths)) - 1][0]
    assert p95 <= LONGEST_USUAL_FUNCTION, f"p95 is {p95} lines; the longest: {lengths[:-11:-1]}"


def test_no_import_cycles() -> None:
    graph = {
        module: {other for node in imports(tree) for other in imported_modules(module, node)}
        for module, tree in trees().items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail("import cycle: " + " <- ".join(error.args[1]))


def test_imports_sit_at_the_top_of_the_file() -> None:
    offenders = {
        f"{PATHS[module].relative_to(ROOT)}:{node.lineno} {ast.unparse(node)}"
        for module, tree in trees().items()
        for function in functions(tree)
        for node in ast.walk(function)
        if isinstance(node, Import)
    }
    assert sorted(offenders) == []


def test_modules_are_named_after_what_they_serve() -> None:
    assert [name for name in PATHS if VAGUE & set(name.split("."))] == []


def test_every_class_has_a_name_of_its_own() -> None:
    names: dict[str, list[str]] = {}
    for module, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                names.setdefault(node.name, []).append(module)
    assert {name: modules for name, modules in names.items() if len(modules) > 1 and name not in TWICE_FOR_NOW} == {}


def test_no_function_is_named_by_a_participle_alone() -> None:
    found = {
        f"{module}.{node.name}"
        for module, tree in trees().items()
        for node in tree.body
        if isinstance(node, Function) and PARTICIPLE.fullmatch(node.name)
        if node.name.lstrip("_") not in NO_PARTICIPLES and not module.startswith("hakoniwa.gm.")  # until it is redrawn
    }
    assert sorted(found - PARTICIPLES_FOR_NOW) == []


def test_what_the_quick_gate_leaves_out_is_there() -> None:
    names = (ROOT / "tests" / "slow.txt").read_text(encoding="utf-8").split()
    assert [name for name in names if not (ROOT / "tests" / name).exists()] == []


def test_locks_name_no_registry() -> None:
    locks = sorted(ROOT.glob("*.lock"))
    assert locks
    assert [lock.name for lock in locks if "://" in lock.read_text(encoding="utf-8")] == []


def test_the_repository_holds_no_path_of_anyones_machine() -> None:
    pattern = private_place()
    offenders = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in repository_files()
        for number, line in enumerate(path.read_bytes().splitlines(), start=1)
        if pattern.search(line)
    ]
    assert offenders == []


def test_unit_tests_cannot_reach_the_network(network_attempts: list[str]) -> None:
    with socket.socket() as sock, pytest.raises(RuntimeError, match="belongs in tests/real"):
        sock.connect(("127.0.0.1", 9))
    with pytest.raises(RuntimeError, match="look up 'example'"):
        socket.create_connection(("example", 80))
    assert len(network_attempts) == 2
    network_attempts.clear()
