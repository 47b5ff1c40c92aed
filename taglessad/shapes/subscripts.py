"""einsum: the specification read, and the shape of its result."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from string import ascii_letters
from typing import Generic, NamedTuple, cast

from taglessad.dims import ANY_RANK, UNKNOWN, D, Extent, ShapeLike, Star, differ
from taglessad.errors import ArgumentError, ShapeError
from taglessad.shapes.axes import known_rank, only_any_rank, show, show_all, star_at
from taglessad.shapes.broadcasting import try_broadcast


class Einsum(NamedTuple, Generic[D]):
    """An einsum read for certain shapes.

    One letter for each axis of each operand and of the output, those under an ellipsis included
    (it stays "..." over a run of unknown length); `sizes` has the size of each letter. An
    operand's axis of size 1 may have a letter of another size: it is repeated along it.
    """

    shape: tuple[D, ...]
    operands: tuple[str, ...]
    output: str
    sizes: Mapping[str, D]


class _Groups(NamedTuple):
    """A specification's groups of letters, an ellipsis written "."."""

    operands: tuple[str, ...]
    output: str


def einsum(spec: str, *shapes: tuple[D, ...], what: str = "einsum") -> Einsum[D]:
    """The shape of the operands multiplied and summed over the letters not in the output.

    Without "->" the output has the axes under an ellipsis, then, in alphabetical order, the
    letters that occur once. Blanks count for nothing. Raises ArgumentError for a specification
    that cannot be read or has another number of operands, ShapeError for shapes that it does not
    fit.
    """
    # cast: the cache forgets what the sizes are
    return cast("Einsum[D]", _einsum(spec, shapes, what))


@lru_cache(maxsize=1024)
def _einsum(spec: str, shapes: tuple[ShapeLike, ...], what: str) -> Einsum[Extent | Star]:
    operands, output = _read(spec, what)
    if len(operands) != len(shapes):
        raise ArgumentError(f"{what}: {spec!r} names {len(operands)} operands, got {len(shapes)}")
    matches = [
        _match(letters, shape, f"{what}: {spec!r}: operand {position}")
        for position, (letters, shape) in enumerate(zip(operands, shapes, strict=True))
    ]
    where = f"{what}: {spec!r} of {show_all(shapes)}"
    sizes = _joined_sizes([own for own, _ in matches], where)
    runs = [run for _, run in matches]
    common = _joined_runs(runs, where)
    if common and "." not in output and ANY_RANK not in common:
        raise ShapeError(f"{where}: '...' covers {show(common)}, so the output needs a '...'")
    result = tuple(n for c in output for n in (common if c == "." else (sizes[c],)))
    if known_rank(common) is None:
        written = tuple(letters.replace(".", "...") for letters in operands)
        return Einsum(result, written, output.replace(".", "..."), sizes)
    unused = [c for c in ascii_letters if not any(c in letters for letters in operands)]
    fresh = "".join(unused[: len(common)])
    if len(fresh) < len(common):
        raise ArgumentError(f"{where}: no letters are left for the axes under '...'")
    sizes.update(zip(fresh, common, strict=True))
    named = tuple(
        letters.replace(".", fresh[len(fresh) - len(run) :])
        for letters, run in zip(operands, runs, strict=True)
    )
    return Einsum(result, named, output.replace(".", fresh), sizes)


def _joined_sizes(each: Sequence[dict[str, D]], where: str) -> dict[str, D]:
    """The size of each letter from its sizes in the operands, where 1 gives way."""
    sizes: dict[str, D] = {}
    for own in each:
        for letter, n in own.items():
            joined = try_broadcast((sizes.get(letter, n),), (n,))
            if isinstance(joined, str):
                raise ShapeError(f"{where}: letter {letter!r} has two sizes ({joined})")
            (sizes[letter],) = joined
    return sizes


def _joined_runs(runs: Sequence[tuple[D, ...]], where: str) -> tuple[D, ...]:
    """What an ellipsis in the output stands for, from what it covers in the operands."""
    common: tuple[D, ...] = ()
    for run in runs:
        joined = try_broadcast(common, run)
        if isinstance(joined, str):
            raise ShapeError(f"{where}: the axes under '...' do not broadcast ({joined})")
        common = joined
    return common


def _match(letters: str, shape: tuple[D, ...], where: str) -> tuple[dict[str, D], tuple[D, ...]]:
    """The size of each of an operand's letters, and the axes that its ellipsis covers."""
    head, dots, tail = letters.partition(".")
    end = len(shape) - len(tail)
    if known_rank(shape) is None:
        k = star_at(shape)
        fits = bool(dots) and len(head) <= k < end
        if not fits and ANY_RANK in shape:
            unknown = cast("D", UNKNOWN)  # cast: D admits what is not known beside a run
            return dict.fromkeys(head + tail, unknown), only_any_rank(shape) if dots else ()
    else:
        fits = len(head) <= end if dots else len(head) == len(shape)
    if not fits:
        text = letters.replace(".", "...")
        least = "at least " if dots else ""
        raise ShapeError(
            f"{where} is {text!r}, {least}{len(head + tail)} axes, but has shape {show(shape)}"
        )
    sizes: dict[str, D] = {}
    for letter, n in zip(head + tail, (*shape[: len(head)], *shape[end:]), strict=True):
        old = sizes.setdefault(letter, n)
        if why := differ(old, n):
            raise ShapeError(
                f"{where} of shape {show(shape)} has two sizes for the letter {letter!r} ({why})"
            )
        if old is UNKNOWN:
            sizes[letter] = n
    return sizes, shape[len(head) : end] if dots else ()


def _read(spec: str, what: str) -> _Groups:
    """The groups of a specification, the output worked out where it is not written."""
    left, arrow, right = spec.replace(" ", "").partition("->")
    operands = tuple(_group(text, spec, what) for text in left.split(","))
    letters = "".join(operands)
    if not arrow:
        once = (c for c in sorted(set(letters)) if c != "." and letters.count(c) == 1)
        return _Groups(operands, ("." if "." in letters else "") + "".join(once))
    output = _group(right, spec, what)
    for c in output:
        if c != "." and c not in letters:
            raise ArgumentError(f"{what}: {spec!r}: output letter {c!r} is in no operand")
        if output.count(c) > 1:
            raise ArgumentError(f"{what}: {spec!r}: output letter {c!r} comes twice")
    return _Groups(operands, output)


def _group(text: str, spec: str, what: str) -> str:
    """One group of letters, its ellipsis as "."."""
    head, dots, tail = text.partition("...")
    for c in head + tail:
        if c not in ascii_letters:
            raise ArgumentError(
                f"{what}: {spec!r}: unexpected {c!r}; a group is letters and at most one '...', "
                "operands are separated by ',' and the output follows one '->'"
            )
    return head + ("." if dots else "") + tail
