"""The three views of a reverse pass as text."""

from collections.abc import Mapping

from taglessad.graph import Graph, Ref
from taglessad.view.backward import DETACH, Cut, Pass
from taglessad.view.text import graph_lines, register
from taglessad.view.values import value_text


def reverse_text(run: Pass) -> str:
    """The tape with its values, the gradients on it, and the reverse pass step by step."""
    parts = [
        f"tape of {run.function}: every operation and its value",
        *_indented(tape_lines(run)),
        "",
        "gradients: the cotangent that arrived at each register",
        *_indented(gradient_lines(run)),
        "",
        "trace: the reverse pass, step by step",
        *_indented(trace_lines(run)),
    ]
    return "\n".join(parts)


def tape_lines(run: Pass) -> list[str]:
    """Inputs, operations and outputs, each with its value."""
    values = {ref: f"# {value_text(run.values[ref])}" for ref in _registers(run.graph)}
    return _beside(run, values)


def gradient_lines(run: Pass) -> list[str]:
    """The same lines, each with the cotangent that arrived there, or why none did."""
    return _beside(run, {ref: f"# {gradient_text(run, ref)}" for ref in _registers(run.graph)})


def gradient_text(run: Pass, ref: Ref) -> str:
    """The cotangent of a register, or why there is none."""
    silence = run.back.silence(ref)
    if not silence:
        return value_text(run.back.cotangents[ref])
    zeros = ", so its gradient is zero" if ref in run.wanted else ""
    return f"none: {silence}{zeros}"


def trace_lines(run: Pass) -> list[str]:
    """What each step of the reverse pass received and gave on; what was cut; the gradients."""
    graph, back = run.graph, run.back
    definitions = {ref: line for ref, line in graph_lines(graph, run.names) if ref is not None}
    lines = [f"seed of {register(ref)}: {value_text(seed)}" for ref, seed in back.seeds.items()]
    missing = {ref: len(contributions) for ref, contributions in back.arrived.items()}
    for number, visit in enumerate(back.visits, 1):
        lines.append(f"step {number}: {definitions[visit.ref]}")
        lines.append(f"    cotangent {value_text(visit.cotangent)}")
        for c in visit.contributions:
            missing[c.target] -= 1
            lines.append(f"    to {register(c.target)}: {value_text(c.value)}")
            if back.parts(c.target) > 1 and not missing[c.target]:
                lines.append(f"    {_sum(run, c.target)}")
    lines += [cut_text(cut) for cut in back.cuts]
    for ref in run.wanted:
        parts = back.parts(ref)
        sums = f", the sum of {parts} parts" if parts > 1 else ""
        lines.append(
            f"gradient of {run.names[ref]} ({register(ref)}): {value_text(run.gradient(ref))}"
            f"{sums}{' (no cotangent arrived)' if back.silence(ref) else ''}"
        )
    return lines


def cut_text(cut: Cut) -> str:
    """An edge that no derivative crosses."""
    here = f"{register(cut.source)} = {cut.prim}"
    if cut.prim == DETACH:
        return f"cut: {here} stops the gradient; nothing goes back to {register(cut.target)}"
    return f"no derivative: {here} gives nothing back to {register(cut.target)}"


def _sum(run: Pass, ref: Ref) -> str:
    """What the parts of a cotangent come to, once the last one is there."""
    total = value_text(run.back.cotangents[ref])
    return f"sum of the {run.back.parts(ref)} parts at {register(ref)}: {total}"


def _registers(graph: Graph) -> list[Ref]:
    return [ref for ref, _ in graph_lines(graph) if ref is not None]


def _beside(run: Pass, remarks: Mapping[Ref, str]) -> list[str]:
    """The text form with a remark beside each register, in one column."""
    lines = graph_lines(run.graph, run.names)
    column = max((len(line) for ref, line in lines if ref is not None), default=0)
    return [
        line if ref is None else f"{line:<{column}}  {remarks[ref]}".rstrip() for ref, line in lines
    ]


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
