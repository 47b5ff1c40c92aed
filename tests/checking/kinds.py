"""Kinds of shape mistakes, and well-shaped programs: data for test_kinds.py.

Each case is (kind, code). The code is put behind PRELUDE, in a file of its own; every function in
it that is a program is marked. In BAD the line that ends in `#!` is the one to be reported.
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


def _program(parameters: str, *body: str, result: str = "Tensor") -> str:
    lines = "\n".join(f"    {line}" for line in body)
    return f"\n@tad.program\ndef f({parameters}) -> {result}:\n{lines}\n"


_LITERAL = "x: Tensor[L[4], L[2]], w: Tensor[L[2], L[3]], xs: Tensor[L[5], L[4], L[2]]"
_SYMBOLIC = "x: Tensor[N, K], w: Tensor[K, M], xs: Tensor[H, N, K]"
_CALLS = "p: Params, x: Tensor[L[4], L[2]], w: Tensor[L[2], L[3]]"


def _each(kind: str, *expressions: str, parameters: str) -> list[tuple[str, str]]:
    return [(kind, _program(parameters, f"return {e}  #!")) for e in expressions]


BAD: list[tuple[str, str]] = [
    *_each(
        "elementwise",
        "xs - tad.zeros((5, 1, 3))",
        "x + w",
        "tad.where(x > 0, x, w)",
        "tad.maximum(x, w)",
        "x * tad.zeros((3,))",
        "tad.atan2(xs, w)",
        parameters=_LITERAL,
    ),
    *_each(
        "elementwise, symbols",
        "x + w",
        "x - xs.sum(axis=0).T",
        "x * x.T",
        "tad.logaddexp(x, w)",
        "x + tad.zeros((2,))",
        parameters=_SYMBOLIC,
    ),
    *_each(
        "matmul",
        "x @ x",
        "w @ x",
        "x @ w.T",
        "xs @ tad.zeros((3, 2, 7))",
        "tad.matmul(x, tad.zeros((3,)))",
        "x @ x.sum()",
        "tad.vecdot(x, w)",
        "tad.tensordot(x, w, axes=2)",
        parameters=_LITERAL,
    ),
    *_each(
        "matmul, symbols",
        "x @ x",
        "w @ x",
        "xs @ w.T",
        "x.T @ w",
        "tad.tensordot(xs, w, axes=([0], [0]))",
        parameters=_SYMBOLIC,
    ),
    *_each(
        "axes",
        "x.sum(axis=2)",
        "tad.mean(x, axis=-3)",
        "tad.nn.functional.softmax(x, axis=2)",
        "tad.permute_dims(xs, (0, 1))",
        "tad.squeeze(x, axis=0)",
        "tad.expand_dims(x, axis=5)",
        "tad.sum(x, axis=1, keepdims=False) + x",
        "tad.cumulative_sum(x, axis=3)",
        "tad.sort(x, axis=2)",
        parameters=_LITERAL,
    ),
    *_each(
        "axes, symbols",
        "x - x.mean(axis=1)",
        "xs.sum(axis=3)",
        "tad.permute_dims(xs, (2, 1, 0)) + xs",
        "tad.squeeze(x, axis=1)",
        "tad.swapaxes(xs, 0, 1) + xs",
        parameters=_SYMBOLIC,
    ),
    *_each(
        "reshape",
        "tad.reshape(x, (3, 3))",
        "tad.reshape(x, (3, -1))",
        "tad.reshape(xs, (-1, -1))",
        "tad.broadcast_to(x, (4, 3))",
        parameters=_LITERAL,
    ),
    *_each(
        "reshape, symbols",
        "tad.reshape(x, (x.shape[0], 3))",
        "tad.reshape(xs, (x.shape[0], x.shape[0], -1))",
        "tad.reshape(x, (-1, 7))",
        "tad.broadcast_to(x, (x.shape[1], x.shape[0]))",
        parameters=_SYMBOLIC,
    ),
    *_each(
        "joining",
        "tad.concat((x, w))",
        "tad.concat((x, xs))",
        "tad.stack([x, w])",
        "tad.repeat(x, [1, 2, 3], axis=0)",
        parameters=_LITERAL,
    ),
    *_each(
        "joining, symbols",
        "tad.concat((x, w))",
        "tad.concat((x, w), axis=1)",
        "tad.stack([x, x.T])",
        "tad.concat((x, x)) + x",
        parameters=_SYMBOLIC,
    ),
    *_each(
        "indexing",
        "x[0, 0, 0]",
        "x[4]",
        "x[0] + xs[0, :, 1]",
        "x[:, 1:] + w",
        "x[tad.asarray([0, 1]), 0, 0]",
        "tad.take(x, tad.asarray([0, 1]), axis=2)",
        "x.at[0].set(tad.zeros((3,)))",
        parameters=_LITERAL,
    ),
    *_each(
        "indexing, symbols",
        "x[0, 0, 0]",
        "x[1:] + x",
        "x[:, 0] + w[0]",
        "x[None] + xs.T",
        parameters=_SYMBOLIC,
    ),
    *_each(
        "einsum",
        'tad.einsum("ij->ji", xs)',
        'tad.einsum("ij,jk->ik", x, x)',
        'tad.einsum("bij,bjk->bik", xs, xs)',
        'tad.einsum("ii->i", x)',
        parameters=_LITERAL,
    ),
    *_each(
        "einsum, symbols",
        'tad.einsum("ij,jk->ik", x, x)',
        'tad.einsum("bij,jk->bki", xs, w) + xs @ w',
        'tad.einsum("ij,ji->", x, x)',
        parameters=_SYMBOLIC,
    ),
    ("ragged", _program("x: Tensor[L[2]]", "return tad.tensor([[1.0, 2.0], [3.0]])  #!")),
    *_each(
        "neural",
        "tad.nn.functional.cross_entropy(tad.zeros((5, 10)), tad.zeros((4,), dtype=tad.int64))",
        "tad.nn.functional.mse(x, w)",
        "tad.nn.functional.log_softmax(x, axis=2)",
        parameters=_LITERAL,
    ),
    # --- the annotations themselves ---
    (
        "result",
        _program("p: Tensor[L[4], L[2]]", "return p.sum(axis=1)  #!", result="Tensor[L[2]]"),
    ),
    (
        "result, one of several",
        _program(
            "p: Tensor[N, K], q: Tensor[K]",
            "if p.ndim == 1:",
            "    return p",
            "y = p @ q",
            "return y * 2.0  #!",
            result="Tensor[K]",
        ),
    ),
    (
        "result, a sum of sizes",
        _program(
            "p: Tensor[N, K], q: Tensor[M, K]",
            "return tad.concat((p, q))  #!",
            result="Tensor[Mul[L[2], N], K]",
        ),
    ),
    (
        "result, a run of axes",
        _program(
            "p: Tensor[*B, N]",
            "return tad.sum(p, axis=-1, keepdims=True)  #!",
            result="Tensor[*B]",
        ),
    ),
    (
        "result, named",
        _program("p: Tensor[Batch, Time]", "return p  #!", result="Tensor[Time, Batch]"),
    ),
    (
        "result, named with a size",
        _program("p: Tensor[N, Hidden]", "return p.T  #!", result="Tensor[N, Hidden]"),
    ),
    (
        "result, a quotient",
        _program("p: Tensor[N, K]", "return p[::2]  #!", result="Tensor[Div[N, L[2]], K]"),
    ),
    (
        "result, a difference",
        _program("p: Tensor[N, K]", "return p[2:]  #!", result="Tensor[Sub[N, L[1]], K]"),
    ),
    (
        "result, kind",
        _program("p: Tensor[N]", "return p > 0.0  #!", result="Tensor[N]"),
    ),
    (
        "result, in a tuple",
        _program(
            "p: Tensor[N, K]",
            "return p.sum(axis=0), p.sum(axis=0)  #!",
            result="tuple[Tensor[K], Tensor[N]]",
        ),
    ),
    (
        "result, in a model",
        _program(
            "p: Layer[N, M]",
            "return Layer(p.w.T, p.b)  #!",
            result="Layer[N, M]",
        ),
    ),
    (
        "sizes",
        _program("n: Size[N], x: Tensor[M]", "return tad.zeros((n,)) + x  #!"),
    ),
    (
        "sizes, result",
        _program("n: Size[N]", "return tad.zeros((n, 2))  #!", result="Tensor[N, N]"),
    ),
    ("list", _program("xs: list[Tensor[N, K]]", "return xs[0] @ xs[1]  #!")),
    ("dict", _program("d: Weights, x: Tensor[N, L[3]]", 'return x @ d["w"]  #!')),
    ("model", _program("p: Layer[N, M], x: Tensor[K, M]", "return x @ p.w  #!")),
    ("rest", _program("*xs: Tensor[N, K]", "return xs[0] @ xs[1]  #!")),
    # --- calls of programs, and transforms ---
    *_each(
        "argument",
        "loss(p, w)",
        "loss(Params(p.w, x), x)",
        "rows(x) + x",
        "dense(x, w, w)",
        "dense(w, x, p.b)",
        "half(w[:1])",
        "half(p.b)",
        "square(x)",
        "rows(p.b)",
        parameters=_CALLS,
    ),
    *_each(
        "transforms",
        "tad.grad(rows)(w)",
        "tad.grad(square)(x)",
        "tad.grad(loss)(p, x).w + x",
        "tad.grad(loss, (0, 1))(p, x)[1] @ x",
        "tad.value_and_grad(square)(x)",
        "tad.jacrev(rows)(w) @ x",
        "tad.jacfwd(rows)(w) + x",
        "tad.hessian(square)(w) @ x",
        "tad.vmap(rows)(w)",
        "tad.vmap(square)(tad.zeros((4, 3, 2)))",
        "tad.jit(square)(x)",
        "tad.jvp(square, (w,), (x,))",
        "tad.vjp(rows)(w, x)",
        "tad.hvp(square)(w, x)",
        "loss(Params(p.w, tad.grad(loss)(p, x).w), x)",
        parameters=_CALLS,
    ),
    # --- control flow ---
    *_each(
        "control flow",
        "tad.cond(x.sum() > 0, lambda a: a, lambda a: a.T, x)",
        "tad.scan(lambda c, a: (c * x, a), x[0], x)[0]",
        "tad.scan(lambda c, a: (c + a, c), w[0], x)",
        "tad.while_loop(lambda c: c.sum() < 9.0, lambda c: c @ w, x)",
        "tad.fori_loop(0, 3, lambda i, c: c.T, x)",
        "tad.map(lambda a: a @ w.T, x)",
        "tad.reduce(lambda c, a: c + a, w[0], x)",
        "tad.scan(lambda c, a: (c, a[0] @ a[1]), x, (x, w))",
        parameters=_SYMBOLIC,
    ),
    (
        "loop",
        _program(
            "x: Tensor[N, K], ws: list[Tensor[K, M]]",
            "for w in ws:",
            "    x = x @ w  #!",
            "return x",
        ),
    ),
    (
        "helper",
        "\ndef helper(a, b):\n    return a @ b  #!\n"
        + _program("x: Tensor[N, K]", "return helper(x, x)"),
    ),
    (
        "lambda",
        _program("x: Tensor[N, K]", "g = lambda a: a + a.T  #!", "return g(x)"),
    ),
    (
        "sizes asked for",
        _program(
            "x: Tensor[N, K]",
            "y = x[0]",
            "for i in range(1, x.shape[0]):",
            "    y = y + x[:, i]  #!",
            "return y",
        ),
    ),
    (
        "axes, a program that asks for sizes",
        _program("x: Tensor[N, K]", "n = len(x)", "return x.sum(axis=2) * n  #!"),
    ),
]

GOOD: list[tuple[str, str]] = [
    ("elementwise", _program(_SYMBOLIC, "return x + x * 2.0 - 1", result="Tensor[N, K]")),
    ("broadcast", _program(_SYMBOLIC, "return xs * x", result="Tensor[H, N, K]")),
    (
        "broadcast of a column",
        _program("a: Tensor[N, L[1]], b: Tensor[M]", "return a + b", result="Tensor[N, M]"),
    ),
    ("scalar", _program(_SYMBOLIC, "return x / x.sum()", result="Tensor[N, K]")),
    ("matmul", _program(_SYMBOLIC, "return xs @ w", result="Tensor[H, N, M]")),
    (
        "sum",
        _program(
            _SYMBOLIC,
            "return x.sum(), x.sum(axis=0), tad.sum(x, axis=-1, keepdims=True)",
            result="tuple[Tensor[()], Tensor[K], Tensor[N, L[1]]]",
        ),
    ),
    (
        "normalise",
        _program(
            "x: Tensor[*B, K]",
            "return x - tad.mean(x, axis=-1, keepdims=True)",
            result="Tensor[*B, K]",
        ),
    ),
    (
        "transpose",
        _program(
            _SYMBOLIC,
            "return tad.permute_dims(xs, (2, 0, 1)), x.T",
            result="tuple[Tensor[K, H, N], Tensor[K, N]]",
        ),
    ),
    (
        "reshape",
        _program(_SYMBOLIC, "return tad.reshape(x, (-1,))", result="Tensor[Mul[N, K]]"),
    ),
    (
        "heads",
        _program(
            "x: Tensor[N, Mul[H, K]], h: Size[H]",
            "return tad.reshape(x, (x.shape[0], h, -1))",
            result="Tensor[N, H, K]",
        ),
    ),
    (
        "join",
        _program(
            "p: Tensor[N, K], q: Tensor[M, K]",
            "return tad.concat((p, q))",
            result="Tensor[Add[M, N], K]",
        ),
    ),
    ("gather", _program("x: Tensor[N, K], i: IntTensor[M]", "return x[i]", result="Tensor[M, K]")),
    (
        "mask",
        _program(
            "x: Tensor[N], m: BoolTensor[N]", "return tad.where(m, x, 0.0)", result="Tensor[N]"
        ),
    ),
    ("slice", _program("x: Tensor[N]", "return x[1:] - x[:-1]", result="Tensor[Sub[N, L[1]]]")),
    ("sizes", _program("n: Size[N]", "return tad.zeros((n, n))", result="Tensor[N, N]")),
    (
        "named",
        _program(
            "p: Tensor[Batch, Time], q: Tensor[Time]", "return p + q", result="Tensor[Batch, Time]"
        ),
    ),
    (
        "named with a size",
        _program(
            "p: Tensor[N, Hidden]", "return p @ tad.zeros((Hidden, 2))", result="Tensor[N, L[2]]"
        ),
    ),
    ("dynamic", _program("p: Tensor[Dyn, K], q: Tensor[N, K]", "return p + q")),
    ("any rank", _program("p: Tensor", "return p.sum()", result="Tensor[()]")),
    (
        "any rank, unpacked",
        _program("p: Tensor[*tuple[Any, ...]]", "return p.sum()", result="Tensor[()]"),
    ),
    (
        "gradient step",
        _program(
            _CALLS,
            "g = tad.grad(loss)(p, x)",
            "q = Params(p.w - 0.1 * g.w, p.b - 0.1 * g.b)",
            "return loss(q, x)",
            result="Tensor[()]",
        ),
    ),
    (
        "gradient of a model",
        _program(
            "p: Layer[N, M], x: Tensor[K, N]",
            "g = tad.grad(lambda q: ((x @ q.w + q.b) ** 2).sum())(p)",
            "return Layer(p.w - g.w, p.b - g.b)",
            result="Layer[N, M]",
        ),
    ),
    (
        "pull back",
        _program(
            "w: Tensor[N, M], v: Tensor[N]",
            "y, back = tad.vjp(rows, w)",
            "(ct,) = back(v)",
            "return ct",
            result="Tensor[N, M]",
        ),
    ),
    (
        "second order",
        _program(
            "v: Tensor[N]",
            "inner = lambda p: (p ** 3).sum()",
            "return tad.grad(lambda p: (tad.grad(inner)(p) ** 2).sum())(v)",
            result="Tensor[N]",
        ),
    ),
    (
        "jacobian",
        _program(
            "w: Tensor[N, M]",
            "return tad.jacrev(lambda a: a.sum(axis=1))(w)",
            result="Tensor[N, N, M]",
        ),
    ),
    ("batched", _program("w: Tensor[H, N, M]", "return tad.vmap(rows)(w)", result="Tensor[H, N]")),
    ("jitted", _program("w: Tensor[N, M]", "return tad.jit(rows)(w)", result="Tensor[N]")),
    (
        "positions",
        _program(
            "x: Tensor[N, K], e: Tensor[Dyn, K]",
            "odd = tad.arange(1, x.shape[0], 2)",
            "return x + e[tad.arange(x.shape[0])] + tad.eye(*x.shape), x[odd]",
            result="tuple[Tensor[N, K], Tensor[Div[N, L[2]], K]]",
        ),
    ),
    (
        "recurrence",
        _program(
            "xs: Tensor[Time, K], w: Tensor[K, K], c: Tensor[K]",
            "def step(c, x):",
            "    c = tad.tanh(c @ w + x)",
            "    return c, c.sum()",
            "last, sums = tad.scan(step, c, xs)",
            "again = tad.grad(lambda w: tad.scan(step, c, xs)[1].sum())(w)",
            "return last, sums, again",
            result="tuple[Tensor[K], Tensor[Time], Tensor[K, K]]",
        ),
    ),
    (
        "choices and loops",
        _program(
            "x: Tensor[N]",
            "x = tad.cond(x.sum() > 0.0, lambda a: a, lambda a: -a, x)",
            "x = tad.while_loop(lambda a: a.sum() < 9.0, lambda a: a * 2.0, x)",
            "return tad.fori_loop(0, 3, lambda i, a: a + 1.0, x)",
            result="Tensor[N]",
        ),
    ),
    (
        "loop",
        _program(
            "x: Tensor[N, K]",
            "for _ in range(3):",
            "    x = x + x",
            "return x",
            result="Tensor[N, K]",
        ),
    ),
    (
        "loop over entries",
        _program(
            "x: Tensor[N, K]",
            "y = x[0]",
            "for i in range(1, x.shape[0]):",
            "    y = y + x[i]",
            "return y",
            result="Tensor[K]",
        ),
    ),
    (
        "containers",
        _program(
            "d: Weights, x: Tensor[N, L[2]]",
            'return {"y": x @ d["w"]}',
            result="dict[str, Tensor[N, L[3]]]",
        ),
    ),
    (
        "optional",
        _program(
            "x: Tensor[N], b: Tensor[N] | None = None, *, scale: float = 2.0",
            "return (x if b is None else x + b) * scale",
            result="Tensor[N]",
        ),
    ),
    (
        "numbers",
        _program("x: Tensor[N], a: float, b: int", "return a * x + b", result="Tensor[N]"),
    ),
    (
        "a size of the result alone",
        _program("x: Tensor[N]", "return tad.zeros((5,))", result="Tensor[M]"),
    ),
    (
        "values asked for: left to the call",
        _program(
            "x: Tensor[N]",
            "if x[0] > 0:",
            "    return x",
            "return -x",
            result="Tensor[N]",
        ),
    ),
]
