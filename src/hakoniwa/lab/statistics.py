"""What a handful of runs can say: means with intervals, paired differences, and how far to trust them.

Runs are paired: every arm plays the same scenario with the same seed, so that arms are compared run by run and what a
scenario makes easy or hard cancels out. Scenarios are chosen, seeds are drawn: resampling therefore keeps the number of
runs of each scenario and draws among its seeds (a stratified bootstrap). Intervals are BCa and not plain percentiles,
because rates near 0 or 1 are skewed, and a percentile interval sits on the wrong side of a skewed mean.

Differences of rates and counts are full of ties and far from normal, so no t-test: the mean difference is tested by
flipping the signs of whole pairs, which assumes nothing but that arms could be exchanged, and the signed ranks are
tested beside it, by their exact distribution under ties.
"""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from statistics import NormalDist
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hakoniwa.turn import Value

LEVEL = 0.95
RESAMPLES, FLIPS = 10_000, 20_000
ALL_FLIPS = 14  # pairs of which every flip is tried: 16,384
EXACT_RANKS = 200  # pairs of which the ranks are counted out; beyond, the normal curve is as good
TINY = 1e-12  # as a share: nearer than this is the same number

Floats = NDArray[np.float64]
Strata = Sequence[Sequence[float]]
Name = TypeVar("Name", bound=Hashable)

_normal = NormalDist()


class Estimate(Value):
    """A mean over runs and its 95 % interval, for which every stratum needs two; None for a mean of nothing."""

    n: int
    mean: float | None
    low: float | None
    high: float | None


class Contrast(Value):
    """How a paired difference came out over all pairs.

    `p` tests the mean by flipping signs, `p_rank` the signed ranks; `p_holm` is `p` corrected for everything tested
    with it. `dz` is the mean difference in standard deviations of the differences; None where they do not vary at all.
    `rank_biserial` runs from -1 (every pair that differs is lower) to 1, over the pairs that differ.
    """

    difference: Estimate
    left_out: int
    lower: int
    equal: int
    higher: int
    dz: float | None
    rank_biserial: float | None
    p: float | None
    p_rank: float | None
    p_holm: float | None = None


def estimate(strata: Strata, seed: int = 0) -> Estimate:
    """The mean of all values and its interval; values that are not numbers are left out."""
    groups = _groups(strata)
    values = _join_groups(groups)
    if not len(values):
        return Estimate(n=0, mean=None, low=None, high=None)
    mean = float(values.mean())
    if min(map(len, groups)) < 2:  # nothing shows how much a seed may change there
        return Estimate(n=len(values), mean=mean, low=None, high=None)
    low, high = _interval(groups, mean, seed)
    return Estimate(n=len(values), mean=mean, low=low, high=high)


def contrast(strata: Strata, seed: int = 0) -> Contrast:
    """What differences of pairs say; pairs of which one side is missing are left out and counted."""
    groups = _groups(strata)
    values = _join_groups(groups)
    size = float(np.abs(values).max()) if len(values) else 0.0
    values = np.where(np.abs(values) <= TINY * size, 0.0, values)
    return Contrast(
        difference=estimate(strata, seed),
        left_out=sum(map(len, strata)) - len(values),
        lower=int((values < 0).sum()),
        equal=int((values == 0).sum()),
        higher=int((values > 0).sum()),
        dz=cohens_dz(values),
        rank_biserial=rank_biserial(values),
        p=sign_flip_p(values, seed),
        p_rank=signed_rank(values),
    )


def correct_family(contrasts: Mapping[Name, Contrast]) -> dict[Name, Contrast]:
    """The same contrasts as one family: the more is tested, the more each of them must show."""
    tested = [(name, one.p) for name, one in contrasts.items() if one.p is not None]
    stricter = dict(zip((name for name, _ in tested), holm([p for _, p in tested]), strict=True))
    return {name: one.with_field("p_holm", stricter.get(name)) for name, one in contrasts.items()}


def holm(ps: Sequence[float]) -> list[float]:
    """Holm's step-down: the smallest p times their number, the next times one less, never falling, at most 1."""
    order = sorted(range(len(ps)), key=lambda at: ps[at])
    adjusted, highest = [0.0] * len(ps), 0.0
    for rank, at in enumerate(order):
        highest = max(highest, min(1.0, (len(ps) - rank) * ps[at]))
        adjusted[at] = highest
    return adjusted


def cohens_dz(differences: Floats) -> float | None:
    """Cohen's dz."""
    if len(differences) < 2:
        return None
    mean, spread = float(differences.mean()), float(differences.std(ddof=1))
    if spread <= TINY * abs(mean):
        return 0.0 if mean == 0 else None
    return mean / spread


def rank_biserial(differences: Floats) -> float | None:
    """Matched rank-biserial correlation: the ranks of what rose less those of what fell, as a share of all ranks."""
    changed = differences[differences != 0]
    if not len(changed):
        return 0.0 if len(differences) else None
    ranks = _ranks(np.abs(changed))
    return float((ranks * np.sign(changed)).sum() / ranks.sum())


def sign_flip_p(differences: Floats, seed: int = 0) -> float | None:
    """Two-sided p of the mean difference among all flips of signs; of many pairs, among drawn ones and itself."""
    count = len(differences)
    if not count:
        return None
    if not differences.any():
        return 1.0
    signs = _every_flip(count) if count <= ALL_FLIPS else _drawn_flips(count, seed)
    seen = abs(float(differences.sum()))
    as_far = int((np.abs(signs @ differences) >= seen - TINY * float(np.abs(differences).sum())).sum())
    return as_far / len(signs) if count <= ALL_FLIPS else (as_far + 1) / (len(signs) + 1)


def signed_rank(differences: Floats) -> float | None:
    """Two-sided p of Wilcoxon's signed ranks; pairs without a difference have no rank."""
    changed = differences[differences != 0]
    if not len(changed):
        return 1.0 if len(differences) else None
    ranks = _ranks(np.abs(changed))
    rose = float(ranks[changed > 0].sum())
    return _exact_p(ranks, rose) if len(ranks) <= EXACT_RANKS else _normal_p(ranks, rose)


def smallest_p(pairs: int) -> float | None:
    """The smallest p that so many pairs could give at all, were every one of them to differ the same way."""
    return None if not pairs else max(2.0 ** (1 - pairs), 1 / (FLIPS + 1) if pairs > ALL_FLIPS else 0.0)


def kappa(both: int, one: int, other: int, neither: int) -> float | None:
    """Cohen's kappa: how far two who say yes or no agree beyond chance; None where chance alone would do."""
    total = both + one + other + neither
    if not total:
        return None
    first, second = (both + one) / total, (both + other) / total
    chance = first * second + (1 - first) * (1 - second)
    return None if chance >= 1 - TINY else ((both + neither) / total - chance) / (1 - chance)


def _exact_p(ranks: Floats, rose: float) -> float:
    """The share of all ways to hand out signs that lie as far from the middle, by adding one rank after another."""
    doubled = np.rint(2 * ranks).astype(int)  # ranks of ties are halves
    chances = np.zeros(int(doubled.sum()) + 1)
    chances[0] = 1.0
    for rank in doubled:
        moved = np.zeros_like(chances)
        moved[rank:] = chances[: len(chances) - rank]
        chances = (chances + moved) / 2
    low = min(round(2 * rose), len(chances) - 1 - round(2 * rose))
    return min(1.0, 2 * float(chances[: low + 1].sum()))


def _normal_p(ranks: Floats, rose: float) -> float:
    spread = math.sqrt(float((ranks**2).sum()) / 4)
    return 2 * _normal.cdf(-abs(rose - float(ranks.sum()) / 2) / spread)


def _ranks(values: Floats) -> Floats:
    """Ranks from 1, ties sharing their middle; what differs by rounding only is a tie."""
    near = np.round(values / values.max(), 10)
    _, place, times = np.unique(near, return_inverse=True, return_counts=True)
    last = np.cumsum(times)
    middles: Floats = last - (times - 1) / 2
    return middles[place]


def _interval(groups: list[Floats], mean: float, seed: int) -> tuple[float, float]:
    """BCa: percentiles of resampled means, moved by their bias and by how the spread changes with the mean."""
    values = _join_groups(groups)
    slack = TINY * float(np.abs(values).max())
    if all(float(np.ptp(one)) <= slack for one in groups):
        return mean, mean
    means = _draws(tuple(map(len, groups)), seed) @ values / len(values)
    below = (float((means < mean - slack).mean()) + float((means <= mean + slack).mean())) / 2
    if not 0 < below < 1:  # so few values that all resampled means lie on one side: nothing to correct by
        return float(means.min()), float(means.max())
    bias, pull = _normal.inv_cdf(below), _acceleration(groups)
    levels = [_shift_level(level, bias, pull) for level in ((1 - LEVEL) / 2, (1 + LEVEL) / 2)]
    low, high = np.quantile(means, levels)
    return float(low), float(high)


def _shift_level(level: float, bias: float, pull: float) -> float:
    at = bias + _normal.inv_cdf(level)
    return _normal.cdf(bias + at / (1 - pull * at))


def _acceleration(groups: list[Floats]) -> float:
    """A sixth of the skewness of what single values do to the mean, over all strata."""
    total = sum(map(len, groups))
    pulls = [(one - one.mean()) / total for one in groups]  # weighted by the size of the stratum, divided by that size
    spread = sum(float((one**2).sum()) for one in pulls)
    return sum(float((one**3).sum()) for one in pulls) / (6 * spread**1.5) if spread > 0 else 0.0


@lru_cache(maxsize=16)
def _draws(sizes: tuple[int, ...], seed: int) -> Floats:
    """How often each value is drawn in each resample: the same draws for every measure of the same runs."""
    random = np.random.default_rng(seed)
    blocks = [_times_drawn(random.integers(0, size, (RESAMPLES, size)), size) for size in sizes]
    return np.concatenate(blocks, axis=1)


def _times_drawn(drawn: NDArray[np.int64], size: int) -> Floats:
    rows = np.arange(RESAMPLES)[:, None] * size
    return np.bincount((drawn + rows).ravel(), minlength=RESAMPLES * size).reshape(RESAMPLES, size).astype(float)


@lru_cache(maxsize=16)
def _every_flip(count: int) -> Floats:
    return np.array(list(product((1.0, -1.0), repeat=count)))


@lru_cache(maxsize=16)
def _drawn_flips(count: int, seed: int) -> Floats:
    return np.random.default_rng([seed, count]).choice((1.0, -1.0), (FLIPS, count))


def _groups(strata: Strata) -> list[Floats]:
    """Each stratum as numbers, without those that are none; a stratum of nothing is left out."""
    groups = [np.array([one for one in stratum if math.isfinite(one)], dtype=float) for stratum in strata]
    return [one for one in groups if len(one)]


def _join_groups(groups: Iterable[Floats]) -> Floats:
    return np.concatenate([np.empty(0), *groups])
