"""The JAX path against `jax.jit(jax.grad(...))` as an expert writes it: run, trace, compile, size.

Each program is written once over a namespace of functions; the other side is JAX's own. Both sides
get arrays that lie on the device, and are waited for.
"""

import gc
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import taglessad as tad
from benchmarks.harness import Row, interleaved, least, ratio
from benchmarks.peers import optional
from taglessad.control.reversal import SLOTS

ROUNDS = 20


class Program(NamedTuple):
    """Ours and theirs: functions of the same arrays, of which the first `wrt` are differentiated."""

    name: str
    ours: Callable[..., Any]
    theirs: Callable[..., Any]
    arguments: tuple[Any, ...]
    wrt: int


def _normal(*shape: int, scale: float = 1.0) -> Any:
    rng = np.random.default_rng(sum(shape))
    return (scale * rng.standard_normal(shape)).astype(np.float32)


def _mlp(xp: Any) -> Callable[..., Any]:
    def loss(*args: Any) -> Any:
        *parameters, h, t = args
        for w, b in zip(parameters[:-2:2], parameters[1:-2:2], strict=True):
            h = xp.tanh(h @ w + b)
        r = h @ parameters[-2] + parameters[-1] - t
        return xp.mean(r * r)

    return loss


def mlp(name: str, sizes: list[int], batch: int, jnp: Any) -> Program:
    parameters = [
        a
        for n, m in zip(sizes[:-1], sizes[1:], strict=True)
        for a in (_normal(n, m, scale=n**-0.5), _normal(m, scale=0.1))
    ]
    data = (*parameters, _normal(batch, sizes[0]), _normal(batch, sizes[-1]))
    return Program(name, _mlp(tad), _mlp(jnp), data, len(parameters))


def recurrent(jax: Any, jnp: Any) -> Program:
    """A tanh cell scanned over 100 steps."""

    def ours(w: Any, u: Any, b: Any, xs: Any) -> Any:
        def cell(h: Any, x: Any) -> Any:
            h = tad.tanh(h @ w + x @ u + b)
            return h, None

        h, _ = tad.scan(cell, tad.zeros((32, 64), dtype=tad.float32), xs)
        return tad.mean(h * h)

    def theirs(w: Any, u: Any, b: Any, xs: Any) -> Any:
        def cell(h: Any, x: Any) -> Any:
            h = jnp.tanh(h @ w + x @ u + b)
            return h, None

        h, _ = jax.lax.scan(cell, jnp.zeros((32, 64), jnp.float32), xs)
        return jnp.mean(h * h)

    data = (_normal(64, 64, scale=0.1), _normal(16, 64), _normal(64), _normal(100, 32, 16))
    return Program("RNN, scan T=100", ours, theirs, data, 3)


def gaussian_process(jax: Any, jnp: Any) -> Program:
    """The marginal likelihood of a squared-exponential kernel, 200 points."""

    def likelihood(xp: Any, cholesky: Any, solve: Any, diagonal: Any) -> Callable[..., Any]:
        def loss(scale: Any, noise: Any, x: Any, y: Any, eye: Any) -> Any:
            distance = (x[:, None] - x[None, :]) / scale
            k = xp.exp(-0.5 * distance * distance) + (noise * noise + 1e-2) * eye
            factor = cholesky(k)
            a = solve(factor, y)
            return 0.5 * xp.sum(a * a) + xp.sum(xp.log(diagonal(factor)))

        return loss

    ours = likelihood(
        tad,
        tad.linalg.cholesky,
        lambda factor, y: tad.linalg.solve_triangular(factor, y, lower=True),
        tad.linalg.diagonal,
    )
    theirs = likelihood(
        jnp,
        jnp.linalg.cholesky,
        lambda factor, y: jax.scipy.linalg.solve_triangular(factor, y, lower=True),
        jnp.diagonal,
    )
    x = np.linspace(0, 10, 200, dtype=np.float32)
    one, noise = np.float32(1.3), np.float32(0.5)
    data = (one, noise, x, np.sin(x), np.eye(200, dtype=np.float32))
    return Program("Gaussian process, 200 points", ours, theirs, data, 2)


def attention(jax: Any, jnp: Any) -> Program:
    """Four heads over 64 positions of 64 numbers, batch 8, with a residual."""

    def block(xp: Any, softmax: Any, einsum: Any) -> Callable[..., Any]:
        def loss(q: Any, k: Any, v: Any, o: Any, x: Any) -> Any:
            queries, keys, values = (einsum("btd,dhe->bhte", x, w) for w in (q, k, v))
            weights = softmax(einsum("bhte,bhse->bhts", queries, keys) / 4.0)
            mixed = einsum("bhts,bhse->bhte", weights, values)
            y = x + einsum("bhte,hed->btd", mixed, o)
            return xp.mean(y * y)

        return loss

    ours = block(tad, lambda z: tad.nn.functional.softmax(z, axis=-1), tad.einsum)
    theirs = block(jnp, lambda z: jax.nn.softmax(z, axis=-1), jnp.einsum)
    heads = tuple(_normal(64, 4, 16, scale=0.1) for _ in range(3))
    data = (*heads, _normal(4, 16, 64, scale=0.1), _normal(8, 64, 64))
    return Program("attention block", ours, theirs, data, 4)


def programs(jax: Any) -> list[Program]:
    jnp = jax.numpy
    return [
        mlp("MLP 784-256-10", [784, 256, 10], 128, jnp),
        mlp("MLP of 30 layers", [64] * 31, 64, jnp),
        recurrent(jax, jnp),
        gaussian_process(jax, jnp),
        attention(jax, jnp),
    ]


def _operations(compiled: Any) -> int:
    return sum(" = " in line for line in compiled.as_text().splitlines())


def _timed(make: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, and what was made."""
    start = time.process_time()
    made = make()
    return time.process_time() - start, made


def _making(
    ours: Callable[[], Any], theirs: Callable[[], Any], rounds: int
) -> tuple[float, Any, Any]:
    """Median ratio of the seconds that two things take to make, by turns; and the last of each."""
    ratios: list[float] = []
    own: Any = None
    peer: Any = None
    enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            mine, own = _timed(ours)
            other, peer = _timed(theirs)
            ratios.append(mine / other)
    finally:
        if enabled:
            gc.enable()
    return statistics.median(ratios), own, peer


def gradients() -> Iterator[Row]:
    """The five programs: run, trace and lower, compile, operations of the optimised HLO."""
    jax = optional("jax")
    if jax is None:
        return
    from taglessad.interpreters import Jax

    for p in programs(jax):
        argnums = tuple(range(p.wrt))
        ours = lambda p=p, argnums=argnums: tad.jit(tad.value_and_grad(p.ours, argnums), Jax())
        theirs = lambda p=p, argnums=argnums: jax.jit(jax.value_and_grad(p.theirs, argnums))
        arrays = tuple(jax.numpy.asarray(a) for a in p.arguments)
        handles = tuple(tad.asarray(a) for a in arrays)
        f, g = ours(), theirs()
        for a, b in zip(f(*handles)[1], g(*arrays)[1], strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-3, atol=2e-4)
        times = interleaved(
            {
                "ours": lambda f=f, h=handles: jax.block_until_ready(f(*h)),
                "theirs": lambda g=g, a=arrays: jax.block_until_ready(g(*a)),
            },
            rounds=ROUNDS,
            target=5e-3,
        )
        slow = least(times, "theirs") > 1e-3
        yield Row(
            f"{p.name}: run", "jax.grad", ratio(times, "ours", "theirs"), 1.05 if slow else 1.1
        )
        trace, lowered, rival = _making(
            lambda m=ours, h=handles: m().lower(*h), lambda m=theirs, a=arrays: m().lower(*a), 9
        )
        yield Row(f"{p.name}: trace", "jax.grad", trace, 1.0)
        compiling, own, peer = _making(lowered.compile, rival.compile, 3)
        yield Row(f"{p.name}: compile", "jax.grad", compiling, None)
        size = _operations(own) / _operations(peer)
        yield Row(f"{p.name}: HLO operations", "jax.grad", size, 1.05)


TRIPS = (371, 3804)


def _bodies(xp: Any) -> dict[str, Callable[[Any, Any], Any]]:
    """Steps of a state, from dear to cheap."""
    return {
        "sin": lambda s, x: s + 0.01 * xp.sin(s * x),
        "tanh": lambda s, x: xp.tanh(s * x),
        "Heron": lambda s, x: 0.5 * (s + x / s),
        "logistic map": lambda s, x: (2.0 + x) * s * (1.0 - s),
    }


def loops() -> Iterator[Row]:
    """While loops in reverse in one jit, 1000 numbers of state, against the loop and what JAX has.

    Ours knows no bound and holds as many states as it has slots. equinox's has as many checkpoints,
    and no bound either; `lax.scan` knows how many trips there will be, and keeps every one.
    """
    jax = optional("jax")
    if jax is None:
        return
    for name in _bodies(tad):
        for trips in TRIPS:
            yield from _loop(jax, name, trips)


def _loop(jax: Any, name: str, trips: int) -> Iterator[Row]:
    from taglessad.interpreters import Jax

    jnp, lax = jax.numpy, jax.lax
    x = jnp.asarray(np.linspace(0.5, 1.5, 1000, dtype=np.float32))
    own, body = _bodies(tad)[name], _bodies(jnp)[name]

    def more(state: Any) -> Any:
        return state[0] < trips

    def trip(x: Any) -> Callable[[Any], Any]:
        return lambda s: (s[0] + 1, body(s[1], x))

    def ours(x: Any) -> Any:
        return tad.sum(tad.while_loop(more, lambda s: (s[0] + 1, own(s[1], x)), (0, x))[1])

    def primal(x: Any) -> Any:
        return jnp.sum(lax.while_loop(more, trip(x), (0, x))[1])

    def scanned(x: Any) -> Any:
        return jnp.sum(lax.scan(lambda s, _: (body(s, x), None), x, None, length=trips)[0])

    f, handle = tad.jit(tad.grad(ours), Jax()), tad.asarray(x)
    theirs: dict[str, Any] = {"primal": jax.jit(primal), "scan": jax.jit(jax.grad(scanned))}
    internal = optional("equinox.internal")
    if internal is not None:

        def checkpointed(x: Any) -> Any:
            options = {"kind": "checkpointed", "checkpoints": SLOTS}
            return jnp.sum(internal.while_loop(more, trip(x), (0, x), **options)[1])

        theirs["equinox"] = jax.jit(jax.grad(checkpointed))
    np.testing.assert_allclose(f(handle), theirs["scan"](x), rtol=2e-3, atol=1e-5)
    contenders = {key: lambda g=g: jax.block_until_ready(g(x)) for key, g in theirs.items()} | {
        "ours": lambda: jax.block_until_ready(f(handle))
    }
    times = interleaved(contenders, rounds=ROUNDS, target=1e-2)
    what = f"while, {name}, {trips} trips, in reverse"
    yield Row(what, "the loop under jit", ratio(times, "ours", "primal"), 3.5)
    yield Row(what, "jax.grad of lax.scan", ratio(times, "ours", "scan"), None)
    if internal is not None:
        yield Row(what, "equinox's checkpointed loop", ratio(times, "ours", "equinox"), 0.25)
