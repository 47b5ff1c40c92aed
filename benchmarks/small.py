"""Small programs: one product, a 40-operation gradient, call overhead."""

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

import taglessad as tad
from benchmarks.harness import Row, interleaved, least, ratio
from benchmarks.peers import optional


def _program(x: Any, sin: Any, tanh: Any, total: Any) -> Any:
    y = x
    for _ in range(10):
        y = sin(y) * x + tanh(y)
    return total(y)


def _by_hand(x: Any) -> Any:
    """The gradient of the 40-operation program as one writes it in NumPy."""
    kept = []
    y = x
    for _ in range(10):
        s, t = np.sin(y), np.tanh(y)
        kept.append((y, s, t))
        y = s * x + t
    d, g = np.ones_like(x), np.zeros_like(x)
    for y, s, t in reversed(kept):
        g = g + d * s
        d = d * x * np.cos(y) + d * (1 - t * t)
    return g + d


def product() -> Iterator[Row]:
    """One product of 3-vectors."""
    a, b = np.array([0.3, 0.5, -0.7]), np.array([1.0, 2.0, 3.0])
    x, y = tad.asarray(a), tad.asarray(b)
    times = interleaved({"tad": lambda: x * y, "numpy": lambda: np.multiply(a, b)})
    yield Row("Tensor * Tensor, 3-vectors", "the bare ufunc", ratio(times, "tad", "numpy"), 2.0)


def gradient() -> Iterator[Row]:
    """The gradient of 40 operations on 3-vectors, uncompiled and replayed."""
    a = np.array([0.3, 0.5, -0.7])
    x = tad.asarray(a)
    f = lambda x: _program(x, tad.sin, tad.tanh, tad.sum)  # noqa: E731
    plain, replay = tad.grad(f), tad.jit(tad.grad(f))
    contenders: dict[str, Any] = {
        "forward": lambda: _program(a, np.sin, np.tanh, np.sum),
        "hand": lambda: _by_hand(a),
        "tad": lambda: plain(x),
        "jit": lambda: replay(x),
    }
    autograd = optional("autograd")
    if autograd is not None:
        anp = optional("autograd.numpy")
        assert anp is not None
        hips = autograd.grad(lambda x: _program(x, anp.sin, anp.tanh, anp.sum))
        contenders["hips"] = lambda: hips(a)
    torch = optional("torch")
    if torch is not None:
        t = torch.tensor(a, requires_grad=True)

        def eager() -> Any:
            return torch.autograd.grad(_program(t, torch.sin, torch.tanh, torch.sum), t)

        contenders["torch"] = eager
    # Turns of some forty calls: of four, the first would be most, on the others' warm caches.
    times = interleaved(contenders, target=1e-2)
    what = "uncompiled gradient, 40 operations"
    yield Row(what, "its NumPy forward", ratio(times, "tad", "forward"), 11.0)
    if "hips" in contenders:
        yield Row(what, "HIPS autograd", ratio(times, "tad", "hips"), 0.33)
    if "torch" in contenders:
        yield Row(what, "PyTorch eager", ratio(times, "tad", "torch"), 1.0)
    yield Row("its jit replay", "the hand-written NumPy gradient", ratio(times, "jit", "hand"), 1.1)


@dataclasses.dataclass(frozen=True)
class _Layer:
    w: Any
    b: Any


@dataclasses.dataclass(frozen=True)
class _Model:
    first: _Layer
    second: _Layer


def overhead() -> Iterator[Row]:
    """What a call of a jitted function costs beyond the generated function itself."""
    x = tad.asarray(np.ones(3))
    flat = tad.jit(lambda a, b, c: a + b)
    model = _Model(_Layer(x, x), _Layer(x, x))
    nested = tad.jit(lambda m: m.first.w + m.second.w)
    a = np.ones(3)
    times = interleaved(
        {"flat": lambda: flat(x, x, x), "model": lambda: nested(model), "bare": lambda: a + a},
        rounds=200,
        target=5e-4,
    )
    bare = least(times, "bare")
    for name, what, at_most in (
        ("flat", "three handles", 3.0),
        ("model", "a dataclass model", 6.0),
    ):
        value = (least(times, name) - bare) * 1e6
        yield Row(f"jit call overhead, {what}", "the replayed ufunc", value, at_most, "us")
