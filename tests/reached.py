"""Which symbols of the package an entry point reaches, by a static walk: commands, routes and public imports.

A symbol is a top-level function, class or value, or a method of a class. A symbol that is reached reaches every name it
uses; an attribute that is used reaches every method of that name in the classes that are reached. So the walk may reach
too much where two methods share a name, and never too little."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

PACKAGE = "hakoniwa"
SOURCE = Path(__file__).resolve().parents[1] / "src" / PACKAGE
Symbol = tuple[str, str]  # module, name; the name of a method is "Class.method", and "" is what a module does by itself
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass
class Uses:
    """What a symbol uses: other symbols, and attributes of whatever object."""

    symbols: set[Symbol] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)


class Module:
    """One file: what it defines, what it imports, and what each symbol uses."""

    def __init__(self, name: str, path: Path) -> None:
        self.name, self.is_package = name, path.name == "__init__.py"
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        self.imports = dict(self._imported())
        self.defined = {name: node for node in self.tree.body for name in _names(node)}

    def _imported(self) -> Iterator[tuple[str, Symbol]]:
        """Every name that is imported, wherever in the file, and what it stands for."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
                for one in node.names:
                    yield one.asname or one.name, (str(node.module), one.name)
            elif isinstance(node, ast.Import):
                for one in node.names:
                    if one.name.startswith(PACKAGE):
                        yield (one.asname or one.name.partition(".")[0]), (one.name, "")

    def definitions(self) -> list[Definition]:
        """The functions and classes at the top of the file."""
        return [node for node in self.tree.body if isinstance(node, Definition)]

    def symbols(self) -> Iterator[tuple[str, list[ast.AST]]]:
        """Every symbol with the code that is its own; a class has its methods as symbols of their own."""
        own: list[ast.AST] = []
        for node in self.tree.body:
            if isinstance(node, ast.ClassDef):
                methods = [one for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
                yield node.name, [*node.bases, *node.keywords, *(one for one in node.body if one not in methods)]
                yield from ((f"{node.name}.{one.name}", [one]) for one in methods)
                own += node.decorator_list
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node.name, [node]
                own += node.decorator_list
            elif names := list(_names(node)):
                yield from ((name, [node]) for name in names)
            elif not isinstance(node, ast.Import | ast.ImportFrom):
                own.append(node)
        yield "", own


def _names(node: ast.stmt) -> Iterator[str]:
    """The names a statement at the top of a file defines."""
    if isinstance(node, Definition):
        yield node.name
    for target in node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]:
        for one in ast.walk(target) if target is not None and isinstance(node, ast.Assign | ast.AnnAssign) else ():
            if isinstance(one, ast.Name):
                yield one.id


@cache
def modules() -> dict[str, Module]:
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        name = ".".join((PACKAGE, *(part for part in parts if part != "__init__")))
        found[name] = Module(name, path)
    return found


def _used(module: Module, code: list[ast.AST]) -> Uses:
    """The names and attributes in some code; a text that names a module and perhaps a symbol of it counts as well."""
    uses = Uses()
    for node in (one for part in code for one in ast.walk(part)):
        if isinstance(node, ast.Name):
            uses.symbols |= {_resolved(module, node.id)} - {None}
        elif isinstance(node, ast.Attribute):
            uses.attributes.add(node.attr)
            if isinstance(node.value, ast.Name) and (found := _in_module(module, node.value.id, node.attr)):
                uses.symbols.add(found)
        elif isinstance(node, ast.JoinedStr):  # getattr(self, f"_take_in_{kind}")
            begun = tuple(str(one.value) for one in node.values[:1] if isinstance(one, ast.Constant))
            uses.attributes |= {name for name in _methods_of(module) if begun and name.startswith(begun) and begun[0]}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            name, _, symbol = node.value.partition(":")
            if name in modules():
                uses.symbols.add((name, symbol))
    return uses


def _methods_of(module: Module) -> set[str]:
    classes = [node for node in module.tree.body if isinstance(node, ast.ClassDef)]
    return {one.name for node in classes for one in node.body if isinstance(one, Definition)}


def _resolved(module: Module, name: str) -> Symbol | None:
    if name in module.defined:
        return module.name, name
    if name not in module.imports:
        return None
    home, what = module.imports[name]
    inner = f"{home}.{what}"
    if not what or inner in modules():
        return inner.rstrip("."), ""
    if home not in modules():
        return None
    return _resolved(modules()[home], what) or (home, what)  # a package may hand on what a file of its own defines


def _in_module(module: Module, name: str, attribute: str) -> Symbol | None:
    """`module.symbol`, where `module` is an import of ours."""
    found = _resolved(module, name)
    return (found[0], attribute) if found and found[1] == "" and attribute in modules()[found[0]].defined else None


@cache
def graph() -> dict[Symbol, Uses]:
    return {
        (module.name, name): _used(module, code) for module in modules().values() for name, code in module.symbols()
    }


def entry_points() -> set[Symbol]:
    """Every command, every server, and every public import."""
    found: set[Symbol] = {(f"{PACKAGE}.cli", "main")}
    found |= {(name, "") for name in modules() if name.startswith(f"{PACKAGE}.cli.")}
    found |= {(f"{PACKAGE}.service.run", name) for name in ("gm", "hakoniwa")}
    (parts,) = (node for node in modules()[PACKAGE].tree.body if isinstance(node, ast.Assign) and _is_parts(node))
    assert isinstance(parts.value, ast.Dict)
    pairs = zip(parts.value.keys, parts.value.values, strict=True)
    return found | {(str(home.value), str(name.value)) for name, home in pairs}  # type: ignore[union-attr]


def _is_parts(node: ast.Assign) -> bool:
    return list(_names(node)) == ["_PARTS"]


@cache
def reached() -> frozenset[Symbol]:
    """Every symbol that an entry point reaches."""
    known: set[Symbol] = set()
    attributes: set[str] = set()
    handled: set[str] = set()
    found: set[Symbol] = set()
    waiting = list(entry_points())
    while waiting:
        for symbol in waiting:
            known.add(symbol)
            uses = graph().get(symbol, Uses())
            attributes |= uses.attributes
            handled |= {home for home, name in uses.symbols if not name}
            found |= {*uses.symbols, *_loaded(symbol[0])}
        waiting = [one for one in {*found, *_by_attribute(known, attributes, handled)} if one not in known]
    return frozenset(known)


@cache
def _is_called_by_others(home: str, owner: str, method: str) -> bool:
    """Whether Python or a library calls a method: by its decorator, its underscores, or a base that is not ours."""
    module = modules()[home]
    cls = module.defined[owner]
    assert isinstance(cls, ast.ClassDef)
    decorated = [one.name for one in cls.body if isinstance(one, Definition) and one.decorator_list]
    foreign = any(_resolved(module, base.id) is None for base in cls.bases if isinstance(base, ast.Name))
    return method.startswith("__") or method in decorated or foreign or not all(_is_name(one) for one in cls.bases)


def _is_name(base: ast.expr) -> bool:
    return isinstance(base, ast.Name | ast.Subscript)


def _by_attribute(known: set[Symbol], attributes: set[str], handled: set[str]) -> Iterator[Symbol]:
    """What somebody may call by an attribute: a method of a known class, or a symbol of a module that is handled as a
    value."""
    for home, name in graph():
        owner, dot, method = name.partition(".")
        if not dot:
            called = home in handled and name in attributes
        else:
            called = (home, owner) in known and (method in attributes or _is_called_by_others(home, owner, method))
        if called:
            yield home, name


@cache
def _loaded(name: str) -> list[Symbol]:
    """What is loaded with a module: what it imports runs too, and so does whatever a registry or a decorator adds."""
    module = modules().get(name)
    if module is None:
        return []
    packages = [name.rpartition(".")[0]]
    imported = [one for home, what in module.imports.values() for one in (home, f"{home}.{what}")]
    found = [(one, "") for one in (*packages, *imported) if one in modules()]
    decorated = [node for node in module.tree.body if isinstance(node, Definition) and _is_added(node)]
    return [(name, ""), *found, *((name, node.name) for node in decorated), *_registered(module)]


def _is_added(node: Definition) -> bool:
    """Whether a decorator hands this to a registry or to a command line."""
    calls = [one.func for one in node.decorator_list if isinstance(one, ast.Call)]
    return any(_last_name(one) in ("add", "command") for one in calls)


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _registered(module: Module) -> Iterator[Symbol]:
    """The modules of a package that a registry loads whole: `registry.load(package)`."""
    calls = [node for node in ast.walk(module.tree) if isinstance(node, ast.Call) and node.args]
    for call in calls:
        target = call.args[0]
        if isinstance(call.func, ast.Attribute) and call.func.attr == "load" and isinstance(target, ast.Name):
            found = _resolved(module, target.id)
            home = found[0] if found and found[1] == "" else module.name
            yield from ((name, "") for name in modules() if name.rpartition(".")[0] == home)
