"""Activations and losses, convolution, pooling, attention, dropout.

Names are JAX's where it has the function, else PyTorch's. Activations are elementwise, of any
shape; integers become float64. Values at kinks are those of docs/conventions.md. Losses take
(prediction, target), unreduced.
"""

from typing import Any, Final

from typing_extensions import TypeVarTuple

from taglessad.array_api.comparison import clip
from taglessad.array_api.dtype_functions import astype
from taglessad.array_api.inner import below, step
from taglessad.array_api.kinks import at_zero
from taglessad.array_api.logic import isinf
from taglessad.array_api.searching import where
from taglessad.array_api.transcendental import expm1, tanh
from taglessad.convert import as_handle
from taglessad.dims import exact_quotient
from taglessad.dispatch import real_function
from taglessad.dtypes import float64, is_real
from taglessad.errors import ShapeError
from taglessad.indexing.reading import getitem
from taglessad.nn.attention import scaled_dot_product_attention as scaled_dot_product_attention
from taglessad.nn.convolution import conv1d as conv1d
from taglessad.nn.convolution import conv2d as conv2d
from taglessad.nn.convolution import conv_transpose1d as conv_transpose1d
from taglessad.nn.convolution import conv_transpose2d as conv_transpose2d
from taglessad.nn.dropout import dropout as dropout
from taglessad.nn.losses import binary_cross_entropy as binary_cross_entropy
from taglessad.nn.losses import cosine_distance as cosine_distance
from taglessad.nn.losses import cosine_similarity as cosine_similarity
from taglessad.nn.losses import cross_entropy as cross_entropy
from taglessad.nn.losses import hinge as hinge
from taglessad.nn.losses import huber as huber
from taglessad.nn.losses import kl_div as kl_div
from taglessad.nn.losses import l1 as l1
from taglessad.nn.losses import mse as mse
from taglessad.nn.losses import nll as nll
from taglessad.nn.losses import one_hot as one_hot
from taglessad.nn.pooling import adaptive_avg_pool1d as adaptive_avg_pool1d
from taglessad.nn.pooling import adaptive_avg_pool2d as adaptive_avg_pool2d
from taglessad.nn.pooling import avg_pool1d as avg_pool1d
from taglessad.nn.pooling import avg_pool2d as avg_pool2d
from taglessad.nn.pooling import max_pool1d as max_pool1d
from taglessad.nn.pooling import max_pool2d as max_pool2d
from taglessad.shapes import normalize_axis, show
from taglessad.special.error import ndtr
from taglessad.special.information import log_expit
from taglessad.special.information import log_softmax as log_softmax_over
from taglessad.special.information import softmax as softmax_over
from taglessad.tensor import Tensor, TensorLike

S = TypeVarTuple("S")

# Klambauer et al. 2017, equation 14 with mean 0 and variance 1.
SELU_SCALE: Final = 1.0507009873554805
SELU_ALPHA: Final = 1.6732632423543772


def relu(x: Tensor[*S], /) -> Tensor[*S]:
    """max(x, 0); the derivative at 0 is 0."""
    return at_zero("relu", real_function("relu", "nn.functional.relu", x), x)  # type: ignore[no-any-return]  # a Tensor


def relu6(x: Tensor[*S], /) -> Tensor[*S]:
    """min(max(x, 0), 6); the derivative at 0 and at 6 is 0."""
    t = relu(x)
    return _shaped(x, where(t >= 6.0, 6.0, t))


def sigmoid(x: Tensor[*S], /) -> Tensor[*S]:
    """1 / (1 + exp(-x))."""
    return real_function("sigmoid", "nn.functional.sigmoid", x)


def softplus(x: Tensor[*S], /) -> Tensor[*S]:
    """log(1 + exp(x))."""
    return real_function("softplus", "nn.functional.softplus", x)


def log_sigmoid(x: Tensor[*S], /) -> Tensor[*S]:
    """log(sigmoid(x)), accurate in both tails."""
    return _shaped(x, log_expit(x))


def silu(x: Tensor[*S], /) -> Tensor[*S]:
    """x * sigmoid(x)."""
    t = _real(x, "silu")
    return _shaped(x, _gated(t, sigmoid(t)))


def gelu(x: Tensor[*S], /, *, approximate: bool = True) -> Tensor[*S]:
    """x times the normal distribution function at x (Hendrycks and Gimpel 2016).

    approximate: by tanh, as JAX's default; else by erf.
    """
    t = _real(x, "gelu")
    if approximate:
        # (1 + tanh(z)) / 2 is sigmoid(2 z), which keeps the left tail. Beyond 100 the gate is 0 or 1,
        # and the cube would overflow.
        z = where(below(step("abs", t), 100.0), t, 100.0 * step("sign", t))
        gate = sigmoid(1.5957691216057308 * (z + 0.044715 * z * z * z))  # 2 sqrt(2/pi)
        return _shaped(x, _gated(t, gate))
    return _shaped(x, _gated(t, ndtr(t)))


def _gated(t: Tensor, gate: Tensor) -> Tensor:
    """t times a gate from 0 to 1; at infinities the limits, where -inf * 0 would be NaN."""
    return where(isinf(t), where(below(0.0, t), t, 0.0), t * gate)


def elu(x: Tensor[*S], /, alpha: float = 1.0) -> Tensor[*S]:
    """x for x > 0, alpha * expm1(x) below."""
    t = _real(x, "elu")
    return _shaped(x, where(t > 0.0, t, alpha * expm1(t)))


def celu(x: Tensor[*S], /, alpha: float = 1.0) -> Tensor[*S]:
    """x for x > 0, alpha * expm1(x / alpha) below (Barron 2017)."""
    t = _real(x, "celu")
    return _shaped(x, where(t > 0.0, t, alpha * expm1(t / alpha)))


def leaky_relu(x: Tensor[*S], /, negative_slope: float = 0.01) -> Tensor[*S]:
    """x for x > 0, negative_slope * x elsewhere."""
    t = _real(x, "leaky_relu")
    return _shaped(x, where(t > 0.0, t, negative_slope * t))


def selu(x: Tensor[*S], /) -> Tensor[*S]:
    """The self-normalising elu (Klambauer et al. 2017)."""
    return _shaped(x, SELU_SCALE * elu(x, SELU_ALPHA))


def mish(x: Tensor[*S], /) -> Tensor[*S]:
    """x * tanh(softplus(x)) (Misra 2019)."""
    t = _real(x, "mish")
    return _shaped(x, t * tanh(softplus(t)))


def soft_sign(x: Tensor[*S], /) -> Tensor[*S]:
    """x / (1 + |x|)."""
    t = _real(x, "soft_sign")
    share = 1.0 / (1.0 + abs(t))
    # Beyond 1 from its limit, of which the derivative share**2 is exact; x * share would cancel.
    return _shaped(x, where(below(step("abs", t), 1.0), t * share, step("sign", t) * (1.0 - share)))


def glu(x: Tensor, /, axis: int = -1) -> Tensor:
    """The first half of an axis times the sigmoid of the second (Dauphin et al. 2017).

    Raises ShapeError for an axis of odd size.
    """
    t = _real(x, "glu")
    along = normalize_axis(axis, t.shape, "nn.functional.glu")
    half = exact_quotient(t.shape[along], 2)
    if half is None:
        raise ShapeError(
            f"nn.functional.glu: axis {axis} of {show(t.shape)} has no two halves of one size"
        )
    lead = (slice(None),) * along
    signal: Any = getitem(t, (*lead, slice(None, half)))  # Any: as x, real
    gate: Any = getitem(t, (*lead, slice(half, None)))
    gated: Tensor = signal * sigmoid(gate)
    return gated


def hard_sigmoid(x: Tensor[*S], /) -> Tensor[*S]:
    """relu6(x + 3) / 6; the derivative at the kinks is 0."""
    t = _real(x, "hard_sigmoid")
    return _shaped(x, relu6(t + 3.0) / 6.0)


def hard_silu(x: Tensor[*S], /) -> Tensor[*S]:
    """x * hard_sigmoid(x) (Howard et al. 2019)."""
    t = _real(x, "hard_silu")
    return _shaped(x, t * hard_sigmoid(t))


def hard_tanh(x: Tensor[*S], /) -> Tensor[*S]:
    """x clipped to [-1, 1]; the derivative is 1 on the closed interval."""
    return _shaped(x, clip(x, -1.0, 1.0))


def softmax(x: TensorLike, axis: Any = -1) -> Tensor:
    """exp(x) over its sum along axes (the last by default)."""
    return softmax_over(x, axis)


def log_softmax(x: TensorLike, axis: Any = -1) -> Tensor:
    """log(softmax(x)) along axes (the last by default)."""
    return log_softmax_over(x, axis)


def _real(x: TensorLike, name: str) -> Any:  # Any: a Tensor of whichever shape
    t = as_handle(x, f"nn.functional.{name}", "x")
    return t if is_real(t.dtype) else astype(t, float64)


def _shaped(x: Tensor[*S], y: Any) -> Tensor[*S]:  # Any: y, computed from x entry by entry
    """y, with the shape of x in its type."""
    result: Tensor[*S] = y
    return result
