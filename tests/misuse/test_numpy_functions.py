"""NumPy's own functions on handles: an error that names ours, never a gradient that is lost."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from scipy import special

import taglessad as tad
from taglessad.errors import ArgumentError
from taglessad.numpy_names import ARRAY_API_NAMES
from taglessad.numpy_protocols import ours
from tests.misuse.misuse import Misuse, check, each, misuse, misuse_with

V = tad.asarray([1.0, 2.0, 3.0])
A = tad.ones((2, 2))
OUT = np.zeros(3)

# NumPy's name, as it is called: (the call, ours)
CALLS: dict[str, tuple[Any, str]] = {
    "np.sin": (lambda x: np.sin(x), "tad.sin"),
    "np.exp": (lambda x: np.exp(x), "tad.exp"),
    "np.absolute": (lambda x: np.absolute(x), "tad.abs"),
    "np.arctan2": (lambda x: np.arctan2(x, 1.0), "tad.atan2"),
    "np.arcsinh": (lambda x: np.arcsinh(x), "tad.asinh"),
    "np.maximum": (lambda x: np.maximum(x, 1.0), "tad.maximum"),
    "np.logaddexp": (lambda x: np.logaddexp(x, 1.0), "tad.logaddexp"),
    "np.isnan": (lambda x: np.isnan(x), "tad.isnan"),
    "np.invert": (lambda x: np.invert(x > 0.0), "tad.bitwise_invert"),
    "np.sqrt with out": (lambda x: np.sqrt(x, out=OUT), "tad.sqrt"),
    "np.add with out": (lambda x: np.add(x, x, out=OUT), "tad.add"),
    "np.add with dtype": (lambda x: np.add(x, x, dtype=np.float32), "tad.add"),
    "np.multiply with where": (lambda x: np.multiply(x, x, where=[True]), "tad.multiply"),
    "np.add.reduce": (lambda x: np.add.reduce(x), "tad.sum"),
    "np.multiply.reduce": (lambda x: np.multiply.reduce(x), "tad.prod"),
    "np.maximum.reduce": (lambda x: np.maximum.reduce(x), "tad.max"),
    "np.add.accumulate": (lambda x: np.add.accumulate(x), "tad.cumulative_sum"),
    "np.multiply.outer": (lambda x: np.multiply.outer(x, x), "tad.linalg.outer"),
    "np.add.at": (lambda x: np.add.at(OUT, [0, 1, 2], x), "tad.add"),
    "np.sum": (lambda x: np.sum(x), "tad.sum"),
    "np.mean": (lambda x: np.mean(x), "tad.mean"),
    "np.max": (lambda x: np.max(x), "tad.max"),
    "np.clip": (lambda x: np.clip(x, 0.0, 1.0), "tad.clip"),
    "np.cumsum": (lambda x: np.cumsum(x), "tad.cumulative_sum"),
    "np.dot": (lambda x: np.dot(x, x), "tad.matmul"),
    "np.einsum": (lambda x: np.einsum("i,i->", x, x), "tad.einsum"),
    "np.where": (lambda x: np.where(True, x, x), "tad.where"),
    "np.stack": (lambda x: np.stack([x, x]), "tad.stack"),
    "np.concatenate": (lambda x: np.concatenate([x, x]), "tad.concat"),
    "np.reshape": (lambda x: np.reshape(x, (1, -1)), "tad.reshape"),
    "np.transpose": (lambda x: np.transpose(x), "tad.permute_dims"),
    "np.zeros_like": (lambda x: np.zeros_like(x), "tad.zeros_like"),
    "np.linalg.norm": (lambda x: np.linalg.norm(x), "tad.linalg.vector_norm"),
    "np.linalg.outer": (lambda x: np.linalg.outer(x, x), "tad.linalg.outer"),
    "np.trace": (lambda x: np.trace(x), "tad.linalg.trace"),
    "np.outer": (lambda x: np.outer(x, x), "tad.linalg.outer"),
    "np.fft.rfft": (lambda x: np.fft.rfft(x), "tad.fft.rfft"),
    "np.i0": (lambda x: np.i0(x), "tad.special.i0"),
    "scipy.special.erf": (lambda x: special.erf(x), "tad.special.erf"),
    "scipy.special.psi": (lambda x: special.psi(x), "tad.special.digamma"),
    "scipy.special.gammainc": (lambda x: special.gammainc(x, 1.0), "tad.special.gammainc"),
}
EAGER = {
    name: misuse_with(call, V, ArgumentError, f"{name} does not take handles", f"use {ours}")
    for name, (call, ours) in CALLS.items()
}
CONTEXTS = {
    "with no_grad": misuse(
        lambda: tad.no_grad(), ArgumentError, "no_grad", "no_grad(f)(x)", "`with no_grad():`"
    ),
    "device": misuse(lambda: V.to_device("gpu"), ArgumentError, "to_device", "'gpu'", "'cpu'"),
}


@each(EAGER | CONTEXTS)
def test_misuse(row: Misuse) -> None:
    check(row)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("transform", [tad.grad, tad.jit, tad.jacfwd], ids=lambda t: t.__name__)
def test_inside_transforms(transform: Any, name: str) -> None:
    call, ours = CALLS[name]
    with pytest.raises(ArgumentError) as caught:
        transform(call)(np.ones(3))
    assert f"{name} does not take handles" in caught.value.message
    assert f"use {ours}" in caught.value.message


# A name that others have, and ours.
NAMES = {
    "dot": "matmul",
    "cumsum": "cumulative_sum",
    "cumprod": "cumulative_prod",
    "outer": "linalg.outer",
    "norm": "linalg.vector_norm",
    "arctan2": "atan2",
    "power": "pow",
    "array": "asarray",
    "erf": "special.erf",
    "rfft": "fft.rfft",
    "relu": "nn.functional.relu",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_others_is_an_error_with_ours(name: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(tad, name)
    expected = f"module 'taglessad' has no attribute '{name}'; use tad.{NAMES[name]}"
    assert str(caught.value) == expected
    assert not hasattr(tad, name)
    with pytest.raises(ImportError, match=f"cannot import name '{name}'"):
        exec(f"from taglessad import {name}")


@pytest.mark.parametrize("name", ["foo", "grad", "_erf", "__dot__", "_repr_html_", "linalg", "pi"])
def test_other_names_give_pythons_own_error(name: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(V, name)
    assert str(caught.value) == f"'Tensor' object has no attribute '{name}'"
    assert (caught.value.name, caught.value.obj is V) == (name, True)


@pytest.mark.parametrize("name", ["foo", "calls", "_erf", "__wrapped__"])
def test_other_names_of_the_module_give_the_plain_error(name: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(tad, name)
    assert str(caught.value) == f"module 'taglessad' has no attribute '{name}'"
    assert (caught.value.name, caught.value.obj) == (name, tad)


def test_every_name_in_the_table_leads_to_a_function() -> None:
    assert {name for name in ARRAY_API_NAMES if ours(name) is None} == set()


def test_an_error_within_a_property_is_not_hidden() -> None:
    empty = object.__new__(tad.Tensor)
    with pytest.raises(AttributeError, match="no attribute 'ops'"):
        empty.shape  # noqa: B018  # the property is read


def test_handles_are_copied_and_pickled_as_before() -> None:
    for again in (copy.copy(V), copy.deepcopy(V), pickle.loads(pickle.dumps(V))):
        assert again.tolist() == [1.0, 2.0, 3.0]


def test_with_no_grad_as_a_statement() -> None:
    with pytest.raises(ArgumentError, match=r"no_grad\(f\)\(x\)") as caught:
        with tad.no_grad():
            pass
    assert "with tad.no_grad():" in str(caught.value)


def test_the_ufuncs_of_pythons_operators_reach_the_handle() -> None:
    n = np.array([2.0, 3.0])
    f = lambda t: tad.sum(n * t + t / n - n @ t + n**t + np.float64(2.0) * t + np.multiply(t, n))
    x = np.array([1.0, 2.0])
    expected = n + 1.0 / n - 2.0 * n + n**x * np.log(n) + 2.0 + n
    np.testing.assert_allclose(tad.grad(f)(x), expected, rtol=1e-14)


def test_nothing_was_written_through_out() -> None:
    np.testing.assert_array_equal(OUT, 0.0)
