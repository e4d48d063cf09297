"""The one mechanism behind every extension point: a named table of classes that take no arguments."""

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Generic, TypeVar

from hakoniwa.errors import UnknownName

T = TypeVar("T")


class Registry(Generic[T]):
    """Instances by name, filled by decorating classes in the files of one package."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, T] = {}

    def add(self, name: str) -> Callable[[type[T]], type[T]]:
        def register(cls: type[T]) -> type[T]:
            assert name not in self._entries, f"{self.kind} {name!r} is registered twice"
            self._entries[name] = cls()
            return cls

        return register

    def load(self, package: ModuleType) -> None:
        """Import every module of `package`, so that its entries are here."""
        for module in sorted(found.name for found in pkgutil.iter_modules(package.__path__)):
            importlib.import_module(f"{package.__name__}.{module}")

    def __getitem__(self, name: str) -> T:
        if name not in self._entries:
            raise UnknownName("unknown.entry", kind=self.kind, name=name, known=", ".join(sorted(self._entries)))
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._entries))
