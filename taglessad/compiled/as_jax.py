"""A program as a function of JAX: for its transforms, with our derivatives."""

from collections.abc import Callable
from typing import Any

from taglessad.convert import as_handle
from taglessad.levels import join
from taglessad.primitive import Aval
from taglessad.tensor import handle
from taglessad.transforms.arguments import call_leaves
from taglessad.transforms.naming import check_function, named_after
from taglessad.transforms.recording import record
from taglessad.trees import unflatten

# Any: arguments and results are trees of whatever the function takes and gives.


def as_jax(f: Callable[..., Any], *, allow_downcast: bool = False) -> Callable[..., Any]:
    """f as a function of JAX's arrays, whose derivatives under `jax.grad` and all else are ours.

        slope = jax.grad(tad.as_jax(f))

    Arguments and results as f's, with arrays of JAX for handles. f is recorded as a whole, at each
    call outside `jax.jit`, so it looks at no value; close over what is static. Without `as_jax`,
    JAX differentiates the operations that f became, by its own conventions. Inside a transform of
    ours it is f.

    Raises MissingExtra without JAX; DTypeError where JAX would narrow a 64-bit result, unless
    `allow_downcast` (`tad.to_jax`).
    """
    check_function("as_jax", f)
    from taglessad.interpreters.jax import JAX, array, to_jax  # first: says what to install

    from taglessad.xla.transformed import bind, operation_of  # isort: skip
    from taglessad.xla.width import wide  # isort: skip

    def call(*args: Any, **kwargs: Any) -> Any:
        leaves, treedef = call_leaves("as_jax", args, kwargs, as_handle)
        if join(x.ops for x in leaves).base is not None:  # a transform of ours is under way
            return f(*args, **kwargs)
        specs = [(Aval(x.shape, x.dtype), x.weak) for x in leaves]
        recorded = record("as_jax", f, treedef, specs, JAX)
        own = [JAX.lift(x.ops, x.payload) for x in leaves]
        operands = [array(x) for x in (*recorded.captures, *own)]
        found = wide(bind)(operation_of(JAX, recorded.graph), operands)
        results = [
            to_jax(handle(JAX, y, d, w), allow_downcast=allow_downcast)
            for y, d, w in zip(found, recorded.dtypes, recorded.weak, strict=True)
        ]
        return unflatten(recorded.treedef, results)

    return named_after(call, "as_jax", f)
