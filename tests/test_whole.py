"""Files that are written whole: through no link that somebody laid, over nothing that is not ours, or not at all."""

import os
import stat
from contextlib import nullcontext
from pathlib import Path

import pytest

from hakoniwa import own_files
from hakoniwa.own_files import PRIVATE, create_new, partial_file, write_atomically
from tests.trust.scratch import full_disk


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("name", ["page.md.partial", "page.md.0a0a0a0a.partial"])
def test_what_somebody_laid_beside_it_is_left_alone(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    precious, page = tmp_path / "precious.txt", tmp_path / "page.md"
    precious.write_text("precious")
    (tmp_path / name).symlink_to(precious)
    names = iter(["0a0a0a0a", "1b1b1b1b"])
    monkeypatch.setattr(own_files, "token_hex", lambda _: next(names))
    if "0a" in name:
        with pytest.raises(FileExistsError, match=r"page\.md'$"):
            write_atomically(page, b"a page")
    write_atomically(page, b"a page")
    assert (page.read_text(), page.is_symlink(), precious.read_text()) == ("a page", False, "precious")
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted(["page.md", name, "precious.txt"])


def test_a_file_is_for_all_or_for_its_owner(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write_atomically(tmp_path / "page", b"a page")
        with partial_file(tmp_path / "copy", PRIVATE) as partial:
            assert mode_of(partial) == 0o600
    finally:
        os.umask(before)
    assert (mode_of(tmp_path / "page"), mode_of(tmp_path / "copy")) == (0o644, 0o600)


def test_a_name_is_claimed_once_and_never_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileExistsError):
        create_new(tmp_path / "link", PRIVATE)
    assert not (tmp_path / "nowhere").exists()


def test_what_fails_leaves_what_was_there_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "page"
    page.write_text("before")

    def broken() -> None:
        with partial_file(page) as partial:
            partial.write_text("half a")
            partial.with_name(f"{partial.name}-wal").write_text("of a database")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken()
    assert (page.read_text(), list(tmp_path.iterdir())) == ("before", [page])


def test_where_there_is_no_room_for_a_page_is_told(tmp_path: Path) -> None:
    with full_disk(4), pytest.raises(OSError, match=r"page\.html'$"):
        write_atomically(tmp_path / "page.html", b"a page")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("links", [True, False])
def test_a_new_file_takes_no_place_that_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool) -> None:
    def none(*_: object) -> None:
        raise PermissionError

    if not links:
        monkeypatch.setattr(Path, "hardlink_to", none)
    for expected in (nullcontext(), pytest.raises(FileExistsError)):
        with expected, partial_file(tmp_path / "page", PRIVATE, new=True) as partial:
            partial.write_text(str(expected))
    assert (tmp_path / "page").read_text().startswith("<contextlib.nullcontext")
    assert [one.name for one in tmp_path.iterdir()] == ["page"]
