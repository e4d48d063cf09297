"""How memories and what grew from them lie in the columns of the tables."""

import unicodedata
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import RowMapping

from hakoniwa.ghost.generated import Generated, unsealed
from hakoniwa.ghost.memory import (
    AboutTime,
    Affect,
    Entity,
    LifeStage,
    Link,
    Memory,
    Remembered,
    Revision,
    Source,
    StateKind,
    Vad,
)
from hakoniwa.ghost.store.lines import key, seq_of
from hakoniwa.ghost.store.values import Annotation, Run
from hakoniwa.journal.faults import Spoilt
from hakoniwa.journal.rows import plain_json, read_json
from hakoniwa.journal.texts import keepable, plain

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
ENTITIES = TypeAdapter(tuple[Entity, ...])
NO_TIME = AboutTime()
SINGLE = frozenset({StateKind.LONG_MOOD_STATE.value, StateKind.PERSONA_INTEREST_STATE.value})


def instant(at: datetime) -> int:
    """A moment as microseconds since 1970: a number that sorts, whatever clock it was read from."""
    return (at.astimezone(UTC) - EPOCH) // MICROSECOND


def moment(instant: int) -> datetime:
    return EPOCH + timedelta(microseconds=instant)


def kept(data: Any) -> str:
    """Data as JSON that any database can hold."""
    return plain_json(keepable(data))


def folded(name: str) -> str:
    """A name as it is looked up: case and width do not matter."""
    return unicodedata.normalize("NFKC", plain(name)).casefold().strip()


# --- memories --------------------------------------------------------------------------------------------------------


def memory_columns(ghost: int, seq: int, span: int, one: Remembered) -> dict[str, Any]:
    return {
        "id": key(ghost, seq),
        "ghost": ghost,
        "span": span,
        "source": one.source.value,
        "at": instant(one.at),
        "searchable": one.searchable,
        "reply_to": one.reply_to,
        "text": plain(unsealed(one.text)),
        "user_text": None if one.user_text is None else plain(one.user_text),
        "assistant_text": None if one.assistant_text is None else plain(unsealed(one.assistant_text)),
        "entities": kept([entity.model_dump(mode="json") for entity in one.entities]),
    }


def memory_of(found: RowMapping, notes: Iterable[RowMapping]) -> Memory:
    """A memory with what was found out about it since, of which the newest counts."""
    about, threads = NO_TIME, dict[str, None]()
    entities = {(one.type, one.name): one for one in _entities(found["entities"])}
    for note in notes:
        about = about_of(note) or about
        entities.update({(one.type, one.name): one for one in _entities(note["entities"])})
        threads.update(dict.fromkeys(read_json(note["threads"])))
    said = found["assistant_text"]
    return Memory(
        seq=seq_of(found["id"]),
        source=Source(found["source"]),
        text=Generated(found["text"]),
        user_text=found["user_text"],
        assistant_text=None if said is None else Generated(said),
        at=moment(found["at"]),
        searchable=bool(found["searchable"]),
        reply_to=found["reply_to"],
        entities=tuple(entities.values()),
        about=about,
        threads=tuple(threads),
    )


def _entities(text: str) -> tuple[Entity, ...]:
    if text == "[]":
        return ()
    try:
        return ENTITIES.validate_json(text)
    except ValidationError as error:
        raise Spoilt(f"the entities of a memory cannot be read: {error}") from error


def about_of(note: RowMapping) -> AboutTime | None:
    stage = LifeStage(note["life_stage"])
    if note["year_start"] is None and stage is LifeStage.UNKNOWN:
        return None
    return AboutTime(year_start=note["year_start"], year_end=note["year_end"], life_stage=stage)


def annotation_columns(ghost: int, one: Annotation) -> dict[str, Any]:
    about = one.about or NO_TIME
    start = about.year_start if about.year_start is not None else about.year_end
    return {
        "memory": key(ghost, one.seq),
        "year_start": start,
        "year_end": about.year_end if about.year_end is not None else start,
        "life_stage": about.life_stage.value,
        "entities": kept([entity.model_dump(mode="json") for entity in one.entities]),
        "threads": kept(list(one.threads)),
    }


# --- what grew from them ---------------------------------------------------------------------------------------------


def affect_columns(ghost: int, one: Affect) -> dict[str, Any]:
    return {
        "memory": key(ghost, one.seq),
        "text": None if one.text is None else plain(unsealed(one.text)),
        "labels": kept(list(one.labels)),
        **one.vad.model_dump(),
        "confidence": one.confidence,
        "at": instant(one.at),
    }


def affect_of(found: RowMapping) -> Affect:
    return Affect(
        seq=seq_of(found["memory"]),
        text=None if found["text"] is None else Generated(found["text"]),
        labels=read_json(found["labels"]),
        vad=Vad(v=found["v"], a=found["a"], d=found["d"]),
        confidence=found["confidence"],
        at=moment(found["at"]),
    )


def link_of(found: RowMapping) -> Link:
    return Link(
        of=found["of"],
        source=found["source"],
        target=found["target"],
        kind=found["kind"],
        confidence=found["confidence"],
    )


def revision_columns(one: Revision) -> dict[str, Any]:
    data = one.model_dump(mode="json")
    return {
        "id": one.id,
        "item": one.item,
        "kind": one.kind,
        "before": None if one.before is None else kept(data["before"]),
        "after": None if one.after is None else kept(data["after"]),
        "reason": plain(one.reason),
        "evidence": kept(data["evidence"]),
        "at": instant(one.at),
        "body": _body(one.kind, data["after"]),
    }


def _body(kind: str, after: Mapping[str, Any] | None) -> str | None:
    """The words by which a state can be found by its meaning; of the mood and the interests there is only one each."""
    if kind != "state" or after is None or after["kind"] in SINGLE or not after.get("searchable", True):
        return None
    return plain(after["body_text"])


def revision_of(found: RowMapping) -> Revision:
    return Revision(
        id=found["id"],
        item=found["item"],
        kind=found["kind"],
        before=None if found["before"] is None else read_json(found["before"]),
        after=None if found["after"] is None else read_json(found["after"]),
        reason=found["reason"],
        evidence=read_json(found["evidence"]),
        at=moment(found["at"]),
    )


def run_columns(run: Run) -> dict[str, Any]:
    return {
        "at": instant(run.at),
        "input": plain(run.input),
        "plan": kept(run.plan),
        "candidates": kept(run.candidates),
        "selection": kept(run.selection),
        "by": run.by,
        "dropped": run.dropped,
    }


def run_of(found: RowMapping) -> Run:
    texts = {name: read_json(found[name]) for name in ("plan", "candidates", "selection")}
    return Run(
        id=found["id"], at=moment(found["at"]), input=found["input"], by=found["by"], dropped=found["dropped"], **texts
    )
