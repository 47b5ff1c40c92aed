"""The training example: NumPy and JAX alike, and on from where it was killed."""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("jax")
pytest.importorskip("sklearn")
pytest.importorskip("safetensors")
from taglessad.interpreters import Jax  # noqa: E402

SOURCE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "digits.py"


@pytest.fixture(scope="module")
def digits() -> Any:
    spec = importlib.util.spec_from_file_location("digits_example", SOURCE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_numpy_and_jax_learn_alike(digits: Any, tmp_path: Path) -> None:
    ours = digits.train(tmp_path / "numpy", 3)
    theirs = digits.train(tmp_path / "jax", 3, Jax())
    np.testing.assert_allclose(theirs, ours, rtol=1e-3)
    assert ours[-1] < 0.5 * ours[0]


@pytest.mark.parametrize("interpreter", [None, Jax()], ids=["numpy", "jax"])
def test_it_goes_on_where_it_was_killed(digits: Any, tmp_path: Path, interpreter: Any) -> None:
    whole = digits.train(tmp_path / "whole", 3, interpreter)
    first = digits.train(tmp_path / "parts", 1, interpreter)
    assert first + digits.train(tmp_path / "parts", 3, interpreter) == whole
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()


def test_as_a_script(digits: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    digits.main(["--epochs", "5", "--file", str(tmp_path / "t"), "--jax"])
    assert float(capsys.readouterr().out.split()[-1]) > 0.85
