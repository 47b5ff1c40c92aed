"""bfloat16: on JAX right to its few digits, in every primitive; elsewhere refused with what to do."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import errors, nn, optim, trees
from taglessad.primitive import PRIMITIVES, Prim, PrimN
from taglessad.proofs_checks.domains import cases
from taglessad.proofs_checks.runs import active, as_program, value, weighted

jax = pytest.importorskip("jax")
jnp = jax.numpy
from taglessad.interpreters import Jax  # noqa: E402  # after the skip

HALF = np.dtype(jnp.bfloat16)
EPS = 2.0**-7
LIBRARY = [
    p for p in PRIMITIVES.values() if not p.name.startswith("test_") and not isinstance(p, PrimN)
]
# One of each family; the others are compiled when slow tests are asked for.
FAMILIES = {"mul", "tanh", "sum", "concat", "take", "where", "contract", "convolution", "solve"}


def marked(prims: list[Prim]) -> list[Any]:
    return [
        pytest.param(p, id=p.name, marks=() if p.name in FAMILIES else (pytest.mark.slow,))
        for p in prims
    ]


def halved(prim: Prim) -> tuple[Any, Any]:
    """A case with its real operands rounded to bfloat16; and the same numbers in float64."""
    case = cases(prim.name, 1)[0]
    operands = [np.asarray(x) for x in case.operands]
    rounded = [jnp.asarray(x, HALF) if x.dtype.kind == "f" else x for x in operands]
    wide = [np.asarray(x, np.float64) if x.dtype == HALF else x for x in rounded]
    return case._replace(operands=tuple(rounded)), case._replace(operands=tuple(wide))


def close(got: Any, want: Any, rtol: float) -> None:
    scale = float(np.max(np.abs(np.asarray(want, float)), initial=1.0))
    np.testing.assert_allclose(np.asarray(got, float), want, rtol=0, atol=rtol * scale)


@pytest.mark.parametrize("prim", marked(LIBRARY))
def test_value(prim: Prim) -> None:
    case, wide = halved(prim)
    expected = np.asarray(value(prim, wide.operands, wide.params))
    got = np.asarray(Jax().run(prim, case.operands, case.params))
    close(got, expected, 2 * EPS)
    real = expected.dtype.kind == "f" and prim.name != "cast"
    assert got.dtype == (HALF if real else expected.dtype)


SMOOTH = [p for p in LIBRARY if any(slot is not None for slot in p.slots) and p.name != "cast"]


@pytest.mark.parametrize("prim", marked(SMOOTH))
def test_gradient(prim: Prim) -> None:
    case, wide = halved(prim)
    positions = active(prim, case)
    if not positions:
        pytest.skip("the case has no real operand")
    shape = np.shape(value(prim, wide.operands, wide.params))
    weights = np.random.default_rng(1).uniform(-1, 1, shape).astype(HALF)

    def gradient(case: Any, weights: Any) -> Any:
        own = tuple(range(len(positions)))
        return tad.grad(weighted(as_program(prim, case, positions), weights), own)

    points = [case.operands[i] for i in positions]
    found = tad.jit(gradient(case, jnp.asarray(weights)), Jax())(*points)
    known = gradient(wide, weights.astype(np.float64))(*[wide.operands[i] for i in positions])
    for got, want in zip(found, known, strict=True):
        assert got.dtype == HALF
        close(got, want, 4 * EPS)


# --- mixed precision -------------------------------------------------------------------------------
X = np.random.default_rng(0).standard_normal((64, 8)).astype(np.float32)
Y = np.argmax(X[:, :4], axis=1)


def classifier() -> nn.Sequential:
    layers = nn.Linear(8, 32, rng=0), nn.Tanh(), nn.LayerNorm(32), nn.Linear(32, 4, rng=1)
    model: nn.Sequential = trees.map(lambda w: w.astype(np.float32), nn.Sequential(*layers))
    return model


def loss(model: Any, x: Any, y: Any) -> Any:
    return tad.mean(nn.functional.cross_entropy(model(x), y))


def mixed(model: Any, x: Any, y: Any) -> Any:
    """Parameters and the loss in float32, all between in bfloat16."""
    narrow = trees.map(lambda w: w.astype("bfloat16"), model)
    scores = narrow(x.astype("bfloat16"))
    assert scores.dtype == HALF
    return tad.mean(nn.functional.cross_entropy(scores.astype(tad.float32), y))


def test_the_gradient_of_float32_parameters_through_bfloat16() -> None:
    gradient = tad.jit(tad.grad(mixed), Jax())
    g, exact = gradient(classifier(), X, Y), tad.grad(loss)(classifier(), X, Y)
    for got, want in zip(trees.leaves(g), trees.leaves(exact), strict=True):
        assert got.dtype == np.float32
        assert 0 < np.max(np.abs(np.asarray(got) - np.asarray(want))) < 8 * EPS
    products = [
        line
        for line in gradient.lower(classifier(), X, Y).as_text().splitlines()
        if "dot_general" in line
    ]
    assert len(products) == 5 and all("bf16" in line for line in products)


def test_a_training() -> None:
    optimiser = optim.adam(0.02)

    def step(model: Any, state: Any) -> Any:
        value, g = tad.value_and_grad(mixed)(model, X, Y)
        updates, state = optimiser.update(g, state, model)
        return optim.apply_updates(model, updates), state, value

    run, model = tad.jit(step, Jax()), classifier()
    state, losses = optimiser.init(model), []
    for _ in range(60):
        model, state, value = run(model, state)
        losses.append(float(value))
    assert losses[-1] < 0.1 * losses[0]


def test_optax_may_keep_its_moments_in_bfloat16() -> None:
    optax = pytest.importorskip("optax")
    optimiser = optax.adamw(0.02, mu_dtype=jnp.bfloat16)

    @jax.jit
    def step(model: Any, state: Any) -> Any:
        updates, state = optimiser.update(tad.grad(loss)(model, X, Y), state, model)
        return optax.apply_updates(model, updates), state

    model = classifier()
    state = optimiser.init(model)
    for _ in range(30):
        model, state = step(model, state)
    assert state[0].mu.layers[0].w.dtype == HALF
    assert loss(model, X, Y) < 0.5 * loss(classifier(), X, Y)


# --- the rest of the language ----------------------------------------------------------------------
def test_what_it_meets() -> None:
    x = tad.asarray(jnp.asarray([1.0, 2.0], jnp.bfloat16))
    others = {"bfloat16": HALF, "float16": np.float32, "float32": np.float32, "float64": np.float64}
    for name, expected in {**others, "int64": HALF, "uint8": HALF, "bool": HALF}.items():
        other = x.astype(name)
        assert (x * other).dtype == (other * x).dtype == expected
    assert (2.5 * x).dtype == (x + 1).dtype == (-x).dtype == HALF
    assert tad.result_type(x, 1.0) == HALF and not tad.can_cast(x, tad.float16)
    assert tad.isdtype(HALF, ("real floating", "bool")) and tad.isdtype(HALF, HALF)
    assert not tad.isdtype(HALF, "integral") and not tad.isdtype(HALF, tad.float32)
    theirs = jnp.finfo(jnp.bfloat16)
    limits = theirs.bits, *map(float, (theirs.eps, theirs.max, theirs.min, theirs.tiny))
    assert tad.finfo(x) == (HALF, *limits)


def test_functions_that_look_at_the_dtype() -> None:
    x = jnp.asarray(np.random.default_rng(0).standard_normal((4, 4)), jnp.bfloat16)
    wide = np.asarray(x, np.float64)
    for f in (tad.std, tad.var, tad.linalg.pinv, tad.nan_to_num, tad.linalg.vector_norm):
        y = f(x)
        assert y.dtype == HALF
        close(y, f(wide), 16 * EPS)
    assert tad.zeros_like(x).dtype == tad.ones_like(x).dtype == tad.full_like(x, 0.5).dtype == HALF
    top = tad.asarray(x).at[0].set(0.5)
    assert top.dtype == HALF and (np.asarray(top[0], float) == 0.5).all()


def test_transforms_and_loops() -> None:
    x = jnp.asarray([0.5, 1.5], jnp.bfloat16)
    powers = lambda t: tad.while_loop(lambda c: c < 9.0, lambda c: c * t, t)
    close(tad.grad(powers)(jnp.asarray(2.0, jnp.bfloat16)), 4 * 2.0**3, EPS)
    scanned = lambda x: tad.sum(tad.scan(lambda c, k: (c * k, c), x[0], x)[1])
    g = tad.jit(tad.grad(scanned), Jax())(x)
    assert g.dtype == HALF
    close(g, tad.grad(scanned)(np.asarray(x, np.float64)), 2 * EPS)
    close(tad.vmap(tad.grad(tad.sin))(x), np.cos(np.asarray(x, float)), EPS)
    close(tad.hessian(lambda x: tad.sum(x**3))(x), np.diag(6 * np.asarray(x, float)), EPS)

    @tad.custom_vjp
    def twice(x: Any) -> Any:
        return 2.0 * x

    twice.defvjp(lambda x: (twice(x), None), lambda _, g: (2.0 * g,))
    assert tad.grad(lambda x: tad.sum(twice(x)))(x).tolist() == [2.0, 2.0]


def test_trees_hold_it() -> None:
    narrow = jax.tree.map(lambda w: jnp.asarray(w, jnp.bfloat16), classifier())
    assert isinstance(narrow.layers[0].w, tad.Tensor) and narrow.layers[0].w.dtype == HALF
    back = jax.tree.map(lambda w: w.astype(jnp.float32), narrow)
    assert jax.tree.structure(back) == jax.tree.structure(classifier())
    assert tad.to_numpy(narrow.layers[0].w).dtype == HALF
    assert tad.to_jax(narrow.layers[0].w).dtype == HALF


# --- where it is refused ---------------------------------------------------------------------------
ARRAY = np.ones(2, HALF)
REFUSED: dict[str, Any] = {
    "a NumPy array": lambda: tad.sin(ARRAY),
    "an argument of jit": lambda: tad.jit(tad.sin, Jax())(ARRAY),
    "astype": lambda: tad.ones(2).astype("bfloat16"),
    "astype, jit": lambda: tad.jit(lambda x: x.astype("bfloat16"))(np.ones(2)),
    "astype, vmap": lambda: tad.vmap(lambda x: x.astype("bfloat16"))(np.ones(2)),
    "full": lambda: tad.full(2, 0.5, dtype="bfloat16"),
    "zeros": lambda: tad.zeros(2, dtype="bfloat16"),
    "a layer": lambda: nn.Linear(2, 3, dtype="bfloat16"),
    "random numbers": lambda: tad.random.normal(tad.random.key(0), (2,), dtype="bfloat16"),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_elsewhere_it_is_refused(call: Any) -> None:
    with pytest.raises(errors.DTypeError, match="bfloat16 is a dtype of JAX's alone; use float32"):
        call()


def test_no_numbers_are_drawn_in_it() -> None:
    with pytest.raises(errors.DTypeError, match="numbers are not drawn in bfloat16"):
        tad.random.normal(tad.random.key(0), loc=jnp.ones(2, jnp.bfloat16))


def test_files_do_not_have_it(tmp_path: Path) -> None:
    numpy = pytest.importorskip("safetensors.numpy")
    with pytest.raises(errors.DTypeError, match="save: w: bfloat16 is a dtype of JAX's alone"):
        tad.save(tmp_path / "file", {"w": jnp.ones(2, jnp.bfloat16)})
    numpy.save_file({"w": ARRAY}, tmp_path / "file")
    with pytest.raises(errors.DTypeError, match="w: bfloat16 is a dtype of JAX's alone"):
        tad.load(tmp_path / "file")


def test_segments_and_recurrent_layers() -> None:
    x, ids = jnp.asarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], HALF), np.asarray([0, 0, 2])
    for f, want in (
        (tad.segment_sum, [[4, 6], [0, 0], [5, 6]]),
        (tad.segment_prod, [[3, 8], [1, 1], [5, 6]]),
        (tad.segment_max, [[3, 4], [-np.inf, -np.inf], [5, 6]]),
    ):
        found = f(x, ids, 3)
        assert found.dtype == HALF
        np.testing.assert_array_equal(found.astype(tad.float64), want)
    g = tad.grad(lambda x: tad.sum(tad.segment_prod(x, ids, 3)))(x)
    np.testing.assert_array_equal(g.astype(tad.float64), [[3, 4], [1, 2], [1, 1]])
    layer = trees.map(
        lambda w: tad.asarray(jnp.asarray(tad.to_numpy(w), HALF)), nn.GRU(2, 3, rng=0)
    )
    assert tad.jit(lambda layer, x: layer(x)[0], Jax())(layer, x).dtype == HALF


def test_sums_of_sixteen_bits_are_added_in_more() -> None:
    ones = np.ones((4096, 2), np.float16)
    for f in (lambda x: tad.sum(x, axis=0), tad.jit(lambda x: tad.sum(x, axis=0))):
        np.testing.assert_array_equal(f(ones), [4096, 4096])
    np.testing.assert_array_equal(tad.jit(lambda x: tad.sum(x, axis=0), Jax())(ones), [4096, 4096])
    assert float(tad.sum(jnp.ones(4096, HALF))) == 4096.0
