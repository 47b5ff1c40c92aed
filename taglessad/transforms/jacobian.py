"""Whole Jacobians and Hessians: output axes first, then input axes; one batched pass."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from taglessad.dispatch import cast
from taglessad.dtypes import DType
from taglessad.errors import ConcretizationError
from taglessad.interpreters.batch import Batch, Batched
from taglessad.interpreters.dual import Dual, DualNumber
from taglessad.kernels.quiet import Quiet
from taglessad.levels import join
from taglessad.ops import Ops
from taglessad.primitive import Aval
from taglessad.shapes import Shape, show, size
from taglessad.tensor import AnyTensor, handle
from taglessad.transforms.arguments import Argnums, Function, choose
from taglessad.transforms.engine import NO_AUX, lowered, refuse_integers, reverse, run_under
from taglessad.transforms.gradient import gradient_and_value
from taglessad.transforms.naming import check_function, named_after
from taglessad.trees import unflatten


def known_sizes(what: str, shape: Shape) -> tuple[int, ...]:
    """A shape of ints. Raises ConcretizationError for one with symbols."""
    sizes = tuple(n for n in shape if isinstance(n, int))
    if len(sizes) != len(shape):
        raise ConcretizationError(
            f"{what}: a shape of {show(shape)} has no known number of entries, so there is no "
            "knowing how many directions to take; give numbers for its sizes"
        )
    return sizes


def _basis(ops: Ops[Any], shape: tuple[int, ...], dtype: DType, start: int, total: int) -> Any:
    """The rows start .. start+size of a basis of `total` directions, shaped as `shape`."""
    n = size(shape)
    whole = np.zeros((total, n), dtype)
    whole[start : start + n] = np.eye(n, dtype=dtype)
    return ops.const(whole.reshape(total, *shape))


def jacfwd(f: Function, argnums: Argnums = 0, *, has_aux: bool = False) -> Function:
    """The Jacobian by forward mode, one batched pass over all input coordinates.

    Shape: output axes, then input axes. Trees give the output's tree of the argument's trees; a
    tuple of argnums gives tuples innermost. With `has_aux`: (jacobian, aux).
    """

    return _forward_jacobian("jacfwd", f, argnums, has_aux)


def _forward_jacobian(what: str, f: Function, argnums: Argnums, has_aux: bool) -> Function:
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        chosen = choose(what, f, args, kwargs, argnums, None)
        base = join(x.ops for x in (*chosen.leaves, *chosen.others))
        shapes = [known_sizes(what, x.shape) for x in chosen.leaves]
        sizes = [size(s) for s in shapes]
        total = sum(sizes)
        batch: Batch[Any] = Batch(base, total)
        dual: Dual[Any] = Dual(batch)
        inputs: list[Any] = []
        start = 0
        for x, shape, n in zip(chosen.leaves, shapes, sizes, strict=True):
            basis = _basis(base, shape, x.dtype, start, total)
            primal = Batched(base.lift(x.ops, x.payload), False)
            inputs.append(DualNumber(primal, Batched(basis, True)))
            start += n
        try:
            result = run_under(what, dual, chosen, inputs, has_aux)
            rows: list[Any] = []
            with Quiet():
                for d, weak in zip(result.payloads, result.weak, strict=True):
                    refuse_integers(what, dual.dtype(d))
                    t = batch.full(dual.tangent(d))
                    rows.append(
                        _split_columns(base, t, shapes, chosen.leaves, chosen.restore, weak)
                    )
            # Directions are all that is batched: a primal is one value, shared by the members.
            aux = lowered(dual, base, lambda d: d.primal.value, result.aux)
        finally:
            dual.close()
            batch.close()
        blocks = unflatten(result.treedef, rows)
        return blocks if aux is NO_AUX else (blocks, aux)

    return named_after(jacobian, what, f)


def _split_columns(
    ops: Ops[Any],
    tangent: Any,
    shapes: Sequence[tuple[int, ...]],
    leaves: Sequence[AnyTensor],
    restore: Any,
    weak: bool,
) -> Any:
    """A batch of output tangents, (total, *out), as one block (*out, *in) for each input."""
    whole = ops.shape(tangent)
    out = whole[1:]
    moved = ops.permute(tangent, (*range(1, len(whole)), 0))
    blocks: list[AnyTensor] = []
    start = 0
    for x, shape in zip(leaves, shapes, strict=True):
        n = size(shape)
        zeros, ones = (0,) * len(out), (1,) * len(whole)
        part = ops.slice(moved, (*zeros, start), (*out, start + n), ones)
        block = cast(ops, ops.reshape(part, (*out, *shape)), ops.dtype(tangent), x.dtype)
        blocks.append(handle(ops, block, x.dtype, weak and x.weak))
        start += n
    return restore(blocks)


def jacrev(f: Function, argnums: Argnums = 0, *, has_aux: bool = False) -> Function:
    """The Jacobian by reverse mode, one batched pass over all output coordinates.

    Shape, structure and `has_aux` as `jacfwd`'s. Contributions are added to +0, so entries that
    vanish are +0.
    """

    def jacobian(*args: Any, **kwargs: Any) -> Any:
        chosen = choose("jacrev", f, args, kwargs, argnums, None)
        run = reverse("jacrev", chosen, has_aux=has_aux)
        base = run.base
        rows: list[Any] = []
        for i, (v, weak) in enumerate(zip(run.outputs, run.weak, strict=True)):
            shape, dtype = known_sizes("jacrev", base.shape(v.value)), base.dtype(v.value)
            refuse_integers("jacrev", dtype)
            n = size(shape)
            batch: Batch[Any] = Batch(base, n)
            seeds: list[Any] = [None] * len(run.outputs)
            seeds[i] = Batched(_basis(base, shape, dtype, 0, n), True)
            found = run.pull(batch, seeds)
            blocks: list[AnyTensor] = []
            with Quiet():
                for x, c in zip(chosen.leaves, found, strict=True):
                    block_shape = (*shape, *known_sizes("jacrev", x.shape))
                    block = base.zeros(Aval(block_shape, x.dtype))
                    if c is not None:
                        block = base.add(block, base.reshape(batch.full(c), block_shape))
                    blocks.append(handle(base, block, x.dtype, weak and x.weak))
            batch.close()
            rows.append(chosen.restore(blocks))
        jac = unflatten(run.treedef, rows)
        return jac if run.aux is NO_AUX else (jac, run.aux)

    return named_after(jacobian, "jacrev", f)


def hessian(f: Function, argnums: Argnums = 0) -> Function:
    """The Hessian of a function with one real result: shape S ++ S, forward over reverse.

    A tree gives the tree of blocks, mixed ones included. Raises as `grad` does.
    """
    gradient = gradient_and_value("hessian", f, argnums)
    check_function("hessian", f)

    def first(*args: Any, **kwargs: Any) -> Any:
        return gradient(*args, **kwargs)[0]

    second = _forward_jacobian("hessian", named_after(first, "grad", f), argnums, False)
    return named_after(second, "hessian", f)
