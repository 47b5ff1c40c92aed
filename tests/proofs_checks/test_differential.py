"""The differential tool: gradients and Hessians against differences of the executed path."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import ArgumentError
from taglessad.proofs_checks.differential import examine, main, named
from taglessad.proofs_checks.differential_docs import examples
from taglessad.proofs_checks.differential_paths import executed
from taglessad.proofs_checks.inputs import reals

X = np.array([0.5, -1.25, 2.0])


def verdict(f: Any, *args: Any, shift: float = 0.0) -> str:
    return examine("case", f, args, shift).verdict


CASES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "smooth": (lambda x: tad.sum(tad.sin(x) * tad.exp(x)), (X,)),
    "several arguments": (lambda w, b: tad.mean(tad.tanh(w * X + b) ** 2), (X, 0.5)),
    "a tree": (lambda p: p["a"] ** 3 * tad.sum(p["b"]), ({"a": 1.5, "b": X},)),
    "an array result": (lambda x: x**2, (X,)),
    "a fence": (lambda x: tad.sum(x * tad.detach(x**2)), (X,)),
    "a kink nearby": (lambda x: tad.sum(tad.where(x > 0.5, x**2, 3 * x)), (X,)),
    "a kink, and more": (lambda x: tad.nn.functional.relu(x - 0.5) @ X + tad.sum(x**2), (X,)),
    "a tie": (lambda x: tad.max(x) * 2.0 + tad.abs(x[0]), (np.array([1.0, 1.0, 0.0]),)),
    "on a bound": (lambda x: tad.sum(tad.clip(x, 0.5, 1.0) ** 2), (X,)),
    "a loop": (lambda x: tad.while_loop(lambda c: c < 100.0, lambda c: c * c * x, x), (1.5,)),
    "trips about to change": (
        lambda w: tad.while_loop(lambda a: a < 4.0, lambda a: a * w, w),
        (2.0,),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_derivatives_are_those_of_the_executed_path(name: str) -> None:
    f, args = CASES[name]
    assert verdict(f, *args) == "agrees"
    assert verdict(f, *args, shift=1e-2) == "differs"


def test_the_executed_path_ends_where_differences_would_cross() -> None:
    f = lambda x: tad.where(x >= 1.0, 2 * x, x) + tad.floor(x)
    program, points = reals("test", f, (1.0,))
    path = executed(program, points)
    assert [float(path([np.asarray(x)])[0]) for x in (0.9, 1.0, 1.1)] == [2.8, 3.0, 3.2]


def test_wrong_rules_differ() -> None:
    @tad.custom_jvp
    def wrong(x: Any) -> Any:
        return x**2

    wrong.defjvp(lambda primals, tangents: (wrong(*primals), 2.01 * primals[0] * tangents[0]))
    outcome = examine("case", lambda x: tad.sum(wrong(x)), (X,))
    assert outcome.verdict == "differs" and "gradient at argument leaf 0" in outcome.detail


def test_a_wrong_hessian_differs() -> None:
    f = lambda x: tad.sum(x * tad.sin(x))
    assert verdict(f, X) == "agrees"

    @tad.custom_jvp
    def flat(x: Any) -> Any:
        return f(x)

    slope = lambda x: tad.detach(tad.sin(x) + x * tad.cos(x))
    flat.defjvp(lambda ps, ts: (f(ps[0]), tad.sum(slope(ps[0]) * ts[0])))
    outcome = examine("case", flat, (X,))
    assert outcome.verdict == "differs" and outcome.detail.startswith("Hessian at (0, 0), (0, 0)")


def test_refused_and_not_checked() -> None:
    assert verdict(lambda x: tad.sum(tad.floor(x)), X) == "refused"
    assert verdict(lambda x: x if x > 0 else -x, 1.0) == "not checked"
    assert verdict(lambda n: n, 3) == "not checked"


PAGE = """
```python
import numpy as np
import taglessad as tad
f = lambda x: tad.sum(x**3)
tad.grad(f)(np.ones(2))
```
- in a list, with an error that the page is about
  ```python
  >>> tad.value_and_grad(lambda x: x * x)(2.0)[0]
  >>> tad.grad(f)(np.ones((2, 2)), 1)
  Traceback (most recent call last):
  ```
<!-- differential: skip -->
```python
tad.grad(lambda x: x + 1.0)(2.0)
```
"""


def test_examples_of_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grad = tad.grad
    (tmp_path / "page.md").write_text(PAGE)
    found = list(examples(tmp_path))
    assert tad.grad is grad
    assert [e.name for e in found] == [
        "page.md 1 grad(<lambda>)",
        "page.md 2 value_and_grad(<lambda>)",
    ]
    assert main(["--docs", str(tmp_path)]) == 0
    assert "2 cases: 2 agree, 0 differ, 0 refused, 0 not checked" in capsys.readouterr().out
    assert main(["--docs", str(tmp_path), "--self-test"]) == 0
    assert "2 cases: 0 agree, 2 differ" in capsys.readouterr().out
    (tmp_path / "page.md").write_text("nothing\n")
    assert main(["--docs", str(tmp_path)]) == 1


MODULE = """
import taglessad as tad

def good(x):
    return tad.sin(x)

good.example = (0.5,)

def constant(x):
    return x * 0.0

constant.example = lambda: (0.5,)

def bare(x):
    return x
"""


def test_named_functions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "differential_example.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["differential_example:good"]) == 0
    assert main(["differential_example:constant"]) == 1
    assert (
        "refused      differential_example:constant: its gradient is all zero"
        in capsys.readouterr().out
    )
    with pytest.raises(ArgumentError, match="bare has no example"):
        named("differential_example:bare")
    with pytest.raises(ArgumentError, match="names no function"):
        named("differential_example:nothing")


DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.slow
def test_the_documentation_and_the_self_test(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--docs", str(DOCS)]) == 0, capsys.readouterr().out
    assert main(["--docs", str(DOCS), "--self-test"]) == 0, capsys.readouterr().out
