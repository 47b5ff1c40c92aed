"""Attention: weighted means of values, weights from how well keys answer to queries."""

import math
from typing import Any, Generic

import numpy as np
from typing_extensions import TypeVar, TypeVarTuple

from taglessad.array_api.linear_algebra import matmul, matrix_transpose
from taglessad.array_api.manipulation import moveaxis, reshape
from taglessad.array_api.searching import where
from taglessad.convert import as_handle
from taglessad.dispatch import interpreter_of
from taglessad.dtypes import float64, is_bool
from taglessad.errors import ArgumentError, DTypeError, ShapeError
from taglessad.nn import init as initializers
from taglessad.nn.checks import at_least_one, check_last_axes, divides, share
from taglessad.nn.init import Initializer, Rng
from taglessad.nn.linear import Linear
from taglessad.nn.module import Module, assign
from taglessad.shapes import broadcast, differ, show
from taglessad.shapes.dim_types import Size
from taglessad.special.information import softmax
from taglessad.tensor import BoolTensor, Tensor

# Any as default: a size that a type checker cannot tell.
Features = TypeVar("Features", default=Any)
S = TypeVarTuple("S")
# Any below: handles whose shapes are checked, and sizes.


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    mask: BoolTensor | None = None,
    causal: bool = False,
    scale: float | None = None,
) -> Tensor:
    """softmax(query @ key^T * scale) @ value: [..., T, K], [..., S, K], [..., S, V] -> [..., T, V].

    (Vaswani et al. 2017, section 3.2.1.) mask: broadcasts to [..., T, S]; true where a query may
    look. causal: query i looks at keys up to i alone, counted so that the last query sees all.
    scale: 1 / sqrt(K) by default. A query that may look nowhere gives zeros, and carries no
    derivative. Raises ShapeError for shapes that do not fit, DTypeError for a mask of numbers.
    """
    what = "nn.functional.scaled_dot_product_attention"
    names = ("query", "key", "value")
    operands: Any = [as_handle(x, what, n) for n, x in zip(names, (query, key, value), strict=True)]
    q, k, v = operands
    _check(what, q.shape, k.shape, v.shape)
    if scale is None:
        features = q.shape[-1]  # under Shape a symbol, and the number is not asked for
        scale = 1.0 / math.sqrt(max(1, features)) if isinstance(features, int) else 1.0
    scores: Any = matmul(q, matrix_transpose(k)) * scale
    allowed = _allowed(what, scores, mask, causal)
    if allowed is None:
        return matmul(softmax(scores, axis=-1), v)
    weights = softmax(where(allowed, scores, -np.inf), axis=-1)
    return matmul(where(allowed, weights, 0.0), v)


def _check(what: str, q: Any, k: Any, v: Any) -> None:
    shapes = f"query {show(q)}, key {show(k)}, value {show(v)}"
    if min(map(len, (q, k, v))) < 2:
        raise ShapeError(f"{what}: {shapes}: each is [..., positions, features]")
    if why := differ(q[-1], k[-1]):
        raise ShapeError(f"{what}: {shapes}: query and key differ in features ({why})")
    if why := differ(k[-2], v[-2]):
        raise ShapeError(f"{what}: {shapes}: key and value differ in positions ({why})")


def _allowed(what: str, scores: Any, mask: BoolTensor | None, causal: bool) -> Any:
    """Where a query may look, as one mask; None for everywhere."""
    found: Any = None
    if mask is not None:
        found = as_handle(mask, what, "mask")
        if not is_bool(found.dtype):
            raise DTypeError(f"{what}: mask has dtype {found.dtype}; it holds truth values")
        whole = broadcast(found.shape, scores.shape, what=f"{what}: mask and scores")
        if any(differ(n, m) for n, m in zip(whole, scores.shape, strict=False)) or len(
            whole
        ) != len(scores.shape):
            raise ShapeError(
                f"{what}: mask {show(found.shape)} does not broadcast to the scores, "
                f"{show(scores.shape)}"
            )
    if not causal:
        return found
    ops = interpreter_of([scores])
    rows, columns = scores.shape[-2:]
    gap = columns - rows
    if not isinstance(gap, int):
        raise ShapeError(
            f"{what}: causal, with {rows} queries and {columns} keys: how many keys the first "
            "query sees is not known; give a mask"
        )
    everywhere = ops.broadcast(ops.const(np.asarray(True)), (rows, columns))
    past = BoolTensor(ops, ops.tril(everywhere, gap), np.dtype(np.bool_))
    return past if found is None else found & past


class MultiHeadAttention(Module, Generic[Features]):
    """Attention in several subspaces at once (Vaswani et al. 2017, section 3.2.2).

    x: [..., T, Features] -> the same shape. `attention(x)` looks at x itself, `attention(x, other)`
    at another sequence, [..., S, Features]; mask and causal as in `scaled_dot_product_attention`,
    the mask for all heads alike. q, k, v, out: Linear[Features, Features]; heads: how many.
    Raises ShapeError for other features, ArgumentError where heads do not divide the features.
    """

    q: Linear[Features, Features]
    k: Linear[Features, Features]
    v: Linear[Features, Features]
    out: Linear[Features, Features]
    heads: int

    def __init__(
        self,
        features: Size[Features],
        heads: int = 1,
        *,
        rng: Rng = None,
        bias: bool = True,
        init: Initializer = initializers.glorot_uniform,
        dtype: object = float64,
    ) -> None:
        what = "nn.MultiHeadAttention"
        n, count = at_least_one(features, what, "features"), at_least_one(heads, what, "heads")
        if not divides(count, n):
            raise ArgumentError(f"{what}: {n} features are no multiple of {count} heads")
        random = initializers.generator(rng, what)
        parts = [
            Linear[Any, Any](n, n, rng=random, bias=bias, init=init, dtype=dtype) for _ in "qkvo"
        ]
        q, k, v, out = parts
        assign(self, q=q, k=k, v=v, out=out, heads=count)

    def __call__(
        self,
        x: Tensor[*S],
        other: Tensor | None = None,
        /,
        *,
        mask: BoolTensor | None = None,
        causal: bool = False,
    ) -> Tensor[*S]:
        t: Any = as_handle(x, "nn.MultiHeadAttention", "x")
        seen: Any = t if other is None else as_handle(other, "nn.MultiHeadAttention", "other")
        features: Any = self.q.w.shape[0]
        layer = f"MultiHeadAttention[{features}, heads={self.heads}]"
        for sequence in (t, seen):
            check_last_axes(layer, sequence.shape, (sequence.shape[-2:-1] or (1,)) + (features,))
        q, k, v = self._split(self.q(t)), self._split(self.k(seen)), self._split(self.v(seen))
        shared: Any = mask
        if mask is not None:
            shared = as_handle(mask, "nn.MultiHeadAttention", "mask")
            if len(shared.shape) > 2:  # the axis of the heads stands before the last two
                lead, last = shared.shape[:-2], shared.shape[-2:]
                shared = reshape(shared, (*lead, 1, *last))
        y = scaled_dot_product_attention(q, k, v, mask=shared, causal=causal)
        joined = moveaxis(y, -3, -2)
        mixed: Any = self.out(reshape(joined, t.shape))
        return mixed  # type: ignore[no-any-return]  # its shape is that of x

    def _split(self, x: Any) -> Tensor:
        """[..., T, Features] -> [..., heads, T, Features / heads]."""
        *lead, features = x.shape
        return moveaxis(reshape(x, (*lead, self.heads, share(features, self.heads))), -2, -3)
