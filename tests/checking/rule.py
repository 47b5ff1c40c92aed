"""What a shape rule is tested with: data of test_functions.py has this form."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

axis = st.integers(-4, 3)
axes = st.lists(st.integers(-3, 2), max_size=3).map(tuple)
some_axes = st.none() | axis | axes
flag = st.booleans()
size = st.sampled_from([1, 2, 2, 3, 0])
shape = st.lists(size, max_size=4).map(tuple)
small = st.integers(0, 3)
offset = st.integers(-2, 2)
NOTHING = st.just(())


@dataclass(frozen=True)
class Rule:
    """A function, and NumPy's answer to the same call: both take the operands, then the parameters.

    kinds: of the operands, r: real, i: indices, b: truth values. exact: on symbols it refuses just
    where numbers do. counts: it needs numbers for sizes. ranks: of the operands, from and to.
    empty: whether an operand may have no entries.
    """

    name: str
    kinds: str
    params: st.SearchStrategy[tuple[Any, ...]]
    ours: Callable[..., Any]
    numpy: Callable[..., Any]
    exact: bool = True
    counts: bool = False
    ranks: tuple[int, int] = (0, 4)
    empty: bool = True
