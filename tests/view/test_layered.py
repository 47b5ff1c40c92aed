"""The layout: layers, few crossings, least-squares positions."""

import random

from hypothesis import given
from hypothesis import strategies as st

from taglessad.view.layout import layered
from taglessad.view.ordering import crossings, ordered
from taglessad.view.spacing import spaced

Edges = list[tuple[int, int]]


@st.composite
def dags(draw: st.DrawFn) -> tuple[list[tuple[float, float]], Edges]:
    n = draw(st.integers(1, 14))
    sizes = draw(st.lists(st.tuples(st.floats(10, 200), st.floats(10, 80)), min_size=n, max_size=n))
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    edges = [(min(p), max(p)) for p in draw(st.lists(pairs, max_size=30)) if p[0] != p[1]]
    return sizes, edges


@given(dags())
def test_boxes_are_apart_and_edges_run_from_side_to_side(
    dag: tuple[list[tuple[float, float]], Edges],
) -> None:
    sizes, edges = dag
    placed = layered(sizes, edges)
    boxes = [
        (x - w / 2, y - h / 2, x + w / 2, y + h / 2)
        for (x, y), (w, h) in zip(placed.centres, sizes, strict=True)
    ]
    slack = 1e-6
    for i, (left, top, right, bottom) in enumerate(boxes):
        assert -slack <= left and right <= placed.width + slack
        assert -slack <= top and bottom <= placed.height + slack
        for left_j, top_j, right_j, bottom_j in boxes[:i]:
            across = right <= left_j + slack or right_j <= left + slack
            assert across or bottom <= top_j + slack or bottom_j <= top + slack
    for (a, b), route in zip(edges, placed.routes, strict=True):
        assert boxes[a][3] < boxes[b][1]
        assert abs(route[0][1] - boxes[a][3]) < slack and abs(route[-1][1] - boxes[b][1]) < slack
        assert boxes[a][0] <= route[0][0] <= boxes[a][2]
        assert boxes[b][0] <= route[-1][0] <= boxes[b][2]
        downwards = [y for _, y in route]
        assert downwards == sorted(downwards)


def test_the_same_graph_is_drawn_the_same_way() -> None:
    sizes = [(40.0 + i, 20.0) for i in range(12)]
    edges = [(i, j) for j in range(12) for i in range(j) if (3 * i + j) % 4 == 0]
    assert layered(sizes, edges) == layered(list(sizes), list(edges))


def test_a_chain_is_a_straight_line() -> None:
    sizes = [(30.0 + 17 * (i % 3), 20.0) for i in range(9)]
    placed = layered(sizes, [(i, i + 1) for i in range(8)])
    assert len({round(x, 9) for x, _ in placed.centres}) == 1


def test_side_inputs_do_not_bend_the_trunk() -> None:
    # Operation 2k reads operation 2k - 2 and a source of its own, 2k - 1.
    edges = [(2 * k - 2, 2 * k) for k in range(1, 8)] + [(2 * k - 1, 2 * k) for k in range(1, 8)]
    placed = layered([(50.0, 20.0)] * 15, edges)
    trunk = [placed.centres[2 * k][0] for k in range(1, 8)]
    assert max(trunk) - min(trunk) < 1.0


def test_crossings_are_counted_and_removed() -> None:
    # Two layers, drawn in the given order: all three edges cross each other.
    below = [[5], [4], [3], [], [], []]
    assert crossings([[0, 1, 2], [3, 4, 5]], below) == 3
    rows = ordered([0, 0, 0, 1, 1, 1], [(0, 5), (1, 4), (2, 3)])
    assert crossings(rows, below) == 0


def test_spaced_is_the_least_squares_solution() -> None:
    # Two that want one place, 10 apart: they share the way, the heavier one moves less.
    assert spaced([0.0, 0.0], [1.0, 1.0], [10.0]) == [-5.0, 5.0]
    assert spaced([0.0, 0.0], [3.0, 1.0], [10.0]) == [-2.5, 7.5]
    assert spaced([0.0, 50.0], [1.0, 1.0], [10.0]) == [0.0, 50.0]


def test_spaced_cannot_be_improved_on() -> None:
    rng = random.Random(3)
    for _ in range(50):
        n = rng.randint(2, 7)
        wanted = [rng.uniform(-50, 50) for _ in range(n)]
        weights = [rng.uniform(0.1, 3) for _ in range(n)]
        gaps = [rng.uniform(1, 20) for _ in range(n - 1)]
        xs = spaced(wanted, weights, gaps)
        assert all(b - a >= g - 1e-9 for a, b, g in zip(xs, xs[1:], gaps, strict=False))

        def cost(
            ys: list[float], wanted: list[float] = wanted, weights: list[float] = weights
        ) -> float:
            return sum(w * (y - t) ** 2 for y, t, w in zip(ys, wanted, weights, strict=True))

        # Convex: no feasible direction may lead down. Moving any run of neighbours together or
        # one end of a row alone spans the feasible ones.
        for i in range(n):
            for j in range(i, n):
                for step in (1e-4, -1e-4):
                    ys = [x + step if i <= k <= j else x for k, x in enumerate(xs)]
                    feasible = all(
                        b - a >= g - 1e-12 for a, b, g in zip(ys, ys[1:], gaps, strict=False)
                    )
                    assert not feasible or cost(ys) >= cost(xs) - 1e-12
