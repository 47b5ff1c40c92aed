"""Layers that convolve: inputs are [N, C, L] or [N, C, H, W]."""

from collections.abc import Callable
from typing import Any, Generic, NamedTuple

from typing_extensions import TypeVar

from taglessad.array_api.manipulation import reshape
from taglessad.convert import as_handle
from taglessad.dtypes import float64
from taglessad.errors import ArgumentError
from taglessad.nn import convolution
from taglessad.nn import init as initializers
from taglessad.nn.checks import at_least_one, check_channels, divides
from taglessad.nn.init import Initializer, Rng
from taglessad.nn.module import Module, assign
from taglessad.shapes.convolution import Padding, Sizes, pairs, whole_numbers
from taglessad.shapes.dim_types import Size
from taglessad.tensor import Tensor

# Any as default: sizes that a type checker cannot tell. K: of a kernel as wide as it is high.
In = TypeVar("In", default=Any)
Out = TypeVar("Out", default=Any)
K = TypeVar("K", default=Any)
# Any below: sizes, a layer of one of the four classes, and its fields by name.


class _Options(NamedTuple):
    """How a kernel moves, as it was given."""

    stride: Sizes
    padding: Padding
    dilation: Sizes
    groups: int
    output_padding: Sizes = 0  # a transposed convolution's


def _fields(
    what: str,
    rank: int,
    sizes: tuple[Any, Any, Any],
    options: _Options,
    bias: bool,
    init: Initializer,
    dtype: object,
    rng: Rng,
    transposed: bool = False,
) -> dict[str, Any]:
    """The fields of a layer, its options checked and its parameters made.

    sizes: inputs, outputs and kernel_size.
    """
    inputs, outputs, kernel_size = sizes
    fields: dict[str, Any] = {
        "stride": whole_numbers(options.stride, rank, what, "stride"),
        "dilation": whole_numbers(options.dilation, rank, what, "dilation"),
    }
    if transposed:
        more = whole_numbers(options.output_padding, rank, what, "output_padding", 0)
        fields["output_padding"] = more
    padding = options.padding
    fields["padding"] = padding if padding in ("same", "valid") else pairs(padding, rank, what)
    groups = fields["groups"] = at_least_one(options.groups, what, "groups")
    n, m = at_least_one(inputs, what, "inputs"), at_least_one(outputs, what, "outputs")
    if not divides(groups, n) or not divides(groups, m):
        raise ArgumentError(
            f"{what}: {n} inputs and {m} outputs must be multiples of {groups} groups"
        )
    taps = whole_numbers(kernel_size, rank, what, "kernel_size")
    shape = (n, m // groups, *taps) if transposed else (m, n // groups, *taps)
    random = initializers.generator(rng, what)
    fields["w"] = initializers.parameter(init, random, shape, dtype, what)
    b = initializers.parameter(initializers.zeros, random, (m,), dtype, what)
    return {**fields, "b": b if bias else None}


def _applied(
    function: Callable[..., Tensor],
    name: str,
    rank: int,
    layer: Any,
    x: Tensor,
    transposed: bool = False,
) -> Tensor:
    """A layer at x. Messages call it by its sizes: "Conv2d[3, 6, 5]"."""
    t: Any = as_handle(x, f"nn.{name}", "x")
    groups = layer.groups
    first, second, *taps = layer.w.shape
    inputs, outputs = (first, second * groups) if transposed else (second * groups, first)
    size = taps[0] if len(set(taps)) == 1 else taps
    check_channels(f"{name}[{inputs}, {outputs}, {size}]", t.shape, inputs, rank + 2)
    options = {"stride": layer.stride, "padding": layer.padding, "dilation": layer.dilation}
    if transposed:
        options["output_padding"] = layer.output_padding
    y = function(t, layer.w, groups=groups, **options)
    if layer.b is None:
        return y
    shifted: Tensor = y + reshape(layer.b, (outputs, *(1,) * rank))
    return shifted


class Conv1d(Module, Generic[In, Out, K]):
    """`nn.functional.conv1d` with its kernel: [N, In, L] -> [N, Out, M].

    w: [Out, In // groups, K]. b: [Out], None where bias=False. init: of w, b starts at 0.
    Raises ShapeError where the channels differ and where the kernel does not fit.
    """

    w: Tensor[Any, Any, Any]
    b: Tensor[Out]
    stride: tuple[int, ...]
    padding: tuple[tuple[int, int], ...] | str
    dilation: tuple[int, ...]
    groups: int

    def __init__(
        self,
        inputs: Size[In],
        outputs: Size[Out],
        kernel_size: Size[K] | tuple[int],
        *,
        stride: Sizes = 1,
        padding: Padding = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        rng: Rng = None,
        bias: bool = True,
        init: Initializer = initializers.lecun_normal,
        dtype: object = float64,
    ) -> None:
        sizes = (inputs, outputs, kernel_size)
        options = _Options(stride, padding, dilation, groups)
        assign(self, **_fields("nn.Conv1d", 1, sizes, options, bias, init, dtype, rng))

    def __call__(self, x: Tensor, /) -> Tensor:
        return _applied(convolution.conv1d, "Conv1d", 1, self, x)


class Conv2d(Module, Generic[In, Out, K]):
    """`nn.functional.conv2d` with its kernel: [N, In, H, W] -> [N, Out, ...].

    w: [Out, In // groups, K, K]. b: [Out], None where bias=False. init: of w, b starts at 0.
    Raises ShapeError where the channels differ and where the kernel does not fit.
    """

    w: Tensor[Any, Any, Any, Any]
    b: Tensor[Out]
    stride: tuple[int, ...]
    padding: tuple[tuple[int, int], ...] | str
    dilation: tuple[int, ...]
    groups: int

    def __init__(
        self,
        inputs: Size[In],
        outputs: Size[Out],
        kernel_size: Size[K] | tuple[int, int],
        *,
        stride: Sizes = 1,
        padding: Padding = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        rng: Rng = None,
        bias: bool = True,
        init: Initializer = initializers.lecun_normal,
        dtype: object = float64,
    ) -> None:
        sizes = (inputs, outputs, kernel_size)
        options = _Options(stride, padding, dilation, groups)
        assign(self, **_fields("nn.Conv2d", 2, sizes, options, bias, init, dtype, rng))

    def __call__(self, x: Tensor, /) -> Tensor:
        return _applied(convolution.conv2d, "Conv2d", 2, self, x)


class ConvTranspose1d(Module, Generic[In, Out, K]):
    """`nn.functional.conv_transpose1d` with its kernel: [N, In, L] -> [N, Out, M].

    w: [In, Out // groups, K]. b: [Out], None where bias=False. init: of w, b starts at 0.
    Raises ShapeError where the channels differ.
    """

    w: Tensor[Any, Any, Any]
    b: Tensor[Out]
    stride: tuple[int, ...]
    padding: tuple[tuple[int, int], ...] | str
    output_padding: tuple[int, ...]
    dilation: tuple[int, ...]
    groups: int

    def __init__(
        self,
        inputs: Size[In],
        outputs: Size[Out],
        kernel_size: Size[K] | tuple[int],
        *,
        stride: Sizes = 1,
        padding: Padding = 0,
        output_padding: Sizes = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        rng: Rng = None,
        bias: bool = True,
        init: Initializer = initializers.lecun_normal,
        dtype: object = float64,
    ) -> None:
        sizes = (inputs, outputs, kernel_size)
        options = _Options(stride, padding, dilation, groups, output_padding)
        made = _fields(
            "nn.ConvTranspose1d", 1, sizes, options, bias, init, dtype, rng, transposed=True
        )
        assign(self, **made)

    def __call__(self, x: Tensor, /) -> Tensor:
        return _applied(
            convolution.conv_transpose1d, "ConvTranspose1d", 1, self, x, transposed=True
        )


class ConvTranspose2d(Module, Generic[In, Out, K]):
    """`nn.functional.conv_transpose2d` with its kernel: [N, In, H, W] -> [N, Out, ...].

    w: [In, Out // groups, K, K]. b: [Out], None where bias=False. init: of w, b starts at 0.
    Raises ShapeError where the channels differ.
    """

    w: Tensor[Any, Any, Any, Any]
    b: Tensor[Out]
    stride: tuple[int, ...]
    padding: tuple[tuple[int, int], ...] | str
    output_padding: tuple[int, ...]
    dilation: tuple[int, ...]
    groups: int

    def __init__(
        self,
        inputs: Size[In],
        outputs: Size[Out],
        kernel_size: Size[K] | tuple[int, int],
        *,
        stride: Sizes = 1,
        padding: Padding = 0,
        output_padding: Sizes = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        rng: Rng = None,
        bias: bool = True,
        init: Initializer = initializers.lecun_normal,
        dtype: object = float64,
    ) -> None:
        sizes = (inputs, outputs, kernel_size)
        options = _Options(stride, padding, dilation, groups, output_padding)
        made = _fields(
            "nn.ConvTranspose2d", 2, sizes, options, bias, init, dtype, rng, transposed=True
        )
        assign(self, **made)

    def __call__(self, x: Tensor, /) -> Tensor:
        return _applied(
            convolution.conv_transpose2d, "ConvTranspose2d", 2, self, x, transposed=True
        )
