"""The three views of a reverse pass as pictures."""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from taglessad.graph import Ref
from taglessad.view.backward import DETACH, Pass
from taglessad.view.diagram import WIDEST, Diagram
from taglessad.view.picture import Link, Remarks, graph_diagram
from taglessad.view.reverse_text import cut_text
from taglessad.view.text import inlined
from taglessad.view.values import Array, value_lines

Which: TypeAlias = Literal["tape", "gradients", "trace"]

_TITLES: Final[dict[Which, str]] = {
    "tape": "tape of {}: every operation and its value",
    "gradients": "gradients of {}: the cotangent that arrived at each operation",
    "trace": "reverse pass of {}: contributions flow upwards, and are summed where they meet",
}
_CUT_LABEL: Final = ("cut by detach",)


def reverse_diagram(run: Pass, which: Which) -> Diagram:
    """One of the three views."""
    title = _TITLES[which].format(run.function)
    if which == "tape":
        return graph_diagram(run.graph, _tape(run, title))
    return graph_diagram(run.graph, _flow(run, title, steps=which == "trace"))


def _tape(run: Pass, title: str) -> Remarks:
    tags = {ref: f"input {name}" for ref, name in run.names.items()}
    return Remarks(title, lambda ref: _after("= ", run.values[ref]), tags)


def _flow(run: Pass, title: str, *, steps: bool) -> Remarks:
    back = run.back
    order = {visit.ref: number for number, visit in enumerate(back.visits, 1)}
    roles: dict[Ref, str] = {}
    tags: dict[Ref, str] = {}
    for ref in _boxes(run):
        tag = [f"input {run.names[ref]}"] if ref in run.names else []
        silence = back.silence(ref)
        roles[ref] = "silent" if silence else "gradient"
        if steps and ref in order:
            tag.append(f"step {order[ref]}")
        tags[ref] = ", ".join(tag)
    fences = {cut.source for cut in back.cuts if cut.prim == DETACH}
    for ref in fences:
        roles[ref] += " cut"

    def lines(ref: Ref) -> tuple[str, ...]:
        end = ("detach: it goes no further",) if ref in fences and ref in back.cotangents else ()
        return _arrived(run, ref) + end

    return Remarks(title, lines, tags, roles, _links(run, order if steps else None))


def _links(run: Pass, order: dict[Ref, int] | None) -> dict[tuple[Ref, int], Link]:
    """How each edge is drawn; with `order`, contributions and the step that made them as labels."""
    back = run.back
    links: dict[tuple[Ref, int], Link] = {}
    for cut in back.cuts:
        hint = cut_text(cut)
        detached = cut.prim == DETACH
        links[cut.source, cut.position] = (
            Link("cut", _CUT_LABEL, hint=hint) if detached else Link("stop", hint=hint)
        )
    for visit in back.visits:
        for c in visit.contributions:
            label: tuple[str, ...] = ()
            if order is not None:
                label = _after(f"step {order[c.source]}: ", c.value)
            links[c.source, c.position] = Link("pull", label, back=True)
    return links


def _arrived(run: Pass, ref: Ref) -> tuple[str, ...]:
    back = run.back
    silence = back.silence(ref)
    if silence:
        return (f"no gradient: {silence}",)
    parts = back.parts(ref)
    if ref in back.seeds and parts == 1:
        word = "seed"
    else:
        word = f"sum of {parts}" if parts > 1 else "gradient"
    return _after(f"{word}: ", back.cotangents[ref])


def _after(word: str, array: Array) -> tuple[str, ...]:
    """An array's lines after a word, the further ones below the first."""
    first, *rest = value_lines(array, WIDEST - len(word))
    return (word + first, *(" " * len(word) + line for line in rest))


def _boxes(run: Pass) -> Sequence[Ref]:
    """Registers that have a box of their own where none is grouped."""
    graph = run.graph
    written = inlined(graph)
    constants = [ref for ref in graph.constants if ref not in written]
    return [*graph.inputs, *constants, *(node.result for node in graph.nodes)]
