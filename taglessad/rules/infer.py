"""Shape and dtype rules that several families share."""

from taglessad.dtypes import bool_
from taglessad.errors import DTypeError
from taglessad.primitive import Aval
from taglessad.shapes import broadcast


def same(x: Aval, *_params: object) -> Aval:
    """The operand's own shape and dtype."""
    return x


def predicate(x: Aval) -> Aval:
    """A truth value for each entry."""
    return Aval(x.shape, bool_)


def common(a: Aval, b: Aval, *_params: object) -> Aval:
    """The broadcast shape of two operands of one dtype."""
    if a.dtype != b.dtype:
        raise DTypeError(
            f"the operands of a primitive have dtypes {a.dtype} and {b.dtype}; cast one of them"
        )
    if a.shape == b.shape:
        return a
    return Aval(broadcast(a.shape, b.shape, what="broadcast"), a.dtype)


def comparison(a: Aval, b: Aval) -> Aval:
    """A truth value for each pair of entries."""
    return Aval(common(a, b).shape, bool_)
