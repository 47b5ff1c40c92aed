"""What the mypy plugin costs: CPU time of mypy on dense typed programs, with it and without.

    python -m benchmarks.typing_cost [LINES]

The library itself is in mypy's cache in both runs; the program is checked anew each time.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

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
    """CPU seconds of one run on the program, everything else cached."""
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
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(lines: int = LINES, repeats: int = 3) -> None:
    """Print both times, what they are without the program, and the ratio."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(LIBRARY, folder / "taglessad")  # as it is now, whoever edits it meanwhile
        file = folder / "dense_program.py"
        least: dict[tuple[bool, bool], float] = {}
        for plugin in (False, True):
            for full in (False, False, *([True] * repeats)):
                # A line of its own each time: nothing of the program is in the cache.
                text = program(lines) if full else HEAD
                file.write_text(f"{text}# {len(least)} {os.urandom(4).hex()}\n")
                spent = cpu_seconds(folder, plugin)
                key = (plugin, full)
                if (plugin, full) not in least or spent < least[key]:
                    least[key] = spent
        print(f"{program(lines).count(chr(10))} lines, CPU seconds, best of {repeats}")
        for plugin, label in ((False, "mypy"), (True, "mypy with the plugin")):
            whole, start = least[plugin, True], least[plugin, False]
            print(f"{label:22} {whole:6.2f}  (start and library {start:.2f})")
        print(f"ratio {least[True, True] / least[False, True]:.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
