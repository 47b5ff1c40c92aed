"""A graph as a diagram: which boxes, which edges, what they say."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from taglessad.errors import describe_line
from taglessad.graph import Graph, Node, Ref, Site
from taglessad.view.diagram import WIDEST, Box, Diagram, Edge, clipped
from taglessad.view.grouping import segments
from taglessad.view.text import call, inlined, operation, parameters, typed
from taglessad.view.values import value_lines

INPUTS: Final = 60
"""Inputs and constants drawn one by one; those beyond share a box."""


class Link(NamedTuple):
    """How the edge from a node's operand is drawn."""

    role: str = "flow"
    lines: tuple[str, ...] = ()
    back: bool = False
    hint: str = ""


@dataclass(frozen=True)
class Remarks:
    """What a picture says besides the graph itself, by register.

    lines: further lines of a box, asked for where it is drawn. tags, roles: its tag and its
    colours. links: by (result, position), the edge from that operand. title: the picture's.
    """

    title: str = ""
    lines: Callable[[Ref], tuple[str, ...]] = lambda _: ()
    tags: Mapping[Ref, str] = field(default_factory=dict[Ref, str])
    roles: Mapping[Ref, str] = field(default_factory=dict[Ref, str])
    links: Mapping[tuple[Ref, int], Link] = field(default_factory=dict[tuple[Ref, int], Link])


_PLAIN: Final = Remarks()


def source_line(site: Site | None) -> str:
    """The user's line that a node came from, as messages quote it."""
    return "" if site is None else describe_line(*site)


def graph_diagram(graph: Graph, remarks: Remarks = _PLAIN) -> Diagram:
    """Every input, constant and operation, or groups of them where they are too many to read."""
    return _Picture(graph, remarks).diagram()


class _Picture:
    def __init__(self, graph: Graph, remarks: Remarks) -> None:
        self.graph = graph
        self.remarks = remarks
        self.written = inlined(graph)
        self.nodes: list[Node] = list(graph.nodes)
        self.owner: dict[Ref, str] = {}  # register -> key of its box
        self.boxes: list[Box] = []
        self.left_out = 0

    def diagram(self) -> Diagram:
        stretches = segments(self.graph)
        groups = [s for s in stretches if len(s) > 1]
        for stretch in stretches:
            key = f"n{self.nodes[stretch[0]].result}"
            self.owner.update((self.nodes[i].result, key) for i in stretch)
        hidden = self._sources(groups)
        for stretch in stretches:
            nodes = [self.nodes[i] for i in stretch]
            key = self.owner[nodes[0].result]
            one = len(nodes) == 1
            self.boxes.append(self._node(nodes[0]) if one else self._group(key, nodes, hidden[key]))
        edges = self._edges({self.owner[self.nodes[s[0]].result] for s in groups})
        return Diagram(self.remarks.title, self.boxes, edges, self._note(groups))

    # --- boxes ------------------------------------------------------------------------------
    def _sources(self, groups: Sequence[Sequence[int]]) -> Counter[str]:
        """Boxes of inputs and constants; how many each group has swallowed, by the group's key."""
        inside = {self.nodes[i].result for group in groups for i in group}
        readers: dict[Ref, set[Ref]] = {}
        for node in self.nodes:
            for x in node.operands:
                readers.setdefault(x, set()).add(node.result)
        hidden: Counter[str] = Counter()
        crowd: list[Ref] = []
        for ref in (
            *self.graph.inputs,
            *(c for c in self.graph.constants if c not in self.written),
        ):
            read = readers.get(ref, set())
            homes = {self.owner[r] for r in read}
            if len(homes) == 1 and read <= inside and ref not in self.graph.outputs:
                (home,) = homes
                hidden[home] += 1
                self.owner[ref] = home
            elif len(self.boxes) < INPUTS:
                self.boxes.append(self._source(ref))
                self.owner[ref] = self.boxes[-1].key
            else:
                crowd.append(ref)
                self.owner[ref] = "more"
        self.left_out = len(crowd) + hidden.total()
        if crowd:
            self.boxes.append(Box("more", f"{len(crowd)} more inputs", role="group input"))
        return hidden

    def _source(self, ref: Ref) -> Box:
        value = self.graph.constants.get(ref)
        word = "input" if value is None else "constant"
        lines = self.remarks.lines(ref)
        if value is not None and not lines:
            lines = value_lines(value, WIDEST)
        return self._box(ref, word, typed(self.graph, ref), lines, hint="")

    def _node(self, node: Node) -> Box:
        heading = call(node, self.written)
        lines = (
            typed(self.graph, node.result),
            *(f"  {p}" for p in parameters(node)),
            *self.remarks.lines(node.result),
        )
        text = operation(node, self.written)
        site = source_line(node.site)
        return self._box(node.result, "operation", heading, lines, f"{text}\n{site}".strip())

    def _box(self, ref: Ref, word: str, heading: str, lines: Sequence[str], hint: str) -> Box:
        tags = [self.remarks.tags.get(ref, "" if word == "operation" else word)]
        role = f"{word} {self.remarks.roles.get(ref, '')}".strip()
        places = [i for i, output in enumerate(self.graph.outputs) if output == ref]
        if places:
            role = f"{role} output"
            several = len(self.graph.outputs) > 1
            tags += [f"output {', '.join(map(str, places))}" if several else "output"]
        shown = tuple(clipped(line) for line in lines)
        return Box(f"n{ref}", clipped(heading), shown, ", ".join(filter(None, tags)), role, hint)

    def _group(self, key: str, nodes: Sequence[Node], hidden: int) -> Box:
        counts = Counter(node.prim.name for node in nodes).most_common()
        listed = [f"{n} {name}" for name, n in counts[:4]]
        if len(counts) > 4:
            listed.append(f"{len(counts) - 4} other kinds")
        lines = [f"%{nodes[0].result} to %{nodes[-1].result}", *listed]
        if hidden:
            lines.append(f"and {hidden} inputs or constants")
        results = {node.result for node in nodes}
        inside = sum(output in results for output in self.graph.outputs)
        if inside:
            lines.append(f"{inside} outputs among them")
        sites = {node.site for node in nodes}
        hint = source_line(nodes[0].site) if len(sites) == 1 else f"from {len(sites)} lines"
        return Box(key, f"{len(nodes)} operations", tuple(lines), "group", "group", hint)

    # --- edges ------------------------------------------------------------------------------
    def _edges(self, groups: set[str]) -> list[Edge]:
        edges: list[Edge] = []
        drawn: set[Edge] = set()  # edges without a label are drawn once
        for node in self.nodes:
            target = self.owner[node.result]
            for k, x in enumerate(node.operands):
                source = self.owner.get(x)
                if source is None or source == target:
                    continue
                link = self.remarks.links.get((node.result, k), Link())
                # A label speaks of one register: it has no place between groups.
                lines = () if groups & {source, target} else link.lines
                edge = Edge(source, target, link.role, lines, link.back, link.hint)
                if lines or edge not in drawn:
                    edges.append(edge)
                    drawn.add(edge)
        return edges

    def _note(self, groups: Sequence[Sequence[int]]) -> str:
        parts: list[str] = []
        if groups:
            n = sum(len(group) for group in groups)
            boxes = "one box" if len(groups) == 1 else f"{len(groups)} boxes"
            parts.append(f"of {len(self.nodes)} operations {n} are left out, grouped in {boxes}")
        if self.left_out:
            parts.append(f"{self.left_out} inputs or constants are not drawn on their own")
        return "; ".join(parts)
