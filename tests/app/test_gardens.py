"""Gardens in a list: told of without being read whole."""

from pathlib import Path
from unittest.mock import patch

import pytest

from hakoniwa.app.chats import chats
from hakoniwa.app.gardens import garden_at, new_garden, summaries
from hakoniwa.app.user_files import UserFiles
from hakoniwa.errors import UnknownName
from hakoniwa.journal import GardenRecord
from hakoniwa.journal.memory import MemoryJournal
from hakoniwa.journal.open import open_journal
from hakoniwa.journal.rows import garden_of
from tests.gardens import shipped_garden


def test_no_scenario_and_no_sheet_is_read_for_a_list_or_an_error(tmp_path: Path) -> None:
    journal = open_journal(f"sqlite:///{tmp_path}/journal.db")
    journal.create(shipped_garden("tea_room", 7))
    journal.create(GardenRecord(id="chat", scenario={}, sheets={}, seed=0, settings={"kind": "chat"}))
    with patch("hakoniwa.journal.queries.garden_of", side_effect=garden_of) as read:
        assert [(one.id, one.scenario, one.turn) for one in summaries(journal, 5)] == [("tea_room", "tea_room", 0)]
        assert [one.id for one in chats(journal)] == ["chat"]
        assert read.call_count == 0
        with pytest.raises(UnknownName, match="tea_room"):
            garden_at(journal, "chat")
        assert read.call_count == 1


def test_a_garden_without_a_seed_draws_one_and_answers_with_it() -> None:
    journal, shelf = MemoryJournal(), UserFiles(Path("nowhere"))
    made = [new_garden(journal, shelf, "kitchen_morning", None, name).seed for name in "abc"]
    assert len(set(made)) > 1
    assert [one.seed for one in journal.plates()] == made
