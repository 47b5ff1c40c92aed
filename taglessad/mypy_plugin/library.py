"""The hook for each name of the library's: None where the declared type says it all."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from taglessad.mypy_plugin import attributes, calls, indexing, models, transforms
from taglessad.mypy_plugin.names import SIZE, TENSORS

Hook = Callable[..., Any]  # Any: a signature or a type, by the hook's role

_TENSOR_CLASSES: Final = TENSORS | {"taglessad.methods.ArrayMethods"}
_UPDATES: Final = "taglessad.indexing.updating.Indexed."


def function_signature(fullname: str) -> Hook | None:
    """Of a function or of a layer's constructor."""
    if calls.library_function(fullname) is not None:
        return calls.signature_hook
    if models.layer_class(fullname) is not None:
        return calls.construction_signature
    return None


def function_result(fullname: str) -> Hook | None:
    """Of a function, a transform, or a layer's constructor."""
    function = calls.library_function(fullname)
    if function is not None:
        return partial(calls.function_hook, name=fullname, function=function)
    layer = models.layer_class(fullname)
    if layer is not None:
        return partial(models.construction_hook, cls=layer)
    transform = transforms.transform_of(fullname)
    if transform is not None:
        return partial(transforms.transform_hook, name=fullname, transform=transform)
    return None


def method_signature(fullname: str) -> Hook | None:
    """Of a layer's method."""
    cls = fullname.rpartition(".")[0]
    return None if models.layer_class(cls) is None else calls.signature_hook


def method_result(fullname: str) -> Hook | None:
    """Of a method or an operator of a tensor, a layer or a size."""
    cls, _, name = fullname.rpartition(".")
    if cls in _TENSOR_CLASSES:
        return indexing.getitem_hook if name == "__getitem__" else calls.METHODS.get(name)
    if fullname.startswith(_UPDATES):
        return partial(indexing.update_hook, name=name)
    layer = models.layer_class(cls)
    if layer is not None:
        return partial(models.call_hook, name=name, cls=layer)
    if cls == SIZE and name in attributes.SIZE_METHODS:
        return partial(attributes.size_method, name=name)
    return None


def attribute(fullname: str) -> Hook | None:
    """Of an attribute of a tensor, or of a named tuple that a function gives."""
    cls, _, name = fullname.rpartition(".")
    if cls in _TENSOR_CLASSES:
        if name in ("T", "mT"):
            return partial(attributes.transpose_type, name=name)
        if name in ("shape", "ndim", "size"):
            return partial(attributes.attribute_type, name=name)
        return None
    return partial(attributes.field_type, name=name)
