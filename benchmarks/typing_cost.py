"""What the mypy plugin costs: CPU time of mypy on dense typed programs, with it and without.

    python -m benchmarks.typing_cost [LINES [TURNS]]

The library itself is in mypy's cache in both runs; the program is checked anew each time.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

LIBRARY = Path(__file__).resolve().parents[1] / "taglessad"
LINES = 2500
HEAD = """
from typing import Literal as L, TypeVar, TypeVarTuple
import taglessad as tad
from taglessad import Add, Tensor
N = TypeVar("N"); M = TypeVar("M"); K = TypeVar("K"); B = TypeVarTuple("B")
def dense(x: Tensor[*B, K], w: Tensor[K, M], b: Tensor[M]) -> Tensor[*B, M]:
    return x @ w + b
def loss(w: Tensor[N, K]) -> Tensor[()]:
    return (w * w).sum()
"""
# Two calls a line or so; the sizes differ from copy to copy.
BODY = """
def step_{i}(x: Tensor[N, L[{a}]], w: Tensor[L[{a}], L[{b}]], q: Tensor[L[{b}], L[3]]) -> Tensor[N, L[3]]:
    h = tad.tanh(x @ w)
    mean = tad.mean(h, axis=1, keepdims=True)
    h = h - mean
    scale = tad.sqrt(tad.mean(h * h, axis=-1, keepdims=True))
    h = h / scale
    scores = tad.nn.functional.softmax(h @ h.T, axis=-1)
    h = tad.concat((h, scores @ h), axis=1)
    h = tad.reshape(h, (-1, 2, {b}))
    h = h.sum(axis=1)
    g = tad.grad(loss)(w)
    h = h + x @ g
    h = tad.where(h > 0.0, h, tad.zeros_like(h))
    z = tad.einsum("nb,bk->nk", h, q)
    first = h[0] @ q
    z = z[..., :3] + first
    return dense(h, q, tad.zeros((3,))) + z
"""


def program(lines: int) -> str:
    """About so many lines."""
    copies = lines // BODY.count(chr(10))
    return HEAD + "".join(BODY.format(i=i, a=2 + i % 50, b=3 + i // 2) for i in range(copies))


def cpu_seconds(folder: Path, plugin: bool) -> float:
    """CPU seconds of one run on the program, in which nothing is wrong, everything else cached."""
    config = folder / f"mypy-{plugin}.ini"
    config.write_text(
        "[mypy]\nallow_redefinition = true\n"
        + ("plugins = taglessad.mypy_plugin\n" if plugin else "")
    )
    file = folder / "dense_program.py"
    command = [sys.executable, "-m", "mypy", "--config-file", str(config)]
    command += ["--cache-dir", str(folder / f"cache-{plugin}"), str(file)]
    environment = {**os.environ, "MYPYPATH": str(folder), "PYTHONPATH": str(folder)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # else each run compiles the library anew
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(lines: int = LINES, repeats: int = 7) -> None:
    """Print both times, what they are without the program, and the ratio.

    Runs with and without the plugin take turns, and the ratio is the median of each turn's: a
    machine that is busy for a while is busy for both.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(LIBRARY, folder / "taglessad")  # as it is now, whoever edits it meanwhile
        file = folder / "dense_program.py"
        spent: dict[tuple[bool, bool], list[float]] = {}
        for turn in range(-1, repeats):  # the first fills the caches
            for full in (False, True):
                for plugin in (False, True):
                    # A line of its own each time: nothing of the program is in the cache.
                    text = program(lines) if full else HEAD
                    file.write_text(f"{text}# {os.urandom(8).hex()}\n")
                    seconds = cpu_seconds(folder, plugin)
                    if turn >= 0:
                        spent.setdefault((plugin, full), []).append(seconds)
        print(f"{program(lines).count(chr(10))} lines, CPU seconds, medians of {repeats}")
        for plugin, label in ((False, "mypy"), (True, "mypy with the plugin")):
            whole, start = median(spent[plugin, True]), median(spent[plugin, False])
            print(f"{label:22} {whole:6.2f}  (start and library {start:.2f})")
        ratios = [b / a for a, b in zip(spent[False, True], spent[True, True], strict=True)]
        print(f"ratio {median(ratios):.2f}  (from {min(ratios):.2f} to {max(ratios):.2f})")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
