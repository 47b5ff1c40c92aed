"""A progress bar on standard error, by rich where it is installed; silent where nobody looks."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Final

WIDTH: Final = 30


@contextmanager
def progress(title: str, total: int) -> Generator[Callable[[float], None], None, None]:
    """A function to be called with the loss after each of `total` steps."""
    if not sys.stderr.isatty():
        yield lambda loss: None
    elif find_spec("rich") is not None:
        with _rich(title, total) as advance:
            yield advance
    else:
        try:
            yield _plain(title, total)
        finally:
            sys.stderr.write("\n")


@contextmanager
def _rich(title: str, total: int) -> Generator[Callable[[float], None], None, None]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    parts = [
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("step {task.completed:.0f}/{task.total:.0f}  loss {task.fields[loss]:.4f}"),
        TimeElapsedColumn(),
    ]
    with Progress(*parts, console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=total, loss=float("nan"))
        yield lambda loss: bar.update(task, advance=1, loss=loss)


def _plain(title: str, total: int) -> Callable[[float], None]:
    done = 0

    def advance(loss: float) -> None:
        nonlocal done
        done += 1
        filled = "#" * (WIDTH * done // total)
        sys.stderr.write(f"\r{title} [{filled:<{WIDTH}}] step {done}/{total}  loss {loss:.4f} ")
        sys.stderr.flush()

    return advance
