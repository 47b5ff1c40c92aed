"""Programs that mypy with the plugin must reject, each on the line that ends in `#!`, or accept.

Each runs as the body of a function, after PRELUDE. What is marked `STATIC` is wrong to the static
checks alone: sizes agree by chance, or the line is never reached.
"""

from typing import Final

STATIC: Final = "static only"

PRELUDE = """
from dataclasses import dataclass
from typing import Any, Generic, Literal as L, NamedTuple, TypedDict, TypeVar, TypeVarTuple
import numpy as np
import taglessad as tad
from taglessad import Add, BoolTensor, Dim, Div, Dyn, IntTensor, Mul, Size, Sub, Tensor, nn
N = TypeVar("N"); M = TypeVar("M"); K = TypeVar("K"); B = TypeVarTuple("B")
class Rows(Dim): ...
class Columns(Dim): ...
class Width(Dim, size=6): ...
class Pair(NamedTuple):
    w: Tensor[L[5], L[3]]
    b: Tensor[L[3]]
@dataclass(frozen=True)
class Box:
    w: Tensor[L[5], L[3]]
    steps: int = 1
class Dictionary(TypedDict):
    w: Tensor[L[5], L[3]]
class Dense(nn.Module, Generic[N, M]):
    w: Tensor[N, M]
    def __call__(self, x: Tensor[K, N]) -> Tensor[K, M]:
        return x @ self.w
a = tad.zeros((7, 5))
m = tad.ones((5, 3))
v = tad.ones((5,))
u = tad.ones((3,))
cube = tad.ones((2, 7, 5))
image = tad.ones((2, 3, 8, 8))
at3 = tad.zeros((3,), dtype=tad.int64)
even = a > 0.5
pair = Pair(m, u)
@tad.program
def total(w: Tensor[L[5], L[3]]) -> Tensor[()]: return (w * w).sum()
@tad.program
def column(w: Tensor[L[5], L[3]]) -> Tensor[L[5]]: return w.sum(axis=1)
@tad.program
def fit(p: Pair, x: Tensor[N, L[5]]) -> Tensor[()]: return (x @ p.w + p.b).sum()
@tad.program
def affine(x: Tensor[*B, K], w: Tensor[K, M]) -> Tensor[*B, M]: return x @ w
@tad.program
def same(x: Tensor[N, K], y: Tensor[N, K]) -> Tensor[N, K]: return x * y
@tad.program
def stacked(x: Tensor[N, K], y: Tensor[M, K]) -> Tensor[Add[N, M], K]: return tad.concat((x, y))
@tad.program
def halves(x: Tensor[Mul[L[2], N]]) -> Tensor[N]: return x[: x.shape[0] // 2]
def lower(n: Size[N]) -> Tensor[N, N]: return tad.tril(tad.ones((n, n)))
def boxed(b: Box, x: Tensor[N, L[5]]) -> Tensor[()]: return (x @ b.w).sum()
def keyed(d: Dictionary, x: Tensor[N, L[5]]) -> Tensor[()]: return (x @ d["w"]).sum()
"""

BAD: Final = [
    ("operator", "a + m  #!"),
    ("operator", "v - u  #!"),
    ("operator", "a < m  #!"),
    ("operator", "cube / tad.ones((3, 1, 1))  #!"),
    ("array-like", "a + [1.0, 2.0, 3.0]  #!"),
    ("unary chain", "tad.exp(a) @ tad.log(a)  #!"),
    ("reflected", "2.0 * a @ a  #!"),
    ("augmented", "b = a\nb += m  #!"),
    ("matmul", "m @ a  #!"),
    ("matmul batch", "cube @ tad.ones((3, 5, 2))  #!"),
    ("transpose", "cube.T  #!"),
    ("transpose", "a.T @ m  #!"),
    ("method", "a.mean(axis=-3)  #!"),
    ("method", "a.reshape(6, 6)  #!"),
    ("method", "a.squeeze(axis=0)  #!"),
    ("keyword", "tad.concat((a, m), axis=0)  #!"),
    ("list", "tad.stack([v, u])  #!"),
    ("creation", "tad.zeros((2, -3))  #!"),
    ("creation", "tad.full((4, 2), u)  #!"),
    ("ragged", "tad.asarray([[1, 2], [3]])  #!"),
    ("index", "a[7]  #!"),
    ("index", "a[:, -6]  #!"),
    ("index", "a[0, 0, 0]  #!"),
    ("index", "a[1:3] + a[3:7]  #!"),
    ("index", "a[:, None, :2] + cube[0, :3]  #!"),
    ("index", "a[..., :2] @ m  #!"),
    ("index", "a[at3] + a  #!"),
    ("index", "a[v]  #!"),
    ("mask", "a[tad.ones((6,)) > 0.0]  #!"),
    ("mask", "cube[even]  #!"),
    ("at", "a.at[0].set(u)  #!"),
    ("at", "a.at[:, 9].add(1.0)  #!"),
    ("einsum", 'tad.einsum("ij,jk", a, a)  #!'),
    ("einsum", 'tad.einsum("ij->k", a)  #!'),
    ("einsum", 'tad.einsum("ij,ij->", a)  #!'),
    ("loss", "nn.functional.mse(a, m)  #!"),
    ("loss", "nn.functional.cross_entropy(a, at3)  #!"),
    ("convolution", "nn.functional.conv2d(image, tad.ones((4, 2, 3, 3)))  #!"),
    ("pooling", "nn.functional.max_pool2d(a, 2)  #!"),
    ("linalg", "tad.linalg.inv(a)  #!"),
    ("linalg", "tad.linalg.solve(tad.ones((3, 3)), v)  #!"),
    ("named tuple of results", "tad.linalg.svd(a).S + a.T  #!"),
    ("argument", "total(a)  #!"),
    ("argument", "column(w=m.T)  #!"),
    ("one size per call", "same(a, m)  #!"),
    ("one size per call", "affine(a, a)  #!"),
    ("arithmetic", "halves(v)  #!"),
    ("arithmetic", "y: Tensor[L[13], L[5]] = stacked(a, a)  #!", STATIC),
    ("size", "lower(3) @ v  #!"),
    ("result", "affine(a, m) @ m  #!"),
    ("annotation", "y: Tensor[L[5], L[7]] = a  #!", STATIC),
    ("annotation", "y: BoolTensor[L[7], L[5]] = a  #!", STATIC),
    ("return", "def f(x: Tensor[N, K]) -> Tensor[K]:\n    return x.sum(axis=1)  #!", STATIC),
    ("return", "def f(x: Tensor[N, K]) -> Tensor[K, N]:\n    return x  #!", STATIC),
    ("return", "def f(x: Tensor[*B, N]) -> Tensor[*B]:\n    return x + 1.0  #!", STATIC),
    (
        "return",
        "def f(x: Tensor[N, K]) -> Tensor[Mul[N, K]]:\n    return x.reshape(-1) + x[0]  #!",
        STATIC,
    ),
    ("symbolic", "def f(x: Tensor[N, K], y: Tensor[M, K]) -> None:\n    x + y  #!", STATIC),
    ("symbolic", "def f(x: Tensor[N, K]) -> None:\n    x @ x  #!", STATIC),
    (
        "symbolic",
        "def f(x: Tensor[N, K]) -> None:\n    tad.reshape(x, (2, K.__name__ and 3))  #!",
        STATIC,
    ),
    ("symbolic run", "def f(x: Tensor[*B, K], w: Tensor[M, K]) -> None:\n    x @ w  #!", STATIC),
    ("symbolic run", "def f(x: Tensor[*B, K]) -> None:\n    x.mT  #!", STATIC),
    ("named", "def f(x: Tensor[Rows], y: Tensor[Columns]) -> None:\n    x + y  #!", STATIC),
    (
        "named",
        "def f(x: Tensor[Rows, Columns]) -> Tensor[Columns]:\n    return x.mean(axis=1)  #!",
        STATIC,
    ),
    ("dynamic", "def f(x: Tensor[Dyn, L[3]]) -> None:\n    x + a  #!", STATIC),
    ("unknown rank", "def f(x: Tensor) -> None:\n    x @ tad.ones((4, 3)) @ a  #!", STATIC),
    ("union", "def f(x: Tensor[L[3]] | Tensor[L[4]]) -> None:\n    x + v  #!", STATIC),
    ("grad", "tad.grad(column)  #!", STATIC),
    ("grad", "tad.grad(total)(a)  #!"),
    ("grad", "tad.grad(fit)(pair, a).w @ u.at[0].set(1.0) + u  #!"),
    ("grad", "tad.grad(fit, argnums=1)(pair, a) + m  #!"),
    ("grad", "tad.grad(fit, argnums=2)  #!", STATIC),
    ("grad", 'tad.grad(fit, wrt="p.w")(pair, a) + a  #!'),
    ("grad", 'tad.grad(fit, wrt="p.c")  #!', STATIC),
    ("grad", 'tad.grad(fit, wrt=["p", "x"])(pair, a)["x"] @ a  #!'),
    ("grad of a dataclass", "tad.grad(boxed)(Box(m), a).w + a  #!"),
    ("grad of a dict", 'tad.grad(keyed)({"w": m}, a)["w"] + a  #!'),
    ("value_and_grad", "tad.value_and_grad(total)(m)[1] + a  #!"),
    ("vjp", "tad.vjp(column)(m, u)  #!"),
    ("vjp", "tad.vjp(column, m)[1](u)  #!"),
    ("jvp", "tad.jvp(column)(m, a)  #!"),
    ("jvp", "tad.jvp(column, (m,), (a,))  #!"),
    ("linearize", "tad.linearize(column, m)[1](a)  #!"),
    ("jacobian", "tad.jacfwd(column)(m) + m.T  #!"),
    ("hessian", "tad.hessian(total)(m) @ a  #!"),
    ("hvp", "tad.hvp(total)(m, m) + a  #!"),
    ("vmap", "tad.vmap(column)(cube)  #!"),
    ("vmap", "tad.vmap(total, in_axes=1)(tad.ones((5, 9, 3))) + v  #!"),
    ("jit", "tad.jit(total)(a)  #!"),
    ("second order", "tad.grad(tad.grad(total))  #!", STATIC),
    (
        "cond",
        "def f(x: Tensor[L[3]]) -> Tensor[L[3]]: return x\ndef g(x: Tensor[L[3]]) -> Tensor[()]: return x.sum()\ntad.cond(u.sum() > 0.0, f, g, u)  #!",
    ),
    (
        "scan",
        "def f(c: Tensor[L[3]], x: Tensor[L[5]]) -> tuple[Tensor[()], Tensor[()]]: return c.sum(), x.sum()\ntad.scan(f, u, a)  #!",
    ),
    (
        "while_loop",
        "def f(c: Tensor[L[3]]) -> Tensor[L[3], L[3]]: return c + c[:, None]\ndef g(c: Tensor[L[3]]) -> BoolTensor[()]: return c.sum() < 9.0\ntad.while_loop(g, f, u)  #!",
    ),
    ("layer", "nn.Linear(4, 2)(a)  #!"),
    ("layer", "nn.Conv2d(4, 2, 3)(image)  #!"),
    ("layer", "nn.Linear(5, 0)  #!"),
    ("layer", "nn.LayerNorm(4)(a)  #!"),
    ("layer", "nn.MultiHeadAttention(5, 2)  #!"),
    ("Sequential", "nn.Sequential(nn.Linear(5, 2), nn.Tanh(), nn.Linear(3, 1))  #!"),
    ("Sequential", "nn.Sequential(nn.Linear(5, 2), nn.Linear(2, 1))(m)  #!"),
    ("own layer", "Dense(m)(m)  #!", STATIC),
    ("own layer", "nn.Sequential(Dense(m), nn.Linear(4, 1))(a)  #!"),
    ("kind", "tad.sin(at3)  #!", STATIC),
    ("kind", "tad.grad(total)(at3)  #!"),
]

GOOD: Final = [
    ("operators", "y: Tensor[L[7], L[5]] = 2.0 * a - a / v + a ** 2"),
    ("array-like", "y: Tensor[L[7], L[3]] = a @ m + [1.0, 2.0, 3.0]"),
    ("array-like", "y: Tensor[L[5]] = tad.exp(np.ones(5)) + v"),
    ("array-like", "y: Tensor[()] = tad.sqrt(2.0)\nz: Tensor[L[2]] = tad.exp([0.0, 1.0])"),
    ("comparison", "y: BoolTensor[L[7], L[5]] = (a > 0.0) & ~even"),
    (
        "kinds",
        "y: IntTensor[L[3]] = at3 + 1\nz: Tensor[L[3]] = at3 * 0.5\nk: IntTensor[L[7]] = a.argmax(axis=1)",
    ),
    ("reduction", "y: Tensor[L[7], L[1]] = a.sum(axis=1, keepdims=True)\nz: Tensor[()] = a.mean()"),
    ("unpacking", "n, k = a.shape\ny: Tensor[L[5], L[7]] = tad.zeros((k, n))"),
    (
        "sizes",
        "def f(x: Tensor[N, K]) -> Tensor[Mul[N, K]]:\n    n, k = x.shape\n    return x.reshape(n * k)",
    ),
    ("sizes", "y: Tensor[L[4], L[4]] = lower(4)\nz: Tensor[L[7], L[7]] = lower(a.shape[0])"),
    ("sizes", "def f(x: Tensor[Mul[L[3], N]]) -> Tensor[L[3], N]:\n    return x.reshape(3, -1)"),
    ("named", "y: Tensor[Width, L[2]] = tad.zeros((Width, 2))"),
    (
        "named",
        "def f(x: Tensor[Rows, Columns], y: Tensor[Columns]) -> Tensor[Rows]:\n    return x @ y",
    ),
    (
        "arithmetic",
        "def f(x: Tensor[N], y: Tensor[M]) -> Tensor[Add[M, N]]:\n    return tad.concat((x, y))",
    ),
    ("arithmetic", "def f(x: Tensor[N]) -> Tensor[Sub[N, L[1]]]:\n    return x[1:] - x[:-1]"),
    ("arithmetic", "def f(x: Tensor[N, L[4]]) -> Tensor[Mul[N, L[4]]]:\n    return tad.ravel(x)"),
    ("arithmetic", "y: Tensor[L[2]] = halves(tad.ones((4,)))"),
    (
        "arithmetic",
        "def f(x: Tensor[N, L[6]]) -> Tensor[N, Div[L[6], L[2]]]:\n    return x[:, ::2]",
    ),
    (
        "runs",
        "def f(x: Tensor[*B, K]) -> Tensor[*B, K]:\n    return nn.functional.softmax(x - x.max(axis=-1, keepdims=True), axis=-1)",
    ),
    ("runs", "def f(x: Tensor[*B, N, K]) -> Tensor[*B, N, N]:\n    return x @ x.mT"),
    (
        "runs",
        "def f(x: Tensor[*B, K]) -> Tensor[*B]:\n    return (x * x).sum(axis=-1) + affine(x, tad.ones((x.shape[-1], 2)))[..., 0]",
    ),
    (
        "index",
        "y: Tensor[L[5]] = a[0]\nz: Tensor[L[3], L[1], L[2]] = a[::3, None, 1:3]\nw: Tensor[()] = a[-1, -1]",
    ),
    (
        "index",
        "y: Tensor[L[3], L[5]] = a[at3]\nz: Tensor[L[7], L[3]] = a[:, at3]\nw: Tensor[L[3]] = a[at3, 0]",
    ),
    ("index", "for i in range(7):\n    y: Tensor[L[5]] = a[i]"),
    ("index", "for row in a:\n    y: Tensor[L[5]] = row"),
    ("mask", "y: Tensor[Dyn] = a[even]\nz: Tensor[Dyn, L[5]] = a[even[:, 0]]"),
    ("at", "y: Tensor[L[7], L[5]] = a.at[0].set(v).at[at3].add(1.0).at[even].set(0.0)"),
    ("einsum", 'y: Tensor[L[2], L[7], L[3]] = tad.einsum("bij,jk->bik", cube, m)'),
    (
        "joining",
        "y: Tensor[L[12], L[5]] = tad.concat([a, m @ m.T])\nz: Tensor[L[2], L[5]] = tad.stack([v, v])",
    ),
    ("list", "xs = [v for _ in range(3)]\ny: Tensor[Dyn, L[5]] = tad.stack(xs)"),
    (
        "creation",
        "y: Tensor[L[7], L[5]] = tad.zeros_like(a)\nz: IntTensor[L[4]] = tad.arange(4)\nw: Tensor[L[3], L[3]] = tad.eye(3)",
    ),
    (
        "dtype",
        "y: IntTensor[L[7], L[5]] = a.astype(tad.int64)\nz: BoolTensor[L[2]] = tad.zeros((2,), dtype=bool)",
    ),
    ("dynamic", "def f(n: int) -> Tensor[Dyn, L[5]]:\n    return tad.ones((n, 5)) + v"),
    ("dynamic", "def f(x: Tensor) -> Tensor[()]:\n    return (x @ x.mT).sum()"),
    (
        "optional",
        "def f(x: Tensor[N] | None) -> Tensor[()]:\n    return tad.ones(()) if x is None else x.sum()",
    ),
    ("loop", "y = a\nfor _ in range(3):\n    y = y * 0.5 + v\nz: Tensor[L[7], L[5]] = y"),
    ("program", "y: Tensor[L[2], L[7], L[3]] = affine(cube, m)\nz: Tensor[L[3]] = affine(v, m)"),
    ("grad", "y: Tensor[L[5], L[3]] = tad.grad(total)(m)\ng: Pair = tad.grad(fit)(pair, a)"),
    (
        "grad",
        "gp, gx = tad.grad(fit, argnums=(0, 1))(pair, a)\ny: Tensor[L[7], L[5]] = gx\nz: Tensor[L[3]] = gp.b",
    ),
    ("grad", "g, value = tad.grad(total, value=True)(m)\nz: Tensor[()] = value"),
    ("grad", 'y: Tensor[L[3]] = tad.grad(fit, wrt="p.b")(pair, a)'),
    ("grad", "b: Box = tad.grad(boxed)(Box(m), a)\nd: Dictionary = tad.grad(keyed)({'w': m}, a)"),
    (
        "transforms",
        "y: Tensor[L[5], L[5], L[3]] = tad.jacrev(column)(m)\nz: Tensor[L[5], L[3], L[5], L[3]] = tad.hessian(total)(m)",
    ),
    ("transforms", "y, back = tad.vjp(column, m)\n(g,) = back(v)\nz: Tensor[L[5], L[3]] = g"),
    (
        "transforms",
        "y: Tensor[L[5]] = tad.jvp(column)(m, m)\nz: Tensor[L[5], L[3]] = tad.vjp(column)(m, v)",
    ),
    (
        "transforms",
        "y: Tensor[L[9], L[5]] = tad.vmap(column)(tad.ones((9, 5, 3)))\nz: Tensor[L[9], L[5], L[3]] = tad.vmap(tad.grad(total))(tad.ones((9, 5, 3)))",
    ),
    ("transforms", "y: Tensor[L[5], L[3]] = tad.jit(tad.grad(total))(m)"),
    (
        "control",
        "def f(c: Tensor[L[3]], x: Tensor[L[5]]) -> tuple[Tensor[L[3]], Tensor[()]]: return c + x @ m, c.sum()\nc, ys = tad.scan(f, u, a)\ny: Tensor[L[7]] = ys\nz: Tensor[L[3]] = c",
    ),
    (
        "control",
        "def f(x: Tensor[L[3]]) -> Tensor[L[3]]: return x * 2.0\ny: Tensor[L[3]] = tad.cond(u.sum() > 0.0, f, f, u)",
    ),
    (
        "layers",
        "h = nn.Linear(5, 4)(a)\ny: Tensor[L[7], L[4]] = nn.functional.relu(h)\nz: Tensor[L[2], L[7], L[4]] = nn.Linear(5, 4)(cube)",
    ),
    (
        "layers",
        "c = nn.Conv2d(3, 4, 3, stride=2, padding=1)\ny: Tensor[L[2], L[4], L[4], L[4]] = c(image)",
    ),
    (
        "layers",
        "net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 2))\ny: Tensor[L[2], L[2]] = net(image)",
    ),
    ("own layer", "d = Dense(m)\ny: Tensor[L[7], L[3]] = d(a)\ng: Dense[L[5], L[3]] = d"),
]
