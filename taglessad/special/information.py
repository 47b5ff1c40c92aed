"""Entropies, the logistic function, log-sum-exp and softmax: stable, derivatives too."""

from typing import Any

from typing_extensions import TypeVarTuple

from taglessad.array_api.arithmetic import negative
from taglessad.array_api.logic import logical_and, logical_or
from taglessad.array_api.searching import where as select
from taglessad.array_api.statistical import max as largest
from taglessad.array_api.statistical import sum as total
from taglessad.array_api.transcendental import exp, log, log1p
from taglessad.convert import as_handle
from taglessad.dispatch import as_real, meet, real_function
from taglessad.shapes import normalize_axes
from taglessad.shapes import reduce as reduced_shape
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
    return log(t) - log1p(-t)


def entr(x: Tensor, /) -> Tensor:
    """-x log(x) for x > 0, 0 at 0, -inf below."""
    t = _real(x, "special.entr")
    return select(t > 0, -(t * log(t)), select(t == 0, t * 0.0, -float("inf")))


def xlogy(x: Tensor, y: Tensor, /) -> Tensor:
    """x log(y), linear in x; 0 where x is 0 and y is not NaN."""
    a, b = _real(x, "special.xlogy"), _real(y, "special.xlogy", "y")
    dead = logical_and(a == 0, logical_or(b <= 0, b == float("inf")))
    return select(dead, 0.0, a * log(b))


def xlog1py(x: Tensor, y: Tensor, /) -> Tensor:
    """x log(1 + y), linear in x; 0 where x is 0 and y is not NaN."""
    a, b = _real(x, "special.xlog1py"), _real(y, "special.xlog1py", "y")
    dead = logical_and(a == 0, logical_or(b <= -1, b == float("inf")))
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
    normalize_axes(axis, t.shape, "softmax")
    e = exp(t - detach(largest(t, axis=axis, keepdims=True)))
    return e / total(e, axis=axis, keepdims=True)


def _real(x: TensorLike, what: str, name: str = "x") -> Tensor:
    handle = as_handle(x, what, name)
    if isinstance(handle, Tensor):
        return handle
    met = as_real(meet(what, (handle,), (name,)))
    return Tensor(met.ops, met.payloads[0], met.dtype, met.weak)
