"""Activations and losses, under JAX's names. Losses take (prediction, target), unreduced.

Activations are elementwise, of any shape; integers become float64. Values at kinks are those of
docs/conventions.md.
"""

from typing import Any, Final

from typing_extensions import TypeVarTuple

from taglessad.array_api.comparison import clip
from taglessad.array_api.creation import arange
from taglessad.array_api.dtype_functions import astype
from taglessad.array_api.manipulation import expand_dims
from taglessad.array_api.searching import where
from taglessad.array_api.statistical import mean
from taglessad.array_api.statistical import sum as total
from taglessad.array_api.transcendental import expm1
from taglessad.convert import as_handle
from taglessad.dispatch import real_function
from taglessad.dtypes import float64, is_integer, is_real
from taglessad.errors import ArgumentError, DTypeError, IndexOutOfRange, ShapeError
from taglessad.shapes import show
from taglessad.shapes.axes import integer
from taglessad.special.error import erfc
from taglessad.special.information import log_expit
from taglessad.special.information import log_softmax as log_softmax_over
from taglessad.special.information import softmax as softmax_over
from taglessad.tensor import AnyTensor, Tensor, TensorLike, known_size

S = TypeVarTuple("S")

# Klambauer et al. 2017, equation 14 with mean 0 and variance 1.
SELU_SCALE: Final = 1.0507009873554805
SELU_ALPHA: Final = 1.6732632423543772


def relu(x: Tensor[*S], /) -> Tensor[*S]:
    """max(x, 0); the derivative at 0 is 0."""
    return real_function("relu", "nn.functional.relu", x)


def relu6(x: Tensor, /) -> Tensor:
    """min(max(x, 0), 6); the derivative at 0 and at 6 is 0."""
    t = relu(x)
    return where(t >= 6.0, 6.0, t)


def sigmoid(x: Tensor[*S], /) -> Tensor[*S]:
    """1 / (1 + exp(-x))."""
    return real_function("sigmoid", "nn.functional.sigmoid", x)


def softplus(x: Tensor[*S], /) -> Tensor[*S]:
    """log(1 + exp(x))."""
    return real_function("softplus", "nn.functional.softplus", x)


def log_sigmoid(x: Tensor, /) -> Tensor:
    """log(sigmoid(x)), accurate in both tails."""
    return log_expit(x)


def silu(x: Tensor, /) -> Tensor:
    """x * sigmoid(x)."""
    t = _real(x, "silu")
    return t * sigmoid(t)


def gelu(x: Tensor, /, *, approximate: bool = True) -> Tensor:
    """x times the normal distribution function at x (Hendrycks and Gimpel 2016).

    approximate: by tanh, as JAX's default; else by erf.
    """
    t = _real(x, "gelu")
    if approximate:
        # (1 + tanh(z)) / 2 is sigmoid(2 z), which keeps the left tail.
        return t * sigmoid(1.5957691216057308 * (t + 0.044715 * t * t * t))  # 2 sqrt(2/pi)
    return 0.5 * t * erfc(t * -0.7071067811865476)


def elu(x: Tensor, /, alpha: float = 1.0) -> Tensor:
    """x for x > 0, alpha * expm1(x) below."""
    t = _real(x, "elu")
    return where(t > 0.0, t, alpha * expm1(t))


def selu(x: Tensor, /) -> Tensor:
    """The self-normalising elu (Klambauer et al. 2017)."""
    return SELU_SCALE * elu(x, SELU_ALPHA)


def hard_tanh(x: Tensor, /) -> Tensor:
    """x clipped to [-1, 1]; the derivative is 1 on the closed interval."""
    return clip(x, -1.0, 1.0)


def softmax(x: TensorLike, axis: Any = -1) -> Tensor:
    """exp(x) over its sum along axes (the last by default)."""
    return softmax_over(x, axis)


def log_softmax(x: TensorLike, axis: Any = -1) -> Tensor:
    """log(softmax(x)) along axes (the last by default)."""
    return log_softmax_over(x, axis)


def one_hot(labels: TensorLike, num_classes: int, *, dtype: Any = float64) -> Tensor:
    """1 in the place of each label along a new last axis, 0 elsewhere; labels outside give 0s."""
    t = as_handle(labels, "nn.functional.one_hot", "labels")
    if not is_integer(t.dtype):
        raise DTypeError(f"nn.functional.one_hot: labels have dtype {t.dtype}; they are integers")
    if integer(num_classes, "nn.functional.one_hot", "num_classes") < 0:
        raise ArgumentError(f"nn.functional.one_hot: num_classes is {num_classes}, below 0")
    hot: Tensor = astype(expand_dims(t, axis=-1) == arange(num_classes), dtype)  # type: ignore[assignment]
    return hot


def mse(prediction: TensorLike, target: TensorLike) -> Tensor:
    """Mean of the squared differences, one number."""
    p, t = _same_shape("mse", prediction, target)
    difference = p - t
    return mean(difference * difference)


def _check_labels(name: str, labels: AnyTensor, classes: int) -> None:
    """Where labels are known, all must be classes."""
    seen = labels.ops.peek(labels.payload)
    if seen is None:
        return
    wrong = seen[(seen < 0) | (seen >= classes)]
    if wrong.size:
        raise IndexOutOfRange(
            f"nn.functional.{name}: label {wrong[0]} is out of range for {classes} classes "
            f"(valid: 0 to {classes - 1})"
        )


def cross_entropy(logits: TensorLike, labels: TensorLike) -> Tensor:
    """-log softmax(logits) at each label: [N, K], [N] -> [N].

    Raises ShapeError where labels have another shape than the logits without their last axis,
    DTypeError where labels are no integers, IndexOutOfRange for a label that is seen to be none of
    the classes 0 .. K - 1.
    """
    z = as_handle(logits, "nn.functional.cross_entropy", "logits")
    t = as_handle(labels, "nn.functional.cross_entropy", "labels")
    if not is_integer(t.dtype):
        raise DTypeError(
            f"nn.functional.cross_entropy: labels have dtype {t.dtype}; they are class numbers, "
            "integers. For probabilities write -sum(target * log_softmax(logits), axis=-1)"
        )
    if not z.shape or z.shape[:-1] != t.shape:
        raise ShapeError(
            f"nn.functional.cross_entropy: logits {show(z.shape)} and labels {show(t.shape)}: "
            "labels have the shape of the logits without the last axis"
        )
    classes = known_size(z.shape[-1], "nn.functional.cross_entropy")
    _check_labels("cross_entropy", t, classes)
    # Selected, not multiplied: 0 * -inf of a class that is not the label's is NaN.
    here: Any = one_hot(
        t, classes, dtype=bool
    )  # Any: truth values, which one_hot's type does not say
    return -total(where(here, log_softmax(z), 0.0), axis=-1)


def binary_cross_entropy(logits: TensorLike, target: TensorLike) -> Tensor:
    """Cross entropy of a probability target against sigmoid(logits), entry by entry, from logits.

    softplus(z) - z * target: finite for every logit.
    """
    z, t = _same_shape("binary_cross_entropy", logits, target)
    loss: Tensor = softplus(z) - z * t
    return loss


def _real(x: TensorLike, name: str) -> Tensor:
    t = as_handle(x, f"nn.functional.{name}", "x")
    real: Tensor = t if is_real(t.dtype) else astype(t, float64)  # type: ignore[assignment]
    return real


def _same_shape(name: str, prediction: TensorLike, target: TensorLike) -> tuple[Any, Any]:
    # Any: handles of reals or of what promotes to them.
    p = as_handle(prediction, f"nn.functional.{name}", "prediction")
    t = as_handle(target, f"nn.functional.{name}", "target")
    if p.shape != t.shape:
        raise ShapeError(
            f"nn.functional.{name}: prediction {show(p.shape)} and target {show(t.shape)} differ "
            "in shape; nothing is broadcast in a loss"
        )
    return p, t
