"""Labels: events and states in one sequence of numbers, as an index wants them."""

import numpy as np
from numpy.typing import NDArray

from hakoniwa.ghost.store import Of

Labels = NDArray[np.uint64]


def label_of(of: Of, key: int) -> int:
    """An event by an even number, a state by an odd one."""
    return key << 1 | (of == "state")


def named(label: int) -> tuple[Of, int]:
    return ("state" if label & 1 else "event"), label >> 1


def events(labels: Labels) -> NDArray[np.bool_]:
    """Which of them are events."""
    even: NDArray[np.bool_] = (labels & np.uint64(1)) == 0
    return even
