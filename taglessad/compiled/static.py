"""Which arguments of a jitted function count by value, and a call taken apart by them."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from taglessad.errors import ArgumentError
from taglessad.transforms.arguments import parameter_names
from taglessad.trees.kinds import tags

# Any: arguments are whatever the program takes.


class Call(NamedTuple):
    """A call without its static arguments: what it is known by, the function, the rest."""

    key: tuple[Any, ...]
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class Static:
    """The static arguments of f, by position and by name: either finds what the call gives."""

    def __init__(
        self,
        f: Callable[..., Any],
        argnums: int | Sequence[int],
        argnames: str | Sequence[str],
    ) -> None:
        nums = (argnums,) if isinstance(argnums, int) else argnums
        names = (argnames,) if isinstance(argnames, str) else argnames
        self._f = f
        self._nums = tuple(_each("static_argnums", nums, int))
        self._names = tuple(_each("static_argnames", names, str))
        self._parameters = parameter_names(f)
        self.exist = bool(self._nums or self._names)
        if self._names:
            _check_known(f, self._names)

    def split(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
        """The call taken apart. Raises ArgumentError for a static argument that has no hash."""
        positions = {i for i, p in enumerate(self._parameters[: len(args)]) if p in self._names}
        names = {k for k in self._names if k in kwargs}
        for i in self._nums:
            place = self._place(i, args, kwargs)
            if isinstance(place, str):
                names.add(place)
            else:
                positions.add(place)
        fixed = tuple((i, args[i]) for i in sorted(positions))
        named = tuple((k, kwargs[k]) for k in sorted(names))
        for label, value in (*fixed, *named):
            _check_hashable(label, value)
        f = self._f

        def bound(*own: Any, **own_named: Any) -> Any:
            whole = list(own)
            for i, value in fixed:
                whole.insert(i, value)
            return f(*whole, **own_named, **dict(named))

        # 1, 1.0 and True are equal, but not the same program.
        key = (fixed, named, tags(tuple(v for _, v in (*fixed, *named))))
        rest = {k: v for k, v in kwargs.items() if k not in names}
        return Call(key, bound, tuple(a for i, a in enumerate(args) if i not in positions), rest)

    def _place(self, i: int, args: Sequence[Any], kwargs: Mapping[str, Any]) -> int | str:
        n = len(args)
        if -n <= i < n:
            return i % n
        if 0 <= i < len(self._parameters) and self._parameters[i] in kwargs:
            return self._parameters[i]
        given = ", ".join([*map(str, range(n)), *map(repr, kwargs)])
        raise ArgumentError(
            f"jit: static_argnums names argument {i}, but the call's arguments are: "
            f"{given or 'none'}"
        )


def _each(argument: str, values: Any, kind: type[Any]) -> Sequence[Any]:
    if isinstance(values, (tuple, list)) and all(type(v) is kind for v in values):
        return values
    expected = "an int or a tuple of ints" if kind is int else "a name or a tuple of names"
    raise ArgumentError(f"jit: {argument} must be {expected}, not {values!r}")


def _check_known(f: Callable[..., Any], names: Sequence[str]) -> None:
    try:
        parameters = inspect.signature(f).parameters
    except (TypeError, ValueError):
        return
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()):
        return
    for name in names:
        if name not in parameters:
            raise ArgumentError(
                f"jit: static_argnames names {name!r}, but f's parameters are: "
                f"{', '.join(parameters) or 'none'}"
            )


def _check_hashable(label: int | str, value: Any) -> None:
    try:
        hash(value)
    except TypeError:
        raise ArgumentError(
            f"jit: static argument {label!r} is a {type(value).__name__}, which is not hashable; "
            "what counts by value must be: give a tuple, or leave the argument traced"
        ) from None
