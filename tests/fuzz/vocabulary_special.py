"""Special functions in random programs, each on the part of its domain that is near 1."""

from collections.abc import Callable
from typing import Any, Final

from tests.fuzz.registry import add


def _inside(L: Any, x: Any) -> Any:
    """Between -0.8 and 0.8."""
    return 0.8 * L.xp.tanh(x)


def _above(x: Any) -> Any:
    """From 0.5 on."""
    return x * x + 0.5


def _share(L: Any, x: Any) -> Any:
    """Between 0.1 and 0.9."""
    return 0.5 + 0.4 * L.xp.tanh(x)


def _of_all(name: str) -> Callable[..., Any]:
    return lambda L, k, x: getattr(L, name)(x)


_OF_ONE: Final[dict[str, Callable[..., Any]]] = {
    **{
        name: _of_all(name)
        for name in (
            *("erf", "erfc", "erfcx", "ndtr", "log_ndtr", "i0", "i0e", "i1", "i1e", "cosm1"),
            *("log_expit",),
        )
    },
    "erfinv": lambda L, k, x: L.erfinv(_inside(L, x)),
    "erfcinv": lambda L, k, x: L.erfcinv(1.0 + _inside(L, x)),
    "ndtri": lambda L, k, x: L.ndtri(_share(L, x)),
    "logit": lambda L, k, x: L.logit(_share(L, x)),
    "gamma": lambda L, k, x: L.gamma(_above(x)),
    "gammaln": lambda L, k, x: L.gammaln(x * x + 1.5),
    "multigammaln": lambda L, k, x: L.multigammaln(x * x + 2.5, k % 3 + 1),
    "exprel": lambda L, k, x: L.exprel(_above(x)),
    "entr": lambda L, k, x: L.entr(_above(x)),
    "boxcox": lambda L, k, x: L.boxcox(_above(x), 0.7),
    "inv_boxcox": lambda L, k, x: L.inv_boxcox(_above(x), 0.7),
}
# PyTorch has no such function, or no derivative of it, or (polygamma, the derivative of digamma) is
# off by 5e-10 near 1.5; JAX's derivative of spence is NaN between 1 and 2.
_NOT_IN_TORCH: Final[dict[str, Callable[..., Any]]] = {
    "digamma": lambda L, k, x: L.digamma(x * x + 1.5),
    "polygamma": lambda L, k, x: L.polygamma(k % 3 + 1, x * x + 1.5),
    "expi": lambda L, k, x: L.expi(_above(x)),
    "spence": lambda L, k, x: L.spence(_share(L, x)),
    "gammainc": lambda L, k, x: L.gammainc(L.array(1.3 + k), _above(x)),
    "gammaincc": lambda L, k, x: L.gammaincc(L.array(1.3 + k), _above(x)),
    "betainc": lambda L, k, x: L.betainc(L.array(1.2 + k), L.array(2.3), _share(L, x)),
}
_OF_TWO: Final[dict[str, Callable[..., Any]]] = {
    "xlogy": lambda L, k, a, b: L.xlogy(a, _above(b)),
    "xlog1py": lambda L, k, a, b: L.xlog1py(a, b * b),
    "rel_entr": lambda L, k, a, b: L.rel_entr(_above(a), _above(b)),
    "kl_div": lambda L, k, a, b: L.kl_div(_above(a), _above(b)),
    "beta": lambda L, k, a, b: L.beta(_above(a), _above(b)),
    "betaln": lambda L, k, a, b: L.betaln(_above(a), _above(b)),
    "binom": lambda L, k, a, b: L.binom(a * a + 1.5, _share(L, b)),
}
# JAX's expn fails inside jvp of grad ("No constant handler for type").
_OF_ONE_ALONE: Final[dict[str, Callable[..., Any]]] = {
    "exp1": lambda L, k, x: L.exp1(_above(x)),
    "expn": lambda L, k, x: L.expn(k % 4 + 1, _above(x)),
    "spence anywhere": lambda L, k, x: L.spence(_above(x)),
    "j0": lambda L, k, x: L.j0(x),
    "j1": lambda L, k, x: L.j1(x),
    "y0": lambda L, k, x: L.y0(_above(x)),
    "y1": lambda L, k, x: L.y1(_above(x)),
    "lambertw": lambda L, k, x: L.lambertw(_above(x)),
}
# Derivatives in parameters, which neither of the others has twice.
_ALONE: Final[dict[str, Callable[..., Any]]] = {
    "gammainc": lambda L, k, a, b: L.gammainc(_above(a), _above(b)),
    "gammaincc": lambda L, k, a, b: L.gammaincc(_above(a), _above(b)),
    "betainc": lambda L, k, a, b: L.betainc(_above(a), L.xp.exp(0.5 * b), _share(L, a * b)),
    "poch": lambda L, k, a, b: L.poch(_above(a), _above(b)),
}
for _t in "svm":
    for _n, _f in _OF_ONE.items():
        add("special", f"{_t}>{_t}", _n, _f)
    for _n, _f in _NOT_IN_TORCH.items():
        add("special", f"{_t}>{_t}", _n, _f, others=("jax",))
    for _n, _f in _OF_ONE_ALONE.items():
        add("special", f"{_t}>{_t}", _n, _f, others=())
    add("special", f"{_t}>{_t}", "zeta", lambda L, k, x: L.zeta(L.array(k + 1.5), x * x + 1.2))
for _s in ("ss>s", "vv>v", "sv>v", "mv>m"):
    for _n, _f in _OF_TWO.items():
        add("special", _s, _n, _f)
    for _n, _f in _ALONE.items():
        add("special", _s, f"{_n} in parameters", _f, others=())
