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
from taglessad.optim.leaves import each, refuse, renewed
from taglessad.tensor import Tensor
from taglessad.trees import flatten_with_paths

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


def stateless(what: str, update: Callable[[Any, Any], Any]) -> GradientTransformation:
    """A transformation without a state, from `(updates, params) -> updates`."""

    def init(params: Any) -> tuple[()]:
        return ()

    def updated(updates: P, state: Any, params: P | None = None) -> tuple[P, Any]:
        if not isinstance(state, tuple) or state:
            refuse(what, state, "()")
        return update(updates, params), state

    return GradientTransformation(init, updated)


def chain(*transformations: GradientTransformation) -> GradientTransformation:
    """The transformations one after the other; the state is the tuple of theirs."""

    def init(params: Any) -> tuple[Any, ...]:
        return tuple(t.init(params) for t in transformations)

    def update(updates: P, state: Any, params: P | None = None) -> tuple[P, Any]:
        if not isinstance(state, tuple) or len(state) != len(transformations):
            refuse("optim.chain", state, f"a tuple of {len(transformations)}, one of each part")
        states: list[Any] = []
        for transformation, own in zip(transformations, state, strict=True):
            updates, new = transformation.update(updates, own, params)
            states.append(new)
        return updates, tuple(states)

    return GradientTransformation(init, update)


def identity() -> GradientTransformation:
    """Updates as they come."""
    return stateless("optim.identity", lambda updates, params: updates)


def set_to_zero() -> GradientTransformation:
    """Zeros: nothing moves."""
    what = "optim.set_to_zero"
    return stateless(what, lambda updates, params: each(what, zeros_like, updates))


def apply_updates(params: P, updates: Any) -> P:
    """params + updates, in the dtype of params; where updates has None, params as they are.

    Raises ArgumentError for an update where params has no leaf, ShapeError for one of another shape,
    DTypeError for one to what is not real. The two swapped are seen where params has more leaves.
    """
    what = "optim.apply_updates"

    def moved(u: Tensor, p: Tensor) -> Any:
        return astype(p + u, p.dtype)

    try:
        return renewed(params, each(what, moved, updates, params=params))
    except ArgumentError as error:
        if not _is_part(params, updates):
            raise
        message = f"{error.message}; the order is apply_updates(params, updates)"
        raise ArgumentError(message, error.site) from None


def _is_part(tree: Any, whole: Any) -> bool:
    """Whether every leaf of a tree is at a place where the other has one too."""
    places = {path for path, _ in flatten_with_paths(whole)[0]}
    return all(path in places for path, _ in flatten_with_paths(tree)[0])
