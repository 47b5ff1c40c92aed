"""Every function with a shape rule, and NumPy's answer to the same call: data for test_functions.py.

A rule is a name, the kinds of its operands (r: real, i: indices, b: truth values), a strategy for
its parameters, ours, and NumPy's. Both are called with the operands and the parameters.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import taglessad as tad

F = tad.nn.functional
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
    """exact: on symbols it refuses just where numbers do. counts: it needs numbers for sizes.

    sizes: those of operands; with indices among the operands no axis is empty.
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


def unary() -> list[Rule]:
    names = (
        "abs acos acosh asin asinh atan atanh ceil conj cos cosh exp expm1 floor isfinite isinf "
        "isnan log log1p log2 log10 logical_not negative positive real reciprocal round sign "
        "signbit sin sinc sinh sqrt square tan tanh trunc ravel ones_like zeros_like empty_like "
        "atleast_1d atleast_2d atleast_3d matrix_transpose"
    ).split()
    return [Rule(name, "r", NOTHING, getattr(tad, name), getattr(np, name)) for name in names]


def binary() -> list[Rule]:
    names = (
        "add atan2 copysign divide equal floor_divide fmod greater greater_equal hypot less "
        "less_equal logaddexp logical_and logical_or logical_xor maximum minimum multiply "
        "nextafter not_equal pow remainder subtract matmul"
    ).split()
    other = {"atan2": "arctan2"}
    found = [
        Rule(name, "rr", NOTHING, getattr(tad, name), getattr(np, other.get(name, name)))
        for name in names
    ]
    bits = "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift".split()
    found += [Rule(name, "ii", NOTHING, getattr(tad, name), getattr(np, name)) for name in bits]
    return found


def _softmax(x: Any, axis: Any) -> Any:
    return x / np.sum(x, axis=axis, keepdims=True)


def _reducing(name: str, params: st.SearchStrategy[Any], *, empty: bool) -> Rule:
    ours, numpys = getattr(tad, name), getattr(np, name)
    return Rule(
        name,
        "r",
        st.tuples(params, flag),
        lambda x, a, k: ours(x, axis=a, keepdims=k),
        lambda x, a, k: numpys(x, axis=a, keepdims=k),
        empty=empty,
        ranks=(1, 4),  # NumPy takes axis 0 of a number here and there
    )


def _cumulative(name: str) -> Rule:
    ours, numpys = getattr(tad, name), getattr(np, name)
    return Rule(
        name,
        "r",
        st.tuples(axis, flag),
        lambda x, a, k: ours(x, axis=a, include_initial=k),
        lambda x, a, k: numpys(x, axis=a, include_initial=k),
        ranks=(1, 4),
    )


def _running(name: str, ufunc: np.ufunc) -> Rule:
    ours = getattr(tad, name)
    return Rule(
        name,
        "r",
        st.tuples(axis),
        lambda x, a: ours(x, axis=a),
        lambda x, a: ufunc.accumulate(x, axis=a),
    )


def _reductions() -> list[Rule]:
    names = "all any max mean median min nansum prod std sum var count_nonzero".split()
    # The largest of no entries is refused, whatever the shape of the result.
    found = [_reducing(n, some_axes, empty=n not in ("max", "min", "median")) for n in names]
    found += [_reducing(n, st.none() | axis, empty=False) for n in ("argmax", "argmin")]
    found += [_cumulative("cumulative_sum"), _cumulative("cumulative_prod")]
    found += [_running("cumulative_max", np.maximum), _running("cumulative_min", np.minimum)]
    return found


def _concat(*arguments: Any) -> Any:
    *xs, a = arguments
    return np.concatenate(xs, axis=a)


MANIPULATION: list[Rule] = [
    Rule("broadcast_to", "r", st.tuples(shape), tad.broadcast_to, np.broadcast_to, exact=False),
    Rule(
        "broadcast_arrays",
        "rr",
        NOTHING,
        lambda a, b: tad.broadcast_arrays(a, b)[0],
        lambda a, b: np.broadcast_arrays(a, b)[0],
    ),
    Rule("concat", "rr", st.tuples(axis), lambda a, b, i: tad.concat((a, b), axis=i), _concat),
    Rule(
        "concat of three",
        "rrr",
        st.tuples(axis),
        lambda a, b, c, i: tad.concat((a, b, c), axis=i),
        _concat,
    ),
    Rule(
        "concat, flat",
        "rr",
        NOTHING,
        lambda a, b: tad.concat((a, b), axis=None),
        lambda a, b: np.concatenate((a, b), axis=None),
    ),
    Rule(
        "stack",
        "rr",
        st.tuples(axis),
        lambda a, b, i: tad.stack((a, b), axis=i),
        lambda a, b, i: np.stack((a, b), axis=i),
    ),
    Rule(
        "unstack",
        "r",
        st.tuples(axis),
        lambda x, i: tad.unstack(x, axis=i)[0],
        lambda x, i: np.unstack(x, axis=i)[0],
        counts=True,
        empty=False,
    ),
    Rule(
        "expand_dims",
        "r",
        st.tuples(axis | axes),
        lambda x, i: tad.expand_dims(x, axis=i),
        lambda x, i: np.expand_dims(x, i),
    ),
    Rule("squeeze", "r", st.tuples(axis | axes), tad.squeeze, np.squeeze, ranks=(1, 4)),
    Rule(
        "flip",
        "r",
        st.tuples(some_axes),
        lambda x, i: tad.flip(x, axis=i),
        lambda x, i: np.flip(x, axis=i),
    ),
    Rule("moveaxis", "r", st.tuples(axis, axis), tad.moveaxis, np.moveaxis),
    Rule("swapaxes", "r", st.tuples(axis, axis), tad.swapaxes, np.swapaxes),
    Rule(
        "permute_dims",
        "r",
        st.tuples(st.permutations(range(3)) | axes),
        tad.permute_dims,
        np.transpose,
    ),
    Rule(
        "reshape",
        "r",
        st.tuples(shape | st.just((-1,)) | st.just((2, -1))),
        tad.reshape,
        np.reshape,
        exact=False,
    ),
    Rule(
        "roll",
        "r",
        st.tuples(st.integers(-3, 3), st.none() | axis),
        lambda x, n, i: tad.roll(x, n, axis=i),
        lambda x, n, i: np.roll(x, n, axis=i),
    ),
    Rule("tile", "r", st.tuples(st.lists(small, max_size=3).map(tuple)), tad.tile, np.tile),
    Rule(
        "repeat",
        "r",
        st.tuples(small, st.none() | axis),
        lambda x, n, i: tad.repeat(x, n, axis=i),
        lambda x, n, i: np.repeat(x, n, axis=i),
        ranks=(1, 4),
    ),
    Rule(
        "pad",
        "r",
        st.tuples(small, small),
        lambda x, a, b: tad.pad(x, (a, b)),
        lambda x, a, b: np.pad(x, (a, b)),
        ranks=(1, 4),
    ),
    Rule(
        "diff",
        "r",
        st.tuples(st.integers(1, 2), axis),
        lambda x, n, i: tad.diff(x, n, i),
        lambda x, n, i: np.diff(x, n, i),
        exact=False,
        ranks=(1, 4),
    ),
    Rule(
        "sort",
        "r",
        st.tuples(axis),
        lambda x, i: tad.sort(x, axis=i),
        lambda x, i: np.sort(x, axis=i),
    ),
    Rule(
        "argsort",
        "r",
        st.tuples(axis),
        lambda x, i: tad.argsort(x, axis=i),
        lambda x, i: np.argsort(x, axis=i),
        ranks=(1, 4),
    ),
    Rule("where", "brr", NOTHING, tad.where, np.where),
    Rule(
        "clip", "rr", NOTHING, lambda x, a: tad.clip(x, a, None), lambda x, a: np.clip(x, a, None)
    ),
    Rule(
        "tril",
        "r",
        st.tuples(offset),
        lambda x, k: tad.tril(x, k=k),
        lambda x, k: np.tril(x, k),
        ranks=(2, 4),
    ),
    Rule(
        "triu",
        "r",
        st.tuples(offset),
        lambda x, k: tad.triu(x, k=k),
        lambda x, k: np.triu(x, k),
        ranks=(2, 4),
    ),
    Rule(
        "full_like", "r", NOTHING, lambda x: tad.full_like(x, 2.0), lambda x: np.full_like(x, 2.0)
    ),
    Rule(
        "meshgrid",
        "rr",
        NOTHING,
        lambda a, b: tad.meshgrid(a, b)[0],
        lambda a, b: np.meshgrid(a, b)[0],
        ranks=(1, 1),
    ),
    Rule(
        "diag",
        "r",
        st.tuples(offset),
        lambda x, k: tad.diag(x, k=k),
        lambda x, k: np.diag(x, k),
        exact=False,
        ranks=(1, 2),
    ),
    Rule("searchsorted", "rr", NOTHING, tad.searchsorted, np.searchsorted),
    Rule(
        "top_k",
        "r",
        NOTHING,
        lambda x: tad.top_k(x, 1)[0],
        lambda x: np.sort(x)[..., :1],
        ranks=(1, 4),
        empty=False,
    ),
    Rule(
        "take",
        "ri",
        st.tuples(axis),
        lambda x, i, a: tad.take(x, i, axis=a),
        lambda x, i, a: np.take(x, i, axis=a),
        ranks=(1, 4),
        empty=False,
    ),
    Rule(
        "take_along_axis",
        "ri",
        st.tuples(axis),
        lambda x, i, a: tad.take_along_axis(x, i, axis=a),
        lambda x, i, a: np.take_along_axis(x, i, axis=a),
        empty=False,
    ),
    Rule("zeros", "r", NOTHING, lambda x: tad.zeros(x.shape), lambda x: np.zeros(x.shape)),
    Rule("ones", "r", NOTHING, lambda x: tad.ones(x.shape), lambda x: np.ones(x.shape)),
    Rule("full", "r", NOTHING, lambda x: tad.full(x.shape, 1.0), lambda x: np.full(x.shape, 1.0)),
    Rule(
        "eye",
        "r",
        NOTHING,
        lambda x: tad.eye(*x.shape),
        lambda x: np.eye(*x.shape),
        counts=True,
        ranks=(1, 2),
    ),
]


def _first(f: Callable[..., Any]) -> Callable[..., Any]:
    """The first of several results."""
    return lambda *xs: f(*xs)[0]


def _decomposition(name: str, pick: Callable[..., Any] = lambda f: f, kinds: str = "r") -> Rule:
    ours, numpys = getattr(tad.linalg, name), getattr(np.linalg, name)
    return Rule(name, kinds, NOTHING, pick(ours), pick(numpys), ranks=(1, 4), empty=False)


def _matrix_functions() -> list[Rule]:
    one = "cholesky cond det eigvalsh inv pinv svdvals".split()
    rank = Rule(
        "matrix_rank",
        "r",
        NOTHING,
        tad.linalg.matrix_rank,
        np.linalg.matrix_rank,
        ranks=(2, 4),  # to NumPy a vector has a rank as well
        empty=False,
    )
    return [
        rank,
        *[_decomposition(name) for name in one],
        *[_decomposition(name, _first) for name in ("eigh", "qr", "slogdet", "svd")],
        _decomposition("solve", kinds="rr"),
    ]


LINEAR_ALGEBRA: list[Rule] = [
    *_matrix_functions(),
    Rule(
        "vecdot",
        "rr",
        st.tuples(axis),
        lambda a, b, i: tad.vecdot(a, b, axis=i),
        lambda a, b, i: _vecdot(a, b, i),
    ),
    Rule(
        "tensordot",
        "rr",
        st.tuples(st.integers(0, 3)),
        lambda a, b, n: tad.tensordot(a, b, axes=n),
        lambda a, b, n: np.tensordot(a, b, axes=n),
    ),
    Rule(
        "tensordot of axes",
        "rr",
        st.tuples(axes, axes),
        lambda a, b, i, j: tad.tensordot(a, b, axes=(i, j)),
        lambda a, b, i, j: np.tensordot(a, b, axes=(i, j)),
    ),
    Rule("outer", "rr", NOTHING, tad.linalg.outer, np.linalg.outer, ranks=(1, 1)),
    Rule(
        "cross",
        "rr",
        st.tuples(axis),
        lambda a, b, i: tad.linalg.cross(a, b, axis=i),
        lambda a, b, i: np.linalg.cross(a, b, axis=i),
        exact=False,
        ranks=(1, 3),
    ),
    Rule(
        "diagonal",
        "r",
        st.tuples(offset),
        lambda x, k: tad.linalg.diagonal(x, offset=k),
        lambda x, k: np.linalg.diagonal(x, offset=k),
        exact=False,
    ),
    Rule(
        "trace",
        "r",
        st.tuples(offset),
        lambda x, k: tad.linalg.trace(x, offset=k),
        lambda x, k: np.linalg.trace(x, offset=k),
        exact=False,
    ),
    Rule("matrix_power", "r", st.tuples(small), tad.linalg.matrix_power, np.linalg.matrix_power),
    Rule(
        "vector_norm",
        "r",
        st.tuples(st.none() | axis, flag),
        lambda x, i, k: tad.linalg.vector_norm(x, axis=i, keepdims=k),
        lambda x, i, k: np.linalg.vector_norm(x, axis=i, keepdims=k),
    ),
    Rule(
        "matrix_norm",
        "r",
        st.tuples(flag),
        lambda x, k: tad.linalg.matrix_norm(x, keepdims=k),
        lambda x, k: np.linalg.matrix_norm(x, keepdims=k),
        ranks=(2, 4),
    ),
]


def _vecdot(a: Any, b: Any, i: int) -> Any:
    n = min(a.ndim, b.ndim)
    if not -n <= i < 0 and (a.ndim != b.ndim or not 0 <= i < n):
        # The standard counts the axis in each operand by itself.
        a.sum(axis=i), b.sum(axis=i)
        return _vecdot(np.moveaxis(a, i, -1), np.moveaxis(b, i, -1), -1)
    return np.linalg.vecdot(a, b, axis=i)


def _einsum(spec: str) -> Rule:
    return Rule(
        f"einsum {spec}",
        "r" * (spec.count(",") + 1),
        NOTHING,
        lambda *xs: tad.einsum(spec, *xs),
        lambda *xs: _numpys_einsum(spec, *xs),
        ranks=(1, 3),
    )


def _numpys_einsum(spec: str, *xs: Any) -> Any:
    if spec.startswith("ii") and xs[0].ndim == 2 and xs[0].shape[0] != xs[0].shape[1]:
        raise ValueError("NumPy takes a diagonal where one of the sizes is 1")
    return np.einsum(spec, *xs)


EINSUM = [
    _einsum(spec)
    for spec in (
        "ij->ji",
        "ii->i",
        "ii",
        "ij->",
        "i,i->",
        "i,j->ij",
        "ij,jk->ik",
        "ij,jk,kl->il",
        "bij,bjk->bik",
        "...i,...i->...",
        "i...->...i",
        "ij,ij->ij",
        "ij,kj",
        "...ij,jk->...ik",
    )
]

INDICES: list[tuple[str, Callable[[Any], Any]]] = [
    ("x[0]", lambda x: x[0]),
    ("x[-1]", lambda x: x[-1]),
    ("x[0, 0]", lambda x: x[0, 0]),
    ("x[0, 0, 0]", lambda x: x[0, 0, 0]),
    ("x[2]", lambda x: x[2]),
    ("x[:, None]", lambda x: x[:, None]),
    ("x[..., 0]", lambda x: x[..., 0]),
    ("x[None, ..., None]", lambda x: x[None, ..., None]),
    ("x[1:]", lambda x: x[1:]),
    ("x[:-1]", lambda x: x[:-1]),
    ("x[::2]", lambda x: x[::2]),
    ("x[::-1]", lambda x: x[::-1]),
    ("x[1:, ..., :1]", lambda x: x[1:, ..., :1]),
    ("x[..., ::-2]", lambda x: x[..., ::-2]),
    ("x[:, 0, :]", lambda x: x[:, 0, :]),
    ("x[0:0]", lambda x: x[0:0]),
]

INDEXING = [
    Rule(text, "r", NOTHING, read, read, exact=False, empty=False) for text, read in INDICES
] + [
    Rule("x[i]", "ri", NOTHING, lambda x, i: x[i], lambda x, i: x[i], empty=False),
    Rule("x[:, i]", "ri", NOTHING, lambda x, i: x[:, i], lambda x, i: x[:, i], empty=False),
    Rule("x[i, j]", "rii", NOTHING, lambda x, i, j: x[i, j], lambda x, i, j: x[i, j], empty=False),
    Rule(
        "x[i, :, j]",
        "rii",
        NOTHING,
        lambda x, i, j: x[i, :, j],
        lambda x, i, j: x[i, :, j],
        empty=False,
    ),
    Rule(
        "x[..., i, 0]",
        "ri",
        NOTHING,
        lambda x, i: x[..., i, 0],
        lambda x, i: x[..., i, 0],
        empty=False,
    ),
    Rule(
        "x.at[0].set",
        "rr",
        NOTHING,
        lambda x, y: x.at[0].set(y),
        lambda x, y: _updated(x, y, 0),
        empty=False,
    ),
    Rule(
        "x.at[i].add",
        "rir",
        NOTHING,
        lambda x, i, y: x.at[i].add(y),
        lambda x, i, y: _updated(x, y, i),
        empty=False,
    ),
]


def _updated(x: Any, y: Any, index: Any) -> Any:
    new = x.copy()
    new[index] = np.broadcast_to(y, x[index].shape)
    return new


def _same_shape(a: Any, b: Any) -> None:
    if a.shape != b.shape:
        raise ValueError("shapes differ")


def _labelled(x: Any, labels: Any) -> Any:
    if x.ndim != labels.ndim + 1:
        raise ValueError("one label for each row")
    _same_shape(x[..., 0], labels)
    return x[..., 0]


def _elementwise_loss(a: Any, b: Any) -> Any:
    _same_shape(a, b)
    return a


def _windows(x: Any, kernel: Any, stride: int, padding: int) -> Any:
    """The windows of the axes behind the first two, `padding` on either side, every stride-th."""
    n = len(kernel)
    if x.ndim != n + 2:
        raise ValueError("a batch of channels of so many axes")
    padded = np.pad(x, [(0, 0)] * 2 + [(padding, padding)] * n)
    whole = np.lib.stride_tricks.sliding_window_view(padded, kernel, axis=tuple(range(2, n + 2)))
    return whole[(slice(None), slice(None), *[slice(None, None, stride)] * n)]


def _convolved(x: Any, kernel: Any, stride: int, padding: int) -> Any:
    if x.ndim != kernel.ndim or kernel.ndim < 3 or x.shape[1] != kernel.shape[1]:
        raise ValueError("the kernel is of as many channels and axes")
    windows = _windows(x, kernel.shape[2:], stride, padding)
    return np.moveaxis(np.tensordot(windows, kernel[:, :, ...], axes=_paired(kernel.ndim)), -1, 1)


def _paired(rank: int) -> tuple[list[int], list[int]]:
    """The axes of windows and kernel that are summed over: channels, and the window itself."""
    return [1, *range(rank, 2 * rank - 2)], [1, *range(2, rank)]


def _convolution(n: int) -> Rule:
    ours = getattr(F, f"conv{n}d")
    return Rule(
        f"conv{n}d",
        "rr",
        st.tuples(st.integers(1, 2), st.integers(0, 1)),
        lambda x, k, s, p: ours(x, k, stride=s, padding=p),
        lambda x, k, s, p: _convolved(x, k, s, p) if x.ndim == n + 2 else _refused(),
        exact=False,
        ranks=(n + 1, n + 2),
        empty=False,
    )


def _pooling(name: str, n: int) -> Rule:
    ours = getattr(F, f"{name}{n}d")
    return Rule(
        f"{name}{n}d",
        "r",
        st.tuples(st.integers(1, 2), st.integers(1, 2)),
        lambda x, k, s: ours(x, k, stride=s),
        lambda x, k, s: _windows(x, (k,) * n, s, 0)[(..., *[0] * n)],
        exact=False,
        counts=True,
        ranks=(n + 1, n + 2),
        empty=False,
    )


def _refused() -> Any:
    raise ValueError("another number of axes")


NEURAL: list[Rule] = [
    Rule("softmax", "r", st.tuples(axis), F.softmax, _softmax, ranks=(1, 4), empty=False),
    Rule("log_softmax", "r", st.tuples(axis), F.log_softmax, _softmax, ranks=(1, 4), empty=False),
    *[
        Rule(name, "r", NOTHING, getattr(F, name), np.abs)
        for name in "elu gelu log_sigmoid relu relu6 selu sigmoid silu softplus".split()
    ],
    *[_convolution(n) for n in (1, 2)],
    *[_pooling(name, n) for name in ("avg_pool", "max_pool") for n in (1, 2)],
    Rule("one_hot", "i", st.tuples(st.integers(1, 3)), F.one_hot, lambda i, n: np.eye(n)[i]),
    Rule("cross_entropy", "ri", NOTHING, F.cross_entropy, _labelled, counts=True, empty=False),
    Rule("mse", "rr", NOTHING, F.mse, lambda a, b: np.mean(_elementwise_loss(a, b)), empty=False),
    Rule("binary_cross_entropy", "rr", NOTHING, F.binary_cross_entropy, _elementwise_loss),
]

ELEMENTWISE = [*unary(), *binary()]
RULES = [
    *_reductions(),
    *MANIPULATION,
    *LINEAR_ALGEBRA,
    *EINSUM,
    *INDEXING,
    *NEURAL,
]
