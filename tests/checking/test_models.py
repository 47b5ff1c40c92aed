"""Models with symbolic sizes: clean as they are, and each one-character mistake found on its line."""

from pathlib import Path

import pytest

import taglessad as tad
from taglessad import Tensor, nn
from taglessad.checking.check import check_source
from taglessad.checking.findings import Finding
from taglessad.checking.sources import Source

HEAD = """from typing import Generic, Literal as L, TypeVar, TypeVarTuple
import dataclasses
import taglessad as tad
from taglessad import Add, Div, IntTensor, Mul, Size, Sub, Tensor, nn
from taglessad.nn import functional as F
N = TypeVar("N"); M = TypeVar("M"); K = TypeVar("K"); T = TypeVar("T"); H = TypeVar("H")
V = TypeVar("V"); B = TypeVarTuple("B")
"""

PERCEPTRON = """
class Perceptron(nn.Module, Generic[K, M]):
    first: nn.Linear[K, L[8]]
    second: nn.Linear[L[8], M]

    def __call__(self, x: Tensor[*B, K]) -> Tensor[*B, M]:
        return self.second(F.relu(self.first(x)))

def loss(model: Perceptron[K, M], x: Tensor[N, K], y: IntTensor[N]) -> Tensor[()]:
    return F.cross_entropy(model(x), y).mean()

def step(model: Perceptron[K, M], x: Tensor[N, K], y: IntTensor[N]) -> Perceptron[K, M]:
    g = tad.grad(loss)(model, x, y)
    return dataclasses.replace(model, first=g.first)

def stacked(
    model: nn.Sequential[nn.Linear[K, L[8]], nn.ReLU, nn.Linear[L[8], M]], x: Tensor[N, K]
) -> Tensor[N, M]:
    return model(x)
"""

GPT = """
class Attention(nn.Module, Generic[K, H]):
    qkv: Tensor[Mul[H, K], Mul[L[3], Mul[H, K]]]
    out: Tensor[Mul[H, K], Mul[H, K]]
    heads: Size[H]

    def __call__(self, x: Tensor[N, T, Mul[H, K]]) -> Tensor[N, T, Mul[H, K]]:
        n, t, width = x.shape
        y = tad.reshape(x @ self.qkv, (n, t, 3, self.heads, -1))
        q, k, v = (tad.permute_dims(y[:, :, i], (0, 2, 1, 3)) for i in range(3))
        scores = q @ tad.matrix_transpose(k)
        weights = F.softmax(scores + mask(t), axis=-1)
        return tad.reshape(tad.permute_dims(weights @ v, (0, 2, 1, 3)), (n, t, width)) @ self.out

def mask(t: Size[T]) -> Tensor[T, T]:
    return tad.triu(tad.full((t, t), -1e9), k=1)

class Block(nn.Module, Generic[K, H, M]):
    attention: Attention[K, H]
    scale: Tensor[Mul[H, K]]
    up: Tensor[Mul[H, K], M]
    down: Tensor[M, Mul[H, K]]

    def norm(self, x: Tensor[*B, Mul[H, K]]) -> Tensor[*B, Mul[H, K]]:
        centred = x - tad.mean(x, axis=-1, keepdims=True)
        return centred / tad.sqrt(tad.var(x, axis=-1, keepdims=True) + 1e-5) * self.scale

    def __call__(self, x: Tensor[N, T, Mul[H, K]]) -> Tensor[N, T, Mul[H, K]]:
        x = x + self.attention(self.norm(x))
        return x + F.gelu(self.norm(x) @ self.up) @ self.down

def embed(
    ids: IntTensor[N, T], table: Tensor[V, K], places: Tensor[M, K]
) -> Tensor[N, T, K]:
    return table[ids] + places[tad.arange(ids.shape[1])]
"""

UNET = """
def down(
    x: Tensor[N, K, Mul[L[2], H], Mul[L[2], T]], w: Tensor[M, K, L[3], L[3]]
) -> tuple[Tensor[N, M, Mul[L[2], H], Mul[L[2], T]], Tensor[N, M, H, T]]:
    y = F.relu(F.conv2d(x, w, padding=1))
    return y, F.max_pool2d(y, 2)

def up(x: Tensor[N, K, H, T]) -> Tensor[N, K, Mul[L[2], H], Mul[L[2], T]]:
    return tad.repeat(tad.repeat(x, 2, axis=2), 2, axis=3)

def unet(
    x: Tensor[N, L[3], Mul[L[4], H], Mul[L[4], T]],
    a: Tensor[L[8], L[3], L[3], L[3]],
    b: Tensor[L[16], L[8], L[3], L[3]],
    c: Tensor[L[8], L[24], L[3], L[3]],
    d: Tensor[L[3], L[8], L[1], L[1]],
) -> Tensor[N, L[3], Mul[L[4], H], Mul[L[4], T]]:
    skip, half = down(x, a)
    deep, _ = down(half, b)
    joined = tad.concat((skip, up(deep)), axis=1)
    y = F.relu(F.conv2d(joined, c, padding=1))
    return F.conv2d(y, d)
"""


def findings(folder: Path, code: str) -> list[Finding]:
    file = folder / "models.py"
    file.write_text(HEAD + code)
    return check_source(Source(file, "models"), [])[0]


@pytest.mark.parametrize("code", [PERCEPTRON, GPT, UNET], ids=["perceptron", "gpt", "unet"])
def test_a_model_is_clean(tmp_path: Path, code: str) -> None:
    assert findings(tmp_path, code) == []


@pytest.mark.parametrize(
    ("code", "good", "bad"),
    [
        (PERCEPTRON, "self.second(F.relu(self.first(x)))", "self.first(F.relu(self.first(x)))"),
        (PERCEPTRON, "second: nn.Linear[L[8], M]", "second: nn.Linear[L[9], M]"),
        (PERCEPTRON, "first=g.first", "first=g.second"),
        (PERCEPTRON, "F.cross_entropy(model(x), y).mean()", "F.cross_entropy(model(x), y)"),
        (PERCEPTRON, "nn.Linear[L[8], M]], x", "nn.Linear[L[7], M]], x"),
        (GPT, "(0, 2, 1, 3)) for", "(0, 1, 2, 3)) for"),
        (GPT, "tad.matrix_transpose(k)", "k"),
        (GPT, "(t, t), -1e9", "(t, 1), -1e9"),
        (GPT, "(n, t, 3, self.heads, -1)", "(n, t, 2, self.heads, -1)"),
        (GPT, "@ self.up) @ self.down", "@ self.up) @ self.up"),
        (GPT, "tad.mean(x, axis=-1, keepdims=True)", "tad.mean(x, axis=-1)"),
        (GPT, "ids.shape[1]", "ids.shape[0]"),
        (UNET, "x, w, padding=1", "x, w, padding=0"),
        (UNET, "(skip, up(deep)), axis=1", "(skip, up(deep)), axis=0"),
        (UNET, "(skip, up(deep))", "(skip, deep)"),
        (UNET, "F.conv2d(y, d)", "F.conv2d(y, c)"),
        (UNET, "x, 2, axis=2), 2, axis=3", "x, 2, axis=2), 2, axis=2"),
    ],
)
def test_a_small_mistake_is_found_where_it_is(
    tmp_path: Path, code: str, good: str, bad: str
) -> None:
    assert code.count(good) == 1
    wrong = code.replace(good, bad)
    before = (HEAD + code[: code.index(good)]).count("\n") + 1
    found = [f for f in findings(tmp_path, wrong) if f.severity == "error"]
    assert found, wrong
    lines = (HEAD + wrong).splitlines()
    # On the line itself, or where what it gives is used next.
    assert before <= found[0].line <= before + 8, [lines[f.line - 1] for f in found]


def test_a_model_is_checked_at_its_first_call() -> None:
    class Wrong(nn.Module):
        w: Tensor

        @tad.program
        def __call__(self, x: Tensor) -> Tensor:
            return x @ self.w

    assert Wrong(tad.ones((2, 3)))(tad.ones((4, 2))).shape == (4, 3)
    with pytest.raises(tad.ShapeError, match="matmul"):
        Wrong(tad.ones((2, 3)))(tad.ones((4, 3)))


def test_a_layer_without_a_bias_is_a_layer() -> None:
    @tad.program
    def f(layer: nn.Linear, x: Tensor) -> Tensor:
        return layer(x)

    assert f(nn.Linear(2, 3, rng=0, bias=False), tad.ones((4, 2))).shape == (4, 3)
