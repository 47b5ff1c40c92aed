"""Handles, models and optimiser states as JAX pytrees."""

from typing import Any, Final

import jax
import numpy as np
from jax.tree_util import GetAttrKey, SequenceKey

from taglessad.dtypes import DType, bool_, float64, int64
from taglessad.ops import Ops
from taglessad.tensor import AnyTensor, BoolTensor, IntTensor, Tensor, handle
from taglessad.trees.announced import listen
from taglessad.trees.kinds import kinds

# Any: JAX puts whatever it likes in the place of a leaf.


class _RealLeaf(Tensor):
    """A handle that a transform of ours owns, as a leaf: JAX looks into no class that it does not
    know, and hands it on as it is."""

    __slots__ = ()


class _IntLeaf(IntTensor):
    __slots__ = ()


class _BoolLeaf(BoolTensor):
    __slots__ = ()


_LEAVES: Final[dict[type[AnyTensor], type[AnyTensor]]] = {
    Tensor: _RealLeaf,
    IntTensor: _IntLeaf,
    BoolTensor: _BoolLeaf,
}


def register_pytrees(root: Ops[Any]) -> None:
    """Register the three classes of handles, and every class of the library that holds them.

    A handle has one leaf, its array: of JAX as it is, of NumPy as a NumPy array, a Python number
    where it is weak; under a transform of ours the handle itself. It is rebuilt over `root` from
    such; any other leaf is kept as it is.
    """
    _register_handle(Tensor, root, float64)
    _register_handle(IntTensor, root, int64)
    _register_handle(BoolTensor, root, bool_)
    listen(_register_container)


def _register_handle(cls: type[AnyTensor], root: Ops[Any], dtype: DType) -> None:
    own = _LEAVES[cls]

    def flatten(x: AnyTensor) -> tuple[tuple[Any], None]:
        if x.ops is root and not x.weak:  # most of them, and JAX asks often
            return (x.payload,), None
        # What lies on a device stays there, whichever `Jax` it is over.
        known = isinstance(x.ops, type(root)) or x.ops.closed
        value = x.payload if known else x.ops.literal(x.payload)
        if value is None:
            return (own(x.ops, x.payload, x.dtype, x.weak),), None
        return (value.item() if x.weak and isinstance(value, np.ndarray) else value,), None

    def unflatten(_: None, leaves: tuple[Any]) -> Any:
        (leaf,) = leaves
        if isinstance(leaf, AnyTensor):
            made: AnyTensor = handle(leaf.ops, leaf.payload, leaf.dtype, leaf.weak)
            return made
        if isinstance(leaf, (jax.Array, np.ndarray, np.generic)):
            weak = bool(getattr(leaf, "weak_type", False)) and not leaf.shape
            return handle(root, leaf, np.dtype(leaf.dtype), weak)
        if isinstance(leaf, (bool, int, float)):
            array = np.asarray(leaf)
            number: AnyTensor = handle(root, array, array.dtype, True)
            if type(number) is cls:
                return number
        return cls(root, leaf, dtype, False)  # a mask's True stands where a real number stood

    jax.tree_util.register_pytree_node(cls, flatten, unflatten)


def _register_container(cls: type) -> None:
    """A container class of ours as a JAX node: its children as `taglessad.trees` has them."""

    def flatten_with_keys(node: Any) -> tuple[list[tuple[Any, Any]], Any]:
        token, children = kinds[cls].take(node)
        assert token is not None
        _, arity, static, _ = token
        steps = kinds[cls].steps(static, arity)
        return [(_key(s), c) for s, c in zip(steps, children, strict=True)], _Static(static, token)

    def flatten(node: Any) -> tuple[Any, Any]:
        token, children = kinds[cls].take(node)
        assert token is not None
        return tuple(children), _Static(token[2], token)

    def unflatten(static: "_Static", children: Any) -> Any:
        return kinds[cls].make(static.values, tuple(children))

    jax.tree_util.register_pytree_with_keys(cls, flatten_with_keys, unflatten, flatten)


def _key(step: Any) -> Any:
    return GetAttrKey(step) if isinstance(step, str) else SequenceKey(step)


class _Static:
    """What is known of a node by value; compared as our own structures are."""

    __slots__ = ("_token", "values")

    def __init__(self, values: Any, token: Any) -> None:
        self.values = values
        self._token = token

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Static) and self._token == other._token

    def __hash__(self) -> int:
        return hash(self._token)
