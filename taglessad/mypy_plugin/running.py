"""A function of the library run under `Shape`, for every answer to what a call leaves open.

A named run `*B` may be of any length: the call must be right for all of them, which is tried at
one axis, none and two. An unknown rank is right if some rank is. What the results have in common
is the result.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np

from taglessad.dims import ANY_RANK, UNKNOWN, Extent, ShapeLike, Star, Symbol, symbol
from taglessad.errors import (
    ArgumentError,
    ConcretizationError,
    DomainError,
    DTypeError,
    IndexOutOfRange,
    MissingExtra,
    NotDifferentiable,
    ShapeError,
    TaglessError,
)
from taglessad.levels import Under
from taglessad.mypy_plugin.specs import (
    NESTED,
    SHAPES,
    Answers,
    Array,
    Arrow,
    Keyed,
    Known,
    Opaque,
    Questions,
    Record,
    Several,
    SizeOf,
    Spec,
    Unreadable,
    ask,
    kind_of,
)
from taglessad.shapes.binding import substitute, symbols_of
from taglessad.tensor import AnyTensor

LONGEST: Final = 64
"""More ways to answer than this are not tried: the result is then of unknown shape."""

_ANYWHERE: Final = (ShapeError,)
# What may come of a number made up for one that is not known.
_FROM_VALUES: Final = (ArgumentError, IndexOutOfRange, DomainError, DTypeError)
_SILENT: Final = (ConcretizationError, MissingExtra, NotDifferentiable)


class Outcome(NamedTuple):
    """What a call gives: its result, or the sentence of the error it will raise."""

    result: Spec
    error: str | None = None
    dtype_error: bool = False  # about kinds of number, of which mypy may have spoken already


def evaluate(
    call: Callable[[Answers], Any],
    specs: Sequence[Spec],
    read: Callable[[Any], Spec],
    open_questions: Questions | None = None,
) -> Outcome:
    """The outcome of a call. `call` makes its arguments from the answers, and calls.

    `open_questions`: those of the specs, where they have been asked.
    """
    if open_questions is None:
        open_questions = ask(specs)
    if not open_questions:
        return _once(call, Answers({}), read)
    results: list[tuple[Answers, Spec]] = []
    ways = list(_ways(open_questions.runs, [n for n, every in open_questions.choices if every]))
    ranks = _ranks(specs)
    some = [n for n, every in open_questions.choices if not every]
    guesses = list(product(product(ranks, repeat=open_questions.ranks), product(*map(range, some))))
    if len(ways) * len(guesses) > LONGEST:
        guesses = guesses[:: 1 + len(ways) * len(guesses) // LONGEST]
    for runs, certain in ways:
        failure: Outcome | None = None
        good = False
        for rank_answers, guess in guesses:
            choices = _merged(open_questions.choices, certain, guess)
            answers = Answers(runs, rank_answers, choices)
            outcome = _once(call, answers, read)
            if outcome.error is None:
                results.append((answers, outcome.result))
                good = True
            else:
                failure = outcome
        if not good and failure is not None:
            assert failure.error is not None
            return failure._replace(error=failure.error + _where(runs, open_questions.runs))
    return Outcome(_folded(results, open_questions.runs))


def _once(call: Callable[[Answers], Any], answers: Answers, read: Callable[[Any], Spec]) -> Outcome:
    try:
        with Under(SHAPES):
            return Outcome(read(call(answers)))
    except Unreadable:
        return Outcome(Opaque())
    except _SILENT:
        return Outcome(Opaque())
    except TaglessError as error:
        if isinstance(error, _ANYWHERE) or (
            isinstance(error, _FROM_VALUES) and not answers.guessed
        ):
            return Outcome(Opaque(), error.message, isinstance(error, DTypeError))
        return Outcome(Opaque())
    except Exception:
        # What is made up here need not behave as a value in every way: nothing is then said.
        return Outcome(Opaque())


def _ways(
    runs: Mapping[str, Star], choices: Sequence[int]
) -> Iterator[tuple[dict[str, tuple[Extent, ...]], tuple[int, ...]]]:
    """Every answer for which the call must be right, one axis for each run first."""
    for lengths in product((1, 0, 2), repeat=len(runs)):
        spelled = {
            key: _axes(star, n) for (key, star), n in zip(runs.items(), lengths, strict=True)
        }
        for choice in product(*map(range, choices)):
            yield spelled, choice


def _axes(star: Star, n: int) -> tuple[Extent, ...]:
    if n == 1:  # so that messages print the run as it is written
        return (symbol(Symbol(f"*{star.key}", f"*{star.name}")),)
    return tuple(symbol(Symbol(f"{star.key}.{i}", f"{star.name}{i}")) for i in range(n))


def _where(runs: Mapping[str, tuple[Extent, ...]], stars: Mapping[str, Star]) -> str:
    """Which lengths of runs an error is about, where it is not every length."""
    said = [
        f"*{stars[key].name} of {len(axes) or 'no'} axes"
        for key, axes in runs.items()
        if len(axes) != 1
    ]
    return f" (for {' and '.join(said)})" if said else ""


def _ranks(specs: Sequence[Spec]) -> tuple[int, ...]:
    known = max([_rank(s) for s in specs], default=0)
    return tuple(range(min(max(known + 2, 4), 7)))


def _rank(spec: Spec) -> int:
    if isinstance(spec, Array):
        return len(spec.shape)
    if isinstance(spec, NESTED):
        return max([_rank(s) for s in spec.items], default=0)
    return 0


def _merged(
    choices: Sequence[tuple[int, bool]], certain: Sequence[int], guess: Sequence[int]
) -> list[int]:
    sure, maybe = iter(certain), iter(guess)
    return [next(sure) if every else next(maybe) for _, every in choices]


# --- what results have in common -----------------------------------------------------------------
def _folded(results: Sequence[tuple[Answers, Spec]], runs: Mapping[str, Star]) -> Spec:
    first = results[0][1]
    others = [s for _, s in results]
    if all(s == first for s in others[1:]) and not runs:
        return first
    if isinstance(first, Array):
        arrays = [(a, s) for a, s in results if isinstance(s, Array)]
        if len(arrays) < len(results):
            return Opaque()
        kinds = {s.kind for _, s in arrays}
        shape = _common([(a, s.shape) for a, s in arrays], runs)
        return Array(shape, first.kind if len(kinds) == 1 else "any")
    parts = _items(first)
    if parts is not None:
        same = [(a, _items(s) if type(s) is type(first) else None) for a, s in results]
        known = [(a, items) for a, items in same if items is not None and len(items) == len(parts)]
        if len(known) < len(results):
            return Opaque()
        items = tuple(_folded([(a, s[i]) for a, s in known], runs) for i in range(len(parts)))
        if isinstance(first, Several | Keyed | Arrow):
            return first._replace(items=items)
        assert isinstance(first, Record)
        return Record(first.cls, items, first.mold)
    return first if all(s == first for s in others[1:]) else Opaque()


def _items(spec: Spec) -> tuple[Spec, ...] | None:
    return spec.items if isinstance(spec, Several | Record | Keyed | Arrow) else None


def _common(shapes: Sequence[tuple[Answers, ShapeLike]], runs: Mapping[str, Star]) -> ShapeLike:
    """The shape that all are instances of."""
    if runs:
        pattern = _pattern(shapes[0][1], shapes[0][0], runs)
        if pattern is not None and all(_instance(pattern, a, runs) == s for a, s in shapes):
            return pattern
    plain = [tuple(_outside(n, runs) for n in s) for _, s in shapes]
    first = plain[0]
    if all(len(s) == len(first) for s in plain):
        return tuple(n if all(s[i] == n for s in plain) else UNKNOWN for i, n in enumerate(first))
    head = 0
    while all(len(s) > head and s[head] == first[head] for s in plain):
        head += 1
    shortest = min(map(len, plain)) - head
    tail = 0
    while tail < shortest and all(s[-1 - tail] == first[-1 - tail] for s in plain):
        tail += 1
    return (*first[:head], ANY_RANK, *first[len(first) - tail :])


def _outside(n: Extent | Star, runs: Mapping[str, Star]) -> Extent | Star:
    """The size, unknown where it depends on how a run was spelled."""
    if isinstance(n, Star):
        return n
    own = tuple(symbols_of(n))
    made = any(k == f"*{key}" or k.startswith(f"{key}.") for k in own for key in runs)
    return UNKNOWN if made else n


def _pattern(shape: ShapeLike, answers: Answers, runs: Mapping[str, Star]) -> ShapeLike | None:
    """The shape of a result at one axis for each run, with the runs put back in."""
    alone = {axes[0]: runs[key] for key, axes in answers.runs.items() if len(axes) == 1}
    totals: dict[str, Extent] = {
        f"*{key}": symbol(Symbol(f"prod {key}", f"prod(*{s.name})")) for key, s in runs.items()
    }
    out: list[Extent | Star] = []
    for n in shape:
        if not isinstance(n, Star) and n in alone:
            out.append(alone[n])
        else:
            out.append(n if isinstance(n, Star) else substitute(n, totals))
    if sum(isinstance(n, Star) for n in out) > 1:
        return None
    return tuple(out)


def _instance(
    pattern: ShapeLike, answers: Answers, runs: Mapping[str, Star]
) -> tuple[Extent | Star, ...]:
    totals: dict[str, Extent] = {}
    for key, axes in answers.runs.items():
        total: Extent = 1
        for n in axes:
            total = total * n
        totals[f"prod {key}"] = total
    out: list[Extent | Star] = []
    for part in pattern:
        if isinstance(part, Star):
            out.extend(answers.runs.get(part.key, (part,)))
        else:
            out.append(substitute(part, totals))
    return tuple(out)


# --- results as specs ----------------------------------------------------------------------------
def spec_of(value: Any) -> Spec:
    """What a result is. Any: whatever a function of the library gives."""
    if isinstance(value, AnyTensor):
        return Array(value.shape, kind_of(value))
    if value is None or isinstance(value, bool | int | float | str):
        return Known(value, type(value).__name__)
    if isinstance(value, np.dtype):
        return Known(value, "dtype")
    if isinstance(value, tuple):
        mold = getattr(type(value), "mold", None)
        items = tuple(spec_of(v) for v in value)
        return Several("tuple", items) if mold is None else Record(type(value), items, mold)
    if isinstance(value, list):
        return Several("list", tuple(spec_of(v) for v in value))
    if type(value) is dict:
        return Keyed(tuple(value), tuple(spec_of(v) for v in value.values()))
    mold = getattr(type(value), "mold", None)
    if mold is not None:
        items = tuple(
            Known(None, "static") if f.metadata.get("static") else spec_of(getattr(value, f.name))
            for f in fields(value)
        )
        return Record(type(value), items, mold)
    return Opaque()


def size_spec(n: Extent) -> Spec:
    """A size as a spec."""
    return SizeOf(n)
