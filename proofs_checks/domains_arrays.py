"""Safe points of the primitives that move, combine, read and order entries."""

from typing import Final

from taglessad.dtypes import bool_, uint32, uint64
from taglessad.proofs_checks.cases import (
    Apart,
    Ascending,
    Domain,
    Index,
    Plan,
    Planner,
    Sizes,
    Source,
    Values,
    Whole,
    Words,
    Zeros,
    a_choice,
    a_shape,
    an_axis,
    an_order,
    some_axes,
)
from taglessad.proofs_checks.domains_elementwise import ALL, ANY, NUMBERS, REALS
from taglessad.shapes.convolution import Window, spread


# --- reductions and running results --------------------------------------------------------------
def _over_axes(values: Values, least_size: int = 0) -> Planner:
    def plan(source: Source) -> Plan:
        shape = a_shape(source, least_size=least_size)
        return Plan(((shape, values),), (some_axes(source, shape),))

    return plan


def _along_axis(values: Values, least_size: int = 0, flags: int = 0) -> Planner:
    def plan(source: Source) -> Plan:
        shape = a_shape(source, 1, least_size)
        chosen = [bool(source.integer(0, 1)) for _ in range(flags)]
        return Plan(((shape, values),), (an_axis(source, shape), *chosen))

    return plan


# --- structure -----------------------------------------------------------------------------------
def _reshape(source: Source) -> Plan:
    shape = a_shape(source)
    new = [shape[i] for i in an_order(source, len(shape))]
    if len(new) > 1 and source.integer(0, 1):
        new[:2] = [new[0] * new[1]]
    if source.integer(0, 1):
        new.insert(source.integer(0, len(new)), 1)
    return Plan(((shape, ALL),), (tuple(new),))


def _permute(source: Source) -> Plan:
    shape = a_shape(source)
    return Plan(((shape, ALL),), (an_order(source, len(shape)),))


def _broadcast(source: Source) -> Plan:
    whole = a_shape(source)
    kept = whole[source.integer(0, len(whole)) :]
    shape = tuple(n if source.integer(0, 1) else 1 for n in kept)
    return Plan(((shape, ALL),), (whole,))


def _slice(source: Source) -> Plan:
    shape = tuple(n + source.integer(0, 1) for n in a_shape(source))
    start = tuple(min(n, source.integer(0, 1)) for n in shape)
    stop = tuple(max(a, n - source.integer(0, 1)) for a, n in zip(start, shape, strict=True))
    return Plan(((shape, ALL),), (start, stop, tuple(source.integer(1, 3) for _ in shape)))


def _pad(source: Source) -> Plan:
    shape = a_shape(source)
    before, after, gaps = (tuple(source.integer(0, 2) for _ in shape) for _ in range(3))
    return Plan(((shape, ALL),), (before, after, gaps))


def _concat(source: Source) -> Plan:
    shape = a_shape(source, 1)
    axis = an_axis(source, shape)
    lengths = [source.integer(0, 3) for _ in range(source.integer(1, 3))]
    shapes = [(*shape[:axis], n, *shape[axis + 1 :]) for n in lengths]
    return Plan(tuple((s, ALL) for s in shapes), (axis,))


def _triangle(source: Source) -> Plan:
    return Plan(((a_shape(source, 2), ALL),), (source.integer(-2, 2),))


def _place_diagonal(source: Source) -> Plan:
    rows, columns = source.integer(1, 4), source.integer(1, 4)
    offset = source.integer(1 - rows, columns - 1)
    length = min(rows + min(offset, 0), columns - max(offset, 0))
    lead = a_shape(source)[:2]
    return Plan((((*lead, length), ALL),), (offset, rows, columns))


# --- reading and writing by index ----------------------------------------------------------------
def _indexed(x: Values, updates: Values | None = None) -> Planner:
    """x and an index of any shape, whose axes replace one of x; updates of the shape read."""

    def plan(source: Source) -> Plan:
        shape = a_shape(source, 1, 1)
        axis = an_axis(source, shape)
        places = a_shape(source)[:2]
        read = (*shape[:axis], *places, *shape[axis + 1 :])
        operands: tuple[tuple[Sizes, Values], ...] = ((shape, x), (places, Index(shape[axis])))
        if updates is not None:
            operands = (*operands, (read, updates))
        return Plan(operands, (axis,))

    return plan


def _entrywise(x: Values, updates: Values | None = None) -> Planner:
    """x and an index that agrees with it off one axis; updates of the index's shape."""

    def plan(source: Source) -> Plan:
        shape = a_shape(source, 1, 1)
        axis = an_axis(source, shape)
        places = (*shape[:axis], source.integer(0, 3), *shape[axis + 1 :])
        operands: tuple[tuple[Sizes, Values], ...] = ((shape, x), (places, Index(shape[axis])))
        if updates is not None:
            operands = (*operands, (places, updates))
        return Plan(operands, (axis,))

    return plan


def _argtop(source: Source) -> Plan:
    shape = a_shape(source, 1)
    axis = an_axis(source, shape)
    return Plan(((shape, Apart()),), (axis, source.integer(0, shape[axis])))


def _searchsorted(source: Source) -> Plan:
    length = source.integer(0, 4)
    operands = (((length,), Ascending()), (a_shape(source), ALL))
    return Plan(operands, (a_choice(source, "left", "right"),))


# --- random words --------------------------------------------------------------------------------
def _threefry(source: Source) -> Plan:
    lead = a_shape(source)[:2]
    operands = (((*lead, 2), Words(uint32)), (lead, Words(uint64)))
    return Plan(operands, (a_shape(source)[:2],))


# --- contraction ---------------------------------------------------------------------------------
def _contract(source: Source) -> Plan:
    """Letters for both operands and the result, for two of those three, each in any order."""
    groups = ["", "", ""]  # the left operand's, the right one's, the result's
    sizes: dict[str, int] = {}
    for letter in "abcde"[: source.integer(0, 5)]:
        absent = source.integer(0, 3)  # 3: in none is it absent
        sizes[letter] = a_choice(source, 1, 2, 3, 2, 3, 0)
        groups = [g if i == absent else g + letter for i, g in enumerate(groups)]
    left, right, out = ("".join(g[i] for i in an_order(source, len(g))) for g in groups)
    shapes = [tuple(sizes[letter] for letter in group) for group in (left, right)]
    return Plan(tuple((s, ALL) for s in shapes), (f"{left},{right}->{out}",))


def _convolution(source: Source) -> Plan:
    """Up to two spatial axes, every option, padding of either sign; no number of results below 0."""
    rank = source.integer(0, 2)
    groups, channels, each = (source.integer(1, 2) for _ in range(3))
    sizes, taps = [], []
    strides, padding, dilation, kernel_dilation = [], [], [], []
    for _ in range(rank):
        n, k, s, e, d = source.integer(0, 4), *(source.integer(1, 3) for _ in range(4))
        before = source.integer(-1, 2)
        missing = spread(k, d) - s - spread(n, e) - before
        assert isinstance(missing, int)
        sizes.append(n)
        taps.append(k)
        strides.append(s)
        dilation.append(e)
        kernel_dilation.append(d)
        padding.append((before, max(source.integer(-1, 2), missing)))
    window = Window(tuple(strides), tuple(padding), tuple(dilation), tuple(kernel_dilation), groups)
    x = (source.integer(0, 2), groups * channels, *sizes)
    return Plan(((x, ALL), ((groups * each, channels, *taps), ALL)), (window,))


# --- Fourier transforms --------------------------------------------------------------------------
def _spectrum(source: Source) -> Plan:
    """Both parts of half a spectrum, for an even and an odd length of the whole."""
    shape = a_shape(source, 1, 1)
    axis = an_axis(source, shape)
    length = max(1, 2 * shape[axis] - 1 - source.integer(0, 1))
    return Plan(((shape, ALL), (shape, ALL)), (length, axis))


SPECTRA: Final[dict[str, tuple[Domain, ...]]] = {
    "rfft": (Domain(_along_axis(ALL, 1), REALS),),
    "rfft_transpose": (Domain(_spectrum, REALS),),
}

_DISTINCT: Final = Apart()

ARRAYS: Final[dict[str, tuple[Domain, ...]]] = {
    "sum": (Domain(_over_axes(ALL), NUMBERS),),
    "prod": (Domain(_over_axes(Zeros(-2, 2)), NUMBERS),),
    "max": (Domain(_over_axes(_DISTINCT, 1), NUMBERS),),
    "min": (Domain(_over_axes(_DISTINCT, 1), NUMBERS),),
    "logsumexp": (Domain(_over_axes(ALL, 1), REALS),),
    "any": (Domain(_over_axes(Whole(0, 1)), (bool_,)),),
    "all": (Domain(_over_axes(Whole(0, 1)), (bool_,)),),
    "argmax": (Domain(_along_axis(_DISTINCT, 1), NUMBERS),),
    "argmin": (Domain(_along_axis(_DISTINCT, 1), NUMBERS),),
    "cumulative_sum": (Domain(_along_axis(ALL), NUMBERS),),
    "cumulative_prod": (Domain(_along_axis(Zeros(-2, 2)), NUMBERS),),
    "cumulative_max": (Domain(_along_axis(_DISTINCT), NUMBERS),),
    "reshape": (Domain(_reshape, ANY),),
    "permute": (Domain(_permute, ANY),),
    "broadcast": (Domain(_broadcast, ANY),),
    "slice": (Domain(_slice, ANY),),
    "pad": (Domain(_pad, ANY),),
    "concat": (Domain(_concat, ANY),),
    "flip": (Domain(_over_axes(ALL), ANY),),
    "tril": (Domain(_triangle, ANY),),
    "triu": (Domain(_triangle, ANY),),
    "diagonal": (Domain(_triangle, ANY),),
    "place_diagonal": (Domain(_place_diagonal, ANY),),
    "take": (Domain(_indexed(ALL), ANY),),
    "take_along": (Domain(_entrywise(ALL), ANY),),
    "add_at": (Domain(_indexed(ALL, ALL), NUMBERS),),
    "add_along": (Domain(_entrywise(ALL, ALL), NUMBERS),),
    "set_at": (Domain(_indexed(ALL, ALL), ANY),),
    "multiply_at": (Domain(_indexed(Zeros(-2, 2), Zeros(-2, 2)), NUMBERS),),
    "min_at": (Domain(_indexed(Apart(0, 2), Apart(1, 2)), NUMBERS),),
    "max_at": (Domain(_indexed(Apart(0, 2), Apart(1, 2)), NUMBERS),),
    "argsort": (Domain(_along_axis(_DISTINCT, 0, flags=1), NUMBERS),),
    "argtop": (Domain(_argtop, NUMBERS),),
    "searchsorted": (Domain(_searchsorted, NUMBERS),),
    "threefry": (Domain(_threefry, (uint32,)),),
    "contract": (Domain(_contract, NUMBERS),),
    "convolution": (Domain(_convolution, NUMBERS),),
}
