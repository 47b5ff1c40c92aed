"""What happens while a program runs on balls: kinks, open questions, fences."""

from typing import Literal, NamedTuple, TypeAlias

from taglessad.errors import DomainError, user_frame
from taglessad.kernels.enclosure import interval
from taglessad.kernels.payloads import Numbers, Objects

Nature: TypeAlias = Literal["tie", "jump", "undecided", "outside"]
Site: TypeAlias = tuple[str, int]


class Undecided(DomainError):
    """A question whose answer depends on digits that are not known yet."""


class Event(NamedTuple):
    """A place where the outcome of an operation is a matter of convention, or was not known.

    nature: "tie", exactly at a kink; "jump", exactly at a step; "undecided", perhaps at either;
    "outside", perhaps outside the domain. op: the operation. site: the user's file and line, or
    None. element: the entry of its result. lo, hi: the operand there.
    """

    nature: Nature
    op: str
    site: Site | None
    element: tuple[int, ...]
    lo: float
    hi: float

    def __str__(self) -> str:
        where = "" if self.site is None else f" at {self.site[0]}:{self.site[1]}"
        said = {
            "tie": "a tie",
            "jump": "at its jump",
            "undecided": "not known which side of",
            "outside": "perhaps outside its domain",
        }[self.nature]
        operand = interval(self.lo, self.hi)
        return f"{self.op}: {said}, element {list(self.element)}, operand {operand}{where}"


class Fences:
    """What a run passed through `detach`, in order, to be held there in other runs."""

    def __init__(self) -> None:
        self.sites: list[Site | None] = []
        self._values: list[Objects] = []
        self._next: int | None = None  # None while they are being collected

    def hold(self) -> "Fences":
        """From now on pass what was collected, from the first on."""
        self._next = 0
        return self

    def passed(self, x: Numbers) -> Numbers:
        """A value that comes by: kept, or replaced by the one that was kept."""
        if self._next is None:
            self.sites.append(user_site())
            self._values.append(x.values)
            return x
        self._next += 1
        return Numbers(self._values[self._next - 1], x.dtype)


def user_site() -> Site | None:
    """The user's file and line under way."""
    frame = user_frame()
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno)
