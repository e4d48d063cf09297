"""Ahead: times to come, as people say them."""

from datetime import datetime, timedelta, timezone

import pytest

from hakoniwa.messages import LANGUAGES, read_yaml
from hakoniwa.persona.ahead import read_ahead

NOW = datetime(2026, 5, 4, 12, 10, tzinfo=timezone(timedelta(hours=9)))  # a Monday

SAID = {
    "30分後": "05-04 12:40",
    "三十分後に": "05-04 12:40",
    "30分": "05-04 12:40",
    "1時間半後": "05-04 13:40",
    "2時間ほどしたら": "05-04 14:10",
    "半日後": "05-05 00:10",
    "3日後": "05-07 12:10",
    "一週間後": "05-11 12:10",
    "明日": "05-05 09:00",
    "明日の朝8時": "05-05 08:00",
    "今夜": "05-04 20:00",
    "夕方6時半に": "05-04 18:30",
    "18:30": "05-04 18:30",
    "9時": "05-05 09:00",
    "明後日の午後3時ごろ": "05-06 15:00",
    "水曜日の夜": "05-06 20:00",
    "来週の月曜": "05-11 09:00",
    "in half an hour": "05-04 12:40",
    "In 30 minutes": "05-04 12:40",
    "in an hour and a half": "05-04 13:40",
    "two hours from now": "05-04 14:10",
    "in a few days": "05-07 12:10",
    "tomorrow": "05-05 09:00",
    "tomorrow at 8": "05-05 08:00",
    "tomorrow morning": "05-05 08:00",
    "tonight": "05-04 20:00",
    "at 6:30 pm": "05-04 18:30",
    "on Wednesday at noon": "05-06 12:00",
    "next monday": "05-11 09:00",
    "PT30M": "05-04 12:40",
    "2026-05-05T08:00:00+09:00": "05-05 08:00",
}


@pytest.mark.parametrize(("said", "meant"), SAID.items())
def test_a_time_to_come_is_read_as_people_say_it(said: str, meant: str) -> None:
    found = read_ahead(said, NOW)
    assert found is not None
    assert found.astimezone(NOW.tzinfo).strftime("%m-%d %H:%M") == meant


@pytest.mark.parametrize(
    "said", ["", "そのうち", "25時", "昨日", "when the kettle boils", "2026-05-05T08:00:00", "の", "99日目"]
)
def test_what_is_no_time_to_come_is_not_read_as_one(said: str) -> None:
    assert read_ahead(said, NOW) is None


def test_both_languages_have_the_same_kinds_of_words() -> None:
    ja, en = (read_yaml("hakoniwa", "lexicon", f"ahead.{language}.yaml") for language in LANGUAGES)
    assert ja.keys() == en.keys()
    assert all(ja[name].keys() == en[name].keys() for name in ("units", "days", "weekdays"))
