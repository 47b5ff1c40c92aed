"""Chains of a thousand operations, and long ones: time to the first gradient, memory."""

import math
import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np

import taglessad as tad
from benchmarks.harness import Row, interleaved, ratio
from benchmarks.peers import optional

ROUNDS = 250  # of four operations: a thousand in all


def _chain(x: Any, sin: Any, n: int = ROUNDS) -> Any:
    for _ in range(n):
        x = sin(x) * 1.01 + x * 0.5
    return x


def _float_gradient(x: float) -> float:
    """The gradient of the scalar chain as one writes it on Python floats."""
    sin, cos = math.sin, math.cos
    kept: list[float] = []
    for _ in range(ROUNDS):
        kept.append(x)
        x = sin(x) * 1.01 + x * 0.5
    d = 1.0
    for y in reversed(kept):
        d = d * 1.01 * cos(y) + d * 0.5
    return d


def _torch_gradient(torch: Any, start: Any) -> Any:
    t = torch.tensor(start, requires_grad=True)

    def eager() -> Any:
        return torch.autograd.grad(torch.sum(_chain(t, torch.sin)), t)

    return eager


def thousand() -> Iterator[Row]:
    """Gradient of a 1000-operation chain: shape (8,) and rank 0."""
    a = np.linspace(0.1, 0.8, 8)
    vector = tad.jit(tad.grad(lambda x: tad.sum(_chain(x, tad.sin))))
    scalar = tad.jit(tad.grad(lambda x: _chain(x, tad.sin)))
    x, s = tad.asarray(a), tad.asarray(0.3)
    contenders: dict[str, Any] = {
        "vector": lambda: vector(x),
        "scalar": lambda: scalar(s),
        "floats": lambda: _float_gradient(0.3),
    }
    torch, autograd = optional("torch"), optional("autograd")
    if torch is not None:
        contenders["torch vector"] = _torch_gradient(torch, a)
        contenders["torch scalar"] = _torch_gradient(torch, 0.3)
    if autograd is not None:
        anp = optional("autograd.numpy")
        assert anp is not None
        hips = autograd.grad(lambda x: anp.sum(_chain(x, anp.sin)))
        contenders["hips vector"] = lambda: hips(a)
    times = interleaved(contenders, rounds=15, target=5e-3)
    if torch is not None:
        value = ratio(times, "vector", "torch vector")
        yield Row("1000-operation chain, shape (8,), replay", "PyTorch", value, 0.14)
    if autograd is not None:
        value = ratio(times, "vector", "hips vector")
        yield Row("1000-operation chain, shape (8,), replay", "HIPS autograd", value, 0.08)
    if torch is not None:
        value = ratio(times, "scalar", "torch scalar")
        yield Row("1000-operation scalar chain, replay", "PyTorch", value, 0.0125)
    value = ratio(times, "scalar", "floats")
    yield Row("1000-operation scalar chain, replay", "hand-written Python floats", value, 1.6)


def first_gradient() -> Iterator[Row]:
    """Recording, differentiating, generating and running once, per operation."""
    per_operation: dict[int, float] = {}
    x = tad.asarray(np.linspace(0.1, 0.8, 8))
    for n, times in ((1_000, 5), (10_000, 3), (100_000, 1)):
        taken: list[float] = []
        for _ in range(times):
            f = tad.jit(tad.grad(lambda x, n=n: tad.sum(_chain(x, tad.sin, n // 4))))
            start = time.process_time()
            f(x)
            taken.append(time.process_time() - start)
        per_operation[n] = min(taken) / n * 1e6
    yield Row(
        "time to first gradient, 1e3 operations", "an operation", per_operation[1_000], 150, "us"
    )
    yield Row(
        "time to first gradient, 1e4 operations", "an operation", per_operation[10_000], 150, "us"
    )
    growth = per_operation[100_000] / per_operation[10_000]
    yield Row("the same at 1e5 operations", "at 1e4, per operation", growth, 1.5)


def memory() -> Iterator[Row]:
    """Bytes an operation above the values, for a million recorded operations."""
    n = 1_000_000

    def chain(x: Any) -> Any:
        for _ in range(n // 2):
            x = tad.sin(x) * 1.0001
        return x

    peak: list[int] = []

    def recorded(x: Any) -> Any:
        y = chain(x)
        peak.append(tracemalloc.get_traced_memory()[0])
        return y

    x = tad.asarray(0.3)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tad.grad(recorded)(x)
    finally:
        tracemalloc.stop()
    value_bytes = np.float64(0).__sizeof__()
    above = (peak[0] - before) / n - value_bytes
    yield Row("1e6-operation chain recorded", "above the values, an operation", above, 350, "B")
