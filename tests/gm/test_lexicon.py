"""The two language packs say the same things: same verbs, same sentences, same blanks to fill in."""

import ast
import inspect
import string
from importlib.resources import files
from types import ModuleType
from typing import Any

import pytest

from hakoniwa.errors import ScenarioError
from hakoniwa.gm import clauses, english, interpret, japanese
from hakoniwa.gm.act import Act, narrate_act, stage_direction
from hakoniwa.messages import tell
from hakoniwa.pack import LANGUAGES, LanguagePack, fold_surface, pack, pack_in, verb_of, word_in
from tests.worlds import lighthouse

JA, EN = pack("ja"), pack("en")
FORMS = {"*", "PUT_IN", "PUT_ON", "HANG_ON", "GET_ALIVE", "PUT_ALIVE", "TOAST_WITH"}


def blanks(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


def test_both_languages_know_the_same_verbs_with_the_same_intent_and_manner() -> None:
    assert JA.verbs == EN.verbs


@pytest.mark.parametrize("section", ["acts", "told", "denied", "phrases"])
def test_both_languages_have_the_same_sentences_with_the_same_blanks(section: str) -> None:
    ja: dict[str, str] = getattr(JA, section)
    en: dict[str, str] = getattr(EN, section)

    assert ja.keys() == en.keys()
    assert {key: blanks(text) for key, text in ja.items()} == {key: blanks(en[key]) for key in ja}


@pytest.mark.parametrize("section", ["words", "claims"])
def test_both_languages_have_the_same_lists(section: str) -> None:
    ja, en = getattr(JA, section), getattr(EN, section)
    if section == "words":
        assert ja.keys() == en.keys()
        assert all(ja.values())
        assert all(en.values())
    else:
        assert [field_of(ja, name) for name in vars(ja)] == [field_of(en, name) for name in vars(en)]


def field_of(claims: Any, name: str) -> Any:
    value = getattr(claims, name)
    return (name, sorted(value)) if isinstance(value, dict) else name


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_verb_has_a_form_and_every_sentence_a_verb(language: str) -> None:
    known = pack(language)

    assert {*known.verbs} == {*known.surfaces.values()}
    assert {*known.acts} - FORMS <= {*known.verbs}
    assert {*known.told} - FORMS - {"ASK", "FOUND"} <= {*known.verbs}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_form_leads_to_its_verb(language: str) -> None:
    known = pack(language)
    for form, verb in known.surfaces.items():
        assert fold_surface(form) == form
        shadowed = {form.upper()} & {*known.verbs}  # an id comes first: (PICK: …) is a lock, "picks" may be an apple
        assert verb_of(form).id in {verb, other(language).surfaces.get(form), *shadowed}


def other(language: str) -> LanguagePack:
    return EN if language == "ja" else JA


@pytest.mark.parametrize(
    ("added", "error", "where"),
    [
        ("JUGGLE: [toss about, juggle]", "lexicon.form-twice", {"form": "juggle", "verb": "JUGGLE", "other": "USE"}),
        ("JUGGLE: [Ｊｕｇｇｌｅ]", "lexicon.form-twice", {"form": "juggle", "verb": "JUGGLE", "other": "USE"}),
        ("JUGGLE: [toss about, toss about]", "lexicon.form-twice", {"verb": "JUGGLE", "other": "JUGGLE"}),
        ("WRAP: [shroud]", "lexicon.key-twice", {"key": "WRAP"}),
        ("HUG: [squeeze tight]", "lexicon.key-twice", {"key": "HUG"}),
        ("JUGGLE: juggle", "lexicon.no-list", {"verb": "JUGGLE"}),
    ],
)
def test_what_stands_twice_in_a_lexicon_is_refused_with_both_places(added: str, error: str, where: Any) -> None:
    lines = files("hakoniwa").joinpath("lexicon", "en.yaml").read_text(encoding="utf-8").splitlines()
    last = next(number for number, line in enumerate(lines, start=1) if line.startswith("      WRAP:"))
    with pytest.raises(ScenarioError) as caught:
        pack_in("\n".join([*lines[:last], f"      {added}", *lines[last:]]), "en.yaml", "en")
    details = caught.value.details
    assert (caught.value.key, details["line"], details | where) == (error, last + 1, details)
    places = [f"en.yaml:{details[name]}" for name in ("line", "first") if name in details]
    assert [one for one in places for language in LANGUAGES if one not in tell(caught.value, language)] == []
    if "first" in details:
        assert details.get("form", details.get("key")) in [*lines[:last], added][details["first"] - 1]


def test_no_form_means_two_verbs() -> None:
    shared = {form: (JA.surfaces[form], EN.surfaces[form]) for form in JA.surfaces if form in EN.surfaces}

    assert {form: verbs for form, verbs in shared.items() if verbs[0] != verbs[1]} == {}


@pytest.mark.parametrize(
    ("written", "verb", "intent"),
    [
        ("GET", "GET", "GET"), ("get", "GET", "GET"), ("pick up", "GET", "GET"), ("手に取る", "GET", "GET"),
        ("ＧＥＴ", "GET", "GET"), (" 取る ", "GET", "GET"), ("飲む", "DRINK", "EAT_DRINK"), ("渡す", "GIVE", "PUT"),
        ("開ける", "OPEN", "USE"), ("unlock", "UNLOCK", "USE"), ("行く", "MOVE", "MOVE"), ("まわす", "まわす", "USE"),
    ],
)  # fmt: skip
def test_a_verb_is_known_by_any_of_its_forms(written: str, verb: str, intent: str) -> None:
    assert (verb_of(written).id, verb_of(written).intent) == (verb, intent)


@pytest.mark.parametrize("reader", [clauses, english, interpret, japanese], ids=lambda one: one.__name__)
def test_which_verbs_behave_alike_stands_in_the_frame_table_alone(reader: ModuleType) -> None:
    nodes = ast.walk(ast.parse(inspect.getsource(reader)))
    listed = [one for one in nodes if isinstance(one, ast.Tuple | ast.Set | ast.List)]
    words = [{item.value for item in one.elts if isinstance(item, ast.Constant)} for one in listed]

    assert [sorted(one & EN.verbs.keys()) for one in words if len(one & EN.verbs.keys()) > 1] == []


@pytest.mark.parametrize("reader", [english, interpret], ids=lambda one: one.__name__)
def test_no_verb_is_asked_for_by_its_id(reader: ModuleType) -> None:
    compared = [one for one in ast.walk(ast.parse(inspect.getsource(reader))) if isinstance(one, ast.Compare)]
    sides = [side for one in compared for side in (one.left, *one.comparators)]

    assert [side.value for side in sides if isinstance(side, ast.Constant) and side.value in EN.verbs] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_verb_can_be_told(language: str) -> None:
    world = lighthouse(language)
    who, what, place = ("汐里", "手帳", "卓") if language == "ja" else ("Maren", "notebook", "table")
    for verb in pack(language).verbs.values():
        sentences = [
            stage_direction(world, Act(verb, what, place), language),
            narrate_act(world, who, Act(verb, what, place)),
        ]
        assert not any("{" in one for one in sentences)
        assert who in sentences[1]


@pytest.mark.parametrize(
    ("words", "written", "belongs"),
    [
        ("pronouns", "それ", True), ("pronouns", "IT", True), ("vague", "何か", True), ("vague", "something", True),
        ("ambient", "床", True), ("ambient", "the floor", False), ("ambient", "花瓶", False), ("ambient", "窓", False),
    ],
)  # fmt: skip
def test_closed_lists_hold_words_of_both_languages(words: str, written: str, belongs: bool) -> None:
    assert word_in(words, written) is belongs
