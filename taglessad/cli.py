"""The command line: `taglessad demo`, `check`, `prove`, `view`, `bench`.

Exit status 0: good; 1: something was found, a check that failed or an error in a program; 2: bad
usage, or something that is not installed. Results go to standard output, all else to standard
error.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeAlias

from taglessad.errors import ArgumentError, MissingExtra, TaglessError

Json: TypeAlias = "None | bool | float | str | list[Json] | dict[str, Json]"

GOOD: Final = 0
FOUND: Final = 1
USAGE: Final = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit status. arguments: those of the process by default."""
    chosen = _parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = chosen.run
    try:
        return run(chosen)
    except _Usage as error:
        return _failed(str(error), USAGE)
    except MissingExtra as error:
        return _failed(error.message, USAGE)
    except TaglessError as error:
        return _failed(f"{type(error).__name__}: {error}", FOUND)
    except BrokenPipeError:
        # The reader has had enough, `taglessad demo | head`; nothing more can be written to it.
        sys.stdout = None
        return FOUND


class _Usage(Exception):
    """Arguments that cannot be meant."""


def _failed(message: str, status: int) -> int:
    print(f"taglessad: {message}", file=sys.stderr)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="taglessad",
        description="Differentiable programs in typed tagless-final style.",
        epilog="Exit status: 0 good, 1 something was found, 2 bad usage.",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    demo = commands.add_parser(
        "demo",
        help="recompute the documents' numbers, train a classifier, check its gradient",
        description="Recompute the documents' numbers, train a classifier of handwritten digits, "
        "check its gradient, and write a report.",
    )
    demo.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    demo.add_argument("--seed", type=_seed, default=0, help="of weights, split and batches (0)")
    _folder(demo, "demo", "of report.html")
    demo.set_defaults(run=_demo)

    check = commands.add_parser(
        "check",
        help="shape-check the annotated programs of files, computing no numbers",
        description="Import files, folders or modules, and run every annotated program in them on "
        "shapes alone, with a symbol for every type variable and named dimension.",
    )
    check.add_argument("names", nargs="+", metavar="FILE_OR_MODULE")
    check.add_argument(
        "--format", choices=("text", "json"), default="text", help="of the findings (text)"
    )
    check.set_defaults(run=_check)

    prove = commands.add_parser(
        "prove",
        help="prove or check the derivative rules of all primitives, or of one",
        description="One line per primitive and law, adjointness and the derivative itself: what "
        "was proved, what was checked, and to what bound. Needs python-flint: taglessad[real].",
    )
    prove.add_argument("primitive", nargs="?", metavar="OP", help="one primitive; all by default")
    prove.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    prove.set_defaults(run=_prove)

    bench = commands.add_parser(
        "bench",
        help="ratios against other libraries, from a checkout of the project",
        description="Ratios against other libraries, measured in one run. The benchmarks are no part "
        "of the installed package: run this in a checkout of the project.",
    )
    bench.add_argument("parts", nargs="*", help="parts of the table; all by default")
    bench.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    bench.set_defaults(run=_bench)

    view = commands.add_parser(
        "view",
        help="draw a function's graph and its reverse pass",
        description="Draw a function's graph, its reverse pass with the cotangents at a point, and "
        "where detach cuts the flow, as SVG and HTML. Each --arg or --at is one argument, in order; "
        "without any the function's own example is taken: FUNCTION.example, or EXAMPLES in its "
        "module, a dict from names to arguments.",
    )
    view.add_argument("function", metavar="MODULE:FUNCTION", help="a module or a .py file")
    view.add_argument(
        "--arg",
        dest="given",
        action="append",
        type=_shape,
        metavar="SHAPE",
        help="the next argument by its shape: 3,2 or () or 5:int64; it gets numbers of its own",
    )
    view.add_argument(
        "--at",
        dest="given",
        action="append",
        type=_value,
        metavar="JSON",
        help='the next argument by its value: 0.5 or [0.5, -1.2] or {"w": [1.0]}',
    )
    _folder(view, "view", "of the pictures and pages")
    view.set_defaults(run=_view)
    return parser


def _folder(parser: argparse.ArgumentParser, default: str, what: str) -> None:
    parser.add_argument(
        "--out", type=Path, default=Path(default), metavar="FOLDER", help=f"{what} ({default}/)"
    )


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no seed: 0, 1, 2, ...")
    return int(text)


def _shape(text: str) -> Any:  # Any: an array of whichever dtype
    from taglessad.view.files import sample

    try:
        return sample(text)
    except ArgumentError as error:
        raise argparse.ArgumentTypeError(error.message.removeprefix("view: ")) from None


def _value(text: str) -> Any:  # Any: a number, an array, or a tree of them
    try:
        return _arrays(json.loads(text))
    except json.JSONDecodeError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no JSON: {error}") from None


def _arrays(value: Json) -> Any:  # Any: a number, an array, or a tree of them
    """Lists of numbers as arrays; objects and other lists as trees."""
    import taglessad as tad

    if isinstance(value, dict):
        return {key: _arrays(entry) for key, entry in value.items()}
    if isinstance(value, list):
        try:
            return tad.asarray(value)
        except (TaglessError, ValueError, TypeError):
            return [_arrays(entry) for entry in value]
    return value


def _demo(chosen: argparse.Namespace) -> int:
    from taglessad.demo.machine import as_data
    from taglessad.demo.run import demonstrate

    say = _silent if chosen.json else _say
    shown = demonstrate(chosen.seed, chosen.out, say)
    if chosen.json:
        print(json.dumps(as_data(shown), allow_nan=False))
    return GOOD if shown.good else FOUND


def _say(text: str) -> None:
    print(text, flush=True)


def _silent(_text: str) -> None:
    """For machines, which read one object at the end."""


def _check(chosen: argparse.Namespace) -> int:
    from taglessad.checking.check import check

    try:
        report = check(chosen.names)
    except ArgumentError as error:
        raise _Usage(error.message) from None
    if chosen.format == "json":
        print(report.to_json())
    else:
        for finding in report.findings:
            print(finding)
        print(f"taglessad check: {report.summary()}", file=sys.stderr)
    return GOOD if report.good else FOUND


def _prove(chosen: argparse.Namespace) -> int:
    from taglessad.proofs_checks.prove import found
    from taglessad.proofs_checks.prove_report import Report, Verdict

    verdicts: list[Verdict] = []
    try:
        for verdict in found(chosen.primitive):
            verdicts.append(verdict)
            if not chosen.json:
                print(verdict, flush=True)
    except ArgumentError as error:
        raise _Usage(error.message) from None
    report = Report(tuple(verdicts))
    print(report.to_json() if chosen.json else report.summary())
    return GOOD if report.good else FOUND


def _bench(chosen: argparse.Namespace) -> int:
    if not Path("benchmarks", "__main__.py").is_file():
        raise _Usage(
            "bench: there is no folder benchmarks/ here: run it in a checkout of the project"
        )
    command = [sys.executable, "-m", "benchmarks", *chosen.parts]
    return subprocess.run([*command, "--json"] if chosen.json else command, check=False).returncode


def _view(chosen: argparse.Namespace) -> int:
    from taglessad.view.files import example, write_views

    function = _function(chosen.function)
    try:
        arguments = example(function) if chosen.given is None else chosen.given
    except ArgumentError as error:
        raise _Usage(error.message) from None
    for file in write_views(function, arguments, chosen.out):
        print(file)
    return GOOD


def _function(name: str) -> Callable[..., Any]:
    """What MODULE:FUNCTION names."""
    module_name, colon, path = name.rpartition(":")
    if not colon or not module_name or not path:
        raise _Usage(f"view: {name!r} is not of the form MODULE:FUNCTION, as model.py:loss")
    module = _module(module_name)
    try:
        function = attrgetter(path)(module)
    except AttributeError:
        raise _Usage(f"view: {module_name} has no {path}") from None
    if not callable(function):
        raise _Usage(f"view: {name} is a {type(function).__name__}, not a function")
    return function  # type: ignore[no-any-return]  # callable() says no more than that


def _module(name: str) -> ModuleType:
    """A module by its name, looked for in the current folder too, or by its file."""
    if name.endswith(".py"):
        file = Path(name)
        if not file.is_file():
            raise _Usage(f"view: there is no file {name}")
        folder, name = str(file.parent.resolve()), file.stem
    else:
        folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
            raise
        raise _Usage(f"view: there is no module {name}") from None
