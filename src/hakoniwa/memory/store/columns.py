"""How memories and what grew from them lie in the columns of the tables."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import RowMapping

from hakoniwa.journal.faults import SpoiltRecord
from hakoniwa.journal.rows import make_storable, plain, plain_json, read_json
from hakoniwa.memory.store.lines import key, seq_of
from hakoniwa.memory.store.values import Annotation, RetrievalRun
from hakoniwa.persona.generated import Generated, unseal
from hakoniwa.persona.records import (
    AboutTime,
    Affect,
    Entity,
    LifeStage,
    Memory,
    MemoryLink,
    MemorySource,
    NewMemory,
    Revision,
    StateKind,
    Vad,
)

Found = Sequence[Any]  # a row, its columns in the order of one of these
MEMORY = "id, source, at, searchable, reply_to, text, user_text, assistant_text, entities"
NOTE = "memory, year_start, year_end, life_stage, entities, threads"
AFFECT = "memory, text, labels, v, a, d, confidence, at"
LINK = "id, of, source, target, kind, confidence"

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
ENTITIES = TypeAdapter(tuple[Entity, ...])
NO_TIME = AboutTime()
BLANK = Memory(
    seq=0, source=MemorySource.CHAT, at=EPOCH, searchable=True, reply_to=None, text=Generated(""), user_text=None,
    assistant_text=None, entities=(), about=NO_TIME, threads=(),
)  # fmt: skip
SOURCES = {one.value: one for one in MemorySource}
SINGLE = frozenset({StateKind.LONG_MOOD_STATE.value, StateKind.PERSONA_INTEREST_STATE.value})


def instant(at: datetime) -> int:
    """A moment as microseconds since 1970: a number that sorts, whatever clock it was read from."""
    return (at.astimezone(UTC) - EPOCH) // MICROSECOND


def moment(instant: int) -> datetime:
    return EPOCH + timedelta(microseconds=instant)


def storable_json(data: Any) -> str:
    """Data as JSON that any database can hold; there is seldom anything to mend in it first."""
    try:
        text = plain_json(data)
        text.encode()
    except ValueError:
        return plain_json(make_storable(data))
    return text


def fold_name(name: str) -> str:
    """A name as it is looked up: case and width do not matter."""
    return unicodedata.normalize("NFKC", plain(name)).casefold().strip()


# --- memories --------------------------------------------------------------------------------------------------------


def memory_columns(ghost: int, seq: int, span: int, one: NewMemory) -> dict[str, Any]:
    return {
        "id": key(ghost, seq),
        "ghost": ghost,
        "span": span,
        "source": one.source.value,
        "at": instant(one.at),
        "searchable": one.searchable,
        "reply_to": one.reply_to,
        "text": plain(unseal(one.text)),
        "user_text": None if one.user_text is None else plain(one.user_text),
        "assistant_text": None if one.assistant_text is None else plain(unseal(one.assistant_text)),
        "entities": storable_json([entity.model_dump(mode="json") for entity in one.entities]),
    }


def memory_of(found: Found, notes: Iterable[Found]) -> Memory:
    """A memory of the columns in MEMORY, with what was found out about it since, of which the newest counts.

    What we wrote ourselves is not validated again: that would take longer than reading it."""
    id, source, at, searchable, reply_to, text, user_text, assistant_text, own = found
    entities, about, threads = _entities(own), NO_TIME, tuple[str, ...]()
    for _, year_start, year_end, stage, more, belongs in notes:
        about = _about_time(year_start, year_end, stage) or about
        entities = _merge_entities(entities, _entities(more))
        threads = tuple(dict.fromkeys([*threads, *read_json(belongs)]))
    return BLANK.with_fields({
        "seq": seq_of(id), "source": SOURCES[source], "at": moment(at), "searchable": bool(searchable),
        "reply_to": reply_to, "text": Generated(text), "user_text": user_text,
        "assistant_text": None if assistant_text is None else Generated(assistant_text),
        "entities": entities, "about": about, "threads": threads,
    })  # fmt: skip


@lru_cache(maxsize=4096)
def _entities(text: str) -> tuple[Entity, ...]:
    """The same few people and places occur again and again."""
    try:
        return _merge_entities((), ENTITIES.validate_json(text))
    except ValidationError as error:
        raise SpoiltRecord(f"the entities of a memory cannot be read: {error}") from error


def _merge_entities(known: Iterable[Entity], more: Iterable[Entity]) -> tuple[Entity, ...]:
    """Entities, each once, as it was last found."""
    return tuple({(one.type, one.name): one for one in (*known, *more)}.values())


def _about_time(year_start: int | None, year_end: int | None, life_stage: str) -> AboutTime | None:
    stage = LifeStage(life_stage)
    if year_start is None and stage is LifeStage.UNKNOWN:
        return None
    return AboutTime(year_start=year_start, year_end=year_end, life_stage=stage)


def annotation_columns(ghost: int, one: Annotation) -> dict[str, Any]:
    about = one.about or NO_TIME
    start = about.year_start if about.year_start is not None else about.year_end
    return {
        "memory": key(ghost, one.seq),
        "year_start": start,
        "year_end": about.year_end if about.year_end is not None else start,
        "life_stage": about.life_stage.value,
        "entities": storable_json([entity.model_dump(mode="json") for entity in one.entities]),
        "threads": storable_json(list(one.threads)),
    }


# --- what grew from them ---------------------------------------------------------------------------------------------


def affect_columns(ghost: int, one: Affect) -> dict[str, Any]:
    return {
        "memory": key(ghost, one.seq),
        "text": None if one.text is None else plain(unseal(one.text)),
        "labels": storable_json(list(one.labels)),
        **one.vad.model_dump(),
        "confidence": one.confidence,
        "at": instant(one.at),
    }


def affect_of(found: Found) -> Affect:
    """A feeling of the columns in AFFECT."""
    memory, text, labels, v, a, d, confidence, at = found
    return Affect(
        seq=seq_of(memory),
        text=None if text is None else Generated(text),
        labels=read_json(labels),
        vad=Vad(v=v, a=a, d=d),
        confidence=confidence,
        at=moment(at),
    )


def link_of(found: Found) -> MemoryLink:
    """A link of the columns in LINK."""
    _, of, source, target, kind, confidence = found
    return MemoryLink(of=of, source=source, target=target, kind=kind, confidence=confidence)


def revision_columns(one: Revision) -> dict[str, Any]:
    data = one.model_dump(mode="json")
    return {
        "id": one.id,
        "item": one.item,
        "kind": one.kind,
        "before": None if one.before is None else storable_json(data["before"]),
        "after": None if one.after is None else storable_json(data["after"]),
        "reason": plain(one.reason),
        "evidence": storable_json(data["evidence"]),
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


def run_columns(run: RetrievalRun) -> dict[str, Any]:
    return {
        "at": instant(run.at),
        "input": plain(run.input),
        "plan": storable_json(run.plan),
        "candidates": storable_json(run.candidates),
        "selection": storable_json(run.selection),
        "by": run.by,
        "dropped": run.dropped,
    }


def run_of(found: RowMapping) -> RetrievalRun:
    texts = {name: read_json(found[name]) for name in ("plan", "candidates", "selection")}
    return RetrievalRun(
        id=found["id"], at=moment(found["at"]), input=found["input"], by=found["by"], dropped=found["dropped"], **texts
    )
