"""Transforms that give a function of the same arguments: how each is applied to symbolic ones.

Those that count directions are not run, since a size may be a symbol: the Jacobians, the Hessian
and its kin.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from taglessad.mypy_plugin.specs import array, kind_of
from taglessad.transforms import batching, gradient, jacobian, products, series
from taglessad.transforms.arguments import choose
from taglessad.transforms.gradient import gradient_and_value
from taglessad.trees import flatten, unflatten

Transform = Callable[..., Any]  # Any: functions of functions


class Curried(NamedTuple):
    """What comes back is a function of the same arguments, and of a seed where there is one.

    seed: what it is called; `seeds`: it is a sequence of such; `rest`: more may follow it.
    """

    apply: Callable[[Transform, Sequence[Any], dict[str, Any], Sequence[Any]], Any]
    seed: str | None = None
    seeds: bool = False
    rest: bool = False


def _plainly(
    transform: Transform, f: Sequence[Any], options: dict[str, Any], args: Sequence[Any]
) -> Any:
    return transform(*f, **options)(*args)


def _jacobian(what: str) -> Callable[..., Any]:
    def apply(
        _transform: Transform, f: Sequence[Any], options: dict[str, Any], args: Sequence[Any]
    ) -> Any:
        given = {**dict(zip(("argnums",), f[1:], strict=False)), **options}
        program, argnums = f[0], given.get("argnums", 0)
        chosen = choose(what, program, args, {}, argnums, None)
        if what == "hessian":
            output: Any = gradient_and_value(what, program, argnums)(*args)[0]
            aux: tuple[Any, ...] = ()
        else:
            result = chosen.call(chosen.leaves)
            if given.get("has_aux"):
                output, aux = result[0], (result[1],)
            else:
                output, aux = result, ()
        outputs, treedef = flatten(output)
        blocks = [
            chosen.restore([array((*y.shape, *x.shape), kind_of(x)) for x in chosen.leaves])
            for y in outputs
        ]
        whole = unflatten(treedef, blocks)
        return (whole, *aux) if aux else whole

    return apply


def _diagonal(
    _transform: Transform, f: Sequence[Any], _options: dict[str, Any], args: Sequence[Any]
) -> Any:
    return gradient_and_value("hessian_diagonal", f[0], 0)(*args)[0]


def _trace(
    _transform: Transform, f: Sequence[Any], _options: dict[str, Any], args: Sequence[Any]
) -> Any:
    return gradient_and_value("laplacian", f[0], 0)(*args)[1].output()


def _along(
    transform: Transform, f: Sequence[Any], options: dict[str, Any], args: Sequence[Any]
) -> Any:
    return transform(*f, **options)(*args[:-1], [args[-1]])


CURRIED: Final = {
    gradient.grad: Curried(_plainly),
    gradient.value_and_grad: Curried(_plainly),
    products.vjp: Curried(_plainly, "cotangent"),
    products.jvp: Curried(_plainly, "tangent"),
    products.hvp: Curried(_plainly, "tangent"),
    products.derivative: Curried(_along, "directions", seeds=True),
    jacobian.jacfwd: Curried(_jacobian("jacfwd")),
    jacobian.jacrev: Curried(_jacobian("jacrev")),
    jacobian.hessian: Curried(_jacobian("hessian")),
    series.hessian_diagonal: Curried(_diagonal),
    series.laplacian: Curried(_trace),
    series.taylor: Curried(_plainly, "v", rest=True),
    batching.vmap: Curried(_plainly),
}


def seed_for(
    transform: Transform, f: Sequence[Any], options: dict[str, Any], args: Sequence[Any]
) -> Any:
    """The seed of a product: of the result's structure, or of the arguments' that are chosen."""
    if transform is products.vjp:
        y = f[0](*args)
        return y[0] if options.get("has_aux") else y
    argnums = options.get("argnums", 0)
    if transform is products.derivative and len(f) > 1:
        argnums = f[1]
    chosen = choose(transform.__name__, f[0], args, {}, argnums, None)
    return chosen.restore([array(x.shape, kind_of(x)) for x in chosen.leaves])
