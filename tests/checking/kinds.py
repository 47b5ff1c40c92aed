"""What the programs of kinds_bad.py and kinds_good.py have in common: data for test_kinds.py.

Each case is (kind, code). The code is put behind PRELUDE, in a file of its own.
"""

PRELUDE = """from dataclasses import dataclass
from typing import Any, Generic, Literal as L, NamedTuple, TypedDict, TypeVar, TypeVarTuple
import taglessad as tad
from taglessad import Add, BoolTensor, Dim, Div, Dyn, IntTensor, Mul, Size, Sub, Tensor

N = TypeVar("N"); M = TypeVar("M"); K = TypeVar("K"); H = TypeVar("H")
B = TypeVarTuple("B")

class Batch(Dim): ...
class Time(Dim): ...
class Hidden(Dim, size=8): ...

class Params(NamedTuple):
    w: Tensor[L[2], L[3]]
    b: Tensor[L[3]]

@dataclass(frozen=True)
class Layer(Generic[N, M]):
    w: Tensor[N, M]
    b: Tensor[M]
    name: str = "layer"

class Weights(TypedDict):
    w: Tensor[L[2], L[3]]

@tad.program
def loss(p: Params, x: Tensor[L[4], L[2]]) -> Tensor[()]:
    return ((x @ p.w + p.b) ** 2).sum()

@tad.program
def square(w: Tensor[L[2], L[3]]) -> Tensor[()]:
    return (w * w).sum()

@tad.program
def rows(w: Tensor[N, M]) -> Tensor[N]:
    return w.sum(axis=1)

@tad.program
def dense(x: Tensor[*B, K], w: Tensor[K, M], b: Tensor[M]) -> Tensor[*B, M]:
    return x @ w + b

@tad.program
def half(p: Tensor[Mul[L[2], N], K]) -> Tensor[K]:
    return p.sum(axis=0)
"""


def program(parameters: str, *body: str, result: str = "Tensor") -> str:
    lines = "\n".join(f"    {line}" for line in body)
    return f"\n@tad.program\ndef f({parameters}) -> {result}:\n{lines}\n"


LITERAL = "x: Tensor[L[4], L[2]], w: Tensor[L[2], L[3]], xs: Tensor[L[5], L[4], L[2]]"
SYMBOLIC = "x: Tensor[N, K], w: Tensor[K, M], xs: Tensor[H, N, K]"
CALLS = "p: Params, x: Tensor[L[4], L[2]], w: Tensor[L[2], L[3]]"


def each(kind: str, *expressions: str, parameters: str) -> list[tuple[str, str]]:
    return [(kind, program(parameters, f"return {e}  #!")) for e in expressions]
