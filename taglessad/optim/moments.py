"""Transformations that remember: running means of gradients and of their squares."""

from dataclasses import dataclass
from typing import Any, TypeVar

from taglessad.array_api.arithmetic import pow, sign
from taglessad.array_api.creation import full_like, zeros_like
from taglessad.array_api.dtype_functions import astype
from taglessad.array_api.searching import where
from taglessad.array_api.transcendental import sqrt
from taglessad.optim.leaves import Rate, each, in_dtype_of, own, renewed
from taglessad.optim.scaling import zero_count
from taglessad.optim.transformation import GradientTransformation
from taglessad.tensor import IntTensor, Tensor
from taglessad.trees.announced import announce

P = TypeVar("P")


def _zeros(what: str, params: P) -> P:
    return each(what, zeros_like, params)


def _filled(what: str, params: P, value: Rate) -> P:
    def filled(p: Tensor) -> Tensor:
        return full_like(p, value)

    return each(what, filled, params)


def _mixed(old: Tensor, new: Tensor, decay: Rate) -> Tensor:
    """decay * old + (1 - decay) * new."""
    weight = in_dtype_of(new, decay)
    mixed: Tensor = weight * old + (1 - weight) * new
    return mixed


def _mean(what: str, updates: P, mu: Any, decay: Rate) -> P:
    """The running mean of gradients."""
    return each(what, lambda u, m: _mixed(m, u, decay), updates, mu=mu)


def _mean_square(what: str, updates: P, nu: Any, decay: Rate) -> P:
    """The running mean of their squares."""
    return each(what, lambda u, n: _mixed(n, u * u, decay), updates, nu=nu)


@announce
@dataclass(frozen=True)
class TraceState:
    """trace: the decaying sum of gradients."""

    trace: Any


def trace(decay: Rate, nesterov: bool = False) -> GradientTransformation:
    """The decaying sum of updates: momentum (Polyak 1964; nesterov: Sutskever et al. 2013)."""
    what = "optim.trace"

    def summed(u: Tensor, t: Tensor) -> Tensor:
        return u + in_dtype_of(u, decay) * t

    def init(params: Any) -> TraceState:
        return TraceState(_zeros(what, params))

    def update(updates: P, state: Any, params: P | None = None) -> tuple[P, Any]:
        old = own(what, TraceState, state)
        new = each(what, summed, updates, trace=old.trace)
        moved = each(what, summed, updates, trace=new) if nesterov else new
        return moved, TraceState(renewed(old.trace, new))

    return GradientTransformation(init, update)


@announce
@dataclass(frozen=True)
class ScaleByAdamState:
    """count: the updates so far. mu, nu: running means of gradients and of their squares."""

    count: IntTensor
    mu: Any
    nu: Any


def scale_by_adam(
    b1: Rate = 0.9, b2: Rate = 0.999, eps: Rate = 1e-8, eps_root: Rate = 0.0
) -> GradientTransformation:
    """Adam's direction (Kingma and Ba 2015, algorithm 1).

    eps_root is added inside the square root: a positive one keeps the derivative of an update finite
    where a gradient is 0.
    """
    what = "optim.scale_by_adam"

    def init(params: Any) -> ScaleByAdamState:
        return ScaleByAdamState(zero_count(), _zeros(what, params), _zeros(what, params))

    def update(updates: P, state: Any, params: P | None = None) -> tuple[P, Any]:
        old = own(what, ScaleByAdamState, state)
        mu = _mean(what, updates, old.mu, b1)
        nu = _mean_square(what, updates, old.nu, b2)
        count = old.count + 1
        first, second = 1 - pow(b1, count), 1 - pow(b2, count)

        def direction(m: Tensor, n: Tensor) -> Tensor:
            mean, square = m / astype(first, m.dtype), n / astype(second, n.dtype)
            return mean / (sqrt(square + in_dtype_of(n, eps_root)) + in_dtype_of(n, eps))

        moved = each(what, direction, mu, nu=nu)
        return moved, ScaleByAdamState(count, renewed(old.mu, mu), renewed(old.nu, nu))

    return GradientTransformation(init, update)


@announce
@dataclass(frozen=True)
class ScaleByRmsState:
    """nu: running mean of the squares."""

    nu: Any


def scale_by_rms(
    decay: Rate = 0.9, eps: Rate = 1e-8, initial_scale: Rate = 0.0, eps_in_sqrt: bool = True
) -> GradientTransformation:
    """Updates over the root of the running mean of their squares (Tieleman and Hinton 2012)."""
    what = "optim.scale_by_rms"

    def init(params: Any) -> ScaleByRmsState:
        return ScaleByRmsState(_filled(what, params, initial_scale))

    def update(updates: P, state: Any, params: P | None = None) -> tuple[P, Any]:
        old = own(what, ScaleByRmsState, state)
        nu = _mean_square(what, updates, old.nu, decay)
        moved = each(what, lambda u, n: u * _inverse_root(n, eps, eps_in_sqrt), updates, nu=nu)
        return moved, ScaleByRmsState(renewed(old.nu, nu))

    return GradientTransformation(init, update)


@announce
@dataclass(frozen=True)
class ScaleByStddevState:
    """mu, nu: running means of gradients and of their squares."""

    mu: Any
    nu: Any


def scale_by_stddev(
    decay: Rate = 0.9, eps: Rate = 1e-8, initial_scale: Rate = 0.0, eps_in_sqrt: bool = True
) -> GradientTransformation:
    """Updates over their running standard deviation (Graves 2013, section 4.1)."""
    what = "optim.scale_by_stddev"

    def init(params: Any) -> ScaleByStddevState:
        return ScaleByStddevState(_zeros(what, params), _filled(what, params, initial_scale))

    def update(updates: P, state: Any, params: P | None = None) -> tuple[P, Any]:
        old = own(what, ScaleByStddevState, state)
        mu = _mean(what, updates, old.mu, decay)
        nu = _mean_square(what, updates, old.nu, decay)

        def scaled(u: Tensor, m: Tensor, n: Tensor) -> Tensor:
            return u * _inverse_root(n - m * m, eps, eps_in_sqrt)

        moved = each(what, scaled, updates, mu=mu, nu=nu)
        return moved, ScaleByStddevState(renewed(old.mu, mu), renewed(old.nu, nu))

    return GradientTransformation(init, update)


def _inverse_root(n: Tensor, eps: Rate, eps_in_sqrt: bool) -> Tensor:
    small = in_dtype_of(n, eps)
    return 1 / sqrt(n + small) if eps_in_sqrt else 1 / (sqrt(n) + small)


@announce
@dataclass(frozen=True)
class ScaleByRssState:
    """sum_of_squares: of all gradients so far."""

    sum_of_squares: Any


def scale_by_rss(initial_accumulator_value: Rate = 0.1, eps: Rate = 1e-7) -> GradientTransformation:
    """Updates over the root of the sum of their squares so far (Duchi, Hazan and Singer 2011)."""
    what = "optim.scale_by_rss"

    def init(params: Any) -> ScaleByRssState:
        return ScaleByRssState(_filled(what, params, initial_accumulator_value))

    def scaled(u: Tensor, total: Tensor) -> Tensor:
        return u * where(total > 0, _inverse_root(total, eps, True), 0.0)

    def update(updates: P, state: Any, params: P | None = None) -> tuple[P, Any]:
        old = own(what, ScaleByRssState, state)
        total = each(what, lambda u, t: u * u + t, updates, sum_of_squares=old.sum_of_squares)
        moved = each(what, scaled, updates, sum_of_squares=total)
        return moved, ScaleByRssState(renewed(old.sum_of_squares, total))

    return GradientTransformation(init, update)


@announce
@dataclass(frozen=True)
class ScaleByLionState:
    """mu: running mean of the gradients."""

    mu: Any


def scale_by_lion(b1: Rate = 0.9, b2: Rate = 0.99) -> GradientTransformation:
    """The sign of a mix of gradient and momentum (Chen et al. 2023, algorithm 2)."""
    what = "optim.scale_by_lion"

    def init(params: Any) -> ScaleByLionState:
        return ScaleByLionState(_zeros(what, params))

    def update(updates: P, state: Any, params: P | None = None) -> tuple[P, Any]:
        old = own(what, ScaleByLionState, state)
        moved = each(what, lambda u, m: sign(_mixed(m, u, b1)), updates, mu=old.mu)
        mu = _mean(what, updates, old.mu, b2)
        return moved, ScaleByLionState(renewed(old.mu, mu))

    return GradientTransformation(init, update)
