"""Indexing, updates, broadcasting, empty arrays, arguments."""

from typing import Any

import numpy as np

import taglessad as tad
from taglessad.nn import functional as nnf
from tests.cases.case import JACOBIAN, Case, Mode, Program, first


def buffer_filled(x: Any) -> Any:
    b = tad.asarray([2.0, 3.0, 7.0]).at[:2].set(x)
    return tad.stack([tad.sum(b * b), tad.prod(b)])


def computed_indices(x: Any) -> Any:
    i = tad.floor(tad.detach(x)).astype(int) - 1
    return tad.sum(tad.zeros(3).at[i].set(x) * tad.asarray([1.0, 10.0, 100.0]))


def clipped_gather(d: Mode) -> Program:
    at = lambda x, i: x.at[i].get(mode="clip")
    mapped = tad.vmap(d(at), in_axes=(None, 0))
    return lambda x, i: (d(lambda x: at(x, 7))(x), mapped(x, i))


def scatter_max(t: Any) -> Any:
    # 2 max(1, t + 1) + 3 max(4, 4 - t) is 2 t + 14 near t = 1/8
    u = tad.stack([t + 1.0, 4.0 - t])
    y = tad.asarray([1.0, 3.0, 4.0]).at[tad.asarray([0, 2])].max(u)
    return 2.0 * y[0] + 3.0 * y[2]


INDEXING = [
    Case(
        "buffer-captured-and-filled",
        "pytorch/functorch#1007",
        first(buffer_filled),
        ([2.0, 3.0],),
        [[4.0, 6.0], [21.0, 14.0]],
        (JACOBIAN,),
    ),
    Case(
        "setitem-kills-old-gradient",
        "pytorch/pytorch#61946",
        first(lambda x, v: tad.sum((x * x).at[0].set(v)), (0, 1)),
        ([1.0, 2.0, 3.0], 5.0),
        ([0.0, 4.0, 6.0], 1.0),
    ),
    Case(
        "scatter-mul-duplicates",
        "jax-ml/jax#12469",
        first(lambda u: tad.asarray([2.0, 7.0]).at[tad.asarray([0, 0])].multiply(u)[0]),
        ([3.0, 5.0],),
        [10.0, 6.0],
    ),
    Case(
        "scatter-computed-indices",
        "jax-ml/jax#1104",
        first(computed_indices),
        ([2.5, 1.5, 3.5],),
        [10.0, 1.0, 100.0],
    ),
    Case(
        "gather-out-of-bounds-clip",
        "jax-ml/jax#5760",
        clipped_gather,
        ([4.0, 5.0], [7]),
        ([0.0, 1.0], [[0.0, 1.0]]),
    ),
    Case("scatter-max-clipped-index", "jax-ml/jax#40626", first(scatter_max), (0.125,), 2.0),
]

Z = tad.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
H = tad.reshape(tad.arange(24.0), (2, 1, 3, 4))
DIVISORS = tad.asarray([[2.0], [3.0], [5.0]])

BROADCASTING = [
    Case(
        "softmax-not-severed",
        "huggingface/candle#3569",
        first(lambda x: tad.sum(nnf.softmax(x) ** 2)),
        ([0.0, 1.0, 2.0],),
        [-0.07571796004928927, -0.13010479484068171, 0.20582275488997098],
        rtol=1e-12,
    ),
    Case(
        "op-used-twice-accumulates",
        "huggingface/candle#3507",
        first(lambda x: tad.sum(tad.repeat(x, 2)) + tad.sum(x * x)),
        ([1.0, 2.0],),
        [4.0, 6.0],
    ),
    # Every term has the slope 1.
    Case(
        "fmod-broadcast",
        "Oneflow-Inc/oneflow#8769",
        first(lambda x: tad.sum(tad.fmod(x * tad.ones((3, 1)), DIVISORS))),
        (7.0,),
        3.0,
    ),
    Case(
        "expanded-view-sliced",
        "pytorch/pytorch#8626",
        first(lambda x: tad.sum(tad.broadcast_to(x, (3, 3))[:2] * Z)),
        (np.ones((3, 1)),),
        [[6.0], [15.0], [0.0]],
    ),
    Case(
        "broadcast-mask-reduced",
        "deeplearning4j/nd4j#2424",
        first(lambda m: tad.sum(H * m)),
        (np.ones((2, 1, 3, 1)),),
        [[[[6.0], [22.0], [38.0]]], [[[54.0], [70.0], [86.0]]]],
    ),
]
EMPTY = [
    Case(
        "tile-zero-times",
        "pytorch/pytorch#45201",
        first(lambda a: tad.sum(tad.tile(a, 0))),
        (np.ones(3),),
        [0.0, 0.0, 0.0],
    ),
    Case(
        "matmul-empty-batch",
        "pytorch/pytorch#34202",
        first(lambda w: tad.sum(tad.zeros((0, 3)) @ w)),
        (np.ones((3, 2)),),
        np.zeros((3, 2)),
    ),
    Case(
        "sum-to-size-with-zero-dim",
        "pytorch/pytorch#15223",
        first(lambda b: tad.sum(tad.zeros((4, 0)) + b)),
        (np.ones((4, 1)),),
        np.zeros((4, 1)),
    ),
    Case(
        "jacobian-of-empty",
        "pytorch/pytorch#53407",
        first(lambda x: x * x),
        (np.zeros((0, 2)),),
        np.zeros((0, 2, 0, 2)),
        (JACOBIAN,),
    ),
]
ARGUMENTS = [
    Case("negative-argnum", "jax-ml/jax#10669", first(lambda x, y: x * y**2, -1), (2.0, 3.0), 12.0),
    # A tuple of one gives a tuple of one.
    Case(
        "argnums-tuple-of-one",
        "jax-ml/jax#4730",
        first(lambda x, y: x * y, (0,)),
        (2.0, 3.0),
        (3.0,),
    ),
    Case(
        "unused-argument-zero",
        "DiffSharp/DiffSharp#328",
        first(lambda x, y: x * x, (0, 1)),
        (3.0, 4.0),
        (6.0, 0.0),
    ),
    Case(
        "keyword-arguments",
        "jax-ml/jax#952",
        lambda d: lambda x, y: d(lambda x, y: (x - y) ** 2)(x=x, y=y),
        (1.0, 2.0),
        -2.0,
    ),
    Case("integer-input", "jax-ml/jax#424", first(lambda x: x * x), (3,), 6.0),
]
CASES = [*INDEXING, *BROADCASTING, *EMPTY, *ARGUMENTS]
