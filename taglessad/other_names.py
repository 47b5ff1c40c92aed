"""Names that other libraries have for what is here under another: the error says which.

NumPy's names of functions of arrays have a table of their own (`numpy_names`).
"""

import sys
from typing import Final

_CHECK: Final = "tad.checks.check_derivative and tad.checks.check_adjoint"
_CHECKS: Final = ("certify", "check_adjoint", "check_derivative", "prove", "strategies", "OpSpec")

# By the module that is asked, each name with what to use.
ELSEWHERE: Final[dict[str, dict[str, str]]] = {
    "taglessad": {
        # JAX
        "stop_gradient": "tad.detach",
        "jacobian": "tad.jacrev, or tad.jacfwd where the inputs are few",
        "remat": "tad.checkpoint",
        "eval_shape": "tad.interpret(f, tad.interpreters.Shape())",
        "ShapeDtypeStruct": "tad.Spec(shape, dtype)",
        "make_jaxpr": "tad.trace(f)(*args)",
        "jet": "tad.taylor(f, order)",
        "check_grads": _CHECK,
        "custom_gradient": "tad.custom_vjp",
        "pmap": "tad.vmap, or JAX's own around a program",
        "lax": "tad.cond, tad.switch, tad.scan, tad.while_loop, tad.fori_loop",
        "associative_scan": "tad.scan",
        "tree": "tad.trees",
        "tree_util": "tad.trees",
        "tree_map": "tad.trees.map",
        "tree_leaves": "tad.trees.leaves",
        "tree_structure": "tad.trees.structure",
        "tree_flatten": "tad.trees.flatten",
        "tree_unflatten": "tad.trees.unflatten",
        "flatten_util": "tad.trees.ravel",
        "ravel_pytree": "tad.trees.ravel",
        "PRNGKey": "tad.random.key(seed)",
        "Array": "tad.Tensor",
        "bfloat16": "tad.float32, or x.astype('bfloat16') under Jax: NumPy has no such dtype",
        "numpy": "the functions of tad itself",
        # PyTorch
        "clamp": "tad.clip",
        "cat": "tad.concat",
        "unsqueeze": "tad.expand_dims",
        "permute": "tad.permute_dims",
        "mm": "tad.matmul",
        "bmm": "tad.matmul",
        "mul": "tad.multiply",
        "div": "tad.divide",
        "sub": "tad.subtract",
        "neg": "tad.negative",
        "gather": "tad.take_along_axis",
        "scatter": "x.at[index].set(value)",
        "scatter_add": "x.at[index].add(value), or tad.segment_sum",
        "index_select": "tad.take",
        "masked_fill": "tad.where",
        "topk": "tad.top_k",
        "from_numpy": "tad.asarray",
        "rand": "tad.random.uniform(key, shape)",
        "randn": "tad.random.normal(key, shape)",
        "manual_seed": "tad.random.key(seed)",
        "gradcheck": _CHECK,
        "enable_grad": "tad.grad(f): what is differentiated is asked for",
        "inference_mode": "tad.no_grad(f)",
        "compile": "tad.jit",
        "func": "tad.grad, tad.vjp, tad.jvp, tad.vmap",
        "autograd": "tad.grad, tad.vjp, tad.jvp",
        "elementwise_grad": "tad.vmap(tad.grad(f))",
        "Parameter": "a field `w: tad.Tensor` of an nn.Module",
        "Module": "tad.nn.Module",
    }
    | {name: f"tad.checks.{name}" for name in _CHECKS},
    "taglessad.trees": {
        "tree_map": "tad.trees.map",
        "tree_leaves": "tad.trees.leaves",
        "tree_structure": "tad.trees.structure",
        "tree_flatten": "tad.trees.flatten",
        "tree_unflatten": "tad.trees.unflatten",
        "map_with_path": "tad.trees.flatten_with_paths and tad.trees.unflatten",
        "reduce": "functools.reduce over tad.trees.leaves",
        "ravel_pytree": "tad.trees.ravel",
        "register_pytree_node": "tad.trees.register",
        "tree_at": "tad.trees.replace",
    },
    "taglessad.random": {
        "PRNGKey": "tad.random.key(seed)",
        "default_rng": "tad.random.key(seed)",
        "seed": "tad.random.key(seed)",
        "rand": "tad.random.uniform(key, shape)",
        "random": "tad.random.uniform(key, shape)",
        "randn": "tad.random.normal(key, shape)",
        "standard_normal": "tad.random.normal(key, shape)",
        "integers": "tad.random.randint",
        "shuffle": "tad.random.permutation",
    },
    "taglessad.optim": {
        "Adam": "tad.optim.adam",
        "AdamW": "tad.optim.adamw",
        "SGD": "tad.optim.sgd",
        "RMSprop": "tad.optim.rmsprop",
        "Adagrad": "tad.optim.adagrad",
        "Lion": "tad.optim.lion",
        "LBFGS": "tad.optim.minimize",
        "lbfgs": "tad.optim.minimize",
        "clip_grad_norm_": "tad.optim.clip_by_global_norm in a tad.optim.chain",
        "multi_transform": "tad.optim.masked for each part, in a tad.optim.chain",
        "lr_scheduler": "a schedule as the learning rate: tad.optim.cosine_decay_schedule(...)",
    },
    "taglessad.proofs_checks": {"check_grads": _CHECK, "gradcheck": _CHECK},
    "taglessad.nn": {
        "Dense": "tad.nn.Linear",
        "Conv": "tad.nn.Conv1d, tad.nn.Conv2d",
        "Embed": "tad.nn.Embedding",
        "MultiheadAttention": "tad.nn.MultiHeadAttention",
        "Parameter": "a field `w: tad.Tensor` of the module",
        "ModuleList": "a tuple of modules as a field",
        "ModuleDict": "a dict of modules as a field",
        "CrossEntropyLoss": "tad.nn.functional.cross_entropy",
        "MSELoss": "tad.nn.functional.mse",
        "BCEWithLogitsLoss": "tad.nn.functional.binary_cross_entropy",
        "relu": "tad.nn.functional.relu",
        "sigmoid": "tad.nn.functional.sigmoid",
        "softmax": "tad.nn.functional.softmax",
        "gelu": "tad.nn.functional.gelu",
    },
}


def not_there(module: str, name: str, instead: str | None = None) -> AttributeError:
    """The error for a name that a module does not have, with what to use where that is known."""
    missing = f"module {module!r} has no attribute {name!r}"
    instead = ELSEWHERE[module].get(name, instead)
    if instead is None:  # with the module, from which Python knows what may have been meant
        return AttributeError(missing, name=name, obj=sys.modules[module])
    return AttributeError(f"{missing}; use {instead}")
