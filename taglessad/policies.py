"""The derivative at kinks where a program chose another than the library's (`tad.with_kinks`).

A choice holds while the program runs, in its own thread and task; what it meant is written into the
program's operations, so later derivatives of them need to know nothing of it.
"""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Final, NamedTuple

from taglessad.errors import ArgumentError


class Policy(NamedTuple):
    """relu, abs: the slope at 0. maximum: the shares of both operands at a tie, of minimum too.
    clip: the slope in the operand at either bound."""

    relu: float = 0.0
    abs: float = 0.0
    maximum: tuple[float, float] = (0.5, 0.5)
    clip: float = 1.0


DEFAULT: Final = Policy()

_LIBRARIES: Final[Mapping[str, Mapping[str, Any]]] = {
    "relu": {"torchlean": 0.0, "torch": 0.0, "jax": 0.0, "candle": 1.0},
    "abs": {"torchlean": 0.0, "torch": 0.0, "neuro": 0.0, "jax": 1.0, "candle": 1.0},
    "maximum": {
        "torchlean": (0.5, 0.5),
        "torch": (0.5, 0.5),
        "jax": (0.5, 0.5),
        "candle": (0.5, 0.5),
    },
    "clip": {"torchlean": 0.0, "torch": 1.0, "jax": 0.5},
}
"""What each library does there, measured: PyTorch 2.13, JAX 0.10."""

_CURRENT: Final[ContextVar[Policy | None]] = ContextVar("taglessad_kinks", default=None)


def current() -> Policy | None:
    """The choice under way; None for the library's own."""
    return _CURRENT.get()


def key() -> tuple[Policy, ...]:
    """What a recorded program is known by besides its arguments."""
    policy = _CURRENT.get()
    return () if policy is None else (policy,)


def chosen(**given: Any) -> Policy:
    """A policy from numbers, pairs, or names of libraries; None keeps the library's own value.

    Raises ArgumentError for what is none of these.
    """
    known = _CURRENT.get() or DEFAULT
    values: dict[str, Any] = {}
    for name, value in given.items():
        if value is None:
            continue
        if isinstance(value, str):
            table = _LIBRARIES[name]
            if value not in table:
                raise ArgumentError(
                    f"with_kinks: {name}={value!r} is no library whose value is known; known are "
                    f"{', '.join(table)}"
                )
            value = table[value]
        values[name] = _pair(value) if name == "maximum" else _number(name, value)
    return known._replace(**values)


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ArgumentError(f"with_kinks: {name} is a slope, a number, not {value!r}")
    return float(value)


def _pair(value: Any) -> tuple[float, float]:
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return _number("maximum", value[0]), _number("maximum", value[1])
    raise ArgumentError(
        f"with_kinks: maximum is a pair, the shares of its operands at a tie, not {value!r}"
    )


class During:
    """A choice for the length of a block."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def __enter__(self) -> None:
        self._token = _CURRENT.set(self._policy)

    def __exit__(self, *_: object) -> None:
        _CURRENT.reset(self._token)
