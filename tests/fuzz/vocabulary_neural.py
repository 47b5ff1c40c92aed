"""Activations and losses, spectra, convolutions, pooling and random numbers in random programs."""

from typing import Any, Final

import numpy as np

from tests.fuzz.registry import add, apart, axis

# --- activations, losses, attention ---------------------------------------------------------------
_SMOOTH: Final = ("sigmoid", "softplus", "gelu", "silu", "mish", "log_sigmoid")
_KINKED: Final = (
    *("relu", "elu", "celu", "selu", "leaky_relu", "hard_tanh", "soft_sign", "relu6"),
    *("hard_sigmoid", "hard_silu"),
)
for _t in "svm":
    for _n in _SMOOTH:
        add("neural", f"{_t}>{_t}", _n, lambda L, k, x, n=_n: getattr(L, n)(x))
    for _n in _KINKED:
        add("neural", f"{_t}>{_t}", _n, lambda L, k, x, n=_n: getattr(L, n)(apart(L, x)))
for _s in ("v>v", "m>m"):
    add("neural", _s, "log_softmax", lambda L, k, x: L.log_softmax(x, axis=axis(k, x)))
add("neural", "mm>s", "huber", lambda L, k, a, b: L.xp.mean(L.huber(apart(L, a), b)))
add("neural", "m>s", "cross_entropy", lambda L, k, x: L.cross_entropy(x, [k % 3, 0, 2]))
add("neural", "mmm>m", "attention", lambda L, k, q, w, v: L.attention(q, w, v, k % 2 == 1))
add("neural", "mvv>m", "layer norm", lambda L, k, x, a, b: _centred(L, x) * a + b)


def _centred(L: Any, x: Any) -> Any:
    """Rows of mean 0, and of variance 1 but for a little."""
    rest = x - L.xp.mean(x, axis=-1, keepdims=True)
    return rest / L.xp.sqrt(L.xp.mean(rest * rest, axis=-1, keepdims=True) + 0.1)


# --- spectra --------------------------------------------------------------------------------------
_NORMS: Final = ("backward", "ortho", "forward")


def _spectrum(L: Any, k: int, x: Any) -> Any:
    re, im = L.rfft(x, axis(k, x), _NORMS[k % 3])
    return L.xp.concat((re, im[1:] if axis(k, x) == 0 else im[:, 1:]), axis=axis(k, x))


def _power(L: Any, k: int, x: Any) -> Any:
    """Power of an even number of entries, where the last frequency has no mirror."""
    re, im = L.rfft(L.xp.concat((x, x[:1] * 0.5)), 0, _NORMS[k % 3])
    return re * re + im * im


def _from_spectrum(L: Any, k: int, x: Any) -> Any:
    """An odd number of real numbers from two frequencies, and an even one from three."""
    if k % 2:
        return L.irfft(x[:2], L.xp.flip(x[1:], (0,)), 3, 0, _NORMS[k % 3])
    return L.irfft(x, x * x, 4, 0, _NORMS[k % 3])[:3]


for _s in ("v>v", "m>m"):
    add("fft", _s, "rfft", _spectrum)
    add("fft", _s, "spectral power", _power)
    add("fft", _s, "irfft", _from_spectrum)


# --- convolutions and pooling: matrices are signals of three channels, or images of one -----------
def _taps(L: Any, b: Any) -> Any:
    """A kernel [3, 3, 3] from a matrix."""
    return b[:, :, None] * L.array(np.asarray([1.0, 0.5, -0.3]))


def _dilated(L: Any, k: int, a: Any, b: Any) -> Any:
    return L.conv1d(a[None], _taps(L, b), padding=k % 2 + 1, dilation=k % 2 + 1)[0]


def _grouped(L: Any, k: int, a: Any, b: Any) -> Any:
    return L.conv1d(a[None], b[:, None, :], padding=1, groups=3)[0]


def _strided(L: Any, k: int, a: Any, b: Any) -> Any:
    return L.conv1d(a[None], _taps(L, b), padding=2, stride=2)[0]


def _image(L: Any, k: int, a: Any, b: Any) -> Any:
    return L.conv2d(a[None, None], b[None, None], padding=1)[0, 0]


def _image_strided(L: Any, k: int, a: Any, b: Any) -> Any:
    return L.conv2d(a[None, None], b[None, None, :, :2], padding=2, stride=2)[0, 0, :, :3]


def _back(L: Any, k: int, a: Any, b: Any) -> Any:
    return L.conv_transpose1d(a[None], _taps(L, b), padding=k % 2 + 1, stride=k % 2 + 1)[0, :, :3]


add("convolution", "mm>m", "conv, dilated", _dilated)
add("convolution", "mm>m", "conv, grouped", _grouped)
add("convolution", "mm>m", "conv, strided", _strided)
add("convolution", "mm>m", "conv, image", _image)
add("convolution", "mm>m", "conv, transpose", _back)
add(
    "pooling", "m>m", "max pool",
    lambda L, k, x: L.max_pool2d(apart(L, x)[None, None], 3, 1, 1)[0, 0],
)  # fmt: skip
add(
    "pooling", "m>s", "max pool, strided",
    lambda L, k, x: L.xp.sum(L.max_pool2d(apart(L, x)[None, None], 2, 2, k % 2)[0, 0] ** 2),
)  # fmt: skip
add(
    "pooling", "m>m", "mean pool",
    lambda L, k, x: L.avg_pool2d(x[None, None], 3, 1, 1, k % 2 == 1)[0, 0],
)  # fmt: skip
add(
    "pooling", "m>s", "mean pool, strided",
    lambda L, k, x: L.xp.sum(L.avg_pool2d(x[None, None], 2, 2, 1, k % 2 == 1)[0, 0] ** 2),
)  # fmt: skip
add(
    "pooling", "m>v", "adaptive mean pool",
    lambda L, k, x: L.xp.mean(L.adaptive_avg_pool1d(x[None], k % 3 + 1)[0], axis=1),
)  # fmt: skip

# --- random numbers, of keys that are given -------------------------------------------------------
for _n in ("normal", "laplace", "gumbel"):
    for _s in ("ss>s", "vv>v", "mv>m"):
        add("random", _s, _n, lambda L, k, a, b, n=_n: L.located(n, k, a, b * b + 0.3))
for _s in ("ss>s", "vv>v", "mm>m"):
    add("random", _s, "uniform", lambda L, k, a, b: L.uniform(k, a, a + b * b))
for _t in "vm":
    add("random", f"{_t}>{_t}", "permutation", lambda L, k, x: L.permutation(k, x))
    add("random", f"{_t}>{_t}", "dropout", lambda L, k, x: L.dropout(k, x))
    add(
        "random", f"{_t}>{_t}", "walk",
        lambda L, k, x: L.fori(0, k, lambda i, c: 0.8 * c + 0.3 * L.noise(k, i, c) * x, x),
    )  # fmt: skip
add("random", "v>s", "categorical", lambda L, k, x: x[L.categorical(k, 2.0 * x)])
# Other libraries' gamma numbers are others.
for _t in "sv":
    add(
        "random", f"{_t}>{_t}", "gamma number",
        lambda L, k, x: L.xp.random.gamma(L.xp.random.key(k), x * x + 0.5), others=(),
    )  # fmt: skip
add(
    "random", "v>v", "dirichlet",
    lambda L, k, x: L.xp.random.dirichlet(L.xp.random.key(k), x * x + 0.5), others=(),
)  # fmt: skip
