"""When two results are the same: to rounding, leaf by leaf."""

from typing import Any

import numpy as np

import taglessad as tad

Leaves = list[np.ndarray]
Found = tuple[Leaves, Leaves, Leaves]
"""Value, gradient and Hessian times direction of one program."""


def leaves(tree: Any) -> Leaves:
    return [np.asarray(leaf) for leaf in tad.trees.leaves(tree)]


def dot(a: Any, b: Any) -> Any:
    return sum(
        tad.sum(x * y) for x, y in zip(tad.trees.leaves(a), tad.trees.leaves(b), strict=True)
    )


def shapes(x: Any) -> Any:
    return {"m": x["m"].shape, "inner": tuple(leaf.shape for leaf in x["inner"])}


def agree(what: str, got: Leaves, want: Leaves, rtol: float = 1e-9) -> None:
    """Equal up to rounding, relative to the largest entry."""
    for a, b in zip(got, want, strict=True):
        assert a.shape == b.shape, f"{what}: shape {a.shape}, not {b.shape}"
        scale = max(1.0, float(np.max(np.abs(b), initial=0.0)))
        np.testing.assert_allclose(a, b, rtol=rtol, atol=0.1 * rtol * scale, err_msg=what)
