"""Arrays that are changed after a call: nothing that came out of the call changes with them."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad


def numbers() -> Any:
    return np.array([1.0, 2.0, 3.0])


MAKERS = {
    "asarray": lambda x: tad.asarray(x),
    "tensor": lambda x: tad.tensor(x),
    "from_dlpack": lambda x: tad.from_dlpack(x),
    "asarray of a view": lambda x: tad.asarray(x[::-1][::-1]),
    "positive": lambda x: tad.positive(x),
    "reshape": lambda x: tad.reshape(x, (3, 1)),
    "broadcast_to": lambda x: tad.broadcast_to(x, (2, 3)),
    "expand_dims": lambda x: tad.expand_dims(x, axis=0),
    "astype to its own dtype": lambda x: tad.astype(x, tad.float64, copy=False),
    "detach": lambda x: tad.detach(x),
    "identity under jit": lambda x: tad.jit(lambda t: t)(x),
    "view under jit": lambda x: tad.jit(lambda t: tad.reshape(t, (3, 1)))(x),
    "constant of jit": lambda x: tad.jit(lambda s: s + x)(1.0),
    "identity under vmap": lambda x: tad.vmap(lambda t: t)(x),
    "identity under interpret": lambda x: tad.interpret(lambda t: t, tad.interpreters.Eager())(x),
    "aux of grad": lambda x: tad.grad(lambda t: (tad.sum(t), t), has_aux=True)(x)[1],
    "gradient of a linear function": lambda x: tad.grad(lambda t: tad.sum(t * x))(np.ones(3)),
    "value of vjp": lambda x: tad.vjp(lambda t: t, x)[0],
    "cotangent of the identity": lambda x: tad.vjp(lambda t: t, np.ones(3))[1](x)[0],
    "tangent of the identity": lambda x: tad.jvp(lambda t: t, (np.ones(3),), (x,))[1],
    "value of linearize": lambda x: tad.linearize(lambda t: t, x)[0],
    "pushed by the identity": lambda x: tad.linearize(lambda t: t, np.ones(3))[1](x),
}


@pytest.mark.parametrize("name", MAKERS)
def test_results_stay_as_they_are(name: str) -> None:
    x = numbers()
    made = MAKERS[name](x)
    before = np.array(made)
    x[:] = -7.0
    np.testing.assert_array_equal(np.asarray(made), before)


@pytest.mark.parametrize("name", MAKERS)
def test_inputs_stay_as_they_are(name: str) -> None:
    x = numbers()
    MAKERS[name](x)
    np.testing.assert_array_equal(x, numbers())


def later(make: Any, use: Any) -> tuple[Any, Any]:
    """What `use(make(x))` gives before and after x is changed."""
    x = numbers()
    kept = make(x)
    before = np.array(use(kept))
    x[:] = -7.0
    return before, np.asarray(use(kept))


KEPT = {
    "residuals of vjp": (
        lambda x: tad.vjp(lambda t: t * t, x)[1],
        lambda pull: pull(np.ones(3))[0],
    ),
    "residuals of vjp that f closes over": (
        lambda x: tad.vjp(lambda t: t * x, np.ones(3))[1],
        lambda pull: pull(np.ones(3))[0],
    ),
    "point of linearize": (
        lambda x: tad.linearize(lambda t: t * t, x)[1],
        lambda push: push(np.ones(3)),
    ),
    "constants of linearize": (
        lambda x: tad.linearize(lambda t: t * x, np.ones(3))[1],
        lambda push: push(np.ones(3)),
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_is_kept_for_later_stays_as_it_is(name: str) -> None:
    before, after = later(*KEPT[name])
    np.testing.assert_array_equal(after, before)


def test_constants_of_jit_and_trace_are_those_of_the_recording() -> None:
    c = numbers()
    f = tad.jit(lambda t: t * c)
    graph = tad.trace(lambda t: t * c)(np.ones(3))
    eager = tad.interpreters.Eager()
    before = np.array(f(np.ones(3)))
    c[:] = -7.0
    np.testing.assert_array_equal(f(np.ones(3)), before)
    np.testing.assert_array_equal(graph.run(eager, [np.ones(3)])[0], before)


def test_what_numpy_gets_is_read_only() -> None:
    x = tad.asarray(numbers())
    for view in (np.asarray(x), tad.to_numpy(x)):
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 5.0
    own = np.array(x)
    own[0] = 5.0
    np.testing.assert_array_equal(x, numbers())


def test_read_only_inputs_are_taken() -> None:
    x = numbers()
    x.flags.writeable = False
    np.testing.assert_array_equal(tad.grad(lambda t: tad.sum(t * t))(x), 2.0 * x)
    np.testing.assert_array_equal(tad.jit(lambda t: t.at[0].set(9.0))(x), [9.0, 2.0, 3.0])
