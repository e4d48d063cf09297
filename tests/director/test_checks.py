"""The checks: for each a table of lines that pass and lines that do not, in both languages."""

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from hakoniwa.app import scenario_at, sheets_of
from hakoniwa.director.check import CheckInput, checks, words
from hakoniwa.director.evaluate import run_checks
from hakoniwa.messages import LANGUAGES
from hakoniwa.stage.scenario import shipped_scenarios
from hakoniwa.turn import Finding, ParsedOutput, Status
from tests.director.lines import line_of, sheet
from tests.pace import busy

RETRY, WARN, MODIFY = Status.RETRY, Status.WARN, Status.MODIFY
FORBIDDEN = ["だよ", "ます", "っす", "マジ", "OK", "！"]
AYU = sheet(first_person="私", forbidden=FORBIDDEN, address={"やな": "姉様", "あゆ": "あゆ"})
ANN = sheet(first_person="I", forbidden=["okay", "you guys", "!"], address={"Theo": "my dear"})
LONG = "なるほど、それはとても長い話になりそうだね。"


def look(name: str, line: CheckInput) -> tuple[Status, str] | None:
    found = checks[name].look(line)
    return (found.status, found.rule) if found else None


# --- every check ---------------------------------------------------------------------------------------------------


def rules_of(name: str) -> set[str]:
    """Every rule that stands in the file of a check, as in `rule="length.long"`."""
    tree = ast.parse(inspect.getsource(inspect.getmodule(type(checks[name]))))  # type: ignore[arg-type]
    values = [node.value for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "rule"]
    return {one.value for value in values for one in ast.walk(value) if isinstance(one, ast.Constant)}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", list(checks))
def test_every_rule_of_a_check_has_its_sentences(name: str, language: str) -> None:
    known = {"reasons": words(language).reasons, "suggestions": words(language).suggestions}
    missing = [(part, rule) for part, sentences in known.items() for rule in rules_of(name) if rule not in sentences]
    told = [f"lexicon/director.{language}.yaml has no {rule!r} under {part!r}" for part, rule in missing]
    assert not told, f"the check {name!r} needs a sentence for each rule: {'; '.join(sorted(told))}"
    blanks = {
        blank for part in known.values() for rule in rules_of(name) for blank in re.findall(r"{(.*?)}", part[rule])
    }
    assert blanks <= {"form", "other"}, f"a sentence of {name!r} may hold {{form}} and {{other}} only"


@pytest.mark.parametrize(
    "text", ["", "「うん」", "（笑う）", f"「{LONG * 30}」", '"Oh!!" *waves* (GET: cup', "你好" * 300]
)
@pytest.mark.parametrize("name", list(checks))
def test_a_check_looks_at_any_line_and_faults_it_by_a_rule_of_its_own(name: str, text: str) -> None:
    for language in LANGUAGES:
        found = checks[name].look(line_of(text, AYU, language, said=[text], company=["やな"]))
        assert found is None or (found.check == name and found.rule in rules_of(name) and found.status != Status.PASS)


def test_a_rule_without_a_sentence_is_told_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = Finding(check="length", status=RETRY, rule="length.unworded")
    monkeypatch.setattr(type(checks["length"]), "look", lambda *_: fault)
    found = run_checks(line_of("「うん」"))
    assert (found.reason, found.suggestion, found.next_instruction) == ("length.unworded",) * 3


# --- one by one ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("（笑う）「うん」", "ja", None),
        ("「うん」", "ja", None),
        ("（笑う）", "ja", None),
        ("(INSPECT: 窓)", "ja", None),
        ('(nods) "Yes."', "en", None),
        ("", "ja", (RETRY, "format.empty")),
        ("   ", "en", (RETRY, "format.empty")),
        ("<think>どうしよう</think>", "ja", (RETRY, "format.empty")),
        ("「うん", "ja", (WARN, "format.broken")),
        ("あゆ: 「うん」\nやな: 「うん」", "ja", (RETRY, "format.script")),
        ("「*うん*」", "ja", (MODIFY, "format.asterisk")),
        ("「あゆ: うん、そうする」", "ja", (RETRY, "format.script")),
        ("「やな：うん」", "ja", (RETRY, "format.script")),
        ("(GET: マグカップ) あゆ「うん」", "ja", (RETRY, "format.script")),
        ("「あゆ、聞いて: うん」", "ja", None),
    ],
)
def test_format(text: str, language: str, expected: tuple[Status, str] | None) -> None:
    assert look("format", line_of(text, language=language)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("「そうですね」", None),
        ("「行くんだよ」", "だよ"),
        ("「行きます」", "ます"),
        ("「耳を澄ますと、ますます静かです」", None),
        ("「目を覚ますのはいつですか」", None),
        ("「行くっす」", "っす"),
        ("「まっすぐ行きましょう」", None),
        ("「マジですか」", "マジ"),
        ("「マジックですか」", None),
        ("「OKです」", "OK"),
        ("「BOOKですか」", None),
        ("「ええ！」", "！"),
        ("（「だよ」と書いてある）「はい」", None),
    ],
)
def test_tone_knows_the_forms_a_sheet_forbids(text: str, expected: str | None) -> None:
    found = checks["tone"].look(line_of(text, AYU))
    wanted = Finding(check="tone", status=RETRY, rule="tone.forbidden", form=expected) if expected else None
    assert found == wanted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"That is fine."', None),
        ('"Okay, then."', "okay"),
        ('"Look, you guys."', "you guys"),
        ('"Tokay is a wine."', None),
        ('"No!"', "!"),
    ],
)
def test_tone_in_english(text: str, expected: str | None) -> None:
    found = checks["tone"].look(line_of(text, ANN, "en"))
    assert (found.form if found else None) == expected


@pytest.mark.parametrize(
    ("own", "text", "expected"),
    [
        ("私", "「私は行きません」", None),
        ("私", "「わたしは行きません」", None),
        ("私", "「俺は行かない」", "俺"),
        ("私", "「ねえ、あたしも行く」", "あたし"),
        ("私", "「……僕が？」", "僕"),
        ("俺", "「私が行こう」", "私"),
        ("俺", "「オレが行こう」", None),
        ("わし", "「拙者の出番か」", "拙者"),
        ("あっし", "「俺のもんだ」", "俺"),
        ("俺", "「自分の影が怖いのか」", None),
        ("俺", "「うちの備品だ」", None),
        ("私", "「我が家ほどでは」", None),
        ("私", "「俺という字です」", None),
        ("私", "「彼は俺だ」", None),
        ("", "「俺は行く」", None),
        ("拙僧", "「俺は行く」", "俺"),
    ],
)
def test_tone_knows_the_right_first_person(own: str, text: str, expected: str | None) -> None:
    found = checks["tone"].look(line_of(text, sheet(first_person=own)))
    wanted = Finding(check="tone", status=RETRY, rule="tone.first_person", form=expected) if expected else None
    assert found == wanted


def test_english_has_one_first_person() -> None:
    assert look("tone", line_of('"I am here. My, my."', sheet(first_person="I"), "en")) is None


@pytest.mark.parametrize(
    ("text", "company", "wrong"),
    [
        ("「姉様、おはようございます」", ["やな"], False),
        ("「やな、おはようございます」", ["やな"], True),
        ("「おはようございます、やなさん」", ["やな"], True),
        ("「やなは来ないのですか」", ["やな"], True),
        ("「姉様はやなという名です」", ["やな"], False),
        ("「いやな予感がします」", ["やな"], False),
        ("「やなぎの下です」", ["やな"], False),
        ("「やな、おはようございます」", ["別人"], False),
        ("「あゆは元気です」", ["やな", "あゆ"], False),
    ],
)
def test_addressing(text: str, company: list[str], wrong: bool) -> None:
    found = checks["addressing"].look(line_of(text, AYU, company=company))
    expected = Finding(check="addressing", status=RETRY, rule="addressing.wrong", form="姉様", other="やな")
    assert found == (expected if wrong else None)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('"Come here, my dear."', False),
        ('"Come here, Theo."', True),
        ('"Theo, come here."', True),
        ('"Theology, my dear."', False),
        ('"I met Theo once."', False),
    ],
)
def test_addressing_in_english(text: str, wrong: bool) -> None:
    assert (look("addressing", line_of(text, ANN, "en")) is not None) == wrong


def test_a_form_that_is_part_of_the_name_cannot_be_missed() -> None:
    assert look("addressing", line_of("「早川、行くぞ」", sheet(address={"早川": "早"}), company=["早川"])) is None


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("「写真を見て会社に行った。看板は没。」", "ja", None),
        ("「OK、次はJetRacerのテストだね」", "ja", None),
        ("（沉默）", "ja", None),
        ("「你好」", "ja", "language.foreign"),
        ("「这是什么？」", "ja", "language.foreign"),
        ("「それは괜찮아だね」", "ja", "language.foreign"),
        ("「Ohayou gozaimasu, nee-sama desu」", "ja", "language.romaji"),
        ("「Sou desu ne」", "ja", None),
        ('"Good morning."', "en", None),
        ('"She said いいえ, and that was that, in the end."', "en", None),
        ('"おはよう, Theo."', "en", "language.foreign"),
        ('"안녕 means hello, my dear friend, you know."', "en", "language.foreign"),
    ],
)
def test_language(text: str, language: str, expected: str | None) -> None:
    found = look("language", line_of(text, language=language))
    assert found == ((RETRY, expected) if expected else None)


def test_no_letter_of_japanese_is_foreign() -> None:
    def japanese(letter: str) -> bool:
        try:
            return bool(letter.encode("cp932"))
        except UnicodeEncodeError:
            return False

    assert [letter for letter in sorted(words("ja").foreign) if japanese(letter)] == []


@pytest.mark.parametrize(
    ("length", "language", "expected"),
    [
        (160, "ja", None), (161, "ja", (WARN, "length.long")), (400, "ja", (WARN, "length.long")),
        (401, "ja", (RETRY, "length.long")), (320, "en", None), (322, "en", (WARN, "length.long")),
        (800, "en", (WARN, "length.long")), (802, "en", (RETRY, "length.long")),
    ],
)  # fmt: skip
def test_length(length: int, language: str, expected: tuple[Status, str] | None) -> None:
    text = f"「{'あ' * length}」" if language == "ja" else f'"{"a" * length}"'
    assert look("length", line_of(text, language=language)) == expected


@pytest.mark.parametrize(
    ("text", "said", "expected"),
    [
        (f"「{LONG}」", [], None),
        (f"「{LONG}」", [LONG], (RETRY, "repetition.same")),
        (f"「{LONG}」", [LONG, *map(str, range(7))], (RETRY, "repetition.same")),
        (f"「{LONG}」", [LONG, *map(str, range(8))], None),
        (f"「{LONG}」", [LONG.replace("とても", "すごく")], None),
        (f"「{LONG}」", [LONG.replace("。", "！")], (RETRY, "repetition.same")),
        (f"「{LONG}」", [LONG.replace("。", "！"), *map(str, range(8))], None),
        ("「うん」", ["うん"], None),
        ("「そうそう」", ["そうそう"], (RETRY, "repetition.same")),
        ("「ねえ聞いてる？ねえ聞いてる？ねえ聞いてる？ねえ聞いてる？」", [], (RETRY, "repetition.loop")),
        ("「ねえ聞いてる？ねえ聞いてる？ねえ聞いてる？」", [], None),
        ("「はははははははははははは」", [], None),
        ("「うむうむうむうむうむうむ」", [], (RETRY, "repetition.loop")),
        (f"「うん。{LONG}」", [LONG], (RETRY, "repetition.same")),
    ],
)
def test_repetition(text: str, said: list[str], expected: tuple[Status, str] | None) -> None:
    assert look("repetition", line_of(text, said=said)) == expected


def test_what_another_has_just_said_is_a_repetition_too() -> None:
    assert look("repetition", replace(line_of(f"「{LONG}」"), heard=[LONG])) == (RETRY, "repetition.same")


TOLD = "やながいまあゆに言う台詞を、直前のやりとりに続けて短く書いてください。"


@pytest.mark.parametrize(
    ("text", "told", "expected"),
    [
        ("「台詞」", TOLD, (RETRY, "echo.told")),
        ("（しぐさ）「おはよう」", TOLD, (RETRY, "echo.told")),
        ("「はい、直前のやりとりに続けて短く書いてください」", TOLD, (RETRY, "echo.told")),
        ("「続けて短く書いて」", TOLD, None),
        ("「台詞を忘れたよ」", TOLD, None),
        ("「台詞」", "", None),  # nobody was told anything
    ],
)
def test_what_an_actor_is_told_is_no_line(text: str, told: str, expected: tuple[Status, str] | None) -> None:
    assert look("echo", replace(line_of(text), told=told)) == expected


@pytest.mark.pace
@pytest.mark.parametrize("unit", ["あ", "あい", "いあう", "あいうえおかきくけこ"])
def test_a_stuck_model_holds_nobody_up(unit: str) -> None:
    text = unit * (1000 // len(unit))
    line = line_of(f"「{text}」", AYU, said=[text[1:] + "う", text[2:] + "え", "え" + text[3:]])
    assert busy(lambda: run_checks(line), 0.5) < 0.5


# --- together ------------------------------------------------------------------------------------------------------


def test_the_strictest_fault_comes_first_and_all_are_named() -> None:
    found = run_checks(line_of(f"「{LONG * 8}やな、だよ」", AYU))
    assert found.status == RETRY
    assert found.checks_failed == ("length", "repetition", "tone")
    assert found.checks_passed == tuple(name for name in checks if name not in found.checks_failed)
    assert [one.rule for one in found.findings] == ["repetition.loop", "tone.forbidden", "length.long"]
    assert found.reason == "同じ言葉が続いている; 「だよ」を使っている; 長すぎる"
    assert (found.suggestion, found.next_instruction) == ("繰り返しをやめる", "繰り返しをやめる")
    assert found.action == "INTERVENE"


def test_a_good_line_passes_every_check() -> None:
    found = run_checks(line_of("（微笑む）「姉様、おはようございます」", sheet(first_person="私")))
    assert (found.status, found.action, found.reason, found.findings) == (Status.PASS, "NOOP", "", ())
    assert found.checks_passed == tuple(checks)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_has_its_words(language: str) -> None:
    assert sorted(words(language).reasons) == sorted(words(language).suggestions) == sorted(words("ja").reasons)


def texts(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield re.sub(r"\{[^}]*\}", "○", node)
    elif isinstance(node, dict | list):
        for one in node.values() if isinstance(node, dict) else node:
            yield from texts(one)


@pytest.mark.parametrize("name", shipped_scenarios())
def test_nobody_is_faulted_for_speaking_like_themselves(name: str) -> None:
    scenario, beside = scenario_at(name)
    sheets = sheets_of(scenario, beside)
    faulted = []
    for who, character in sheets.items():
        book = character.phrasebook.model_dump(mode="json")
        topics = [topic[part] for topic in book.pop("topics").values() for part in ("ask", "reply") if part in topic]
        for text in texts([book, topics, list(character.examples)]):
            others = [other for other in sheets if other != who]
            line = CheckInput(who, character, text, ParsedOutput(speech=text), scenario.language, others)
            found = run_checks(line).findings
            faulted += [(who, text, one.rule) for one in found if one.check not in ("format", "length")]
    assert faulted == []
