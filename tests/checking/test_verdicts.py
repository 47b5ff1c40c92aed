"""Ill-shaped variants of well-shaped programs: definition, `check` and run time say the same.

Every axis of every operand is made longer by one, and made 1. The verdict on the annotated program
is that of running it on arrays of those shapes, and where both refuse, the sentence too.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

import taglessad as tad
from taglessad.checking.check import check_source
from taglessad.checking.program import program
from taglessad.checking.sources import Source

Shapes = tuple[tuple[int, ...], ...]

PROGRAMS: list[tuple[str, Shapes]] = [
    ("a + b", ((4, 2), (4, 2))),
    ("a * b - a", ((5, 4, 2), (4, 2))),
    ("a / b", ((4, 2), (2,))),
    ("tad.maximum(a, b)", ((4, 2), (4, 2))),
    ("tad.where(a > 0, a, b)", ((4, 2), (4, 2))),
    ("tad.logaddexp(a, b)", ((3, 1), (3, 4))),
    ("tad.hypot(a, b) + tad.atan2(b, a)", ((3,), (3,))),
    ("a @ b", ((4, 2), (2, 3))),
    ("a @ b", ((5, 4, 2), (5, 2, 3))),
    ("a @ b", ((4,), (4, 3))),
    ("a @ b", ((4, 2), (2,))),
    ("a.T @ b", ((4, 2), (4, 3))),
    ("tad.vecdot(a, b)", ((4, 2), (4, 2))),
    ("tad.tensordot(a, b, axes=1)", ((4, 2), (2, 3))),
    ("tad.tensordot(a, b, axes=([0, 1], [1, 0]))", ((4, 2), (2, 4))),
    ("tad.linalg.outer(a, b) @ b", ((4,), (2,))),
    ("tad.linalg.cross(a, b)", ((4, 3), (4, 3))),
    ("tad.linalg.trace(a @ b)", ((4, 2), (2, 4))),
    ("tad.linalg.matrix_power(a, 2)", ((3, 3),)),
    ("tad.einsum('ij,jk->ik', a, b)", ((4, 2), (2, 3))),
    ("tad.einsum('bij,bjk->bik', a, b)", ((5, 4, 2), (5, 2, 3))),
    ("tad.einsum('i,i->', a, b)", ((4,), (4,))),
    ("tad.einsum('...i,ij->...j', a, b)", ((5, 4, 2), (2, 3))),
    ("a - tad.mean(a, axis=1)[:, None] + b", ((4, 2), (4, 2))),
    ("a.sum(axis=0) + b", ((4, 2), (2,))),
    ("tad.sum(a, axis=-1, keepdims=True) * b", ((4, 2), (4, 2))),
    ("tad.cumulative_sum(a, axis=1) + b", ((4, 2), (4, 2))),
    ("tad.std(a, axis=0) * b", ((4, 2), (2,))),
    ("tad.argmax(a, axis=1) + b", ((4, 2), (4,))),
    ("tad.sort(a, axis=0) + b", ((4, 2), (4, 2))),
    ("tad.diff(a) + b", ((4, 3), (4, 2))),
    ("tad.reshape(a, (2, 4)) + b", ((4, 2), (2, 4))),
    ("tad.reshape(a, (-1, 4))", ((4, 3),)),
    ("tad.permute_dims(a, (2, 0, 1)) + b", ((5, 4, 2), (2, 5, 4))),
    ("tad.moveaxis(a, 0, -1) @ b", ((5, 4, 2), (5, 3))),
    ("tad.swapaxes(a, 0, 1) + b", ((5, 4), (4, 5))),
    ("tad.expand_dims(a, axis=1) * b", ((4,), (4, 2))),
    ("tad.squeeze(a, axis=1) + b", ((4, 1), (4,))),
    ("tad.broadcast_to(a, (4, 2)) + b", ((2,), (4, 2))),
    ("tad.flip(a, axis=0) * b", ((4, 2), (4, 2))),
    ("tad.roll(a, 1, axis=0) * b", ((4, 2), (4, 2))),
    ("tad.concat((a, b))", ((4, 2), (5, 2))),
    ("tad.concat((a, b), axis=1) @ c", ((4, 2), (4, 3), (5, 2))),
    ("tad.stack([a, b])", ((4, 2), (4, 2))),
    ("tad.stack([a, b], axis=-1) @ c", ((4,), (4,), (2, 3))),
    ("tad.tile(a, (2, 1)) + b", ((4, 2), (8, 2))),
    ("tad.repeat(a, 2, axis=0) + b", ((4, 2), (8, 2))),
    ("tad.pad(a, 1) + b", ((4, 2), (6, 4))),
    ("tad.pad(a, 1, mode='reflect') + b", ((4, 2), (6, 4))),
    ("tad.tril(a) @ b", ((4, 4), (4,))),
    ("tad.diag(a) @ b", ((4,), (4, 2))),
    ("a[1:] + b", ((4, 2), (3, 2))),
    ("a[::2] * b", ((4, 2), (2, 2))),
    ("a[3] + b", ((4, 2), (2,))),
    ("a[:, 1] @ b", ((4, 2), (4,))),
    ("a[..., None] @ b", ((4, 2), (4, 1, 3))),
    ("a[tad.asarray([0, 0])] + b", ((4, 2), (2, 2))),
    ("tad.take(a, tad.asarray([0, 0, 0]), axis=1) + b", ((4, 2), (4, 3))),
    ("a.at[0].set(b)", ((4, 2), (2,))),
    ("tad.nn.functional.softmax(a, axis=1) * b", ((4, 2), (4, 2))),
    ("tad.nn.functional.mse(a, b)", ((4, 2), (4, 2))),
    ("tad.nn.functional.binary_cross_entropy(a, b)", ((4,), (4,))),
    ("tad.nn.functional.conv2d(a, b)", ((2, 3, 8, 8), (4, 3, 5, 5))),
    ("tad.nn.functional.conv1d(a, b, padding=1) + c", ((2, 3, 8), (4, 3, 3), (2, 4, 8))),
    ("tad.nn.functional.max_pool2d(a, 2) + b", ((2, 3, 8, 8), (2, 3, 4, 4))),
    ("tad.grad(lambda x: ((x @ b) ** 2).sum())(a)", ((4, 2), (2, 3))),
    ("tad.vjp(lambda x: x @ b)(a, c)", ((4, 2), (2, 3), (4, 3))),
    ("tad.jvp(lambda x: x @ b)(a, c)", ((4, 2), (2, 3), (4, 2))),
    ("tad.hvp(lambda x: (x * b).sum() ** 2)(a, c)", ((3,), (3,), (3,))),
    ("tad.jacrev(lambda x: x @ b)(a) @ c", ((2,), (2, 3), (2, 4))),
    ("tad.hessian(lambda x: (x * x * b).sum())(a) @ c", ((3,), (3,), (3,))),
    ("tad.vmap(lambda x, y: x @ y)(a, b)", ((5, 4), (5, 4))),
    ("tad.vmap(lambda x: x @ b, in_axes=1)(a)", ((4, 5), (4, 3))),
    ("tad.jit(lambda x, y: x @ y)(a, b)", ((4, 2), (2, 3))),
    ("tad.scan(lambda c, x: (c + x, c @ b), b, a)", ((5, 4), (4,))),
    ("tad.cond(a.sum() > 0, lambda x, y: x, lambda x, y: y, a, b)", ((4, 2), (4, 2))),
    ("tad.fori_loop(0, 2, lambda i, x: x @ b, a)", ((4, 4), (4, 4))),
]
CASES = [pytest.param(text, shapes, id=text) for text, shapes in PROGRAMS]


def variants(shapes: Shapes) -> Iterator[Shapes]:
    """The shapes themselves, then each axis of each made longer, and 1."""
    yield shapes
    for i, shape in enumerate(shapes):
        for axis, n in enumerate(shape):
            for m in (n + 1, 1):
                if m != n:
                    other = (*shape[:axis], m, *shape[axis + 1 :])
                    yield (*shapes[:i], other, *shapes[i + 1 :])


def outcome(call: Any) -> str | None:
    try:
        call()
    except tad.TaglessError as error:
        return f"{type(error).__name__}: {error.message}"
    return None


@pytest.mark.parametrize(("text", "shapes"), CASES)
def test_definition_and_run_time_agree(text: str, shapes: Shapes) -> None:
    names = "abc"[: len(shapes)]
    f = eval(f"lambda {', '.join(names)}: {text}", {"tad": tad})
    refused = 0
    for given in variants(shapes):
        run = outcome(lambda given=given: f(*[tad.ones(s) * 0.5 for s in given]))
        annotated = eval(f"lambda {', '.join(names)}: {text}", {"tad": tad})
        annotated.__annotations__ = {
            name: tad.Tensor[tuple(Literal[n] for n in s)]
            for name, s in zip(names, given, strict=True)
        }
        assert outcome(lambda annotated=annotated: program(annotated)) == run, given
        refused += run is not None
        assert run is None or given != shapes
    assert refused or len(shapes) == 1 or text.startswith("tad.linalg.outer"), text


def test_check_agrees(tmp_path: Path) -> None:
    """All variants of all programs in one file: an error on the line of each that run time refuses."""
    lines = [
        "import taglessad as tad",
        "from taglessad import Tensor",
        "from typing import Literal",
    ]
    expected: dict[int, str] = {}
    for text, shapes in PROGRAMS[::3]:
        names = "abc"[: len(shapes)]
        f = eval(f"lambda {', '.join(names)}: {text}", {"tad": tad})
        for given in variants(shapes):
            types = [", ".join(f"Literal[{n}]" for n in s) for s in given]
            parameters = [f"{n}: Tensor[{t}]" for n, t in zip(names, types, strict=True)]
            lines.append(f"def f({', '.join(parameters)}) -> Tensor:")
            lines.append(f"    return {text}")
            lines.append(f"f_{len(lines)} = f")
            said = outcome(lambda f=f, given=given: f(*[tad.ones(s) * 0.5 for s in given]))
            if said is not None:
                expected[len(lines) - 1] = said.partition(": ")[2]
    file = tmp_path / "variants.py"
    file.write_text("\n".join(lines) + "\n")
    found, _ = check_source(Source(file, "variants"), [])
    assert {f.line: f.message for f in found if f.severity == "error"} == expected
