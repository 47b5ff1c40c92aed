"""64-bit numbers on JAX, whose default narrows them."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import jax

P = ParamSpec("P")
T = TypeVar("T")


def wide(function: Callable[P, T]) -> Callable[P, T]:
    """The function with 64-bit types allowed while it runs: what comes in decides the width."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        if jax.config.jax_enable_x64:  # type: ignore[attr-defined]  # set by name at run time
            return function(*args, **kwargs)
        with jax.enable_x64(True):
            return function(*args, **kwargs)

    return run
