"""Garden files: a garden comes out of one as it went in, and nothing comes out of one that somebody has changed."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hakoniwa import Garden
from hakoniwa.app.garden_file import GARDEN, HASHES, ROWS, GardenWriter, import_garden
from hakoniwa.errors import GardenFileError
from hakoniwa.journal import MAIN, Journal, canonical
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.journal.open import open_journal
from hakoniwa.journal.rows import hash_row
from hakoniwa.play.state_hash import verify
from hakoniwa.turn import Event

DAMAGES = 150


@pytest.fixture(scope="module")
def garden() -> Iterator[Garden]:
    """A garden with a branch, a turn that was taken back, and a word in private."""
    with Garden.open("kitchen_morning", seed=3) as opened:
        list(opened.play(8))
        fork = opened.fork(at=3, name="other")
        list(fork.play(3))
        fork.close()
        opened.undo(2)
        opened.say("おはよう")
        private = Event(kind="chat", turn=opened.turn, origin="user", witnesses=("あゆ",), payload={"text": "ひみつ"})
        opened._wait(opened.session.commit([private]))
        list(opened.play(2))
        yield opened


@pytest.fixture(scope="module")
def raw(garden: Garden) -> bytes:
    return GardenWriter(garden.session.journal, garden.record).archive()


def lines(journal: Journal, garden: str, branch: str) -> list[str]:
    return [canonical(row) for row in journal.lineage(garden, branch) if row.event.kind != "chat"]


@pytest.mark.parametrize("where", ["memory", "sqlite"])
def test_every_branch_comes_out_as_it_went_in(garden: Garden, raw: bytes, where: str, tmp_path: Path) -> None:
    journal = MemoryJournal() if where == "memory" else open_journal(f"sqlite:///{tmp_path / 'journal.db'}")
    made = import_garden(journal, raw, "garden.hakoniwa")
    assert made.id == garden.id
    for branch in (MAIN, "other"):
        assert lines(journal, made.id, branch) == lines(garden.session.journal, garden.id, branch)
    assert verify(journal, made.id) == []
    assert GardenWriter(journal, made).archive() == raw
    journal.close()


def test_words_in_private_stay_at_home(garden: Garden, raw: bytes) -> None:
    told = GardenWriter(garden.session.journal, garden.record).contents
    assert (told.private_rows, told.user_lines, told.branches) == (1, 1, (MAIN, "other"))
    assert "ひみつ".encode() not in zipfile.ZipFile(io.BytesIO(raw)).read(ROWS)


def test_a_garden_whose_name_is_taken_gets_another_and_can_be_played_on(garden: Garden, raw: bytes) -> None:
    journal = MemoryJournal()
    first, second = import_garden(journal, raw, "f"), import_garden(journal, raw, "f")
    assert first.id != second.id
    with Garden.resume(journal, second.id) as again:
        turn = garden.turn
        assert [one.number for one in again.play(1)] == [turn + 1]
        assert again.fork(at=2).turn == 2


def damaged(raw: bytes, dice: Random) -> bytes:
    """A file in which a bit is flipped, a stretch cut out, or put in twice."""
    at, length = dice.randrange(len(raw)), dice.randrange(1, 64)
    match dice.randrange(3):
        case 0:
            return raw[:at] + bytes([raw[at] ^ 1 << dice.randrange(8)]) + raw[at + 1 :]
        case 1:
            return raw[:at] + raw[at + length :]
    return raw[: at + length] + raw[at:]


def refuse_damages(raw: bytes, count: int) -> None:
    dice, unchanged = Random(7), 0
    sound = _texts(raw)
    for _ in range(count):
        broken, journal = damaged(raw, dice), MemoryJournal()
        try:
            import_garden(journal, broken, "broken.hakoniwa")
        except GardenFileError:
            assert journal.gardens() == []
        else:
            unchanged += _texts(broken) == sound  # what of an archive nobody reads, such as the time of a member
            assert _texts(broken) == sound
    assert unchanged < count / 2


def test_damaged_files_are_refused_by_name_and_change_nothing(raw: bytes) -> None:
    refuse_damages(raw, DAMAGES)


@pytest.mark.long
def test_two_thousand_damaged_files_are_refused(raw: bytes) -> None:
    refuse_damages(raw, 2_000)


def _texts(raw: bytes) -> dict[str, bytes]:
    archive = zipfile.ZipFile(io.BytesIO(raw))
    return {name: archive.read(name) for name in sorted(archive.namelist())}


def forged(raw: bytes, change: Callable[[dict[str, Any], list[dict[str, Any]]], None]) -> bytes:
    """A file that somebody has changed and given hashes that add up."""
    texts = _texts(raw)
    head, rows = json.loads(texts[GARDEN]), [json.loads(line) for line in texts[ROWS].splitlines()]
    change(head, rows)
    for row in rows:
        before = rows[row["parent"] - 1]["hash"] if row["parent"] else None
        row["hash"] = hash_row(before, head["garden"]["id"], Event.model_validate(row["event"]))
    texts[GARDEN] = json.dumps(head).encode()
    texts[ROWS] = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    texts[HASHES] = json.dumps({name: hashlib.sha256(texts[name]).hexdigest() for name in (GARDEN, ROWS)}).encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            archive.writestr(name, text)
    return packed.getvalue()


def _magic(head: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    rows[1]["event"]["world_delta"] = [{"op": "add", "path": "/props/剣", "value": {"location": "キッチン"}}]


def _nowhere(head: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    rows[1]["event"]["world_delta"] = [{"op": "remove", "path": "/props/ない物"}]


def _autonomy(head: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    rows[1]["event"] |= {"kind": "autonomy.intent", "origin": "user"}


def _later(head: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    rows[1]["parent"] = len(rows)


def _loose(head: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    head["branches"][1]["parent"] = "nobody"


def _headless(head: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    head["branches"][0]["head"] = len(rows) + 1


def _lawless(head: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    head["garden"]["scenario"]["world"]["characters"] = {}


def _newer(head: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    head["format"] = 2


@pytest.mark.parametrize("change", [_magic, _nowhere, _autonomy, _later, _loose, _headless, _lawless, _newer])
def test_what_cannot_have_been_is_refused_though_its_hashes_add_up(
    raw: bytes, change: Callable[[dict[str, Any], list[dict[str, Any]]], None]
) -> None:
    journal = MemoryJournal()
    with pytest.raises(GardenFileError):
        import_garden(journal, forged(raw, change), "forged.hakoniwa")
    assert journal.gardens() == []
    import_garden(journal, forged(raw, lambda *_: None), "sound.hakoniwa")


def test_settings_that_a_file_brings_are_left_behind(raw: bytes) -> None:
    def claim(head: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        head["garden"]["settings"] = {"kind": "chat", "persona": "あゆ"}

    assert import_garden(MemoryJournal(), forged(raw, claim), "forged.hakoniwa").settings == {}
