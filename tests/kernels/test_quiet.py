"""NumPy's warnings are off inside the library and as they were outside: threads, errors."""

import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.kernels import quiet
from taglessad.kernels.quiet import Quiet, quiet_method, quietly

LOUD = pytest.mark.parametrize("state", ["warn", "raise"])


def as_method(ufunc: np.ufunc) -> Callable[..., Any]:
    method = quiet_method(ufunc)
    return lambda *args: method(None, *args)


def within(ufunc: np.ufunc) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        with Quiet():
            return ufunc(*args)

    return call


@LOUD
@pytest.mark.parametrize("guard", [quietly, as_method, within])
def test_no_warning_inside_and_the_users_setting_outside(guard: Any, state: Any) -> None:
    with np.errstate(all=state), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isinf(guard(np.divide)(np.ones(3), np.zeros(3))).all()
        assert np.isnan(guard(np.log)(-np.ones(3))).all()
        with pytest.raises((RuntimeWarning, FloatingPointError)):
            np.divide(np.ones(3), np.zeros(3))


@pytest.mark.parametrize("guard", [quietly, as_method, within])
def test_an_error_inside_leaves_all_as_it_was(guard: Any) -> None:
    before = np.geterr()
    for _ in range(3):
        with pytest.raises(ValueError):
            guard(np.add)(np.ones(3), np.ones(4))
        with pytest.raises(TypeError):
            guard(np.log)("a")
    assert np.geterr() == before
    assert np.isinf(guard(np.divide)(1.0, np.zeros(3))).all()


@LOUD
def test_operators_are_quiet_under_any_setting(state: Any) -> None:
    x = tad.asarray(np.array([1.0, 0.0]))
    with np.errstate(all=state), warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(x / tad.asarray(np.zeros(2)), [np.inf, np.nan])
        np.testing.assert_array_equal(tad.log(x), [0.0, -np.inf])
        assert np.geterr()["divide"] == state


def test_contexts_are_used_again_and_by_one_thread_at_a_time() -> None:
    divide = as_method(np.divide)
    a, b = np.ones(50_000), np.zeros(50_000)
    faults: list[BaseException] = []

    def work() -> None:
        try:
            with np.errstate(all="raise"):
                for _ in range(100):
                    assert np.isinf(divide(a, b)[0])
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert 1 <= len(quiet._POOL) <= 16


def test_a_numpy_that_keeps_its_state_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quiet, "_STATE", None)
    with np.errstate(all="raise"):
        assert np.isinf(as_method(np.divide)(np.ones(3), np.zeros(3))).all()
        assert np.isnan(as_method(np.log)(-np.ones(3))).all()
