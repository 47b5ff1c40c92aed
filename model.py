from typing import TypeVar

from taglessad import Tensor

N = TypeVar("N")
K = TypeVar("K")


def scores(x: Tensor[N, K], w: Tensor[K, K]) -> Tensor[N]:
    return (x @ w).sum(axis=0)


def first(x: Tensor[N]) -> Tensor[()]:
    return x[0] if x[0] > 0 else x[1]
