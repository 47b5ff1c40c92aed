"""The loss curve as SVG: every batch, and the mean of every epoch; the loss on a log scale."""

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import Final

WIDTH: Final = 720
HEIGHT: Final = 300
LEFT: Final = 64
RIGHT: Final = 16
TOP: Final = 16
BOTTOM: Final = 44

_STYLE: Final = """
.curve text { font: 12px system-ui, sans-serif; fill: #5d6978 }
.curve path { fill: none }
.curve .axis { stroke: #8a95a3 }
.curve .rule { stroke: #8a95a3; stroke-opacity: .25 }
.curve .batch { stroke: #3672c9; stroke-opacity: .35 }
.curve .epoch { stroke: #3672c9; stroke-width: 2 }
"""


def loss_curve(losses: Sequence[float], per_epoch: int) -> str:
    """One `<svg>` element. losses: positive, one for each batch; per_epoch: batches in an epoch."""
    shown = [(i, log10(loss)) for i, loss in enumerate(losses) if 0.0 < loss < float("inf")]
    if not shown:
        return "<p>no finite loss to draw</p>"
    low, high = floor(min(y for _, y in shown)), ceil(max(y for _, y in shown))
    high = max(high, low + 1)
    last = max(len(losses) - 1, 1)

    def point(i: float, y: float) -> str:
        across = LEFT + (WIDTH - LEFT - RIGHT) * i / last
        down = TOP + (HEIGHT - TOP - BOTTOM) * (high - y) / (high - low)
        return f"{across:.1f} {down:.1f}"

    means: list[tuple[float, float]] = []
    for start in range(0, len(losses), per_epoch):
        part = [y for i, y in shown if start <= i < start + per_epoch]
        if part:
            means.append((start + per_epoch / 2 - 0.5, log10(sum(10**y for y in part) / len(part))))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="curve" role="img" width="{WIDTH}" '
        f'height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">',
        "<title>loss against step</title>",
        f"<style>{_STYLE}</style>",
    ]
    for power in range(low, high + 1):
        x, y = point(0, power).split()
        lines.append(f'<path class="rule" d="M {x} {y} H {WIDTH - RIGHT}"/>')
        label = f"{10.0**power:g}"
        lines.append(
            f'<text x="{LEFT - 8}" y="{float(y) + 4:.1f}" text-anchor="end">{label}</text>'
        )
    floor_line = HEIGHT - BOTTOM
    for step in range(0, last + 1, _round_step(last)):
        x, _ = point(step, low).split()
        lines.append(f'<path class="axis" d="M {x} {floor_line} v 5"/>')
        lines.append(f'<text x="{x}" y="{floor_line + 20}" text-anchor="middle">{step}</text>')
    lines += [
        f'<path class="axis" d="M {LEFT} {TOP} V {floor_line} H {WIDTH - RIGHT}"/>',
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">step</text>',
        f'<path class="batch" d="M {" L ".join(point(i, y) for i, y in shown)}"/>',
        f'<path class="epoch" d="M {" L ".join(point(i, y) for i, y in means)}"/>',
    ]
    return "\n".join([*lines, "</svg>"])


def _round_step(last: int) -> int:
    """A round distance, 1, 2 or 5 times a power of ten, that divides the axis in ten at most."""
    power = int(10 ** max(0, floor(log10(max(last, 1))) - 1))
    return next(k * power for k in (1, 2, 5, 10) if last <= 10 * k * power)
