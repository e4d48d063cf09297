"""Settings of autonomy: what is off unless it is asked for, what makes no sense, and what is never shown."""

from datetime import time
from pathlib import Path
from typing import Any

import pytest

from hakoniwa.autonomy.policy import QuietHours
from hakoniwa.capabilities.means import Command, ToolServer
from hakoniwa.cli.complaint import error_in_words
from hakoniwa.errors import UsageError
from hakoniwa.messages import LANGUAGES
from hakoniwa.settings import PREFIX, Settings, config_file, list_settings, load

AGENT = '[delegate.agent]\nargv = ["/opt/agent"]\n'
FINDER = '[servers.finder]\ncommand = ["finder"]\ntools = ["search"]\n'
SECRETS = """
search_url = "https://search.test/q?key=canary-1"
[delegate.agent]
argv = ["agent", "--print"]
environment = {AGENT_KEY = "canary-2"}
[servers.there]
url = "https://tools.test/mcp?key=canary-3"
tools = ["t"]
headers = {Authorization = "Bearer canary-4"}
[servers.here]
command = ["tools"]
tools = ["t"]
environment = {TOOL_KEY = "canary-5"}
"""


def written(text: str) -> Settings:
    """The settings with this configuration file."""
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text(text, encoding="utf-8")
    return load({})[0]


def test_nothing_reaches_outside_by_default() -> None:
    settings, _ = load({})
    assert (settings.delegate, settings.servers, settings.search_url, settings.search_tool) == ({}, {}, "", "")


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("heartbeat_minutes", "0.5", 0.5),
        ("quiet_hours", "01:30-05:45", "01:30-05:45"),
        ("actions_per_day", "0", 0),
        ("messages_per_day", "3", 3),
        ("again_after_hours", "0", 0.0),
        ("calm_minutes", "12.5", 12.5),
        ("speak", "on_material", "on_material"),
        ("search_url", "http://127.0.0.1:8888/search", "http://127.0.0.1:8888/search"),
    ],
)
def test_a_flat_one_comes_from_flag_and_environment(
    name: str, given: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert getattr(load({name: given})[0], name) == value
    monkeypatch.setenv(PREFIX + name.upper(), given)
    settings, origins = load({})
    assert (getattr(settings, name), origins[name]) == (value, "environment")


def test_tables_come_from_the_file_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HAKONIWA_DELEGATE", '{"x": {"argv": ["/bin/sh"]}}')
    settings = written(
        'search_tool = "finder/search"\n[delegate.agent]\nargv = ["~/bin/agent", "~"]\ndashes = false\n'
        'readable = ["~/notes", "/srv"]\nunconfined = true\n[delegate."名前"]\nargv = ["agent"]\n' + FINDER
    )
    notes = tmp_path / "notes"
    agent = Command(argv=(f"{tmp_path}/bin/agent", "~"), dashes=False, readable=(notes, Path("/srv")), unconfined=True)
    assert settings.delegate == {"agent": agent, "名前": Command(argv=("agent",))}
    assert settings.servers == {"finder": ToolServer(tools=("search",), command=("finder",))}
    assert list(settings.delegate) == ["agent", "名前"]


@pytest.mark.parametrize(
    ("text", "quiet"),
    [
        ("23:00-07:00", QuietHours(start=time(23), end=time(7))),
        ("00:00-23:59", QuietHours(start=time(0), end=time(23, 59))),
        ("", None),
    ],
)
def test_quiet_hours_have_a_beginning_and_an_end(text: str, quiet: QuietHours | None) -> None:
    assert written(f'quiet_hours = "{text}"').quiet == quiet


BAD = [
    ("heartbeat_minutes = 0", "heartbeat_minutes", "0", "0 より大きくしてください"),
    ("heartbeat_minutes = nan", "heartbeat_minutes", "nan", "10080 以下にしてください"),
    ("heartbeat_minutes = inf", "heartbeat_minutes", "inf", "10080 以下にしてください"),
    ("calm_minutes = -1", "calm_minutes", "-1", "0 以上にしてください"),
    ("again_after_hours = -0.5", "again_after_hours", "-0.5", "0 以上にしてください"),
    ("actions_per_day = -1", "actions_per_day", "-1", "0 以上にしてください"),
    ("messages_per_day = 1.5", "messages_per_day", "1.5", "整数を書いてください"),
    ('speak = "loud"', "speak", "'loud'", "使えるのは 'decided', 'on_material', 'on_error' or 'never' です"),
    ('quiet_hours = "23-7"', "quiet_hours", "'23-7'", "23:00-07:00 のように書いてください"),
    ('quiet_hours = "24:00-07:00"', "quiet_hours", "'24:00-07:00'", "のように書いてください"),
    ('quiet_hours = "２３:00-07:00"', "quiet_hours", "'２３:00-07:00'", "のように書いてください"),
    ('quiet_hours = "07:00-07:00"', "quiet_hours", "'07:00-07:00'", "始まりと終わりを別の時刻に"),
    ('search_url = "ftp://x"', "search_url", "'ftp://x'", "に合う形で書いてください"),
    ('search_url = "http://me:word@x/"', "search_url", "'http://***@x/'", "に合う形で書いてください"),
    ('search_tool = "finder/search"', "search_tool", "'finder/search'", "[servers] にあるツール"),
    (f'search_tool = "finder/other"\n{FINDER}', "search_tool", "'finder/other'", "[servers] にあるツール"),
    ('delegate = "sh"', "delegate", "'sh'", "「見出し：値」の組"),
    ('delegate.agent = "sh"', "delegate.agent", "'sh'", "「見出し：値」の組"),
    ('[delegate."a b"]\nargv = ["x"]', "delegate", "'a b'", "に合う形で書いてください"),
    ("[delegate.agent]\nargv = []", "delegate.agent.argv", "[]", "空にはできません"),
    ('[delegate.agent]\nargv = [""]', "delegate.agent.argv", "['']", "プログラムは、/ から始まるパスか"),
    ('[delegate.agent]\nargv = ["./x"]', "delegate.agent.argv", "['./x']", "プログラムは、/ から始まるパスか"),
    ('[delegate.agent]\nargv = ["bin/x"]', "delegate.agent.argv", "['bin/x']", "プログラムは、/ から始まるパスか"),
    ('[delegate.agent]\nargv = ["/x", 1]', "delegate.agent.argv.1", "1", "文字列を書いてください"),
    (f'{AGENT}readable = ["notes"]', "delegate.agent.readable", "['notes']", "パスは / か ~/ から"),
    (f'{AGENT}writable = ["../x"]', "delegate.agent.writable", "['../x']", "パスは / か ~/ から"),
    (f'{AGENT}unconfined = "maybe"', "delegate.agent.unconfined", "'maybe'", "true か false"),
    ('[servers.x]\ntools = ["t"]', "servers.x", "{'tools': ['t']}", "command と url のどちらか一方"),
    (f'{FINDER}url = "http://x/"', "servers.finder", "{'command'", "command と url のどちらか一方"),
    (f"{FINDER}seconds = 0", "servers.finder.seconds", "0", "0 より大きくしてください"),
    ('[servers.x]\ncommand = ["x"]\ntools = []', "servers.x.tools", "[]", "空にはできません"),
    ('[servers.x]\nurl = "x.test"\ntools = ["t"]', "servers.x.url", "'x.test'", "に合う形で書いてください"),
]


@pytest.mark.parametrize(("text", "name", "found", "problem"), BAD, ids=[one[0].splitlines()[-1] for one in BAD])
def test_what_makes_no_sense_is_told_with_its_place(text: str, name: str, found: str, problem: str) -> None:
    with pytest.raises(UsageError) as caught:
        written(text)
    told = error_in_words(caught.value, "ja")
    assert told.startswith(f"設定 {name} の値 {found}")
    assert problem in told
    assert "（設定ファイル）" in told


@pytest.mark.parametrize(
    ("text", "key", "details"),
    [
        (
            f"{AGENT}argvs = []",
            "settings.unknown",
            {"name": "delegate.agent.argvs", "origin": "file", "nearest": "delegate.agent.argv"},
        ),
        (
            f'{FINDER}header = {{Authorization = "canary"}}',
            "settings.unknown",
            {"name": "servers.finder.header", "origin": "file", "nearest": "servers.finder.headers"},
        ),
        ("[delegate.agent]\ndashes = true", "settings.missing", {"name": "delegate.agent.argv", "origin": "file"}),
        ("[delegates.agent]", "settings.unknown", {"name": "delegates", "origin": "file", "nearest": "delegate"}),
    ],
)
def test_what_is_missing_or_unknown_is_named(text: str, key: str, details: dict[str, str]) -> None:
    with pytest.raises(UsageError) as caught:
        written(text)
    assert (caught.value.key, caught.value.details) == (key, details)
    assert all(error_in_words(caught.value, lang) for lang in LANGUAGES)


def test_what_is_secret_is_not_shown() -> None:
    settings = written(SECRETS)
    values = {one.name: one.value for one in list_settings(*load({}))}
    assert values["search_url"] == "https://search.test/q?***"
    assert values["delegate"] == '{"agent": {"argv": ["agent", "--print"], "environment": {"AGENT_KEY": "***"}}}'
    assert '"url": "https://tools.test/mcp?***"' in values["servers"]
    assert '"headers": {"Authorization": "***"}' in values["servers"]
    assert "canary" not in str(values) + repr(settings) + repr(settings.delegate) + repr(settings.servers)
    assert settings.servers["there"].headers == {"Authorization": "Bearer canary-4"}


def test_addresses_are_shown_without_passwords_wherever_they_are() -> None:
    address = "https://me:a/canary@test/x?key=canary"
    written(f'base_url = "{address}"\njournal = "{address}"\n[delegate.agent]\nargv = ["agent", "--at={address}"]')
    settings, origins = load({})
    values = {one.name: one.value for one in list_settings(settings, origins)}
    assert values["base_url"] == values["journal"] == "https://***@test/x?***"
    assert values["delegate"] == '{"agent": {"argv": ["agent", "--at=https://***@test/x?***"]}}'
    assert "canary" not in str(values) + repr(settings)


@pytest.mark.parametrize(
    "text",
    [
        f"{AGENT}environment = 'canary'",
        f"{AGENT}environment = ['canary']",
        f"{AGENT}environment = {{KEY = ['canary']}}",
        f"{AGENT}environment = {{'canary=1' = 'x'}}",
        f"{AGENT}environment = {{KEY = 'canary', 'a b' = 'x'}}",
        f"{FINDER}url = 'http://x/'\nheaders = {{Authorization = 'canary'}}",
        f"{FINDER}url = 'http://x/?canary'",
        f"{FINDER}headers = {{Authorization = 'canary\\u0000\\n'}}".replace("'", '"'),
        f"{FINDER}headers = {{Authorization = 'カナリヤ canary'}}",
        "[[delegate.agent]]\nenvironment = {KEY = 'canary'}",
        "[[servers]]\nheaders = {KEY = 'canary'}",
        "api_key = 'canary\\u0007'".replace("'", '"'),
        "token = ['canary']",
    ],
)
def test_no_complaint_gives_a_secret_away(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        written(text)
    assert "canary" not in str(caught.value) + error_in_words(caught.value, "ja") + error_in_words(caught.value, "en")


def test_sampling_is_a_table_with_a_preset() -> None:
    settings = written('[sampling]\npreset = "gemma"\nseed = 7\n')
    sampling = settings.sampling
    assert (sampling.preset, sampling.of("x").temperature, sampling.seed) == ("gemma", 1.0, 7)
    (shown,) = [one for one in list_settings(settings, load({})[1]) if one.name == "sampling"]
    assert (shown.value, shown.origin) == ('{"preset": "gemma", "seed": 7}', "file")


@pytest.mark.parametrize(
    ("line", "name"), [("temprature = 1", "sampling.temperature"), ("temperature = 9", "sampling.temperature")]
)
def test_a_bad_value_of_sampling_is_named(line: str, name: str) -> None:
    with pytest.raises(UsageError) as refused:
        written(f"[sampling]\n{line}\n")
    for lang in LANGUAGES:
        assert name in error_in_words(refused.value, lang)
