"""Reading back what was played: gardens, replay, branch, export, verify, backup."""

import json
from pathlib import Path

import pytest

from hakoniwa.app import journal_of
from hakoniwa.journal import GardenRecord
from hakoniwa.journal.open import open_journal
from hakoniwa.settings import load
from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def played(run: Run, box: Path) -> None:
    """A garden of three turns, called mine."""
    run("play", box, "--turns", "3", "--json", "--new", "--garden", "mine")


def test_gardens_are_listed_with_the_latest_last(run: Run, box: Path) -> None:
    run("play", box, "--turns", "1", "--json", "--new", "--garden", "another")
    listed = json.loads(run("gardens", "--json").out)
    assert [(one["garden"], one["title"], one["turn"]) for one in listed] == [
        ("mine", "箱のある部屋", 3),
        ("another", "箱のある部屋", 1),
    ]
    run("play", "--garden", "mine", "--turns", "1", "--json")
    last = run("gardens").out.splitlines()[-1]
    assert last.startswith("mine ")
    assert "4ターン" in last


def test_a_replay_shows_what_was_played(run: Run, box: Path) -> None:
    shown = run("replay", "mine").out
    live = run("play", box, "--turns", "3", "--new").out
    play = [line for line in live.splitlines() if line.startswith(("楓 ", "蓬 ", "  │ ", "声 "))]
    assert len(play) >= 4
    assert [line for line in shown.splitlines() if line in play] == play


def test_a_replay_as_data_is_the_journal(run: Run) -> None:
    replayed = [json.loads(line) for line in run("replay", "mine", "--json").out.splitlines()]
    exported = [json.loads(line) for line in run("export", "mine", "--format", "jsonl").out.splitlines()]
    assert [{name: value for name, value in one.items() if name != "seq"} for one in replayed] == exported


def test_branches_are_drawn_as_a_tree(run: Run) -> None:
    assert run("branch", "mine").out == "main（3ターンまで）\n"
    assert run("branch", "mine", "--new", "二度目", "--at", "2").code == 0
    assert run("branch", "mine", "--new", "三度目", "--from", "二度目", "--at", "0").code == 0
    assert run("branch", "mine").out.splitlines() == [
        "main（3ターンまで）",
        "└─ 二度目（2ターンで分かれ、2ターンまで）",
        "   └─ 三度目（0ターンで分かれ、0ターンまで）",
    ]
    assert [one["name"] for one in json.loads(run("branch", "mine", "--json").out)] == ["main", "三度目", "二度目"]


def test_a_branch_cannot_start_in_the_future(run: Run) -> None:
    ended = run("branch", "mine", "--new", "later", "--at", "9")
    assert (ended.code, "9番のターンはありません。あるのは1から3番までです。" in ended.err) == (2, True)


@pytest.mark.parametrize(
    ("name", "starts"), [("a.md", "# 箱のある部屋"), ("a.html", "<!doctype html>"), ("a.jsonl", '{"kind":"opening"')]
)
def test_the_file_name_chooses_the_format(run: Run, tmp_path: Path, name: str, starts: str) -> None:
    ended = run("export", "mine", "-o", str(tmp_path / name))
    assert (ended.code, ended.out) == (0, "")
    assert (tmp_path / name).read_text(encoding="utf-8").lower().startswith(starts)
    assert list(tmp_path.glob("*.partial")) == []


def test_an_export_goes_through_no_link_that_lies_beside_it(run: Run, tmp_path: Path) -> None:
    precious = tmp_path / "precious.txt"
    precious.write_text("precious")
    (tmp_path / "a.md.partial").symlink_to(precious)
    assert run("export", "mine", "-o", str(tmp_path / "a.md")).code == 0
    assert (precious.read_text(), (tmp_path / "a.md").is_symlink()) == ("precious", False)


def test_a_sound_journal_is_said_to_be_sound(run: Run) -> None:
    assert run("verify") == (0, "mine: 問題なし\n", "")
    assert json.loads(run("verify", "mine", "--json").out) == {"mine": []}


def test_a_damaged_journal_is_found_out(run: Run, tmp_path: Path) -> None:
    settings, _ = load({})
    path = Path(settings.journal_url.removeprefix("sqlite:///"))
    journal_of(settings).close()
    damaged = path.read_bytes().replace("よし、やるか".encode(), "よし、やめる".encode())
    copy = tmp_path / "damaged.db"
    copy.write_bytes(damaged)
    ended = run("verify", "--journal", f"sqlite:///{copy}")
    assert ended.code == 5
    assert "mine: 問題が" in ended.out


def test_sessions_of_the_referee_are_no_gardens(run: Run) -> None:
    journal = open_journal(load({})[0].journal_url)
    journal.create(GardenRecord(id="gm/session", scenario={}, sheets={}, seed=0))
    journal.close()
    assert [one["garden"] for one in json.loads(run("gardens", "--json").out)] == ["mine"]
    assert run("verify").code == 0


def test_a_backup_can_be_played(run: Run, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    assert run("backup", str(copy)).code == 0
    assert run("backup", str(copy)).code == 4
    played = run("play", "--garden", "mine", "--turns", "1", "--json", "--journal", f"sqlite:///{copy}")
    assert json.loads(played.out.splitlines()[0])["turn"] == 4
