"""Layers one after the other."""

from collections.abc import Callable
from typing import Any, Final, Generic, TypeVarTuple

from taglessad.array_api.manipulation import reshape
from taglessad.convert import as_handle, literal_root
from taglessad.dims import UNKNOWN, Shape
from taglessad.dtypes import float64
from taglessad.errors import ArgumentError, ShapeError
from taglessad.interpreters.shape import Shape as ShapeInterpreter
from taglessad.levels import Under
from taglessad.nn.dropout import Dropout
from taglessad.nn.module import Module, assign
from taglessad.nn.normalization import BatchNorm
from taglessad.primitive import Aval
from taglessad.random.keys import split
from taglessad.shapes import show, size
from taglessad.tensor import AnyTensor, IntTensor, Tensor, handle

Layers = TypeVarTuple("Layers")

# The number of axes of an input, the usual ones first.
_RANKS: Final = (2, 3, 4, 1, 5, 0)


class Flatten(Module):
    """The axes from `start` on as one: [N, ...] -> [N, size of the rest]."""

    start: int = 1

    def __call__(self, x: Tensor, /) -> Tensor:
        t = as_handle(x, "nn.Flatten", "x")
        shape: Shape = t.shape
        if not 0 <= self.start <= len(shape):
            raise ShapeError(f"Flatten cannot take {show(shape)} (it has no axis {self.start})")
        flat: Any = reshape(t, (*shape[: self.start], size(shape[self.start :])))
        return flat  # type: ignore[no-any-return]  # its kind is that of x


class Sequential(Module, Generic[*Layers]):
    """Layers one after the other: `Sequential(a, b)(x)` is b(a(x)).

    A layer is a module or any function of one array. `model(x, key)` gives each `Dropout` a key of
    its own; `model(x)` drops nothing. Where the layers cannot fit each other, whatever the input,
    the construction is a ShapeError that names the layer; so is a call with an input that does not
    fit. Raises ArgumentError for what is no layer, and for a `BatchNorm`, whose state must be
    passed: write a Module.
    """

    layers: tuple[*Layers]

    def __init__(self, *layers: *Layers) -> None:
        given: Any = layers  # layers are of different classes
        for i, layer in enumerate(given):
            if not callable(layer):
                raise ArgumentError(f"nn.Sequential: layer {i} is {layer!r}, which is no function")
            if isinstance(layer, BatchNorm):
                raise ArgumentError(
                    f"nn.Sequential: layer {i} is a BatchNorm, whose running statistics go in and "
                    "come out: write a Module that passes them on"
                )
        assign(self, layers=layers)
        _check_composition(self)

    def __call__(self, x: Tensor, key: IntTensor | None = None, /) -> Tensor:
        y: Any = x
        layers: Any = self.layers
        keys = _keys(layers, key)
        for i, layer in enumerate(layers):
            try:
                y = layer(y, keys[i]) if _takes_key(layer) else layer(y)
            except ShapeError as error:
                raise ShapeError(f"Sequential: layer {i}: {error.message}", error.site) from None
        return y  # type: ignore[no-any-return]  # a handle, whose maker is typed Any

    def __getitem__(self, i: int, /) -> Any:  # Any: the layers are of different classes
        return self.layers[i]

    def __len__(self) -> int:
        return len(self.layers)


def _takes_key(layer: Any) -> bool:
    return isinstance(layer, (Dropout, Sequential))


def _keys(layers: tuple[Callable[..., Any], ...], key: IntTensor | None) -> list[Any]:
    """A key for each layer that takes one, the same ones whatever stands between them."""
    places = [i for i, layer in enumerate(layers) if _takes_key(layer)]
    keys: list[Any] = [None] * len(layers)
    if key is not None and places:
        parts = split(key, len(places))
        for row, i in enumerate(places):
            keys[i] = parts[row]
    return keys


def _check_composition(model: Sequential[*tuple[Any, ...]]) -> None:
    """Raise ShapeError where no input fits: the model under Shape, of which every size is open."""
    furthest: tuple[int, str] | None = None
    root = literal_root()
    ops = root if isinstance(root, ShapeInterpreter) else ShapeInterpreter()
    for rank in _RANKS:
        shape: Shape = (UNKNOWN,) * rank
        x: AnyTensor = handle(ops, Aval(shape, float64), float64)
        try:
            with Under(ops):
                model(x)  # type: ignore[arg-type]  # tried on shapes: whatever it takes
            return
        except ShapeError as error:
            reached = _layer_of(error.message)
            if furthest is None or reached > furthest[0]:
                furthest = reached, error.message
        except Exception:
            return  # a layer wants more than a shape, or another kind of input: its call will tell
    assert furthest is not None
    raise ShapeError(furthest[1])


def _layer_of(message: str) -> int:
    return int(message.removeprefix("Sequential: layer ").split(":", 1)[0])
