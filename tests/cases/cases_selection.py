"""where, comparisons, maxima, clipping: what is not selected contributes nothing."""

from typing import Any

import taglessad as tad
from taglessad.nn import functional as nnf
from tests.cases.case import JACOBIAN, Case, first

Q = tad.asarray([1.0, 2.0])
ALONE = tad.eye(2) > 0.0


def pair_energy(r: Any) -> Any:
    d = r[:, None, :] - r[None, :, :]
    distance = tad.sqrt(tad.sum(d * d, axis=-1))
    return tad.sum(tad.where(ALONE, 0.0, Q[:, None] * Q[None, :] / distance))


def clipped_by_norm(x: Any) -> Any:
    n = tad.sqrt(tad.sum(x * x))
    return tad.where(n > 1.0, x / n, x)


def triplet_loss(a: Any) -> Any:
    near = tad.sqrt(tad.sum((a - tad.asarray([0.0, 0.0])) ** 2))
    far = tad.sqrt(tad.sum((a - tad.asarray([3.0, 4.0])) ** 2))
    return nnf.relu(near - far + 1.0)


def off_pole(a: Any) -> Any:
    points = 1.0 / (tad.asarray([0.0, 1.0, 2.0, 3.0]) * a / 3.0)
    return tad.sum(points[1:])


def masked_data(b: Any) -> Any:
    data, mask = tad.asarray([2.0, tad.nan]), tad.asarray([True, False])
    return tad.sum(tad.where(mask, b * data, 1.0))


CASES = [
    # The side taken is a constant; calculus would say 2 (conventions: the side taken).
    Case(
        "python-branch-at-equality",
        "JuliaDiff/ForwardDiff.jl#480",
        first(lambda x: tad.where(x == 1.0, 1.0, x * x)),
        (1.0,),
        0.0,
    ),
    Case(
        "clip-by-norm-at-zero",
        "google-deepmind/optax#1752",
        first(clipped_by_norm),
        ([0.0, 0.0],),
        [[1.0, 0.0], [0.0, 1.0]],
        (JACOBIAN,),
    ),
    Case("where-nan-coefficient", "jax-ml/jax#20601", first(masked_data), (2.3,), 2.0),
    Case(
        "where-inf-constant",
        "jax-ml/jax#2630",
        first(lambda x: tad.where(x > 0.0, 5.0, x * tad.inf)),
        (1.0,),
        0.0,
    ),
    Case(
        "where-sqrt-negative-domain",
        "HIPS/autograd#802",
        first(lambda x: tad.where(x >= 0.0, x * x, tad.sqrt(-x))),
        (1.5,),
        3.0,
    ),
    Case("slice-off-pole", "jax-ml/jax#4915", first(off_pole), (12.0,), -11 / 288),
    Case(
        "triplet-loss-inactive-identical",
        "huggingface/sentence-transformers#4033",
        first(triplet_loss),
        ([0.0, 0.0],),
        [0.0, 0.0],
    ),
    Case(
        "pairwise-masked-diagonal",
        "jax-ml/jax#654",
        first(pair_energy),
        ([[0.0, 0.0, 0.0], [3.0, 4.0, 0.0]],),
        [[0.096, 0.128, 0.0], [-0.096, -0.128, 0.0]],
    ),
    # Kinks, as the table of conventions has them.
    Case(
        "clip-at-bound",
        "pytorch/pytorch#7049",
        lambda d: lambda *xs: tuple(d(lambda x: tad.clip(x, -1.0, 1.0))(x) for x in xs),
        (-1.0, 0.25, 1.0),
        (1.0, 1.0, 1.0),
    ),
    Case("relu-at-zero", "jax-ml/jax#37821", first(nnf.relu), (0.0,), 0.0),
    Case("relu6-upper-kink", "jax-ml/jax#14682", first(nnf.relu6), (6.0,), 0.0),
    Case(
        "maximum-tie-with-constant",
        "jax-ml/jax#37821",
        first(lambda x: tad.maximum(x, 0.0)),
        (0.0,),
        0.5,
    ),
    Case(
        "max-reduction-tie",
        "Theano/Theano#4568",
        first(tad.max),
        ([1.0, 1.0, 0.0],),
        [0.5, 0.5, 0.0],
    ),
    Case(
        "max-plus-self-linearity",
        "NervanaSystems/neon#170",
        first(lambda x: tad.sum(tad.max(x) + x)),
        ([2.0, 3.0, 1.0],),
        [1.0, 4.0, 1.0],
    ),
    Case(
        "median-even",
        "pytorch/pytorch#1837",
        first(tad.median),
        ([4.0, 1.0, 3.0, 2.0],),
        [0.0, 0.0, 0.5, 0.5],
    ),
    # An entry dropped by its id has no value to spoil the gradient with.
    Case(
        "segment-sum-dropped-nan",
        "jax-ml/jax#14179",
        first(
            lambda x: tad.segment_sum(
                tad.asarray([5.0, 1.0, tad.nan]) * x, tad.asarray([0, 1, -1]), 2
            )[0]
        ),
        ([1.0, 2.0, 3.0],),
        [5.0, 0.0, 0.0],
    ),
    Case(
        "detach-both-modes-agree",
        "pytorch/pytorch#128600",
        first(lambda x: x * tad.detach(x * x)),
        (3.0,),
        9.0,
    ),
]
