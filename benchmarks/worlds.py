"""Worlds to measure with."""

from typing import Any


def kitchen(props: int) -> dict[str, Any]:
    """A kitchen with a given number of things in it and the next room."""
    named = ["マグカップ", "コーヒーメーカー", "冷蔵庫", "テーブル", "新聞"]
    more = [f"小物{number}" for number in range(props - len(named))]
    places = {name: "キッチン" if place % 3 else "居間" for place, name in enumerate(more, start=1)}
    return {
        "version": "0.2",
        "location": {"current": "キッチン"},
        "locations": {"キッチン": {"exits": {"居間": {}}}, "居間": {"exits": {"キッチン": {}}}},
        "characters": {"やな": {"location": "キッチン"}, "あゆ": {"location": "キッチン"}},
        "props": {name: {"location": places.get(name, "キッチン")} for name in [*named, *more]},
    }


WORLD_20 = kitchen(20)
