"""Every figure of the statistics against SciPy, and answers where there is little or nothing to say."""

import math

import numpy as np
import pytest
from scipy import stats

from hakoniwa.lab.statistics import (
    FLIPS,
    RESAMPLES,
    Contrast,
    Estimate,
    cohens_dz,
    contrast,
    correct_family,
    estimate,
    holm,
    kappa,
    rank_biserial,
    sign_flip_p,
    signed_rank,
    smallest_p,
)

NAN = math.nan


def normal(count: int, seed: int = 5) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.3, 1.0, count)


def rates(count: int, seed: int = 6) -> np.ndarray:
    """Differences of rates over ten turns: many ties, many zeros, skewed."""
    random = np.random.default_rng(seed)
    return (random.binomial(10, 0.15, count) - random.binomial(10, 0.08, count)) / 10


SAMPLES = {
    "normal": normal(40),
    "skewed": np.random.default_rng(7).exponential(2.0, 25),
    "counts": np.random.default_rng(8).poisson(1.2, 30).astype(float),
    "few": np.array([0.0, 1.0, 1.0, 2.0, 5.0, 9.0]),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_an_interval_is_scipys_bca(name: str) -> None:
    values = SAMPLES[name]
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=RESAMPLES, method="BCa", rng=np.random.default_rng(3)
    ).confidence_interval
    ours = estimate([values.tolist()], seed=3)
    assert ours.mean == pytest.approx(values.mean())
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-9)


def test_an_interval_over_scenarios_draws_within_each_of_them() -> None:
    groups = [normal(20, seed) + 10 * seed for seed in (1, 2, 3)]
    groups[2] = groups[2][:8]
    total = sum(map(len, groups))

    def mean(*samples: np.ndarray, axis: int = -1) -> np.ndarray:
        return sum(one.mean(axis=axis) * len(group) for one, group in zip(samples, groups, strict=True)) / total

    theirs = stats.bootstrap(
        groups, mean, n_resamples=RESAMPLES, method="BCa", rng=np.random.default_rng(4)
    ).confidence_interval
    ours = estimate([group.tolist() for group in groups], seed=4)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-9)
    together = estimate([np.concatenate(groups).tolist()], seed=4)
    assert ours.high - ours.low < (together.high - together.low) / 3


@pytest.mark.parametrize("differences", [normal(12), normal(50), normal(200)], ids=len)
def test_signed_ranks_without_ties_are_scipys_exact_ones(differences: np.ndarray) -> None:
    assert signed_rank(differences) == pytest.approx(stats.wilcoxon(differences, method="exact").pvalue, rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_signed_ranks_with_ties_and_zeros_are_scipys_permutations(seed: int) -> None:
    differences = rates(12, seed)
    theirs = stats.wilcoxon(differences, method=stats.PermutationMethod(n_resamples=np.inf))
    assert signed_rank(differences) == pytest.approx(theirs.pvalue, rel=1e-9)


def test_signed_ranks_of_many_pairs_are_scipys_normal_curve() -> None:
    differences = rates(600)
    theirs = stats.wilcoxon(differences, method="asymptotic", correction=False)
    assert np.count_nonzero(differences) > 200
    assert signed_rank(differences) == pytest.approx(theirs.pvalue, rel=1e-9)


@pytest.mark.parametrize("differences", [normal(9), rates(12), normal(14)], ids=len)
def test_flips_of_few_pairs_are_all_tried_as_scipy_does(differences: np.ndarray) -> None:
    theirs = stats.permutation_test((differences,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert sign_flip_p(differences) == pytest.approx(theirs.pvalue, rel=1e-9)


@pytest.mark.parametrize("differences", [normal(40), rates(60), rates(30)], ids=len)
def test_flips_of_many_pairs_are_drawn_and_agree_with_scipy(differences: np.ndarray) -> None:
    theirs = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=FLIPS, batch=2_000, rng=9
    )
    ours = sign_flip_p(differences)
    assert ours == pytest.approx(theirs.pvalue, abs=5 * math.sqrt(0.25 / FLIPS) + 1e-4)
    assert ours == sign_flip_p(differences)


def test_effect_sizes_are_their_definitions() -> None:
    differences = rates(40)
    theirs = stats.ttest_1samp(differences, 0).statistic / math.sqrt(len(differences))
    assert cohens_dz(differences) == pytest.approx(theirs)
    changed = differences[differences != 0]
    ranks = stats.rankdata(np.abs(changed).round(10))
    up, down = ranks[changed > 0].sum(), ranks[changed < 0].sum()
    assert rank_biserial(differences) == pytest.approx((up - down) / (up + down))


def test_holms_correction_steps_down_and_never_falls() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_holm_rejects_what_its_procedure_rejects() -> None:
    ps = np.random.default_rng(1).beta(0.4, 3, 30)
    rejected = set()
    for rank, at in enumerate(np.argsort(ps)):
        if ps[at] > 0.05 / (len(ps) - rank):
            break
        rejected.add(int(at))
    assert rejected
    assert {at for at, p in enumerate(holm(ps.tolist())) if p <= 0.05} == rejected


def test_a_family_is_corrected_together_and_what_has_no_p_stays_out() -> None:
    strong, weak, none = contrast([[1.0] * 10]), contrast([rates(10).tolist()]), contrast([[]])
    family = correct_family({"strong": strong, "weak": weak, "none": none})
    assert family["strong"].p_holm == pytest.approx(2 * strong.p)
    assert family["none"].p_holm is None


def test_pairs_are_counted_and_those_with_a_missing_side_left_out() -> None:
    found = contrast([[0.2, NAN, 0.0], [-0.1, 0.3, 0.3]])
    assert (found.lower, found.equal, found.higher, found.left_out, found.difference.n) == (1, 1, 3, 1, 5)


def test_rounding_makes_no_difference_and_breaks_no_tie() -> None:
    noise = 0.1 + 0.2 - 0.3  # not zero in binary
    assert contrast([[noise, 0.5, -0.5]]).equal == 1
    assert signed_rank(np.array([0.3, 0.1 + 0.2, -0.1])) == signed_rank(np.array([0.3, 0.3, -0.1]))


DEGENERATE = {
    "nothing": ([], Estimate(n=0, mean=None, low=None, high=None), (None, None, None, None)),
    "no numbers": ([NAN, NAN], Estimate(n=0, mean=None, low=None, high=None), (None, None, None, None)),
    "one": ([0.4], Estimate(n=1, mean=0.4, low=None, high=None), (None, 1.0, 1.0, 1.0)),
    "all zero": ([0.0] * 8, Estimate(n=8, mean=0.0, low=0.0, high=0.0), (0.0, 0.0, 1.0, 1.0)),
    "all equal": ([0.25] * 6, Estimate(n=6, mean=0.25, low=0.25, high=0.25), (None, 1.0, 2 / 64, 2 / 64)),
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_little_or_nothing_has_an_answer_too(name: str) -> None:
    values, mean, (dz, biserial, p, p_rank) = DEGENERATE[name]
    assert estimate([values]) == mean
    found = contrast([values])
    assert found == Contrast(
        difference=mean, left_out=sum(map(math.isnan, values)), lower=0,
        equal=sum(one == 0 for one in values), higher=sum(one > 0 for one in values),
        dz=dz, rank_biserial=biserial, p=p, p_rank=p_rank,
    )  # fmt: skip


def test_one_run_of_each_scenario_has_a_mean_and_no_interval() -> None:
    found = estimate([[0.1], [0.5], [0.9]])
    assert (found.n, found.mean, found.low, found.high) == (3, pytest.approx(0.5), None, None)
    assert estimate([[0.1, 0.2], [0.5, 0.7]]).low is not None


def test_few_pairs_cannot_show_much_however_clear_they_are() -> None:
    assert smallest_p(5) == sign_flip_p(np.ones(5)) == 0.0625
    assert smallest_p(60) == sign_flip_p(np.arange(1.0, 61.0)) == 1 / (FLIPS + 1)
    assert smallest_p(0) is None


def test_the_same_seed_gives_the_same_figures_and_another_seed_nearly_the_same() -> None:
    values = [normal(30).tolist()]
    assert contrast(values, seed=1) == contrast(values, seed=1)
    one, other = estimate(values, seed=1), estimate(values, seed=2)
    assert one != other
    assert one.low == pytest.approx(other.low, abs=0.05)


AGREEMENTS = [
    ((20, 5, 10, 15), 0.4),  # the textbook's table
    ((30, 0, 0, 30), 1.0),
    ((0, 10, 10, 0), -1.0),
    ((0, 0, 0, 40), None),
    ((0, 0, 0, 0), None),
]


@pytest.mark.parametrize(("table", "agreed"), AGREEMENTS)
def test_agreement_is_what_goes_beyond_chance(table: tuple[int, int, int, int], agreed: float | None) -> None:
    assert kappa(*table) == (None if agreed is None else pytest.approx(agreed))
