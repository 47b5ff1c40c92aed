"""The files and modules to check: found, and imported once each, without harm to each other."""

import contextlib
import importlib.util
import os
import pkgutil
import sys
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Final

from taglessad.errors import ArgumentError


@dataclass(frozen=True, slots=True)
class Source:
    """A file to import, and the module's name."""

    file: Path
    module: str


def sources(names: Sequence[str]) -> list[Source]:
    """What files, folders and modules name, each file once, in the order given.

    A folder stands for its .py files, a package for its modules. Raises ArgumentError where there
    is nothing of the name.
    """
    found: dict[Path, Source] = {}
    for name in names:
        path = Path(name)
        if path.is_dir():
            files = sorted(p for p in path.rglob("*.py") if not _hidden(p.relative_to(path)))
            each = [Source(p, module_name(p)) for p in files]
        elif path.suffix == ".py" or os.sep in name:
            if not path.is_file():
                raise ArgumentError(f"check: there is no file {name}")
            each = [Source(path, module_name(path))]
        else:
            each = _modules(name)
        for source in each:
            found.setdefault(source.file.resolve(), source)
    return list(found.values())


def module_name(file: Path) -> str:
    """The dotted name by which the packages around a file know it; elsewhere its own name."""
    file = file.resolve()
    names = [] if file.stem == "__init__" else [file.stem]
    folder = file.parent
    while (folder / "__init__.py").is_file():
        names.insert(0, folder.name)
        folder = folder.parent
    return ".".join(names) or file.stem


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") or part == "__pycache__" for part in path.parts)


def _modules(name: str) -> list[Source]:
    with _searched(Path.cwd()):
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError):
            spec = None
        if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
            raise ArgumentError(f"check: there is no file and no module {name}")
        found = [Source(Path(spec.origin), name)]
        if spec.submodule_search_locations is not None:
            for entry in sorted(pkgutil.iter_modules(spec.submodule_search_locations)):
                if entry.name != "__main__":
                    found += _modules(f"{name}.{entry.name}")
    return found


@contextlib.contextmanager
def _searched(folder: Path) -> Generator[None]:
    """Look for modules in a folder as well, meanwhile."""
    entry = str(folder.resolve())
    if entry in sys.path:
        yield
        return
    sys.path.insert(0, entry)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            sys.path.remove(entry)


_LOADED: Final[dict[Path, ModuleType]] = {}
"""What was imported here, by file: its name may be another than its own."""


def load(source: Source) -> ModuleType:
    """The module of a file: the one that is imported already, or a new one.

    Where another module has its name it gets one of its own. The folder that its imports start
    from is searched meanwhile. Raises what the file raises.
    """
    file = source.file.resolve()
    name = source.module
    there = sys.modules.get(name)
    if there is not None and _is_of(there, file):
        return there
    if file in _LOADED:
        return _LOADED[file]
    depth = name.count(".") + (file.stem == "__init__")
    with _searched(file.parents[depth]):
        if "." in name:
            importlib.import_module(name.rpartition(".")[0])
            there = sys.modules.get(name)  # the package may have imported it
            if there is not None and _is_of(there, file):
                return there
        if name in sys.modules or name in sys.stdlib_module_names:
            name = f"_checked_{name}_{len(_LOADED)}"
        return _run(name, file)


def _run(name: str, file: Path) -> ModuleType:
    """Import a file under a name that is free."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None  # it ends in .py
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses and annotations look for it
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    _LOADED[file] = module
    return module


def _is_of(module: ModuleType, file: Path) -> bool:
    own = getattr(module, "__file__", None)
    return own is not None and Path(own).resolve() == file
