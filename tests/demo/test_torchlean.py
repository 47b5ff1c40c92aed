"""The chapter's transcripts, as they stand in the chapter."""

from collections.abc import Callable

import numpy as np
import pytest

import taglessad as tad
from taglessad.demo import torchlean
from taglessad.demo.lines import Mark, Section

QUICKSTART = """\
== Differentiate a tensor function ==
mean(x^2) = 4.666667
d/dx       = [0.666667, 1.333333, 2.000000]

== Differentiate a model loss ==
loss     = 0.769887
gradient = [[1, 2]: [[-0.877432, 1.754865]], [1]: [-1.754865]]"""

TRANSFORMS = """\
Jacobian of x^2: [[1.000000, 0.000000], [0.000000, -2.400000]]
Hessian of mean(x^2): [[1.000000, 0.000000], [0.000000, 1.000000]]
loss directional derivative = 0.011629
loss Hessian-vector product = [[3, 2]: [[0.010000, -0.024000],
  [0.010000, -0.024000], [0.010000, -0.024000]], [3]: [0.020000, 0.020000, 0.020000]]
state gradient after detaching the model output = [[3, 2]: [[0.000000, 0.000000],
  [0.000000, 0.000000], [0.000000, 0.000000]], [3]: [0.000000, 0.000000, 0.000000]]
mixed input derivative of tanh at zero: [0.000000, 0.000000] (expected [0, 0])
third input derivative along [1, 0]: [-2.000000, 0.000000] (expected [-2, 0])"""

CALCULATIONS = """\
value    = 0.845000
gradient = [0.500000, -1.200000]
seed (1, 1)  -> [1.000000, -2.400000]
seed (1, 10) -> [1.000000, -24.000000]
jacfwd [[1.000000, 0.000000], [-0.000000, -2.400000]]
jacrev [[1.000000, 0.000000], [0.000000, -2.400000]]
state gradient = [[3, 2]: [[0.500000, -1.200000], [0.500000, -1.200000], [0.500000, -1.200000]], \
[3]: [1.000000, 1.000000, 1.000000]]
input gradient = [0.300000, 0.300000]
loss     = 0.244900
gradient = [[3, 2]: [[-0.223333, 0.536000], [-0.023333, 0.056000], [0.176667, -0.424000]], \
[3]: [-0.446667, -0.046667, 0.353333]]
relu vjp at (-1, 0, 1) = [0.000000, 0.000000, 1.000000]
grad of mean(x^2 + x^2) = [1.000000, -2.400000]
detached loss     = 0.244900
detached gradient = [[3, 2]: [[0.000000, 0.000000], [0.000000, 0.000000], [0.000000, 0.000000]], \
[3]: [0.000000, 0.000000, 0.000000]]
directional derivative = -0.004200
Hessian-vector product = [[3, 2]: [[0.010000, -0.024000], [0.010000, -0.024000], \
[0.010000, -0.024000]], [3]: [0.020000, 0.020000, 0.020000]]
hessian [[1.000000, 0.000000], [0.000000, 1.000000]]"""


@pytest.mark.parametrize(
    ("made", "transcript"),
    [
        (torchlean.basics, QUICKSTART),
        (torchlean.transforms, TRANSFORMS),
        (torchlean.calculations, CALCULATIONS),
    ],
    ids=["quickstart_autograd", "autograd_transforms", "calculations"],
)
def test_the_lines_are_the_chapters(made: Callable[[], Section], transcript: str) -> None:
    section = made()
    assert "\n".join(line.text for line in section.lines) == transcript
    assert section.good


def test_what_rests_on_unstated_weights_is_marked() -> None:
    marked = [
        line.text.split(" =")[0].strip()
        for section in torchlean.sections()
        for line in section.lines
        if line.mark is not Mark.SAME
    ]
    assert marked == ["loss", "gradient", "loss directional derivative"]


def test_a_relation_that_fails_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    # The loss's gradient in the bias is then not 2 r, though the bias's digits are still printed.
    monkeypatch.setattr(torchlean, "ROUNDING", -1.0)
    assert not torchlean.basics().good
    assert not torchlean.transforms().good


@pytest.mark.parametrize(
    ("every", "x", "printed"), [(0.2, [0.5, -1.2], "0.241600"), (0.1, [0.0, -1.2], "0.254400")]
)
def test_the_chapters_experiments(every: float, x: list[float], printed: str) -> None:
    target = np.asarray([0.7, 0.1, -0.5])
    residuals = every * sum(x) + every - target
    g, value = tad.grad(torchlean.loss, value=True)(torchlean.constant(every), x, target)
    assert f"{float(value):.6f}" == printed
    np.testing.assert_allclose(np.asarray(g.bias), 2 / 3 * residuals, rtol=1e-14)
    np.testing.assert_allclose(np.asarray(g.weight), 2 / 3 * np.outer(residuals, x), rtol=1e-14)
