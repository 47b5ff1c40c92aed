"""The lesson's numbers, as they stand in the lesson."""

from functools import cache

import numpy as np
import pytest

import taglessad as tad
from taglessad.demo import builds, candle
from taglessad.demo.least_squares import closed_form, descend, loss
from taglessad.demo.lines import Mark, Section, numbers


@cache
def sections() -> list[Section]:
    return [*candle.sections(), *builds.sections()]


def text(part: str) -> str:
    (found,) = [section for section in sections() if part in section.title]
    return "\n".join(line.text for line in found.lines)


def test_every_line_is_as_its_mark_promises() -> None:
    wrong = [
        (line.text, section.stated[i])
        for section in sections()
        for i, line in enumerate(section.lines)
        if not section.agrees(i)
    ]
    assert wrong == []


# Copied from the lesson, without the words that name its own tensors and programs.
@pytest.mark.parametrize(
    ("part", "printed"),
    [
        ("a first derivative", "y 10"),
        ("a first derivative", "dy/dx 7"),
        ("which tensors", "d loss / dw: shape [3], F32, [32, -100, 216]"),
        ("which tensors", "shape [3], F32, [8, 40, 108]"),
        ("adding up", "d sum(h*h) / dw: shape [3], F32, [4, -2, 8]"),
        ("adding up", "d v / dw, seeded with ones: shape [3], F32, [2, -4, 6]"),
        ("adding up", "second: shape [3], F32, [32, -100, 216]"),
        ("what stops", "through max: d max(w) / dw: shape [3], F32, [0, 0, 1]"),
        (
            "finite differences",
            "shape [2, 3], F64, [0.007283, 0.001819, -0.007278, 0.420743, -0.419782, 1.259154]",
        ),
        ("finite differences", "largest gap below 1e-8: true"),
        ("three ways", "seconds = 0.041707 * pages + 9.708880"),
        ("three ways", "loss 314.923077, dw -6724.461538, db -34.769231"),
        (
            "raw pages",
            "learning rate 3e-5: step 1 loss 4.957e2 step 10 loss 3.373e4 "
            "step 1000 loss 4.538e207 -> w -3.4661e101, b -1.6887e99",
        ),
        (
            "raw pages",
            "learning rate 1e-5: step 1 loss 3.354e1 step 10 loss 1.565e1 "
            "step 1000 loss 1.561e1 -> w 8.8911e-2, b 2.0477e-2",
        ),
        (
            "standardized",
            "F64: ws 2.605694, bs 17.384615 -> w 0.041707, b 9.708880, "
            "gap to the closed form 2.0e-9",
        ),
        ("exercise 1", "loss 0.867068"),
        ("exercise 1", "dw: shape [2], F64, [0.022982, -0.934574]"),
        ("exercise 1", "db: shape [], F64, [0.086767]"),
        ("exercise 2", "step 1: loss 208.415392"),
        ("exercise 2", "step 100: loss 5.952060"),
        ("exercise 2", "step 2000: loss 5.899971"),
        ("exercise 2", "a -0.096816, b 2.603830, c 17.481431"),
    ],
)
def test_the_lessons_text(part: str, printed: str) -> None:
    assert printed in text(part)


def test_only_the_float32_descent_rests_on_unstated_values() -> None:
    unknown = [
        line.text[:4]
        for section in sections()
        for line in section.lines
        if line.mark is Mark.UNKNOWN
    ]
    assert unknown == ["F32:"]


def test_answers_that_differ_by_design_say_why() -> None:
    for section in sections():
        marks = [line.mark for line in section.lines]
        if Mark.DIFFERENT in marks:
            notes = [line.note for line in section.lines if line.mark is Mark.DIFFERENT]
            assert notes[-1], section.title


def test_the_moments_of_the_standardized_pages() -> None:
    m = builds.BUILDS.moments(2, standard=True)
    gram, cross = np.asarray(m.gram), np.asarray(m.cross)
    assert float(builds.BUILDS.mean) == pytest.approx(184.038461538, abs=5e-10)
    assert builds.BUILDS.deviation == pytest.approx(62.475829646, abs=5e-10)
    expected = [
        [1.919135061993, -0.019255365131, 1.0],
        [-0.019255365131, 1.0, 0.0],
        [1.0, 0.0, 1.0],
    ]
    np.testing.assert_allclose(gram, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(cross, [17.245491002032, 2.605694079311, 904 / 52], atol=1e-11)


def test_least_squares_from_moments_is_least_squares() -> None:
    rng = np.random.default_rng(5)
    x, y = rng.integers(0, 9, 12), rng.integers(0, 9, 12)
    sums = builds.Sums(
        tuple(int(np.sum(x**k)) for k in range(5)),
        tuple(int(np.sum(x**k * y)) for k in range(3)),
        int(np.sum(y**2)),
    )
    for standard in (False, True):
        m = sums.moments(2, standard=standard)
        z = (x - x.mean()) / x.std() if standard else x.astype(float)
        basis = np.stack([z**2, z, np.ones(12)], axis=1)
        theta = rng.normal(size=3)
        direct = np.mean((basis @ theta - y) ** 2)
        assert float(loss(tad.tensor(theta), m)) == pytest.approx(direct, rel=1e-12)
        best = np.linalg.lstsq(basis, y.astype(float), rcond=None)[0]
        np.testing.assert_allclose(np.asarray(closed_form(m)), best, rtol=1e-9)


def test_descent_to_full_precision() -> None:
    m = builds.BUILDS.moments(1)
    fast, slow = descend(m, 3e-5, 10), descend(m, 1e-5, 1000)
    assert fast.losses[0] == pytest.approx(495.659009, abs=5e-7)
    assert fast.losses[9] == pytest.approx(33734.9454, abs=5e-5)
    assert [slow.losses[i] for i in (0, 9, 999)] == pytest.approx(
        [33.540901, 15.647703, 15.607933], abs=5e-7
    )
    assert np.asarray(closed_form(m)).tolist() == pytest.approx(
        [0.04170723452702, 9.70888010724], rel=1e-12
    )
    assert float(loss(closed_form(m), m)) == pytest.approx(5.90858321712, rel=1e-10)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("w -3.4661e101, b 2.0477e-2", ["-3.4661e101", "2.0477e-2"]),
        ("[[-0.000000, 0.5]]", ["-0.000000", "0.5"]),
        ("largest gap below 1e-8: true", ["1e-8", "true"]),
        ("gradient for w None", ["None"]),
    ],
)
def test_numbers_are_compared_as_printed(line: str, expected: list[str]) -> None:
    assert numbers(line) == expected
