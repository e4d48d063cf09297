"""Kept: things that are opened when somebody asks for them, and stay open until others need the room."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, Protocol, TypeVar


class Closable(Protocol):
    """Something that may be in use, and can be closed when it is not."""

    @property
    def busy(self) -> bool: ...

    async def close(self) -> None: ...


Key = TypeVar("Key", bound=Hashable)
Thing = TypeVar("Thing", bound=Closable)


class OpenCache(Generic[Key, Thing]):
    """At most so many open things, unless more are in use. Who asks for one that is being opened waits for that."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: OrderedDict[Key, asyncio.Task[Thing]] = OrderedDict()

    async def at(self, key: Key, open: Callable[[], Coroutine[Any, Any, Thing]]) -> Thing:
        """The thing of that key, opened if it is not."""
        if key not in self._open:
            await self._make_room()
        if key not in self._open:
            self._open[key] = asyncio.create_task(open())
        opening = self._open[key]
        self._open.move_to_end(key)
        try:
            return await asyncio.shield(opening)
        except Exception:
            if self._open.get(key) is opening:
                del self._open[key]
            raise

    async def _make_room(self) -> None:
        """Close the one that was idle longest, if there are too many."""
        idle = (key for key, one in self._open.items() if _is_open(one) and not one.result().busy)
        if len(self._open) >= self._most and (key := next(idle, None)) is not None:
            await self._open.pop(key).result().close()

    def open(self) -> list[Thing]:
        """All that are open at this moment."""
        return [one.result() for one in self._open.values() if _is_open(one)]

    async def settled(self, which: Callable[[Key], bool] = lambda _: True) -> list[Thing]:
        """Those of some keys, once all of them are open; what could not be opened is nothing."""
        opening = [one for key, one in self._open.items() if which(key)]
        await asyncio.gather(*map(asyncio.shield, opening), return_exceptions=True)
        return [one.result() for one in opening if _is_open(one)]

    async def close(self, which: Callable[[Key], bool] = lambda _: True) -> None:
        """Close those of some keys, whoever uses them."""
        for one in await self.settled(which):
            await one.close()
        self._open = OrderedDict((key, one) for key, one in self._open.items() if not which(key))


def _is_open(one: "asyncio.Task[Any]") -> bool:
    return one.done() and not one.cancelled() and one.exception() is None
