"""Branches, loops and derivatives inside random programs: the bodies are programs themselves.

A body may read all values before it, those of the programs around it too.
"""

from typing import Any

from tests.fuzz.registry import add

# --- branches and loops: the bodies are programs, and may read all values before them --------------
for _t in "svm":
    add(
        "control", f"s{_t}>{_t}", "cond",
        lambda L, k, p, x, f, g: L.cond(p + 0.041 > 0.0, f, g, x),
        (_t, _t), (_t, _t),
    )  # fmt: skip
    add(
        "control", f"s{_t}>{_t}", "switch",
        lambda L, k, p, x, f, g, h: L.switch(
            L.xp.clip(L.integer(3.0 * L.xp.abs(p + 0.041)), 0, 2), (f, g, h), x
        ),
        (_t, _t), (_t, _t), (_t, _t),
    )  # fmt: skip
    add(
        "control", f"{_t}>{_t}", "fori",
        lambda L, k, x, f: L.fori(0, k % 4, lambda i, c: f(c) + 0.1 * i, x),
        (_t, _t),
    )  # fmt: skip
    add(
        "control", f"s{_t}>{_t}", "while",
        lambda L, k, p, x, f: L.bounded_while(
            lambda c: L.xp.mean(c) < 0.3 * p + 0.017, f, x, k % 5
        ),
        (_t, _t),
    )  # fmt: skip
add(
    "control", "vm>v", "scan",
    lambda L, k, c, xs, f: L.scan(lambda c, x: (f(c, x), c), c, xs)[0],
    ("vv", "v"),
)  # fmt: skip
add(
    "control", "sv>v", "scan",
    lambda L, k, c, xs, f: L.scan(lambda c, x: (f(c, x), c * x), c, xs)[1],
    ("ss", "s"),
)  # fmt: skip
add("control", "m>m", "map", lambda L, k, xs, f: L.map(f, xs), ("v", "v"))
add(
    "control", "vm>m", "zip",
    lambda L, k, v, m, f: L.map(lambda p: f(p[0], p[1]), (v, m)),
    ("sv", "v"),
)  # fmt: skip
add("control", "vm>v", "reduce", lambda L, k, c, xs, f: L.reduce(f, c, xs), ("vv", "v"))
for _t in "svm":
    add(
        "control", f"{_t}>{_t}", "checkpoint of a body",
        lambda L, k, x, f: L.checkpoint(f)(x),
        (_t, _t),
    )  # fmt: skip

# --- loops and branches over trees ----------------------------------------------------------------


def _cond_tree(L: Any, k: int, p: Any, x: Any, y: Any, f: Any, g: Any) -> Any:
    found = L.cond(
        p > 0.023,
        lambda t: {"a": f(t["x"]), "b": (t["y"], t["x"])},
        lambda t: {"a": t["y"], "b": (g(t["y"]), t["x"] * t["y"])},
        {"x": x, "y": y},
    )
    return found["a"] * found["b"][0] + found["b"][1]


def _switch_tree(L: Any, k: int, p: Any, x: Any, y: Any, f: Any) -> Any:
    i = L.xp.clip(L.integer(3.0 * L.xp.abs(p + 0.041)), 0, 2)
    one = lambda x, y: (f(x), {"y": y})
    other = lambda x, y: (y * x, {"y": f(y)})
    a, b = L.switch(i, (one, other, lambda x, y: (y, {"y": x})), x, y)
    return a + b["y"] * 0.5


def _scan_tree(L: Any, k: int, c: Any, xs: Any, vs: Any, f: Any) -> Any:
    def step(c: Any, row: Any) -> Any:
        x, v = row
        y = f(c["c"], x)
        return {"c": y, "n": c["n"] + v}, (y * v, {"n": c["n"]})

    last, (ys, others) = L.scan(step, {"c": c, "n": vs[0]}, (xs, vs), reverse=k % 2 == 1)
    return last["c"] + last["n"] * L.xp.sum(ys, axis=0) + others["n"]


def _counted_scan(L: Any, k: int, x: Any, f: Any) -> Any:
    last, ys = L.scan(lambda c, _: (f(c), c), x, None, length=k % 3 + 1)
    return last + L.xp.sum(ys, axis=0)


def _while_tree(L: Any, k: int, p: Any, x: Any, y: Any, f: Any) -> Any:
    last = L.bounded_while(
        lambda t: (L.xp.mean(t[0]) < 0.3 * p + 0.217) & (t[1]["n"] < 3.2),
        lambda t: (f(t[0]) + 0.2 * t[1]["y"], {"y": t[0], "n": t[1]["n"] + 1.0}),
        (x, {"y": y, "n": 0.5}),
        k % 5,
    )
    return last[0] * last[1]["n"] + last[1]["y"]


def _nested(L: Any, k: int, x: Any, y: Any, f: Any) -> Any:
    def outer(i: Any, t: Any) -> Any:
        inner = lambda j, c: (f(c[0]) + 0.1 * i, c[1] + 0.2 * j * c[0])
        return L.fori(0, 2, inner, t)

    a, b = L.fori(0, k % 3, outer, (x, y))
    return a + b


def _rule_tree(L: Any, k: int, x: Any, y: Any) -> Any:
    found = L.pulled_tree({"a": x, "b": y})
    return found["p"] + 0.5 * found["q"][0]


def _checkpoint_tree(L: Any, k: int, x: Any, y: Any, f: Any) -> Any:
    found = L.checkpoint(lambda t: {"a": f(t[0]), "b": t[1]["y"] * t[0]})((x, {"y": y}))
    return found["a"] * found["b"]


for _t in "svm":
    add("tree", f"s{_t}{_t}>{_t}", "tree cond", _cond_tree, (_t, _t), (_t, _t))
    add("tree", f"s{_t}{_t}>{_t}", "tree switch", _switch_tree, (_t, _t))
    add("tree", f"s{_t}{_t}>{_t}", "tree while", _while_tree, (_t, _t))
    add("tree", f"{_t}{_t}>{_t}", "tree nested", _nested, (_t, _t))
    add("tree", f"{_t}{_t}>{_t}", "tree rule", _rule_tree)
    add("tree", f"{_t}{_t}>{_t}", "tree checkpoint", _checkpoint_tree, (_t, _t))
    add("control", f"{_t}>{_t}", "counted scan", _counted_scan, (_t, _t))
add("tree", "vmv>v", "tree scan", _scan_tree, ("vv", "v"))

# --- derivatives, batches and compiled functions inside a program ---------------------------------
for _t in "svm":
    add("transform", f"{_t}>{_t}", "grad", lambda L, k, x, f: L.grad(f)(x), (_t, "s"))
    add("transform", f"{_t}{_t}>{_t}", "jvp", lambda L, k, x, v, f: L.jvp(f, x, v), (_t, _t))
    add("transform", f"{_t}{_t}>{_t}", "vjp", lambda L, k, x, g, f: L.vjp(f, x, g), (_t, _t))
    add("transform", f"{_t}>{_t}", "jit", lambda L, k, x, f: L.jit(f)(x), (_t, _t))
add("transform", "v>m", "jacrev", lambda L, k, x, f: L.jacrev(f)(x), ("v", "v"))
add("transform", "v>m", "jacfwd", lambda L, k, x, f: L.jacfwd(f)(x), ("v", "v"))
add("transform", "m>m", "vmap", lambda L, k, x, f: L.vmap(f)(x), ("v", "v"))
add("transform", "mv>v", "vmap", lambda L, k, x, v, f: L.vmap(f)(x, v), ("vs", "s"))
add(
    "transform", "mv>v", "grad of vmap",
    lambda L, k, x, v, f: L.grad(lambda v: L.xp.sum(L.vmap(f)(x, v)))(v), ("vs", "s"),
)  # fmt: skip
add("transform", "m>m", "vmap of grad", lambda L, k, x, f: L.vmap(L.grad(f))(x), ("v", "s"))
