"""Who somebody is: what their sheet says of their clothes."""

import pytest

from hakoniwa.actor.character import Character, with_clothes
from hakoniwa.stage.scenario import Scenario


@pytest.mark.parametrize(
    ("version", "persona", "status"),
    [
        ("0.1", "眼鏡の奥で笑う姉。", ("眠い", "眼鏡")),
        ("0.1", "よく笑う姉。", ("眠い",)),
        ("0.2", "眼鏡の奥で笑う姉。", ("眠い",)),
    ],
)
def test_where_a_world_has_no_clothes_the_sheet_says_what_is_worn(
    version: str, persona: str, status: tuple[str, ...]
) -> None:
    people = {"やな": {"location": "居間", "status": ["眠い"]}, "あゆ": {"location": "居間"}}
    world = {"version": version, "location": {"current": "居間"}, "characters": people}
    cast = {"やな": {"sheet": "yana"}}
    scenario = Scenario.model_validate({"id": "s", "title": "居間", "world": world, "cast": cast})
    sheet = Character(display_name="やな", persona=persona)

    figures = with_clothes(scenario, {"やな": sheet}).world.characters

    assert (figures["やな"].status, figures["あゆ"].status) == (status, ())
