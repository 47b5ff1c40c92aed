"""Print one table of all rows: `python -m benchmarks [PART ...] [--json]`."""

import argparse
import json
import platform
import sys
from collections.abc import Callable, Iterator

from benchmarks.peers import one_thread, optional

one_thread()  # before NumPy and the peers are imported

import numpy as np  # noqa: E402  # see above

from benchmarks import chains, jax_path, loops, mlp, small  # noqa: E402  # see above
from benchmarks.harness import Row  # noqa: E402  # see above

PARTS: dict[str, Callable[[], Iterator[Row]]] = {
    "product": small.product,
    "gradient": small.gradient,
    "overhead": small.overhead,
    "mlp": mlp.training_step,
    "chains": chains.thousand,
    "first": chains.first_gradient,
    "memory": chains.memory,
    "loops": loops.reverse,
    "jax": jax_path.gradients,
    "jax-loops": jax_path.loops,
}


def versions() -> str:
    """The machine and what was compared."""
    parts = [f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}"]
    for name in ("autograd", "torch", "jax", "equinox"):
        module = optional(name)
        version = getattr(module, "__version__", "installed") if module else "not installed"
        parts.append(f"{name} {version}")
    return "; ".join(parts)


def main() -> int:
    """Run the parts named, or all; exit status 1 if a figure is not held."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="default: all")
    parser.add_argument("--json", action="store_true", help="one JSON object, for machines")
    arguments = parser.parse_args()
    rows = [row for name in arguments.parts or PARTS for row in PARTS[name]()]
    if arguments.json:
        print(json.dumps({"versions": versions(), "rows": [vars(r) for r in rows]}))
    else:
        print(f"taglessad against peers. {versions()}. One thread, medians within rounds.")
        width = max(len(r.what) for r in rows)
        other = max(len(r.against) for r in rows)
        for r in rows:
            bound = "" if r.at_most is None else f"  at most {r.at_most:g} {r.unit}"
            held = {True: "holds", False: "MISSED", None: ""}[r.holds]
            print(
                f"{r.what:<{width}}  {r.against:<{other}}  {r.value:8.3g} {r.unit:<2}{bound}  {held}"
            )
    return 0 if all(r.holds is not False for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
