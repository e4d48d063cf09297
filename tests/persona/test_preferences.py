"""Preferences: only what the user stated is confirmed, and what is confirmed revokes its opposite."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hakoniwa.persona.generated import Generated, unseal
from hakoniwa.persona.preferences import confirmed_preferences, preference_revisions
from hakoniwa.persona.records import Preference, Revision
from hakoniwa.persona.write_plan import PreferenceUpdate

NOON = datetime(2026, 4, 1, 12, tzinfo=UTC)


def preference(subject: str = "紅茶", status: Any = "confirmed", **more: Any) -> Preference:
    return Preference.model_validate(
        {"domain": "food", "polarity": "like", "subject": subject, "status": status, **more}
    )


def update(op: Any, subject: str = "紅茶", **more: Any) -> PreferenceUpdate:
    return PreferenceUpdate.model_validate({"op": op, "domain": "food", "polarity": "like", "subject": subject, **more})


def confirm(subject: str = "紅茶", **more: Any) -> PreferenceUpdate:
    return update("confirm", subject, evidence_event_id=6, **more)


def after(updates: list[PreferenceUpdate], existing: dict[int, Preference] | None = None) -> tuple[Revision, ...]:
    return preference_revisions(updates, existing or {}, (7,), NOON)


def told(revision: Revision) -> tuple[int, str, str, str]:
    assert revision.after is not None
    return revision.item, revision.after["polarity"], revision.after["subject"], revision.after["status"]


@pytest.mark.parametrize(
    ("one", "status", "evidence"),
    [
        (update("upsert_candidate"), "candidate", (7,)),
        (update("upsert_candidate", evidence_event_id=6), "candidate", (6, 7)),
        (update("confirm"), "candidate", (7,)),
        (confirm(), "confirmed", (6, 7)),
    ],
)
def test_only_what_rests_on_an_event_is_confirmed(
    one: PreferenceUpdate, status: str, evidence: tuple[int, ...]
) -> None:
    [revision] = after([one])
    assert told(revision) == (0, "like", "紅茶", status)
    assert (revision.before, revision.evidence, revision.at) == (None, evidence, NOON)


def test_confirming_one_polarity_revokes_the_opposite() -> None:
    old = preference()
    dislike, like = sorted(after([confirm(polarity="dislike")], {5: old}), key=lambda one: one.item)
    assert told(dislike) == (0, "dislike", "紅茶", "confirmed")
    assert told(like) == (5, "like", "紅茶", "revoked")
    assert like.before == old.model_dump(mode="json")
    assert like.reason == "opposite_stated"


def test_a_candidate_does_not_revoke_the_opposite() -> None:
    [revision] = after([update("confirm", polarity="dislike")], {5: preference()})
    assert told(revision) == (0, "dislike", "紅茶", "candidate")


@pytest.mark.parametrize(
    ("old", "one", "status", "confidence"),
    [
        ("candidate", update("upsert_candidate", confidence=0.9), "candidate", 0.9),
        ("candidate", confirm(confidence=0.2), "confirmed", 0.5),
        ("confirmed", update("upsert_candidate", confidence=0.9), "confirmed", 0.9),
        ("revoked", update("upsert_candidate", confidence=0.2), "candidate", 0.2),
        ("revoked", confirm(confidence=0.2), "confirmed", 0.2),
        ("confirmed", update("revoke"), "revoked", 0.5),
        ("candidate", update("revoke"), "revoked", 0.5),
    ],
)
def test_a_preference_changes_in_its_place(old: str, one: PreferenceUpdate, status: str, confidence: float) -> None:
    [revision] = after([one], {5: preference(status=old)})
    assert told(revision) == (5, "like", "紅茶", status)
    assert revision.after is not None
    assert revision.after["confidence"] == confidence


@pytest.mark.parametrize(
    ("existing", "one"),
    [
        ({5: preference(confidence=0.8)}, update("upsert_candidate", confidence=0.3)),
        ({5: preference(confidence=0.8)}, confirm(confidence=0.8)),
        ({5: preference(status="revoked")}, update("revoke")),
        ({}, update("revoke")),
    ],
)
def test_what_stays_as_it_was_leaves_no_revision(existing: dict[int, Preference], one: PreferenceUpdate) -> None:
    assert after([one], existing) == ()


def test_a_subject_is_the_same_however_wide_it_is_written() -> None:
    [revision] = after([confirm("JAZZ")], {5: preference("Ｊａｚｚ", status="candidate")})
    assert told(revision) == (5, "like", "Ｊａｚｚ", "confirmed")


def test_a_note_replaces_the_one_before_and_a_reason_is_kept() -> None:
    old = preference(note="朝だけ")
    [revision] = after([update("upsert_candidate", note="いつでも", reason="また頼んだ")], {5: old})
    assert revision.after is not None
    assert (revision.after["note"], revision.reason) == ("いつでも", "また頼んだ")


STEPS = st.lists(
    st.builds(
        update,
        st.sampled_from(["upsert_candidate", "confirm", "revoke"]),
        subject=st.sampled_from(["紅茶", "酒"]),
        polarity=st.sampled_from(["like", "dislike"]),
        evidence_event_id=st.sampled_from([0, 6]),
    ),
    max_size=6,
)


@given(st.lists(STEPS, max_size=4))
def test_nothing_is_ever_both_liked_and_disliked_for_sure(plans: list[list[PreferenceUpdate]]) -> None:
    held: dict[int, Preference] = {}
    for number, plan in enumerate(plans):
        for place, revision in enumerate(after(plan, held)):
            held[revision.item or (number + 1) * 100 + place] = Preference.model_validate(revision.after)
    sure = [(one.subject, one.domain) for one in held.values() if one.status == "confirmed"]
    assert len(sure) == len(set(sure))
    assert len(held) == len({(one.subject, one.polarity) for one in held.values()})


# --- the shape they are told in ---------------------------------------------------------------------------------------


def told_bucket(bucket: Any) -> dict[str, list[tuple[str, str | None]]]:
    return {
        polarity: [(one["subject"], None if one["note"] is None else unseal(one["note"])) for one in likings]
        for polarity, likings in bucket.items()
    }


def test_the_confirmed_ones_are_told_by_domain_and_polarity() -> None:
    found = confirmed_preferences(
        [
            preference("紅茶", note="朝"),
            preference("酒", polarity="dislike"),
            preference("旅行", domain="topic"),
            preference("説教", domain="style", polarity="dislike"),
            preference("珈琲", status="candidate"),
            preference("緑茶", status="revoked"),
        ]
    )
    assert {domain: told_bucket(bucket) for domain, bucket in found.items()} == {
        "food": {"like": [("紅茶", "朝")], "dislike": [("酒", None)]},
        "topic": {"like": [("旅行", None)], "dislike": []},
        "style": {"like": [], "dislike": [("説教", None)]},
    }


def test_at_most_six_of_a_kind_are_told_the_surest_and_newest_first() -> None:
    eight = [preference(str(number), confidence=0.9 if number == 0 else 0.5) for number in range(8)]
    assert [one["subject"] for one in confirmed_preferences(eight)["food"]["like"]] == ["0", "7", "6", "5", "4", "3"]


def test_a_note_stays_sealed() -> None:
    [liking] = confirmed_preferences([preference(note="朝")])["food"]["like"]
    assert isinstance(liking["note"], Generated)
