"""Trees of arrays in files: safetensors, which holds numbers and names and nothing that runs.

A leaf's name is its path in the tree, as `wrt` spells it: "head.w", "layers[1].b", "['a.b']". Static
fields, the tree's classes and its structure are not stored: whoever loads has the program that makes
them.
"""

import os
import secrets
import shutil
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from taglessad import dtypes
from taglessad.convert import as_handle, from_array, is_python_number, to_numpy
from taglessad.errors import ArgumentError, DomainError, DTypeError, MissingExtra, ShapeError
from taglessad.levels import root_of
from taglessad.ops import Ops
from taglessad.primitive import Aval
from taglessad.shapes import show
from taglessad.tensor import AnyTensor, handle
from taglessad.transforms.recording import argument_spec
from taglessad.trees import flatten_with_paths, path_string, unflatten

T = TypeVar("T")
Array = NDArray[Any]  # Any: the dtype is data
FilePath = str | os.PathLike[str]

_RESERVED: Final = "__metadata__"  # the format's own entry of a file's header
_MOST_LISTED: Final = 10


def save(path: FilePath, tree: Any) -> None:
    """Write the leaves of a tree to a safetensors file, each under its path in the tree.

    The file appears whole or not at all: it is written beside its place and then renamed. Raises
    MissingExtra without safetensors, ArgumentError for a name that cannot be one, DTypeError for
    bfloat16, ConcretizationError for a value that is not known, OSError as Python's own functions do.
    """
    format = _format("save")
    arrays: dict[str, Array] = {}
    for steps, leaf in flatten_with_paths(tree)[0]:
        name = _name(steps)
        if name in arrays or name == _RESERVED:
            why = "names two leaves" if name in arrays else "is a name of the format's own"
            raise ArgumentError(f"save: {name!r} {why}; use other keys")
        value = to_numpy(as_handle(leaf, "save", name or "the tree"))
        dtypes.check(value.dtype, f"save: {name or 'the tree'}")
        # The format is row-major and little-endian; a view of another order would be misread.
        arrays[name] = np.asarray(value, value.dtype.newbyteorder("<"), order="C")
    data: bytes = format.save(arrays)
    place = Path(os.path.realpath(path))
    beside = place.with_name(f".{place.name}.{secrets.token_hex(8)}.tmp")
    try:
        with open(beside, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if place.exists():
            shutil.copymode(place, beside)
        os.replace(beside, place)
    finally:
        beside.unlink(missing_ok=True)


@overload
def load(path: FilePath, like: None = None) -> dict[str, AnyTensor]: ...
@overload
def load(path: FilePath, like: T) -> T: ...
def load(path: FilePath, like: Any = None) -> Any:
    """Read a safetensors file: a dict of handles by name, or a tree in the structure of `like`.

    like: a tree whose leaves (handles, arrays, numbers, or `Spec`s) say what is expected; classes,
    static fields and the kind of each leaf are those of `like`, the values those of the file.

    Raises ArgumentError where a name is missing or too many, ShapeError and DTypeError where an
    array has another shape or dtype, all naming the path and both sides; DomainError for a file that
    is damaged or of another format, MissingExtra without safetensors, FileNotFoundError.
    """
    arrays = _read(path)
    if like is None:
        return {name: from_array(array) for name, array in arrays.items()}
    found, treedef = flatten_with_paths(like)
    expected = {_name(steps): leaf for steps, leaf in found}
    _check(path, arrays, expected)
    return unflatten(treedef, [_as_before(leaf, arrays[n]) for n, leaf in expected.items()])


def _format(what: str) -> Any:  # Any: a module without types
    try:
        return import_module("safetensors.numpy")
    except ImportError:
        raise MissingExtra(f'{what} needs safetensors: pip install "taglessad[io]"') from None


def _name(steps: Any) -> str:
    return path_string(steps).removeprefix(".")


def _read(path: FilePath) -> dict[str, Array]:
    """The arrays of a file by name, in the order of their names."""
    opened: Callable[..., Any] = _format("load").safe_open
    damage: type[Exception] = import_module("safetensors").SafetensorError
    arrays: dict[str, Array] = {}
    name = ""
    try:
        with opened(os.fspath(path), framework="np") as file:
            for name in sorted(file.keys()):
                value = file.get_tensor(name)
                dtype = dtypes.check(value.dtype, f"load: {path}: {name or 'its one array'}")
                arrays[name] = np.asarray(value, dtype)
    except damage as error:
        raise DomainError(f"load: {path} is damaged, or no safetensors file: {error}") from None
    except (AttributeError, KeyError, TypeError) as error:
        if isinstance(error, DTypeError):
            raise
        raise DTypeError(
            f"load: {path}: {name or 'its one array'} has a dtype that NumPy does not know: {error}"
        ) from None
    return arrays


class _Difference(NamedTuple):
    error: type[ArgumentError] | type[ShapeError] | type[DTypeError]
    text: str


def _check(path: FilePath, arrays: dict[str, Array], expected: dict[str, Any]) -> None:
    """Raise an error that lists what the file and the tree do not have in common."""
    differences: list[_Difference] = []
    for name, leaf in expected.items():
        shown = name or "the top"
        aval: Aval = argument_spec(leaf, "load", f"like at {shown}")[0]
        if name not in arrays:
            differences.append(_Difference(ArgumentError, f"{shown} is not in the file"))
            continue
        have = arrays[name]
        sides = (
            f"{shown} is {have.dtype} {show(have.shape)} in the file, "
            f"{aval.dtype} {show(aval.shape)} in like"
        )
        if have.shape != aval.shape:
            differences.append(_Difference(ShapeError, sides))
        elif have.dtype != aval.dtype:
            differences.append(_Difference(DTypeError, sides))
    for name in [n for n in arrays if n not in expected]:
        text = f"{name or 'the top'} is in the file and not in like"
        differences.append(_Difference(ArgumentError, text))
    if differences:
        lines = [d.text for d in differences[:_MOST_LISTED]]
        if len(differences) > _MOST_LISTED:
            lines.append(f"and {len(differences) - _MOST_LISTED} more")
        raise differences[0].error(f"load: {path}: {'; '.join(lines)}")


def _as_before(leaf: Any, value: Array) -> Any:
    """A value of the kind of a leaf: a number for a Python number, else a handle."""
    if is_python_number(leaf):
        return value.item()
    if isinstance(leaf, AnyTensor):
        root = root_of(leaf.ops)
        assert isinstance(root, Ops)
        return handle(root, root.const(value), value.dtype, leaf.weak)
    return from_array(value)
