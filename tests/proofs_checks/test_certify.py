"""certify: what it proves, what it refutes, and what it admits not to know."""

import json
import math
import pickle
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import ArgumentError, ShapeError
from taglessad.interpreters import Exact
from taglessad.primitive import PRIMITIVES, diagonal
from taglessad.proofs_checks import Certificate, certify
from taglessad.proofs_checks.faults import Fault
from taglessad.proofs_checks.mutants import planted

pytest.importorskip("flint")

Program = Callable[..., Any]
rng = np.random.default_rng(0)


def gradient(f: Program, *args: Any) -> Any:
    """The float64 gradient in the first argument, as NumPy has it."""
    return np.asarray(tad.grad(f)(*args))


def difference(f: Program, x: float, h: float) -> float:
    """A central difference, as a gradient check takes it."""
    return (float(f(x + h)) - float(f(x - h))) / (2 * h)


# --- what is certified ---------------------------------------------------------------------------
X, Y = rng.standard_normal((200, 50)), np.where(rng.random(200) < 0.5, -1.0, 1.0)
W = rng.standard_normal(50)


def logistic(w: Any) -> Any:
    return tad.sum(tad.nn.functional.softplus(-Y * (X @ w)))


def test_logistic_loss_of_fifty_variables() -> None:
    c = certify(logistic, W, against=gradient(logistic, W))
    assert c.status == "CERTIFIED" and c.prec == 128
    assert c.rule_free.agreed and c.rule_free.width < 1e-30
    (g,) = c.grads
    assert g.shape == (50,) and np.all(np.nextafter(g.lo, np.inf) >= g.hi)
    assert c.against is not None and c.against.explained and c.against.effective_bits == 53
    c.assert_within(ulp=1000, normwise=10)
    certify(logistic, W).assert_within(ulp=1000)  # of tad.grad's own result
    with pytest.raises(AssertionError, match="more than 0.1 ulp off"):
        c.assert_within(ulp=0.1)


def test_logsumexp_of_large_values() -> None:
    x = np.asarray([1000.0, 999.5, -1000.0, 3.25, 998.0])
    c = certify(tad.special.logsumexp, x)
    assert c.status == "CERTIFIED" and c.rule_free.each
    with mpmath.workdps(60):
        weights = [mpmath.exp(mpmath.mpf(v) - 1000) for v in x.tolist()]
        for e, w in zip(c.grads[0], weights, strict=True):
            low, high = e.exact
            true = w / sum(weights)
            assert mpmath.mpf(low.numerator) / low.denominator <= true
            assert true <= mpmath.mpf(high.numerator) / high.denominator


def test_the_naive_form_gives_nan_and_is_refuted_with_the_true_value() -> None:
    x = np.asarray([1000.0, 999.5, -1000.0, 3.25, 998.0])
    naive = lambda x: tad.log(tad.sum(tad.exp(x)))
    c = certify(naive, x, against=gradient(naive, x))
    assert c.status == "REFUTED" and c.against is not None and c.against.nonfinite == 3
    assert "it has nan, the true value is 0.574096992967694" in c.reason


def test_an_overflow_of_the_program_is_named() -> None:
    softplus = lambda x: tad.log(1.0 + tad.exp(x))
    c = certify(softplus, 800.0, against=gradient(softplus, 800.0))
    named = "not explained by rounding in this order of operations, but an intermediate overflows"
    assert c.status == "REFUTED" and f"{named} in float64: exp made an infinity of 800." in c.reason
    assert f"{__file__}:" in c.reason and "softplus = lambda x" in c.reason
    assert c.against is not None and c.against.overflow in str(c) and "exp made" in str(c)
    later = certify(softplus, 800.0)  # the float result comes later
    assert "exp made an infinity" in later.compare(gradient(softplus, 800.0)).overflow
    assert later.compare(1.0).overflow == ""  # that one is right
    assert "exp made" in json.loads(c.to_json())["against"]["overflow"]


def test_a_range_left_downward_or_backward_is_named() -> None:
    inverse = lambda x: 1.0 / tad.exp(x)  # at -750 true, in floats 1 / 0
    c = certify(inverse, -750.0, against=gradient(inverse, -750.0))
    assert "an intermediate is not finite in float64: div made an infinity of 1., 0." in c.reason
    narrow = np.asarray([200.0], np.float32)
    f = lambda x: tad.sum(tad.log(tad.exp(x)))
    c = certify(f, narrow, against=gradient(f, narrow))
    assert "an intermediate overflows in float32: exp made an infinity of [200.]" in c.reason


def test_nothing_is_said_of_an_overflow_that_does_no_harm_or_is_not_there() -> None:
    f = lambda x: tad.where(x > 50.0, x, tad.log(1.0 + tad.exp(x)))
    c = certify(f, 800.0, against=1.0)
    assert c.against is not None and c.against.explained and c.against.overflow == c.overflow == ""
    wrong = certify(lambda x: x**3, 2.0, against=12.5)
    assert wrong.status == "REFUTED" and wrong.overflow == ""
    assert wrong.reason.endswith("not explained by rounding in this order of operations")


def mlp(w1: Any, w2: Any, x: Any) -> Any:
    return tad.sum(tad.tanh(x @ w1) @ w2) ** 2


def test_a_network_of_ten_thousand_parameters() -> None:
    w1, w2 = rng.standard_normal((90, 100)) / 10, rng.standard_normal((100, 10))
    x = rng.standard_normal((16, 90))
    got = tad.grad(mlp, (0, 1))(w1, w2, x)
    c = certify(mlp, w1, w2, x, wrt=["w1", "w2"], against=got)
    assert c.status == "CERTIFIED" and sum(e.size for e in c.leaves) == 10_000
    assert [e.shape for e in c.grads] == [(90, 100), (100, 10)]
    assert c.against is not None and c.against.explained
    assert "with probability at most 2**-19" in str(c.rule_free)


def test_every_real_argument_in_order_and_wrt() -> None:
    f = lambda x, n, y: x * y**2 + n
    both = certify(f, 3.0, 2, np.asarray(5.0))
    assert [e.exact[0] for e in both.grads] == [25, 30] and both.value.exact == (77, 77)
    assert [e.exact[0] for e in certify(f, 3.0, 2, 5.0, wrt="y").grads] == [30]
    assert [e.exact[0] for e in certify(f, 3.0, 2, 5.0, wrt=(2, 0)).grads] == [30, 25]
    with pytest.raises(ArgumentError, match="no argument holds a real number"):
        certify(lambda n: n * 1.0, 3)
    with pytest.raises(ShapeError, match="must return a scalar"):
        certify(lambda x: x * 2, np.ones(3))


def test_trees_of_arguments_give_trees_of_enclosures() -> None:
    c = certify(lambda p: p["a"] * tad.sum(p["b"]), {"a": 2.0, "b": np.ones(2)})
    assert set(c.grads[0]) == {"a", "b"} and c.grads[0]["b"].exact[0].tolist() == [2, 2]


def test_a_loop_is_certified_too() -> None:
    def root(a: Any) -> Any:
        step = lambda s: (s[0] + 1, (s[1] + a / s[1]) / 2)
        return tad.while_loop(lambda s: s[0] < 6, step, (0, a))[1]

    c = certify(root, 2.0)
    assert c.status == "CERTIFIED"
    assert c.grads[0].contains(tad.interpret(tad.grad(root), Exact())(2.0))
    assert abs(float(c.grads[0].mid) - 0.5 / math.sqrt(2)) < 1e-15


@pytest.mark.parametrize("f", [tad.special.erf, lambda x: tad.log2(x + 2), lambda x: x / 3 + 0.1])
def test_constants_of_a_loop_that_was_recorded_are_exact(f: Program) -> None:
    step = lambda s: (s[0] + 1, f(s[1]))
    assert certify(lambda x: tad.while_loop(lambda s: s[0] < 3, step, (0, x))[1], 0.3).status == (
        "CERTIFIED"
    )


@pytest.mark.parametrize(
    "f",
    [
        lambda a: tad.sum(tad.linalg.inv(a)),
        lambda a: tad.linalg.slogdet(a)[1],
        lambda a: tad.sum(tad.linalg.cholesky(a)),
        lambda a: tad.sum(tad.linalg.eigvalsh(a) * np.arange(1.0, 4.0)),
        lambda a: tad.sum(tad.linalg.eigh(a)[1] ** 4),
        lambda a: tad.sum(tad.linalg.qr(a)[1]),
        lambda a: tad.sum(tad.linalg.svd(a)[1]),
        lambda a: tad.sum(tad.linalg.expm(a)),
        lambda a: tad.sum(tad.fft.rfft(a)[0] ** 3) + tad.sum(tad.fft.rfft(a)[1] ** 2),
    ],
    ids=["inv", "slogdet", "cholesky", "eigvalsh", "eigh", "qr", "svd", "expm", "rfft"],
)
def test_linear_algebra_is_certified(f: Program) -> None:
    a = np.asarray([[4.0, 2.0, 1.0], [2.0, 5.0, 0.5], [1.0, 0.5, 3.0]])
    c = certify(f, a, against=gradient(f, a))
    assert c.status == "CERTIFIED", str(c)


# --- floats that are wrong -----------------------------------------------------------------------
def test_cancellation_is_refuted_with_the_true_value() -> None:
    f = lambda x: (1 - tad.cos(x)) / (x * x)
    c = certify(f, 1e-6, against=gradient(f, 1e-6))
    assert c.status == "REFUTED" and c.against is not None
    assert c.against.ulp > 1e8 and c.against.explained
    assert "the true value is -8.33333333333" in c.reason
    assert c.rule_free.agreed
    with pytest.raises(AssertionError, match="REFUTED"):
        c.assert_within(ulp=4)


def muller(a: Any) -> Any:
    b = -4.0 + 0 * a
    for _ in range(50):
        a, b = b, 111 - 1130 / b + 3000 / (a * b)
    return b


def test_muller_where_derivative_and_difference_agree_and_both_are_wrong() -> None:
    got = gradient(muller, 2.0)
    assert abs(float(got) - difference(muller, 2.0, 1e-6)) < 1e-8  # a gradient check passes
    c = certify(muller, 2.0, against=got)
    assert c.status == "REFUTED" and c.rule_free.agreed
    assert 1.08e61 < float(c.grads[0].lo) <= float(c.grads[0].hi) < 1.09e61
    assert c.against is not None and c.against.over_radius is None  # no digit is justified
    assert abs(float(c.value.mid) - 6.000122) < 1e-6


def test_a_false_tie_where_derivative_and_difference_are_0_and_the_truth_is_1() -> None:
    f = lambda x: tad.nn.functional.relu((1 + x) - 1)  # 1 + 2e-17 is 1 in float64
    got = gradient(f, 1e-17)
    assert float(got) == difference(f, 1e-17, 1e-17) == 0.0
    c = certify(f, 1e-17, against=got)
    assert c.status == "REFUTED" and c.grads[0].exact == (1, 1) and c.rule_free.agreed
    assert c.against is not None and c.against.flushed == 1


# --- rules that are wrong ------------------------------------------------------------------------
def test_a_rule_that_is_wrong_by_one_part_in_a_billion_is_contradicted() -> None:
    def partial(ops: Any, y: Any, x: Any) -> Any:
        return ops.mul(ops.scalar(1 + 1e-9, x), ops.sigmoid(x))

    prim = PRIMITIVES["softplus"]
    wrong = Fault("scaled", "softplus times 1 + 1e-9", {"slots": (diagonal(partial),)})
    with planted(prim, wrong):
        c = certify(logistic, W)
        tad.checks.check_derivative(logistic, W)  # which does not see it
    assert c.status == "REFUTED" and c.rule_free.agreed is False
    assert "the derivative rules are contradicted" in c.reason and c.rule_free.gap > 1e-12


def test_a_custom_rule_that_is_wrong_is_contradicted() -> None:
    @tad.custom_jvp
    def square(x: Any) -> Any:
        return x * x

    square.defjvp(lambda primals, tangents: (primals[0] ** 2, 3 * tangents[0]))
    c = certify(square, 0.5)
    assert c.status == "REFUTED" and c.rule_free.gap == pytest.approx(2)


# --- what is only enclosed, or not certified -----------------------------------------------------
def test_at_a_kink_every_derivative_is_enclosed() -> None:
    c = certify(lambda x: tad.nn.functional.relu(x) * 3, 0.0)
    assert c.status == "ENCLOSED" and "relu: a tie" in c.reason
    assert float(c.grads[0].lo) <= 0 and 3 <= float(c.grads[0].hi) < 3.01
    report = c.compare(1.5)
    assert report.ties == 1 and report.ulp == 0
    assert c.compare(5.0).ulp > 1e10


def test_a_kink_that_does_not_count_is_no_obstacle() -> None:
    c = certify(lambda x: tad.abs(tad.nn.functional.relu(x)) + x, -1.0)
    assert c.status == "CERTIFIED" and c.grads[0].exact == (1, 1)
    assert [e.op for e in c.events][:1] == ["abs"]


@pytest.mark.parametrize(
    "f",
    [
        lambda x: tad.where(x <= 0, 0.0, x + 1),
        lambda x: tad.where(x == 0, 1.0, tad.expm1(x) / x),
        lambda x: tad.floor(x) + x,
        lambda x: tad.stack([x, 2 * x])[tad.argmax(tad.stack([x, 2 * x]))],
        lambda x: tad.atan2(x, -1.0),
        lambda x: tad.copysign(1.0, x) * x,
        lambda x: tad.sort(tad.stack([x, 2 * x]))[0],
        lambda x: tad.searchsorted(tad.asarray([0.0, 1.0]), x) * x,
        lambda x: tad.cond(x > 0, lambda x: x * x, lambda x: -x, x),
    ],
)
def test_at_a_jump_nothing_is_certified(f: Program) -> None:
    c = certify(f, 0.0)
    assert c.status == "NOT_CERTIFIED" and "may jump, or its branch change" in c.reason
    with pytest.raises(AssertionError, match="NOT_CERTIFIED"):
        c.assert_within()


def test_nor_where_a_length_is_zero() -> None:
    assert certify(lambda x: tad.hypot(x, x) ** 2, 0.0).status == "NOT_CERTIFIED"


def test_an_integer_of_a_number_is_held_fixed() -> None:
    c = certify(lambda x: x * tad.astype(x, "int64"), 2.5)
    assert c.status == "CERTIFIED" and c.grads[0].exact == (2, 2) and len(c.modulo) == 1


def test_a_selection_by_data_is_no_jump() -> None:
    data = np.asarray([0.0, 1.0, -1.0])
    assert (
        certify(lambda x: tad.sum(tad.where(data > 0, x, x * x)), np.ones(3)).status == "CERTIFIED"
    )


def test_outside_the_domain_nothing_is_known() -> None:
    c = certify(lambda x: tad.log(x - x), 1.0)
    assert c.status == "NOT_CERTIFIED" and "log: perhaps outside its domain" in c.reason


def test_values_behind_detach_are_held_fixed_in_both_computations() -> None:
    c = certify(lambda x: x * tad.detach(tad.exp(x)), 1.0)
    assert c.status == "CERTIFIED" and abs(float(c.grads[0].mid) - math.e) < 1e-15
    assert len(c.modulo) == 1 and "detach are held fixed" in c.modulo[0]
    assert certify(lambda x: x * tad.no_grad(tad.exp)(x), 1.0).status == "CERTIFIED"


def test_without_the_second_computation_it_is_only_enclosed() -> None:
    c = certify(tad.exp, 1.0, directions=0)
    assert c.status == "ENCLOSED" and "rules alone" in c.reason
    assert certify(logistic, W, directions=3).rule_free.directions == 3


# --- float results of other libraries ------------------------------------------------------------
def test_a_result_of_jax() -> None:
    jax = pytest.importorskip("jax")
    import jax.numpy as jnp

    f = lambda w: jnp.sum(
        jax.nn.softplus(-jnp.asarray(Y, "float32") * (jnp.asarray(X, "float32") @ w))
    )
    w = W.astype(np.float32)
    got = jax.grad(f)(w)
    mine = lambda w: tad.sum(tad.nn.functional.softplus(-Y.astype("f4") * (X.astype("f4") @ w)))
    c = certify(mine, w, against=got)
    assert c.status == "CERTIFIED" and c.against is not None and c.against.dtype == np.float32
    assert c.against.explained and c.against.effective_bits == 24 and c.against.normwise < 50


@pytest.mark.slow
def test_a_result_of_pytorch_and_the_shortcut_that_it_takes() -> None:
    torch = pytest.importorskip("torch")
    c = certify(logistic, W)

    def torch_gradient(softplus: Program) -> Any:
        w = torch.tensor(W, requires_grad=True)
        softplus(-torch.tensor(Y) * (torch.tensor(X) @ w)).sum().backward()
        return w.grad

    zero = torch.zeros((), dtype=torch.float64)
    got = torch_gradient(lambda z: torch.logaddexp(z, zero))
    report = c.compare(got)
    assert report.dtype == np.float64 and report.explained and report.normwise < 50
    c.assert_within(got, normwise=50)
    # Its softplus is the identity above 20, where exp(-20) is left out: 36 bits are right.
    short = c.compare(torch_gradient(torch.nn.functional.softplus))
    assert not short.explained and short.effective_bits is not None and short.effective_bits < 40
    assert c.compare([got.to(torch.bfloat16)], dtype="float32").over_radius > 4


def test_reduced_precision_is_told_from_rounding() -> None:
    got = gradient(logistic, W)
    crude = got.astype(np.float16).astype(np.float64)
    report = certify(logistic, W).compare(crude)
    assert not report.explained and report.effective_bits is not None
    assert report.effective_bits < 30


def test_zeros_of_either_sign_and_flushed_ones_are_counted() -> None:
    c = certify(lambda x: tad.sum(x * x), np.asarray([0.0, 1e-200, 1.0]))
    report = c.compare(np.asarray([-0.0, 0.0, 2.0]))
    assert (report.signed_zeros, report.flushed, report.nonfinite) == (1, 1, 0)
    assert report.index == (0, (1,)) and report.got == 0.0
    with pytest.raises(ShapeError, match=r"part 0 of the result has shape \[2\]"):
        c.compare(np.ones(2))
    with pytest.raises(ShapeError, match="2 results for a gradient of 1 parts"):
        c.compare([np.ones(3), np.ones(3)])


# --- reports -------------------------------------------------------------------------------------
def test_reports_say_the_same_in_text_json_and_html() -> None:
    f = lambda x: tad.nn.functional.relu(x) + tad.exp(x)
    f.__name__ = "<script>alert(1)</script>"
    c = certify(f, 0.0, against=1.0)
    text, page = str(c), c.to_html()
    assert text.startswith("ENCLOSED: <script>") and "relu: a tie" in text
    assert "<script>" not in page and "&lt;script&gt;" in page and c._repr_html_() == page
    told = json.loads(c.to_json())
    assert told["status"] == "ENCLOSED" and told["gradient"][0]["shape"] == []
    assert told["gradient"][0]["lo"][0] <= 1.0 and told["against"]["dtype"] == "float64"


def test_a_certificate_is_picklable() -> None:
    c = certify(logistic, W, against=gradient(logistic, W))
    again: Certificate = pickle.loads(pickle.dumps(c))
    assert again.status == c.status and np.array_equal(again.grads[0].lo, c.grads[0].lo)
    assert again.compare(gradient(logistic, W)).normwise == pytest.approx(c.against.normwise)


def test_it_is_among_the_checks() -> None:
    assert tad.checks.certify is certify


# --- float64 gradients of random programs lie where they must ------------------------------------
STEPS: dict[str, Program] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / (2 + b * b),
    "sin": lambda a, b: tad.sin(a),
    "tanh": lambda a, b: tad.tanh(a),
    "exp": lambda a, b: tad.exp(-a * a),
    "log": lambda a, b: tad.log1p(a * a),
    "relu": lambda a, b: tad.nn.functional.relu(a),
    "abs": lambda a, b: tad.abs(a),
    "max": lambda a, b: tad.maximum(a, b),
    "where": lambda a, b: tad.where(a < b, a, b * 2),
    "softplus": lambda a, b: tad.nn.functional.softplus(a),
    "erf": lambda a, b: tad.special.erf(a),
}


def random_program(seed: int) -> Program:
    """Twelve random steps on three numbers."""
    source = np.random.default_rng(seed)
    names = source.choice(sorted(STEPS), 12)
    places = source.integers(0, 1 << 16, (12, 2))

    def program(x: Any) -> Any:
        values = [x[0], x[1], x[2]]
        for name, (i, j) in zip(names, places, strict=True):
            values.append(STEPS[name](values[i % len(values)], values[j % len(values)]))
        return values[-1] + values[-2] * 0.5

    return program


def unexplained(seed: int) -> bool:
    """Whether a float64 gradient is not where certificate and rounding say it is."""
    f = random_program(seed)
    x = np.random.default_rng(seed + 1).uniform(-2, 2, 3)
    c = certify(f, x, against=gradient(f, x), seed=seed)
    assert c.rule_free.agreed is not False, str(c)
    assert c.against is not None
    return not (c.against.explained or c.against.ulp <= 1)


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_lie_within_enclosure_and_rounding(seed: int) -> None:
    assert not unexplained(seed)


@pytest.mark.slow
def test_a_thousand_random_programs() -> None:
    assert [seed for seed in range(1000) if unexplained(seed)] == []
