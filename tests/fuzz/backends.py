"""One spelling of the operations of the fuzzer for three libraries: this one, JAX, PyTorch.

Branches and loops are this library's operations here; JAX, whose loops of unknown length have no
reverse, gets them written out with selections, and PyTorch gets Python's own on the values. Random
numbers of known parameters are drawn by this library for all three: what the others check is how
they are used, and how derivatives pass. `functions` and `signals` have the rest of the spelling.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

import taglessad as tad
from tests.fuzz.functions import JaxFunctions, OurFunctions, TorchFunctions
from tests.fuzz.signals import JaxSignals, OurSignals, TorchSignals

Body = Callable[..., Any]


@tad.custom_jvp
def _pushed(x: Any, y: Any) -> Any:
    return tad.sin(x) * y


@_pushed.defjvp
def _(primals: Any, tangents: Any) -> Any:
    (x, y), (dx, dy) = primals, tangents
    return _pushed(x, y), tad.cos(x) * y * dx + tad.sin(x) * dy


@tad.custom_vjp
def _pulled(x: Any, y: Any) -> Any:
    return tad.sin(x) * y


_pulled.defvjp(
    lambda x, y: (_pulled(x, y), (x, y)),
    lambda r, g: (tad.cos(r[0]) * r[1] * g, tad.sin(r[0]) * g),
)


@tad.custom_vjp
def _pulled_tree(t: Any) -> Any:
    return {"p": tad.sin(t["a"]) * t["b"], "q": (t["b"] * t["b"],)}


_pulled_tree.defvjp(
    lambda t: (_pulled_tree(t), t),
    lambda t, g: (
        {
            "a": tad.cos(t["a"]) * t["b"] * g["p"],
            "b": tad.sin(t["a"]) * g["p"] + 2.0 * t["b"] * g["q"][0],
        },
    ),
)


@tad.custom_jvp
def _decreed(x: Any) -> Any:
    """x, with the slope 3 x by decree."""
    return x * 1.0


_decreed.defjvp(lambda xs, ds: (_decreed(xs[0]), 3.0 * xs[0] * ds[0]))


@cache
def drawn(name: str, seed: int, shape: tuple[int, ...], fold: int | None = None) -> np.ndarray:
    """The numbers of a key, for libraries that do not draw them."""
    key = tad.random.key(seed) if fold is None else tad.random.fold_in(tad.random.key(seed), fold)
    if name == "permutation":
        return np.asarray(tad.random.permutation(key, shape[0]))
    return np.asarray(getattr(tad.random, name)(key, shape))


class Ours(OurFunctions, OurSignals):
    """The program as a user writes it."""

    xp: Any = tad
    linalg: Any = tad.linalg
    detach = staticmethod(tad.detach)
    no_grad = staticmethod(tad.no_grad)
    cond = staticmethod(tad.cond)
    switch = staticmethod(tad.switch)
    fori = staticmethod(tad.fori_loop)
    map = staticmethod(tad.map)
    reduce = staticmethod(tad.reduce)
    checkpoint = staticmethod(tad.checkpoint)
    scan = staticmethod(tad.scan)
    pushed, pulled = staticmethod(_pushed), staticmethod(_pulled)
    pulled_tree = staticmethod(_pulled_tree)
    decreed = staticmethod(_decreed)
    grad, vmap, jit = staticmethod(tad.grad), staticmethod(tad.vmap), staticmethod(tad.jit)
    jacfwd, jacrev = staticmethod(tad.jacfwd), staticmethod(tad.jacrev)

    squash = staticmethod(tad.tanh)

    def array(self, values: Any) -> Any:
        return tad.asarray(np.asarray(values))

    def flip(self, x: Any, axis: int) -> Any:
        return tad.flip(x, axis=axis)

    def roll(self, x: Any, shift: int, axis: int) -> Any:
        return tad.roll(x, shift, axis=axis)

    def triangle(self, name: str, x: Any, k: int) -> Any:
        return getattr(tad, name)(x, k=k)

    def integer(self, x: Any) -> Any:
        return tad.astype(x, tad.int64)

    def real(self, x: Any) -> Any:
        return tad.astype(x, tad.float64)

    def extreme(self, name: str, x: Any, axis: int) -> Any:
        return getattr(tad, name)(x, axis=axis)

    def largest(self, x: Any, count: int) -> Any:
        return tad.top_k(x, count).values

    def cumulative(self, name: str, x: Any, axis: int) -> Any:
        return getattr(tad, f"cumulative_{name}")(x, axis=axis)

    def deviation(self, x: Any, axis: int) -> Any:
        return tad.std(x, axis=axis, correction=1)

    def solve_lower(self, a: Any, b: Any) -> Any:
        return tad.linalg.solve_triangular(a, b, lower=True)

    def expm(self, a: Any) -> Any:
        return tad.linalg.expm(a)

    def interp(self, x: Any, xs: Any, ys: Any) -> Any:
        return tad.interp(x, xs, ys)

    def least_squares(self, a: Any, b: Any) -> Any:
        return tad.linalg.lstsq(a, b)[0]

    def bounded_while(self, test: Body, body: Body, init: Any, most: int) -> Any:
        go = lambda s: (s[0] < most) & test(s[1])
        return tad.while_loop(go, lambda s: (s[0] + 1, body(s[1])), (0, init))[1]

    def jvp(self, f: Body, x: Any, v: Any) -> Any:
        return tad.jvp(f, (x,), (v,))[1]

    def vjp(self, f: Body, x: Any, g: Any) -> Any:
        return tad.vjp(f, x)[1](g)[0]

    def located(self, name: str, seed: int, loc: Any, scale: Any) -> Any:
        return getattr(tad.random, name)(tad.random.key(seed), loc=loc, scale=scale)

    def uniform(self, seed: int, low: Any, high: Any) -> Any:
        return tad.random.uniform(tad.random.key(seed), minval=low, maxval=high)

    def noise(self, seed: int, fold: Any, like: Any) -> Any:
        key = tad.random.fold_in(tad.random.key(seed), fold)
        return tad.random.normal(key, like.shape)

    def permutation(self, seed: int, x: Any) -> Any:
        return tad.random.permutation(tad.random.key(seed), x)

    def categorical(self, seed: int, logits: Any) -> Any:
        return tad.random.categorical(tad.random.key(seed), logits)

    def dropout(self, seed: int, x: Any) -> Any:
        return tad.nn.functional.dropout(x, 0.4, tad.random.key(seed))


class OursRational(Ours):
    """The same with short rational numbers, kept small by a function that leaves them rational."""

    def array(self, values: Any) -> Any:
        given = np.asarray(values)
        return tad.asarray(np.round(given * 64.0) / 64.0 if given.dtype.kind == "f" else given)

    def squash(self, x: Any) -> Any:  # type: ignore[override]  # the base has a function, no method
        return x / (1.0 + x * x)


class Unrolled:
    """What JAX and PyTorch have in common: loops are Python's."""

    xp: Any
    stack: Body

    def each(self, f: Body, *trees: Any) -> Any:
        """f of corresponding leaves of tuples and dicts."""
        first = trees[0]
        if isinstance(first, tuple):
            return tuple(self.each(f, *parts) for parts in zip(*trees, strict=True))
        if isinstance(first, dict):
            return {name: self.each(f, *(t[name] for t in trees)) for name in first}
        return f(*trees)

    def rows(self, xs: Any) -> list[Any]:
        """The rows of a tree of arrays."""
        first = xs
        while isinstance(first, (tuple, dict)):
            first = first[0] if isinstance(first, tuple) else next(iter(first.values()))
        return [self.each(lambda x, i=i: x[i], xs) for i in range(first.shape[0])]

    def stacked(self, trees: list[Any]) -> Any:
        return self.each(lambda *leaves: self.stack(list(leaves)), *trees)

    def fori(self, lo: int, hi: int, body: Body, init: Any) -> Any:
        for i in range(lo, hi):
            init = body(i, init)
        return init

    def scan(
        self, body: Body, init: Any, xs: Any, length: int | None = None, reverse: bool = False
    ) -> tuple[Any, Any]:
        rows = [None] * length if length is not None else self.rows(xs)
        ys = []
        for x in reversed(rows) if reverse else rows:
            init, y = body(init, x)
            ys.append(y)
        return init, self.stacked(ys[::-1] if reverse else ys)

    def map(self, f: Body, xs: Any) -> Any:
        return self.stacked([f(x) for x in self.rows(xs)])

    def vmap(self, f: Body) -> Body:
        return lambda *xs: self.stacked([f(*x) for x in self.rows(xs)])

    def reduce(self, f: Body, init: Any, xs: Any) -> Any:
        for x in self.rows(xs):
            init = f(init, x)
        return init

    def squash(self, x: Any) -> Any:
        return self.xp.tanh(x)

    def checkpoint(self, f: Body) -> Body:
        return f

    def jit(self, f: Body) -> Body:
        return f

    def no_grad(self, f: Body) -> Body:
        return lambda *xs: self.detach(f(*xs))

    def detach(self, x: Any) -> Any:
        raise NotImplementedError  # each library's own

    def pushed(self, x: Any, y: Any) -> Any:
        return self.xp.sin(x) * y

    pulled = pushed

    def pulled_tree(self, t: Any) -> Any:
        return {"p": self.xp.sin(t["a"]) * t["b"], "q": (t["b"] * t["b"],)}

    def decreed(self, x: Any) -> Any:
        slope = 1.5 * x * x
        return slope + self.detach(x - slope)

    def array(self, values: Any) -> Any:
        raise NotImplementedError  # each library's own

    def draw(self, name: str, seed: int, like: Any, fold: int | None = None) -> Any:
        return self.array(drawn(name, seed, tuple(like.shape), fold))

    def located(self, name: str, seed: int, loc: Any, scale: Any) -> Any:
        return loc + scale * self.draw(name, seed, loc + scale)

    def uniform(self, seed: int, low: Any, high: Any) -> Any:
        return low + (high - low) * self.draw("uniform", seed, low + high)

    def noise(self, seed: int, fold: Any, like: Any) -> Any:
        return self.draw("normal", seed, like, int(fold))

    def permutation(self, seed: int, x: Any) -> Any:
        return x[self.draw("permutation", seed, x)]

    def categorical(self, seed: int, logits: Any) -> Any:
        return self.xp.argmax(self.draw("gumbel", seed, logits) + logits)

    def dropout(self, seed: int, x: Any) -> Any:
        kept = drawn("uniform", seed, tuple(x.shape)) < 0.6
        return self.xp.where(self.array(kept), x / 0.6, 0.0)


class Jax(Unrolled, JaxFunctions, JaxSignals):
    """jax.numpy in float64."""

    def __init__(self) -> None:
        import jax

        self.jax = jax
        self.xp, self.linalg = jax.numpy, jax.numpy.linalg
        self.stack, self.array = jax.numpy.stack, jax.numpy.asarray
        self.interp, self.expm = jax.numpy.interp, jax.scipy.linalg.expm
        self.flip, self.roll = jax.numpy.flip, jax.numpy.roll
        self.grad, self.jacfwd, self.jacrev = jax.grad, jax.jacfwd, jax.jacrev
        self._functions()

    def detach(self, x: Any) -> Any:
        return self.jax.lax.stop_gradient(x)

    def triangle(self, name: str, x: Any, k: int) -> Any:
        return getattr(self.xp, name)(x, k=k)

    def integer(self, x: Any) -> Any:
        return x.astype(self.xp.int64)

    def real(self, x: Any) -> Any:
        return x.astype(self.xp.float64)

    def extreme(self, name: str, x: Any, axis: int) -> Any:
        return getattr(self.xp, name)(x, axis=axis)

    def largest(self, x: Any, count: int) -> Any:
        return self.jax.lax.top_k(x, count)[0]

    def cumulative(self, name: str, x: Any, axis: int) -> Any:
        lax = self.jax.lax
        calls = {"sum": lax.cumsum, "prod": lax.cumprod, "max": lax.cummax, "min": lax.cummin}
        calls["logsumexp"] = lax.cumlogsumexp
        return calls[name](x, axis=axis)

    def deviation(self, x: Any, axis: int) -> Any:
        return self.xp.std(x, axis=axis, ddof=1)

    def solve_lower(self, a: Any, b: Any) -> Any:
        return self.jax.scipy.linalg.solve_triangular(a, b, lower=True)

    def least_squares(self, a: Any, b: Any) -> Any:
        return self.linalg.solve(a, b)  # of a square matrix of full rank

    def cond(self, pred: Any, then: Body, other: Body, *xs: Any) -> Any:
        return self._chosen(pred, then(*xs), other(*xs))

    def switch(self, index: Any, branches: Sequence[Body], *xs: Any) -> Any:
        found = branches[0](*xs)
        for k, f in enumerate(branches[1:], start=1):
            found = self._chosen(index == k, f(*xs), found)
        return found

    def bounded_while(self, test: Body, body: Body, init: Any, most: int) -> Any:
        going = True
        for _ in range(most):
            going = going & test(init)
            init = self._chosen(going, body(init), init)
        return init

    def _chosen(self, pred: Any, a: Any, b: Any) -> Any:
        return self.each(lambda a, b: self.xp.where(pred, a, b), a, b)

    def jvp(self, f: Body, x: Any, v: Any) -> Any:
        return self.jax.jvp(f, (x,), (v,))[1]

    def vjp(self, f: Body, x: Any, g: Any) -> Any:
        return self.jax.vjp(f, x)[1](g)[0]


class Torch(Unrolled, TorchFunctions, TorchSignals):
    """torch in float64."""

    def __init__(self) -> None:
        import torch

        self.torch = self.xp = torch
        self.linalg = torch.linalg
        self.stack, self.expm = torch.stack, torch.linalg.matrix_exp
        self.roll = torch.roll
        self._functions()

    def flip(self, x: Any, axis: int) -> Any:
        return self.torch.flip(x, (axis,))

    def triangle(self, name: str, x: Any, k: int) -> Any:
        return getattr(self.torch, name)(x, k)

    def array(self, values: Any) -> Any:
        return self.torch.as_tensor(np.array(values))

    def detach(self, x: Any) -> Any:
        return x.detach()

    def integer(self, x: Any) -> Any:
        return x.to(self.torch.int64)

    def real(self, x: Any) -> Any:
        return x.to(self.torch.float64)

    def extreme(self, name: str, x: Any, axis: int) -> Any:
        calls = {"max": self.torch.amax, "min": self.torch.amin}
        calls |= {"argmax": self.torch.argmax, "argmin": self.torch.argmin}
        return calls[name](x, dim=axis)

    def largest(self, x: Any, count: int) -> Any:
        return self.torch.topk(x, count).values

    def cumulative(self, name: str, x: Any, axis: int) -> Any:
        if name in ("max", "min"):
            return getattr(self.torch, f"cum{name}")(x, dim=axis)[0]
        calls = {"sum": self.torch.cumsum, "prod": self.torch.cumprod}
        calls["logsumexp"] = self.torch.logcumsumexp
        return calls[name](x, dim=axis)

    def deviation(self, x: Any, axis: int) -> Any:
        return self.torch.std(x, dim=axis, correction=1)

    def solve_lower(self, a: Any, b: Any) -> Any:
        return self.torch.linalg.solve_triangular(a, b, upper=False)

    def least_squares(self, a: Any, b: Any) -> Any:
        return self.torch.linalg.solve(a, b)  # of a square matrix of full rank

    def interp(self, x: Any, xs: Any, ys: Any) -> Any:
        i = self.torch.clamp(
            self.torch.searchsorted(xs, x.detach(), right=True) - 1, 0, len(xs) - 2
        )
        t = self.torch.clamp((x - xs[i]) / (xs[i + 1] - xs[i]), 0.0, 1.0)
        return ys[i] + t * (ys[i + 1] - ys[i])

    def cond(self, pred: Any, then: Body, other: Body, *xs: Any) -> Any:
        return then(*xs) if bool(pred) else other(*xs)

    def switch(self, index: Any, branches: Sequence[Body], *xs: Any) -> Any:
        return branches[int(index)](*xs)

    def bounded_while(self, test: Body, body: Body, init: Any, most: int) -> Any:
        for _ in range(most):
            if not bool(test(init)):
                break
            init = body(init)
        return init

    def grad(self, f: Body) -> Body:
        return lambda x: self.vjp(f, x, self.torch.ones((), dtype=x.dtype))

    def vjp(self, f: Body, x: Any, g: Any) -> Any:
        own = x.clone() if x.requires_grad else x.detach().clone().requires_grad_(True)
        y = f(own)
        if not y.requires_grad:
            return self.torch.zeros_like(x)
        keep = {"create_graph": True, "allow_unused": True, "materialize_grads": True}
        return self.torch.autograd.grad(y, own, g, **keep)[0]

    def jvp(self, f: Body, x: Any, v: Any) -> Any:
        """By the transpose of the transpose, which is linear in g."""
        g = self.torch.zeros_like(f(x)).requires_grad_(True)
        return self.vjp(lambda g: self.vjp(f, x, g), g, v)

    def jacrev(self, f: Body) -> Body:
        units = self.torch.eye(3, dtype=self.torch.float64)
        return lambda x: self.stack([self.vjp(f, x, g) for g in units])

    def jacfwd(self, f: Body) -> Body:
        return self.jacrev(f)
