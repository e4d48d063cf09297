"""What OpenAPI says of gardens, scenarios, cards and models holds where there is something."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings

from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.service import tail
from hakoniwa.service.app import hakoniwa_app
from hakoniwa.service.happenings import STREAMS
from hakoniwa.settings import Settings
from tests.service.door import TOKEN, WholeDoor
from tests.service.plot import acted, garden
from tests.service.test_schema import PROMISES
from tests.service.test_whole_schema import HEADERS, answered

schema = schemathesis.openapi.from_asgi(
    "/openapi.json", hakoniwa_app(MemoryJournal(), Settings(model="builtin"), TOKEN), headers=HEADERS
)
few = settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
MINE = r"^/v1/(gardens|scenarios|cards|models|settings)"
THERE: dict[str, Any] = {"id": "g", "who": "やな", "turn": 1, "name": "tea_room", "branch": "main"}
ASKED = {"who": "やな", "one": "main", "other": "main", "branch": "main"}


@pytest.fixture(scope="module")
def door() -> Iterator[WholeDoor]:
    with pytest.MonkeyPatch.context() as patched, garden(speed=60, turns_alone=2) as opened:
        patched.setattr(tail, "LONGEST", 0.0)  # else whoever watches would watch for an hour
        acted(opened, "やな", "（カップを手に取る）")
        acted(opened, "あゆ", "「寒いね」")
        yield opened


@schema.include(path_regex=MINE).parametrize()
@few
def test_every_operation_keeps_to_its_description(case: Any, door: WholeDoor) -> None:
    case.path_parameters |= {name: value for name, value in THERE.items() if name in case.path_parameters}
    case.query = {**(case.query or {}), **{name: one for name, one in ASKED.items() if name in (case.query or {})}}
    if isinstance(case.body, dict):
        case.body = {**case.body, **{name: one for name, one in ASKED.items() if name in case.body}}
    case.validate_response(answered(door, case), checks=PROMISES)


def test_every_reference_in_the_document_leads_somewhere() -> None:
    document: dict[str, Any] = schema.raw_schema
    named = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    used = {one for path, one in _references(document) if path.startswith("/v1/") or not path}
    assert used - named == set()


def test_what_streams_tell_is_described_by_the_name_of_each_event() -> None:
    schemas = schema.raw_schema["components"]["schemas"]
    assert "row" in schemas["GardenEvents"]["properties"]
    for name, events in STREAMS.items():
        told = {one: found["$ref"].rpartition("/")[2] for one, found in schemas[name]["properties"].items()}
        assert told == {event: kind.__name__ for kind, event in events.items()}
        assert [kind for kind in told.values() if not schemas[kind]["properties"]] == []
    assert schemas["PatchOp"]["required"] == ["op", "path"]


def _references(node: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(node, dict):
        for key, one in node.items():
            if key == "$ref":
                yield path, one
            else:
                yield from _references(one, key if key.startswith("/") else path)
    elif isinstance(node, list):
        for one in node:
            yield from _references(one, path)
