"""The peers, where they are installed; a missing one leaves its rows out, and the table says so."""

import importlib
import os
from types import ModuleType


def optional(name: str) -> ModuleType | None:
    """A peer's module, or None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def one_thread() -> None:
    """One thread for every library: called before any of them is imported."""
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    os.environ["PJRT_NPROC"] = "1"  # XLA's own threads
    os.environ["JAX_PLATFORMS"] = "cpu"
