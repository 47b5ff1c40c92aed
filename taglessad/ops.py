"""Ops[R]: the vocabulary that every program is written in. Read this first.

A program calls these methods and nothing else, so its meaning is chosen outside it: by the
interpreter that stands behind its handles. Each method is declared in rules/ together with its
primitive's shape rule and derivative rules, and defaults to `apply`, so an interpreter may answer
everything in one place (a transformer) or method by method (a root with kernels).

    class Mine(Ops[MyPayload]):
        def apply(self, prim, operands, params): ...   # the meaning of a primitive
        def const(self, value): ...                    # a literal array
        def aval(self, x): ...                         # shape and dtype of a payload

R is what the interpreter computes with; rules and programs are generic in it, so mypy refuses a
rule that looks at a value or names an interpreter.
"""

from typing import Generic

from taglessad.interpreter import Interpreter, R
from taglessad.rules.arithmetic import Arithmetic
from taglessad.rules.contraction import Contraction
from taglessad.rules.convolution import Convolution
from taglessad.rules.cumulative import Cumulative
from taglessad.rules.decompositions import Decompositions
from taglessad.rules.determinant import Determinants
from taglessad.rules.eigh import Eigen
from taglessad.rules.expm import Exponentials
from taglessad.rules.exponential import Exponential
from taglessad.rules.fourier import Fourier
from taglessad.rules.indexing import Indexing
from taglessad.rules.logic import Logic
from taglessad.rules.order import Order
from taglessad.rules.random import Random
from taglessad.rules.reductions import Reductions
from taglessad.rules.rounding import Rounding
from taglessad.rules.scatter import Scatter
from taglessad.rules.selection import Selection
from taglessad.rules.solving import Solving
from taglessad.rules.special import Special
from taglessad.rules.special_elementary import SpecialElementary
from taglessad.rules.special_parameters import SpecialParameters
from taglessad.rules.structural import Structural
from taglessad.rules.svd import SingularValues
from taglessad.rules.trigonometric import Trigonometric


class Ops(
    Arithmetic[R],
    Exponential[R],
    Trigonometric[R],
    Rounding[R],
    Logic[R],
    Selection[R],
    Special[R],
    SpecialElementary[R],
    SpecialParameters[R],
    Reductions[R],
    Cumulative[R],
    Structural[R],
    Indexing[R],
    Scatter[R],
    Order[R],
    Random[R],
    Contraction[R],
    Convolution[R],
    Fourier[R],
    Solving[R],
    Determinants[R],
    Decompositions[R],
    Eigen[R],
    SingularValues[R],
    Exponentials[R],
    Interpreter[R],
    Generic[R],
):
    """The vocabulary, family by family."""

    def trusted(self) -> "Ops[R]":
        """The same interpreter without guards that whoever calls it sets up once for many calls."""
        return self
