"""One call of a program: its arguments and its result held to the annotations."""

import inspect
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from taglessad.checking.annotations import ANNOTATED
from taglessad.checking.forms import ArrayForm, Opaque
from taglessad.checking.matching import match
from taglessad.checking.returning import code_of, return_place
from taglessad.checking.running import MISTAKES
from taglessad.checking.scope import SCOPE, Scope, enter, leave
from taglessad.checking.signature import Signature
from taglessad.errors import TaglessError
from taglessad.shapes.binding import Binder
from taglessad.tensor import AnyTensor

# Any throughout: arguments and results are whatever the program takes and gives.
Arguments: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]
Key: TypeAlias = tuple[Any, ...]
"""Classes and shapes of arguments, and maybe of the result, behind what the outer call has bound."""

SHAPES: Final = 512
"""How many combinations of shapes are kept as known to be good."""


class Calls:
    """The calls of one program."""

    def __init__(self, f: Callable[..., Any], known: Signature) -> None:
        self._f = f
        self._known = known
        # What was found good once is good again, where it depends on the shapes alone.
        self._plain = all(p.form.__class__ is ArrayForm for p in known.positional)
        self._good: dict[Key, Scope] = {}  # with the named dimensions that were bound

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Check the arguments, run, check the result.

        Raises ShapeError, DTypeError, ArgumentError as `match` does, and what the program raises.
        """
        scope = SCOPE.get()
        if scope is not None:
            return self._run(scope, args, kwargs)
        scope = {}
        token = SCOPE.set(scope)
        try:
            return self._run(scope, args, kwargs)
        finally:
            SCOPE.reset(token)

    def _run(self, scope: Scope, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        key = self._key(args, scope) if self._plain and not kwargs else None
        known, binder = self._known, None
        good = None if key is None else self._good.get(key)
        if good is None:
            binder = Binder(known.name, ANNOTATED)
            args, kwargs = self._bound(binder, scope, args, kwargs)
        else:
            scope.update(good)
        before = self._named(scope)
        result = self._f(*args, **kwargs)
        if known.result.__class__ is Opaque:
            self._keep(key, before)
            return result
        whole = None
        if key is not None and isinstance(result, AnyTensor):
            whole = (*key, *self._named(scope).items(), (result.__class__, result.shape))
            if whole in self._good:
                scope.update(self._good[whole])
                return result
        if binder is None:
            binder = Binder(known.name, ANNOTATED)
            self._bound(binder, scope, args, kwargs)
        try:
            match(known.result, result, binder, "the result")
            binder.finish()
        except MISTAKES as error:
            raise self._at_return(error) from None
        if known.named:
            leave(binder, known.named, scope)
        self._keep(key, before)
        self._keep(whole, self._named(scope))
        return result

    def _named(self, scope: Scope) -> Scope:
        """The program's own named dimensions, as far as they are bound."""
        named = self._known.named
        return {name: scope[name] for name in named if name in scope} if named else {}

    def _key(self, args: tuple[Any, ...], scope: Scope) -> Key | None:
        """What the outcome depends on, where arguments are handles, each for a parameter."""
        known = self._known
        if len(args) > len(known.positional):
            return None
        found: list[Any] = [scope.get(key) for key in known.named]
        for x in args:
            if not isinstance(x, AnyTensor):
                return None
            found.append((x.__class__, x.shape))
        return tuple(found)

    def _keep(self, key: Key | None, named: Scope) -> None:
        if key is not None and key not in self._good:
            if len(self._good) >= SHAPES:
                self._good.clear()
            self._good[key] = named

    def _bound(
        self, binder: Binder, scope: Scope, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Arguments:
        """The arguments, array-likes made handles; their sizes bound."""
        known = self._known
        if known.named:
            enter(binder, known.named, scope)
        positional = known.positional
        if kwargs or len(args) > len(positional):
            args, kwargs = _match_call(known, binder, args, kwargs)
        else:
            pairs = zip(positional, args, strict=False)
            args = tuple([match(p.form, value, binder, p.place) for p, value in pairs])
        binder.finish()
        if known.named:
            leave(binder, known.named, scope)
        return args, kwargs

    def _at_return(self, error: TaglessError) -> TaglessError:
        """A fault of the result, on the line that returns it."""
        code = code_of(self._f)
        place = None if code is None else return_place(code)
        return error if place is None else type(error)(error.message, place[:2])


def _match_call(
    known: Signature, binder: Binder, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Arguments:
    """Arguments by position and by name, each matched; which are missing the call itself says."""
    by_name = {p.name: p for p in known.parameters}
    rest = next((p for p in known.parameters if p.kind is inspect.Parameter.VAR_POSITIONAL), None)
    more = next((p for p in known.parameters if p.kind is inspect.Parameter.VAR_KEYWORD), None)
    new: list[Any] = []
    for i, value in enumerate(args):
        p = known.positional[i] if i < len(known.positional) else rest
        new.append(value if p is None else match(p.form, value, binder, p.place))
    named: dict[str, Any] = {}
    for name, value in kwargs.items():
        p = by_name.get(name, more)
        place = f"argument {name!r}"
        named[name] = value if p is None else match(p.form, value, binder, place)
    return tuple(new), named
