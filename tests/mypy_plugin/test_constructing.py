"""Models of the user's that are made of layers which do not fit each other."""

import pytest

from tests.mypy_plugin.checked import Message, run_mypy

PROGRAM = """
from typing import Any, Generic, Literal as L, TypeVar
import taglessad as tad
from taglessad import Dim, Tensor, nn
N = TypeVar("N")
In = TypeVar("In")
Hid = TypeVar("Hid")
Out = TypeVar("Out")
T = TypeVar("T")
class Encoder(nn.Module, Generic[In, Hid, Out]):
    embed: nn.Linear[In, Hid]
    score: nn.Linear[Hid, L[1]]
    head: nn.Linear[Hid, Out]
    def __call__(self, x: Tensor[N, In]) -> Tensor[N, Out]:
        return self.head(self.embed(x))
class Deep(nn.Module, Generic[In, Hid]):
    encoder: Encoder[In, Hid, L[4]]
    out: nn.Linear[Hid, L[2]]
class Pairs(nn.Module, Generic[In, Hid]):
    both: tuple[nn.Linear[In, Hid], nn.Linear[Hid, In]]
class Maybe(nn.Module, Generic[In, Hid]):
    first: nn.Linear[In, Hid]
    second: nn.Linear[Hid, Hid] | None = None
class Biased(nn.Module, Generic[In, Hid]):
    layer: nn.Linear[In, Hid]
    bias: Tensor[Hid]
class Wrapped(nn.Module, Generic[T]):
    inner: T
class Holder(nn.Module, Generic[T]):
    of: Wrapped[T]
class Fixed(nn.Module):
    layer: nn.Linear[L[3], L[4]]
def fed(a: nn.Linear[In, Hid], b: nn.Linear[Hid, Out], x: Tensor[N, In]) -> Tensor[N, Out]:
    return b(a(x))
def loss(m: Encoder[L[3], L[16], L[4]], x: Tensor[N, L[3]], y: Tensor[N]) -> Tensor[()]:
    return ((m(x).sum(axis=1) - y) ** 2).sum()
def unknown(n: int) -> None:
    Encoder(nn.Linear(n, 16), nn.Linear(16, 1), nn.Linear(16, n))
    Encoder(nn.Linear(3, n), nn.Linear(n, 1), nn.Linear(7, 4))
def wave(t: Tensor[N]) -> Tensor[N]:
    return tad.sin(t)
good = Encoder(nn.Linear(3, 16), nn.Linear(16, 1), nn.Linear(16, 4))
kept: Encoder[L[3], L[16], L[4]] = good
Deep(good, nn.Linear(16, 2))
Pairs((nn.Linear(3, 4), nn.Linear(4, 3)))
Maybe(nn.Linear(3, 4))
Maybe(nn.Linear(3, 4), nn.Linear(4, 4))
Biased(nn.Linear(3, 4), tad.ones(4))
inner: nn.Linear[L[3], L[4]] = Holder(Wrapped(nn.Linear(3, 4))).of.inner
Fixed(nn.Linear(3, 4))
bad = Encoder(embed=nn.Linear(3, 16), score=nn.Linear(16, 1), head=nn.Linear(15, 4))  #!
bad(tad.ones((2, 9)))  # what is known to be wrong is said once
"""
FITS = "is expected"
WRONG = [
    (
        "Encoder(nn.Linear(3, 16), nn.Linear(8, 1), nn.Linear(16, 4))",
        f"Encoder: argument 'score': Linear[8, 1] where Linear[Hid, 1] {FITS} "
        "(Hid is 16 from argument 'embed', but 8 here)",
    ),
    (
        "Encoder(nn.Linear(3, 16), nn.Linear(16, 2), nn.Linear(16, 4))",
        f"Encoder: argument 'score': Linear[16, 2] where Linear[Hid, 1] {FITS} (2 != 1)",
    ),
    (
        "Deep(good, nn.Linear(17, 2))",
        f"Deep: argument 'out': Linear[17, 2] where Linear[Hid, 2] {FITS} "
        "(Hid is 16 from argument 'encoder', but 17 here)",
    ),
    (
        "Pairs((nn.Linear(3, 4), nn.Linear(5, 3)))",
        f"Pairs: argument 'both'[1]: Linear[5, 3] where Linear[Hid, In] {FITS} "
        "(Hid is 4 from argument 'both'[0], but 5 here)",
    ),
    (
        "Maybe(nn.Linear(3, 4), nn.Linear(4, 5))",
        f"Maybe: argument 'second': Linear[4, 5] where Linear[Hid, Hid] {FITS} "
        "(Hid is 4 from argument 'first', but 5 here)",
    ),
    (
        "Biased(nn.Linear(3, 4), tad.ones(5))",
        f"Biased: argument 'bias': shape [5] where [Hid] {FITS} "
        "(Hid is 4 from argument 'layer', but 5 here)",
    ),
    (
        "Fixed(nn.Linear(3, 5))",
        f"Fixed: argument 'layer': Linear[3, 5] where Linear[3, 4] {FITS} (5 != 4)",
    ),
    (
        "fed(nn.Linear(3, 4), nn.Linear(5, 2), tad.ones((2, 3)))",
        f"fed: argument 'b'.w: shape [5, 2] where [Hid, Out] {FITS} "
        "(Hid is 4 from argument 'a'.w, but 5 here)",
    ),
    (
        "tad.grad(loss)(good, tad.ones((5, 3)), tad.zeros(7))",
        f"grad(loss): argument 'y': shape [7] where [N] {FITS} "
        "(N is 5 from argument 'x', but 7 here)",
    ),
    (
        "tad.derivative(wave)(tad.ones(3), [tad.ones(3), tad.ones(4)])",
        f"derivative(wave): argument 1[1]: shape [4] where [N] {FITS} "
        "(N is 3 from argument 't', but 4 here)",
    ),
]


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> list[Message]:
    text = PROGRAM + "".join(f"{line}\n" for line, _ in WRONG)
    found = run_mypy(text, tmp_path_factory.mktemp("models"))
    return [m for m in found if m.kind == "error"]


@pytest.mark.parametrize("i", range(len(WRONG)), ids=[line for line, _ in WRONG])
def test_one_sentence(i: int, said: list[Message]) -> None:
    here = [m for m in said if m.line == PROGRAM.count("\n") + 1 + i]
    assert [(m.text, m.code) for m in here] == [(WRONG[i][1], "shape")]


def test_what_fits_is_accepted(said: list[Message]) -> None:
    lines = PROGRAM.split("\n")
    marked = [i for i, line in enumerate(lines, start=1) if line.endswith("#!")]
    assert [m.line for m in said if m.line <= len(lines) - 1] == marked
