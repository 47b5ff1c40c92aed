"""Which of a call's arguments a transform acts on, and the call with those replaced."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from taglessad.convert import article, as_handle, from_array
from taglessad.dtypes import float64, is_integer, is_real
from taglessad.errors import ArgumentError, DTypeError, TaglessError
from taglessad.tensor import AnyTensor, Tensor, handle
from taglessad.transforms.lists import called
from taglessad.trees import (
    TreeDef,
    flatten,
    flatten_with_paths,
    path_string,
    replace,
    select,
    unflatten,
)

# Any: arguments are trees of whatever the program takes.
L = TypeVar("L")
Argnums: TypeAlias = int | Sequence[int]
Function: TypeAlias = Callable[..., Any]


class Chosen(NamedTuple):
    """The part of a call that a transform acts on.

    leaves: its numbers, as handles.
    others: the handles among all other arguments.
    call: runs the function with other leaves in their place.
    restore: one value per leaf, as the structure that the transform returns.
    """

    leaves: list[AnyTensor]
    others: list[AnyTensor]
    call: Callable[[Sequence[Any]], Any]
    restore: Callable[[Sequence[Any]], Any]


def choose(
    what: str,
    f: Function,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    argnums: Argnums | None,
    wrt: str | Sequence[str] | None,
    *,
    real: bool = True,
) -> Chosen:
    """The arguments named by `argnums` or `wrt`; `real` asks for real numbers in all of them."""
    if wrt is not None:
        if argnums is not None:
            raise ArgumentError(f"{what}: give argnums or wrt, not both")
        return _by_path(what, f, args, kwargs, wrt, real)
    where = 0 if argnums is None else argnums
    if type(where) is int and not kwargs and 0 <= where < len(args):
        if args[where].__class__ is Tensor:
            return _one_handle(what, f, args, where)
    return _by_position(what, f, args, kwargs, where, real)


def _one_handle(what: str, f: Function, args: Sequence[Any], i: int) -> Chosen:
    """The usual call, one handle among positional arguments, without the general bookkeeping."""
    if len(args) == 1:
        return Chosen([args[0]], [], lambda values: f(values[0]), _first)
    before = [wrapped(a, what) for a in args[:i]]
    after = [wrapped(a, what) for a in args[i + 1 :]]

    def call(values: Sequence[Any]) -> Any:
        return called(what, f, [*before, values[0], *after], {})

    return Chosen([args[i]], _handles([*before, *after]), call, _first)


def _first(values: Sequence[Any]) -> Any:
    return values[0]


def _by_position(
    what: str,
    f: Function,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    argnums: Argnums,
    real: bool,
) -> Chosen:
    several = isinstance(argnums, Sequence)  # of a text each letter is refused below
    wanted: tuple[object, ...] = tuple(argnums) if isinstance(argnums, Sequence) else (argnums,)
    keys = [_key(what, f, args, kwargs, n) for n in wanted]
    if len(set(keys)) != len(keys):
        raise ArgumentError(f"{what}: argnums {tuple(wanted)} names an argument twice")
    whole: dict[int | str, Any] = dict(enumerate(args))
    whole.update(kwargs)
    rest = {k: wrapped(v, what) for k, v in whole.items() if k not in keys}
    leaves: list[AnyTensor] = []
    parts: list[tuple[int | str, TreeDef]] = []
    for key in keys:
        found, treedef = _leaves(what, whole[key], partial(_label, f, key), real)
        parts.append((key, treedef))
        leaves += found
        if not found and (whole[key] is None or isinstance(whole[key], str)) and not several:
            raise ArgumentError(
                f"{what}: {_label(f, key)} is {article(whole[key])}, which holds no numbers to "
                "differentiate in"
            )

    def structured(values: Sequence[Any]) -> list[Any]:
        remaining = iter(values)
        return [unflatten(t, [next(remaining) for _ in range(t.num_leaves)]) for _, t in parts]

    def call(values: Sequence[Any]) -> Any:
        given = dict(rest)
        given.update(zip(keys, structured(values), strict=True))
        return called(what, f, [given[i] for i in range(len(args))], {k: given[k] for k in kwargs})

    def restore(values: Sequence[Any]) -> Any:
        results = structured(values)
        return tuple(results) if several else results[0]

    return Chosen(leaves, _handles(rest.values()), call, restore)


def _key(
    what: str, f: Function, args: Sequence[Any], kwargs: Mapping[str, Any], n: object
) -> int | str:
    """Where an argnum points: a position, or the keyword that the argument was passed by."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
        raise ArgumentError(f"{what}: argnums must be an int or a tuple of ints, not {n!r}")
    i = int(n)
    if 0 <= i < len(args):
        return i
    names = parameter_names(f)
    total = len(args) if not kwargs else max(len(args), len(names))
    if i < 0:
        i += total
    if 0 <= i < len(args):
        return i
    if 0 <= i < len(names) and names[i] in kwargs:
        return names[i]
    given = ", ".join([str(k) for k in range(len(args))] + [repr(k) for k in kwargs])
    raise ArgumentError(
        f"{what}: argnums names argument {n}, but the call's arguments are: {given or 'none'}"
    )


def _by_path(
    what: str,
    f: Function,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    wrt: str | Sequence[str],
    real: bool,
) -> Chosen:
    single = isinstance(wrt, str)
    paths = [wrt] if isinstance(wrt, str) else _paths(what, wrt)
    try:
        bound = inspect.signature(f).bind(*args, **kwargs)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{what}: wrt needs the names of f's parameters: {error}") from None
    parameters = bound.signature.parameters
    named: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        if parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            named.update(value)
        else:
            named[name] = value
    # A parameter left at its default can be named as well: it is passed by keyword.
    defaults = {
        name: p.default
        for name, p in parameters.items()
        if name not in named
        and p.default is not p.empty
        and p.kind is not inspect.Parameter.POSITIONAL_ONLY
    }
    whole = {name: wrapped(value, what) for name, value in {**named, **defaults}.items()}
    chosen = select(whole, paths, caller=what)
    leaves: list[AnyTensor] = []
    parts: list[tuple[str, TreeDef]] = []
    for path, subtree in chosen.items():
        found, treedef = _leaves(what, subtree, partial(str, path), real)
        if not found:
            raise ArgumentError(f"{what}: wrt names {path!r}, which holds no numbers")
        parts.append((path, treedef))
        leaves += found

    positional = parameter_names(f)
    rest = next((n for n, p in parameters.items() if p.kind is p.VAR_POSITIONAL), None)

    def structured(values: Sequence[Any]) -> dict[str, Any]:
        remaining = iter(values)
        return {p: unflatten(t, [next(remaining) for _ in range(t.num_leaves)]) for p, t in parts}

    def call(values: Sequence[Any]) -> Any:
        given: dict[str, Any] = whole
        for path, subtree in structured(values).items():
            given = replace(given, path, subtree)
        # Passed as they came, by position or by keyword: f may tell the two apart.
        own = [given[name] for name in positional[: len(args)]]
        own += given[rest] if rest in given else ()
        by_keyword = [*kwargs, *(name for name in defaults if given[name] is not whole[name])]
        return called(what, f, own, {name: given[name] for name in by_keyword})

    def restore(values: Sequence[Any]) -> Any:
        results = structured(values)
        return results[paths[0]] if single else results

    return Chosen(leaves, _handles(whole.values()), call, restore)


def _paths(what: str, wrt: Any) -> list[str]:
    # Any: typed callers give strings; whatever else comes is refused here.
    if not isinstance(wrt, (list, tuple)) or not all(isinstance(p, str) for p in wrt):
        raise ArgumentError(f"{what}: wrt must be a path or a list of paths, not {wrt!r}")
    return list(wrt)


def parameter_names(f: Function) -> list[str]:
    """Names of the parameters that may be given by position, where f has a signature."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return []
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [p.name for p in parameters if p.kind in positional]


def _label(f: Function, key: int | str) -> str:
    if isinstance(key, str):
        return f"argument {key!r}"
    names = parameter_names(f)
    return f"argument {key} ({names[key]!r})" if key < len(names) else f"argument {key}"


def place_of(path: tuple[Any, ...]) -> str:
    """What messages call a leaf of (args, kwargs)."""
    kind, *rest = path
    name = f"argument {rest[0]}" if kind == 0 else f"argument {rest[0]!r}"
    return name + (f" at {path_string(rest[1:])}" if len(rest) > 1 else "")


def call_leaves(
    what: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    convert: Callable[[Any, str, str], L],
) -> tuple[list[L], TreeDef]:
    """The leaves of (args, kwargs), each converted; its name is made only for a message."""
    leaves, treedef = flatten((args, kwargs))
    new: list[L] = []
    for i, leaf in enumerate(leaves):
        try:
            new.append(convert(leaf, what, "x"))
        except TaglessError:
            convert(leaf, what, place_of(flatten_with_paths((args, kwargs))[0][i][0]))
            raise
    return new, treedef


def _leaves(
    what: str, tree: Any, label: Callable[[], str], real: bool
) -> tuple[list[AnyTensor], TreeDef]:
    """The numbers of an argument as handles; its name is made only when a message needs it."""
    leaves, treedef = flatten(tree)
    new: list[AnyTensor] = []
    for i, leaf in enumerate(leaves):
        if isinstance(leaf, Tensor):
            new.append(leaf)
            continue
        convert = real_leaf if real else as_handle
        try:
            new.append(convert(leaf, what, "x"))
        except TaglessError:
            path = flatten_with_paths(tree)[0][i][0]
            name = label() + (f" at {path_string(path)}" if path else "")
            convert(leaf, what, name)
            raise
    return new, treedef


def real_leaf(leaf: Any, what: str, name: str) -> AnyTensor:
    """A number that a derivative is taken in: a Python int counts as a float."""
    if isinstance(leaf, int) and not isinstance(leaf, bool):
        return from_array(np.asarray(float(leaf)), weak=True)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any
    x = as_handle(leaf, what, name)
    if x.weak and is_integer(x.dtype):  # a Python int that `jit` recorded
        return handle(x.ops, x.ops.cast(x.payload, float64), float64, weak=True)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any
    if not is_real(x.dtype):
        raise DTypeError(
            f"{what}: {name} has dtype {x.dtype}; only real numbers carry a derivative. Convert "
            "it with astype(tad.float64), or leave it out of argnums / wrt"
        )
    return x


def wrapped(value: Any, what: str) -> Any:
    """An argument that stays constant: arrays in it become handles, all else stays as it is."""
    if isinstance(value, (AnyTensor, bool, int, float, str)) or value is None:
        return value
    leaves, treedef = flatten(value)
    new = [as_handle(x, what) if isinstance(x, (np.ndarray, np.generic)) else x for x in leaves]
    if all(a is b for a, b in zip(new, leaves, strict=True)):
        return value
    return unflatten(treedef, new)


def _handles(values: Any) -> list[AnyTensor]:
    return [x for v in values for x in flatten(v)[0] if isinstance(x, AnyTensor)]
