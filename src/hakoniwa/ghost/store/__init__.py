"""The store: everything a Ghost remembers, in tables beside the journal and in the same database."""

from hakoniwa.ghost.store.memories import Memories
from hakoniwa.ghost.store.values import (
    Annotation,
    Entry,
    Forgotten,
    Line,
    Moment,
    Of,
    Run,
    Scope,
    SnapshotKind,
    Stats,
    Work,
    WorkKind,
    Writing,
)

__all__ = [
    "Annotation",
    "Entry",
    "Forgotten",
    "Line",
    "Memories",
    "Moment",
    "Of",
    "Run",
    "Scope",
    "SnapshotKind",
    "Stats",
    "Work",
    "WorkKind",
    "Writing",
]
