"""Shape rules beyond the array API standard, and NumPy's answer: data for test_functions.py."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

import taglessad as tad
from tests.checking.rule import NOTHING, Rule, axis, flag, some_axes

F = tad.nn.functional
S = tad.special


def elementwise() -> list[Rule]:
    """Functions of one shape, or of two that broadcast."""
    found = [
        Rule(name, "r", NOTHING, getattr(tad, name), getattr(np, name))
        for name in "cbrt deg2rad exp2 rad2deg imag".split()
    ]
    found += [
        Rule(name, "rr", NOTHING, getattr(tad, name), getattr(np, name))
        for name in "fmax fmin heaviside logaddexp2 isclose".split()
    ]
    one = (
        "cosm1 digamma entr erf erfc erfcinv erfcx erfinv exp1 expi expit exprel gamma gammaln i0 "
        "i0e i1 i1e j0 j1 lambertw log_expit log_ndtr logit ndtr ndtri spence y0 y1"
    ).split()
    found += [Rule(f"special.{n}", "r", NOTHING, getattr(S, n), np.abs) for n in one]
    two = "beta betaln boxcox gammainc gammaincc kl_div poch rel_entr xlog1py xlogy".split()
    found += [Rule(f"special.{n}", "rr", NOTHING, getattr(S, n), np.add) for n in two]
    neural = "hard_tanh leaky_relu mish soft_sign".split()
    found += [Rule(f"nn.{n}", "r", NOTHING, getattr(F, n), np.abs) for n in neural]
    return found


def _reducing(name: str, params: st.SearchStrategy[Any], *before: Any) -> Rule:
    ours, numpys = getattr(tad, name), getattr(np, name)
    return Rule(
        name,
        "r",
        st.tuples(params, flag),
        lambda x, a, k: ours(x, *before, axis=a, keepdims=k),
        lambda x, a, k: numpys(x, *before, axis=a, keepdims=k),
        empty=False,
        exact=not before,
        counts=name == "nanquantile" or bool(before),
        ranks=(1, 4),
    )


def _reductions() -> list[Rule]:
    names = "nanmax nanmean nanmin nanprod nanstd nanvar ptp".split()
    return [
        *[_reducing(name, some_axes) for name in names],
        *[_reducing(name, st.none() | axis, 0.5) for name in ("quantile",)],
    ]


def _first(f: Callable[..., Any]) -> Callable[..., Any]:
    """The first of several results."""
    return lambda *xs: f(*xs)[0]


def _attention(q: Any, k: Any, v: Any) -> Any:
    return q @ np.swapaxes(k, -1, -2) @ v


def _segments(data: Any, ids: Any) -> Any:
    if ids.ndim == 0 or ids.shape != data.shape[: ids.ndim]:
        raise ValueError("one segment for each row")
    return np.zeros((3, *data.shape[ids.ndim :]))


BEYOND: list[Rule] = [
    *_reductions(),
    Rule("kron", "rr", NOTHING, tad.kron, np.kron, ranks=(1, 3)),
    Rule("inner", "rr", NOTHING, tad.inner, np.inner, ranks=(1, 3)),
    Rule("hstack", "rr", NOTHING, lambda a, b: tad.hstack([a, b]), lambda a, b: np.hstack([a, b])),
    Rule("vstack", "rr", NOTHING, lambda a, b: tad.vstack([a, b]), lambda a, b: np.vstack([a, b])),
    Rule(
        "column_stack",
        "rr",
        NOTHING,
        lambda a, b: tad.column_stack([a, b]),
        lambda a, b: np.column_stack([a, b]),
        ranks=(1, 3),
    ),
    Rule(
        "trapezoid",
        "r",
        NOTHING,
        tad.trapezoid,
        np.trapezoid,
        counts=True,
        ranks=(1, 3),
        empty=False,
    ),
    Rule("ediff1d", "r", NOTHING, tad.ediff1d, np.ediff1d, ranks=(1, 3), empty=False, exact=False),
    Rule("rot90", "r", NOTHING, tad.rot90, np.rot90, ranks=(1, 4)),
    Rule(
        "select",
        "brr",
        NOTHING,
        lambda c, a, b: tad.select([c], [a], b),
        lambda c, a, b: np.select([c], [a], b),
    ),
    Rule("unwrap", "r", NOTHING, tad.unwrap, np.unwrap, counts=True, ranks=(1, 3)),
    Rule(
        "convolve", "rr", NOTHING, tad.convolve, np.convolve, counts=True, ranks=(1, 1), empty=False
    ),
    Rule(
        "correlate",
        "rr",
        NOTHING,
        tad.correlate,
        np.correlate,
        counts=True,
        ranks=(1, 1),
        empty=False,
    ),
    Rule("cov", "r", NOTHING, tad.cov, np.cov, counts=True, ranks=(1, 2), empty=False),
    Rule("polyval", "rr", NOTHING, tad.polyval, np.polyval, counts=True, ranks=(1, 1), empty=False),
    Rule(
        "digitize", "rr", NOTHING, tad.digitize, np.digitize, counts=True, exact=False, ranks=(1, 1)
    ),
    Rule(
        "segment_sum", "ri", NOTHING, lambda x, i: tad.segment_sum(x, i, 3), _segments, empty=False
    ),
    Rule(
        "special.logsumexp",
        "r",
        st.tuples(some_axes, flag),
        lambda x, a, k: S.logsumexp(x, axis=a, keepdims=k),
        lambda x, a, k: np.sum(x, axis=a, keepdims=k),
        ranks=(1, 4),
        empty=False,
    ),
    Rule(
        "fft.rfft",
        "r",
        NOTHING,
        _first(tad.fft.rfft),
        np.fft.rfft,
        counts=True,
        exact=False,
        ranks=(1, 3),
        empty=False,
    ),
    Rule("nn.l1", "rr", NOTHING, F.l1, lambda a, b: _alike(a, b)),
    Rule("nn.huber", "rr", NOTHING, F.huber, lambda a, b: _alike(a, b)),
    Rule(
        "nn.kl_div", "rr", NOTHING, F.kl_div, lambda a, b: _alike(a, b).sum(axis=-1), ranks=(1, 4)
    ),
    Rule(
        "nn.attention",
        "rrr",
        NOTHING,
        F.scaled_dot_product_attention,
        _attention,
        ranks=(2, 4),
        empty=False,
    ),
]


def _alike(a: Any, b: Any) -> Any:
    if a.shape != b.shape:
        raise ValueError("shapes differ")
    return a
