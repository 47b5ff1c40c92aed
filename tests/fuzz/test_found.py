"""Disagreements that random programs brought to light, each as small as it gets."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import taglessad as tad

MODES: dict[str, Any] = {"forward": tad.jacfwd, "reverse": tad.grad}


@tad.custom_jvp
def ruled(x: Any) -> Any:
    """x, with the slope 3 x by decree."""
    return x * 1.0


ruled.defjvp(lambda xs, ds: (ruled(xs[0]), 3.0 * xs[0] * ds[0]))


@pytest.mark.parametrize(("inner", "outer"), list(product(MODES, MODES)))
def test_a_rule_counts_in_the_value_that_reverse_mode_keeps(inner: str, outer: str) -> None:
    """Forward over reverse differentiated the function's text where the product keeps its value."""
    f = lambda x: ruled(x) * ruled(x)
    second = MODES[outer](MODES[inner](f))
    # by decree: f' = 2 r r', f'' = 2 r'^2 + 2 r r'' with r = 2, r' = 6, r'' = 3
    assert float(second(2.0)) == 84.0
    assert float(tad.jit(second)(2.0)) == 84.0
    assert float(tad.vmap(second)(np.asarray([2.0]))[0]) == 84.0
