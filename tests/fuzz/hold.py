"""What a random program is compared with, and the runs of so many of them.

Every program, its value, gradient and Hessian times a direction:
- under the interpreters on NumPy: Eager, Tape, Dual, Record replayed by `jit` and by Graph, Batch,
  Taylor, Shape, and these over each other (`checks.each_interpreter`);
- under Real, value and gradient: enclosures of proved width;
- under Reach, Cost and Kinks, which watch (`roots.observed`);
- in JAX, operation by operation, loops written out: compiled programs would cost 0.6 s each, and
  XLA is on trial in the share below; and in PyTorch. Operations that either lacks are left out
  there (`Op.others`).
A fixed share, by lot from the seed of the point:
- 1 of 8 under Jax, compiled by `jit`, value and gradient; 1 of 32 the product too;
- 1 of 32 under Jax, operation by operation, value and gradient;
- 1 of 4 under Sparsity: the gradient's pattern holds a column of the Hessian.
Apart from these, 1 more for each 10 is of rational operations alone, under Exact (`rational`).

XLA compiles every operation once for each shape and axis, which is most of the time at first: a
process holds 1.5 programs a second in the beginning, 3 to 5 after some hundreds (one core of two).
With JAX_COMPILATION_CACHE_DIR set, JAX keeps what it compiled for the next process.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Final

import hypothesis
import numpy as np
from hypothesis import strategies as st

from taglessad.errors import DomainError
from tests.fuzz.agreement import Found
from tests.fuzz.checks import against_jax, against_torch, each_interpreter
from tests.fuzz.generator import Program, programs
from tests.fuzz.rational import exactly, rational, refused
from tests.fuzz.roots import against_our_jax, against_real, against_sparsity, observed

OTHERS: Final[dict[str, Callable[[Program, int, Found], None]]] = {
    "jax": against_jax,
    "torch": against_torch,
}
INSTALLED: Final = [name for name in OTHERS if find_spec(name) is not None]


def hold(program: Program, seed: int, others: list[str]) -> None:
    """All comparisons of one program but those by lot. Raises AssertionError."""
    ours = each_interpreter(program, seed)
    against_real(program, seed, ours)
    observed(program, seed, ours)
    for name in others:
        if name in program.others():
            OTHERS[name](program, seed, ours)
    by_lot(program, seed, ours)


def by_lot(program: Program, seed: int, ours: Found) -> None:
    """The comparisons that only a share of all programs goes through."""
    lot = np.random.default_rng(seed).integers(32)
    if lot < 4:
        against_our_jax(program, seed, ours, compiled=True, second=lot == 0)
    elif lot == 4:
        against_our_jax(program, seed, ours, compiled=False, second=False)
    elif lot < 13:
        against_sparsity(program, seed, ours)


def search(count: int, others: list[str], run: int) -> set[str]:
    """Hold so many programs, the same ones every time; gives those that were held, as text."""
    held: set[str] = set()

    @_settings(count, run)
    @hypothesis.given(programs(), st.integers(0, 2**30))
    def holds(program: Program, seed: int) -> None:
        hold(program, seed, others)
        held.add(f"{program} {seed}")

    holds()
    return held


def search_rational(count: int, run: int) -> set[str]:
    """The same of rational programs, under Exact."""
    held: set[str] = set()

    @_settings(count, run)
    @hypothesis.given(programs(names=rational(), most=4), st.integers(0, 2**30))
    def holds(program: Program, seed: int) -> None:
        try:
            exactly(program, seed)
        except DomainError as error:
            if not refused(error):
                raise
            hypothesis.reject()
        held.add(f"{program} {seed}")

    holds()
    return held


def _settings(count: int, run: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    settings = hypothesis.settings(
        deadline=None,
        database=None,
        max_examples=count,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
    )
    return lambda f: hypothesis.seed(run)(settings(f))
