"""Long chains without recursion, and threads that do not meet."""

import gc
import sys
import threading
import time
import weakref
from typing import Any

import numpy as np
import pytest

import taglessad as tad


def chain(length: int) -> Any:
    def f(x: Any) -> Any:
        for _ in range(length):
            x = x * 0.9999999
        return x

    return f


def test_a_million_operations_are_recorded_differentiated_and_freed() -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(200)
    try:
        g = tad.grad(chain(1_000_000))(1.0)
    finally:
        sys.setrecursionlimit(limit)
    assert float(g) == pytest.approx(np.exp(-0.1), rel=1e-6)


def test_a_long_chain_under_jit() -> None:
    # Past the length at which a graph becomes a list of kernels rather than source.
    f = tad.jit(tad.grad(chain(30_000)))
    assert float(f(1.0)) == pytest.approx(np.exp(-0.003), rel=1e-6)
    assert float(f(2.0)) == pytest.approx(np.exp(-0.003), rel=1e-6)


def test_shared_subexpressions_cost_linear_time() -> None:
    def f(x: Any) -> Any:
        y = x
        for _ in range(60):
            y = y + y
        return y

    assert float(tad.grad(f)(1.0)) == 2.0**60
    assert float(tad.jit(tad.grad(f))(1.0)) == 2.0**60


class Probe(np.ndarray):
    """An array that can be watched."""


def test_no_cycle_keeps_recorded_arrays_alive() -> None:
    f = lambda p: lambda x: tad.sum(x * x * p)
    tad.grad(f(np.ones(3)))(np.ones(3))
    gc.collect()
    gc.disable()
    try:
        watched = []
        for _ in range(3):
            p = np.full(3, 2.0).view(Probe)
            watched.append(weakref.ref(p))
            g = tad.grad(f(p))(np.ones(3))
            second = tad.jacrev(tad.grad(f(p)))(np.ones(3))
            del p, g, second
        assert [r() for r in watched] == [None, None, None]
    finally:
        gc.enable()


def test_two_threads_tracing_at_once() -> None:
    wrong: list[str] = []
    rounds = [0, 0]
    end = time.monotonic() + 10.0

    def work(which: int, scale: float) -> None:
        jitted = tad.jit(tad.value_and_grad(lambda x: tad.sum(tad.sin(scale * x) * x)))
        rng = np.random.default_rng(which)
        while time.monotonic() < end and not wrong:
            x = rng.normal(size=int(rng.integers(1, 6)))
            expected = np.sin(scale * x) + scale * np.cos(scale * x) * x
            plain = np.asarray(tad.grad(lambda x: tad.sum(tad.sin(scale * x) * x))(x))
            replayed = np.asarray(jitted(x)[1])
            nested = np.asarray(tad.vmap(tad.grad(lambda t: tad.sin(scale * t) * t))(x))
            for got in (plain, replayed, nested):
                if not np.allclose(got, expected, rtol=1e-12, atol=0):
                    wrong.append(f"thread {which}: {got} is not {expected}")
            rounds[which] += 1

    threads = [threading.Thread(target=work, args=(i, 1.0 + i)) for i in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []
    assert min(rounds) > 10


def test_one_jitted_function_from_many_threads() -> None:
    f = tad.jit(lambda x: tad.sum(tad.exp(x) * x))
    failures: list[object] = []

    def work(n: int) -> None:
        x = np.linspace(0.0, 1.0, n + 1)
        for _ in range(50):
            if abs(float(f(x)) - float(np.sum(np.exp(x) * x))) > 1e-12:
                failures.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert failures == []
