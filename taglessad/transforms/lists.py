"""Lists of numbers are trees, not arrays: what is said where a program takes one for an array."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from taglessad.convert import article
from taglessad.errors import TaglessError
from taglessad.trees import flatten

# Any: arguments are trees of whatever the program takes.
_WORDS = ("list", "tuple", "sequence")


def called(what: str, f: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """The result of f. An error of Python's own about a list gets a note on the argument that is one."""
    try:
        return f(*args, **kwargs)
    except (TypeError, AttributeError) as error:
        if not isinstance(error, TaglessError) and any(word in str(error) for word in _WORDS):
            for key, argument in [*enumerate(args), *kwargs.items()]:
                if _numbers(argument):
                    _add(error, what, f"argument {key!r}", argument)
        raise


def _numbers(argument: Any) -> bool:
    """Whether it is a list or a tuple, nested or not, of numbers alone."""
    if not isinstance(argument, (list, tuple)) or not argument:
        return False
    return all(_numbers(x) or _is_scalar(x) for x in argument)


def _is_scalar(leaf: Any) -> bool:
    return isinstance(leaf, (int, float)) or getattr(leaf, "shape", None) == ()


def _add(error: Exception, what: str, name: str, argument: Any) -> None:
    count = len(flatten(argument)[0])
    note = (
        f"{what}: {name} is {article(argument)}, a tree of {count} numbers, not an array; where an "
        "array is meant, wrap it in tad.asarray"
    )
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)
