"""The interpreters: one file each, none knowing another except through `Ops`."""

from importlib import import_module
from typing import TYPE_CHECKING

from taglessad.interpreters.batch import Batch as Batch
from taglessad.interpreters.cost import Cost as Cost
from taglessad.interpreters.dual import Dual as Dual
from taglessad.interpreters.eager import Eager as Eager
from taglessad.interpreters.kinks import Kinks as Kinks
from taglessad.interpreters.reach import Reach as Reach
from taglessad.interpreters.record import Record as Record
from taglessad.interpreters.shape import Shape as Shape
from taglessad.interpreters.tape import Tape as Tape
from taglessad.interpreters.taylor import Taylor as Taylor

if TYPE_CHECKING:
    from taglessad.interpreters.exact import Exact as Exact
    from taglessad.interpreters.jax import Jax as Jax
    from taglessad.interpreters.real import Real as Real
    from taglessad.interpreters.sparsity import Sparsity as Sparsity


def __getattr__(name: str) -> object:
    """`Exact`, `Jax`, `Real` and `Sparsity`, imported when they are asked for: their libraries are extras."""
    if name in ("Exact", "Jax", "Real", "Sparsity"):
        module = import_module(f"taglessad.interpreters.{name.lower()}")
        return getattr(module, name)
    raise AttributeError(f"module 'taglessad.interpreters' has no attribute {name!r}")
