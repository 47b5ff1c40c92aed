"""A quick writer of a call's results: generated code that makes the handles and their structure.

The counterpart of compiled/reader.py, straight-line Python for one structure.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from taglessad.compiled.reader import LARGEST
from taglessad.dtypes import DType
from taglessad.errors import GENERATED
from taglessad.ops import Ops
from taglessad.tensor import AnyTensor
from taglessad.trees import TreeDef, unflatten
from taglessad.trees.kinds import kinds

# Any: results are trees of whatever the program gives, payloads the interpreter's own.
Writer: TypeAlias = Callable[[Sequence[Any]], Any]
"""The results' payloads in order -> the tree of handles that the program gives."""

_DISPLAYS: Final[dict[type[Any], str]] = {tuple: "({})", list: "[{}]"}


def writer(
    root: Ops[Any], treedef: TreeDef, leaves: Sequence[tuple[type[AnyTensor], DType, bool]]
) -> Writer:
    """The writer of results of this structure over `root`; class, dtype, weakness of each leaf."""
    if len(treedef.tokens) > LARGEST:
        return lambda values: unflatten(
            treedef,
            [cls(root, y, d, w) for y, (cls, d, w) in zip(values, leaves, strict=True)],
        )
    constants: dict[str, Any] = {"root": root, "new": object.__new__}
    known: dict[int, str] = {}  # by identity: all that is named here stays alive

    def constant(value: Any) -> str:
        name = known.setdefault(id(value), f"c{len(constants)}")
        constants[name] = value
        return name

    names = [f"v{i}" for i in range(len(leaves))]
    lines = [f"{''.join([f'{n}, ' for n in names])} = values"] if names else []
    # Bottom up, from the last token to the first; a line for each node, at any depth.
    stack: list[str] = []
    pending = list(zip(names, leaves, strict=True))
    for token in reversed(treedef.tokens):
        if token is None:
            name, (cls, dtype, weak) = pending.pop()
            made = f"h{len(pending)}"  # by hand, since Python calls an `__init__` the slow way
            lines.append(
                f"{made} = new({constant(cls)}); {made}.ops = root; {made}.payload = {name}; "
                f"{made}._dtype = {constant(dtype)}; {made}.weak = {weak}"
            )
            stack.append(made)
            continue
        kind, arity, static, _ = token
        children = "".join([f"{stack.pop()}, " for _ in range(arity)])
        display = _DISPLAYS.get(kind)
        made = f"n{len(lines)}"
        if display is not None:
            lines.append(f"{made} = {display.format(children)}")
        else:
            make = constant(kinds[kind].make)
            lines.append(f"{made} = {make}({constant(static)}, ({children}))")
        stack.append(made)
    body = "\n    ".join([*lines, f"return {stack.pop()}"])
    exec(compile(f"def write(values):\n    {body}\n", GENERATED, "exec"), constants)
    write: Writer = constants.pop("write")
    return write
