"""argnums and wrt that name nothing, twice, or both; what is no function."""

from typing import Any

import numpy as np

import taglessad as tad
from taglessad.errors import ArgumentError
from taglessad.interpreters import Eager
from tests.misuse.misuse import Misuse, check, each, misuse

X = np.ones(3)


def product(x: Any, y: Any) -> Any:
    return x * y


def weight(m: Any) -> Any:
    return m["w"][0]


M = {"w": [1.0, 2.0]}

ARGNUMS = {
    "out of range": misuse(
        lambda: tad.grad(product, 2)(1.0, 2.0),
        ArgumentError, "grad: argnums names argument 2", "arguments are: 0, 1",
    ),
    "out of range from the end": misuse(
        lambda: tad.grad(product, -3)(1.0, 2.0),
        ArgumentError, "grad: argnums names argument -3", "arguments are: 0, 1",
    ),
    "out of range of jacfwd": misuse(
        lambda: tad.jacfwd(product, 2)(1.0, 2.0), ArgumentError, "jacfwd: argnums names argument 2"
    ),
    "out of range of hessian": misuse(
        lambda: tad.hessian(product, 2)(1.0, 2.0),
        ArgumentError, "hessian: argnums names argument 2",
    ),
    "out of range of hvp": misuse(
        lambda: tad.hvp(product, argnums=2)(1.0, 2.0, 1.0),
        ArgumentError, "hvp: argnums names argument 2",
    ),
    "out of range of vjp": misuse(
        lambda: tad.vjp(product, argnums=2)(1.0, 2.0, 1.0),
        ArgumentError, "vjp: argnums names argument 2",
    ),
    "of no arguments": misuse(
        lambda: tad.grad(product)(), ArgumentError, "grad: argnums names argument 0", "none"
    ),
    "of a keyword that is not there": misuse(
        lambda: tad.grad(product)(y=1.0), ArgumentError, "grad: argnums names argument 0", "'y'"
    ),
    "twice": misuse(
        lambda: tad.grad(product, (0, 0))(1.0, 2.0),
        ArgumentError, "grad: argnums (0, 0) names an argument twice",
    ),
    "twice, once from the end": misuse(
        lambda: tad.grad(product, (0, -2))(1.0, 2.0),
        ArgumentError, "grad: argnums (0, -2) names an argument twice",
    ),
    "bool": misuse(
        lambda: tad.grad(product, True)(1.0, 2.0),
        ArgumentError, "grad: argnums must be an int or a tuple of ints, not True",
    ),
    "float": misuse(
        lambda: tad.grad(product, 1.0)(1.0, 2.0),
        ArgumentError, "grad: argnums must be an int or a tuple of ints, not 1.0",
    ),
    "name": misuse(
        lambda: tad.grad(product, "x")(1.0, 2.0),
        ArgumentError, "grad: argnums must be an int or a tuple of ints, not 'x'",
    ),
    "name inside": misuse(
        lambda: tad.jacrev(product, (0, "y"))(1.0, 2.0),
        ArgumentError, "jacrev: argnums must be an int or a tuple of ints, not 'y'",
    ),
}  # fmt: skip
WRT = {
    "with argnums": misuse(
        lambda: tad.grad(product, 0, wrt="x")(1.0, 2.0), ArgumentError, "grad: give argnums or wrt"
    ),
    "unknown name": misuse(
        lambda: tad.grad(product, wrt="z")(1.0, 2.0), ArgumentError, "grad: 'z'", "exists is: x, y"
    ),
    "unknown name of value_and_grad": misuse(
        lambda: tad.value_and_grad(product, wrt="z")(1.0, 2.0),
        ArgumentError, "value_and_grad: 'z'", "exists is: x, y",
    ),
    "unknown key": misuse(
        lambda: tad.grad(weight, wrt="m.v")(M), ArgumentError, "grad: 'm.v'", "m has: w"
    ),
    "index past the end": misuse(
        lambda: tad.grad(weight, wrt="m.w[2]")(M),
        ArgumentError, "grad: 'm.w[2]'", "m.w has: [0] to [1]",
    ),
    "empty list": misuse(
        lambda: tad.grad(product, wrt=[])(1.0, 2.0), ArgumentError, "grad: wrt is []", "one or more"
    ),
    "empty text": misuse(
        lambda: tad.grad(product, wrt="")(1.0, 2.0), ArgumentError, "grad: '' is not a path"
    ),
    "twice": misuse(
        lambda: tad.grad(product, wrt=["x", "x"])(1.0, 2.0),
        ArgumentError, "grad: wrt names 'x' twice",
    ),
    "twice in two spellings": misuse(
        lambda: tad.grad(weight, wrt=["m.w[1]", "m.w[-1]"])(M),
        ArgumentError, "grad: wrt names 'm.w[1]' twice", "'m.w[-1]'",
    ),
    "overlapping paths": misuse(
        lambda: tad.grad(weight, wrt=["m", "m.w"])(M), ArgumentError, "grad: wrt names 'm.w'", "'m'"
    ),
    "malformed path": misuse(
        lambda: tad.grad(weight, wrt="m..w")(M), ArgumentError, "grad: 'm..w' is not a path"
    ),
    "number": misuse(
        lambda: tad.grad(product, wrt=0)(1.0, 2.0),
        ArgumentError, "grad: wrt must be a path or a list of paths, not 0",
    ),
    "number inside": misuse(
        lambda: tad.grad(product, wrt=[0])(1.0, 2.0),
        ArgumentError, "grad: wrt must be a path or a list of paths, not [0]",
    ),
    "argument without numbers": misuse(
        lambda: tad.grad(lambda x, mode: x, wrt="mode")(1.0, "train"),
        ArgumentError, "grad: wrt names 'mode'", "no numbers",
    ),
    "call that misses an argument": misuse(
        lambda: tad.grad(product, wrt="x")(1.0), ArgumentError, "grad: wrt", "'y'"
    ),
}  # fmt: skip
NO_FUNCTIONS = {
    f"{name} of a number": misuse(run, ArgumentError, f"{name}: f is a float", "a function")
    for name, run in {
        "grad": lambda: tad.grad(3.0),
        "value_and_grad": lambda: tad.value_and_grad(3.0),
        "vjp": lambda: tad.vjp(3.0, 1.0),
        "jvp": lambda: tad.jvp(3.0, (1.0,), (1.0,)),
        "linearize": lambda: tad.linearize(3.0, 1.0),
        "jacfwd": lambda: tad.jacfwd(3.0),
        "jacrev": lambda: tad.jacrev(3.0),
        "hessian": lambda: tad.hessian(3.0),
        "hvp": lambda: tad.hvp(3.0),
        "derivative": lambda: tad.derivative(3.0),
        "vmap": lambda: tad.vmap(3.0),
        "jit": lambda: tad.jit(3.0),
        "trace": lambda: tad.trace(3.0),
        "no_grad": lambda: tad.no_grad(3.0),
        "interpret": lambda: tad.interpret(3.0, Eager()),
    }.items()
}


@each(
    {f"argnums {k}": v for k, v in ARGNUMS.items()}
    | {f"wrt {k}": v for k, v in WRT.items()}
    | NO_FUNCTIONS
)
def test_misuse(row: Misuse) -> None:
    check(row)
