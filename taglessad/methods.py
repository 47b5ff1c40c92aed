"""NumPy's common methods of arrays, each a function of the array namespace."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

from taglessad.errors import ShapeAttributeError
from taglessad.namespace import Namespace
from taglessad.shapes import show

if TYPE_CHECKING:
    from taglessad.tensor import BoolTensor, IntTensor, Tensor

# Any in axis and dtype arguments: what the function of the same name takes, which checks it.


class ArrayMethods:
    """The methods; a handle is the only class that has them."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def shape(self) -> tuple[Any, ...]: ...
        @property
        def ndim(self) -> int: ...

    @property
    def T(self) -> "Tensor":
        """The transpose of a matrix."""
        if self.ndim != 2:
            raise ShapeAttributeError(
                f".T: shape {show(self.shape)} is no matrix; use .mT or tad.permute_dims"
            )
        return self.mT

    @property
    def mT(self) -> "Tensor":
        """The transpose of the last two axes."""
        if self.ndim < 2:
            raise ShapeAttributeError(f"matrix_transpose: shape {show(self.shape)} has no two axes")
        return Namespace.functions.matrix_transpose(self)  # type: ignore[no-any-return]  # registered late, so Any

    def reshape(self, *shape: SupportsIndex | Sequence[SupportsIndex]) -> "Tensor":
        """The same entries in another shape; one size may be -1."""
        new = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        return Namespace.functions.reshape(self, new)  # type: ignore[no-any-return]  # registered late, so Any

    def squeeze(self, axis: int | tuple[int, ...] | None = None) -> "Tensor":
        """Without axes of size 1: those given, or all of them."""
        if axis is None:
            axis = tuple(i for i, n in enumerate(self.shape) if n == 1)
        return Namespace.functions.squeeze(self, axis)  # type: ignore[no-any-return]  # registered late, so Any

    def astype(self, dtype: Any, *, copy: bool = True) -> Any:
        # Any: a dtype argument in, and out the class of its kind
        """In another dtype."""
        return Namespace.functions.astype(self, dtype, copy=copy)

    def sum(self, axis: Any = None, *, dtype: Any = None, keepdims: bool = False) -> "Tensor":
        """Sum over axes (all by default)."""
        return Namespace.functions.sum(self, axis=axis, dtype=dtype, keepdims=keepdims)  # type: ignore[no-any-return]  # registered late, so Any

    def mean(self, axis: Any = None, *, keepdims: bool = False) -> "Tensor":
        """Mean over axes (all by default)."""
        return Namespace.functions.mean(self, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]  # registered late, so Any

    def prod(self, axis: Any = None, *, dtype: Any = None, keepdims: bool = False) -> "Tensor":
        """Product over axes (all by default)."""
        return Namespace.functions.prod(self, axis=axis, dtype=dtype, keepdims=keepdims)  # type: ignore[no-any-return]  # registered late, so Any

    def max(self, axis: Any = None, *, keepdims: bool = False) -> "Tensor":
        """Largest entry over axes (all by default)."""
        return Namespace.functions.max(self, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]  # registered late, so Any

    def min(self, axis: Any = None, *, keepdims: bool = False) -> "Tensor":
        """Smallest entry over axes (all by default)."""
        return Namespace.functions.min(self, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]  # registered late, so Any

    def any(self, axis: Any = None, *, keepdims: bool = False) -> "BoolTensor":
        """Whether any entry holds, over axes (all by default)."""
        return Namespace.functions.any(self, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]  # registered late, so Any

    def all(self, axis: Any = None, *, keepdims: bool = False) -> "BoolTensor":
        """Whether all entries hold, over axes (all by default)."""
        return Namespace.functions.all(self, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]  # registered late, so Any

    def argmax(self, axis: int | None = None, *, keepdims: bool = False) -> "IntTensor":
        """Position of the largest entry."""
        return Namespace.functions.argmax(self, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]  # registered late, so Any

    def argmin(self, axis: int | None = None, *, keepdims: bool = False) -> "IntTensor":
        """Position of the smallest entry."""
        return Namespace.functions.argmin(self, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]  # registered late, so Any
