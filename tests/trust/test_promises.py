"""Every promise holds in its short form, and none would hold if it were broken."""

import pytest

from tests.trust.promise import SEED, Mutant, Promise, promises, said, tallied

PROMISES = promises()
LONG = pytest.mark.long
TRIES = 3  # where exactly a process dies, and what others are doing then, is not up to the seed alone
MUTANTS = [(promise, mutant) for promise in PROMISES.values() for mutant in promise.mutants]
FIRST = {promise.mutants[0] for promise in PROMISES.values()}  # make test tries one of each promise, make trust all


@pytest.mark.parametrize("name", PROMISES)
def test_a_promise_is_kept(name: str) -> None:
    promise = PROMISES[name]
    tally = tallied(promise.check(promise.short, SEED))
    assert tally.breaches == []
    assert tally.done >= max(promise.short, 1)


@pytest.mark.parametrize(
    ("promise", "mutant"),
    [
        pytest.param(promise, mutant, id=f"{promise.name}-{mutant.name}", marks=() if mutant in FIRST else LONG)
        for promise, mutant in MUTANTS
    ],
)
def test_a_breach_shows(promise: Promise, mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    promise.prepare()
    mutant.put_in(monkeypatch)
    assert any(any(said(promise.check(mutant.within, mutant.seed), mutant.shows)) for _ in range(TRIES))


# Those of all cases there are, and those of the short form, are tried above without any mutant.
CONTROLS = {
    (promise.name, mutant.within, mutant.seed, mutant.shows)
    for promise, mutant in MUTANTS
    if mutant.within and (mutant.within, mutant.seed) != (promise.short, SEED)
}


@pytest.mark.long
@pytest.mark.parametrize(("name", "within", "seed", "shows"), sorted(CONTROLS))
def test_it_is_the_mutant_that_shows(name: str, within: int, seed: int, shows: str) -> None:
    assert list(said(PROMISES[name].check(within, seed), shows)) == []


def test_every_promise_has_a_mutant() -> None:
    assert [name for name, promise in PROMISES.items() if not promise.mutants] == []
