"""What models of other libraries have, and what stands for it here."""

from typing import Final

_CAST: Final = "tad.trees.map(lambda x: x.astype(tad.float32), model)"
_PLACE: Final = "where a model is computed is for the interpreter to say: tad.jit(f, Jax(device))"
_MODE: Final = "there is no mode: what depends on it is an argument, model(x, train=True)"
_BACKWARD: Final = "tad.grad(loss)(model, ...) gives the gradient as a model of the same class"
_PART: Final = "tad.grad(loss, wrt='model.layers[0].w') says what is differentiated"

# Each is asked for by its name alone; a model's own fields and methods come first.
ELSEWHERE: Final = {
    "parameters": "a model is the tree of its parameters: tad.trees.leaves(model)",
    "named_parameters": "tad.trees.flatten_with_paths(model)",
    "children": "its parts are its fields: dataclasses.fields(model)",
    "state_dict": "tad.save(path, model) writes the numbers; tad.trees.flatten_with_paths(model)",
    "load_state_dict": "tad.load(path, like=model) gives a model",
    "to": f"another dtype: {_CAST}; {_PLACE}",
    "float": _CAST,
    "double": _CAST.replace("float32", "float64"),
    "half": _CAST.replace("float32", "float16"),
    "astype": _CAST,
    "cuda": _PLACE,
    "cpu": _PLACE,
    "device": _PLACE,
    "train": _MODE,
    "eval": _MODE,
    "backward": _BACKWARD,
    "grad": _BACKWARD,
    "zero_grad": "nothing accumulates: tad.grad(loss)(model, ...) gives a new gradient each time",
    "requires_grad_": _PART,
    "requires_grad": _PART,
    "freeze": f"{_PART}; tad.optim.freeze(mask) keeps parts of it as they are",
    "forward": "call it: model(x)",
    "apply": "a model holds its parameters, so call it: model(x)",
    "init": "a model is made with its parameters: nn.Linear(2, 8, rng=0)",
}
