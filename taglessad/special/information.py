"""Entropies, the logistic function, log-sum-exp and softmax: stable, derivatives too."""

from typing import Any

from typing_extensions import TypeVarTuple

from taglessad.array_api.arithmetic import negative
from taglessad.array_api.inner import below, not_above
from taglessad.array_api.logic import logical_and, logical_or
from taglessad.array_api.searching import where as select
from taglessad.array_api.statistical import max as largest
from taglessad.array_api.statistical import sum as total
from taglessad.array_api.transcendental import atanh, exp, log, log1p
from taglessad.convert import as_handle
from taglessad.dispatch import Real, as_real, meet, real_binary, real_function
from taglessad.shapes import normalize_axes
from taglessad.shapes import reduce as reduced_shape
from taglessad.special.calls import parametrized
from taglessad.tensor import Tensor, TensorLike
from taglessad.transforms.fences import detach

S = TypeVarTuple("S")
# Any in the axis arguments: an int, a tuple of ints, or None; normalize_axes checks.


def expit(x: Tensor[*S], /) -> Tensor[*S]:
    """The logistic function 1 / (1 + exp(-x))."""
    return real_function("sigmoid", "special.expit", x)


def log_expit(x: Tensor, /) -> Tensor:
    """log(expit(x)), accurate in both tails."""
    return negative(
        real_function("softplus", "special.log_expit", negative(_real(x, "special.log_expit")))
    )


def logit(x: Tensor, /) -> Tensor:
    """log(x / (1 - x)), the inverse of expit."""
    t = _real(x, "special.logit")
    # Near 1/2 the two logarithms cancel; there 2 x - 1 is exact.
    middle = logical_and(below(0.25, t), below(t, 0.75))
    inner, outer = select(middle, t, 0.5), select(middle, 0.25, t)
    near = 2.0 * atanh(2.0 * inner - 1.0)
    return select(middle, near, log(outer) - log1p(-outer))


def entr(x: Tensor[*S], /) -> Tensor[*S]:
    """-x log(x) for x > 0, 0 at 0, where its derivative is inf; -inf below."""
    return real_function("entr", "special.entr", x)


def rel_entr(x: Real, y: Real, /) -> Tensor:
    """x log(x / y) for x, y > 0; 0 for x = 0, y >= 0; else inf."""
    return real_binary("rel_entr", "special.rel_entr", x, y)


def kl_div(x: Real, y: Real, /) -> Tensor:
    """x log(x / y) - x + y for x, y > 0, accurate near x = y; y for x = 0, y >= 0; else inf."""
    return real_binary("kl_div", "special.kl_div", x, y)


def boxcox(x: Real, lmbda: Real, /) -> Tensor:
    """(x**lmbda - 1) / lmbda, and log(x) for lmbda = 0; NaN for x < 0 (Box and Cox 1964)."""
    return real_binary("boxcox", "special.boxcox", x, lmbda)


def inv_boxcox(y: Real, lmbda: Real, /) -> Tensor:
    """The inverse of `boxcox` in its first argument: (1 + lmbda y)**(1 / lmbda)."""
    return parametrized("inv_boxcox", "special.inv_boxcox", (y, lmbda), ("y", "lmbda"), 0)


def xlogy(x: Tensor, y: Tensor, /) -> Tensor:
    """x log(y), linear in x; 0 where x is 0 and y is not NaN."""
    a, b = _real(x, "special.xlogy"), _real(y, "special.xlogy", "y")
    dead = logical_and(a == 0, logical_or(not_above(b, 0.0), b == float("inf")))
    return select(dead, 0.0, a * log(b))


def xlog1py(x: Tensor, y: Tensor, /) -> Tensor:
    """x log(1 + y), linear in x; 0 where x is 0 and y is not NaN."""
    a, b = _real(x, "special.xlog1py"), _real(y, "special.xlog1py", "y")
    dead = logical_and(a == 0, logical_or(not_above(b, -1.0), b == float("inf")))
    return select(dead, 0.0, a * log1p(b))


def logsumexp(
    a: TensorLike,
    axis: Any = None,
    *,
    keepdims: bool = False,
    where: TensorLike = None,
) -> Tensor:
    """log of the sum of exp(a) over axes (all by default), without overflow.

    where: a condition that broadcasts to a; entries where it does not hold take no part, neither in
    the value nor in the derivative.
    """
    t = _real(a, "special.logsumexp", "a")
    if where is not None:
        t = select(where, t, -float("inf"))
    axes = normalize_axes(axis, t.shape, "special.logsumexp")
    y = t.ops.logsumexp(t.payload, axes)
    if keepdims:
        y = t.ops.reshape(y, reduced_shape(t.shape, axes, True, "special.logsumexp"))
    return Tensor(t.ops, y, t.dtype, t.weak)


def log_softmax(x: TensorLike, axis: Any = None) -> Tensor:
    """log of softmax(x) over axes (all by default)."""
    t = _real(x, "log_softmax")
    normalize_axes(axis, t.shape, "log_softmax")
    return t - logsumexp(t, axis, keepdims=True)


def softmax(x: TensorLike, axis: Any = None) -> Tensor:
    """exp(x) over its sum along axes (all by default); entries are positive and sum to 1."""
    t = _real(x, "softmax")
    if any(t.shape[i] == 0 for i in normalize_axes(axis, t.shape, "softmax")):
        return t  # without entries, and none of them is the largest
    e = exp(t - largest(detach(t), axis=axis, keepdims=True))
    # A product with the reciprocal, since XLA makes one of a quotient, and spreads it first.
    return e * (1.0 / total(e, axis=axis, keepdims=True))


def _real(x: TensorLike, what: str, name: str = "x") -> Tensor:
    handle = as_handle(x, what, name)
    if isinstance(handle, Tensor):
        return handle
    met = as_real(meet(what, (handle,), (name,)))
    return Tensor(met.ops, met.payloads[0], met.dtype, met.weak)
