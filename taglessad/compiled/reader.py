"""A quick reader of a call's arguments: a generated check that they are such as were seen before.

It is straight-line Python for one structure, some five times faster than the general walk: a class
test for each container, and for each handle its dtype, shape and weakness. Wherever a test fails,
and for what has no test here, the general walk decides (compiled/signature.py).
"""

import dataclasses
from collections.abc import Callable, Sequence
from enum import Enum
from types import BuiltinFunctionType, EllipsisType, FunctionType, NoneType
from typing import Any, Final, TypeAlias

import numpy as np

from taglessad.compiled.signature import HANDLES
from taglessad.errors import GENERATED
from taglessad.ops import Ops
from taglessad.trees.kinds import kinds

# Any: arguments are whatever the program takes, payloads whatever NumPy takes.
Reader: TypeAlias = Callable[[tuple[Any, ...], dict[str, Any]], tuple[Any, ...] | None]
"""(args, kwargs) -> the numbers in order, as the generated function takes them, or None."""

LARGEST: Final = 1_000
"""Nodes past which a reader's source is not worth compiling."""

# Static values that are the same for ever where they are the same object.
_CONSTANTS: Final = (
    FunctionType,
    BuiltinFunctionType,
    np.ufunc,
    type,
    np.dtype,
    Enum,
    EllipsisType,
)


def reader(
    root: Ops[Any], args: tuple[Any, ...], kwargs: dict[str, Any], shaped: bool = True
) -> Reader | None:
    """The reader of calls with the signature of this one; None where something has no test.

    shaped: handles are tested for their shapes; not where whoever runs the call looks at them anyway.
    """
    source = _Source(root, shaped)
    source.items("kwargs", kwargs)
    source.sequence("args", args)
    while source.pending:
        if source.made > LARGEST or not source.node(*source.pending.pop()):
            return None
    return source.compiled()


class _Source:
    """The text in the making. Node i of the arguments is the local variable n{i}."""

    def __init__(self, root: Ops[Any], shaped: bool) -> None:
        self.shaped = shaped
        self.globals: dict[str, Any] = {"root": root}
        self.known: dict[int, str] = {}
        self.lines: list[str] = []
        self.values: list[str] = []
        self.pending: list[tuple[str, Any]] = []  # nodes to come, the next one last
        self.made = 0

    def node(self, n: str, x: Any) -> bool:
        """Test one node, known by its name; False where there is no test for it."""
        cls = x.__class__
        if cls in HANDLES:
            shape = f" or {n}.payload.shape != {x.payload.shape}" if self.shaped else ""
            self._refuse(
                f"{n}.ops is not root or {n}._dtype is not {self._constant(x.dtype)} "
                f"or {n}.weak is not {x.weak}{shape}"
            )
            self.values.append(f"{n}.payload")
            return True
        self._refuse(f"{n}.__class__ is not {self._constant(cls)}")
        if cls is float:
            self.values.append(n)
        elif cls is np.ndarray or isinstance(x, np.generic):
            self._refuse(f"{n}.dtype is not {self._constant(x.dtype)} or {n}.shape != {x.shape}")
            self.values.append(n)
        elif cls is tuple or cls is list:
            self.sequence(n, x)
        elif cls is dict:
            return self.items(n, x)
        elif dataclasses.is_dataclass(cls) or issubclass(cls, tuple):
            return self._fields(n, x)
        else:
            return cls not in (int, bool) and self._static(n, x)
        return True

    def sequence(self, n: str, x: Sequence[Any]) -> None:
        """The children of a tuple or list of this length."""
        self._refuse(f"len({n}) != {len(x)}")
        self._children(n, x)

    def items(self, n: str, x: dict[Any, Any]) -> bool:
        """The children of a dict with these keys in this order."""
        if not all(key.__class__ is str for key in x):
            return False
        self._refuse(f"tuple({n}) != {tuple(x)!r}" if x else n)
        self._children(f"{n}.values()", tuple(x.values()))
        return True

    def _fields(self, n: str, x: Any) -> bool:
        """The children of a dataclass, with its static fields, or of a NamedTuple.

        False where the class is registered, and its function takes it apart.
        """
        kind = kinds[x.__class__]
        if kind.binding:
            return False
        token, children = kind.take(x)
        assert token is not None
        for field in dataclasses.fields(x) if dataclasses.is_dataclass(x) else ():
            if field.metadata.get("static", False):
                name, value = f"{n}.{field.name}", getattr(x, field.name)
                self._refuse(f"{name}.__class__ is not {self._constant(value.__class__)}")
                if not self._static(name, value):
                    return False
        names = kind.steps(token[2], token[1])
        self._children("".join([f"{n}.{name}, " for name in names]), children)
        return True

    def _static(self, n: str, x: Any) -> bool:
        """A value that counts by what it is. Its class was tested."""
        if x.__class__ in (str, bytes, int, bool):
            self._refuse(f"{n} != {x!r}")
        elif isinstance(x, _CONSTANTS):
            self._refuse(f"{n} is not {self._constant(x)}")
        else:
            return isinstance(x, NoneType)
        return True

    def _children(self, container: str, children: Sequence[Any]) -> None:
        if children:
            names = [f"n{self.made + i}" for i in range(len(children))]
            self.made += len(children)
            self.lines.append(f"{', '.join(names)}, = {container}")
            self.pending += reversed(list(zip(names, children, strict=True)))

    def _refuse(self, condition: str) -> None:
        self.lines.append(f"if {condition}: return None")

    def _constant(self, value: Any) -> str:
        # By identity: all that is named here stays alive.
        name = self.known.setdefault(id(value), f"c{len(self.globals)}")
        self.globals[name] = value
        return name

    def compiled(self) -> Reader:
        body = "\n        ".join(
            [*self.lines, f"return ({''.join(v + ', ' for v in self.values)})"]
        )
        source = f"def read(args, kwargs):\n    try:\n        {body}\n"
        # Something else stands where a handle was, or a list has changed meanwhile.
        source += "    except (AttributeError, ValueError):\n        return None\n"
        exec(compile(source, GENERATED, "exec"), self.globals)
        read: Reader = self.globals.pop("read")
        return read
