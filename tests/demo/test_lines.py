"""What is told of a line that is not the document's."""

import numpy as np
import pytest

import taglessad as tad
from taglessad.demo.formats import columns, described, exponent, fixed, short, state, wrapped
from taglessad.demo.lines import Line, Mark, section
from taglessad.demo.text import count_text, section_text

STATED = """\
a = 1.5
b = 2.5
"""


def test_another_number_is_found() -> None:
    made = section("a document", STATED, [Line("a = 1.5"), Line("b = 2.6")])
    assert [made.agrees(0), made.agrees(1)] == [True, False]
    assert not made.good
    assert section_text(made).splitlines()[1:] == [
        "a = 1.5",
        "b = 2.6  !",
        "      the document: b = 2.5",
    ]
    assert count_text([made]).endswith("1 wrong")


def test_another_word_is_not() -> None:
    made = section("a document", STATED, [Line("alpha = 1.5"), Line("beta = 2.5")])
    assert made.good


def test_the_sign_of_zero_counts() -> None:
    made = section("a document", "0.000000\n", [Line("-0.000000")])
    assert not made.good


def test_a_marked_line_stands_or_falls_with_its_relation() -> None:
    lines = [Line("a = 9", Mark.UNKNOWN, "a > 0"), Line("b = 9", Mark.DIFFERENT, "b < 0", False)]
    made = section("a document", STATED, lines)
    assert [made.agrees(0), made.agrees(1)] == [True, False]
    assert section_text(made).splitlines()[1:] == [
        "a = 9  *",
        "      (a > 0)",
        "b = 9  !",
        "      (b < 0)",
    ]


def test_a_broken_line_stands_for_as_many() -> None:
    made = section("a document", STATED, [Line("a = 1.5\nb = 2.5", note="both")])
    assert [line.note for line in made.lines] == ["", "both"]
    with pytest.raises(AssertionError, match="1 lines for the 2 stated"):
        section("a document", STATED, [Line("a = 1.5")])


def test_formats() -> None:
    t = tad.tensor([[0.5, -0.0], [1.0, -2.4]])
    assert fixed(t) == "[[0.500000, 0.000000], [1.000000, -2.400000]]"
    assert fixed(t, signed_zero=True) == "[[0.500000, -0.000000], [1.000000, -2.400000]]"
    assert fixed(-1e-9) == "-0.000000"  # not zero: its sign is its own
    assert state(t, tad.tensor([1.0])) == (
        "[[2, 2]: [[0.500000, 0.000000], [1.000000, -2.400000]], [1]: [1.000000]]"
    )
    assert wrapped("[[1, 2], [3, 4], [5, 6]]") == "[[1, 2],\n  [3, 4], [5, 6]]"
    assert [short(v) for v in (32, -0.5, 0.0072830, 1e-9)] == ["32", "-0.5", "0.007283", "0"]
    assert described(tad.tensor(np.float32([[1, 2]]))) == "shape [1, 2], F32, [1, 2]"
    assert [exponent(4.538e207, 3), exponent(0.088911, 4)] == ["4.538e207", "8.8911e-2"]
    assert columns([["a", "1"], ["bb", "22"]]) == ["a    1", "bb  22"]
