"""Shapes of convolutions and of windows that slide over the last axes.

Arrays are [N, C, *spatial], kernels [O, C // groups, *taps]: PyTorch's order.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, SupportsIndex, TypeAlias, cast

from taglessad.dims import ANY_RANK, UNKNOWN, Extent, Shape, ShapeLike, at_least, differ
from taglessad.errors import ArgumentError, ShapeError
from taglessad.shapes.axes import integer, known_rank, show

Pair: TypeAlias = tuple[Extent, Extent]
Sizes: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
Padding: TypeAlias = (
    Literal["same", "valid"] | SupportsIndex | Sequence[SupportsIndex | Sequence[SupportsIndex]]
)

LAYOUTS = ("[N, C]", "[N, C, L]", "[N, C, H, W]", "[N, C, D, H, W]")


class Window(NamedTuple):
    """How a kernel moves over an operand, an entry of each tuple for each spatial axis.

    strides: from one position to the next. padding: zeros before and behind the operand; negative
    numbers cut entries off. dilation, kernel_dilation: from one entry of the operand, and of the
    kernel, to the next, with zeros between. groups: channels are convolved in so many groups.
    """

    strides: tuple[int, ...]
    padding: tuple[Pair, ...]
    dilation: tuple[int, ...]
    kernel_dilation: tuple[int, ...]
    groups: int = 1


def spread(n: Extent, dilation: int) -> Extent:
    """The size of n entries with dilation - 1 zeros between neighbours."""
    return n if dilation == 1 or n == 0 else (n - 1) * dilation + 1


def positions(n: Extent, taps: Extent, window: Window, axis: int) -> Extent:
    """How many positions a kernel has along a spatial axis."""
    before, after = window.padding[axis]
    padded = before + spread(n, window.dilation[axis]) + after
    return (padded - spread(taps, window.kernel_dilation[axis])) // window.strides[axis] + 1


def convolution(x: Shape, kernel: Shape, window: Window) -> Shape:
    """The shape of a convolution whose operands fit."""
    spatial = zip(x[2:], kernel[2:], strict=True)
    sizes = (positions(n, k, window, i) for i, (n, k) in enumerate(spatial))
    return (x[0], kernel[0], *sizes)


# --- arguments of the public functions -----------------------------------------------------------
def whole_numbers(value: Sizes, rank: int, what: str, name: str, least: int = 1) -> tuple[int, ...]:
    """An argument that is one integer for all spatial axes, or one for each.

    Raises ArgumentError for another number of them, or for one below `least`.
    """
    given = tuple(value) if isinstance(value, Sequence) else (value,) * rank
    numbers = tuple([integer(n, what, name) for n in given])
    if len(numbers) != rank:
        raise ArgumentError(
            f"{what}: {name} is {value!r}; give one integer, or {rank}, one for each spatial axis"
        )
    if any(n < least for n in numbers):
        raise ArgumentError(f"{what}: {name} is {value!r}; it must be at least {least}")
    return numbers


def pairs(padding: Padding, rank: int, what: str) -> tuple[tuple[int, int], ...]:
    """Padding before and behind each spatial axis: one integer, one for each axis, or pairs.

    Raises ArgumentError for anything else and for negative numbers.
    """
    if isinstance(padding, str):
        raise ArgumentError(f'{what}: padding is {padding!r}; give integers, "same" or "valid"')
    whole: Any = padding  # Any: each entry is checked below
    given: tuple[Any, ...] = tuple(whole) if isinstance(whole, Sequence) else (whole,) * rank
    if len(given) != rank:
        raise ArgumentError(
            f"{what}: padding is {padding!r}; give one integer, or {rank} integers or pairs, one "
            "for each spatial axis"
        )
    found: list[tuple[int, int]] = []
    for n in given:
        ends = whole_numbers(n if isinstance(n, Sequence) else (n, n), 2, what, "padding", 0)
        found.append((ends[0], ends[1]))
    return tuple(found)


def _resolved(
    padding: Padding,
    sizes: Shape,
    spans: Shape,
    strides: tuple[int, ...],
    what: str,
) -> tuple[Pair, ...]:
    """Padding in numbers: "same" gives ceil(n / stride) positions, the odd zero behind."""
    if padding == "valid":
        return ((0, 0),) * len(sizes)
    if padding != "same":
        return pairs(padding, len(sizes), what)
    found: list[Pair] = []
    for n, span, stride in zip(sizes, spans, strides, strict=True):
        # What is missing to a multiple of the stride, which is never negative.
        missing = 0 if stride == 1 else (n + (stride - 1)) // stride * stride - n
        total = missing + span - stride
        if not at_least(span, stride) and not at_least(total, 0):
            if not isinstance(total, int):
                raise ShapeError(
                    f'{what}: padding="same" with stride {stride} on an axis of size {n}, a '
                    f"kernel that spans {span}: give the padding in numbers"
                )
            total = 0
        before = total // 2
        found.append((before, total - before))
    return tuple(found)


class Plan(NamedTuple):
    """What a public function needs to know: how the kernel moves, and the result's shape."""

    window: Window
    shape: Shape


def _known(shape: ShapeLike, rank: int, what: str, name: str, layout: str) -> Shape:
    """A shape of the rank that a function wants; of unknown rank, one of unknown sizes."""
    known = known_rank(shape)
    if known is None:
        if ANY_RANK in shape:
            return (UNKNOWN,) * (rank + 2)
        raise ShapeError(f"{what}: the rank of {name} {show(shape)} is not known; it is {layout}")
    if len(known) != rank + 2:
        hint = "; add a batch axis with x[None]" if name == "x" and len(known) == rank + 1 else ""
        raise ShapeError(f"{what}: {name} has shape {show(shape)}, where {layout} is wanted{hint}")
    return known


def _fitted(sizes: Shape, taps: Shape, window: Window, shapes: str, what: str) -> Shape:
    """The positions along every spatial axis. Raises ShapeError where the kernel does not fit."""
    made: list[Extent] = []
    for i, (n, k) in enumerate(zip(sizes, taps, strict=True)):
        before, after = window.padding[i]
        padded, span = before + n + after, spread(k, window.kernel_dilation[i])
        if at_least(span - 1, padded):
            raise ShapeError(
                f"{what}: {shapes}: the kernel spans {span} entries along axis {i + 2} of x, which "
                f"has {padded} with its padding"
            )
        made.append(positions(n, k, window, i))
    return tuple(made)


def conv(
    x: ShapeLike,
    kernel: ShapeLike,
    rank: int,
    *,
    stride: Sizes = 1,
    padding: Padding = 0,
    dilation: Sizes = 1,
    groups: SupportsIndex = 1,
    what: str,
) -> Plan:
    """A convolution over `rank` spatial axes: [N, C, *n], [O, C // groups, *k] -> [N, O, *m].

    Raises ShapeError where channels differ or the kernel does not fit, ArgumentError for options
    that are none.
    """
    x = _known(x, rank, what, "x", LAYOUTS[rank])
    kernel = _known(kernel, rank, what, "kernel", LAYOUTS[rank].replace("N, C", "O, C // groups"))
    strides = whole_numbers(stride, rank, what, "stride")
    spreads = whole_numbers(dilation, rank, what, "dilation")
    (count,) = whole_numbers(groups, 1, what, "groups")
    shapes = f"x {show(x)}, kernel {show(kernel)}"
    if why := differ(x[1], kernel[1] * count):
        shared = f" in each of {count} groups" if count > 1 else ""
        raise ShapeError(
            f"{what}: {shapes}: x has {x[1]} channels, the kernel takes {kernel[1]}{shared} ({why})"
        )
    outputs = kernel[0]
    if isinstance(outputs, int) and outputs % count:
        raise ShapeError(f"{what}: {shapes}: {outputs} results are no multiple of {count} groups")
    spans = tuple(spread(k, d) for k, d in zip(kernel[2:], spreads, strict=True))
    ends = _resolved(padding, x[2:], spans, strides, what)
    window = Window(strides, ends, (1,) * rank, spreads, count)
    return Plan(window, (x[0], outputs, *_fitted(x[2:], kernel[2:], window, shapes, what)))


def conv_transpose(
    x: ShapeLike,
    kernel: ShapeLike,
    rank: int,
    *,
    stride: Sizes = 1,
    padding: Padding = 0,
    output_padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: SupportsIndex = 1,
    what: str,
) -> Plan:
    """The transpose of `conv` in x: [N, C, *n], [C, O // groups, *k] -> [N, O, *m].

    m = (n - 1) * stride - padding before and behind + span of the kernel + output_padding.
    The plan's window is that of a convolution with the kernel turned round.
    """
    x = _known(x, rank, what, "x", LAYOUTS[rank])
    kernel = _known(kernel, rank, what, "kernel", LAYOUTS[rank].replace("N, C", "C, O // groups"))
    strides = whole_numbers(stride, rank, what, "stride")
    spreads = whole_numbers(dilation, rank, what, "dilation")
    more = whole_numbers(output_padding, rank, what, "output_padding", 0)
    (count,) = whole_numbers(groups, 1, what, "groups")
    shapes = f"x {show(x)}, kernel {show(kernel)}"
    if why := differ(x[1], kernel[0]):
        raise ShapeError(
            f"{what}: {shapes}: x has {x[1]} channels, the kernel takes {kernel[0]} ({why})"
        )
    if isinstance(x[1], int) and x[1] % count:
        raise ShapeError(f"{what}: {shapes}: {x[1]} channels are no multiple of {count} groups")
    spans = tuple(spread(k, d) for k, d in zip(kernel[2:], spreads, strict=True))
    if padding == "same":  # n * stride results
        total = [span - s for span, s in zip(spans, strides, strict=True)]
        given: tuple[Pair, ...] = tuple((t // 2, t - t // 2) for t in total)
    else:
        given = ((0, 0),) * rank if padding == "valid" else pairs(padding, rank, what)
    ends: list[Pair] = []
    for span, (before, after), m, s in zip(spans, given, more, strides, strict=True):
        if m >= s and m > 0:
            raise ArgumentError(
                f"{what}: output_padding is {output_padding!r}; it is below the stride {stride!r}"
            )
        ends.append((span - 1 - before, span - 1 - after + m))
    window = Window((1,) * rank, tuple(ends), strides, spreads, count)
    sizes = tuple(
        positions(n, k, window, i) for i, (n, k) in enumerate(zip(x[2:], kernel[2:], strict=True))
    )
    for i, n in enumerate(sizes):
        if at_least(0, n):
            raise ShapeError(
                f"{what}: {shapes}: padding {show(given[i])} leaves {n} entries along axis {i + 2}"
            )
    return Plan(window, (x[0], kernel[1] * count, *sizes))


def pool(
    x: ShapeLike,
    size: Sizes,
    rank: int,
    *,
    stride: Sizes | None = None,
    padding: Padding = 0,
    dilation: Sizes = 1,
    what: str,
) -> tuple[Plan, tuple[int, ...]]:
    """Windows over the spatial axes of [N, C, *n]; and the windows' sizes.

    stride: the windows' size by default. Raises ShapeError where a window does not fit,
    ArgumentError for options that are none and for padding as large as a window, of which nothing
    but padding would be seen.
    """
    x = _known(x, rank, what, "x", LAYOUTS[rank])
    sizes = whole_numbers(size, rank, what, "kernel_size")
    strides = sizes if stride is None else whole_numbers(stride, rank, what, "stride")
    spreads = whole_numbers(dilation, rank, what, "dilation")
    spans = tuple(cast("int", spread(k, d)) for k, d in zip(sizes, spreads, strict=True))
    ends = _resolved(padding, x[2:], spans, strides, what)
    for span, end in zip(spans, ends, strict=True):
        if not all(at_least(span - 1, n) for n in end):
            raise ArgumentError(f"{what}: padding is {show(end)} where a window spans {span}")
    window = Window(strides, ends, (1,) * rank, spreads)
    shapes = f"x {show(x)}, windows of {show(sizes)}"
    return Plan(window, (*x[:2], *_fitted(x[2:], sizes, window, shapes, what))), sizes
