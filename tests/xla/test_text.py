"""The example that learns a text: NumPy and JAX alike, killed and gone on with, optax and orbax."""

import importlib.util
import io
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax")
pytest.importorskip("safetensors")
import taglessad as tad  # noqa: E402  # after the skip
from taglessad import errors, optim  # noqa: E402  # after the skip
from taglessad.interpreters import Jax  # noqa: E402  # after the skip

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "docs" / "examples" / "text.py"


def load_example() -> Any:
    spec = importlib.util.spec_from_file_location("text_example", SOURCE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look annotations up
    spec.loader.exec_module(module)
    return module


example = load_example()
TEXT = example.text_of("".join(f"{n} and {n + 1} make {2 * n + 1}; " for n in range(100)))
TINY = example.Sizes(features=8, heads=2, depth=1, window=8, batch=4, steps=12, dropout=0.2)
INTERPRETERS = {"numpy": None, "jax": Jax()}


def trained(file: Path, interpreter: str = "numpy", steps: int = 12, **changed: Any) -> Any:
    sizes = TINY._replace(steps=steps, **changed)
    return example.train(file, TEXT, sizes, INTERPRETERS[interpreter], every=1)


def close(got: Any, want: Any, rtol: float) -> None:
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=rtol, atol=rtol)


@pytest.fixture(scope="module")
def on_jax(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """A training on JAX in float64, and a folder with its file as it was after every step."""
    folder = tmp_path_factory.mktemp("jax")
    save = tad.save

    def kept(path: Path, tree: Any) -> None:
        save(path, tree)
        shutil.copy(path, folder / str(int(tree.step)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tad, "save", kept)
        return trained(folder / "whole", "jax", dtype="float64"), folder


def test_numpy_and_jax_have_the_same_losses(on_jax: tuple[Any, Path], tmp_path: Path) -> None:
    """Dropout included: the random numbers are the same."""
    theirs, _ = on_jax
    ours = trained(tmp_path / "file", dtype="float64")
    np.testing.assert_allclose(theirs.losses, ours.losses, rtol=1e-10)
    close(theirs.model, ours.model, rtol=1e-9)
    assert len(set(ours.losses)) == TINY.steps


def test_it_learns_more_than_frequencies(tmp_path: Path) -> None:
    sizes = TINY._replace(features=16, batch=16, steps=150, rate=0.02, dropout=0.0)
    after = example.train(tmp_path / "file", TEXT, sizes, every=150)
    assert np.mean(after.losses[-20:]) < 0.5 * example.entropy(TEXT.train)


def test_entropy_is_that_of_frequencies() -> None:
    assert example.entropy(np.asarray([0, 1, 0, 1])) == pytest.approx(np.log(2))


def test_every_piece_is_read_once_an_epoch() -> None:
    count = (len(TEXT.train) - 1) // TINY.window
    firsts = [example.chosen(TEXT, TINY, p) for p in range(0, 2 * count + TINY.batch, TINY.batch)]
    read = np.concatenate(firsts)
    assert set(read[:count]) == set(read[count : 2 * count]) == set(range(count))
    assert (read[:count] != read[count : 2 * count]).any()
    pieces = example.windows(TEXT.train, TINY.window, np.arange(3))
    np.testing.assert_array_equal(pieces[:-1, -1], pieces[1:, 0])


# --- killed and gone on with -----------------------------------------------------------------------
KILLED_WHILE_WRITING = """
import os, signal
from pathlib import Path
from tests.xla.test_text import trained

left = 5
def fsync(descriptor):
    global left
    left -= 1
    if left == 0:
        os.ftruncate(descriptor, os.fstat(descriptor).st_size // 2)
        os.kill(os.getpid(), signal.SIGKILL)

os.fsync = fsync
trained(Path({file!r}))
"""
RUNNING = """
from pathlib import Path
from tests.xla.test_text import trained

trained(Path({file!r}), steps={steps})
"""
needs_sigkill = pytest.mark.skipif(
    not hasattr(signal, "SIGKILL"), reason="this system cannot kill as POSIX does"
)


@needs_sigkill
def test_killed_in_the_middle_of_writing(tmp_path: Path) -> None:
    file = tmp_path / "parts"
    code = KILLED_WHILE_WRITING.format(file=str(file))
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert len(list(tmp_path.glob(".parts.*"))) == 1  # half a file, beside the whole one
    assert int(tad.load(file)["step"]) == 4
    rest = trained(file)
    whole = trained(tmp_path / "whole")
    assert rest.losses.tolist() == whole.losses.tolist()
    assert file.read_bytes() == (tmp_path / "whole").read_bytes()


@needs_sigkill
def test_killed_at_any_moment(tmp_path: Path) -> None:
    """From outside, as soon as there is a file: more often than not within a step."""
    file, steps = tmp_path / "parts", 300
    code = RUNNING.format(file=str(file), steps=steps)
    child = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 60
        while not file.exists() and child.poll() is None and time.monotonic() < until:
            time.sleep(0.001)
    finally:
        child.kill()
        child.wait()
    assert child.returncode == -signal.SIGKILL
    assert 0 < int(tad.load(file)["step"]) < steps
    rest = trained(file, steps=steps)
    whole = trained(tmp_path / "whole", steps=steps)
    assert rest.losses.tolist() == whole.losses.tolist()
    assert file.read_bytes() == (tmp_path / "whole").read_bytes()


def test_on_jax_too_it_goes_on_with_the_same_numbers(on_jax: tuple[Any, Path]) -> None:
    whole, folder = on_jax
    rest = trained(folder / "5", "jax", dtype="float64")
    assert rest.losses.tolist() == whole.losses.tolist()
    assert (folder / "5").read_bytes() == (folder / "whole").read_bytes()


def test_begun_on_jax_and_ended_on_numpy(on_jax: tuple[Any, Path]) -> None:
    whole, folder = on_jax
    rest = trained(folder / "6", dtype="float64")
    assert rest.losses[:6].tolist() == whole.losses[:6].tolist()
    np.testing.assert_allclose(rest.losses[6:], whole.losses[6:], rtol=1e-10)


def test_the_file_of_another_training_is_refused(tmp_path: Path) -> None:
    trained(tmp_path / "file", steps=2)
    with pytest.raises(ValueError, match="of another text or of other sizes"):
        trained(tmp_path / "file", steps=2, rate=1e-3)
    with pytest.raises(errors.ShapeError, match=r"losses is float64 \[2\] in the file"):
        trained(tmp_path / "file", steps=3)


# --- as JAX's tree ---------------------------------------------------------------------------------
def batches(count: int) -> list[Any]:
    chosen = [example.chosen(TEXT, TINY, i * TINY.batch) for i in range(count)]
    return [example.windows(TEXT.train, TINY.window, which) for which in chosen]


@pytest.fixture(scope="module")
def by_optax() -> tuple[Any, Any]:
    """A model with the state of optax.adamw and a key; and a step, compiled by JAX."""
    optax = pytest.importorskip("optax")
    optimiser = optax.adamw(0.01, weight_decay=0.1)

    @jax.jit
    def step(training: Any, ids: Any) -> Any:
        model, state, key = training
        after, own = tad.random.split(key)
        g = tad.grad(example.loss)(model, ids[:, :-1], ids[:, 1:], own)
        updates, state = optimiser.update(g, state, model)
        return optax.apply_updates(model, updates), state, after

    model, _, key, *_ = example.start(TEXT, TINY._replace(dtype="float64"))
    with jax.enable_x64(True):
        return (model, optimiser.init(model), key), step


def test_adamw_of_optax_moves_the_model_as_ours_does(by_optax: tuple[Any, Any]) -> None:
    theirs, run = by_optax
    ours = optim.adamw(0.01, weight_decay=0.1)
    model, _, key = theirs
    state, step = ours.init(model), example.step_of(ours)
    for ids in batches(5):
        model, state, key, _ = step(model, state, key, tad.asarray(ids))
        with jax.enable_x64(True):
            theirs = run(theirs, ids)
    assert type(theirs[0]) is type(model)
    close(theirs[0], model, rtol=1e-10)


def test_a_checkpoint_of_orbax_goes_on_without_loss(
    by_optax: tuple[Any, Any], tmp_path: Path
) -> None:
    checkpoint = pytest.importorskip("orbax.checkpoint")
    begun, run = by_optax
    first, second, third = batches(3)
    with jax.enable_x64(True):
        training = run(run(begun, first), second)
        with checkpoint.StandardCheckpointer() as files:
            files.save(tmp_path / "two", training)
            files.wait_until_finished()
            restored = files.restore(tmp_path / "two", begun)
        assert type(restored[0]) is type(begun[0])
        on, whole = run(restored, third), run(training, third)
    for a, b in zip(jax.tree.leaves(on), jax.tree.leaves(whole), strict=True):
        np.testing.assert_array_equal(a, b)


# --- what is shown ---------------------------------------------------------------------------------
def test_as_a_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(example, "SIZES", TINY)
    example.main(["--steps", "2", "--every", "1", "--file", str(tmp_path / "file")])
    first, one, two, *written = capsys.readouterr().out.split("\n")
    assert "held out" in first and "step 1/2" in one and "step 2/2" in two
    nats, bits = (float(two.split(after)[0].split()[-1]) for after in (" nats", " bits"))
    assert bits == pytest.approx(nats / np.log(2), abs=2e-3)
    assert len("\n".join(written)) == TINY.window + 200 + len("\n")


@pytest.mark.parametrize(("name", "shown"), [("numpy", "None"), ("jax", "Jax")])
def test_the_interpreter_is_chosen(
    name: str, shown: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[str] = []

    def train(file: Path, text: Any, sizes: Any, interpreter: Any, every: int) -> Any:
        seen.append(repr(interpreter))
        return example.start(text, sizes)

    monkeypatch.setattr(example, "SIZES", TINY)
    monkeypatch.setattr(example, "train", train)
    example.main(["--interpreter", name, "--file", str(tmp_path / "file")])
    assert seen == [shown]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_has_a_bar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich", reason="rich is an extra")
    stream = Terminal()
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    after = trained(tmp_path / "file", steps=3)
    shown = stream.getvalue()
    assert f"step 3/3 loss {after.losses[-1]:.3f}" in shown
    assert "bits per character" in shown


def test_without_rich_there_are_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(example, "find_spec", lambda _: None)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    trained(tmp_path / "file", steps=3)
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()] == [
        "1/3",
        "2/3",
        "3/3",
    ]
