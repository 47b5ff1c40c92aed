"""The operations of random programs: three types of value, every family, one line each.

Types: s a number, v a vector of 3, m a 3 by 3 matrix. An operation is written once, over a library L
of `backends`, a small number k that chooses axes and the like, and its operands. Every value that
comes in is of order 1 (`generator` sees to it), and stays away from kinks and singularities: those
have their own tests, and other libraries other conventions.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

APART: Final = {
    "s": np.asarray(0.137),
    "v": np.asarray([0.113, -0.291, 0.423]),
    "m": np.asarray([[0.117, -0.253, 0.391], [-0.477, 0.571, -0.139], [0.291, -0.633, 0.719]]),
}
STEPS: Final = np.diag([1.0, 2.0, 3.0])


@dataclass(frozen=True)
class Op:
    """`call(L, k, *operands, *bodies)`: operands and result by type, bodies as (in, out) types."""

    family: str
    takes: str
    gives: str
    call: Callable[..., Any]
    bodies: tuple[tuple[str, str], ...] = ()


OPS: Final[dict[str, Op]] = {}


def _add(family: str, signature: str, name: str, call: Any, *bodies: tuple[str, str]) -> None:
    takes, gives = signature.split(">")
    OPS[f"{name}:{signature}"] = Op(family, takes, gives, call, bodies)


def _apart(L: Any, x: Any) -> Any:
    """Entries moved apart, so that equal ones and zeros are no more."""
    return x + L.array(APART["svm"[len(x.shape)]])


def _axis(k: int, x: Any) -> int:
    return k % len(x.shape)


# --- elementwise ----------------------------------------------------------------------------------
_SMOOTH: dict[str, Callable[..., Any]] = {
    **{
        name: (lambda L, k, x, name=name: getattr(L.xp, name)(x))
        for name in ("sin", "cos", "tanh", "exp", "expm1", "atan", "asinh", "square", "negative")
    },
    **{
        name: (lambda L, k, x, name=name: getattr(L, name)(x))
        for name in ("erf", "sigmoid", "softplus", "gelu", "i0e")
    },
    "log": lambda L, k, x: L.xp.log(x * x + 0.5),
    "log1p": lambda L, k, x: L.xp.log1p(x * x),
    "sqrt": lambda L, k, x: L.xp.sqrt(x * x + 0.5),
    "acos": lambda L, k, x: L.xp.acos(0.5 * L.xp.tanh(x)),
    "gammaln": lambda L, k, x: L.gammaln(x * x + 1.5),
    "digamma": lambda L, k, x: L.digamma(x * x + 1.5),
    "power": lambda L, k, x: x ** (k + 1),
    "reciprocal": lambda L, k, x: 1.0 / (x * x + 1.0),
    "pushed": lambda L, k, x: L.pushed(x, x + 1.0),
    "pulled": lambda L, k, x: L.pulled(x * 0.5, x),
    "decreed": lambda L, k, x: L.decreed(x),
    "detach": lambda L, k, x: x * L.detach(L.xp.sin(x)),
    "no_grad": lambda L, k, x: x + L.no_grad(lambda t: t * t)(x),
    "checkpoint": lambda L, k, x: L.checkpoint(lambda t: L.xp.sin(t) * t)(x),
}
_KINKED: dict[str, Callable[..., Any]] = {
    "abs": lambda L, k, x: L.xp.abs(_apart(L, x)),
    "relu": lambda L, k, x: L.relu(_apart(L, x)),
    "clip": lambda L, k, x: L.xp.clip(_apart(L, x), -0.4, 0.45),
    "sign": lambda L, k, x: x * L.xp.sign(_apart(L, x)),
    "floor": lambda L, k, x: x * L.xp.floor(3.0 * _apart(L, x)),
    "whole": lambda L, k, x: x * L.real(L.integer(4.0 * _apart(L, x))),
    "where": lambda L, k, x: L.xp.where(_apart(L, x) > 0.05, L.xp.sin(x), x * x),
    # in the branch not taken: a root and a logarithm of what is negative there
    "where, singular": lambda L, k, x: L.xp.where(
        _apart(L, x) > 0.01,
        L.xp.sqrt(L.xp.where(_apart(L, x) > 0.01, _apart(L, x), 1.0) + 0.3),
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
    "pushed": lambda L, k, a, b: L.pushed(a, b),
    "pulled": lambda L, k, a, b: L.pulled(a, b),
}
_FAMILY = {
    **{"detach": "detach", "no_grad": "detach", "checkpoint": "control"},
    **{"pushed": "custom", "pulled": "custom", "decreed": "custom"},
}
for _t in "svm":
    for _n, _f in _SMOOTH.items():
        _add(_FAMILY.get(_n, "elementwise"), f"{_t}>{_t}", _n, _f)
    for _n, _f in _KINKED.items():
        _add("selection", f"{_t}>{_t}", _n, _f)
for _s in ("ss>s", "sv>v", "vv>v", "vm>m", "mv>m", "mm>m", "ms>m"):
    for _n, _f in _BINARY.items():
        if _n == "pulled" and _s[0] != _s[1]:
            continue  # its rule gives cotangents of the result's shape
        _add(_FAMILY.get(_n, "elementwise"), _s, _n, _f)
for _s in ("vv>v", "mm>m"):
    _add("selection", _s, "maximum", lambda L, k, a, b: L.xp.maximum(_apart(L, a), 0.7 * b))
    _add("selection", _s, "minimum", lambda L, k, a, b: L.xp.minimum(_apart(L, a), 0.7 * b))
    _add("selection", _s, "choose", lambda L, k, a, b: L.xp.where(_apart(L, a) > 0.6 * b, b, a * b))

# --- reductions -----------------------------------------------------------------------------------
for _s in ("v>s", "m>v"):
    _add("reduction", _s, "sum", lambda L, k, x: L.xp.sum(x, axis=_axis(k, x)))
    _add("reduction", _s, "mean", lambda L, k, x: L.xp.mean(x, axis=_axis(k, x)))
    _add("reduction", _s, "prod", lambda L, k, x: L.xp.prod(x, axis=_axis(k, x)))
    _add(
        "reduction", _s, "variance",
        lambda L, k, x: L.xp.sqrt(
            L.xp.mean((x - L.xp.mean(x, axis=_axis(k, x), keepdims=True)) ** 2, axis=_axis(k, x)) + 0.1
        ),
    )  # fmt: skip
    _add("reduction", _s, "logsumexp", lambda L, k, x: L.logsumexp(x, axis=_axis(k, x)))
    _add("reduction", _s, "max", lambda L, k, x: L.extreme("max", _apart(L, x), _axis(k, x)))
    _add("reduction", _s, "min", lambda L, k, x: L.extreme("min", _apart(L, x), _axis(k, x)))
    _add(
        "reduction", _s, "norm",
        lambda L, k, x: L.xp.sqrt(L.xp.sum(x * x, axis=_axis(k, x)) + 0.2),
    )  # fmt: skip
_add("reduction", "m>s", "sum", lambda L, k, x: L.xp.sum(x))
_add("reduction", "m>s", "mean of squares", lambda L, k, x: L.xp.mean(x * x))

# --- structure ------------------------------------------------------------------------------------
_add("structure", "m>m", "transpose", lambda L, k, x: x.mT)
_add("structure", "m>m", "flip", lambda L, k, x: L.flip(x, k % 2))
_add("structure", "v>v", "flip", lambda L, k, x: L.flip(x, 0))
_add("structure", "m>m", "roll", lambda L, k, x: L.roll(x, k, k % 2))
_add("structure", "m>m", "reshape", lambda L, k, x: L.xp.reshape(L.xp.reshape(x, (9,)), (3, 3)).mT)
_add("structure", "v>m", "rows", lambda L, k, x: L.xp.broadcast_to(x, (3, 3)))
_add("structure", "v>m", "columns", lambda L, k, x: x[:, None] * L.array(np.arange(1.0, 4.0)))
_add("structure", "s>v", "fill", lambda L, k, x: L.xp.broadcast_to(x, (3,)) * L.array(APART["v"]))
_add("structure", "vvv>m", "stack", lambda L, k, a, b, c: L.xp.stack((a, b, c), axis=k % 2))
_add("structure", "sss>v", "stack", lambda L, k, a, b, c: L.xp.stack((a, b, c)))
_add("structure", "mv>m", "concat", lambda L, k, m, v: L.xp.concat((m[1:], v[None, :])))
_add("structure", "m>m", "tril", lambda L, k, x: L.tril(x, k - 1))
_add("structure", "v>v", "differences", lambda L, k, x: L.xp.concat((x[1:] - x[:-1], x[:1])))

# --- indexing, scatter ----------------------------------------------------------------------------
_add("indexing", "m>v", "row", lambda L, k, x: x[k % 3])
_add("indexing", "m>v", "column", lambda L, k, x: x[:, k % 3])
_add("indexing", "v>s", "entry", lambda L, k, x: x[k % 3])
_add("indexing", "m>m", "take", lambda L, k, x: x[L.array([k % 3, 0, k % 3])])
_add("indexing", "m>v", "pairs", lambda L, k, x: x[L.array([0, 2, 0]), L.array([k % 3, 1, 0])])
_add("indexing", "v>v", "at argmax", lambda L, k, x: x * x[L.extreme("argmax", _apart(L, x), 0)])
_add("indexing", "mv>m", "set", lambda L, k, m, v: L.at("set", m, k % 3, v))
_add("indexing", "mv>m", "add", lambda L, k, m, v: L.at("add", m, (L.array([k % 3, 0, 0]),), v * m))
_add("indexing", "v>v", "add entries", lambda L, k, x: L.at("add", x, (L.array([0, 0, k % 3]),), x))
_add(
    "indexing", "v>v", "multiply entries",
    lambda L, k, x: L.at("multiply", x, L.array([0, k % 3, 0]), x + 1.0),
)  # fmt: skip

# --- contraction, cumulative, sorting -------------------------------------------------------------
_add("contraction", "mm>m", "matmul", lambda L, k, a, b: a @ b)
_add("contraction", "mv>v", "matvec", lambda L, k, a, b: a @ b)
_add("contraction", "vm>v", "vecmat", lambda L, k, a, b: a @ b)
_add("contraction", "vv>s", "dot", lambda L, k, a, b: a @ b)
_add("contraction", "vv>m", "outer", lambda L, k, a, b: a[:, None] * b)
_add("contraction", "mm>v", "einsum", lambda L, k, a, b: L.xp.einsum("ij,ji->i", a, b))
_add("contraction", "mm>m", "einsum", lambda L, k, a, b: L.xp.einsum("ij,kj->ki", a, b))
_add("contraction", "mvv>s", "einsum", lambda L, k, a, b, c: L.xp.einsum("ij,i,j->", a, b, c))
for _s in ("v>v", "m>m"):
    _add("cumulative", _s, "cumsum", lambda L, k, x: L.cumulative("sum", x, _axis(k, x)))
    _add("cumulative", _s, "cumprod", lambda L, k, x: L.cumulative("prod", x, _axis(k, x)))
    _add("structure", _s, "softmax", lambda L, k, x: L.softmax(x, axis=_axis(k, x)))
_add("sort", "v>v", "sort", lambda L, k, x: x[L.xp.argsort(_apart(L, x))])
_add("sort", "v>v", "sorted", lambda L, k, x: _sorted(L, _apart(L, x)))
_add("sort", "v>s", "median", lambda L, k, x: L.xp.median(_apart(L, x)))
_add("sort", "v>s", "quantile", lambda L, k, x: L.xp.quantile(_apart(L, x), 0.3))
_add(
    "sort", "vv>v", "interp",
    lambda L, k, x, y: L.interp(_apart(L, x), L.array([-1.0, -0.2, 0.9]), y),
)  # fmt: skip


def _sorted(L: Any, x: Any) -> Any:
    found = L.xp.sort(x)
    return found if not isinstance(found, tuple) else found[0]


# --- linear algebra, of matrices that are well conditioned ----------------------------------------
def _near(L: Any, x: Any) -> Any:
    """Near diag(1, 2, 3): separated eigenvalues and singular values."""
    return L.array(STEPS) + 0.1 * L.xp.tanh(x)


def _positive(L: Any, x: Any) -> Any:
    return x @ x.mT + L.array(STEPS)


_add("linalg", "m>m", "inv", lambda L, k, x: L.linalg.inv(_near(L, x)))
_add("linalg", "m>s", "det", lambda L, k, x: L.linalg.det(_near(L, x)))
_add("linalg", "m>s", "slogdet", lambda L, k, x: L.linalg.slogdet(_near(L, x))[1])
_add("linalg", "m>m", "cholesky", lambda L, k, x: L.linalg.cholesky(_positive(L, x)))
_add("linalg", "mm>m", "solve", lambda L, k, a, b: L.linalg.solve(_near(L, a), b))
_add("linalg", "mm>m", "solve_lower", lambda L, k, a, b: L.solve_lower(_near(L, a), b))
_add("linalg", "m>v", "eigvalsh", lambda L, k, x: L.linalg.eigvalsh(_near(L, x + x.mT)))
_add("linalg", "m>m", "eigh", lambda L, k, x: L.linalg.eigh(_near(L, x + x.mT))[1] ** 2)
_add("linalg", "m>v", "svdvals", lambda L, k, x: L.linalg.svd(_near(L, x))[1])
_add("linalg", "m>m", "qr", lambda L, k, x: L.linalg.qr(_near(L, x))[1] ** 2)
_add("linalg", "m>m", "expm", lambda L, k, x: L.expm(0.3 * x))
_add("linalg", "m>m", "matrix_power", lambda L, k, x: L.linalg.matrix_power(x, k % 4))
_add("linalg", "m>m", "pinv", lambda L, k, x: L.linalg.pinv(_near(L, x)))

# --- branches and loops: the bodies are programs, and may read all values before them --------------
for _t in "svm":
    _add(
        "control", f"s{_t}>{_t}", "cond",
        lambda L, k, p, x, f, g: L.cond(p + 0.041 > 0.0, f, g, x),
        (_t, _t), (_t, _t),
    )  # fmt: skip
    _add(
        "control", f"s{_t}>{_t}", "switch",
        lambda L, k, p, x, f, g, h: L.switch(
            L.xp.clip(L.integer(3.0 * L.xp.abs(p + 0.041)), 0, 2), (f, g, h), x
        ),
        (_t, _t), (_t, _t), (_t, _t),
    )  # fmt: skip
    _add(
        "control", f"{_t}>{_t}", "fori",
        lambda L, k, x, f: L.fori(0, k % 4, lambda i, c: f(c) + 0.1 * i, x),
        (_t, _t),
    )  # fmt: skip
    _add(
        "control", f"s{_t}>{_t}", "while",
        lambda L, k, p, x, f: L.bounded_while(
            lambda c: L.xp.mean(c) < 0.3 * p + 0.017, f, x, k % 5
        ),
        (_t, _t),
    )  # fmt: skip
_add(
    "control", "vm>v", "scan",
    lambda L, k, c, xs, f: L.scan(lambda c, x: (f(c, x), c), c, xs)[0],
    ("vv", "v"),
)  # fmt: skip
_add(
    "control", "sv>v", "scan",
    lambda L, k, c, xs, f: L.scan(lambda c, x: (f(c, x), c * x), c, xs)[1],
    ("ss", "s"),
)  # fmt: skip
_add("control", "m>m", "map", lambda L, k, xs, f: L.map(f, xs), ("v", "v"))
_add(
    "control", "vm>m", "zip",
    lambda L, k, v, m, f: L.map(lambda p: f(p[0], p[1]), (v, m)),
    ("sv", "v"),
)  # fmt: skip
_add("control", "vm>v", "reduce", lambda L, k, c, xs, f: L.reduce(f, c, xs), ("vv", "v"))
_add(
    "control", "s>s", "checkpoint",
    lambda L, k, x, f: L.checkpoint(f)(x),
    ("s", "s"),
)  # fmt: skip

FAMILIES: Final = sorted({op.family for op in OPS.values()})
