"""Everything that runs with Hakoniwa may be passed on with it, and its licences are listed."""

import pytest

from tests.trust.licences import PAGE, UNKNOWN, allowed, packages, page, parts_of_the_page


def test_every_licence_is_one_that_is_allowed() -> None:
    found = [*packages(), *parts_of_the_page()]
    assert [(one.name, one.terms) for one in found if not allowed(one.name, one.terms)] == []


def test_the_list_names_every_package_in_its_version() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "make audit writes it anew"


@pytest.mark.parametrize(
    ("terms", "verdict"),
    [
        ("MIT", True),
        ("BSD-3-Clause AND 0BSD AND MIT", True),
        ("GPL-3.0-only OR Apache-2.0", True),
        ("(MIT OR CC0-1.0)", True),
        ("GPL-3.0-or-later", False),
        ("MIT AND AGPL-3.0-only", False),
        ("LGPL-3.0-only", False),
        ("Copyright 2023 Somebody", False),
        (UNKNOWN, False),
    ],
)
def test_one_alternative_has_to_be_allowed_whole(terms: str, verdict: bool) -> None:
    assert allowed("some-package", terms) is verdict
