"""interpret: the meaning of a program under an interpreter that the caller names."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from taglessad.convert import as_handle
from taglessad.dims import Polynomial
from taglessad.errors import ArgumentError, EscapeError, ShapeError
from taglessad.interpreter import Interpreter
from taglessad.interpreters.batch import Batch, Batched
from taglessad.interpreters.cost import Cost
from taglessad.interpreters.dual import Dual, DualNumber
from taglessad.interpreters.record import Record
from taglessad.interpreters.tape import Tape
from taglessad.interpreters.taylor import Taylor, power_series
from taglessad.levels import Under, ambient, root_of
from taglessad.ops import Ops
from taglessad.primitive import Aval
from taglessad.shapes import show
from taglessad.tensor import AnyTensor, handle
from taglessad.transforms.arguments import real_leaf
from taglessad.transforms.engine import like
from taglessad.transforms.naming import check_function, named_after
from taglessad.transforms.recording import Spec, trace
from taglessad.trees import TreeDef, flatten, match, unflatten

_STARTS: Final = (
    "interpret starts from a root of its own: inside a transform use tad.jvp, tad.taylor, tad.vmap"
)

# Any throughout: arguments are what the interpreter takes, results what it gives.


def interpret(f: Callable[..., Any], interpreter: Interpreter[Any]) -> Callable[..., Any]:
    """f's meaning under an interpreter, as a function of that interpreter's arguments.

    Roots take arrays (Shape: shapes, as tuples of sizes or `Spec`s) and give handles, shapes, or
    their own payloads; Record gives the Graph. Transformers take and give what their base does:
    Dual pairs (primal, tangent), Taylor lists of coefficients, Batch a leading axis of its size, Tape values.
    Arguments and results may be trees; under Dual a pair of trees. Raises ArgumentError where
    `interpreter` is none, or an argument is not what it takes.
    """
    check_function("interpret", f)
    if not isinstance(interpreter, Ops):
        raise ArgumentError(
            f"interpret: {interpreter!r} is no interpreter; give an instance, such as Eager()"
        )
    ops: Ops[Any] = interpreter
    if isinstance(ops, Record):
        return trace(f)
    if isinstance(ops, Cost):
        return _costed(f, ops)

    def meaning(*args: Any, **kwargs: Any) -> Any:
        def attempt() -> Any:
            with Under(ops):
                own = [_argument(ops, a, f"argument {i}") for i, a in enumerate(args)]
                named = {k: _argument(ops, a, f"argument {k!r}") for k, a in kwargs.items()}
                results, treedef = flatten(f(*own, **named))
                handles = [as_handle(r, "interpret", "the result of f") for r in results]
                payloads = [ops.lift(h.ops, h.payload) for h in handles]
                return _answer(ops, payloads, [h.weak for h in handles], treedef)

        inside = ambient().base is not None
        try:
            return root_of(ops).complete(attempt)
        except EscapeError as error:
            if not inside or _STARTS in error.message:
                raise
            raise EscapeError(f"{error.message}. {_STARTS}", error.site) from None

    return named_after(meaning, f"interpret[{ops!r}]", f)


def _costed(f: Callable[..., Any], ops: Cost) -> Callable[..., Any]:
    """The cost of the recorded program, from shapes or arrays."""

    def cost(*args: Any, **kwargs: Any) -> Any:
        own, named = _specified(list(args)), _specified(kwargs)
        return ops.of_graph(trace(f)(*own, **named))

    return named_after(cost, f"interpret[{ops!r}]", f)


def _argument(ops: Ops[Any], argument: Any, name: str) -> Any:
    """An argument as the tree of handles that the program sees."""
    if isinstance(ops, Dual):
        if not isinstance(argument, (tuple, list)) or len(argument) != 2:
            raise ArgumentError(f"interpret: under {ops!r} {name} is a pair (primal, tangent)")
        primals, treedef = flatten(_argument(ops.base, argument[0], name))
        tangent = _argument(ops.base, argument[1], f"the tangent of {name}")
        tangents = match(treedef, tangent, name=f"interpret: the tangent of {name}")
        pairs = [_dual(ops, p, t, name) for p, t in zip(primals, tangents, strict=True)]
        return unflatten(treedef, pairs)
    if isinstance(ops, Taylor):
        return _series(ops, argument, name)
    if isinstance(ops, Batch):
        inner, treedef = flatten(_argument(ops.base, argument, name))
        return unflatten(treedef, [_member(ops, x, name) for x in inner])
    if isinstance(ops, Tape):
        inner, treedef = flatten(_argument(ops.base, argument, name))
        return unflatten(treedef, [_constant(ops, x) for x in inner])
    leaves, treedef = flatten(_specified(argument) if ops.takes_shapes else argument)
    return unflatten(treedef, [_root(ops, x, name) for x in leaves])


def _series(ops: Taylor[Any], argument: Any, name: str) -> Any:
    """The tree whose numbers are series, from a list of coefficients, each such a tree."""
    if not isinstance(argument, (tuple, list)) or not 0 < len(argument) <= ops.order + 1:
        raise ArgumentError(
            f"interpret: under {ops!r} {name} is a list of coefficients of 1, t, t**2, ..., from 1 "
            f"to {ops.order + 1} of them"
        )
    points, treedef = flatten(_argument(ops.base, argument[0], name))
    parts: list[list[Any]] = [[real_leaf(x, "interpret", name)] for x in points]
    for k, coefficient in enumerate(argument[1:], 1):
        label = f"coefficient {k} of {name}"
        tree = _argument(ops.base, coefficient, label)
        for part, c in zip(parts, match(treedef, tree, name=f"interpret: {label}"), strict=True):
            part.append(like("interpret", "coefficient", c, part[0], name))
    series = [power_series([x.payload for x in part]) for part in parts]
    made = [handle(ops, s, p[0].dtype, p[0].weak) for s, p in zip(series, parts, strict=True)]
    return unflatten(treedef, made)


def _dual(ops: Dual[Any], primal: AnyTensor, tangent: AnyTensor, name: str) -> Any:
    point = real_leaf(primal, "interpret", name)
    direction = like("interpret", "tangent", tangent, point, name)
    return handle(ops, DualNumber(point.payload, direction.payload), point.dtype, point.weak)


def _member(ops: Batch[Any], whole: AnyTensor, name: str) -> Any:
    shape = whole.shape
    if not shape or shape[0] != ops.size:
        raise ShapeError(
            f"interpret: {name} has shape {show(shape)}; under {ops!r} its first axis is the "
            f"batch, of size {ops.size}"
        )
    return handle(ops, Batched(whole.payload, True), whole.dtype, whole.weak)


def _constant(ops: Tape[Any], value: AnyTensor) -> Any:
    return handle(ops, ops.embed(value.payload), value.dtype, value.weak)


def _root(ops: Ops[Any], leaf: Any, name: str) -> Any:
    if isinstance(leaf, Spec):
        if not ops.takes_shapes:
            raise ArgumentError(f"interpret: {name} is a Spec; {ops!r} needs an array")
        leaf = Aval(leaf.shape, leaf.dtype)
    own = ops.argument(leaf)
    if own is not None:
        return handle(ops, ops.entered(own), ops.dtype(own))
    x: AnyTensor = as_handle(leaf, "interpret", name)
    payload = ops.entered(ops.lift(x.ops, x.payload))
    return handle(ops, payload, ops.dtype(payload), x.weak)


def _specified(argument: Any) -> Any:
    """An argument of a root of shapes with every tuple of sizes in it as a Spec."""
    if type(argument) in (tuple, list):
        if all(isinstance(n, (int, Polynomial)) and not isinstance(n, bool) for n in argument):
            return Spec(argument)
        return type(argument)([_specified(x) for x in argument])
    if type(argument) is dict:
        return {key: _specified(x) for key, x in argument.items()}
    return argument


def _answer(ops: Ops[Any], payloads: Sequence[Any], weak: Sequence[bool], treedef: TreeDef) -> Any:
    """A result, payloads and structure, as the interpreter gives it."""
    if isinstance(ops, Dual):
        primals = [x.primal for x in payloads]
        tangents = [ops.tangent(x) for x in payloads]
        answers = [_answer(ops.base, part, weak, treedef) for part in (primals, tangents)]
        return tuple(answers)
    if isinstance(ops, Taylor):
        return [
            _answer(ops.base, [ops.coefficient(x, k) for x in payloads], weak, treedef)
            for k in range(ops.order + 1)
        ]
    if isinstance(ops, Batch):
        return _answer(ops.base, [ops.full(x) for x in payloads], weak, treedef)
    if isinstance(ops, Tape):
        return _answer(ops.base, [x.value for x in payloads], weak, treedef)
    known = [
        ops.answer(x) if ops.literal(x) is None else handle(ops, x, ops.dtype(x), w)
        for x, w in zip(payloads, weak, strict=True)
    ]
    return unflatten(treedef, known)
