"""reach: which inputs a program's results depend on, by name."""

import inspect
from collections.abc import Callable
from typing import Any

from taglessad.interpreters.reach import Reach
from taglessad.transforms.interpretation import interpret
from taglessad.transforms.naming import check_function, named_after
from taglessad.transforms.recording import Spec
from taglessad.trees import flatten_with_paths, path_string, unflatten

# Any throughout: arguments and results are trees of whatever f takes and gives.


def reach(f: Callable[..., Any]) -> Callable[..., Any]:
    """As f, but each result is the frozenset of the names of the inputs it depends on, in any way.

    Arguments are arrays, floats or shapes (tuples of sizes), or trees of them; no number is
    computed. A name is that of the parameter and the path in its tree: "x", "params.w",
    "layers[0]". What only decides (a condition, an index, behind a `detach`) counts as well: this is
    dependence, not differentiability. ints and static values are part of the program. Raises
    ConcretizationError where f looks at values.

        >>> import taglessad as tad
        >>> sorted(tad.reach(lambda x, y, z: tad.where(z > 0.0, x, 1.0))((3,), (3,), (3,)))
        ['x', 'z']
    """
    check_function("reach", f)

    def reached(*args: Any, **kwargs: Any) -> Any:
        named = _named(f, args, kwargs)
        names: list[str] = []
        specified: list[Any] = []
        for name, value in named:
            pairs, treedef = flatten_with_paths(_shapes(value))
            for path, leaf in pairs:
                if isinstance(leaf, Spec):
                    names.append(name + path_string(path))
            specified.append(unflatten(treedef, [leaf for _, leaf in pairs]))
        keywords = dict(zip(kwargs, specified[len(args) :], strict=True))
        found = interpret(f, Reach())(*specified[: len(args)], **keywords)
        pairs, treedef = flatten_with_paths(found)
        return unflatten(treedef, [_by_name(leaf, names) for _, leaf in pairs])

    return named_after(reached, "reach", f)


def _by_name(leaf: Any, names: list[str]) -> frozenset[str]:
    return frozenset(names[i] for i in leaf) if isinstance(leaf, frozenset) else frozenset()


def _named(
    f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[tuple[str, Any]]:
    """Each argument with the parameter's name, or its position where there is none."""
    try:
        names = list(inspect.signature(f).bind(*args, **kwargs).arguments)
    except (TypeError, ValueError):
        names = []
    positional = [
        (names[i] if i < len(names) else f"argument {i}", value) for i, value in enumerate(args)
    ]
    return [*positional, *kwargs.items()]


def _shapes(value: Any) -> Any:
    """A tree with a Spec for every array, float and shape in it."""
    if type(value) in (tuple, list):
        if all(isinstance(n, int) and not isinstance(n, bool) for n in value):
            return Spec(value)
        return type(value)([_shapes(x) for x in value])
    if type(value) is dict:
        return {key: _shapes(x) for key, x in value.items()}
    pairs, treedef = flatten_with_paths(value)
    return unflatten(treedef, [_spec(leaf) for _, leaf in pairs])


def _spec(leaf: Any) -> Any:
    if isinstance(leaf, float):
        return Spec(())
    if hasattr(leaf, "shape") and hasattr(leaf, "dtype"):
        return Spec(tuple(leaf.shape), leaf.dtype)
    return leaf
