"""custom_jvp and custom_vjp: a function with derivative rules of its own, in JAX's spelling."""

import inspect
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import update_wrapper
from types import MethodType
from typing import Any, Final

from taglessad.control import bodies, derived
from taglessad.convert import as_handle
from taglessad.custom.checks import check_rules
from taglessad.custom.rules import CUSTOM, Pullback, Rules
from taglessad.dtypes import is_real
from taglessad.errors import ArgumentError, DTypeError, EscapeError, ShapeError
from taglessad.graph import Graph
from taglessad.levels import default_root
from taglessad.ops import Ops
from taglessad.primitive import Aval
from taglessad.shapes import show
from taglessad.tensor import AnyTensor
from taglessad.transforms.naming import check_function
from taglessad.transforms.recording import Recorded, record
from taglessad.trees import TreeDef, flatten, flatten_with_paths, path_string, unflatten

# Any throughout: arguments, residuals and results are trees of whatever the function takes.
_RECORDING: Final[ContextVar[frozenset[int]]] = ContextVar("taglessad_rules", default=frozenset())
"""The functions whose rules are being recorded: inside them they are left for later."""


class CustomRule:
    """A function with derivative rules. Made by `custom_jvp` and `custom_vjp`."""

    def __init__(
        self, what: str, f: Callable[..., Any], nondiff: Sequence[int], check: bool
    ) -> None:
        check_function(what, f)
        self.what = what
        self.f = f
        self.nondiff = tuple(nondiff)
        self.check = check
        self.checked = False
        self.push: Callable[..., Any] | None = None
        self.pull: tuple[Callable[..., Any], Callable[..., Any]] | None = None
        self.__name__ = getattr(f, "__name__", type(f).__name__)
        update_wrapper(self, f)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def defjvp(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """rule(primals, tangents) -> (value, tangent), both arguments tuples, one entry per argument.

        With `nondiff_argnums`: rule(*those, primals, tangents). The tangent of an integer is None.
        """
        check_function("defjvp", rule)
        self.push = rule
        return rule

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """fwd(*args) -> (value, residuals); bwd(residuals, cotangent) -> a tuple, one per argument.

        With `nondiff_argnums`: bwd(*those, residuals, cotangent), and cotangents of the others.
        None stands for no cotangent.
        """
        check_function("defvjp", fwd)
        check_function("defvjp", bwd)
        self.pull = (fwd, bwd)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.push is None and self.pull is None:
            raise ArgumentError(
                f"{self.what}: {self.__name__} was called before it was given a rule; use "
                "defjvp or defvjp"
            )
        arguments = _positional(self.what, self.f, args, kwargs)
        call = _Call(self, arguments)
        if bodies.plain(call.base, call.given.leaves):  # a rule matters to nothing
            return self.f(*args, **kwargs)
        return call.run()

    @property
    def label(self) -> str:
        """The rule's function, as messages name it."""
        return f"{self.what}({self.__name__})"


def _positional(
    what: str, f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    """All arguments in their order, defaults filled in."""
    try:
        bound = inspect.signature(f).bind(*args, **kwargs)
    except ValueError:  # a function without a signature
        if kwargs:
            raise ArgumentError(f"{what}: pass the arguments of {f!r} by position") from None
        return args
    bound.apply_defaults()
    if bound.kwargs:
        raise ArgumentError(
            f"{what}: {f!r} has keyword-only arguments, which a rule cannot name; make them "
            "positional, or close over them"
        )
    return bound.args


@contextmanager
def _recording(owner: CustomRule) -> Any:
    token = _RECORDING.set(_RECORDING.get() | {id(owner)})
    try:
        yield
    finally:
        _RECORDING.reset(token)


class _Call:
    """One call: its arguments taken apart, the function and its rules recorded."""

    def __init__(self, owner: CustomRule, arguments: tuple[Any, ...]) -> None:
        self.owner = owner
        n = len(arguments)
        self.nondiff = sorted({i % n for i in owner.nondiff if -n <= i < n})
        self.static = [arguments[i] for i in self.nondiff]
        self.rest = [i for i in range(n) if i not in self.nondiff]
        self.count = n
        own = tuple(arguments[i] for i in self.rest)
        self.given = bodies.operands(owner.label, own, "argument ")
        statics = [x for x in flatten(tuple(_trees(self.static)))[0] if isinstance(x, AnyTensor)]
        self.base: Ops[Any] = bodies.base_of([*self.given.leaves, *statics])
        # Rules may be recorded long after the call, when its handles are dead: keep their kinds.
        self.treedef, self.specs = self.given.treedef, self.given.specs
        self.avals = [Aval(x.shape, x.dtype) for x in self.given.leaves]
        self.real = [is_real(a.dtype) for a in self.avals]

    def run(self) -> Any:
        owner = self.owner
        later = id(owner) in _RECORDING.get()
        value = self._record(self.base, self._function, self.treedef, self.specs)
        parts = [value]
        with _recording(owner):
            if not later:
                if owner.push is not None:
                    parts.append(self._pushed(value, self.base))
                if owner.pull is not None:
                    parts += self._pulled(value, self.base)
        graphs, captures = bodies.closed(parts)
        rules = self._rules(value, graphs, len(captures), later)
        values = [*captures, *bodies.payloads(self.base, self.given.leaves)]
        if owner.check and not owner.checked and not later:
            owner.checked = check_rules(rules, self.base, values)
        found = self.base.run_n(CUSTOM, tuple(values), (rules,))
        return bodies.result(self.base, found, value)

    def _rules(self, value: Recorded, graphs: list[Graph], constants: int, later: bool) -> Rules:
        owner = self.owner
        if not later:
            rest = graphs[1:]
            has = owner.push is not None
            push = (lambda: rest[0]) if has else None
            pull = (lambda: Pullback(*rest[has:])) if owner.pull is not None else None
            return Rules(owner.label, graphs[0], constants, push, pull)

        def alone(make: Callable[[], list[Recorded]]) -> list[Graph]:
            with _recording(owner):
                made, captures = bodies.closed(make())
            if captures:
                raise EscapeError(
                    f"{owner.label}: its rule calls the function again and closes over a value of "
                    "a transform that is under way; pass that value as an argument"
                )
            avals = derived.inputs(graphs[0])[:constants]
            return [
                derived.with_inputs(
                    g,
                    [*avals, *derived.inputs(g)],
                    range(constants, constants + len(g.inputs)),
                )
                for g in made
            ]

        root = default_root()
        push_later = pull_later = None
        if owner.push is not None:
            push_later = lambda: alone(lambda: [self._pushed(value, root)])[0]  # noqa: E731
        if owner.pull is not None:
            pull_later = lambda: Pullback(*alone(lambda: self._pulled(value, root)))  # noqa: E731
        return Rules(owner.label, graphs[0], constants, push_later, pull_later)

    def _all(self, own: Sequence[Any]) -> list[Any]:
        arguments: list[Any] = [None] * self.count
        for i, x in zip(self.nondiff, self.static, strict=True):
            arguments[i] = x
        for i, x in zip(self.rest, own, strict=True):
            arguments[i] = x
        return arguments

    def _function(self, *own: Any) -> Any:
        return self.owner.f(*self._all(own))

    def _record(
        self, base: Ops[Any], f: Callable[..., Any], treedef: TreeDef, leaves: Sequence[Any]
    ) -> Recorded:
        call = flatten((tuple(unflatten(treedef, list(range(treedef.num_leaves)))), {}))[1]
        return record(self.owner.label, f, call, list(leaves), base)

    def _pushed(self, value: Recorded, base: Ops[Any]) -> Recorded:
        name, rule = self.owner.label, self.owner.push
        assert rule is not None
        specs = self.specs
        tangents = [s if r else None for s, r in zip(specs, self.real, strict=True)]
        treedef = self.treedef
        n = len(specs)

        def program(leaves: Any) -> Any:
            primals = unflatten(treedef, leaves[:n])
            given = iter(leaves[n:])
            found = rule(
                *self.static,
                primals,
                unflatten(treedef, [next(given) if r else None for r in self.real]),
            )
            if not isinstance(found, tuple) or len(found) != 2:
                raise ArgumentError(
                    f"{name}: its rule gives a pair (value, tangent), not {found!r}"
                )
            ys = _like(name, "the value that its jvp rule gives", found[0], value, None)
            smooth = [is_real(d) for d in value.dtypes]
            ts = _like(name, "the tangent that its jvp rule gives", found[1], value, smooth)
            return [*ys, *ts]

        inputs = [*specs, *(t for t in tangents if t is not None)]
        return self._record(base, program, flatten((list(inputs_of(inputs)),))[1], inputs)

    def _pulled(self, value: Recorded, base: Ops[Any]) -> list[Recorded]:
        name = self.owner.label
        assert self.owner.pull is not None
        fwd, bwd = self.owner.pull
        residual: list[TreeDef] = []

        def forward(*own: Any) -> Any:
            found = fwd(*self._all(own))
            if not isinstance(found, tuple) or len(found) != 2:
                raise ArgumentError(f"{name}: fwd gives a pair (value, residuals), not {found!r}")
            ys = _like(name, "the value that fwd gives", found[0], value, None)
            leaves, treedef = flatten(found[1])
            residual[:] = [treedef]
            return [*ys, *leaves]

        first = self._record(base, forward, self.treedef, self.specs)
        n, m = len(value.graph.outputs), residual[0].num_leaves
        kinds = list(zip(first.dtypes, first.weak, strict=True))
        shapes = [first.graph.avals[ref].shape for ref in first.graph.outputs]
        specs = [(Aval(s, d), w) for s, (d, w) in zip(shapes, kinds, strict=True)]
        smooth = [is_real(d) for d in value.dtypes]
        outputs = [s for s, r in zip(specs[:n], smooth, strict=True) if r]

        def backward(leaves: Any) -> Any:
            rest = iter(leaves[m:])
            cotangent = unflatten(value.treedef, [next(rest) if r else None for r in smooth])
            found = bwd(*self.static, unflatten(residual[0], leaves[:m]), cotangent)
            return self._cotangents(found)

        inputs = [*specs[n:], *outputs]
        second = self._record(base, backward, flatten((list(inputs_of(inputs)),))[1], inputs)
        return [first, second]

    def _cotangents(self, found: Any) -> list[AnyTensor]:
        """What bwd gives, one per real leaf of the arguments."""
        name = self.owner.label
        if not isinstance(found, tuple) or len(found) != len(self.rest):
            raise ArgumentError(
                f"{name}: bwd gives a tuple of {len(self.rest)} cotangents, one per argument, not "
                f"{found!r}"
            )
        taken: list[AnyTensor] = []
        places = unflatten(self.treedef, list(range(len(self.avals))))
        for i, (tree, g) in enumerate(zip(places, found, strict=True)):
            leaves = flatten(tree)[0]
            given = _given(name, f"the cotangent of argument {i}", tree, g)
            for place, c in zip(leaves, given, strict=True):
                if self.real[place]:  # an integer has no cotangent: what stands there is not used
                    (shape, dtype), label = self.avals[place], f"the cotangent of argument {i}"
                    if self.specs[place][1] and isinstance(c, AnyTensor) and is_real(c.dtype):
                        c = c.astype(dtype)  # a number's, which took the dtype of what it met
                    taken.append(_checked(name, label, c, shape, dtype))
        return taken


def inputs_of(specs: Sequence[Any]) -> range:
    """Stand-ins for the leaves of a list."""
    return range(len(specs))


def _trees(values: Sequence[Any]) -> list[Any]:
    """The static arguments that are trees of arrays; others are kept by value."""
    return [v for v in values if isinstance(v, (AnyTensor, tuple, list, dict))]


def _given(name: str, label: str, tree: Any, found: Any) -> list[Any]:
    """Cotangents of one argument, None where there is none; None may stand for any part of it."""
    own = dict(flatten_with_paths(found)[0])
    places = [path for path, _ in flatten_with_paths(tree)[0]]
    unknown = own.keys() - set(places)
    if unknown:
        raise ArgumentError(
            f"{name}: {label} is {flatten(found)[1]}, but the argument is {flatten(tree)[1]}"
        )
    return [own.get(path) for path in places]


def _checked(name: str, label: str, value: Any, shape: Any, dtype: Any) -> AnyTensor:
    """A (co)tangent as a handle of the kind of what it belongs to; None is zeros."""
    found: AnyTensor = as_handle(0.0 if value is None else value, name, label)
    if value is None or (found.weak and found.shape == () and shape == ()):
        return _full(found, shape, dtype)
    if found.shape != shape:
        raise ShapeError(
            f"{name}: {label} has shape {show(found.shape)}, but what it belongs to has "
            f"{show(shape)}"
        )
    if found.dtype != dtype:
        if found.weak:
            cast: AnyTensor = found.astype(dtype)
            return cast
        raise DTypeError(
            f"{name}: {label} has dtype {found.dtype}, but what it belongs to has {dtype}; convert "
            f"it with astype"
        )
    return found


def _full(x: AnyTensor, shape: Any, dtype: Any) -> AnyTensor:
    from taglessad.tensor import Namespace

    whole: AnyTensor = Namespace.functions.broadcast_to(x.astype(dtype), shape)
    return whole


def _like(
    name: str, label: str, tree: Any, value: Recorded, which: Sequence[bool] | None
) -> list[AnyTensor]:
    """The leaves of a rule's result, held to the function's own; None where `which` is false."""
    if which is not None and tree is None:
        tree = unflatten(value.treedef, [None] * value.treedef.num_leaves)
    expected = flatten_with_paths(unflatten(value.treedef, list(range(value.treedef.num_leaves))))[
        0
    ]
    leaves, treedef = flatten(tree)
    if treedef != value.treedef:
        holes = which is not None and len(expected) != len(leaves)
        if holes and which is not None and len(leaves) == sum(which):
            filled = iter(leaves)
            leaves = [next(filled) if w else None for w in which]
        elif which is not None and not leaves:
            leaves = [None] * len(expected)
        else:
            raise ArgumentError(
                f"{name}: {label} is {treedef}, but the function gives {value.treedef}"
            )
    graph = value.graph
    result: list[AnyTensor] = []
    for k, ((path, _), x) in enumerate(zip(expected, leaves, strict=True)):
        if which is not None and not which[k]:
            continue
        aval = graph.avals[graph.outputs[k]]
        result.append(_checked(name, f"{label}{path_string(path)}", x, aval.shape, aval.dtype))
    return result


def custom_jvp(
    f: Callable[..., Any] | None = None,
    *,
    nondiff_argnums: Sequence[int] = (),
    check: bool = True,
) -> Any:
    """f with a forward rule of its own, given by `defjvp`; reverse mode is its transpose.

    nondiff_argnums: arguments that the rule gets first, as they are (functions, flags, arrays that
    carry no derivative). check: hold the rule to linearity, and two rules to each other, where
    values are known when it is first used. In what f closes over, f's own text is differentiated.
    Raises ArgumentError, ShapeError or DTypeError where the rule does not fit f.
    """
    if f is None:
        return lambda g: custom_jvp(g, nondiff_argnums=nondiff_argnums, check=check)
    return CustomRule("custom_jvp", f, nondiff_argnums, check)


def custom_vjp(
    f: Callable[..., Any] | None = None,
    *,
    nondiff_argnums: Sequence[int] = (),
    check: bool = True,
) -> Any:
    """f with a reverse rule of its own, given by `defvjp`; forward mode is its transpose.

    Arguments and errors as `custom_jvp`'s. Residuals are differentiated like any other value.
    """
    if f is None:
        return lambda g: custom_vjp(g, nondiff_argnums=nondiff_argnums, check=check)
    return CustomRule("custom_vjp", f, nondiff_argnums, check)
