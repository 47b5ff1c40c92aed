"""Property tests for users: what the strategies draw, and what a failure says."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import taglessad as tad
from taglessad.errors import AdjointError, ArgumentError
from taglessad.primitive import PRIMITIVES
from taglessad.proofs_checks import prove_mutants, strategies
from taglessad.proofs_checks.mutants import planted
from taglessad.proofs_checks.strategies_located import located

ROOT = Path(__file__).parents[2]
quick = settings(
    deadline=None,
    database=None,
    derandomize=True,
    max_examples=25,
    suppress_health_check=list(HealthCheck),
)


# --- what is drawn -------------------------------------------------------------------------------
@given(strategies.broadcastable(3))
@quick
def test_shapes_broadcast(shapes: tuple[tuple[int, ...], ...]) -> None:
    np.broadcast_shapes(*shapes)
    assert len(shapes) == 3


@given(strategies.tensors(low=1.0, high=3.0), strategies.tensors((2, 2), apart=0.25))
@quick
def test_tensors(x: np.ndarray, y: np.ndarray) -> None:
    assert x.dtype == np.float64 and np.all((x >= 1) & (x <= 3))
    gaps = np.diff(np.sort(np.append(y.ravel(), 0.0)))
    assert y.shape == (2, 2) and np.all(gaps >= 0.25 - 1e-12)


def test_tensors_without_room() -> None:
    with pytest.raises(ArgumentError, match=r"9 numbers 1.0 apart do not fit between -2.0 and 2.0"):
        strategies.check_laws(tad.abs, strategies.tensors((9,), apart=1.0))


@given(strategies.trees({"w": np.zeros((2, 3)), "names": "abc", "n": 3}))
@quick
def test_trees(tree: Any) -> None:
    assert tree["w"].shape == (2, 3) and tree["names"] == "abc" and tree["n"] == 3


@given(strategies.programs(), strategies.tensors((2, 2)), strategies.tensors((2, 2)))
@quick
def test_programs_under_transforms(f: Any, x: np.ndarray, y: np.ndarray) -> None:
    forward, reverse = tad.jacfwd(f, (0, 1))(x, y), tad.grad(f, (0, 1))(x, y)
    for a, b in zip(forward, reverse, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(tad.jit(f)(x, y), f(x, y), rtol=1e-13)
    assert re.match(r"Program\(2 arguments; v2 = \w+\(\d,", repr(f))


# --- the property test ---------------------------------------------------------------------------
def test_lawful_functions_and_models() -> None:
    strategies.check_laws(tad.special.erf, strategies.tensors(), order=2, examples=5)
    model = {"w": np.zeros((2, 3)), "b": np.zeros(2)}
    loss = lambda m, x: tad.sum(tad.tanh(m["w"] @ x + m["b"]) ** 2)
    strategies.check_laws(loss, strategies.trees(model), strategies.tensors((3,)), examples=5)


def test_points_outside_the_domain_are_passed_over() -> None:
    strategies.check_laws(tad.log, strategies.tensors((1,), low=0.0, high=2.0), examples=10)


@tad.custom_vjp
def cube(x: Any) -> Any:
    return x * x * x


cube.defvjp(lambda x: (x * x * x, x), lambda x, g: (3.1 * g * x * x,))


def test_a_failure_shrinks_and_names_the_operation() -> None:
    with pytest.raises(AdjointError) as caught:
        strategies.check_laws(lambda x: tad.sum(cube(tad.sin(x))), strategies.tensors())
    message = str(caught.value)
    assert "the operation is custom_vjp(cube) at" in message and "test_strategies.py" in message
    assert "<push(d), g> =" in message
    shape = re.search(r"at \(array\((.*)\)\)", message)
    assert shape is not None and np.size(eval(shape[1])) == 1  # no larger than it need be


def test_a_failure_names_the_pair_and_the_element() -> None:
    prim = PRIMITIVES["cumulative_prod"]
    wrong = next(f for f in prove_mutants.faults(prim) if f.kind == "pull sign flipped")
    program = lambda x: tad.cumulative_prod(x + 3.0)
    with planted(prim, wrong), pytest.raises(AdjointError) as caught:
        strategies.check_laws(program, strategies.tensors((2,)), examples=5)
    message = str(caught.value)
    assert re.search(r"<jvp\(x, dx\), d> = -?[\d.]+, <dx, vjp\(x, d\)> = -?[\d.]+", message)
    assert "the operation is cumulative_prod" in message
    assert re.search(r"the element is \[[01]\] of argument leaf 0: forward .*, reverse", message)


def test_nothing_to_locate() -> None:
    assert located(tad.sin, (np.ones(3),)) == "each operation alone is adjoint at this point"


# --- pytest, and hypothesis missing --------------------------------------------------------------
SUITE = """
import taglessad as tad

def test_good(check_laws):
    check_laws(tad.sin, examples=3)

def test_bad(check_laws):
    @tad.custom_jvp
    def f(x):
        return x * x
    f.defjvp(lambda primals, tangents: (f(*primals), 3.0 * primals[0] * tangents[0]))
    check_laws(f, examples=3)
"""


def test_the_fixture(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text(SUITE)
    command = [
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
        *("-p", "taglessad.checking.pytest_plugin"),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert "the operation is custom_jvp(f)" in done.stdout


def test_without_hypothesis() -> None:
    text = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "import taglessad as tad\n"
        "try:\n    tad.checks.strategies\n"
        "except tad.errors.MissingExtra as e:\n    print(e)\n"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert "needs hypothesis: pip install hypothesis" in done.stdout


def test_a_strategy_is_taken_as_it_is() -> None:
    strategies.check_laws(
        lambda x, n: x**n, strategies.tensors((2,)), st.integers(1, 3), examples=5
    )
