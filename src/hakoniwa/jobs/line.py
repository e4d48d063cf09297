"""What every line does: its steps one after another, each at most once by its name."""

import asyncio
from abc import abstractmethod
from typing import Any

from hakoniwa.jobs import FlowContext, FlowStep, StepFailed


class StoredFlowContext(FlowContext):
    """Keeps what its steps returned, or how they failed."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._kept: dict[str, Any] = {}
        self._one_after_another = asyncio.Lock()

    @property
    def key(self) -> str:
        return self._key

    async def do(self, step: FlowStep, given: Any = None, part: str = "") -> Any:
        name = f"{step.name}/{part}" if part else step.name
        async with self._one_after_another:
            if name not in self._kept:
                await self._newly(step, name, given)
        if isinstance(self._kept[name], StepFailed):
            raise self._kept[name]
        return self._kept[name]

    @abstractmethod
    async def _newly(self, step: FlowStep, name: str, given: Any) -> None:
        """Do the step and keep how it ended."""
