"""The plan: what a sentence says of when, and what is searched for it."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from hakoniwa.memory import retrieval_plan as plans
from hakoniwa.memory.retrieval_plan import PersonaFocusHint, plan_for
from hakoniwa.memory.when import TimeHint, time_hint, time_words
from hakoniwa.persona.records import LifeStage
from tests.pace import busy

JST = timezone(timedelta(hours=9))
NOW = datetime(2025, 11, 12, 15, 0, tzinfo=JST)  # a Wednesday
SCHOOL = (LifeStage.UNIVERSITY, LifeStage.HIGH, LifeStage.MIDDLE)


def told(hint: TimeHint) -> str:
    """A hint as one line: the days, then the years, then the times of life."""
    parts = []
    if hint.at_from and hint.at_to:
        parts.append(f"{hint.at_from:%y%m%d}-{hint.at_to - timedelta(days=1):%y%m%d}")
    if hint.about_year_start is not None:
        parts.append(f"Y{hint.about_year_start}-{hint.about_year_end}")
    return " ".join([*parts, *(stage.value for stage in hint.life_stage_hint)])


JAPANESE = [
    ("昨日のケーキおいしかったね", "251111-251111"),
    ("きのう誰と会ったんだっけ", "251111-251111"),
    ("一昨日の夜のこと覚えてる？", "251110-251110"),
    ("おととい買った本", "251110-251110"),
    ("昨夜は眠れた？", "251111-251111"),
    ("今朝のニュース見た？", "251112-251112"),
    ("さっき言ったこと", "251112-251112"),
    ("三日前に届いた荷物", "251109-251109"),
    ("３日前の話", "251109-251109"),
    ("二、三日前から喉が痛い", "251109-251110"),
    ("数日前に見かけた猫", "251105-251110"),
    ("十日ほど前に電話した", "251031-251104"),
    ("一週間前に植えた種", "251104-251106"),
    ("２週間くらい前の約束", "251027-251031"),
    ("先週の会議どうだった？", "251103-251109"),
    ("先週の金曜日に飲みに行った店", "251107-251107"),
    ("先々週のライブ", "251027-251102"),
    ("今週なにかあった？", "251110-251112"),
    ("金曜日に話してた映画", "251107-251107"),
    ("水曜日のゴミ出し", "251105-251105"),
    ("先週末のバーベキュー", "251108-251109"),
    ("先月行った温泉", "251001-251031"),
    ("先月の三日に会った人", "251003-251003"),
    ("先々月の給料", "250901-250930"),
    ("二か月前に辞めた人", "250901-250925"),
    ("３ヶ月前の健診", "250727-250901"),
    ("半年前に引っ越した", "250411-250615"),
    ("この間の件だけど", "251022-251111"),
    ("3月に見た桜", "250301-250331"),
    ("十二月のボーナス", "241201-241231"),
    ("5月5日は何してた？", "250505-250505"),
    ("お正月に実家で食べたもの", "250101-250107"),
    ("クリスマスのプレゼント覚えてる？", "241223-241225"),
    ("この夏は暑かったね", "250601-250831"),
    ("去年の旅行", "240101-241231 Y2024-2024"),
    ("去年の夏に行った海", "240601-240831 Y2024-2024"),
    ("昨年の3月", "240301-240331 Y2024-2024"),
    ("一昨年の冬の大雪", "231201-240229 Y2023-2023"),
    ("おととしの誕生日", "230101-231231 Y2023-2023"),
    ("今年の目標", "250101-251231 Y2025-2025"),
    ("2019年に京都へ行ったよね", "190101-191231 Y2019-2019"),
    ("２０１９年の夏", "190601-190831 Y2019-2019"),
    ("2019年3月5日のこと", "190305-190305 Y2019-2019"),
    ("2021/04/03の写真", "210403-210403 Y2021-2021"),
    ("2018年から2020年まで住んでた町", "180101-201231 Y2018-2020"),
    ("令和3年の春", "210301-210531 Y2021-2021"),
    ("令和元年に入った会社", "190101-191231 Y2019-2019"),
    ("平成二十三年の地震", "110101-111231 Y2011-2011"),
    ("昭和60年生まれ", "850101-851231 Y1985-1985"),
    ("90年代のゲーム", "900101-991231 Y1990-1999"),
    ("2010年代の音楽", "100101-191231 Y2010-2019"),
    ("三年前に飼い始めた犬", "220101-221231 Y2022-2022"),
    ("数年前に読んだ小説", "190101-231231 Y2019-2023"),
    ("二十年前の写真", "030101-071231 Y2003-2007"),
    ("学生時代の友達", " ".join(SCHOOL)),
    ("学生のころよく行った店", " ".join(SCHOOL)),
    ("小学校のとき好きだった遊び", "elementary"),
    ("小学生の頃の夢", "elementary"),
    ("小三の担任", "elementary"),
    ("子どもの頃に住んでた家", "elementary"),
    ("中学で入ってた部活", "middle"),
    ("中二の夏休み", "middle"),
    ("高校の文化祭", "high"),
    ("高2のとき同じクラスだった人", "high"),
    ("大学で何を勉強したの", "university"),
    ("社会人になってから始めたこと", "work"),
    ("前の会社の上司", "work"),
]
JAPANESE_FALSE_FRIENDS = [
    "一年中あたたかい町がいい", "あのときはありがとう", "いつか旅行に行きたいね", "明日は何を食べよう",
    "来週の月曜日は空いてる？", "来年の3月に引っ越す", "毎週日曜に掃除する", "今日子さんに会いたい",
    "三年間ずっと続けてる", "五年ぶりの再会だったらしい", "日曜大工が好き", "2000円貸して", "2025年問題ってなに",
    "大学芋が食べたい", "小学校の隣の公園", "高校野球が始まるね", "秋田のお酒を飲みたい", "夏目漱石は好き？",
    "春になったら花見をしよう", "三か月続いたら教えて", "最高に面白かった", "途中で二人に会った",
    "今度の金曜日に行こう", "一月おきに通ってる", "昨今の若者は", "年末ジャンボ買う？",
    "お盆の上に置いて", "何年たっても変わらないね",
]  # fmt: skip
ENGLISH = [
    ("What did we eat yesterday?", "251111-251111"),
    ("the day before yesterday you said something", "251110-251110"),
    ("Did you sleep last night?", "251111-251111"),
    ("the news this morning", "251112-251112"),
    ("three days ago a parcel came", "251109-251109"),
    ("a couple of days ago", "251109-251110"),
    ("two or three days ago", "251109-251110"),
    ("a week ago I planted seeds", "251104-251106"),
    ("How was the meeting last week?", "251103-251109"),
    ("the bar on Friday", "251107-251107"),
    ("last Friday's film", "251107-251107"),
    ("Friday of last week", "251103-251109"),
    ("the barbecue last weekend", "251108-251109"),
    ("the hot spring we went to last month", "251001-251031"),
    ("half a year ago I moved", "250411-250615"),
    ("the other day you mentioned a book", "251022-251111"),
    ("the cherry trees in March", "250301-250331"),
    ("what did you do on May 5th", "250505-250505"),
    ("what you gave me for Christmas", "241223-241225"),
    ("last summer by the sea", "250601-250831"),
    ("the trip last year", "240101-241231 Y2024-2024"),
    ("in the summer of 2019", "190601-190831 Y2019-2019"),
    ("We went to Kyoto in 2019, remember?", "190101-191231 Y2019-2019"),
    ("in March 2021", "210301-210331 Y2021-2021"),
    ("games of the 90s", "900101-991231 Y1990-1999"),
    ("three years ago we got the dog", "220101-221231 Y2022-2022"),
    ("friends from my school days", " ".join(SCHOOL)),
    ("when I was a student", " ".join(SCHOOL)),
    ("my teacher in elementary school", "elementary"),
    ("when you were little", "elementary"),
    ("the club in junior high", "middle"),
    ("my high school festival", "high"),
    ("what did you study at university?", "university"),
    ("the boss at my old job", "work"),
]
ENGLISH_FALSE_FRIENDS = [
    "It is warm all year round there", "Back then you helped me", "May I ask you something?", "Let's march on",
    "See you tomorrow", "What about next Friday?", "next summer we will go", "It cost 2019 yen",
    "I fall for it every time", "Every Monday I clean", "last but not least", "the high school next to the park",
    "a two-day trip sounds nice", "in a year or so it may change", "the university hospital is far",
]  # fmt: skip

LEAP_AND_ENDS = [datetime(*day, tzinfo=JST) for day in ((2024, 2, 29), (2025, 1, 1), (1970, 1, 1))]
ENDS_OF_THE_CALENDAR = [
    "先月の31日", "2月30日", "一年前", "9999年前", "九九九九九九か月前", "去年の冬", "先々月", "お正月", "先週末",
]  # fmt: skip


@pytest.mark.parametrize(("said", "meant"), JAPANESE)
def test_japanese_words_for_time_are_understood(said: str, meant: str) -> None:
    assert told(time_hint(said, NOW, "ja")) == meant


@pytest.mark.parametrize(("said", "meant"), ENGLISH)
def test_english_words_for_time_are_understood(said: str, meant: str) -> None:
    assert told(time_hint(said, NOW, "en")) == meant


@pytest.mark.parametrize("said", JAPANESE_FALSE_FRIENDS)
def test_japanese_that_only_looks_like_a_time_is_none(said: str) -> None:
    assert time_hint(said, NOW, "ja") == TimeHint()


@pytest.mark.parametrize("said", ENGLISH_FALSE_FRIENDS)
def test_english_that_only_looks_like_a_time_is_none(said: str) -> None:
    assert time_hint(said, NOW, "en") == TimeHint()


def test_days_are_those_of_the_time_zone_that_now_is_given_in() -> None:
    late = datetime(2025, 11, 12, 16, 0, tzinfo=UTC)
    assert time_hint("昨日", late, "ja").at_from == datetime(2025, 11, 11, tzinfo=UTC)
    assert time_hint("昨日", late.astimezone(JST), "ja").at_from == datetime(2025, 11, 12, tzinfo=JST)


@pytest.mark.parametrize("now", LEAP_AND_ENDS)
@pytest.mark.parametrize("said", ENDS_OF_THE_CALENDAR)
def test_no_day_of_the_calendar_is_beyond_it(said: str, now: datetime) -> None:
    hint = time_hint(said, now, "ja")
    assert hint.at_from is None or hint.at_to is None or hint.at_from < hint.at_to


@pytest.mark.parametrize(
    ("said", "mode", "spread"),
    [
        ("紅茶の話をしたよね", "associative_recent", ("life_stage", "about_year_bucket")),
        ("昨日の紅茶", "targeted_broad", ("life_stage", "about_year_bucket")),
        ("高校の文化祭", "explicit_about_time", ("about_year_bucket",)),
        ("2019年の京都", "explicit_about_time", ("life_stage",)),
    ],
)
def test_what_is_said_of_time_decides_the_mode_and_what_to_spread_over(said: str, mode: str, spread: Any) -> None:
    plan = plan_for(said, NOW, PersonaFocusHint(), "ja")
    assert (plan.mode, plan.diversify.by, plan.queries) == (mode, spread, (said,))


def test_a_plan_has_every_field_the_contract_names() -> None:
    plan = plan_for("高校の文化祭", NOW, PersonaFocusHint(), "ja").model_dump(mode="json")
    assert set(plan) == {"mode", "queries", "time_hint", "diversify", "limits", "persona_focus_hint"}
    assert {"about_year_start", "about_year_end", "life_stage_hint"} <= set(plan["time_hint"])
    assert plan["diversify"]["per_bucket"] == 5
    assert plan["limits"] == {"max_candidates": plans.MAX_CANDIDATES, "max_selected": 12}


def test_both_languages_have_words_for_the_same_times() -> None:
    ja, en = time_words("ja"), time_words("en")
    assert set(ja.patterns) == set(en.patterns)
    assert set(ja.stages) == set(en.stages) == set(LifeStage) - {LifeStage.UNKNOWN}
    for name in ja.entries:
        assert set(ja.entries[name]) == set(en.entries[name])


@pytest.mark.pace
def test_a_plan_is_made_in_no_time() -> None:
    long = "去年の夏に三日前と同じ店で会った高校の友達の話を、昨日もしたよね。" * 20
    assert busy(lambda: [plan_for(long, NOW, PersonaFocusHint(), "ja") for _ in range(10)], within=0.05) < 0.05
