"""Operations on numbers, vectors and matrices of random programs: every family, one line each."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tests.fuzz.registry import APART, add, apart, axis

STEPS: Final = np.diag([1.0, 2.0, 3.0])

# --- elementwise ----------------------------------------------------------------------------------
_SMOOTH: dict[str, Callable[..., Any]] = {
    **{
        name: (lambda L, k, x, name=name: getattr(L.xp, name)(x))
        for name in ("sin", "cos", "tanh", "exp", "expm1", "atan", "asinh", "square", "negative")
    },
    **{
        name: (lambda L, k, x, name=name: getattr(L.xp, name)(0.7 * L.xp.tanh(x)))
        for name in ("tan", "asin", "acos", "atanh", "sinh", "cosh", "exp2", "sinc")
    },
    **{
        name: (lambda L, k, x, name=name: getattr(L.xp, name)(x * x + 1.5))
        for name in ("acosh", "log2", "log10", "reciprocal")
    },
    "log": lambda L, k, x: L.xp.log(x * x + 0.5),
    "log1p": lambda L, k, x: L.xp.log1p(x * x),
    "sqrt": lambda L, k, x: L.xp.sqrt(x * x + 0.5),
    "cbrt": lambda L, k, x: L.cbrt(x * x + 0.5),
    "power": lambda L, k, x: x ** (k + 1),
    "negative power": lambda L, k, x: (x * x + 0.5) ** -(k + 1),
    "half power": lambda L, k, x: (x * x + 0.5) ** (k - 1.5),
    "array power": lambda L, k, x: x ** L.array(np.int64(k)),
    "reciprocal": lambda L, k, x: 1.0 / (x * x + 1.0),
    "pushed": lambda L, k, x: L.pushed(x, x + 1.0),
    "pulled": lambda L, k, x: L.pulled(x * 0.5, x),
    "decreed": lambda L, k, x: L.decreed(x),
    "detach": lambda L, k, x: x * L.detach(L.xp.sin(x)),
    "no_grad": lambda L, k, x: x + L.no_grad(lambda t: t * t)(x),
    "checkpoint": lambda L, k, x: L.checkpoint(lambda t: L.xp.sin(t) * t)(x),
}
_KINKED: dict[str, Callable[..., Any]] = {
    "abs": lambda L, k, x: L.xp.abs(apart(L, x)),
    "clip": lambda L, k, x: L.xp.clip(apart(L, x), -0.4, 0.45),
    "sign": lambda L, k, x: x * L.xp.sign(apart(L, x)),
    "floor": lambda L, k, x: x * L.xp.floor(3.0 * apart(L, x)),
    "ceil": lambda L, k, x: x * L.xp.ceil(3.0 * apart(L, x)),
    "trunc": lambda L, k, x: x * L.xp.trunc(3.0 * apart(L, x)),
    "round": lambda L, k, x: x * L.xp.round(3.0 * apart(L, x)),
    "masks": lambda L, k, x: L.xp.where(
        L.xp.logical_xor((apart(L, x) > 0.05) ^ (x < 0.3), L.xp.signbit(apart(L, x)))
        | ~(apart(L, x) <= 0.7),
        x * x,
        L.xp.sin(x),
    ),
    "whole": lambda L, k, x: x * L.real((L.integer(4.0 * apart(L, x)) << 1) ^ 3),
    "where": lambda L, k, x: L.xp.where(apart(L, x) > 0.05, L.xp.sin(x), x * x),
    # in the branch not taken: a root and a logarithm of what is negative there
    "where, singular": lambda L, k, x: L.xp.where(
        apart(L, x) > 0.01,
        L.xp.sqrt(L.xp.where(apart(L, x) > 0.01, apart(L, x), 1.0) + 0.3),
        x,
    ),
}
_BINARY: dict[str, Callable[..., Any]] = {
    "add": lambda L, k, a, b: a + b,
    "subtract": lambda L, k, a, b: a - b,
    "multiply": lambda L, k, a, b: a * b,
    "divide": lambda L, k, a, b: a / (b * b + 1.0),
    "pow": lambda L, k, a, b: (a * a + 0.5) ** b,
    "atan2": lambda L, k, a, b: L.xp.atan2(a, b * b + 0.5),
    "hypot": lambda L, k, a, b: L.xp.hypot(a, b * b + 0.5),
    "logaddexp": lambda L, k, a, b: L.xp.logaddexp(a, b),
    "logaddexp2": lambda L, k, a, b: L.logaddexp2(a, b),
    "pushed": lambda L, k, a, b: L.pushed(a, b),
    "pulled": lambda L, k, a, b: L.pulled(a, b),
}
_FAMILY = {
    **{"detach": "detach", "no_grad": "detach", "checkpoint": "control"},
    **{"pushed": "custom", "pulled": "custom", "decreed": "custom"},
}
for _t in "svm":
    for _n, _f in _SMOOTH.items():
        add(_FAMILY.get(_n, "elementwise"), f"{_t}>{_t}", _n, _f)
    for _n, _f in _KINKED.items():
        add("selection", f"{_t}>{_t}", _n, _f)
for _s in ("ss>s", "sv>v", "vv>v", "vm>m", "mv>m", "mm>m", "ms>m"):
    for _n, _f in _BINARY.items():
        if _n == "pulled" and _s[0] != _s[1]:
            continue  # its rule gives cotangents of the result's shape
        add(_FAMILY.get(_n, "elementwise"), _s, _n, _f)
for _s in ("vv>v", "mm>m"):
    add("selection", _s, "maximum", lambda L, k, a, b: L.xp.maximum(apart(L, a), 0.7 * b))
    add("selection", _s, "minimum", lambda L, k, a, b: L.xp.minimum(apart(L, a), 0.7 * b))
    add("selection", _s, "fmod", lambda L, k, a, b: L.xp.fmod(5.0 * apart(L, a), b * b + 0.7))
    add(
        "selection", _s, "remainder",
        lambda L, k, a, b: L.xp.remainder(5.0 * apart(L, a), -(b * b) - 0.7),
    )  # fmt: skip
    add(
        "selection", _s, "copysign",
        lambda L, k, a, b: L.xp.copysign(apart(L, a), apart(L, b)),
    )  # fmt: skip
    add(
        "selection", _s, "floor_divide",
        lambda L, k, a, b: a * L.xp.floor_divide(
            L.detach(5.0 * apart(L, a)), L.detach(b * b + 0.7)
        ),  # PyTorch has no derivative, not even 0
    )  # fmt: skip
    add("selection", _s, "choose", lambda L, k, a, b: L.xp.where(apart(L, a) > 0.6 * b, b, a * b))

# --- reductions -----------------------------------------------------------------------------------
for _s in ("v>s", "m>v"):
    add("reduction", _s, "sum", lambda L, k, x: L.xp.sum(x, axis=axis(k, x)))
    add("reduction", _s, "mean", lambda L, k, x: L.xp.mean(x, axis=axis(k, x)))
    add("reduction", _s, "prod", lambda L, k, x: L.xp.prod(x, axis=axis(k, x)))
    add(
        "reduction", _s, "variance",
        lambda L, k, x: L.xp.sqrt(
            L.xp.mean((x - L.xp.mean(x, axis=axis(k, x), keepdims=True)) ** 2, axis=axis(k, x)) + 0.1
        ),
    )  # fmt: skip
    add("reduction", _s, "logsumexp", lambda L, k, x: L.logsumexp(x, axis=axis(k, x)))
    add("reduction", _s, "max", lambda L, k, x: L.extreme("max", apart(L, x), axis(k, x)))
    add("reduction", _s, "min", lambda L, k, x: L.extreme("min", apart(L, x), axis(k, x)))
    add(
        "reduction", _s, "norm",
        lambda L, k, x: L.xp.sqrt(L.xp.sum(x * x, axis=axis(k, x)) + 0.2),
    )  # fmt: skip
    add("reduction", _s, "deviation", lambda L, k, x: L.deviation(apart(L, x), axis(k, x)))
    add(
        "reduction", _s, "any, all",
        lambda L, k, x: L.xp.mean(
            L.xp.where((x > 2.0).any() | (apart(L, x) > -0.7).all(), x, x * x), axis=axis(k, x)
        ),
    )  # fmt: skip
add("reduction", "m>s", "sum", lambda L, k, x: L.xp.sum(x))
add("reduction", "m>s", "mean of squares", lambda L, k, x: L.xp.mean(x * x))

# --- structure ------------------------------------------------------------------------------------
add("structure", "m>m", "transpose", lambda L, k, x: x.mT)
add("structure", "m>m", "flip", lambda L, k, x: L.flip(x, k % 2))
add("structure", "v>v", "flip", lambda L, k, x: L.flip(x, 0))
add("structure", "m>m", "roll", lambda L, k, x: L.roll(x, k, k % 2))
add("structure", "m>m", "reshape", lambda L, k, x: L.xp.reshape(L.xp.reshape(x, (9,)), (3, 3)).mT)
add("structure", "v>m", "rows", lambda L, k, x: L.xp.broadcast_to(x, (3, 3)))
add("structure", "v>m", "columns", lambda L, k, x: x[:, None] * L.array(np.arange(1.0, 4.0)))
add("structure", "s>v", "fill", lambda L, k, x: L.xp.broadcast_to(x, (3,)) * L.array(APART["v"]))
add("structure", "vvv>m", "stack", lambda L, k, a, b, c: L.xp.stack((a, b, c), axis=k % 2))
add("structure", "sss>v", "stack", lambda L, k, a, b, c: L.xp.stack((a, b, c)))
add("structure", "mv>m", "concat", lambda L, k, m, v: L.xp.concat((m[1:], v[None, :])))
add("structure", "m>m", "tril", lambda L, k, x: L.triangle("tril", x, k - 1))
add("structure", "m>m", "triu", lambda L, k, x: L.triangle("triu", x, k - 2))
add("structure", "m>v", "diagonal", lambda L, k, x: L.linalg.diagonal(x))
add("structure", "v>v", "tile", lambda L, k, x: L.xp.tile(x, (2,))[k % 3 : k % 3 + 3])
add("structure", "m>m", "swap", lambda L, k, x: L.xp.moveaxis(x[None, :, :], 0, 2)[:, :, 0].mT)
add("structure", "v>v", "differences", lambda L, k, x: L.xp.concat((x[1:] - x[:-1], x[:1])))

# --- indexing, scatter ----------------------------------------------------------------------------
add("indexing", "m>v", "row", lambda L, k, x: x[k % 3])
add("indexing", "m>v", "column", lambda L, k, x: x[:, k % 3])
add("indexing", "v>s", "entry", lambda L, k, x: x[k % 3])
add("indexing", "m>m", "take", lambda L, k, x: x[L.array([k % 3, 0, k % 3])])
add("indexing", "m>v", "pairs", lambda L, k, x: x[L.array([0, 2, 0]), L.array([k % 3, 1, 0])])
add("indexing", "v>v", "at argmax", lambda L, k, x: x * x[L.extreme("argmax", apart(L, x), 0)])
add("indexing", "m>m", "slice", lambda L, k, x: L.xp.concat((x[:, k % 2 :], x[:, : k % 2]), axis=1))
add("indexing", "mv>m", "along", lambda L, k, m, v: L.take_along(m, _orders(L, m, k % 2), k % 2))
add("indexing", "mv>v", "row at argmin", lambda L, k, m, v: m[L.extreme("argmin", apart(L, v), 0)])
add(
    "indexing", "mv>m", "row from a value",
    lambda L, k, m, v: m * m[L.xp.clip(L.integer(3.0 * L.xp.abs(apart(L, v)[k % 3])), 0, 2)],
)  # fmt: skip
add("scatter", "mv>m", "set", lambda L, k, m, v: L.at("set", m, k % 3, v))
add("scatter", "mv>m", "set column", lambda L, k, m, v: L.at("set", m, (slice(None), k % 3), v))
add(
    "scatter", "mm>m", "set rows",
    lambda L, k, a, b: L.at("set", a, (L.array([k % 3, (k + 1) % 3]),), b[:2]),
)  # fmt: skip
add(
    "scatter", "vv>v", "set at argmax",
    lambda L, k, x, y: L.at("set", x, (L.extreme("argmax", apart(L, y), 0),), y[k % 3]),
)  # fmt: skip
add(
    "scatter",
    "mv>m",
    "add rows",
    lambda L, k, m, v: L.at("add", m, (L.array([k % 3, 0, 0]),), v * m),
)
add("scatter", "v>v", "add entries", lambda L, k, x: L.at("add", x, (L.array([0, 0, k % 3]),), x))
for _n in ("multiply", "min", "max"):
    add(
        "scatter", "v>v", f"{_n} entries",
        lambda L, k, x, n=_n: L.at(n, apart(L, x), L.array([0, k % 3, 0]), L.xp.sin(2.0 * x) + 1.0),
    )  # fmt: skip
    add(
        "scatter", "mm>m", f"{_n} rows",
        lambda L, k, a, b, n=_n: L.at(n, apart(L, a), L.array([k % 3, 2, 2]), L.xp.sin(2.0 * b)),
    )  # fmt: skip
for _n in ("sum", "prod", "max", "min"):
    add(
        "segment", "mm>m", f"segment {_n}",
        lambda L, k, a, b, n=_n: L.segment(
            n, L.xp.concat((apart(L, a), L.xp.sin(b))), [0, 2, k % 3, 1, k % 3, 0], 3
        ),
    )  # fmt: skip
    add(
        "segment", "vv>v", f"segment {_n}",
        lambda L, k, a, b, n=_n: L.segment(
            n, L.xp.concat((apart(L, a), L.xp.sin(b))), [2, 1, k % 3, 0, k % 3, 0], 3
        ),
    )  # fmt: skip
for _n in ("sum", "prod"):
    add(
        "segment",
        "m>m",
        f"segment {_n}, one empty",
        lambda L, k, x, n=_n: L.segment(n, x, [2, 0, 2], 3),
    )

# --- contraction, cumulative, sorting -------------------------------------------------------------
add("contraction", "mm>m", "matmul", lambda L, k, a, b: a @ b)
add("contraction", "mv>v", "matvec", lambda L, k, a, b: a @ b)
add("contraction", "vm>v", "vecmat", lambda L, k, a, b: a @ b)
add("contraction", "vv>s", "dot", lambda L, k, a, b: a @ b)
add("contraction", "vv>m", "outer", lambda L, k, a, b: a[:, None] * b)
add("contraction", "mm>v", "einsum", lambda L, k, a, b: L.xp.einsum("ij,ji->i", a, b))
add("contraction", "mm>m", "einsum", lambda L, k, a, b: L.xp.einsum("ij,kj->ki", a, b))
add("contraction", "mvv>s", "einsum", lambda L, k, a, b, c: L.xp.einsum("ij,i,j->", a, b, c))
for _s in ("v>v", "m>m"):
    add("cumulative", _s, "cumsum", lambda L, k, x: L.cumulative("sum", x, axis(k, x)))
    add("cumulative", _s, "cumprod", lambda L, k, x: L.cumulative("prod", x, axis(k, x)))
    for _n in ("max", "min"):
        add(
            "cumulative",
            _s,
            f"cumulative {_n}",
            lambda L, k, x, n=_n: L.cumulative(n, apart(L, x), axis(k, x)),
        )
    add(
        "cumulative", _s, "logsumexp",
        lambda L, k, x: L.cumulative("logsumexp", x, axis(k, x)),
        others=("jax",),  # PyTorch's second derivative is NaN where a cotangent is 0
    )  # fmt: skip
    add("structure", _s, "softmax", lambda L, k, x: L.softmax(x, axis=axis(k, x)))
add("sort", "v>v", "sort", lambda L, k, x: x[L.xp.argsort(apart(L, x))])
add("sort", "v>v", "sorted", lambda L, k, x: _sorted(L, apart(L, x)))
add("sort", "v>v", "top_k", lambda L, k, x: x * L.largest(apart(L, x), 2)[1])
add("sort", "v>s", "median", lambda L, k, x: L.xp.median(apart(L, x)))
add("sort", "v>s", "quantile", lambda L, k, x: L.xp.quantile(apart(L, x), 0.3))
add(
    "sort", "vv>v", "interp",
    lambda L, k, x, y: L.interp(apart(L, x), L.array([-1.0, -0.2, 0.9]), y),
)  # fmt: skip


def _orders(L: Any, x: Any, axis: int) -> Any:
    return L.xp.argsort(apart(L, x), axis=axis)


def _sorted(L: Any, x: Any) -> Any:
    found = L.xp.sort(x)
    return found if not isinstance(found, tuple) else found[0]


# --- linear algebra, of matrices that are well conditioned ----------------------------------------
def _near(L: Any, x: Any) -> Any:
    """Near diag(1, 2, 3): separated eigenvalues and singular values."""
    return L.array(STEPS) + 0.1 * L.xp.tanh(x)


def _rank_two(L: Any) -> Any:
    return L.array(np.asarray([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]))


def _positive(L: Any, x: Any) -> Any:
    return x @ x.mT + L.array(STEPS)


add("linalg", "m>m", "inv", lambda L, k, x: L.linalg.inv(_near(L, x)))
add("linalg", "m>s", "det", lambda L, k, x: L.linalg.det(_near(L, x)))
add("linalg", "m>s", "slogdet", lambda L, k, x: L.linalg.slogdet(_near(L, x))[1])
add("linalg", "m>m", "cholesky", lambda L, k, x: L.linalg.cholesky(_positive(L, x)))
add("linalg", "mm>m", "solve", lambda L, k, a, b: L.linalg.solve(_near(L, a), b))
add("linalg", "mm>m", "solve_lower", lambda L, k, a, b: L.solve_lower(_near(L, a), b))
add("linalg", "m>v", "eigvalsh", lambda L, k, x: L.linalg.eigvalsh(_near(L, x + x.mT)))
add("linalg", "m>m", "eigh", lambda L, k, x: L.linalg.eigh(_near(L, x + x.mT))[1] ** 2)
add("linalg", "m>v", "svdvals", lambda L, k, x: L.linalg.svd(_near(L, x))[1])
add("linalg", "m>m", "qr", lambda L, k, x: L.linalg.qr(_near(L, x))[1] ** 2)
add("linalg", "m>m", "expm", lambda L, k, x: L.expm(0.3 * x))
add("linalg", "m>m", "matrix_power", lambda L, k, x: L.linalg.matrix_power(x, k % 4))
add("linalg", "m>m", "pinv", lambda L, k, x: L.linalg.pinv(_near(L, x)))

add("linalg", "m>s", "trace", lambda L, k, x: L.xp.sum(L.linalg.diagonal(x @ x)))
add("linalg", "vv>v", "cross", lambda L, k, a, b: L.linalg.cross(a, b))
add("linalg", "v>s", "vector_norm", lambda L, k, x: L.linalg.vector_norm(apart(L, x), ord=k + 1))
add("linalg", "m>s", "matrix_norm", lambda L, k, x: L.linalg.matrix_norm(_near(L, x)))
add("linalg", "m>s", "nuclear norm", lambda L, k, x: L.linalg.matrix_norm(_near(L, x), ord="nuc"))
add("linalg", "mm>m", "lstsq", lambda L, k, a, b: L.least_squares(_near(L, a), b))
add("linalg", "m>s", "det of what is singular", lambda L, k, x: L.linalg.det(x * _rank_two(L)))
