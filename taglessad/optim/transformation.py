"""Gradient transformations: what an optimiser is, and how several become one.

    state = optimiser.init(params)
    updates, state = optimiser.update(grads, state, params)
    params = apply_updates(params, updates)

All three are programs: they run under any interpreter, in jit, and are differentiated through.
params, grads and updates are trees of one structure; grads and updates may have None where params
has a leaf or a subtree, which is left as it is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from taglessad.array_api.creation import zeros_like
from taglessad.array_api.dtype_functions import astype
from taglessad.errors import ArgumentError
from taglessad.optim.leaves import each, renewed
from taglessad.tensor import Tensor

P = TypeVar("P")


class Init(Protocol):
    """The state before the first step."""

    def __call__(self, params: Any) -> Any: ...


class Update(Protocol):
    """Gradients, or the updates of the transformation before, as updates; and the new state."""

    def __call__(self, updates: P, state: Any, params: P | None = None) -> tuple[P, Any]: ...


@dataclass(frozen=True)
class GradientTransformation:
    """A pair of functions: `init(params) -> state`, `update(grads, state, params) -> (updates, state)`.

    The state is a tree, so it can be an argument, a result, a file.
    """

    init: Init
    update: Update


def stateless(update: Callable[[Any, Any], Any]) -> GradientTransformation:
    """A transformation without a state, from `(updates, params) -> updates`."""

    def init(params: Any) -> tuple[()]:
        return ()

    def updated(updates: P, state: Any, params: P | None = None) -> tuple[P, Any]:
        return update(updates, params), state

    return GradientTransformation(init, updated)


def chain(*transformations: GradientTransformation) -> GradientTransformation:
    """The transformations one after the other; the state is the tuple of theirs."""

    def init(params: Any) -> tuple[Any, ...]:
        return tuple(t.init(params) for t in transformations)

    def update(updates: P, state: Any, params: P | None = None) -> tuple[P, Any]:
        if len(state) != len(transformations):
            raise ArgumentError(
                f"optim.chain: the state has {len(state)} parts, for {len(transformations)} "
                "transformations; it is that of another optimiser"
            )
        states: list[Any] = []
        for transformation, own in zip(transformations, state, strict=True):
            updates, new = transformation.update(updates, own, params)
            states.append(new)
        return updates, tuple(states)

    return GradientTransformation(init, update)


def identity() -> GradientTransformation:
    """Updates as they come."""
    return stateless(lambda updates, params: updates)


def set_to_zero() -> GradientTransformation:
    """Zeros: nothing moves."""
    return stateless(lambda updates, params: each("optim.set_to_zero", zeros_like, updates))


def apply_updates(params: P, updates: Any) -> P:
    """params + updates, in the dtype of params; where updates has None, params as they are.

    Raises ArgumentError for an update where params has no leaf, ShapeError for one of another shape,
    DTypeError for one to what is not real.
    """

    def moved(u: Tensor, p: Tensor) -> Any:
        return astype(p + u, p.dtype)

    return renewed(params, each("optim.apply_updates", moved, updates, params=params))
