"""The three views of a reverse pass: what a reader must be able to see in them.

The examples are those of a chapter on differentiation, with its numbers: the mean of x^2 + x^2, and
an affine model whose output is detached.
"""

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any, Literal

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import ArgumentError, ConcretizationError, DTypeError, EscapeError, ShapeError
from taglessad.graph import Ref
from taglessad.view.backward import Pass
from taglessad.view.reverse import ReverseView, reverse_view

SVG = "{http://www.w3.org/2000/svg}"
VIEWS: list[Literal["tape", "gradients", "trace"]] = ["tape", "gradients", "trace"]
POINT = np.array([0.5, -1.2])


def twice(x: tad.Tensor) -> tad.Tensor:
    return tad.sum(tad.square(x) + tad.square(x)) / 2.0


def affine(w: tad.Tensor, b: tad.Tensor, x: tad.Tensor) -> tad.Tensor:
    return tad.sum(w * x, axis=1) + b


def mse(y: tad.Tensor, target: tad.Tensor) -> tad.Tensor:
    d = y - target
    return tad.sum(d * d) / 3.0


def loss(w: tad.Tensor, b: tad.Tensor, x: tad.Tensor, target: tad.Tensor) -> tad.Tensor:
    return mse(affine(w, b, x), target)


def detached(w: tad.Tensor, b: tad.Tensor, x: tad.Tensor, target: tad.Tensor) -> tad.Tensor:
    return mse(tad.detach(affine(w, b, x)), target)


def half_detached(w: tad.Tensor, b: tad.Tensor, x: tad.Tensor, target: tad.Tensor) -> tad.Tensor:
    y = affine(w, b, x)
    return mse(y, target) + tad.sum(tad.detach(y) * b)


MODEL = (np.full((3, 2), 0.1), np.full(3, 0.1), POINT, np.array([0.7, 0.1, -0.5]))


def selecting(x: tad.Tensor) -> tad.Tensor:
    # At negative entries log is NaN; the side not taken contributes nothing.
    return tad.sum(tad.where(x > 0, tad.log(x), x * x) * x[0:1])


def stretched(x: tad.Tensor, y: tad.Tensor) -> tad.Tensor:
    return tad.sum(tad.maximum(x * y, y) + tad.max(x) * y)


CASES: list[tuple[Callable[..., Any], tuple[Any, ...], int | tuple[int, ...]]] = [
    (twice, (POINT,), 0),
    (loss, MODEL, (0, 1, 2)),
    (detached, MODEL, (0, 1)),
    (half_detached, MODEL, (1, 0)),
    (selecting, (np.array([0.5, -1.2, 2.0]),), 0),
    (stretched, (np.array([[0.3], [1.4]]), np.array([0.3, -0.2, 1.1])), (0, 1)),
]


def parsed(view: ReverseView, which: Literal["tape", "gradients", "trace"]) -> ElementTree.Element:
    return ElementTree.fromstring(view.to_svg(which))


def boxes(root: ElementTree.Element) -> dict[str, list[str]]:
    return {
        g.attrib["data-key"]: ["".join(t.itertext()) for t in g.iter(f"{SVG}text")]
        for g in root.iter(f"{SVG}g")
        if "data-key" in g.attrib
    }


def of_role(root: ElementTree.Element, *roles: str) -> list[ElementTree.Element]:
    return [g for g in root.iter(f"{SVG}g") if set(roles) <= set(g.attrib.get("class", "").split())]


def named(run: Pass, prim: str) -> list[Ref]:
    return [node.result for node in run.graph.nodes if node.prim.name == prim]


# --- the numbers ---------------------------------------------------------------------------------
@pytest.mark.parametrize(("f", "args", "argnums"), CASES)
def test_gradients_are_those_of_grad(
    f: Callable[..., Any], args: tuple[Any, ...], argnums: int | tuple[int, ...]
) -> None:
    view = reverse_view(f, *args, argnums=argnums)
    several = argnums if isinstance(argnums, tuple) else (argnums,)
    expected = tad.grad(f, argnums=several)(*args)
    found = list(view.gradients.values())
    assert len(found) == len(expected)
    for got, want in zip(found, expected, strict=True):
        np.testing.assert_array_equal(got, np.asarray(want))


@pytest.mark.parametrize(("f", "args", "argnums"), CASES)
def test_contributions_sum_to_the_cotangent_at_every_register(
    f: Callable[..., Any], args: tuple[Any, ...], argnums: int | tuple[int, ...]
) -> None:
    back = reverse_view(f, *args, argnums=argnums).run.back
    assert back.cotangents
    for ref, cotangent in back.cotangents.items():
        parts = [c.value for c in back.arrived.get(ref, ())]
        parts += [back.seeds[ref]] if ref in back.seeds else []
        assert len(parts) == back.parts(ref) >= 1
        np.testing.assert_allclose(sum(parts), cotangent, rtol=1e-15, atol=0)
        assert all(part.shape == cotangent.shape for part in parts)


@pytest.mark.parametrize(("f", "args", "argnums"), CASES)
def test_the_tape_has_the_value_of_every_register(
    f: Callable[..., Any], args: tuple[Any, ...], argnums: int | tuple[int, ...]
) -> None:
    run = reverse_view(f, *args, argnums=argnums).run
    assert float(run.values[run.graph.outputs[0]]) == float(f(*map(tad.asarray, args)))
    for node in run.graph.nodes:
        assert run.values[node.result].shape == node.aval.shape
        assert run.values[node.result].dtype == node.aval.dtype


def test_two_squares_meet_at_their_shared_input() -> None:
    view = reverse_view(twice, POINT)
    run, back = view.run, view.run.back
    squares = named(run, "square")
    assert len(squares) == 2  # as written: equal operations are not shared
    (x,) = run.wanted
    assert {c.source for c in back.arrived[x]} == set(squares)
    for c in back.arrived[x]:
        np.testing.assert_allclose(c.value, [0.5, -1.2], rtol=1e-15)
    np.testing.assert_allclose(back.cotangents[x], [1.0, -2.4], rtol=1e-15)
    text = str(view)
    assert "gradient of x (%0): [1, -2.4], the sum of 2 parts" in text
    assert text.count("to %0: [0.5, -1.2]") == 2
    assert text.count("sum of the 2 parts at %0: [1, -2.4]") == 1
    labels = [t for g in of_role(parsed(view, "trace"), "label", "pull") for t in _texts(g)]
    assert sum("[0.5, -1.2]" in label for label in labels) == 2
    assert boxes(parsed(view, "trace"))[f"n{x}"][-1] == "sum of 2: [1, -2.4]"


def test_an_operation_that_reads_one_register_twice_gives_it_two_contributions() -> None:
    view = reverse_view(lambda x: x * x, 3.0)
    (node,) = view.run.graph.nodes
    assert [c.position for c in view.run.back.arrived[view.run.wanted[0]]] == [0, 1]
    assert len(of_role(parsed(view, "trace"), "label", "pull")) == 2
    assert float(view.gradients["x"]) == 6.0 and node.prim.name == "mul"


def test_a_register_that_is_result_and_operand_adds_its_seed() -> None:
    view = reverse_view(
        lambda x: (tad.exp(x), tad.exp(x) * 0.0 + x), 0.0, cotangent=(tad.asarray(1.0), 2.0)
    )
    assert float(view.gradients["x"]) == 3.0
    double = reverse_view(lambda x: (x, x * 5.0), 1.0, cotangent=(10.0, 1.0))
    assert float(double.gradients["x"]) == 15.0
    assert double.run.back.parts(double.run.wanted[0]) == 2


# --- detach and gradient flow --------------------------------------------------------------------
def test_detach_keeps_the_value_and_cuts_the_gradient() -> None:
    view = reverse_view(detached, *MODEL, argnums=(0, 1))
    run, back = view.run, view.run.back
    np.testing.assert_allclose(run.values[run.graph.outputs[0]], 0.2449, rtol=1e-12)
    (fence,) = named(run, "detach")
    (cut,) = back.cuts
    assert cut.source == fence and cut.prim == "detach"
    # The flow is followed up to the fence, 2/3 of the residuals arrive there, and nothing behind.
    np.testing.assert_allclose(
        back.cotangents[fence], np.array([-0.67, -0.07, 0.53]) * 2 / 3, rtol=1e-12
    )
    assert fence in {visit.ref for visit in back.visits}
    for ref in range(fence):
        assert ref not in back.cotangents
    assert back.silence(cut.target) == "no path from the result"
    assert all(not g.any() for g in view.gradients.values())
    assert view.gradients["w"].shape == (3, 2)
    text = str(view)
    assert f"cut: %{fence} = detach stops the gradient; nothing goes back to %{cut.target}" in text
    assert "gradient of b (%1): [0, 0, 0] (no cotangent arrived)" in text


@pytest.mark.parametrize("which", ["gradients", "trace"])
def test_the_cut_is_marked_in_the_picture(which: Literal["gradients", "trace"]) -> None:
    view = reverse_view(half_detached, *MODEL, argnums=(0, 1))
    root = parsed(view, which)
    (label,) = of_role(root, "label", "cut")
    assert _texts(label) == ["cut by detach"]
    # The edge runs from the operand to the label and on to the detached value.
    assert len(of_role(root, "edge", "cut")) == 2
    (fence,) = of_role(root, "box", "cut")
    assert any(line.startswith("detach %") for line in _texts(fence))
    assert _texts(fence)[-1] == "detach: it goes no further"


def test_no_cut_is_drawn_where_none_is() -> None:
    root = parsed(reverse_view(loss, *MODEL, argnums=(0, 1)), "trace")
    assert not of_role(root, "cut")


def test_an_operation_without_derivative_is_not_called_a_detach() -> None:
    view = reverse_view(selecting, np.array([0.5, -1.2, 2.0]))
    prims = {cut.prim for cut in view.run.back.cuts}
    assert prims and "detach" not in prims
    root = parsed(view, "gradients")
    assert of_role(root, "edge", "stop") and not of_role(root, "label", "cut")
    assert "no derivative:" in str(view)


def test_registers_without_gradient_say_why() -> None:
    view = reverse_view(half_detached, *MODEL, argnums=(0, 1))
    run, back = view.run, view.run.back
    names = {name: ref for ref, name in run.names.items()}
    assert back.silence(names["target"]) == "constant"
    drawn = boxes(parsed(view, "gradients"))
    for node in run.graph.nodes:
        silence = back.silence(node.result)
        lines = drawn[f"n{node.result}"]
        assert (f"no gradient: {silence}" in lines) == bool(silence)
    (w, b) = run.wanted
    assert {back.silence(w), back.silence(b)} == {""}
    assert {back.silence(ref) for ref in names.values()} == {"", "constant"}


# --- the pictures, the text, the page ------------------------------------------------------------
@pytest.mark.parametrize("which", VIEWS)
@pytest.mark.parametrize(("f", "args", "argnums"), CASES)
def test_every_register_is_in_every_picture_once(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    argnums: int | tuple[int, ...],
    which: Literal["tape", "gradients", "trace"],
) -> None:
    view = reverse_view(f, *args, argnums=argnums)
    keys = [
        g.attrib["data-key"] for g in parsed(view, which).iter(f"{SVG}g") if "data-key" in g.attrib
    ]
    graph = view.run.graph
    assert sorted(keys) == sorted(
        f"n{r}" for r in (*graph.inputs, *(node.result for node in graph.nodes))
    )


def test_every_contribution_is_a_labelled_edge_against_the_flow() -> None:
    view = reverse_view(half_detached, *MODEL, argnums=(0, 1))
    root = parsed(view, "trace")
    contributions = [c for visit in view.run.back.visits for c in visit.contributions]
    labels = of_role(root, "label", "pull")
    assert len(labels) == len(contributions)
    order = {visit.ref: k for k, visit in enumerate(view.run.back.visits, 1)}
    wanted = sorted(f"step {order[c.source]}:" for c in contributions)
    assert sorted(re.findall(r"^step \d+:", _texts(g)[0])[0] for g in labels) == wanted
    # Each is drawn in two pieces, and the arrow is at the piece that ends in the operand.
    pieces = of_role(root, "edge", "pull")
    assert len(pieces) == 2 * len(contributions)
    assert sum(piece.find(f"{SVG}polygon") is not None for piece in pieces) == len(contributions)


def test_the_text_for_a_small_function() -> None:
    assert str(reverse_view(lambda x: tad.exp(x) * tad.detach(x), 0.0)) == TEXT


TEXT = """\
tape of <lambda>: every operation and its value
    %0: float64[] = input x    # 0
    %1: float64[] = exp %0     # 1
    %2: float64[] = detach %0  # 0
    %3: float64[] = mul %1 %2  # 0
    return %3

gradients: the cotangent that arrived at each register
    %0: float64[] = input x    # 0
    %1: float64[] = exp %0     # 0
    %2: float64[] = detach %0  # 1
    %3: float64[] = mul %1 %2  # 1
    return %3

trace: the reverse pass, step by step
    seed of %3: 1
    step 1: %3: float64[] = mul %1 %2
        cotangent 1
        to %1: 0
        to %2: 1
    step 2: %2: float64[] = detach %0
        cotangent 1
    step 3: %1: float64[] = exp %0
        cotangent 0
        to %0: 0
    cut: %2 = detach stops the gradient; nothing goes back to %0
    gradient of x (%0): 0"""


class Cells(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.data: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.data.append(data)


def test_the_page_has_three_pictures_and_the_source() -> None:
    page = Cells()
    page.feed(reverse_view(half_detached, *MODEL, argnums=(0, 1)).to_html())
    assert page.tags.count("svg") == 3 and "script" not in page.tags
    assert "return mse(y, target) + tad.sum(tad.detach(y) * b)" in page.data
    assert "none: constant" in page.data


def test_names_are_escaped() -> None:
    def f(p: dict[str, tad.Tensor]) -> tad.Tensor:
        return tad.sum(p["</text><script>"])

    f.__name__ = "<script>f"
    view = reverse_view(f, {"</text><script>": POINT})
    for which in VIEWS:
        assert SVG + "script" not in {e.tag for e in parsed(view, which).iter()}
    page = Cells()
    page.feed(view.to_html())
    assert "script" not in page.tags


def test_leaves_of_trees_have_names() -> None:
    def f(model: dict[str, Any], x: tad.Tensor, power: int) -> tad.Tensor:
        return tad.sum(model["layers"][0]["w"] * x + model["b"]) * float(power)

    model = {"layers": [{"w": POINT}], "b": np.array(0.5)}
    view = reverse_view(f, model, POINT, 2)
    assert list(view.gradients) == ["model.layers[0].w", "model.b"]
    assert "x" in view.run.names.values()
    np.testing.assert_allclose(view.gradients["model.layers[0].w"], 2 * POINT)


# --- programs of all kinds -----------------------------------------------------------------------
def test_the_path_that_ran_is_shown() -> None:
    def f(x: tad.Tensor) -> tad.Tensor:
        return tad.exp(x) if x > 0 else tad.sin(x)

    assert [node.prim.name for node in reverse_view(f, 1.0).run.graph.nodes] == ["exp"]
    assert [node.prim.name for node in reverse_view(f, -1.0).run.graph.nodes] == ["sin"]


def test_derivatives_inside_the_function() -> None:
    def f(x: tad.Tensor) -> tad.Tensor:
        return tad.sum(tad.grad(lambda y: tad.sum(y * y * y))(x) * x)

    view = reverse_view(f, POINT)
    np.testing.assert_allclose(view.gradients["x"], 9 * POINT**2, rtol=1e-14)


def test_a_dead_branch_shows_no_nan() -> None:
    view = reverse_view(selecting, np.array([0.5, -1.2, 2.0]))
    run = view.run
    assert not any(ref in run.back.cotangents for ref in named(run, "less"))
    (log,) = named(run, "log")
    assert np.isnan(run.values[log][1])
    assert all(np.isfinite(g).all() for g in run.back.cotangents.values())


def test_a_cotangent_of_ones_own() -> None:
    view = reverse_view(lambda x: x * x, POINT, cotangent=np.array([1.0, 10.0]))
    np.testing.assert_allclose(view.gradients["x"], [1.0, -24.0])
    assert "seed of %1: [1, 10]" in str(view)


def test_an_unused_input_is_shown_with_its_zero_gradient() -> None:
    view = reverse_view(lambda x, y: tad.sum(x), POINT, POINT, argnums=(0, 1))
    assert not view.gradients["y"].any()
    assert f"n{view.run.wanted[1]}" in boxes(parsed(view, "gradients"))


def test_inputs_are_not_changed_and_values_are_not_views_of_them() -> None:
    x = POINT.copy()
    view = reverse_view(lambda x: tad.sum(tad.detach(x) * x), x)
    x[:] = 7.0
    np.testing.assert_array_equal(view.run.values[view.run.wanted[0]], POINT)


# --- errors --------------------------------------------------------------------------------------
def test_a_result_that_is_no_scalar_needs_a_cotangent() -> None:
    with pytest.raises(ShapeError, match=r"reverse_view: f returned shape \[2\]"):
        reverse_view(lambda x: x * x, POINT)
    with pytest.raises(ShapeError, match=r"reverse_view: the cotangent has shape \[3\]"):
        reverse_view(lambda x: x * x, POINT, cotangent=np.ones(3))
    with pytest.raises(ArgumentError, match="returned 2 arrays"):
        reverse_view(lambda x: (x, x), POINT)
    with pytest.raises(DTypeError, match="int64"):
        reverse_view(lambda x: tad.astype(x, tad.int64), 1.0)


def test_an_integer_argument_has_no_gradient() -> None:
    with pytest.raises(DTypeError, match="reverse_view: argument 0"):
        reverse_view(lambda x: tad.sum(x), np.array([1, 2]))


def test_a_handle_does_not_outlive_the_run() -> None:
    kept: list[tad.Tensor] = []

    def f(x: tad.Tensor) -> tad.Tensor:
        kept.append(x)
        return x * x

    reverse_view(f, 2.0)
    with pytest.raises(EscapeError):
        kept[0] + 1.0

    def fails(x: tad.Tensor) -> tad.Tensor:
        kept.append(x)
        raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose"):
        reverse_view(fails, 2.0)
    with pytest.raises(EscapeError):
        kept[1] + 1.0


def test_it_does_not_look_into_a_transform_under_way() -> None:
    with pytest.raises((EscapeError, ConcretizationError)):
        tad.grad(lambda x: reverse_view(lambda y: y * y, x).gradients["y"] * x)(2.0)


def _texts(element: ElementTree.Element) -> list[str]:
    return ["".join(text.itertext()) for text in element.iter(f"{SVG}text")]
