"""Every primitive lowered for GPUs and TPUs, which needs none: what the text says, not what they do."""

import re
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import taglessad as tad
from taglessad import nn, trees
from taglessad.primitive import PRIMITIVES, SEVERAL, Prim, PrimN
from taglessad.proofs_checks.cases import Case, Random
from taglessad.proofs_checks.domains import cases
from taglessad.proofs_checks.domains_matrices import SEVERAL_RESULTS
from taglessad.proofs_checks.runs import active, as_program, value, weighted
from taglessad.shapes.convolution import Window

jax = pytest.importorskip("jax")
from taglessad.xla.width import wide  # noqa: E402  # after the skip

PLATFORMS: Final = ("cuda", "tpu")
both: Final = pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda t: t.__name__)
HOST: Final = "the NumPy kernel is called back, as XLA and JAX have none of that accuracy"
REFUSED: Final = dict.fromkeys(("beta", "beta_density", "betainc", "binom", "poch"), HOST)
"""What does not lower for another device, and why."""
BY_FLOAT64: Final = (
    *("bessel_j", "bessel_y", "betaln", "gamma", "gammainc", "gammaincc", "gamma_density", "zeta"),
)
"""What is computed in float64 whatever comes in: float32 has not the digits for what cancels."""
LIBRARY: Final = [p for p in PRIMITIVES.values() if not p.name.startswith("test_")]


def texts(f: Callable[..., Any], *arguments: Any, platforms: Any = PLATFORMS) -> dict[str, str]:
    """StableHLO of f for each platform."""
    function: Any = jax.jit(lambda *xs: f(*map(tad.asarray, xs)))
    traced = wide(function.trace)(*arguments)
    return {p: wide(traced.lower)(lowering_platforms=(p,)).as_text() for p in platforms}


PRODUCT: Final = re.compile(r".* = .*(?:dot_general|stablehlo\.convolution).*")


def short_products(program: str) -> list[str]:
    """Products of float32 that are not computed in full precision, which is TF32 on GPUs."""
    lines = [line for line in PRODUCT.findall(program) if re.search(r"f32>\) ->", line)]
    return [line for line in lines if line.count("HIGHEST") != 2]


def narrowed(program: str) -> list[str]:
    """Lines in which float64 became narrower."""
    return [s for s in program.splitlines() if re.search(r"convert.*f64>\).*f(32|16)>", s)]


def widened(program: str) -> list[str]:
    """Lines with arrays of float64; single numbers are JAX's constants, which XLA folds."""
    return [s for s in program.splitlines() if re.search(r"tensor<\d.*xf64>", s)]


def programs(prim: Prim, dtype: Any) -> tuple[Case, Callable[..., Any], Any]:
    """A case of a primitive in a dtype; its value, or None and its gradient with its value."""
    given = cases(prim.name, 1)[0]
    xs = [x.astype(dtype) if x.dtype == np.float64 else x for x in given.operands]
    case = given._replace(operands=tuple(xs))
    positions = active(prim, case)
    if not positions:
        return case, as_program(prim, case, range(len(xs))), None
    program = as_program(prim, case, positions)
    y = value(prim, case.operands, case.params)
    weights = np.random.default_rng(1).uniform(-1, 1, y.shape).astype(y.dtype)
    places = tuple(range(len(positions)))
    g = tad.value_and_grad(weighted(program, weights), places)
    return case._replace(operands=tuple([xs[i] for i in positions])), program, g


def refused(f: Callable[..., Any], *arguments: Any) -> None:
    for platform in PLATFORMS:
        with pytest.raises(ValueError, match="platform for the specified backend"):
            texts(f, *arguments, platforms=(platform,))


@both
@pytest.mark.parametrize("prim", LIBRARY, ids=lambda p: p.name)
def test_a_primitive_and_its_gradient(prim: Prim, dtype: Any) -> None:
    case, program, gradient = programs(prim, dtype)
    if prim.name in REFUSED:
        refused(program, *case.operands)
        return
    for platform, lowered in texts(gradient or program, *case.operands).items():
        assert short_products(lowered) == []
        # On TPUs JAX has singular values by a loop over constants of float64.
        by_svd = platform == "tpu" and prim.name in ("det", "cofactor", "pinv")
        if dtype is np.float64:
            assert prim.name == "cast" or narrowed(lowered) == []
        else:
            free = by_svd or prim.name in ("cast", *BY_FLOAT64)
            assert free or widened(lowered) == []


def test_the_tables_name_what_there_is() -> None:
    assert not REFUSED.keys() - PRIMITIVES.keys()
    assert SEVERAL.keys() == SEVERAL_RESULTS.keys() | {
        *("branch", "scan", "while_loop", "while_pull", "custom_rule")  # in PROGRAMS below
    }


@both
@pytest.mark.parametrize("name", SEVERAL_RESULTS)
def test_a_primitive_with_several_results(name: str, dtype: Any) -> None:
    prim: PrimN = SEVERAL[name]
    domain = SEVERAL_RESULTS[name][0]
    case = domain.plan(Random(0)).case(0, domain.dtypes[0])

    def total(*xs: Any) -> Any:
        ops = xs[0].ops
        ys = ops.run_n(prim, tuple(x.payload for x in xs), case.params)
        handles = [tad.Tensor(ops, y, ops.dtype(y)) for y in ys]
        return sum((tad.sum(y * y) for y in handles[1:]), tad.sum(handles[0] * handles[0]))

    xs = [x.astype(dtype) for x in case.operands]
    for lowered in texts(tad.value_and_grad(total, tuple(range(len(xs)))), *xs).values():
        assert "callback" not in lowered and short_products(lowered) == []
        assert dtype is np.float32 or narrowed(lowered) == []


# --- programs ------------------------------------------------------------------------------------
@tad.custom_vjp
def cubed(x: Any) -> Any:
    return x * x * x


cubed.defvjp(lambda x: (x * x * x, x), lambda x, g: (3.0 * x * x * g,))


def root(a: Any) -> Any:
    """By Newton's iteration, of unknown length."""
    return tad.while_loop(lambda x: tad.abs(x * x - a) > 1e-6, lambda x: 0.5 * (x + a / x), a)


def recurrent(w: Any, xs: Any) -> Any:
    last, rows = tad.scan(lambda h, x: (tad.tanh(h @ w + x), h), tad.zeros_like(xs[0]), xs)
    return tad.sum(last * last) + tad.sum(rows)


def by_factor(x: Any) -> Any:
    a = x @ x.T + 2.0 * tad.eye(x.shape[0], dtype=x.dtype)
    factor = tad.linalg.cholesky(a)
    solved = tad.linalg.solve_triangular(factor, x, lower=True)
    return tad.sum(solved * solved) + tad.linalg.slogdet(a).logabsdet


def attention(q: Any, k: Any, v: Any, x: Any) -> Any:
    queries, keys, values = (tad.einsum("btd,dhe->bhte", x, w) for w in (q, k, v))
    weights = nn.functional.softmax(tad.einsum("bhte,bhse->bhts", queries, keys), axis=-1)
    return tad.mean(tad.einsum("bhts,bhse->bhte", weights, values) ** 2)


def mlp(u: Any, b: Any, v: Any, x: Any) -> Any:
    return tad.mean((tad.tanh(x @ u + b) @ v) ** 2)


CONVOLUTIONAL: Final = nn.Sequential(
    nn.Conv2d(2, 3, 3, stride=2, padding=1, rng=0),
    nn.ReLU(),
    nn.ConvTranspose2d(3, 2, 3, rng=1),
    nn.MaxPool2d(2),
    nn.Conv2d(2, 2, 1, groups=2, rng=2),
    nn.GELU(),
)


def convolutional(x: Any) -> Any:
    model = trees.map(lambda w: w.astype(x.dtype), CONVOLUTIONAL)
    return tad.mean(model(x) ** 2)


def spectral(x: Any) -> Any:
    found = tad.fft.rfft(x)
    return tad.sum(found.re**2 + found.im**2) + tad.sum(
        tad.fft.irfft(found.re, found.im, x.shape[-1]) ** 3
    )


IDS: Final = np.asarray([0, 2, 0, 1])
# The function, and the shapes of its arguments, in all of which it is differentiated.
PROGRAMS: Final[dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...]]]] = {
    "cond": (
        lambda x: tad.cond(x[0] > 0, lambda x: tad.sum(x * x), lambda x: tad.prod(x), x),
        ((3,),),
    ),
    "scan": (recurrent, ((3, 3), (4, 3))),
    "while_loop": (root, ((),)),
    "while_loop in vmap": (lambda a: tad.sum(tad.vmap(tad.grad(root))(a)), ((3,),)),
    "hessian of scan": (
        lambda w: tad.sum(tad.hessian(lambda v: recurrent(v, 0.5 * v))(w)),
        ((2, 2),),
    ),
    "checkpoint": (lambda x: tad.sum(tad.checkpoint(lambda x: tad.sin(tad.exp(x)))(x)), ((3,),)),
    "custom rule": (lambda x: tad.sum(cubed(x)), ((3,),)),
    "factors": (by_factor, ((3, 3),)),
    "qr": (lambda x: tad.sum(tad.linalg.qr(x).Q ** 3), ((4, 3),)),
    "eigh": (lambda x: tad.sum(tad.linalg.eigh(x).eigenvectors ** 3), ((3, 3),)),
    "svd": (lambda x: tad.sum(tad.linalg.svd(x, full_matrices=False).U ** 3), ((3, 2),)),
    "solve": (lambda a, b: tad.sum(tad.linalg.solve(a, b)), ((3, 3), (3, 2))),
    "det": (tad.linalg.det, ((4, 4),)),
    "fft": (spectral, ((2, 6),)),
    "convolve": (lambda x, y: tad.sum(tad.convolve(x, y) ** 2), ((6,), (3,))),
    "sort": (lambda x: tad.sum(tad.sort(x) * np.arange(4)) + tad.median(x), ((4,),)),
    "segments": (
        lambda x: tad.sum(tad.segment_sum(x, IDS, 3) ** 2 + tad.segment_max(x, IDS, 3)),
        ((4,),),
    ),
    "random": (
        lambda x: tad.sum(x * tad.random.normal(tad.random.key(0), (4,)).astype(x.dtype)),
        ((4,),),
    ),
    "mlp": (mlp, ((3, 4), (4,), (4, 2), (5, 3))),
    "convolutional": (convolutional, ((2, 2, 6, 6),)),
    "attention": (attention, ((4, 2, 3), (4, 2, 3), (4, 2, 3), (2, 5, 4))),
}


@both
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program(name: str, dtype: Any) -> None:
    f, shapes = PROGRAMS[name]
    rng = np.random.default_rng(0)
    xs = [rng.uniform(0.5, 2.0, shape).astype(dtype) for shape in shapes]
    for lowered in texts(tad.value_and_grad(f, tuple(range(len(xs)))), *xs).values():
        assert short_products(lowered) == []
        assert name == "random" or dtype is np.float32 or narrowed(lowered) == []


@pytest.mark.parametrize("name,least", [("mlp", 5), ("attention", 12), ("convolutional", 6)])
def test_there_are_products_to_look_at(name: str, least: int) -> None:
    f, shapes = PROGRAMS[name]
    xs = [np.ones(shape, np.float32) for shape in shapes]
    lowered = texts(tad.grad(f, tuple(range(len(xs)))), *xs)["cuda"]
    assert len(PRODUCT.findall(lowered)) >= least
    assert len(short_products(lowered.replace("HIGHEST", "DEFAULT"))) >= least


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint8, bool], ids=lambda t: t.__name__)
def test_integers_are_convolved_without_a_convolution(kind: Any) -> None:
    """The libraries that XLA calls on GPUs have none of integers."""
    x, k = np.ones((2, 4, 7, 6), kind), np.ones((6, 2, 3, 2), kind)

    def f(x: Any, k: Any) -> Any:
        window = Window((2, 1), ((1, 0), (0, 2)), (1, 2), (1, 1), 2)
        return tad.Tensor(x.ops, x.ops.convolution(x.payload, k.payload, window), x.dtype)

    found = texts(f, x, k, platforms=("cpu", *PLATFORMS))
    assert [p for p in found if "stablehlo.convolution" in found[p]] == ["cpu"]


def test_few_rows_are_added_by_a_product_on_cpus_alone() -> None:
    """As lowered for the device that is asked for, whatever is here."""
    x = np.ones((8, 3), np.float32)
    found = texts(lambda x: tad.sum(x, axis=0), x, platforms=("cpu", *PLATFORMS))
    assert [p for p in found if "dot_general" in found[p]] == ["cpu"]
    assert [p for p in found if "stablehlo.reduce" in found[p]] == list(PLATFORMS)


@pytest.mark.parametrize("name", ["while_loop", "factors", "fft", "mlp"])
def test_exported_for_all_at_once(name: str) -> None:
    """JAX writes what later versions of it run; one file has all platforms' choices."""
    f, shapes = PROGRAMS[name]
    rng = np.random.default_rng(0)
    xs = [rng.uniform(0.5, 2.0, shape) for shape in shapes]
    data = tad.export(tad.grad(f), platforms=("cpu", *PLATFORMS))(*xs)
    np.testing.assert_allclose(tad.load_exported(data)(*xs), tad.grad(f)(*xs), rtol=1e-10)
