"""Recurrent layers: cells, which make one step, and whole sequences, by `scan`.

A sequence is [..., T, In], positions in the axis before the last; a state is [..., Out]. Weights
stand as in `Linear`, the gates' side by side: w [In, gates * Out] for the input, u [Out, gates *
Out] for the state, b [gates * Out]. Equations and order of the gates are PyTorch's. Raises
ShapeError where a size differs from the layer's.
"""

from typing import Any, Generic, NamedTuple

import numpy as np
from typing_extensions import TypeVar

from taglessad.array_api.creation import repeated_like, zeros
from taglessad.array_api.manipulation import moveaxis
from taglessad.array_api.transcendental import tanh
from taglessad.control.scans import scan
from taglessad.convert import as_handle
from taglessad.dtypes import float64
from taglessad.errors import ShapeError
from taglessad.indexing.reading import getitem
from taglessad.nn import init as initializers
from taglessad.nn.checks import at_least_one, cannot_take, check_last_axes
from taglessad.nn.functional import sigmoid
from taglessad.nn.init import Initializer, Rng
from taglessad.nn.module import Module, assign
from taglessad.shapes.dim_types import Size
from taglessad.tensor import Tensor, TensorLike

# Any as default: sizes that a type checker cannot tell.
In = TypeVar("In", default=Any)
Out = TypeVar("Out", default=Any)
# Any below: handles whose shapes are checked, sizes, and states, which are trees.


def _parameters(
    what: str, gates: int, inputs: Any, outputs: Any, init: Initializer, dtype: object, rng: Rng
) -> dict[str, Tensor]:
    """w, u and b for so many gates, each gate's weights initialised as a matrix of its own."""
    n, m = at_least_one(inputs, what, "inputs"), at_least_one(outputs, what, "outputs")
    random = initializers.generator(rng, what)

    def side_by_side(rows: int) -> Initializer:
        return lambda generator, shape, kind: np.concatenate(
            [init(generator, (rows, m), kind) for _ in range(gates)], axis=1
        )

    wide = gates * m
    return {
        "w": initializers.parameter(side_by_side(n), random, (n, wide), dtype, what),
        "u": initializers.parameter(side_by_side(m), random, (m, wide), dtype, what),
        "b": initializers.parameter(initializers.zeros, random, (wide,), dtype, what),
    }


def _projected(layer: str, x: TensorLike, w: Tensor, b: Tensor, gates: int) -> Tensor:
    """The inputs' share in every gate, of one step or of all steps at once."""
    t: Any = as_handle(x, f"nn.{layer}", "x")
    sizes: Any = w.shape
    check_last_axes(f"{layer}[{sizes[0]}, {sizes[1] // gates}]", t.shape, (sizes[0],))
    share: Tensor = t @ w + b
    return share


def _state(layer: str, x: Any, u: Tensor) -> Any:
    h = as_handle(x, f"nn.{layer}", "state")
    outputs: Any = u.shape[0]
    check_last_axes(f"the state of {layer}[..., {outputs}]", h.shape, (outputs,))
    return h


def _gates(x: Any, count: int) -> list[Any]:
    """The last axis in so many parts of one size."""
    size = x.shape[-1] // count
    return [getitem(x, (..., slice(i * size, (i + 1) * size))) for i in range(count)]


class RNNCell(Module, Generic[In, Out]):
    """h' = tanh(x @ w + h @ u + b): one step, `cell(x, h)` (Elman 1990)."""

    w: Tensor[Any, Any]
    u: Tensor[Any, Any]
    b: Tensor[Any]

    def __init__(
        self,
        inputs: Size[In],
        outputs: Size[Out],
        *,
        rng: Rng = None,
        init: Initializer = initializers.glorot_uniform,
        dtype: object = float64,
    ) -> None:
        assign(self, **_parameters("nn.RNNCell", 1, inputs, outputs, init, dtype, rng))

    def __call__(self, x: Tensor, h: Tensor, /) -> Tensor:
        return self.step(self.project(x), h)

    def project(self, x: Tensor, /) -> Tensor:
        """x @ w + b, the part of a step that does not wait for the state."""
        return _projected("RNNCell", x, self.w, self.b, 1)

    def step(self, projected: Tensor, h: Tensor, /) -> Tensor:
        """The new state, from what `project` gives."""
        return tanh(projected + _state("RNNCell", h, self.u) @ self.u)


class GRUCell(Module, Generic[In, Out]):
    """A gated recurrent unit (Cho et al. 2014): one step, `cell(x, h)`.

    r, z = sigmoid of their gates, n = tanh(x @ w_n + b_n + r * (h @ u_n + c)),
    h' = (1 - z) * n + z * h. Gates in the order r, z, n; c [Out] is a bias within.
    """

    w: Tensor[Any, Any]
    u: Tensor[Any, Any]
    b: Tensor[Any]
    c: Tensor[Any]

    def __init__(
        self,
        inputs: Size[In],
        outputs: Size[Out],
        *,
        rng: Rng = None,
        init: Initializer = initializers.glorot_uniform,
        dtype: object = float64,
    ) -> None:
        made = _parameters("nn.GRUCell", 3, inputs, outputs, init, dtype, rng)
        assign(self, **made, c=zeros((made["u"].shape[0],), dtype=dtype))

    def __call__(self, x: Tensor, h: Tensor, /) -> Tensor:
        return self.step(self.project(x), h)

    def project(self, x: Tensor, /) -> Tensor:
        """x @ w + b, the part of a step that does not wait for the state."""
        return _projected("GRUCell", x, self.w, self.b, 3)

    def step(self, projected: Tensor, h: Tensor, /) -> Tensor:
        """The new state, from what `project` gives."""
        own = _state("GRUCell", h, self.u)
        r, z, n = _gates(projected, 3)
        hr, hz, hn = _gates(own @ self.u, 3)
        z = sigmoid(z + hz)
        candidate = tanh(n + sigmoid(r + hr) * (hn + self.c))
        state: Tensor = candidate + z * (own - candidate)
        return state


class LSTMState(NamedTuple):
    """What an LSTM passes on: its output and its cell."""

    h: Tensor
    c: Tensor


class LSTMCell(Module, Generic[In, Out]):
    """Long short-term memory (Hochreiter and Schmidhuber 1997): one step, `cell(x, state)`.

    i, f, o = sigmoid of their gates, g = tanh of its; c' = f * c + i * g, h' = o * tanh(c').
    Gates in the order i, f, g, o.
    """

    w: Tensor[Any, Any]
    u: Tensor[Any, Any]
    b: Tensor[Any]

    def __init__(
        self,
        inputs: Size[In],
        outputs: Size[Out],
        *,
        rng: Rng = None,
        init: Initializer = initializers.glorot_uniform,
        dtype: object = float64,
    ) -> None:
        assign(self, **_parameters("nn.LSTMCell", 4, inputs, outputs, init, dtype, rng))

    def __call__(self, x: Tensor, state: LSTMState, /) -> LSTMState:
        return self.step(self.project(x), state)

    def project(self, x: Tensor, /) -> Tensor:
        """x @ w + b, the part of a step that does not wait for the state."""
        return _projected("LSTMCell", x, self.w, self.b, 4)

    def step(self, projected: Tensor, state: LSTMState, /) -> LSTMState:
        """The new state, from what `project` gives."""
        h, c = (_state("LSTMCell", s, self.u) for s in state)
        i, f, g, o = _gates(projected + h @ self.u, 4)
        cell = sigmoid(f) * c + sigmoid(i) * tanh(g)
        return LSTMState(sigmoid(o) * tanh(cell), cell)


def _over_sequence(
    layer: str,
    cell: RNNCell[Any, Any] | GRUCell[Any, Any] | LSTMCell[Any, Any],
    x: Tensor,
    state: Any,
    reverse: bool,
) -> tuple[Tensor, Any]:
    """(all outputs [..., T, Out], final state): the cell's steps, by default from zeros."""
    projected: Any = cell.project(x)
    if projected.ndim < 2:
        raise ShapeError(cannot_take(layer, projected.shape, "a sequence is [..., T, In]"))
    if state is None:
        sizes = (*projected.shape[:-2], cell.u.shape[0])
        zero = repeated_like(projected, sizes, 0.0)
        state = LSTMState(zero, zero) if isinstance(cell, LSTMCell) else zero

    def step(before: Any, row: Any) -> tuple[Any, Any]:
        after: Any = cell.step(row, before)
        output = after.h if isinstance(after, LSTMState) else after
        return after, output

    final, ys = scan(step, state, moveaxis(projected, -2, 0), reverse=reverse)
    return moveaxis(ys, 0, -2), final


class RNN(Module, Generic[In, Out]):
    """`RNNCell` over a sequence: `rnn(x)` gives (states [..., T, Out], the last one).

    x: [..., T, In]. state: the first state, zeros by default. reverse: from the last position on.
    """

    cell: RNNCell[In, Out]

    def __init__(self, inputs: Size[In], outputs: Size[Out], **options: Any) -> None:
        assign(self, cell=RNNCell(inputs, outputs, **options))

    def __call__(
        self, x: Tensor, state: Tensor | None = None, /, *, reverse: bool = False
    ) -> tuple[Tensor, Tensor]:
        return _over_sequence("RNN", self.cell, x, state, reverse)


class GRU(Module, Generic[In, Out]):
    """`GRUCell` over a sequence: `gru(x)` gives (states [..., T, Out], the last one).

    x: [..., T, In]. state: the first state, zeros by default. reverse: from the last position on.
    """

    cell: GRUCell[In, Out]

    def __init__(self, inputs: Size[In], outputs: Size[Out], **options: Any) -> None:
        assign(self, cell=GRUCell(inputs, outputs, **options))

    def __call__(
        self, x: Tensor, state: Tensor | None = None, /, *, reverse: bool = False
    ) -> tuple[Tensor, Tensor]:
        return _over_sequence("GRU", self.cell, x, state, reverse)


class LSTM(Module, Generic[In, Out]):
    """`LSTMCell` over a sequence: `lstm(x)` gives (outputs [..., T, Out], the last state).

    x: [..., T, In]. state: the first state, zeros by default. reverse: from the last position on.
    """

    cell: LSTMCell[In, Out]

    def __init__(self, inputs: Size[In], outputs: Size[Out], **options: Any) -> None:
        assign(self, cell=LSTMCell(inputs, outputs, **options))

    def __call__(
        self, x: Tensor, state: LSTMState | None = None, /, *, reverse: bool = False
    ) -> tuple[Tensor, LSTMState]:
        return _over_sequence("LSTM", self.cell, x, state, reverse)
