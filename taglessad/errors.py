"""Every exception of the library; each class's docstring is its documentation page.

A message names the public function called, the argument, what came and what was expected, and
what to do. The user's own file, line and source line are added here, once, for all of them.
"""

import linecache
import os
import sys
from functools import lru_cache
from types import FrameType
from typing import Final

_LIBRARY: Final = tuple(
    {os.path.dirname(os.path.realpath(__file__)) + os.sep, os.path.dirname(__file__) + os.sep}
)
# The two folders at the top of a checkout are reached through links, so a code object may carry
# either spelling.
_LINKED: Final = tuple(
    os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), name) + os.sep
    for name in ("interpreters", "proofs_checks")
)


# Frames between the user and the library that are neither's: `copy.deepcopy`, `np.linalg.norm`.
_STANDARD: Final = os.path.dirname(os.path.realpath(os.__file__)) + os.sep
_PACKAGES: Final = ("site-packages", "dist-packages")
_NUMPY: Final = f"{os.sep}site-packages{os.sep}numpy{os.sep}"

# The demonstration is a user's program that comes with the library.
_PROGRAMS: Final = tuple(folder + "demo" + os.sep for folder in _LIBRARY)


def is_library_file(filename: str) -> bool:
    """Whether a code object's file belongs to this library."""
    return filename.startswith((*_LIBRARY, *_LINKED)) and not filename.startswith(_PROGRAMS)


def user_frame() -> FrameType | None:
    """The innermost frame on the stack that is the user's: not the library's, NumPy's, Python's."""
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]  # CPython's
    while frame is not None and _is_between(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


@lru_cache(maxsize=1024)  # asked for every operation recorded, of a few files
def _is_between(filename: str) -> bool:
    if is_library_file(filename) or _NUMPY in filename:
        return True
    return filename.startswith(_STANDARD) and not any(p in filename for p in _PACKAGES)


def describe_line(filename: str, line: int) -> str:
    """`file.py:12: the source text`, as messages quote it."""
    text = linecache.getline(filename, line).strip()
    return f"{filename}:{line}: {text}" if text else f"{filename}:{line}"


class TaglessError(Exception):
    """Root of the library's exceptions: catch this to catch them all.

    `site` is the user's line as (file, line number), or None where no user frame exists.
    """

    def __init__(self, message: str, site: tuple[str, int] | None = None) -> None:
        if site is None:
            frame = user_frame()
            if frame is not None:
                site = (frame.f_code.co_filename, frame.f_lineno)
        self.message = message
        self.site = site
        where = "" if site is None else f"\n  at {describe_line(*site)}"
        super().__init__(message + where)

    def __reduce__(self) -> tuple[type["TaglessError"], tuple[str, tuple[str, int] | None]]:
        return type(self), (self.message, self.site)


class ShapeError(TaglessError, ValueError):
    """Two shapes do not go together.

        tad.ones((4, 2)) @ tad.ones((3, 2))
        ShapeError: matmul: inner dimensions differ: [4, 2] @ [3, 2] (2 != 3)

    The message has both shapes and the two sizes that differ. Transpose, reshape or broadcast
    one of the operands.
    """


class DTypeError(TaglessError, TypeError):
    """A dtype that the function does not take.

        tad.grad(f)(tad.asarray([1, 2, 3]))
        DTypeError: grad: argument 0 ('x') has dtype int64; only real numbers carry a derivative ...

    Convert with `astype`, or make the array with a floating `dtype`.
    """


class ArgumentError(TaglessError, TypeError):
    """An argument is missing, unknown, given twice, or of the wrong kind.

        tad.vmap(f, in_axes=None)(x)
        ArgumentError: vmap: no argument is mapped; give at least one in_axes entry an axis

    The message says what is there: the names, the positions, the structure expected.
    """


class IndexOutOfRange(TaglessError, IndexError):
    """An axis or an index outside the array.

        tad.ones(3)[5]
        IndexOutOfRange: index: 5 is out of range for axis 0 of shape [3] ...

    The message has the valid range. Under a transform whose indices are not known it cannot be
    seen; `x.at[i].get(mode=...)` says what is to happen there.
    """


class ConcretizationError(TaglessError, TypeError):
    """A number was asked of a handle whose value is not known while the program is interpreted.

        tad.grad(lambda x: x if x > 0 else -x)(2.0)
        ConcretizationError: bool() of a handle under Tape ...

    A program means the same under every interpreter, so it cannot look at values. Write the
    choice as an operation (`tad.where`, `tad.maximum`, `tad.clip`), or ask for the derivative of
    the path that ran with `tad.grad(f, tape=True)`.
    """


class EscapeError(TaglessError, RuntimeError):
    """A handle was used outside the transform that made it.

        kept = []
        tad.grad(lambda x: kept.append(x) or x * x)(2.0)
        kept[0] + 1
        EscapeError: a value of Tape(Eager) was used after the transform that made it had ended ...

    Return what you need from the function (`has_aux=True` carries extra results).
    """


class NotDifferentiable(TaglessError, TypeError):
    """A derivative was asked of something that has none, or whose rule is not defined.

        tad.interpret(tad.grad(tad.abs), Real(kink="error"))(0.0)
        NotDifferentiable: abs: a tie, element [], operand 0.0 ...

    The message names the operation, the line and the element. Move the argument, or accept a
    convention: the hull of the derivatives under `Real()`, one of them everywhere else.
    """


class DomainError(TaglessError, ValueError):
    """A value outside the domain of a function, under an interpreter that refuses it.

        tad.interpret(tad.sqrt, Exact())(Fraction(2))
        DomainError: sqrt: the value at 2 is not a rational number

    Also a number that stayed unknown at the highest precision under `Real`. The message names the
    operation; move its operand, or interpret the program otherwise.
    """


class MissingExtra(TaglessError, ImportError):
    """An optional dependency is not installed: the message has the `pip install` line."""


class AdjointError(TaglessError, AssertionError):
    """A forward and a reverse derivative disagree: <push(d), g> is not <d, pull(g)>."""
