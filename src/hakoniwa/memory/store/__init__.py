"""The store: everything a Ghost remembers, in tables beside the journal and in the same database."""

from hakoniwa.memory.store.memories import Memories
from hakoniwa.memory.store.values import (
    Annotation,
    ForgetResult,
    LineStatus,
    MemoryEntry,
    MemoryScope,
    MemoryStats,
    MemoryWork,
    MemoryWriting,
    Of,
    RetrievalRun,
    SnapshotKind,
    VisibleRows,
    WorkKind,
)

__all__ = [
    "Annotation",
    "ForgetResult",
    "LineStatus",
    "Memories",
    "MemoryEntry",
    "MemoryScope",
    "MemoryStats",
    "MemoryWork",
    "MemoryWriting",
    "Of",
    "RetrievalRun",
    "SnapshotKind",
    "VisibleRows",
    "WorkKind",
]
