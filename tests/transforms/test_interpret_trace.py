"""interpret: one program under each interpreter. trace: a program as a graph."""

import copy
import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import ArgumentError, EscapeError, ShapeError
from taglessad.interpreters import Batch, Dual, Eager, Record, Shape, Tape

X = np.array([0.5, -1.2])
V = np.array([2.0, 10.0])


def square(x: Any) -> Any:
    return x**2


@dataclasses.dataclass(frozen=True)
class Linear:
    w: Any
    b: Any
    name: str = dataclasses.field(default="linear", metadata={"static": True})


def affine(m: Linear, x: Any) -> Any:
    return {"y": m.w @ x + m.b, "total": tad.sum(m.b), "none": None}


MODEL = Linear(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([1.0, 0.0, -1.0]))


# --- roots ----------------------------------------------------------------------------------------
def test_eager_gives_handles() -> None:
    y = tad.interpret(square, Eager())(X)
    assert isinstance(y, tad.Tensor)
    np.testing.assert_array_equal(y, X**2)
    out = tad.interpret(affine, Eager())(MODEL, x=X)
    np.testing.assert_array_equal(out["y"], MODEL.w @ X + MODEL.b)
    assert out["none"] is None


def test_eager_of_one_dtype() -> None:
    y = tad.interpret(lambda x: tad.sum(x) * 0.1, Eager(np.dtype(np.float32)))(X)
    assert y.dtype == np.float32


def test_shape_computes_no_numbers() -> None:
    n, m = tad.symbols("N M")
    run = lambda f, *shapes: tad.interpret(f, Shape())(*shapes)
    assert run(square, (2, 3)) == (2, 3)
    assert run(lambda a, b: a @ b, (n, 3), (3, m)) == (n, m)
    assert run(lambda a, b: a + b, (n, 1), (m,)) == (n, m)
    assert run(lambda x: tad.concat([x, x]), (n, 3)) == (2 * n, 3)
    assert run(lambda x: tad.reshape(x, (-1,)), (n, 3)) == (3 * n,)
    assert run(lambda x: tad.sum(x), (n,)) == ()
    assert run(lambda x: 3.0, (n,)) == ()
    assert run(lambda x: x * 1.0, ()) == ()
    big = 10**9
    assert run(lambda x: x @ x.T, (big, big)) == (big, big)


def test_shape_of_trees_and_specs() -> None:
    (n,) = tad.symbols("N")
    out = tad.interpret(affine, Shape())(Linear(tad.Spec((n, 2)), tad.Spec((n,))), (2,))
    assert out == {"y": (n,), "total": (), "none": None}
    out = tad.interpret(lambda p, q: (p["w"] @ q[0], q[1]), Shape())({"w": (n, 2)}, [(2, 5), ()])
    assert out == ((n, 5), ())
    assert tad.interpret(lambda x: x @ X, Shape())((n, 2)) == (n,)


def test_shape_knows_dtypes() -> None:
    kinds = []

    def f(x: Any) -> Any:
        kinds.append((x * 2.0).dtype)
        return x.astype(tad.float16)

    tad.interpret(f, Shape())(tad.Spec((2,), "float32"))
    tad.interpret(f, Shape())((2,))
    assert kinds == [np.float32, np.float64]


def test_shape_of_transformed_programs() -> None:
    (n,) = tad.symbols("N")
    run = lambda f, *shapes: tad.interpret(f, Shape())(*shapes)
    loss = lambda w, x: tad.sum(tad.tanh(x @ w))
    assert run(tad.grad(loss), (3, 2), (n, 3)) == (3, 2)
    assert run(tad.grad(loss, (0, 1), value=True), (3, 2), (n, 3)) == (((3, 2), (n, 3)), ())
    assert run(tad.jvp(square), (n,), (n,)) == (n,)
    assert run(tad.vjp(square), (n,), (n,)) == (n,)
    assert run(tad.hvp(lambda x: tad.sum(x**3)), (n,), (n,)) == (n,)
    assert run(tad.hessian(lambda x: tad.sum(x**3)), (2, 3)) == (2, 3, 2, 3)
    assert run(tad.vmap(lambda x: tad.sum(x)), (n, 3)) == (n,)
    assert run(tad.jit(square), (n,)) == (n,)


def test_shape_errors_name_both_shapes() -> None:
    (n,) = tad.symbols("N")
    with pytest.raises(ShapeError, match=r"matmul.*\[N, 3\].*\[4, 2\]"):
        tad.interpret(lambda a, b: a @ b, Shape())((n, 3), (4, 2))


def test_record_gives_the_graph() -> None:
    graph = tad.interpret(square, Record())(X)
    assert str(graph) == str(tad.trace(square)(X))


# --- transformers ---------------------------------------------------------------------------------
def test_dual_takes_and_gives_pairs() -> None:
    y, dy = tad.interpret(square, Dual(Eager()))((X, V))
    np.testing.assert_array_equal(y, X**2)
    np.testing.assert_array_equal(dy, 2.0 * X * V)
    constant = tad.interpret(lambda x: tad.ones(3), Dual(Eager()))((X, V))
    np.testing.assert_array_equal(constant, [np.ones(3), np.zeros(3)])


def test_dual_pairs_of_trees() -> None:
    tangent = Linear(np.zeros((3, 2)), np.ones(3))
    out, pushed = tad.interpret(affine, Dual(Eager()))((MODEL, tangent), (X, np.zeros(2)))
    np.testing.assert_array_equal(out["y"], MODEL.w @ X + MODEL.b)
    np.testing.assert_array_equal(pushed["y"], np.ones(3))
    assert (float(out["total"]), float(pushed["total"])) == (0.0, 3.0)
    assert pushed["none"] is None


def test_dual_of_dual() -> None:
    # x**3 at 2 along 1, along 1 again: (x, dx), (dx', ddx)
    out = tad.interpret(lambda x: x**3, Dual(Dual(Eager())))(((2.0, 1.0), (1.0, 0.0)))
    (y, dy), (dy2, ddy) = out
    assert tuple(map(float, (y, dy, dy2, ddy))) == (8.0, 12.0, 12.0, 12.0)


def test_batch_takes_a_leading_axis() -> None:
    xs = np.arange(6.0).reshape(3, 2)
    y = tad.interpret(lambda x: tad.sum(x), Batch(Eager(), 3))(xs)
    np.testing.assert_array_equal(y, xs.sum(axis=1))
    shared = tad.interpret(lambda x: 1.0, Batch(Eager(), 3))(xs)
    np.testing.assert_array_equal(shared, np.ones(3))


@pytest.mark.parametrize(
    "make", [lambda: Dual(Batch(Eager(), 3)), lambda: Batch(Dual(Eager()), 3)], ids=["DB", "BD"]
)
def test_dual_and_batch_on_each_other(make: Any) -> None:
    xs, vs = np.arange(6.0).reshape(3, 2), np.ones((3, 2))
    y, dy = tad.interpret(lambda x: tad.sum(x**2), make())((xs, vs))
    np.testing.assert_array_equal(y, np.sum(xs**2, axis=1))
    np.testing.assert_array_equal(dy, 2.0 * xs.sum(axis=1))


def test_batch_of_batch() -> None:
    xs = np.arange(24.0).reshape(2, 3, 4)
    y = tad.interpret(lambda x: tad.max(x), Batch(Batch(Eager(), 2), 3))(xs)
    np.testing.assert_array_equal(y, xs.max(axis=2))


def test_tape_gives_values() -> None:
    np.testing.assert_array_equal(tad.interpret(square, Tape(Eager()))(X), X**2)
    y, dy = tad.interpret(square, Tape(Dual(Eager())))((X, V))
    np.testing.assert_array_equal(y, X**2)
    np.testing.assert_array_equal(dy, 2.0 * X * V)


def test_transformers_over_shape() -> None:
    (n,) = tad.symbols("N")
    assert tad.interpret(square, Dual(Shape()))(((n, 2), (n, 2))) == ((n, 2), (n, 2))
    assert tad.interpret(lambda x: tad.sum(x), Batch(Shape(), 3))((3, n)) == (3,)
    assert tad.interpret(lambda x: x.T, Tape(Shape()))((n, 2)) == (2, n)


def test_derivatives_under_every_interpreter() -> None:
    slope = tad.grad(lambda x: tad.sum(x**3))
    np.testing.assert_allclose(tad.interpret(slope, Eager())(X), 3 * X**2, rtol=1e-15)
    np.testing.assert_allclose(tad.interpret(slope, Tape(Eager()))(X), 3 * X**2, rtol=1e-15)
    g, hv = tad.interpret(slope, Dual(Eager()))((X, V))
    np.testing.assert_allclose(g, 3 * X**2, rtol=1e-15)
    np.testing.assert_allclose(hv, 6 * X * V, rtol=1e-15)
    rows = tad.interpret(slope, Batch(Eager(), 2))(np.stack([X, V]))
    np.testing.assert_allclose(rows, [3 * X**2, 3 * V**2], rtol=1e-15)
    assert len(tad.interpret(slope, Record())(X).nodes) > 0


def test_the_meaning_of_a_meaning() -> None:
    inner = tad.interpret(square, Eager())
    np.testing.assert_array_equal(tad.interpret(inner, Eager())(X), X**2)


def test_mistakes_of_interpret() -> None:
    with pytest.raises(ArgumentError, match="no interpreter; give an instance"):
        tad.interpret(square, Eager)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"argument 0 is a pair \(primal, tangent\)"):
        tad.interpret(square, Dual(Eager()))(X[0])
    with pytest.raises(ShapeError, match=r"the tangent has shape \[3\], but argument 0 has \[2\]"):
        tad.interpret(square, Dual(Eager()))((X, np.ones(3)))
    with pytest.raises(ArgumentError, match="the tangent of argument 0"):
        tad.interpret(affine, Dual(Eager()))((MODEL, X), (X, X))
    with pytest.raises(ShapeError, match=r"argument 0 has shape \[2\]; .*of size 3"):
        tad.interpret(square, Batch(Eager(), 3))(X)
    with pytest.raises(ArgumentError, match="argument 0 is a Spec"):
        tad.interpret(square, Eager())(tad.Spec((2,)))


# --- trace ----------------------------------------------------------------------------------------
def program(x: Any, y: Any) -> Any:
    return {"s": tad.sum(tad.sin(x) * y), "x": x}


def test_a_graph_lists_what_happens() -> None:
    graph = tad.trace(program)(X, V)
    assert [node.prim.name for node in graph.nodes] == ["sin", "mul", "sum"]
    assert (len(graph.inputs), len(graph.nodes), len(graph.outputs)) == (2, 3, 2)
    sin, mul, total = graph.nodes
    assert sin.operands == (graph.inputs[0],)
    assert set(mul.operands) == {sin.result, graph.inputs[1]}
    assert graph.outputs == (total.result, graph.inputs[0])
    assert (mul.aval.shape, mul.aval.dtype, total.aval.shape) == ((2,), np.float64, ())
    assert graph.nodes[-1] == total and list(graph.nodes[:2]) == [sin, mul]
    assert len(graph) == 3


def test_nodes_know_the_users_line() -> None:
    graph = tad.trace(program)(X, V)
    file, line = graph.nodes[0].site
    assert file == __file__
    assert line == program.__code__.co_firstlineno + 1


def test_how_a_graph_reads() -> None:
    graph = tad.trace(lambda x: tad.exp(x) + 1.0)(X)
    lines = str(graph).splitlines()
    assert lines[0] == "%0: float64[2] = input"
    assert "exp %0" in str(graph) and lines[-1].startswith("return %")
    assert "1 inputs" in repr(graph) and "nodes" in repr(graph)


def test_specs_stand_for_arguments() -> None:
    (n,) = tad.symbols("N")
    graph = tad.trace(lambda x, w: x @ w)(
        tad.Spec((n, 3), tad.float32), tad.Spec((3, 2), "float32")
    )
    (node,) = graph.nodes
    assert node.aval.shape == (n, 2) and node.aval.dtype == np.float32
    assert repr(tad.Spec((n, 3), "float32")) == "Spec([N, 3], float32)"
    trees = tad.trace(affine)(Linear(tad.Spec((3, 2)), tad.Spec((3,))), tad.Spec((2,)))
    assert len(trees.inputs) == 3


def test_only_shapes_and_dtypes_count() -> None:
    a, b = tad.trace(square)(X), tad.trace(square)(V)
    assert str(a) == str(b)
    assert str(a) != str(tad.trace(square)(np.ones(3)))
    assert str(a) != str(tad.trace(square)(X.astype(np.float32)))


def test_equal_operations_are_shared_and_unused_ones_dropped() -> None:
    def f(x: Any) -> Any:
        tad.cos(x)  # no result needs it
        return tad.sin(x) + tad.sin(x)

    assert [node.prim.name for node in tad.trace(f)(X).nodes].count("sin") == 1
    assert all(node.prim.name != "cos" for node in tad.trace(f)(X).nodes)


def test_graphs_of_transformed_programs() -> None:
    gradient = tad.trace(tad.grad(lambda x: tad.sum(tad.sin(x))))(X)
    assert [node.prim.name for node in gradient.nodes].count("cos") == 1
    batched = tad.trace(tad.vmap(square))(np.ones((5, 2)))
    assert batched.nodes[-1].aval.shape == (5, 2)


def test_a_graph_runs_under_any_interpreter() -> None:
    graph = tad.trace(program)(X, V)
    eager = Eager()
    s, x = graph.run(eager, [X, V])
    assert float(s) == pytest.approx(float(np.sum(np.sin(X) * V)))
    np.testing.assert_array_equal(x, X)
    avals = graph.run(Shape(), [graph.avals[ref] for ref in graph.inputs])
    assert [a.shape for a in avals] == [(), (2,)]


def test_constants_are_copied() -> None:
    c = np.arange(20.0)
    graph = tad.trace(lambda x: x + tad.asarray(c))(np.ones(20))
    c[:] = -1.0
    (y,) = graph.run(Eager(), [np.zeros(20)])
    np.testing.assert_array_equal(y, np.arange(20.0))


def test_a_graph_is_closed() -> None:
    with pytest.raises(EscapeError, match="trace: f closes over a value"):
        tad.grad(lambda z: (tad.trace(lambda y: y * z)(1.0), z)[1])(2.0)


def test_graphs_are_copied_and_pickled() -> None:
    graph = tad.trace(tad.grad(lambda x: tad.sum(tad.tanh(x))))(X)
    for again in (copy.copy(graph), copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):
        assert str(again) == str(graph)
        np.testing.assert_array_equal(again.run(Eager(), [X])[0], graph.run(Eager(), [X])[0])
