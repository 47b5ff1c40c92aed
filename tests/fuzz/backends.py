"""One spelling of the operations of the fuzzer for three libraries: this one, JAX, PyTorch.

Branches and loops are this library's operations here; JAX, whose loops of unknown length have no
reverse, gets them written out with selections, and PyTorch gets Python's own on the values.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import taglessad as tad

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


@tad.custom_jvp
def _decreed(x: Any) -> Any:
    """x, with the slope 3 x by decree."""
    return x * 1.0


_decreed.defjvp(lambda xs, ds: (_decreed(xs[0]), 3.0 * xs[0] * ds[0]))


class Ours:
    """The program as a user writes it."""

    xp: Any = tad
    linalg: Any = tad.linalg
    erf = staticmethod(tad.special.erf)
    gammaln = staticmethod(tad.special.gammaln)
    digamma = staticmethod(tad.special.digamma)
    i0e = staticmethod(tad.special.i0e)
    logsumexp = staticmethod(tad.special.logsumexp)
    softmax = staticmethod(tad.nn.functional.softmax)
    sigmoid = staticmethod(tad.nn.functional.sigmoid)
    softplus = staticmethod(tad.nn.functional.softplus)
    gelu = staticmethod(tad.nn.functional.gelu)
    relu = staticmethod(tad.nn.functional.relu)
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
    decreed = staticmethod(_decreed)

    def array(self, values: Any) -> Any:
        return tad.asarray(np.asarray(values))

    def flip(self, x: Any, axis: int) -> Any:
        return tad.flip(x, axis=axis)

    def roll(self, x: Any, shift: int, axis: int) -> Any:
        return tad.roll(x, shift, axis=axis)

    def tril(self, x: Any, k: int) -> Any:
        return tad.tril(x, k=k)

    def integer(self, x: Any) -> Any:
        return tad.astype(x, tad.int64)

    def real(self, x: Any) -> Any:
        return tad.astype(x, tad.float64)

    def extreme(self, name: str, x: Any, axis: int) -> Any:
        return getattr(tad, name)(x, axis=axis)

    def cumulative(self, name: str, x: Any, axis: int) -> Any:
        return getattr(tad, f"cumulative_{name}")(x, axis=axis)

    def at(self, method: str, x: Any, index: Any, value: Any) -> Any:
        return getattr(x.at[index], method)(value)

    def solve_lower(self, a: Any, b: Any) -> Any:
        return tad.linalg.solve_triangular(a, b, lower=True)

    def expm(self, a: Any) -> Any:
        return tad.linalg.expm(a)

    def interp(self, x: Any, xs: Any, ys: Any) -> Any:
        return tad.interp(x, xs, ys)

    def bounded_while(self, test: Body, body: Body, init: Any, most: int) -> Any:
        go = lambda s: (s[0] < most) & test(s[1])
        return tad.while_loop(go, lambda s: (s[0] + 1, body(s[1])), (0, init))[1]


class Unrolled:
    """What JAX and PyTorch have in common: loops are Python's."""

    xp: Any
    stack: Body

    def fori(self, lo: int, hi: int, body: Body, init: Any) -> Any:
        for i in range(lo, hi):
            init = body(i, init)
        return init

    def scan(self, body: Body, init: Any, xs: Any) -> tuple[Any, Any]:
        ys = []
        for x in xs:
            init, y = body(init, x)
            ys.append(y)
        return init, self.stack(ys)

    def map(self, f: Body, xs: Any) -> Any:
        rows = zip(*xs, strict=True) if isinstance(xs, tuple) else xs
        return self.stack([f(x) for x in rows])

    def reduce(self, f: Body, init: Any, xs: Any) -> Any:
        for x in xs:
            init = f(init, x)
        return init

    def checkpoint(self, f: Body) -> Body:
        return f

    def no_grad(self, f: Body) -> Body:
        return lambda *xs: self.detach(f(*xs))

    def detach(self, x: Any) -> Any:
        raise NotImplementedError

    def pushed(self, x: Any, y: Any) -> Any:
        return self.xp.sin(x) * y

    pulled = pushed

    def decreed(self, x: Any) -> Any:
        slope = 1.5 * x * x
        return slope + self.detach(x - slope)


class Jax(Unrolled):
    """jax.numpy in float64."""

    def __init__(self) -> None:
        import jax

        self.jax = jax
        self.xp, self.linalg = jax.numpy, jax.numpy.linalg
        special, nn = jax.scipy.special, jax.nn
        self.erf, self.gammaln, self.digamma = special.erf, special.gammaln, special.digamma
        self.i0e, self.logsumexp = special.i0e, special.logsumexp
        self.softmax, self.sigmoid, self.softplus = nn.softmax, nn.sigmoid, nn.softplus
        self.gelu, self.relu = nn.gelu, nn.relu
        self.stack, self.array = jax.numpy.stack, jax.numpy.asarray
        self.interp, self.expm = jax.numpy.interp, jax.scipy.linalg.expm
        self.flip, self.roll, self.tril = jax.numpy.flip, jax.numpy.roll, jax.numpy.tril

    def detach(self, x: Any) -> Any:
        return self.jax.lax.stop_gradient(x)

    def integer(self, x: Any) -> Any:
        return x.astype(self.xp.int64)

    def real(self, x: Any) -> Any:
        return x.astype(self.xp.float64)

    def extreme(self, name: str, x: Any, axis: int) -> Any:
        return getattr(self.xp, name)(x, axis=axis)

    def cumulative(self, name: str, x: Any, axis: int) -> Any:
        return {"sum": self.xp.cumsum, "prod": self.xp.cumprod}[name](x, axis=axis)

    def at(self, method: str, x: Any, index: Any, value: Any) -> Any:
        if method == "multiply":  # JAX has no derivative where an index comes twice
            for i, j in enumerate(index.tolist()):
                x = x.at[j].multiply(value[i])
            return x
        return getattr(x.at[index], method)(value)

    def solve_lower(self, a: Any, b: Any) -> Any:
        return self.jax.scipy.linalg.solve_triangular(a, b, lower=True)

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
        return self.jax.tree.map(lambda a, b: self.xp.where(pred, a, b), a, b)


class Torch(Unrolled):
    """torch in float64."""

    def __init__(self) -> None:
        import torch

        self.torch = self.xp = torch
        self.linalg, special, nn = torch.linalg, torch.special, torch.nn.functional
        self.erf, self.gammaln, self.digamma = torch.erf, special.gammaln, special.digamma
        self.i0e = special.i0e
        self.sigmoid, self.softplus, self.relu = torch.sigmoid, nn.softplus, torch.relu
        self.stack, self.expm = torch.stack, torch.linalg.matrix_exp
        self.roll, self.tril = torch.roll, torch.tril

    def flip(self, x: Any, axis: int) -> Any:
        return self.torch.flip(x, (axis,))

    def gelu(self, x: Any) -> Any:
        return self.torch.nn.functional.gelu(x, approximate="tanh")

    def softmax(self, x: Any, axis: int) -> Any:
        return self.torch.softmax(x, dim=axis)

    def logsumexp(self, x: Any, axis: int) -> Any:
        return self.torch.logsumexp(x, dim=axis)

    def array(self, values: Any) -> Any:
        return self.torch.as_tensor(np.array(values))

    def detach(self, x: Any) -> Any:
        return x.detach()

    def integer(self, x: Any) -> Any:
        return x.to(self.torch.int64)

    def real(self, x: Any) -> Any:
        return x.to(self.torch.float64)

    def extreme(self, name: str, x: Any, axis: int) -> Any:
        calls = {"max": self.torch.amax, "min": self.torch.amin, "argmax": self.torch.argmax}
        return calls[name](x, dim=axis)

    def cumulative(self, name: str, x: Any, axis: int) -> Any:
        return {"sum": self.torch.cumsum, "prod": self.torch.cumprod}[name](x, dim=axis)

    def at(self, method: str, x: Any, index: Any, value: Any) -> Any:
        y = x.clone()
        places = index if isinstance(index, tuple) else (index,)
        if method == "set":
            y[places] = value
            return y
        if method == "multiply":
            factor = self.torch.ones_like(x)
            for i, j in enumerate(index.tolist()):
                one = self.torch.ones_like(x)
                one[j] = value[i]
                factor = factor * one
            return x * factor
        return y.index_put(places, value, accumulate=True)

    def solve_lower(self, a: Any, b: Any) -> Any:
        return self.torch.linalg.solve_triangular(a, b, upper=False)

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
