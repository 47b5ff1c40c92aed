"""Which hook goes where. A hook that fails says so in a note: mypy goes on."""

import hashlib
import os
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
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
from taglessad.mypy_plugin import (
    attributes,
    calls,
    indexing,
    models,
    signatures,
    transforms,
)
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

_TENSOR_CLASSES: Final = TENSORS | {"taglessad.methods.ArrayMethods"}
_UPDATES: Final = "taglessad.indexing.updating.Indexed."
# Names of functions that never take a tensor of the user's: the quick way out.
_OTHERS: Final = ("builtins.", "typing.", "typing_extensions.", "collections.", "dataclasses.")
_OF_INTEREST: Final = TENSORS | EXPRESSIONS | {SIZE}


class ShapePlugin(Plugin):
    """The hooks."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._default = DefaultPlugin(options)
        self._writer = Writer(self._find)
        self._interest: dict[str, tuple[object, bool]] = {}

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
        if fullname.startswith("taglessad."):
            if calls.library_function(fullname) is not None:
                return self._guarded(calls.signature_hook, _signature)
            if models.layer_class(fullname) is not None:
                return self._guarded(calls.construction_signature, _signature)
            return None
        if fullname.startswith(_OTHERS):
            return None
        if "." in fullname and not self._of_interest(fullname):
            return None
        return self._guarded(signatures.signature_hook, _signature)

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        """Results of the library's functions and transforms, and of functions without a name."""
        if fullname.startswith("taglessad."):
            function = calls.library_function(fullname)
            if function is not None:
                hook = partial(calls.function_hook, name=fullname, function=function)
                return self._guarded(hook, _result)
            layer = models.layer_class(fullname)
            if layer is not None:
                return self._guarded(partial(models.construction_hook, cls=layer), _result)
            transform = transforms.transform_of(fullname)
            if transform is not None:
                hook = partial(transforms.transform_hook, name=fullname, transform=transform)
                return self._guarded(hook, _result)
            return None
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
        """The user's methods bind sizes."""
        cls, _, name = fullname.rpartition(".")
        if cls in _TENSOR_CLASSES or fullname.startswith(_OTHERS):
            return None
        if models.layer_class(cls) is not None:
            return self._guarded(calls.signature_hook, _signature)
        if not self._member_of_interest(cls, name):
            return None
        return self._guarded(signatures.signature_hook, _signature)

    def get_method_hook(self, fullname: str) -> Callable[[MethodContext], Type] | None:
        """Operators and methods of tensors, and sizes."""
        cls, _, name = fullname.rpartition(".")
        if cls in _TENSOR_CLASSES:
            if name == "__getitem__":
                return self._guarded(indexing.getitem_hook, _result)
            hook = calls.METHODS.get(name)
            return None if hook is None else self._guarded(hook, _result)
        if fullname.startswith(_UPDATES):
            return self._guarded(partial(indexing.update_hook, name=name), _result)
        layer = models.layer_class(cls)
        if layer is not None:
            return self._guarded(partial(models.call_hook, name=name, cls=layer), _result)
        if cls == SIZE:
            if name not in attributes.SIZE_METHODS:
                return None
            return self._guarded(partial(attributes.size_method, name=name), _result)
        if fullname.startswith(_OTHERS) or not self._member_of_interest(cls, name):
            return None
        return self._guarded(signatures.anonymous_hook, _result)

    def get_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        """Shapes, transposes, and the user's attributes with arithmetic in their types."""
        cls, _, name = fullname.rpartition(".")
        if cls in _TENSOR_CLASSES:
            if name in ("T", "mT"):
                return self._guarded(partial(attributes.transpose_type, name=name), _attribute)
            if name in ("shape", "ndim", "size"):
                return self._guarded(partial(attributes.attribute_type, name=name), _attribute)
            return None
        if fullname.startswith("taglessad."):
            if not self._is_named_tuple(cls):
                return None
            return self._guarded(partial(attributes.field_type, name=name), _attribute)
        if fullname.startswith(_OTHERS) or not self._member_of_interest(cls, name, EXPRESSIONS):
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

    def _is_named_tuple(self, cls: str) -> bool:
        found = self._find(cls)
        return found is not None and isinstance(found.node, TypeInfo) and found.node.is_named_tuple

    def _member_of_interest(
        self, cls: str, name: str, names: frozenset[str] = _OF_INTEREST
    ) -> bool:
        found = self._find(cls)
        if found is None:
            return "@" in cls  # a class of a function's own
        if not isinstance(found.node, TypeInfo):
            return False
        member = found.node.get(name)
        return self._node_of_interest(
            f"{cls}.{name}", None if member is None else member.node, names
        )

    def _node_of_interest(self, key: str, node: Any, names: frozenset[str] = _OF_INTEREST) -> bool:
        if node is None or isinstance(node, OverloadedFuncDef):
            return False
        if isinstance(node, Decorator):
            node = node.var
        t = getattr(node, "type", None)
        key += str(len(names))
        known = self._interest.get(key)
        if known is None or known[0] is not t:
            known = self._interest[key] = (t, t is not None and mentions(t, names))
        return known[1]

    def _guarded(self, hook: Callable[..., T], default: Callable[[Any], T]) -> Callable[[Any], T]:
        """The hook, with its failures as notes, and not in the library's own files."""
        writer = self._writer

        def guarded(ctx: Any) -> T:
            if _is_own(ctx.api.path):
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
    known = _OWN_FILES.get(path)
    if known is None:
        known = _OWN_FILES[path] = is_library_file(os.path.realpath(path))
    return known


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
    digest = hashlib.sha256()
    root = Path(__file__).resolve().parent.parent
    for folder in (root, root / "interpreters"):
        for file in sorted(folder.resolve().rglob("*.py")):
            state = file.stat()
            digest.update(f"{file}:{state.st_mtime_ns}:{state.st_size}".encode())
    return digest.hexdigest()
