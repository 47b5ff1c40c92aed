"""Transforms as decorators, and of models: the types that are kept, by each checker."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mypy_plugin.checked import ROOT, Message, run_mypy

PRELUDE = """
from typing import Any, Generic, Literal as L, TypeVar, TypeVarTuple
import taglessad as tad
from taglessad import Tensor, nn
N = TypeVar("N")
K = TypeVar("K")
M = TypeVar("M")
B = TypeVarTuple("B")
"""

PROGRAM = f"""{PRELUDE}
@tad.jit
def dense(x: Tensor[*B, K], w: Tensor[K, M]) -> Tensor[*B, M]:
    return x @ w

@tad.jit
@tad.program
def marked(x: Tensor[*B, K], w: Tensor[K, M]) -> Tensor[*B, M]:
    return x @ w

@tad.vmap
def dot(x: Tensor[K], w: Tensor[K]) -> Tensor[()]:
    return x @ w

@tad.grad
def slope(x: Tensor[K], w: Tensor[K]) -> Tensor[()]:
    return x @ w

@tad.jit
@tad.grad
def quick(x: Tensor[K], w: Tensor[K]) -> Tensor[()]:
    return x @ w

@tad.checkpoint
def kept(x: Tensor[N]) -> Tensor[N]:
    return x

@tad.custom_vjp
def ruled(x: Tensor[N]) -> Tensor[N]:
    return x
ruled.defvjp(lambda x: (x, None), lambda r, g: (g,))

class Model(nn.Module):
    layer: nn.Linear[L[3], L[4]]
    def __call__(self, x: Tensor[N, L[3]]) -> Tensor[N, L[4]]:
        return self.layer(x)
    @tad.jit
    def fast(self, x: Tensor[N, L[3]]) -> Tensor[N, L[4]]:
        return self.layer(x)

def wave(t: Tensor[N]) -> Tensor[N]:
    return tad.sin(t)

def total(t: Tensor[N]) -> Tensor[()]:
    return tad.sum(t)

model = Model(nn.Linear(3, 4))
x, v, w = tad.ones((5, 3)), tad.ones(3), tad.ones((3, 2))
on_jax = tad.jit(wave, tad.interpreters.Jax(), donate_argnums=0)
on_jax.lower(v)
"""
# An expression, its type under the plugin without "taglessad.tensor.", and a call that is wrong.
CASES = [
    ("dense(x, w)", "Tensor[Literal[5], Literal[2]]", "dense(x, x)"),
    ("marked(x, w)", "Tensor[Literal[5], Literal[2]]", "marked(x, x)"),
    ("dot(x, x)", "Tensor[Literal[5]]", "dot(x, w)"),
    ("slope(v, v)", "Tensor[Literal[3]]", "slope(v, tad.ones(4))"),
    ("quick(v, v)", "Tensor[Literal[3]]", "quick(v, tad.ones(4))"),
    ("kept(v)", "Tensor[Literal[3]]", "kept(v) + tad.ones(4)"),
    ("ruled(v)", "Tensor[Literal[3]]", "ruled(v) @ x"),
    ("model.fast(x)", "Tensor[Literal[5], Literal[4]]", "model.fast(w)"),
    ("tad.jit(model)(x)", "Tensor[Literal[5], Literal[4]]", "tad.jit(model)(w)"),
    ("tad.jit(nn.Linear(3, 7))(v)", "Tensor[Literal[7]]", "tad.jit(nn.Linear(3, 7))(w)"),
    (
        "tad.vmap(model)(tad.ones((2, 5, 3)))",
        "Tensor[Literal[2], Literal[5], Literal[4]]",
        "tad.vmap(model)(x)",
    ),
    ("tad.linearize(model, x)[0]", "Tensor[Literal[5], Literal[4]]", "tad.linearize(model, w)"),
    (
        "tad.derivative(wave)(v, [v, v])",
        "Tensor[Literal[3]]",
        "tad.derivative(wave)(v, [v, tad.ones(4)])",
    ),
    ("tad.taylor(wave, 2)(v, v)", "list[Tensor[Literal[3]]]", "tad.taylor(wave, 2)(v, w)"),
    ("tad.taylor(wave, 2)(v, v, v)", "list[Tensor[Literal[3]]]", "tad.taylor(wave, 2)(v, v, w)"),
    ("tad.laplacian(total)(v)", "Tensor[()]", "tad.laplacian(wave)"),
    ("tad.hessian_diagonal(total)(v)", "Tensor[Literal[3]]", "tad.hessian_diagonal(wave)"),
    ("on_jax(v)", "Tensor[Literal[3]]", "on_jax(x)"),
    ("tad.with_kinks(wave, relu=1.0)(v)", "Tensor[Literal[3]]", "tad.no_grad(wave)(x)"),
]
UNKNOWN = """
def untyped(x, y): return x
@tad.jit
def half(x): return x
tad.jit(untyped)
tad.jit(lambda x: tad.sin(x))
tad.grad(untyped)
tad.vmap(lambda x: x)
tad.vmap(nn.Linear(3, 4))
tad.interpret(wave, tad.interpreters.Eager())
anything: Any = wave
tad.jit(anything)
tad.grad(anything)
"""
SILENT = """
tad.where_nan(wave)
tad.trace(wave)
tad.grad(wave)  # an error of its own, which is said once
@tad.vmap
@tad.grad
def twice(x: Tensor[N]) -> Tensor[N]: return x
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> list[Message]:
    lines = [f"reveal_type({good})\n{bad}\n" for good, _, bad in CASES]
    more = ("--enable-error-code", "shape-unknown")
    text = PROGRAM + "".join(lines) + UNKNOWN + SILENT
    return run_mypy(text, tmp_path_factory.mktemp("decorators"), options=more)


@pytest.mark.parametrize("i", range(len(CASES)), ids=[good for good, _, _ in CASES])
def test_the_type_is_kept(i: int, said: list[Message]) -> None:
    line = PROGRAM.count("\n") + 1 + 2 * i
    here = [m for m in said if m.line in (line, line + 1) and "is defined here" not in m.text]
    shown = here[0].text.replace("taglessad.tensor.", "").replace("builtins.", "")
    assert shown == f'Revealed type is "{CASES[i][1]}"', here
    (wrong,) = here[1:]
    assert (wrong.line, wrong.kind) == (line + 1, "error")
    assert wrong.code in ("shape", "arg-type")


def test_nothing_else_is_said(said: list[Message]) -> None:
    assert not [m for m in said if m.line <= PROGRAM.count("\n")]


def test_what_stays_unknown_is_said(said: list[Message]) -> None:
    first = PROGRAM.count("\n") + 2 * len(CASES) + 1
    lost = sorted({m.line - first for m in said if m.code == "shape-unknown"})
    # 2: a decorator's own line. Functions without annotations stand on 1 and 3.
    assert lost == [2, 4, 5, 6, 7, 8, 9, 11, 12], said
    behind = first + UNKNOWN.count("\n")
    assert [(m.line - behind, m.code) for m in said if m.line > behind] == [
        (3, "shape"),
        (4, "shape"),
    ]


# --- without the plugin ---------------------------------------------------------------------------
PLAIN = f"""{PROGRAM}
def scaled(x: Tensor[N, L[3]]) -> Tensor[N, L[4]]:
    return tad.jit(model)(x)

def both(x: Tensor[*B, K], w: Tensor[K, M]) -> Tensor[*B, M]:
    return dense(x, w)

def batch(x: Tensor[N, K]) -> Tensor:
    return tad.vmap(wave)(x)

def pushed(x: Tensor[N]) -> Tensor:
    return tad.derivative(wave)(x, [x])

def batch_of_trees(x: Tensor[N]) -> dict[str, Tensor]:
    found: dict[str, Tensor] = tad.vmap(tad.grad(lambda p: p["w"]))({{"w": x}})
    return found

tad.jit(lambda y: y)(v)
tad.vmap(lambda y: y)(v)
tad.no_grad(lambda y: y)(v)
tad.jit(wave)(3)  #!
marked(x)  #!
dense(x, w, w)  #!
"""


def wrong_lines() -> list[int]:
    return [i for i, line in enumerate(PLAIN.split("\n"), start=1) if line.endswith("#!")]


def test_mypy_alone(tmp_path: Path) -> None:
    # warn-return-any and disallow-untyped-calls are --strict's.
    found = run_mypy(
        PLAIN,
        tmp_path,
        plugin=False,
        options=("--warn-return-any", "--disallow-untyped-calls", "--disallow-untyped-decorators"),
    )
    assert [m.line for m in found if m.kind == "error"] == wrong_lines(), found


def test_pyright(tmp_path: Path) -> None:
    pytest.importorskip("basedpyright")
    program = tmp_path / "program.py"
    program.write_text(PLAIN)
    config = {"typeCheckingMode": "standard", "extraPaths": [str(ROOT)]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config))
    done = subprocess.run(
        [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable],
        cwd=tmp_path,
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    report = json.loads(done.stdout)["generalDiagnostics"]
    errors = [d for d in report if d["severity"] == "error"]
    assert [d["range"]["start"]["line"] + 1 for d in errors] == wrong_lines(), errors
