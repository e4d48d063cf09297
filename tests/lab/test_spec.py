"""Spec files: what they come to, and what is said of those that are wrong."""

from pathlib import Path

import pytest

from hakoniwa.errors import HakoniwaError
from hakoniwa.lab.results import Arm, Spec, Variant
from hakoniwa.lab.spec import keys_of, read_plan
from hakoniwa.messages import tell


def written(folder: Path, text: str) -> Path:
    path = folder / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def spec(folder: Path, text: str) -> Spec:
    return read_plan(written(folder, text)).spec


def test_a_name_and_a_model_are_enough(tmp_path: Path) -> None:
    found = spec(tmp_path, "name: full\nmodels: [builtin, clumsy]\n")
    assert found.scenarios == ("kitchen_morning", "violation_induced", "stall_induced")
    assert (len(found.seeds), found.arms, found.turns) == (20, tuple(Arm), None)
    assert len(keys_of(found)) == 3 * 20 * 4 * 2


@pytest.mark.parametrize(
    ("profile", "arms", "seeds", "turns"),
    [("dev", (Arm.D,), 1, 15), ("gate", (Arm.B, Arm.D), 5, None), ("full", tuple(Arm), 20, None)],
)
def test_a_profile_says_how_much_is_played(
    tmp_path: Path, profile: str, arms: tuple[Arm, ...], seeds: int, turns: int | None
) -> None:
    found = spec(tmp_path, f"name: x\nprofile: {profile}\nmodels: [clumsy]\n")
    assert (found.arms, len(found.seeds), found.turns) == (arms, seeds, turns)


def test_a_profile_on_the_command_line_goes_before_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "name: x\nseeds: [4, 5]\narms: [A]\nmodels: [clumsy]\n")
    assert (read_plan(path).spec.seeds, read_plan(path, "dev").spec.seeds) == ((4, 5), (1,))


def test_further_factors_are_crossed_but_not_for_a_mind_that_has_no_prompt(tmp_path: Path) -> None:
    text = "name: x\nseeds: 1\narms: [D]\nscenarios: [hermit]\nmodels: [builtin, clumsy]\n"
    found = spec(tmp_path, text + 'factors: {acts: [free, choose], sanitizer: ["off", "on"]}\n')
    by_model = {one: [key.variant for key in keys_of(found) if key.model == one] for one in ("builtin", "clumsy")}
    assert len(by_model["clumsy"]) == 4
    assert by_model["builtin"] == [Variant(), Variant(sanitizer="on")]
    assert len({key.id for key in keys_of(found)}) == 6


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "name: x\nmodels: [clumsy]\nsceanrios: [hermit]\n",
            "spec.yaml:3 there is no key sceanrios. Did you mean: scenarios",
        ),
        ("models: [clumsy]\n", "spec.yaml:1 name is missing."),
        ("name: x\nmodels: [clumsy]\narms: [E]\n", "spec.yaml:3 the value of arms.0, 'E', is not right"),
        ("name: x\nmodels: [clumsy]\narms: [A, A]\n", "'A' stands twice"),
        ("name: x\nmodels: [clumsyy]\n", "spec.yaml:2 the value of models.0"),
        ("name: x\nmodels: [{kind: foo}]\n", "spec.yaml:2 the value of models.0.kind, 'foo'"),
        ("name: x\nmodels: [clumsy]\nseeds: 0\n", "spec.yaml:3 the value of seeds"),
        ("name: x\nmodels: [clumsy]\nfactors: {sanitizer: [off]}\n", 'Put it in quotes: "off"'),
        ("name: x\nmodels: [clumsy]\nscenarios: [nowhere]\n", 'There is no scenario "nowhere".'),
        ("name: x\nmodels: [{kind: recorded}]\n", "A recorded model needs its cassette"),
        ("name: x\nmodels: [{kind: recorded, cassette: no.yaml}]\n", "There is no such file"),
        ("name: x\nmodels: [clumsy, clumsy]\n", "Some models have the same name: clumsy."),
        ("name: ../x\nmodels: [clumsy]\n", "the value of name"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(HakoniwaError) as caught:
        spec(tmp_path, text)
    assert said in tell(caught.value, "en")
    assert tell(caught.value, "ja") != tell(caught.value, "en")


def test_a_scenario_of_ones_own_lies_beside_the_spec(tmp_path: Path) -> None:
    shipped = Path(str(__import__("hakoniwa").__path__[0])) / "scenarios" / "hermit.yaml"
    mine = shipped.read_text(encoding="utf-8").replace("id: hermit", "id: mine")
    (tmp_path / "mine.yaml").write_text(mine, encoding="utf-8")
    assert spec(tmp_path, "name: x\nmodels: [clumsy]\nscenarios: [mine.yaml, hermit]\n").scenarios == ("mine", "hermit")


def test_what_others_may_see_of_a_model_is_neither_a_path_nor_a_password(tmp_path: Path) -> None:
    model = "{kind: server, name: m, base_url: http://me:pw@gpu.example/v1?key=secret}"
    found = spec(tmp_path, f"name: x\nmodels: [{model}]\ncritic: {model}\n")
    shown = found.anywhere().model_dump_json()
    assert "gpu.example" in shown
    assert "pw" not in shown
    assert "secret" not in shown
    assert "secret" in found.model_dump_json()  # which is what it is resumed with
