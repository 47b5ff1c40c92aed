"""grad and value_and_grad."""

from collections.abc import Sequence
from typing import Any

from taglessad.transforms.arguments import Argnums, Function, choose
from taglessad.transforms.engine import NO_AUX, Reverse, one, reverse, scalar_output
from taglessad.transforms.naming import named_after


def gradient_and_value(
    what: str,
    f: Function,
    argnums: Argnums | None,
    wrt: str | Sequence[str] | None = None,
    has_aux: bool = False,
    tape: bool = False,
) -> Function:
    """(*args, **kwargs) -> (gradient, the evaluation), for the transform that `what` names."""

    def run(*args: Any, **kwargs: Any) -> tuple[Any, Reverse]:
        chosen = choose(what, f, args, kwargs, argnums, wrt)
        result = reverse(what, chosen, has_aux=has_aux, peeking=tape)
        output = scalar_output(what, result)
        base = result.base
        seed = one(base, base.dtype(output.value))
        found = result.pull(base, [seed], consume=True)
        return chosen.restore(result.gradients(base, found)), result

    return run


def grad(
    f: Function,
    argnums: Argnums | None = None,
    *,
    wrt: str | Sequence[str] | None = None,
    value: bool = False,
    has_aux: bool = False,
    tape: bool = False,
) -> Function:
    """The gradient of a function with one real result, as a function of the same arguments.

    argnums: which argument (0 by default), or a tuple of them; a tuple gives a tuple.
    wrt: instead, a parameter name or path ("model.head.w"), or a list of them; a list gives a dict.
    value: return (gradient, value). has_aux: f returns (value, aux); return (gradient, aux), or
    (gradient, (value, aux)) with `value`. tape: record while evaluating, so that Python `if` and
    `while` on values work; the derivative is that of the path that ran.

    Shapes, dtypes and structure of the gradient are the argument's; an argument that the result
    does not depend on has zeros. Raises ShapeError for a result that is no scalar, DTypeError for
    integer arguments or results, ArgumentError for unknown names.
    """
    run = gradient_and_value("grad", f, argnums, wrt, has_aux, tape)

    def gradient(*args: Any, **kwargs: Any) -> Any:
        g, result = run(*args, **kwargs)
        aux = result.aux
        if value:
            y = result.output()
            return g, (y if aux is NO_AUX else (y, aux))
        return g if aux is NO_AUX else (g, aux)

    return named_after(gradient, "grad", f)


def value_and_grad(
    f: Function,
    argnums: Argnums | None = None,
    *,
    wrt: str | Sequence[str] | None = None,
    has_aux: bool = False,
    tape: bool = False,
) -> Function:
    """Value and gradient from one evaluation: (value, gradient), or ((value, aux), gradient).

    Arguments and errors as `grad`'s.
    """
    run = gradient_and_value("value_and_grad", f, argnums, wrt, has_aux, tape)

    def both(*args: Any, **kwargs: Any) -> Any:
        g, result = run(*args, **kwargs)
        y, aux = result.output(), result.aux
        return (y if aux is NO_AUX else (y, aux)), g

    return named_after(both, "value_and_grad", f)
