"""checkpoint: in reverse, compute a function again rather than remember what it computed."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from taglessad.control import bodies
from taglessad.control.branch import BRANCH
from taglessad.transforms.naming import check_function, named_after

P = ParamSpec("P")
R = TypeVar("R")

# Any: arguments and results are trees of whatever the function takes and gives.


def checkpoint(f: Callable[P, R]) -> Callable[P, R]:
    """f, of which reverse mode keeps the arguments only, and runs it again for its derivative.

    Arguments and results as f's; numbers and truth values among them are values like any other, so
    close over a flag that f looks at. Memory is traded for one more evaluation per order.
    """
    check_function("checkpoint", f)

    def checkpointed(*args: P.args, **kwargs: P.kwargs) -> R:
        names = list(kwargs)

        def program(*values: Any) -> Any:
            own, named = values[: len(args)], values[len(args) :]
            return f(*own, **dict(zip(names, named, strict=True)))

        given = bodies.operands("checkpoint", (*args, *kwargs.values()), "argument ")
        base = bodies.base_of(given.leaves)
        if bodies.plain(base, given.leaves):
            return f(*args, **kwargs)
        recorded = bodies.body("checkpoint", program, given.treedef, given.specs, base)
        values = [
            base.const(np.asarray(0)),
            *recorded.captures,
            *bodies.payloads(base, given.leaves),
        ]
        found = base.run_n(BRANCH, tuple(values), ((recorded.graph,),))
        whole: R = bodies.result(base, found, recorded)
        return whole

    return named_after(checkpointed, "checkpoint", f)
