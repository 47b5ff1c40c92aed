"""Derivative rules as formulas: a rule's own text run on SymPy's expressions.

A `Term` is an expression together with its value at one point, which decides the branches that a
rule takes there; so what is proved holds where the rule takes the same branches. Trusts SymPy.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from taglessad.dtypes import Irrational, Number, bool_, float64
from taglessad.errors import DomainError, MissingExtra
from taglessad.interpreters.eager import EAGER
from taglessad.kernels.quiet import Quiet
from taglessad.ops import Ops
from taglessad.primitive import PRIMITIVES, Aval, Params, Prim

sp: Final[Any] = None if find_spec("sympy") is None else import_module("sympy")

# Any throughout: SymPy's expressions, which have no types of their own.


class Term(NamedTuple):
    """A formula, None for a truth value, and what it is worth at the point."""

    formula: Any
    worth: NDArray[Any]


def _pair(a: Any, b: Any) -> Any:
    return sp.log(sp.exp(a) + sp.exp(b))


def _table() -> dict[str, Callable[..., Any]]:
    """What SymPy knows of the elementwise primitives."""
    half = sp.Rational(1, 2)
    return {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "neg": lambda x: -x,
        "square": lambda x: x**2,
        "reciprocal": lambda x: 1 / x,
        "pow": lambda a, b: a**b,
        "integer_pow": lambda x, n: x**n,
        "sqrt": sp.sqrt,
        "rsqrt": lambda x: 1 / sp.sqrt(x),
        "hypot": lambda a, b: sp.sqrt(a**2 + b**2),
        "cbrt": lambda x: x ** sp.Rational(1, 3),
        "exp": sp.exp,
        "expm1": lambda x: sp.exp(x) - 1,
        "exp_neg_square": lambda x: sp.exp(-(x**2)),
        "log": sp.log,
        "log1p": lambda x: sp.log(1 + x),
        "log2": lambda x: sp.log(x) / sp.log(2),
        "log10": lambda x: sp.log(x) / sp.log(10),
        "logaddexp": _pair,
        "logaddexp2": lambda a, b: sp.log(2**a + 2**b) / sp.log(2),
        "sigmoid": lambda x: 1 / (1 + sp.exp(-x)),
        "softplus": lambda x: sp.log(1 + sp.exp(x)),
        "sin": sp.sin,
        "cos": sp.cos,
        "tan": sp.tan,
        "asin": sp.asin,
        "acos": sp.acos,
        "atan": sp.atan,
        "atan2": sp.atan2,
        "sinh": sp.sinh,
        "cosh": sp.cosh,
        "tanh": sp.tanh,
        "sech_squared": lambda x: 1 / sp.cosh(x) ** 2,
        "asinh": sp.asinh,
        "acosh": sp.acosh,
        "atanh": sp.atanh,
        "cosm1": lambda x: sp.cos(x) - 1,
        "erf": sp.erf,
        "erfc": sp.erfc,
        "erfinv": sp.erfinv,
        "erfcinv": sp.erfcinv,
        "ndtr": lambda x: half * sp.erfc(-x / sp.sqrt(2)),
        "log_ndtr": lambda x: sp.log(half * sp.erfc(-x / sp.sqrt(2))),
        "gamma": sp.gamma,
        "gammaln": sp.loggamma,
        "polygamma": lambda x, n: sp.polygamma(n, x),
        "beta": lambda a, b: sp.gamma(a) * sp.gamma(b) / sp.gamma(a + b),
        "betaln": lambda a, b: sp.loggamma(a) + sp.loggamma(b) - sp.loggamma(a + b),
        "polygamma_difference": lambda a, b, n: sp.polygamma(n, a) - sp.polygamma(n, a + b),
        "expi": sp.Ei,
        "entr": lambda x: -x * sp.log(x),
        "rel_entr": lambda x, y: x * sp.log(x / y),
        "kl_div": lambda x, y: x * sp.log(x / y) - x + y,
    }


POSITIVE: Final = frozenset(
    {
        *("acosh", "beta", "betaln", "cbrt", "entr", "gamma", "gammaln", "hypot"),
        *("kl_div", "log", "log10", "log2", "pow", "polygamma", "polygamma_difference"),
        *("rel_entr", "rsqrt", "sqrt", "atan2", "expi"),
    }
)
"""Primitives that are looked at for positive operands."""

_CONSTANTS: Final[dict[str, Callable[[], Any]]] = {
    "pi": lambda: sp.pi,
    "ln2": lambda: sp.log(2),
    "ln10": lambda: sp.log(10),
    "2/sqrt(pi)": lambda: 2 / sp.sqrt(sp.pi),
    "sqrt(pi)/2": lambda: sp.sqrt(sp.pi) / 2,
}


def require(what: str) -> None:
    """Raise MissingExtra where SymPy is not installed."""
    if sp is None:
        raise MissingExtra(f"{what} needs SymPy: pip install 'taglessad[test]'")


class Symbolic(Ops[Term]):
    """Rank 0 terms of SymPy. Raises DomainError for what SymPy does not know."""

    def __init__(self) -> None:
        require("Symbolic")
        self._table = _table()

    def const(self, value: NDArray[Any], /) -> Term:
        formula = None if value.dtype == bool_ else sp.nsimplify(value.item(), rational=True)
        return Term(formula, value)

    def scalar(self, value: Number, like: Term, /) -> Term:
        if isinstance(value, Irrational):
            if value.name not in _CONSTANTS:
                raise DomainError(f"SymPy is not told what {value.name} is")
            formula = _CONSTANTS[value.name]()
        else:
            n, m = value.as_integer_ratio()
            formula = sp.Rational(n, m)
        return Term(formula, EAGER.scalar(value, like.worth))

    def aval(self, x: Term, /) -> Aval:
        return EAGER.aval(x.worth)

    def apply(self, prim: Prim, operands: tuple[Term, ...], params: Params, /) -> Term:
        with Quiet():
            worth = np.asarray(EAGER.trusted().run(prim, tuple(x.worth for x in operands), params))
        if worth.dtype == bool_:
            return Term(None, worth)
        if prim.name == "where":
            chosen = operands[1] if operands[0].worth else operands[2]
            return Term(chosen.formula, worth)
        if prim.name in ("detach", "cast"):
            return Term(operands[0].formula, worth)
        if prim.name in ("abs", "sign"):
            sign = int(np.sign(operands[0].worth))
            formula = sign if prim.name == "sign" else sign * operands[0].formula
            return Term(sp.sympify(formula), worth)
        if prim.name in ("maximum", "minimum"):
            first = bool(operands[0].worth == worth)
            return Term(operands[0 if first else 1].formula, worth)
        if prim.name not in self._table:
            raise DomainError(f"SymPy is not told what {prim.name} is")
        return Term(self._table[prim.name](*[x.formula for x in operands], *params), worth)


def partials(name: str, params: Sequence[Any] = (), point: Sequence[float] = ()) -> list[Any]:
    """For each operand of an elementwise primitive: its rule minus SymPy's derivative, simplified.

    All are 0 where SymPy proves the rule. point: which branches the rule takes; 0.7, 0.3 by default.
    """
    ops, prim = Symbolic(), PRIMITIVES[name]
    count = len(prim.slots)
    symbols = [sp.Symbol(f"x{i}", positive=name in POSITIVE, real=True) for i in range(count)]
    values = list(point) or [0.7, 0.3][:count]
    xs = [Term(s, np.asarray(v, float64)) for s, v in zip(symbols, values, strict=True)]
    y = ops.run(prim, tuple(xs), tuple(params))
    left: list[Any] = []
    for slot, symbol in zip(prim.slots, symbols, strict=True):
        if slot is None:
            continue
        rule = slot.push(ops, ops.scalar(1, xs[0]), y, *xs, *params)
        left.append(_simplified(rule.formula - sp.diff(y.formula, symbol)))
    return left


def _simplified(gap: Any) -> Any:
    """0 by the cheapest of several ways, else what is left."""
    ways = (
        lambda e: e,
        sp.expand,
        sp.simplify,
        lambda e: sp.simplify(e.rewrite(sp.exp)),
        lambda e: sp.simplify(sp.gammasimp(sp.expand_func(e))),
        lambda e: sp.simplify(sp.expand_log(sp.logcombine(e), force=True)),
    )
    left = gap
    for way in ways:
        left = way(gap)
        if left == 0:
            break
    return left
