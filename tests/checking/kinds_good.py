"""Well-shaped programs."""

from tests.checking.kinds import CALLS, SYMBOLIC, program

GOOD: list[tuple[str, str]] = [
    ("elementwise", program(SYMBOLIC, "return x + x * 2.0 - 1", result="Tensor[N, K]")),
    ("broadcast", program(SYMBOLIC, "return xs * x", result="Tensor[H, N, K]")),
    (
        "broadcast of a column",
        program("a: Tensor[N, L[1]], b: Tensor[M]", "return a + b", result="Tensor[N, M]"),
    ),
    ("scalar", program(SYMBOLIC, "return x / x.sum()", result="Tensor[N, K]")),
    ("matmul", program(SYMBOLIC, "return xs @ w", result="Tensor[H, N, M]")),
    (
        "sum",
        program(
            SYMBOLIC,
            "return x.sum(), x.sum(axis=0), tad.sum(x, axis=-1, keepdims=True)",
            result="tuple[Tensor[()], Tensor[K], Tensor[N, L[1]]]",
        ),
    ),
    (
        "normalise",
        program(
            "x: Tensor[*B, K]",
            "return x - tad.mean(x, axis=-1, keepdims=True)",
            result="Tensor[*B, K]",
        ),
    ),
    (
        "transpose",
        program(
            SYMBOLIC,
            "return tad.permute_dims(xs, (2, 0, 1)), x.T",
            result="tuple[Tensor[K, H, N], Tensor[K, N]]",
        ),
    ),
    (
        "reshape",
        program(SYMBOLIC, "return tad.reshape(x, (-1,))", result="Tensor[Mul[N, K]]"),
    ),
    (
        "heads",
        program(
            "x: Tensor[N, Mul[H, K]], h: Size[H]",
            "return tad.reshape(x, (x.shape[0], h, -1))",
            result="Tensor[N, H, K]",
        ),
    ),
    (
        "join",
        program(
            "p: Tensor[N, K], q: Tensor[M, K]",
            "return tad.concat((p, q))",
            result="Tensor[Add[M, N], K]",
        ),
    ),
    ("gather", program("x: Tensor[N, K], i: IntTensor[M]", "return x[i]", result="Tensor[M, K]")),
    (
        "mask",
        program(
            "x: Tensor[N], m: BoolTensor[N]", "return tad.where(m, x, 0.0)", result="Tensor[N]"
        ),
    ),
    ("slice", program("x: Tensor[N]", "return x[1:] - x[:-1]", result="Tensor[Sub[N, L[1]]]")),
    ("sizes", program("n: Size[N]", "return tad.zeros((n, n))", result="Tensor[N, N]")),
    (
        "named",
        program(
            "p: Tensor[Batch, Time], q: Tensor[Time]", "return p + q", result="Tensor[Batch, Time]"
        ),
    ),
    (
        "named with a size",
        program(
            "p: Tensor[N, Hidden]", "return p @ tad.zeros((Hidden, 2))", result="Tensor[N, L[2]]"
        ),
    ),
    ("dynamic", program("p: Tensor[Dyn, K], q: Tensor[N, K]", "return p + q")),
    ("any rank", program("p: Tensor", "return p.sum()", result="Tensor[()]")),
    (
        "any rank, unpacked",
        program("p: Tensor[*tuple[Any, ...]]", "return p.sum()", result="Tensor[()]"),
    ),
    (
        "gradient step",
        program(
            CALLS,
            "g = tad.grad(loss)(p, x)",
            "q = Params(p.w - 0.1 * g.w, p.b - 0.1 * g.b)",
            "return loss(q, x)",
            result="Tensor[()]",
        ),
    ),
    (
        "gradient of a model",
        program(
            "p: Layer[N, M], x: Tensor[K, N]",
            "g = tad.grad(lambda q: ((x @ q.w + q.b) ** 2).sum())(p)",
            "return Layer(p.w - g.w, p.b - g.b)",
            result="Layer[N, M]",
        ),
    ),
    (
        "pull back",
        program(
            "w: Tensor[N, M], v: Tensor[N]",
            "y, back = tad.vjp(rows, w)",
            "(ct,) = back(v)",
            "return ct",
            result="Tensor[N, M]",
        ),
    ),
    (
        "second order",
        program(
            "v: Tensor[N]",
            "inner = lambda p: (p ** 3).sum()",
            "return tad.grad(lambda p: (tad.grad(inner)(p) ** 2).sum())(v)",
            result="Tensor[N]",
        ),
    ),
    (
        "jacobian",
        program(
            "w: Tensor[N, M]",
            "return tad.jacrev(lambda a: a.sum(axis=1))(w)",
            result="Tensor[N, N, M]",
        ),
    ),
    ("batched", program("w: Tensor[H, N, M]", "return tad.vmap(rows)(w)", result="Tensor[H, N]")),
    ("jitted", program("w: Tensor[N, M]", "return tad.jit(rows)(w)", result="Tensor[N]")),
    (
        "positions",
        program(
            "x: Tensor[N, K], e: Tensor[Dyn, K]",
            "odd = tad.arange(1, x.shape[0], 2)",
            "return x + e[tad.arange(x.shape[0])] + tad.eye(*x.shape), x[odd]",
            result="tuple[Tensor[N, K], Tensor[Div[N, L[2]], K]]",
        ),
    ),
    (
        "recurrence",
        program(
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
        program(
            "x: Tensor[N]",
            "x = tad.cond(x.sum() > 0.0, lambda a: a, lambda a: -a, x)",
            "x = tad.while_loop(lambda a: a.sum() < 9.0, lambda a: a * 2.0, x)",
            "return tad.fori_loop(0, 3, lambda i, a: a + 1.0, x)",
            result="Tensor[N]",
        ),
    ),
    (
        "loop",
        program(
            "x: Tensor[N, K]",
            "for _ in range(3):",
            "    x = x + x",
            "return x",
            result="Tensor[N, K]",
        ),
    ),
    (
        "loop over entries",
        program(
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
        program(
            "d: Weights, x: Tensor[N, L[2]]",
            'return {"y": x @ d["w"]}',
            result="dict[str, Tensor[N, L[3]]]",
        ),
    ),
    (
        "optional",
        program(
            "x: Tensor[N], b: Tensor[N] | None = None, *, scale: float = 2.0",
            "return (x if b is None else x + b) * scale",
            result="Tensor[N]",
        ),
    ),
    (
        "numbers",
        program("x: Tensor[N], a: float, b: int", "return a * x + b", result="Tensor[N]"),
    ),
    (
        "a size of the result alone",
        program("x: Tensor[N]", "return tad.zeros((5,))", result="Tensor[M]"),
    ),
    (
        "values asked for: left to the call",
        program(
            "x: Tensor[N]",
            "if x[0] > 0:",
            "    return x",
            "return -x",
            result="Tensor[N]",
        ),
    ),
]
