"""What a Graph shows of itself: registered in `taglessad.graph.Display`."""

from taglessad.graph import Graph
from taglessad.view.dot import dot
from taglessad.view.html import graph_fragment, graph_page
from taglessad.view.picture import graph_diagram
from taglessad.view.svg import svg
from taglessad.view.text import graph_text


def to_text(graph: Graph) -> str:
    """One line a node."""
    return graph_text(graph)


def to_dot(graph: Graph) -> str:
    """DOT, for Graphviz."""
    return dot(graph_diagram(graph))


def to_svg(graph: Graph) -> str:
    """A standalone picture."""
    return svg(graph_diagram(graph))


def to_html(graph: Graph) -> str:
    """A page: picture, node table, source lines."""
    return graph_page(graph)


def to_fragment(graph: Graph) -> str:
    """The picture with the text form folded away, for a notebook."""
    return graph_fragment(graph)
