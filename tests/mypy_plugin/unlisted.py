"""Lines for public functions that the table does not have: from their signatures."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import taglessad as tad
from taglessad.errors import TaglessError
from taglessad.mypy_plugin.calls import tensor_parameters
from tests.mypy_plugin.well_shaped import WITHOUT_RULE, Line, lines

# Any: functions and operands of every kind.
_SHAPES = ("4 2", "3 3", "4")
_KINDS = {"IntTensor": "i:", "BoolTensor": "b:"}


def public() -> dict[str, Callable[..., Any]]:
    """The array functions, by the name under which a user finds them."""
    found: dict[str, Callable[..., Any]] = {}
    for prefix, module in (("", tad), ("linalg.", tad.linalg), ("special.", tad.special)):
        for name in dir(module):
            function = getattr(module, name)
            if not name.startswith("_") and inspect.isfunction(function):
                home = function.__module__
                if home.startswith(
                    ("taglessad.array_api", "taglessad.linalg", "taglessad.special")
                ):
                    found[f"{prefix}{name}"] = function
    return found


def unlisted() -> dict[str, Callable[..., Any]]:
    """Those of which the table says nothing."""
    listed = {line.name for line in lines()} | set(WITHOUT_RULE)
    seen = {f for name, f in public().items() if name in listed}
    return {n: f for n, f in public().items() if n not in listed and f not in seen}


def made_lines() -> Iterator[Line]:
    """A line for each of them of which some operands are found that it takes."""
    for name, function in unlisted().items():
        line = line_for(name, function)
        if line is not None:
            yield line


def line_for(name: str, function: Callable[..., Any]) -> Line | None:
    """A line from the signature; None where no operands are found."""
    parameters = [
        p
        for p in inspect.signature(function).parameters.values()
        if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    classes = tensor_parameters(function)
    if not 0 < len(parameters) <= 3 or any(p.name not in classes for p in parameters):
        return None
    kinds = [_KINDS.get(classes[p.name], "") for p in parameters]
    for shape in _SHAPES:
        sizes = tuple(map(int, shape.split()))
        dtypes = {"i:": np.int64, "b:": np.bool_, "": np.float64}
        try:
            function(*[tad.asarray(np.zeros(sizes, dtypes[k])) for k in kinds])
        except (TaglessError, TypeError, ValueError):
            continue
        arguments = ", ".join(f"{{{i}}}" for i in range(len(kinds)))
        expressions = [f"tad.{name}({arguments})"]
        if "axis" in inspect.signature(function).parameters:
            expressions += [f"tad.{name}({arguments}, axis={axis})" for axis in (0, 2)]
        return Line(name, tuple(expressions), tuple(k + shape for k in kinds))
    return None
