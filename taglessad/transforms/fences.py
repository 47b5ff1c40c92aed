"""detach and no_grad: fences that no derivative crosses."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from taglessad.convert import as_handle
from taglessad.dtypes import is_real
from taglessad.errors import ArgumentError
from taglessad.tensor import AnyTensor, TensorLike, handle
from taglessad.transforms.naming import named_after
from taglessad.trees import flatten, unflatten

P = ParamSpec("P")
R = TypeVar("R")


def _detached(x: TensorLike) -> AnyTensor:
    t = as_handle(x, "detach")
    if not is_real(t.dtype):
        return t
    return handle(t.ops, t.ops.detach(t.payload), t.dtype, t.weak)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def detach(x: Any) -> Any:
    """x as a constant to every derivative: forward and reverse, at every order and level.

    x may be a tree; its structure, shapes and dtypes are kept. The value is unchanged.
    """
    if isinstance(x, AnyTensor):
        return _detached(x)
    leaves, treedef = flatten(x)
    return unflatten(treedef, [_detached(leaf) for leaf in leaves])


def no_grad(f: Callable[P, R] | None = None) -> Callable[P, R]:
    """A function whose result is a constant to every derivative, however f computes it.

    Arguments and result are detached. It is a transform, not a context: `with no_grad():` has no
    meaning for a program that is interpreted later, and raises ArgumentError.
    """
    if f is None:
        raise ArgumentError(
            "no_grad: give it the function that is to be constant: no_grad(f)(x). There is no "
            "`with no_grad():`; a block has no meaning under other interpreters"
        )
    function: Callable[..., Any] = f  # Any: it is called with constants of its arguments

    def fenced(*args: Any, **kwargs: Any) -> Any:
        def constant(v: Any) -> Any:
            leaves, treedef = flatten(v)
            return unflatten(
                treedef, [_detached(x) if isinstance(x, AnyTensor) else x for x in leaves]
            )

        result = function(*map(constant, args), **{k: constant(v) for k, v in kwargs.items()})
        return constant(result)

    return named_after(fenced, "no_grad", f)
