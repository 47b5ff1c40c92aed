"""NumPy's protocols on handles: a value where it is known, never an array with the gradient lost."""

import sys
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taglessad.errors import ArgumentError
from taglessad.namespace import Namespace
from taglessad.numpy_names import (
    ARRAY_API_NAMES,
    COPIERS,
    MODULES,
    OPERATOR_UFUNCS,
    PLACES,
    READERS,
)
from taglessad.peeking import Peeking


class NumpyProtocols(Peeking):
    """What NumPy asks of an array-like; a handle is the only class that answers."""

    __slots__ = ()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        # Any: NumPy's protocol takes whatever numpy.dtype takes.
        value = self._array("np.asarray()")
        if copy or (dtype is not None and np.dtype(dtype) != value.dtype):
            if copy is False:
                raise ArgumentError("np.asarray: another dtype needs a copy, and copy=False")
            return np.array(value, dtype)
        shared = value.view()
        shared.flags.writeable = False
        return shared

    def __dlpack__(
        self,
        *,
        stream: object = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:  # Any: a DLPack capsule
        if copy is False:
            raise BufferError("__dlpack__: a handle is immutable, so it exports a copy only")
        return np.array(self._array("__dlpack__")).__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)  # kDLCPU

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:  # Any: a module
        return Namespace.functions

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        # Any: NumPy's protocol. `ndarray * handle` arrives here; it is the handle's own operator.
        name = OPERATOR_UFUNCS.get(ufunc.__name__)
        if method != "__call__" or kwargs or name is None:
            called = "" if method == "__call__" else f".{method}"
            extra = f" with {', '.join(kwargs)}" if kwargs else ""
            raise ArgumentError(
                f"{_as_called(ufunc)}{called}{extra} does not take handles, since it would lose the "
                f"derivative; {_instead(ufunc.__name__ + called, ufunc.__name__)}"
            )
        return getattr(Namespace.functions, name)(*inputs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        # Any: NumPy's protocol. Comparing results with NumPy's is reading, not computing.
        name = getattr(function, "__name__", "function")
        if name in READERS:
            known = [a._seen(f"np.{name}()") if isinstance(a, NumpyProtocols) else a for a in args]
            return function(*known, **kwargs)
        if name in COPIERS:
            known = [np.asarray(a) if isinstance(a, NumpyProtocols) else a for a in args]
            return function(*known, **kwargs)
        package = str(function.__module__).removeprefix("numpy.")
        if package in PLACES:
            name = f"{package}.{name}"
        raise ArgumentError(
            f"np.{name} does not take handles, since it would lose the derivative; {_instead(name)}"
        )


def ours(name: str) -> str | None:
    """Where in `tad` the function of arrays is that others call so; None where there is none."""
    name = ARRAY_API_NAMES.get(name, name)
    for place in ("", *PLACES):
        path = f"{place}.{name}".removeprefix(".")
        found: object = Namespace.functions
        for part in path.split("."):
            found = vars(found).get(part) if isinstance(found, ModuleType) else None
        # Modules hold what they only use as well.
        if isinstance(found, FunctionType) and found.__module__.startswith(MODULES):
            return path
    return None


def _instead(*names: str) -> str:
    """What to write for a NumPy function: ours where there is one, else the way to its value."""
    path = next(filter(None, map(ours, names)), None)
    known = "outside transforms" if path is None else f"use tad.{path}, or"
    return f"{known} take the value with tad.to_numpy"


def _as_called(ufunc: np.ufunc) -> str:
    """NumPy's and SciPy's ufuncs as their users write them."""
    name = ufunc.__name__
    for module, short in (("numpy", "np"), ("scipy.special", "scipy.special")):
        if getattr(sys.modules.get(module), name, None) is ufunc:
            return f"{short}.{name}"
    return name
