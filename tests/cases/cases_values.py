"""Values at special points and in the tails: powers, roots, norms, logarithms, products."""

from math import exp, inf, log, nan
from typing import Any

import taglessad as tad
from taglessad.nn import functional as nnf
from tests.cases.case import ANY, Case, first, second

SECOND = (ANY, ANY)
LIVE = "0 * inf on a live path is NaN (conventions: products of partials follow IEEE)"


def adam_step(g: Any) -> Any:
    return g / (tad.sqrt(g * g) + 2.0**-20)


TAILS = [
    Case(
        "sigmoid-right-tail", "jax-ml/jax#40342", first(nnf.sigmoid), (41.5,), 9.479359653504757e-19
    ),
    Case(
        "tanh-second-derivative-tiny",
        "jax-ml/jax#39801",
        second(tad.tanh),
        (1e-250,),
        -2e-250,
        SECOND,
    ),
    Case(
        "tanh-tail",
        "pytorch/pytorch#195527",
        lambda d: lambda *xs: tuple(d(tad.tanh)(x) for x in xs),
        (21.0, 200.0),
        (2.299808905717424e-18, 7.660678386856023e-174),
    ),
    Case(
        "arccosh-huge",
        "jax-ml/jax#40634",
        lambda d: lambda a, b: (d(tad.acosh)(a), d(tad.asinh)(b)),
        (1e200, -1e200),
        (1e-200, 1e-200),
    ),
    Case(
        "sqrt-at-smallest-subnormal",
        "jax-ml/jax#39799",
        first(tad.sqrt),
        (5e-324,),
        2.2494568972715982e161,
    ),
    Case("expm1-left-tail", "jax-ml/jax#39794", first(tad.expm1), (-43.0,), exp(-43.0)),
    Case(
        "log-sigmoid-second-derivative-tail",
        "jax-ml/jax#40383",
        second(nnf.log_sigmoid),
        (-39.0,),
        -1.1548224173015786e-17,
        SECOND,
    ),
]
POINTS = [
    Case("pow-real-exponent-above-one", "coin-or/CppAD#92", first(lambda x: x**1.875), (0.0,), 0.0),
    Case(
        "pow-derivative-in-exponent-zero-base",
        "pytorch/pytorch#27134",
        first(lambda b: tad.sum(tad.asarray([0.0, 2.0]) ** b)),
        (1.0,),
        2.0 * log(2.0),
    ),
    Case(
        "norm-squared-at-zero",
        "jax-ml/jax#4177",
        first(lambda x: tad.linalg.vector_norm(x) ** 2),
        ([0.0, 0.0, 0.0],),
        [0.0, 0.0, 0.0],
    ),
    Case(
        "hypot-tie",
        "tensorflow/tensorflow#127230",
        first(lambda x: tad.hypot(x, 5.0 - 4.0 * x)),
        (1.0,),
        -3.0 / 2.0**0.5,
    ),
    # No limit exists there: NaN, not a finite number made up.
    Case(
        "arctan2-origin", "pytorch/pytorch#98276", first(lambda y: tad.atan2(y, 0.0)), (0.0,), nan
    ),
    Case(
        "sqrt-of-product-on-axis",
        "ekmett/ad#104",
        first(lambda x, y: tad.sqrt(x * y), (0, 1)),
        (0.0, 1.0),
        (inf, nan),
    ),
    Case(
        "adam-hypergradient-at-zero",
        "DiffSharp/DiffSharp#287",
        first(adam_step),
        (0.0,),
        2.0**20,
        fails=f"sqrt(g * g) at g = 0: {LIVE}",
    ),
    Case(
        "gaussian-of-inf",
        "pytorch/pytorch#21212",
        first(lambda s: tad.sum(tad.exp(-((tad.asarray([1.0, inf]) / s) ** 2)))),
        (2.0,),
        exp(-0.25) / 4.0,
        fails=f"exp(-inf) times the slope -inf of its argument: {LIVE}",
    ),
    Case(
        "xlogy-zero-first-arg",
        "pytorch/pytorch#80770",
        first(lambda x: tad.special.xlogy(x, 5.0)),
        (0.0,),
        log(5.0),
    ),
    Case(
        "digamma-negative",
        "jax-ml/jax#37635",
        first(tad.special.digamma),
        (-15.5,),
        9.807124718411389,
    ),
    # The limits of the weights exp(x - f).
    Case(
        "logaddexp-pos-inf",
        "pytorch/pytorch#49724",
        first(tad.logaddexp, (0, 1)),
        (3.0, inf),
        (0.0, 1.0),
    ),
    Case(
        "logaddexp-associative-neg-inf",
        "jax-ml/jax#6811",
        first(lambda a, b, c: tad.logaddexp(tad.logaddexp(a, b), c), (0, 1, 2)),
        (-inf, -inf, 2.0),
        (0.0, 0.0, 1.0),
    ),
    Case(
        "logsumexp-one-neg-inf",
        "pytorch/pytorch#31829",
        first(tad.special.logsumexp),
        ([-inf, 1.0, 1.0],),
        [0.0, 0.5, 0.5],
    ),
    Case(
        "i0-second-derivative",
        "jax-ml/jax#40627",
        second(lambda t: tad.special.i0(4.0 * t - 1.0)),
        (0.25,),
        8.0,
        SECOND,
    ),
    Case(
        "betainc-shape-derivative",
        "CamDavidsonPilon/autograd-gamma#5",
        first(lambda a: tad.special.betainc(a, 3.0, 0.4)),
        (2.0,),
        -0.24086937608755657,
        rtol=1e-9,
    ),
]
REDUCTIONS = [
    Case(
        "prod-one-zero",
        "tracel-ai/burn#5533",
        first(tad.prod),
        ([2.0, 0.0, 3.0, 4.0],),
        [0.0, 24.0, 0.0, 0.0],
    ),
    Case(
        "cumprod-zero",
        "jax-ml/jax#2542",
        first(lambda x: tad.sum(tad.cumulative_prod(x))),
        ([3.0, 0.0, 2.0, 5.0],),
        [1.0, 39.0, 0.0, 0.0],
    ),
    Case(
        "std-of-constant",
        "pytorch/pytorch#4320",
        first(tad.std),
        ([2.0, 2.0, 2.0],),
        [0.0, 0.0, 0.0],
    ),
    Case(
        "var-of-constant",
        "pytorch/pytorch#4320",
        first(tad.var),
        ([2.0, 2.0, 2.0],),
        [0.0, 0.0, 0.0],
    ),
    # 2 (x - mean) / 4 with mean 3: the NaN entry is not there.
    Case(
        "nanvar-gradient",
        "jax-ml/jax#8128",
        first(lambda x: tad.nanvar(x)),
        ([nan, 1.0, 2.0, 3.0, 6.0],),
        [0.0, -1.0, -0.5, 0.0, 1.5],
    ),
]
CASES = [*TAILS, *POINTS, *REDUCTIONS]
