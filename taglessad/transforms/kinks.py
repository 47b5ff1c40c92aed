"""with_kinks: another derivative at kinks, for one program."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from taglessad.policies import During, chosen
from taglessad.transforms.naming import check_function, named_after

P = ParamSpec("P")
R = TypeVar("R")


def with_kinks(
    f: Callable[P, R],
    *,
    relu: float | str | None = None,
    abs: float | str | None = None,
    maximum: tuple[float, float] | str | None = None,
    clip: float | str | None = None,
) -> Callable[P, R]:
    """f with other derivatives at kinks, in both modes, at every order, under every interpreter.

    relu, abs: the slope at 0. maximum: the shares (of the first, of the second operand) at a tie;
    they hold for minimum too. clip: the slope in the operand at either bound. Each may be the name
    of a library whose value is taken: "torch", "jax", "torchlean", "candle". Programs that f calls,
    and derivatives that it takes, follow; nothing outside the call does. Values never change.
    Raises ArgumentError for what is no slope.
    """
    check_function("with_kinks", f)
    policy = {"relu": relu, "abs": abs, "maximum": maximum, "clip": clip}
    chosen(**policy)

    def program(*args: Any, **kwargs: Any) -> Any:
        with During(chosen(**policy)):
            return f(*args, **kwargs)

    return named_after(program, "with_kinks", f)
