"""Every promise holds in its short form, and none would hold if it were broken."""

import pytest

from tests.trust.promise import Mutant, Promise, promises, tallied

PROMISES = promises()
MUTANTS = [(promise, mutant) for promise in PROMISES.values() for mutant in promise.mutants]
SEED = 20261116


@pytest.mark.parametrize("name", PROMISES)
def test_a_promise_is_kept(name: str) -> None:
    promise = PROMISES[name]
    tally = tallied(promise.check(promise.short, SEED))
    assert tally.breaches == []
    assert tally.done >= max(promise.short, 1)


@pytest.mark.parametrize(
    ("promise", "mutant"), MUTANTS, ids=[f"{promise.name}-{mutant.name}" for promise, mutant in MUTANTS]
)
def test_a_breach_shows(promise: Promise, mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    mutant.put_in(monkeypatch)
    assert any(one.breaches for one in promise.check(mutant.within, mutant.seed))


def test_every_promise_has_a_mutant() -> None:
    assert [name for name, promise in PROMISES.items() if not promise.mutants] == []
