"""Names of other libraries are errors that say what to use, and that is there."""

import importlib
import re
import sys

import pytest

import taglessad as tad
from taglessad.other_names import ELSEWHERE

ALL = [(module, name) for module, names in ELSEWHERE.items() for name in names]
SHORT = {
    "stop_gradient": "tad.detach",
    "tree_map": "tad.trees.map",
    "jacobian": "tad.jacrev",
    "clamp": "tad.clip",
    "cat": "tad.concat",
    "remat": "tad.checkpoint",
    "eval_shape": "tad.interpreters.Shape",
    "ShapeDtypeStruct": "tad.Spec",
    "make_jaxpr": "tad.trace",
    "jet": "tad.taylor",
    "check_grads": "tad.checks.check_derivative",
    "certify": "tad.checks.certify",
    "bfloat16": "x.astype('bfloat16')",
    "random.PRNGKey": "tad.random.key",
    "optim.Adam": "tad.optim.adam",
    "trees.ravel_pytree": "tad.trees.ravel",
    "nn.Dense": "tad.nn.Linear",
    "checks.check_grads": "tad.checks.check_derivative",
}


@pytest.mark.parametrize(("module", "name"), ALL)
def test_what_is_named_is_there_and_the_name_is_not(module: str, name: str) -> None:
    asked = importlib.import_module(module)
    assert name not in vars(asked)
    for path in re.findall(r"\btad\.([\w.]+)", ELSEWHERE[module][name]):
        found: object = tad
        for part in path.split("."):
            found = getattr(found, part)


@pytest.mark.parametrize(("module", "name"), ALL)
def test_the_error(module: str, name: str) -> None:
    asked = importlib.import_module(module)
    with pytest.raises(AttributeError) as caught:
        getattr(asked, name)
    instead = ELSEWHERE[module][name]
    assert str(caught.value) == f"module '{module}' has no attribute '{name}'; use {instead}"
    assert not hasattr(asked, name)
    with pytest.raises(ImportError, match=f"cannot import name '{name}'"):
        exec(f"from {module} import {name}")


@pytest.mark.parametrize("path", SHORT)
def test_names_of_the_field_lead_on(path: str) -> None:
    *package, name = path.split(".")
    asked = getattr(tad, package[0]) if package else tad
    with pytest.raises(AttributeError, match=re.escape(SHORT[path])):
        getattr(asked, name)


@pytest.mark.parametrize("module", ELSEWHERE)
def test_other_names_give_the_plain_error(module: str) -> None:
    asked = sys.modules[importlib.import_module(module).__name__]
    with pytest.raises(AttributeError) as caught:
        getattr(asked, "foo")  # noqa: B009  # a name that type checkers know not to be there
    assert str(caught.value) == f"module '{module}' has no attribute 'foo'"
    assert (caught.value.name, caught.value.obj) == ("foo", asked)
