"""Losses: (prediction, target), one value per example; nothing is broadcast.

`mse` alone is a mean. Of the others, those of vectors ([N, K], such as a distribution for each
example) give one value for each, [N]; those of numbers one for each number. Raises ShapeError where
prediction and target differ in shape.
"""

from math import nan
from typing import Any

from taglessad.array_api.arithmetic import abs as absolute
from taglessad.array_api.comparison import clip
from taglessad.array_api.creation import arange, zeros
from taglessad.array_api.dtype_functions import astype
from taglessad.array_api.inner import below
from taglessad.array_api.logic import isinf, logical_and
from taglessad.array_api.manipulation import expand_dims
from taglessad.array_api.searching import where
from taglessad.array_api.statistical import mean
from taglessad.array_api.statistical import sum as total
from taglessad.convert import as_handle
from taglessad.dispatch import real_function
from taglessad.dtypes import float64, int64, is_integer, is_real
from taglessad.errors import ArgumentError, DTypeError, IndexOutOfRange, ShapeError
from taglessad.linalg.norms import vector_norm
from taglessad.nn.checks import same_shape
from taglessad.shapes import normalize_axis, show
from taglessad.shapes.axes import integer
from taglessad.special.information import logsumexp, xlogy
from taglessad.tensor import AnyTensor, Tensor, TensorLike

# Any below: handles of reals, or of what promotes to them.


def _real(x: TensorLike, what: str, name: str) -> Any:
    t = as_handle(x, what, name)
    return t if is_real(t.dtype) else astype(t, float64)


def _pair(name: str, prediction: TensorLike, target: TensorLike) -> tuple[Any, Any]:
    what = f"nn.functional.{name}"
    p, t = _real(prediction, what, "prediction"), _real(target, what, "target")
    if not same_shape(p.shape, t.shape):
        raise ShapeError(
            f"{what}: prediction {show(p.shape)} and target {show(t.shape)} differ in shape; "
            "nothing is broadcast in a loss"
        )
    return p, t


# --- of numbers ----------------------------------------------------------------------------------
def mse(prediction: TensorLike, target: TensorLike) -> Tensor:
    """Mean of the squared differences, one number."""
    p, t = _pair("mse", prediction, target)
    difference = p - t
    return mean(difference * difference)


def l1(prediction: TensorLike, target: TensorLike) -> Tensor:
    """|prediction - target|, entry by entry; the derivative is 0 where they are equal."""
    p, t = _pair("l1", prediction, target)
    return absolute(p - t)


def huber(prediction: TensorLike, target: TensorLike, delta: float = 1.0) -> Tensor:
    """d**2 / 2 for |d| <= delta, delta * (|d| - delta / 2) beyond (Huber 1964), entry by entry."""
    p, t = _pair("huber", prediction, target)
    difference = p - t
    inner = clip(difference, -delta, delta)
    loss: Tensor = inner * (difference - 0.5 * inner)
    return loss


def hinge(prediction: TensorLike, target: TensorLike) -> Tensor:
    """max(0, 1 - target * prediction), entry by entry; targets are -1 and 1."""
    p, t = _pair("hinge", prediction, target)
    return real_function("relu", "nn.functional.hinge", 1.0 - t * p)


def binary_cross_entropy(logits: TensorLike, target: TensorLike) -> Tensor:
    """Cross entropy of a probability target against sigmoid(logits), entry by entry, from logits.

    softplus(z) - z * target: finite for every logit.
    """
    z, t = _pair("binary_cross_entropy", logits, target)
    loss = real_function("softplus", "nn.functional.binary_cross_entropy", z) - z * t
    # At infinite logits the limit: 0 for a target that is certain in the same way, else inf.
    gap = where(below(0.0, z), 1.0, 0.0) - t
    limit = where(gap == 0.0, 0.0, gap * z)
    return where(isinf(z), limit, loss)


# --- of vectors ----------------------------------------------------------------------------------
def kl_div(log_prediction: TensorLike, target: TensorLike) -> Tensor:
    """sum of target * (log(target) - log_prediction) over the last axis: [N, K], [N, K] -> [N].

    The divergence of distributions, of which the first is given by its logarithms (`log_softmax`);
    a target of 0 contributes 0.
    """
    p, t = _pair("kl_div", log_prediction, target)
    return total(xlogy(t, t) - where(t == 0, 0.0, t * p), axis=-1)


def cosine_similarity(a: TensorLike, b: TensorLike, axis: int = -1, eps: float = 1e-8) -> Tensor:
    """<a, b> / (|a| |b|) along an axis; each norm counts as `eps` at least."""
    x, y = _pair("cosine_similarity", a, b)
    normalize_axis(axis, x.shape, "nn.functional.cosine_similarity")
    lengths = [clip(vector_norm(v, axis=axis), eps, None) for v in (x, y)]
    similarity: Tensor = total(x * y, axis=axis) / (lengths[0] * lengths[1])
    return similarity


def cosine_distance(prediction: TensorLike, target: TensorLike) -> Tensor:
    """1 - cosine_similarity along the last axis: [N, K], [N, K] -> [N]."""
    p, t = _pair("cosine_distance", prediction, target)
    distance: Tensor = 1.0 - cosine_similarity(p, t)
    return distance


# --- of class numbers ----------------------------------------------------------------------------
def one_hot(labels: TensorLike, num_classes: int, *, dtype: Any = float64) -> Tensor:
    """1 in the place of each label along a new last axis, 0 elsewhere; labels outside give 0s."""
    t = as_handle(labels, "nn.functional.one_hot", "labels")
    if not is_integer(t.dtype):
        raise DTypeError(f"nn.functional.one_hot: labels have dtype {t.dtype}; they are integers")
    if integer(num_classes, "nn.functional.one_hot", "num_classes") < 0:
        raise ArgumentError(f"nn.functional.one_hot: num_classes is {num_classes}, below 0")
    hot: Tensor = astype(expand_dims(t, axis=-1) == arange(num_classes), dtype)  # type: ignore[assignment]  # real after the cast
    return hot


def nll(log_probabilities: TensorLike, labels: TensorLike) -> Tensor:
    """-log_probabilities at each label: [N, K], [N] -> [N]. Errors as `cross_entropy`'s."""
    return _at_labels("nll", "log_probabilities", log_probabilities, labels, normalize=False)


def cross_entropy(logits: TensorLike, labels: TensorLike) -> Tensor:
    """-log softmax(logits) at each label: [N, K], [N] -> [N].

    Raises ShapeError where labels have another shape than the logits without their last axis,
    DTypeError where labels are no integers, IndexOutOfRange for a label that is seen to be none of
    the classes 0 .. K - 1; where labels are not seen, as under `jit`, the loss of such a one is NaN.
    """
    return _at_labels("cross_entropy", "logits", logits, labels, normalize=True)


def _at_labels(
    name: str, operand: str, scores: TensorLike, labels: TensorLike, *, normalize: bool
) -> Tensor:
    what = f"nn.functional.{name}"
    z, t = as_handle(scores, what, operand), as_handle(labels, what, "labels")
    if not is_integer(t.dtype):
        raise DTypeError(
            f"{what}: labels have dtype {t.dtype}; they are class numbers, "
            "integers. For probabilities write -sum(target * log_softmax(logits), axis=-1)"
        )
    if not z.shape or not same_shape(z.shape[:-1], t.shape):
        raise ShapeError(
            f"{what}: {operand} {show(z.shape)} and labels {show(t.shape)}: "
            f"labels have the shape of the {operand} without the last axis"
        )
    classes = z.shape[-1]
    if isinstance(classes, int):
        known = _check_labels(what, t, classes)
        numbers: Any = arange(classes)
    else:  # under Shape, where no number is asked for
        known, numbers = True, zeros((classes,), dtype=int64)
    # Selected, not multiplied: 0 * -inf of a class that is not the label's is NaN. The logarithm is
    # outside the selection, so that its derivative is known to be about every class.
    label = expand_dims(t, axis=-1)
    other = 0.0 if known else where(logical_and(label >= 0, label < classes), 0.0, nan)
    at_label = total(where(label == numbers, z, other), axis=-1)
    return logsumexp(z, axis=-1) - at_label if normalize else -at_label


def _check_labels(what: str, labels: AnyTensor, classes: int) -> bool:
    """Whether labels are known; then all must be classes."""
    seen = labels.ops.peek(labels.payload)
    if seen is None:
        return False
    wrong = seen[(seen < 0) | (seen >= classes)]
    if wrong.size:
        raise IndexOutOfRange(
            f"{what}: label {wrong[0]} is out of range for {classes} classes "
            f"(valid: 0 to {classes - 1})"
        )
    return True
