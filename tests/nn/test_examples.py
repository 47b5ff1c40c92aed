"""The examples of docs/examples: they learn, they fit every size, and mypy sees a bug of one letter."""

import ast
import dataclasses
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import taglessad as tad

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"
CONFIG = """
[mypy]
strict = true
plugins = taglessad.mypy_plugin
allow_redefinition = true
follow_imports = silent
"""


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look annotations up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(name="gpt", scope="module")
def gpt_example() -> ModuleType:
    return example("gpt_block")


@pytest.fixture(name="unet", scope="module")
def unet_example() -> ModuleType:
    return example("unet")


def test_they_learn(gpt: ModuleType, unet: ModuleType) -> None:
    for module in (gpt, unet):
        losses = module.train(8)
        assert np.isfinite(losses).all()
        assert losses[-1] < 0.8 * losses[0]


def test_a_position_sees_none_behind_it(gpt: ModuleType) -> None:
    model = gpt.gpt(8, 11, 2, 4, 2, np.random.default_rng(0))
    ids = np.random.default_rng(1).integers(0, 8, (2, 6))
    other = ids.copy()
    other[:, 4:] = (other[:, 4:] + 1) % 8
    y, z = np.asarray(model(tad.asarray(ids))), np.asarray(model(tad.asarray(other)))
    np.testing.assert_array_equal(y[:, :4], z[:, :4])
    assert (y[:, 4:] != z[:, 4:]).any()


def test_they_fit_every_size(gpt: ModuleType, unet: ModuleType) -> None:
    shape = tad.interpreters.Shape()
    b, t, n, h, w = tad.symbols("B T N H W")
    model = gpt.gpt(8, 11, 2, 4, 1, np.random.default_rng(0))
    ids = tad.Spec((b, t), tad.int64)
    assert tad.interpret(model, shape)(ids) == (b, t, 8)
    found = tad.interpret(lambda i: tad.grad(gpt.loss)(model, i, i), shape)(ids)
    assert found.blocks[0].attention.qkv.w == (8, 24)
    net = unet.unet(3, 4, 2, np.random.default_rng(0))
    assert tad.interpret(net, shape)((n, 3, 4 * h, 4 * w)) == (n, 2, 4 * h, 4 * w)


def test_gradients_of_the_unet(unet: ModuleType) -> None:
    rng = np.random.default_rng(0)
    model = unet.unet(1, 2, 1, rng)
    x, inside = rng.standard_normal((2, 1, 8, 4)), rng.random((2, 1, 8, 4))

    g = tad.grad(unet.loss)(model, x, inside)
    direction = rng.standard_normal(model.coarse.w.shape)
    step = 2.0**-17
    values = []
    for t in (step, -step):
        coarse = dataclasses.replace(model.coarse, w=model.coarse.w + t * direction)
        values.append(float(unet.loss(dataclasses.replace(model, coarse=coarse), x, inside)))
    slope = float(np.sum(np.asarray(g.coarse.w) * direction))
    assert slope == pytest.approx((values[0] - values[1]) / (2 * step), rel=1e-6)


BUGS = [
    ("gpt_block", "(b, t, 3, self", "(b, t, 2, self", "reshape: [B, T, 3*H*K] has"),
    ("gpt_block", "(2, 0, 3, 1, 4)", "(2, 0, 1, 3, 4)", "Tensor[Literal[3], B, H, T, K]"),
    ("gpt_block", "(0, 2, 1, 3)", "(0, 1, 2, 3)", "Tensor[B, T, H, K]"),
    ("gpt_block", "Linear(4 * n, n", "Linear(5 * n, n", "Linear["),
    ("gpt_block", "ids.shape[1]", "ids.shape[0]", "add: shapes [B, T, H*K] and [B, H*K]"),
    ("text", "nn.Linear(n, 4 * n", "nn.Linear(n, 3 * n", "Block: argument 'wide'"),
    ("unet", "larger, seen], axis=1", "larger, seen], axis=2", "Out and 2*Out are different"),
    ("unet", "self.w, padding=1", "self.w, padding=2", "expected"),
    ("unet", "self.w, stride=2", "self.w, stride=3", "concat: shapes [N, Out, 3*H - 1"),
    ("unet", "max_pool2d(middle, 2)", "max_pool2d(middle, 3)", "Up: argument 'seen'"),
    ("unet", "(coarse, middle)", "(coarse, fine)", "Up: argument 'seen'"),
    ("unet", "up(4 * features, 2", "up(3 * features, 2", "UNet: argument 'up_middle'"),
]


def statement(text: str, line: int) -> range:
    """The lines of the innermost statement around a line, and the next: what takes its result."""
    around = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    inner = max(around, key=lambda node: node.lineno)
    return range(inner.lineno, (inner.end_lineno or 0) + 2)


@pytest.mark.slow
def test_mypy_passes_the_examples_and_reports_a_bug_of_one_letter_on_its_line(
    tmp_path: Path,
) -> None:
    (tmp_path / "mypy.ini").write_text(CONFIG)
    places: dict[str, tuple[range, str]] = {}
    for i, (name, right, wrong, message) in enumerate(BUGS):
        text = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
        assert text.count(right) == 1, right
        file = f"bug_{i}.py"
        (tmp_path / file).write_text(text.replace(right, wrong))
        places[file] = statement(text, text[: text.index(right)].count("\n") + 1), message
    for name in ("gpt_block", "text", "unet"):
        (tmp_path / f"{name}.py").write_text((EXAMPLES / f"{name}.py").read_text(encoding="utf-8"))
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--no-error-summary", "--no-pretty"),
            *("--cache-dir", str(ROOT / ".mypy_cache" / "examples")),
            *sorted(p.name for p in tmp_path.glob("*.py")),
        ],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(ROOT), "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 1, done.stdout + done.stderr
    lines = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert {line.split(":")[0] for line in lines} == set(places)
    for file, (where, message) in places.items():
        said = [text for text in lines if text.startswith(f"{file}:")]
        near = [text for text in said if int(text.split(":")[1]) in where]
        assert any(message in text for text in near), (where, said)
