"""Which hook goes where. A hook that fails says so in a note: mypy goes on."""

import hashlib
import os
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Final, TypeVar

from mypy.nodes import Decorator, MypyFile, OverloadedFuncDef, SymbolTableNode, TypeInfo
from mypy.options import Options
from mypy.plugin import (
    AnalyzeTypeContext,
    AttributeContext,
    FunctionContext,
    FunctionSigContext,
    MethodContext,
    MethodSigContext,
    Plugin,
    ReportConfigContext,
)
from mypy.plugins.default import DefaultPlugin
from mypy.types import FunctionLike, Type

from taglessad.errors import is_library_file
from taglessad.mypy_plugin import attributes, library, signatures
from taglessad.mypy_plugin.names import (
    ALIASES,
    EXPRESSIONS,
    EXPRESSIONS_MODULE,
    SIZE,
    SIZE_ALIAS,
    TENSORS,
)
from taglessad.mypy_plugin.types import mentions
from taglessad.mypy_plugin.writing import Writer

T = TypeVar("T")
C = TypeVar("C")

_LIBRARY: Final = "taglessad."
# Names of functions that never take a tensor of the user's: the quick way out.
_OTHERS: Final = ("builtins.", "typing.", "typing_extensions.", "collections.", "dataclasses.")
_OF_INTEREST: Final = TENSORS | EXPRESSIONS | {SIZE}


class _Library(dict[str, Callable[[C], T] | None]):
    """The hooks of one role for the library's names, which do not change; None for most."""

    def __init__(
        self,
        find: Callable[[str], Callable[..., T] | None],
        guard: Callable[[Callable[..., T]], Callable[[C], T]],
    ) -> None:
        super().__init__()
        self._find = find
        self._guard = guard

    def __missing__(self, fullname: str) -> Callable[[C], T] | None:
        hook = self._find(fullname)
        found = self[fullname] = None if hook is None else self._guard(hook)
        return found


class ShapePlugin(Plugin):
    """The hooks."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._default = DefaultPlugin(options)
        self._writer = Writer(self._find)
        self._interest: dict[str, tuple[object, bool]] = {}
        signature, result = self._guard(_signature), self._guard(_result)
        self._functions = _Library[FunctionContext, Type](library.function_result, result)
        self._methods = _Library[MethodContext, Type](library.method_result, result)
        self._attributes = _Library[AttributeContext, Type](
            library.attribute, self._guard(_attribute)
        )
        self._function_signatures = _Library[FunctionSigContext, FunctionLike](
            library.function_signature, signature
        )
        self._method_signatures = _Library[MethodSigContext, FunctionLike](
            library.method_signature, signature
        )

    def set_modules(self, modules: dict[str, MypyFile]) -> None:
        """A new build: what was found in the one before counts no more."""
        super().set_modules(modules)
        self._interest.clear()
        self._writer.forget()

    def _find(self, fullname: str) -> SymbolTableNode | None:
        return self.lookup_fully_qualified(fullname)

    def report_config_data(self, ctx: ReportConfigContext) -> str:
        """What warm caches depend on: mypy sees the plugin's own file only."""
        return _fingerprint()

    def get_additional_deps(self, file: MypyFile) -> list[tuple[int, str, int]]:
        """The classes for arithmetic, which no program imports."""
        if file.fullname == "taglessad.shapes.dim_types":
            return [(10, EXPRESSIONS_MODULE, -1)]
        return []

    # --- annotations ------------------------------------------------------------------------
    def get_type_analyze_hook(self, fullname: str) -> Callable[[AnalyzeTypeContext], Type] | None:
        """Arithmetic of sizes."""
        if fullname in ALIASES:
            return partial(
                attributes.analyze_arithmetic, name=ALIASES[fullname], writer=self._writer
            )
        if fullname == SIZE_ALIAS:
            return partial(attributes.analyze_size, writer=self._writer)
        return None

    # --- functions --------------------------------------------------------------------------
    def get_function_signature_hook(
        self, fullname: str
    ) -> Callable[[FunctionSigContext], FunctionLike] | None:
        """The library's functions take array-likes; the user's bind sizes."""
        if fullname.startswith(_LIBRARY):
            return self._function_signatures[fullname]
        if fullname.startswith(_OTHERS):
            return None
        if "." in fullname and not self._of_interest(fullname):
            return None
        return self._guarded(signatures.signature_hook, _signature)

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        """Results of the library's functions and transforms, and of functions without a name."""
        if fullname.startswith(_LIBRARY):
            return self._functions[fullname]
        if fullname.startswith(_OTHERS):
            return None
        if "." in fullname:
            if self._default.get_function_hook(fullname) or not self._of_interest(fullname):
                return None
        return self._guarded(signatures.anonymous_hook, _result)

    # --- methods ----------------------------------------------------------------------------
    def get_method_signature_hook(
        self, fullname: str
    ) -> Callable[[MethodSigContext], FunctionLike] | None:
        """The user's methods bind sizes; the library's layers take array-likes."""
        if fullname.startswith(_LIBRARY):
            return self._method_signatures[fullname]
        if fullname.startswith(_OTHERS) or not self._member_of_interest(fullname):
            return None
        return self._guarded(signatures.signature_hook, _signature)

    def get_method_hook(self, fullname: str) -> Callable[[MethodContext], Type] | None:
        """Operators and methods of tensors, layers and sizes."""
        if fullname.startswith(_LIBRARY):
            return self._methods[fullname]
        if fullname.startswith(_OTHERS) or not self._member_of_interest(fullname):
            return None
        return self._guarded(signatures.anonymous_hook, _result)

    def get_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        """Shapes, transposes, and the user's attributes with arithmetic in their types."""
        if fullname.startswith(_LIBRARY):
            return self._attributes[fullname]
        if fullname.startswith(_OTHERS) or not self._member_of_interest(fullname, EXPRESSIONS):
            return None
        return self._guarded(attributes.canonical_attribute, _attribute)

    # --- which names ------------------------------------------------------------------------
    def _of_interest(self, fullname: str) -> bool:
        """Whether a function or class of the user's has tensors in its type."""
        found = self._find(fullname)
        node: Any = None if found is None else found.node
        if isinstance(node, TypeInfo):
            maker = node.get("__init__")
            node = None if maker is None else maker.node
        return self._node_of_interest(fullname, node)

    def _member_of_interest(self, fullname: str, names: frozenset[str] = _OF_INTEREST) -> bool:
        cls, _, name = fullname.rpartition(".")
        found = self._find(cls)
        if found is None:
            return "@" in cls  # a class of a function's own
        if not isinstance(found.node, TypeInfo):
            return False
        member = found.node.get(name)
        return self._node_of_interest(fullname, None if member is None else member.node, names)

    def _node_of_interest(self, key: str, node: Any, names: frozenset[str] = _OF_INTEREST) -> bool:
        if node is None or isinstance(node, OverloadedFuncDef):
            return False
        if isinstance(node, Decorator):
            node = node.var
        t = getattr(node, "type", None)
        key += str(len(names))
        known = self._interest.get(key)
        if known is None or known[0] is not t:
            if names is _OF_INTEREST:
                found = t is not None and signatures.binds_sizes(t)
            else:
                found = t is not None and mentions(t, names)
            known = self._interest[key] = (t, found)
        return known[1]

    def _guard(
        self, default: Callable[[Any], T]
    ) -> Callable[[Callable[..., T]], Callable[[Any], T]]:
        return lambda hook: self._guarded(hook, default)

    def _guarded(self, hook: Callable[..., T], default: Callable[[Any], T]) -> Callable[[Any], T]:
        """The hook, with its failures as notes, and not in the library's own files."""
        writer, own = self._writer, _OWN_FILES

        def guarded(ctx: Any) -> T:
            path = ctx.api.path
            if own[path] if path in own else _is_own(path):
                return default(ctx)
            try:
                return hook(ctx, writer=writer)
            except RecursionError:
                return default(ctx)
            except Exception as error:
                _note(ctx, error)
                return default(ctx)

        return guarded


_OWN_FILES: dict[str, bool] = {}


def _is_own(path: str) -> bool:
    found = _OWN_FILES[path] = is_library_file(os.path.realpath(path))
    return found


def _note(ctx: Any, error: Exception) -> None:
    """Any: one of mypy's contexts."""
    if os.environ.get("TAGLESSAD_PLUGIN_DEBUG"):
        raise error
    said = f"taglessad: the shapes here are not checked: {type(error).__name__}: {error}"
    try:
        ctx.api.msg.note(said, ctx.context)
    except Exception:
        return


def _signature(ctx: Any) -> FunctionLike:
    found: FunctionLike = ctx.default_signature
    return found


def _result(ctx: Any) -> Type:
    found: Type = ctx.default_return_type
    return found


def _attribute(ctx: Any) -> Type:
    found: Type = ctx.default_attr_type
    return found


@lru_cache(maxsize=1)
def _fingerprint() -> str:
    """A digest of the library: a plugin's answers are the library's."""
    root = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    states: list[str] = []
    for top in (root, os.path.realpath(os.path.join(root, "interpreters"))):
        for folder, _, names in os.walk(top):
            for name in names:
                if name.endswith(".py"):
                    file = f"{folder}{os.sep}{name}"
                    state = os.stat(file)
                    states.append(f"{file}:{state.st_mtime_ns}:{state.st_size}")
    return hashlib.sha256("\n".join(sorted(states)).encode()).hexdigest()
