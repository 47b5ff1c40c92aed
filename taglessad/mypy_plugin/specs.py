"""What is known of a value before anything runs: between mypy's types and handles under `Shape`.

A spec is immutable and hashable, so that one call is worked out once. `realize` makes the value
that a program is given in its place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from taglessad.dims import UNKNOWN, Extent, ShapeLike, Star
from taglessad.dtypes import DType
from taglessad.interpreters.shape import Shape as ShapeInterpreter
from taglessad.primitive import Aval
from taglessad.tensor import AnyTensor, BoolTensor, IntTensor, Tensor

Kind: TypeAlias = Literal["real", "int", "bool", "key", "any"]
"""key: integers that are a key of random numbers."""

SHAPES: Final = ShapeInterpreter()
"""The interpreter in which the plugin runs the library's functions: no number is computed."""

_HANDLES: Final[Mapping[Kind, tuple[type[AnyTensor], DType]]] = {
    "real": (Tensor, np.dtype(np.float64)),
    "int": (IntTensor, np.dtype(np.int64)),
    "bool": (BoolTensor, np.dtype(np.bool_)),
    "key": (IntTensor, np.dtype(np.uint32)),
    "any": (Tensor, np.dtype(np.float64)),
}
_KINDS: Final[Mapping[str, Kind]] = {"f": "real", "i": "int", "u": "int", "b": "bool"}


class Array(NamedTuple):
    """A tensor: its shape, with runs and unknown sizes, and its kind of number."""

    shape: ShapeLike
    kind: Kind


class Known(NamedTuple):
    """A value that the program's text has: a literal, None, a dtype. `tag` tells 1 from True."""

    value: Any  # Any: whatever a literal is
    tag: str


class SizeOf(NamedTuple):
    """An int that is a size, symbolic or not."""

    size: Extent


class Number(NamedTuple):
    """A Python number of which only the class is known."""

    kind: Literal["float", "int"]


class Several(NamedTuple):
    """A tuple or a list."""

    cls: Literal["tuple", "list"]
    items: tuple["Spec", ...]


class Keyed(NamedTuple):
    """A dict with string keys."""

    keys: tuple[str, ...]
    items: tuple["Spec", ...]


class Part(NamedTuple):
    """A slice."""

    bounds: tuple["Spec", "Spec", "Spec"]


class Choice(NamedTuple):
    """One of several. `every`: each of them may come (a union); else nothing is known of it."""

    items: tuple["Spec", ...]
    every: bool


@dataclass(frozen=True, slots=True)
class Record:
    """An instance of a user's class of numbers: a NamedTuple, a dataclass, a model.

    `cls` stands for that class at check time, with the same fields; `mold` is mypy's type.
    """

    cls: type[Any]
    items: tuple["Spec", ...]
    mold: Any = field(compare=False)  # Any: mypy's type, which this module does not import


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function: what stands for it, made when the answers are known."""

    make: Any  # Any: (Answers) -> a callable


class Arrow(NamedTuple):
    """A function that a transform gives: `items` are its arguments, positional, and its result."""

    items: tuple["Spec", ...]
    name: str


class Opaque(NamedTuple):
    """A value of which nothing that matters is known."""

    why: str = ""


Spec: TypeAlias = (
    Array
    | Known
    | SizeOf
    | Number
    | Several
    | Keyed
    | Part
    | Choice
    | Record
    | Function
    | Arrow
    | Opaque
)


NESTED: Final = (Several, Keyed, Record)
"""The specs whose `items` are the parts of the value."""


class Unreadable(Exception):
    """A value that cannot be made up: nothing is said of the call."""


@dataclass(slots=True)
class Answers:
    """What the open questions of some specs are answered with, one way of several.

    runs: the axes that each named run stands for. ranks, choices: for each run of unknown rank,
    and for each choice, in the order in which they are met.
    """

    runs: Mapping[str, tuple[Extent, ...]]
    ranks: Sequence[int] = ()
    choices: Sequence[int] = ()
    next_rank: int = 0
    next_choice: int = 0
    guessed: bool = False  # a number stood for one that is not known

    def rank(self) -> int:
        n = self.ranks[self.next_rank] if self.next_rank < len(self.ranks) else 1
        self.next_rank += 1
        return n

    def choice(self) -> int:
        n = self.choices[self.next_choice] if self.next_choice < len(self.choices) else 0
        self.next_choice += 1
        return n


def array(shape: Sequence[Extent], kind: Kind) -> AnyTensor:
    """A handle under `Shape`."""
    cls, dtype = _HANDLES[kind]
    return cls(SHAPES, Aval(tuple(shape), dtype), dtype)


def kind_of(x: AnyTensor) -> Kind:
    """The kind of number of a handle."""
    return _KINDS[x.dtype.kind]


def spelled(shape: ShapeLike, answers: Answers) -> tuple[Extent, ...]:
    """The shape with its runs written out."""
    out: list[Extent] = []
    for n in shape:
        if not isinstance(n, Star):
            out.append(n)
        elif n.key == "?":
            out.extend([UNKNOWN] * answers.rank())
        elif n.key in answers.runs:
            out.extend(answers.runs[n.key])
        else:
            raise Unreadable(str(n))
    return tuple(out)


def realize(spec: Spec, answers: Answers, *, number: bool = False) -> Any:
    """The value that stands for what the spec describes. Any: a value of whatever class.

    `number`: where it stands a tensor may stand, so a size is a number there.
    """
    if isinstance(spec, Array):
        return array(spelled(spec.shape, answers), spec.kind)
    if isinstance(spec, Known):
        return spec.value
    if isinstance(spec, SizeOf):
        if number:
            return 1
        if spec.size is UNKNOWN:
            answers.guessed = True
        return spec.size
    if isinstance(spec, Number):
        answers.guessed = True
        if spec.kind == "float":
            return 0.5
        return 1 if number else UNKNOWN
    if isinstance(spec, Several):
        items = [realize(s, answers, number=number) for s in spec.items]
        return tuple(items) if spec.cls == "tuple" else items
    if isinstance(spec, Keyed):
        items = [realize(s, answers, number=number) for s in spec.items]
        return dict(zip(spec.keys, items, strict=True))
    if isinstance(spec, Record):
        return record(spec.cls, [realize(s, answers, number=True) for s in spec.items])
    if isinstance(spec, Part):
        return slice(*[realize(s, answers) for s in spec.bounds])
    if isinstance(spec, Choice):
        return realize(spec.items[answers.choice()], answers, number=number)
    if isinstance(spec, Function):
        return spec.make(answers)
    raise Unreadable(spec.why if isinstance(spec, Opaque) else spec.name)


def record(cls: type[Any], values: Sequence[Any]) -> Any:
    """An instance of a class that stands for a user's, without its `__init__`."""
    if issubclass(cls, tuple):
        return cls._make(values)  # type: ignore[attr-defined]  # a namedtuple
    made = object.__new__(cls)
    for name, value in zip(cls.__dataclass_fields__, values, strict=True):
        object.__setattr__(made, name, value)
    return made


@dataclass(slots=True)
class Questions:
    """What a realization has to be told: named runs, unknown ranks, choices (items, every)."""

    runs: dict[str, Star]
    ranks: int
    choices: list[tuple[int, bool]]
    # Whether something belongs to one state of the user's program: a class, or a function.
    of_program: bool = False

    def __bool__(self) -> bool:
        return bool(self.runs or self.ranks or self.choices)


def ask(specs: Sequence[Spec]) -> Questions:
    """The questions that some specs leave open, in the order in which `realize` meets them."""
    found = Questions({}, 0, [])
    for spec in specs:
        _ask(spec, found)
    return found


def _ask(spec: Spec, found: Questions) -> None:
    if isinstance(spec, Array):
        for n in spec.shape:
            if isinstance(n, Star):
                if n.key == "?":
                    found.ranks += 1
                else:
                    found.runs[n.key] = n
    elif isinstance(spec, Known):
        return
    elif isinstance(spec, NESTED):
        found.of_program |= isinstance(spec, Record)
        for item in spec.items:
            _ask(item, found)
    elif isinstance(spec, Part):
        for item in spec.bounds:
            _ask(item, found)
    elif isinstance(spec, Choice):
        # The members of a choice have no questions of their own: `Choice` is made so.
        found.choices.append((len(spec.items), spec.every))
    elif isinstance(spec, Function):
        found.of_program = True
        for inner in getattr(spec.make, "specs", ()):
            for key, star in ask([inner]).runs.items():
                found.runs.setdefault(key, star)
