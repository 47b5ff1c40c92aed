"""Products with derivatives: vjp, jvp, linearize, hvp, derivative.

vjp and jvp have two forms. Curried, vjp(f): a function whose last positional argument is the seed.
With primals, vjp(f, *primals): the value, and a function of the seed (JAX's form).
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

from taglessad.convert import as_handle
from taglessad.errors import ArgumentError
from taglessad.kernels.quiet import Quiet
from taglessad.levels import join
from taglessad.tensor import AnyTensor, Tensor, handle
from taglessad.transforms.arguments import Argnums, Function, choose
from taglessad.transforms.engine import (
    NO_AUX,
    Reverse,
    forward,
    refuse_integers,
    reverse,
    seeds,
    tangents_of,
)
from taglessad.transforms.gradient import gradient_and_value
from taglessad.transforms.naming import check_function, named_after
from taglessad.transforms.results import S, Transformed, Untyped
from taglessad.trees import flatten, unflatten


def _curried(
    what: str,
    role: str,
    f: Function,
    product: Callable[[Sequence[Any], Any, Mapping[str, Any]], Any],
) -> Function:
    """A function of f's arguments and of a seed, its last positional argument."""

    def curried(*args: Any, **kwargs: Any) -> Any:
        if len(args) + len(kwargs) < 2 or not args:
            raise _no_seed(what, role, len(args))
        try:
            return product(args[:-1], args[-1], kwargs)
        except TypeError:
            _check_seed(what, role, f, args, kwargs)
            raise

    return named_after(curried, what, f, same_arguments=False)


def _no_seed(what: str, role: str, given: int) -> ArgumentError:
    return ArgumentError(
        f"{what}: the {role} is missing: it is the last positional argument, after f's own "
        f"arguments ({given} given)"
    )


def _check_seed(
    what: str, role: str, f: Function, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> None:
    """After a failed call: whether f itself needed what was taken for the seed."""
    try:
        signature = inspect.signature(f)
        signature.bind(*args, **kwargs)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*args[:-1], **kwargs)
    except TypeError:
        raise _no_seed(what, role, len(args)) from None


def _pulled(what: str, run: Reverse, cotangent: Any, *, consume: bool = False) -> list[AnyTensor]:
    """Cotangents of the leaves from a tree of cotangents of the result."""
    outputs = run.output_leaves()
    given = seeds(what, "cotangent", run.treedef, cotangent, outputs, "the result of f")
    ops = join([run.base, *(g.ops for g in given)])
    payloads = [ops.lift(g.ops, g.payload) for g in given]
    return run.gradients(ops, run.pull(ops, payloads, consume=consume))


def vjp(
    f: Function,
    *primals: Any,
    argnums: Argnums = 0,
    value: bool = False,
    has_aux: bool = False,
) -> Any:
    """Vector-Jacobian products: a cotangent of the result pulled back to the argument(s).

    vjp(f) -> (*args, cotangent, **kwargs) -> the argument's cotangent; with `value`
    (cotangent, value); with `has_aux` (cotangent, aux) or (cotangent, (value, aux)).
    vjp(f, *primals) -> (value, pullback[, aux]); pullback(cotangent) gives a tuple, one per primal.
    The cotangent has the result's structure, shapes and dtypes. Raises ShapeError, DTypeError or
    ArgumentError where it does not.
    """
    check_function("vjp", f)
    if primals:
        _only_curried("vjp(f, *primals)", argnums, value)
        run = reverse(
            "vjp", choose("vjp", f, primals, {}, range(len(primals)), None), has_aux=has_aux
        )

        def pullback(cotangent: Any) -> Any:
            return run.chosen.restore(_pulled("vjp", run, cotangent))

        y = run.output()
        return (y, pullback) if run.aux is NO_AUX else (y, pullback, run.aux)

    def product(own: Sequence[Any], cotangent: Any, kwargs: Mapping[str, Any]) -> Any:
        run = reverse("vjp", choose("vjp", f, own, kwargs, argnums, None), has_aux=has_aux)
        y = run.output() if value else None
        g = run.chosen.restore(_pulled("vjp", run, cotangent, consume=True))
        if value:
            return g, (y if run.aux is NO_AUX else (y, run.aux))
        return g if run.aux is NO_AUX else (g, run.aux)

    return _curried("vjp", "cotangent", f, product)


def jvp(
    f: Function,
    primals: Any = None,
    tangents: Any = None,
    *,
    argnums: Argnums = 0,
    value: bool = False,
    has_aux: bool = False,
) -> Any:
    """Jacobian-vector products: a tangent of the argument(s) pushed forward to the result.

    jvp(f) -> (*args, tangent, **kwargs) -> the result's tangent; with `value` (tangent, value);
    with `has_aux` (tangent, aux) or (tangent, (value, aux)).
    jvp(f, primals, tangents) -> (value, tangent[, aux]), both arguments tuples.
    The tangent has the argument's structure, shapes and dtypes. Raises ShapeError, DTypeError or
    ArgumentError where it does not.
    """
    check_function("jvp", f)
    if primals is not None or tangents is not None:
        _only_curried("jvp(f, primals, tangents)", argnums, value)
        point = _one_per_argument("primals", primals)
        direction = _one_per_argument("tangents", tangents)
        if len(point) != len(direction):
            raise ArgumentError(f"jvp: {len(point)} primals but {len(direction)} tangents")
        chosen = choose("jvp", f, point, {}, range(len(point)), None)
        run = forward("jvp", chosen, tangents_of("jvp", chosen, direction), has_aux=has_aux)
        pair = (run.output, run.tangent)
        return pair if run.aux is NO_AUX else (*pair, run.aux)

    def product(own: Sequence[Any], tangent: Any, kwargs: Mapping[str, Any]) -> Any:
        chosen = choose("jvp", f, own, kwargs, argnums, None)
        run = forward("jvp", chosen, tangents_of("jvp", chosen, tangent), has_aux=has_aux)
        if value:
            return run.tangent, (run.output if run.aux is NO_AUX else (run.output, run.aux))
        return run.tangent if run.aux is NO_AUX else (run.tangent, run.aux)

    return _curried("jvp", "tangent", f, product)


def _only_curried(form: str, argnums: Argnums, value: bool) -> None:
    """JAX's forms act on every primal and always give the value: options would be lost."""
    if argnums != 0 or value:
        option = "value" if value else "argnums"
        raise ArgumentError(
            f"{form} takes no {option}: it acts on every primal and gives the value first; "
            f"{option} belongs to the curried form, {form.partition('(')[0]}(f, {option}=...)"
        )


def _one_per_argument(name: str, given: Any) -> tuple[Any, ...]:
    if not isinstance(given, (tuple, list)):
        raise ArgumentError(
            f"jvp: {name} must be a tuple, one entry per argument of f, not {type(given).__name__}"
        )
    return tuple(given)


def linearize(f: Function, *primals: Any, has_aux: bool = False) -> Any:
    """(value, pushforward): evaluate once, then push as many tangents as wanted.

    pushforward takes one tangent per primal. With `has_aux`: (value, pushforward, aux).
    """
    check_function("linearize", f)
    if not primals:
        raise ArgumentError("linearize: give the point, linearize(f, *primals)")
    chosen = choose("linearize", f, primals, {}, range(len(primals)), None)
    run = reverse("linearize", chosen, has_aux=has_aux)
    outputs = run.output_leaves()
    for y in outputs:
        refuse_integers("linearize", y.dtype)

    def pushforward(*tangents: Any) -> Any:
        if len(tangents) != len(primals):
            raise ArgumentError(
                f"linearize: the pushforward takes {len(primals)} tangents, one per primal, "
                f"but got {len(tangents)}"
            )
        given = tangents_of("linearize", chosen, tangents)
        ops = join([run.base, *(t.ops for t in given)])
        with Quiet():
            places = [v.place for v in run.outputs]
            pushed = run.trace.push(ops, [ops.lift(t.ops, t.payload) for t in given], places)
            results = [
                handle(ops, ops.zeros(run.base.aval(v.value)) if t is None else t, y.dtype, y.weak)
                for v, t, y in zip(run.outputs, pushed, outputs, strict=True)
            ]
        return unflatten(run.treedef, results)

    y = run.output()
    return (y, pushforward) if run.aux is NO_AUX else (y, pushforward, run.aux)


def hvp(f: Function, *, argnums: Argnums = 0, value: bool = False) -> Function:
    """Hessian-vector products of a function with one real result, forward over reverse.

    hvp(f) -> (*args, tangent, **kwargs) -> H v, structured like the argument(s); with `value`
    (H v, f(x)). The cost is a constant number of passes (Pearlmutter 1994).
    """
    run = gradient_and_value("hvp", f, argnums)
    check_function("hvp", f)

    def gradient(*args: Any, **kwargs: Any) -> Any:
        g, result = run(*args, **kwargs)
        return (g, result.output()) if value else (g,)

    inner = named_after(gradient, "grad", f)

    def product(own: Sequence[Any], tangent: Any, kwargs: Mapping[str, Any]) -> Any:
        chosen = choose("hvp", inner, own, kwargs, argnums, None)
        pushed = forward("hvp", chosen, tangents_of("hvp", chosen, tangent))
        return (pushed.tangent[0], pushed.output[1]) if value else pushed.tangent[0]

    return _curried("hvp", "tangent", f, product)


@overload
def derivative(f: Callable[..., Untyped], argnums: int = 0) -> Transformed[Any]: ...
@overload
def derivative(f: Callable[..., Tensor[*S]], argnums: int = 0) -> Transformed[Tensor]: ...
@overload
def derivative(f: Callable[..., Any], argnums: int = 0) -> Transformed[Any]: ...
def derivative(f: Function, argnums: int = 0) -> Function:
    """Directional derivatives of any order: (*args, directions) -> D^k f(x)[v1, ..., vk].

    k is the number of directions, each shaped like the argument; an empty list gives the value.
    The directions are constants of the inner derivatives; the whole is itself differentiable.
    """

    def product(own: Sequence[Any], directions: Any, kwargs: Mapping[str, Any]) -> Any:
        if not isinstance(directions, (list, tuple)):
            raise ArgumentError(
                "derivative: the directions come as a list, one entry per order, not "
                f"{type(directions).__name__}"
            )
        return _along(f, directions, argnums)(*own, **kwargs)

    return _curried("derivative", "list of directions", f, product)


def _along(f: Function, directions: Sequence[Any], argnums: int) -> Function:
    *rest, direction = directions or (None,)
    lower = _along(f, rest, argnums) if rest else f

    def along(*args: Any, **kwargs: Any) -> Any:
        chosen = choose("derivative", lower, args, kwargs, argnums, None)
        if not directions:
            leaves, treedef = flatten(chosen.call(chosen.leaves))
            return unflatten(treedef, [as_handle(y, "derivative") for y in leaves])
        return forward("derivative", chosen, tangents_of("derivative", chosen, direction)).tangent

    return named_after(along, "derivative", f)
