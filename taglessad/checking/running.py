"""A program tried out: run once on arguments that are nothing but shapes.

No number is computed. Sizes are symbols first; a program that asks for their values is tried on
numbers as well, one instance of what its annotations admit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from taglessad.checking.annotations import ANNOTATED, is_named, read_class
from taglessad.checking.forms import Form, SelfForm, has_unknown, variables
from taglessad.checking.invented import CannotInvent, Sizes, arguments, is_number, trials
from taglessad.checking.matching import match
from taglessad.checking.returning import Returns
from taglessad.checking.scope import SCOPE
from taglessad.checking.signature import Signature
from taglessad.dims import Star, Symbol
from taglessad.errors import (
    ArgumentError,
    DTypeError,
    IndexOutOfRange,
    ShapeError,
    TaglessError,
)
from taglessad.interpreters.shape import Shape
from taglessad.levels import Under
from taglessad.shapes.binding import Binder

# Any throughout: programs, their arguments and results are the user's.

MISTAKES: Final = (ShapeError, IndexOutOfRange, ArgumentError, DTypeError)
"""What says that a program is wrong, where sizes are numbers; with symbols, ShapeError does."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of trying a program.

    mistake: what is wrong with it. obstacle: why it could not be tried, or not to the end;
    `at_fault` is the exception that it raised, if it did. column: of a faulty result.
    instance: the sizes, where it could be tried on numbers only.
    """

    mistake: TaglessError | None = None
    column: int | None = None
    obstacle: str | None = None
    at_fault: Exception | None = None
    instance: str | None = None

    @property
    def fault(self) -> bool:
        """Whether it did not run to a good end."""
        return self.mistake is not None or self.obstacle is not None


def try_out(f: Callable[..., Any], signature: Signature, owner: type[Any] | None = None) -> Outcome:
    """Run a program on invented arguments; `owner` is the class of a method.

    Raises nothing of what the program raises.
    """
    needs = _needs(signature, owner)

    def attempt(*, numeric: bool, python: bool = False) -> Outcome:
        instance = ""
        for sizes in trials(needs.symbols, needs.runs, numeric=numeric, python=python):
            outcome = _tried(f, signature, sizes, owner)
            if outcome.fault:
                return outcome
            instance = str(sizes)
        return Outcome(instance=instance if numeric else None)

    first = attempt(numeric=False)
    if not first.fault or isinstance(first.mistake, ShapeError):
        return first
    if first.mistake is None and first.at_fault is None:
        return first  # no arguments could be made: numbers do not help
    if not (needs.symbols or needs.runs or needs.numbers):
        return first
    if needs.unknown:
        return _left_open(first)
    second = attempt(numeric=True)
    if not second.fault or isinstance(second.mistake, ShapeError):
        return second
    if not needs.numbers:
        return second
    # What a program says of a number that it cannot look at need not be a mistake.
    third = attempt(numeric=True, python=True)
    if not third.fault or _same(second, third):
        return third
    return _left_open(second)


def _same(a: Outcome, b: Outcome) -> bool:
    """Whether two runs made one mistake."""
    if a.mistake is None or b.mistake is None:
        return False
    return type(a.mistake) is type(b.mistake) and a.mistake.site == b.mistake.site


def _left_open(outcome: Outcome) -> Outcome:
    """A mistake that need not be the program's: that of symbols where it needs numbers."""
    mistake = outcome.mistake
    if mistake is None:
        return outcome
    return Outcome(obstacle=mistake.message, at_fault=mistake)


@dataclass(frozen=True, slots=True)
class _Needs:
    """What is to be invented: sizes, runs, Python numbers; sizes of which nothing is known.

    What stands in the result alone is whatever the program makes it.
    """

    symbols: dict[str, Symbol]
    runs: dict[str, Star]
    numbers: bool
    unknown: bool


def _needs(signature: Signature, owner: type[Any] | None) -> _Needs:
    symbols: dict[str, Symbol] = {}
    runs: dict[str, Star] = {}
    numbers = unknown = False
    for p in signature.parameters:
        form: Form = p.form
        if isinstance(form, SelfForm) and owner is not None:
            form = read_class(owner)
        more, others = variables(form)
        symbols |= more
        runs |= others
        numbers = numbers or is_number(form)
        unknown = unknown or has_unknown(form)
    return _Needs(symbols, runs, numbers, unknown)


def _tried(
    f: Callable[..., Any], signature: Signature, sizes: Sizes, owner: type[Any] | None
) -> Outcome:
    ops = Shape()
    returns = Returns(f)
    scope = {key: (n, "the call") for key, n in sizes.sizes.items() if is_named(key)}
    token = SCOPE.set(scope)
    try:
        with Under(ops):
            args, kwargs = arguments(signature, sizes, ops, owner)
            with returns:
                result = f(*args, **kwargs)
            return _result(signature, sizes, result, returns)
    except CannotInvent as error:
        return Outcome(obstacle=str(error))
    except MISTAKES as error:
        return Outcome(_told(error, sizes))
    except Exception as error:  # whatever the user's program raises
        return Outcome(obstacle=_sentence(error), at_fault=error)
    finally:
        SCOPE.reset(token)


def _result(signature: Signature, sizes: Sizes, result: Any, returns: Returns) -> Outcome:
    binder = Binder(signature.name, ANNOTATED)
    binder.sizes.update(sizes.sizes)
    binder.runs.update(sizes.runs)
    try:
        match(signature.result, result, binder, "the result")
        binder.finish()
    except MISTAKES as error:
        place = returns.place
        if place is None:
            return Outcome(_told(error, sizes))
        return Outcome(_told(type(error)(error.message, place[:2]), sizes), place[2])
    return Outcome()


def _told(error: TaglessError, sizes: Sizes) -> TaglessError:
    """The error, with the sizes where they are not simply the annotations' own."""
    if not sizes.names:
        return error
    told = type(error)(f"{error.message} (with {sizes})", error.site)
    return told.with_traceback(error.__traceback__)


def _sentence(error: Exception) -> str:
    """What an exception says, in one line."""
    text = error.message if isinstance(error, TaglessError) else str(error)
    first = text.strip().splitlines()[0] if text.strip() else ""
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
