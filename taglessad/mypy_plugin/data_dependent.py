"""Functions whose results have as many entries as the values say: sizes that are not known."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from taglessad.array_api import searching, sets
from taglessad.dims import UNKNOWN
from taglessad.errors import ConcretizationError
from taglessad.mypy_plugin.specs import array, kind_of
from taglessad.tensor import AnyTensor

# Any: functions of handles, with results of their own classes.
Stand = Callable[[AnyTensor], Any]


def _otherwise(function: Callable[..., Any], stand: Stand) -> Callable[..., Any]:
    """The function; where it asks for values, what stands for its result."""

    @wraps(function)
    def standing(x: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return function(x, *args, **kwargs)
        except ConcretizationError:
            return stand(x)

    return standing


def _some(x: AnyTensor) -> AnyTensor:
    return array((UNKNOWN,), kind_of(x))


def _places() -> AnyTensor:
    return array((UNKNOWN,), "int")


def _everywhere(x: AnyTensor) -> AnyTensor:
    return array(x.shape, "int")


_STANDS: Final[dict[Callable[..., Any], Stand]] = {
    searching.nonzero: lambda x: tuple(_places() for _ in x.shape),
    sets.unique_values: _some,
    sets.unique_counts: lambda x: (_some(x), _places()),
    sets.unique_inverse: lambda x: (_some(x), _everywhere(x)),
    sets.unique_all: lambda x: (_some(x), _places(), _everywhere(x), _places()),
}


def with_unknown_sizes(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as the plugin runs it."""
    stand = _STANDS.get(function)
    return function if stand is None else _otherwise(function, stand)
