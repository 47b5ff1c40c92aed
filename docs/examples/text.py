"""A small transformer that learns to write like this project's guides, character by character.

    python docs/examples/text.py [--interpreter numpy|jax] [--steps N] [--file text.safetensors]

The text is `docs/*.md`, of which the last tenth is held out. One program for NumPy and for JAX. Its
sizes are in the types: B members, T positions, N features, V characters, P positions at most.

Every `--every` steps all that the rest of the training depends on goes into one file, which appears
whole or not at all: model, optimiser, random key, place in the text, losses so far. Started again
after it was killed, the training goes on with the same numbers, to the last bit.

It needs `pip install "taglessad[io]"`; with rich (`taglessad[demo]`) a terminal has a progress bar.
"""

import argparse
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from math import log
from pathlib import Path
from time import perf_counter
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar
from typing import Literal as L

import numpy as np
from numpy.typing import NDArray

import taglessad as tad
from taglessad import IntTensor, Mul, Size, Tensor, nn, optim
from taglessad.nn import functional as F

B = TypeVar("B")
T = TypeVar("T")
N = TypeVar("N")
V = TypeVar("V")
P = TypeVar("P")

Ids: TypeAlias = NDArray[np.int64]
Key: TypeAlias = IntTensor[L[2]]
PAGES: Final = Path(__file__).resolve().parents[1]


class Sizes(NamedTuple):
    """All that a training is defined by, besides its text."""

    features: int = 64
    heads: int = 4
    depth: int = 2
    window: int = 32
    batch: int = 32
    steps: int = 400
    rate: float = 5e-3
    dropout: float = 0.05
    dtype: str = "float32"
    seed: int = 0


SIZES: Final = Sizes()


# --- the text ------------------------------------------------------------------------------------
class Text(NamedTuple):
    """A text as numbers: which characters there are, and which of them stands where."""

    characters: str
    train: Ids
    held: Ids


def text_of(content: str) -> Text:
    """A text, its last tenth held out."""
    characters = "".join(sorted(set(content)))
    ids = np.asarray([characters.index(c) for c in content])
    cut = len(ids) * 9 // 10
    return Text(characters, ids[:cut], ids[cut:])


def guides() -> str:
    """The pages in docs/, in the order of their names."""
    return "\n".join(p.read_text(encoding="utf-8") for p in sorted(PAGES.glob("*.md")))


def entropy(ids: Ids) -> float:
    """Of single characters, in nats: the loss of a model that knows how frequent each is, no more."""
    share = np.unique(ids, return_counts=True)[1] / len(ids)
    return float(-np.sum(share * np.log(share)))


def windows(ids: Ids, length: int, which: Ids) -> Ids:
    """[B, length + 1]: pieces of a text by number; each begins with the last of the one before."""
    return np.take(ids, which[:, None] * length + np.arange(length + 1))


def chosen(text: Text, sizes: Sizes, position: int) -> Ids:
    """The pieces to be read after `position` pieces: in each epoch all of them, in another order."""
    count = (len(text.train) - 1) // sizes.window
    places = np.arange(position, position + sizes.batch)
    orders = {
        epoch: np.random.default_rng((sizes.seed, int(epoch))).permutation(count)
        for epoch in np.unique(places // count)
    }
    return np.asarray([orders[place // count][place % count] for place in places])


# --- the model -----------------------------------------------------------------------------------
class Block(nn.Module, Generic[N]):
    """Attention and a hidden layer, each around a residual connection."""

    before: nn.LayerNorm[N]
    attention: nn.MultiHeadAttention[N]
    between: nn.LayerNorm[N]
    wide: nn.Linear[N, Mul[L[4], N]]
    narrow: nn.Linear[Mul[L[4], N], N]

    def __call__(self, x: Tensor[B, T, N]) -> Tensor[B, T, N]:
        x = x + self.attention(self.before(x), causal=True)
        return x + self.narrow(F.gelu(self.wide(self.between(x))))


class Transformer(nn.Module, Generic[V, P, N]):
    """Scores of the next character at every position."""

    characters: nn.Embedding[V, N]
    positions: nn.Embedding[P, N]
    blocks: tuple[Block[N], ...]
    norm: nn.LayerNorm[N]
    head: nn.Linear[N, V]
    dropout: float

    def __call__(self, ids: IntTensor[B, T], key: Key | None) -> Tensor[B, T, V]:
        x = self.characters(ids) + self.positions(tad.arange(ids.shape[1]))
        x = F.dropout(x, self.dropout, key)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def transformer(
    vocabulary: Size[V], longest: Size[P], features: Size[N], sizes: Sizes
) -> Transformer[V, P, N]:
    """A transformer with fresh parameters."""
    n, rng, dtype = features, np.random.default_rng(sizes.seed), sizes.dtype
    small = nn.init.normal(0.1)
    blocks = [
        Block(
            nn.LayerNorm(n, dtype=dtype),
            nn.MultiHeadAttention(n, sizes.heads, rng=rng, dtype=dtype),
            nn.LayerNorm(n, dtype=dtype),
            nn.Linear(n, 4 * n, rng=rng, dtype=dtype),
            nn.Linear(4 * n, n, rng=rng, dtype=dtype),
        )
        for _ in range(sizes.depth)
    ]
    return Transformer(
        nn.Embedding(vocabulary, n, rng=rng, init=small, dtype=dtype),
        nn.Embedding(longest, n, rng=rng, init=small, dtype=dtype),
        tuple(blocks),
        nn.LayerNorm(n, dtype=dtype),
        nn.Linear(n, vocabulary, rng=rng, init=nn.init.normal(0.02), dtype=dtype),
        sizes.dropout,
    )


# --- a step of training ----------------------------------------------------------------------------
def loss(
    model: Transformer[V, P, N], ids: IntTensor[B, T], following: IntTensor[B, T], key: Key | None
) -> Tensor[()]:
    """The mean cross entropy of the next characters, in nats."""
    return tad.mean(F.cross_entropy(model(ids, key), following))


class Training(NamedTuple):
    """All that the rest of a training depends on; position: how many pieces of text it has read."""

    model: Transformer[Any, Any, Any]  # Any: sizes that are known when the text is
    state: Any  # the optimiser's, whose structure is its own
    key: Key
    step: IntTensor[()]
    position: IntTensor[()]
    losses: NDArray[np.float64]
    made_for: IntTensor[()]


def optimiser_of(sizes: Sizes) -> optim.GradientTransformation:
    """AdamW, the rate rising for a tenth of the steps and falling for the others."""
    rate, warm = sizes.rate, max(1, sizes.steps // 10)
    schedule = optim.warmup_cosine_decay_schedule(0.0, rate, warm, sizes.steps + 1, 0.1 * rate)
    return optim.chain(
        optim.clip_by_global_norm(1.0), optim.adamw(schedule, b2=0.99, weight_decay=0.01)
    )


def step_of(optimiser: optim.GradientTransformation) -> Callable[..., Any]:
    """The step that the interpreter runs as a whole."""

    def step(
        model: Transformer[V, P, N], state: Any, key: Key, ids: IntTensor[B, T]
    ) -> tuple[Transformer[V, P, N], Any, Key, Tensor[()]]:  # Any: as in `Training`
        after, own = tad.random.split(key)
        value, gradient = tad.value_and_grad(loss)(model, ids[:, :-1], ids[:, 1:], own)
        updates, state = optimiser.update(gradient, state, model)
        return optim.apply_updates(model, updates), state, after, value

    return step


def start(text: Text, sizes: Sizes) -> Training:
    """The training before its first step."""
    # Any: sizes that are known when the text is
    model: Transformer[Any, Any, Any] = transformer(
        len(text.characters), sizes.window, sizes.features, sizes
    )
    told = repr((sizes, text.characters)).encode() + text.train.tobytes() + text.held.tobytes()
    return Training(
        model,
        optimiser_of(sizes).init(model),
        tad.random.key(sizes.seed),
        step=tad.asarray(0),
        position=tad.asarray(0),
        losses=np.zeros(sizes.steps),
        made_for=tad.asarray(zlib.crc32(told)),
    )


def resumed(file: Path, text: Text, sizes: Sizes) -> Training:
    """The training in the file, or a new one. Raises ValueError for that of another text or sizes."""
    fresh = start(text, sizes)
    if not file.exists():
        return fresh
    found: Training = tad.load(file, like=fresh)
    if int(found.made_for) != int(fresh.made_for):
        raise ValueError(f"{file} is of another text or of other sizes; remove it, or name another")
    return found._replace(losses=np.array(found.losses))


# --- the training ----------------------------------------------------------------------------------
def train(
    file: Path,
    text: Text,
    sizes: Sizes = SIZES,
    interpreter: tad.Ops[Any] | None = None,  # Any: of whichever arrays
    every: int = 50,
) -> Training:
    """The training as it is after its last step, begun or gone on with; the file has it as well."""
    now = resumed(file, text, sizes)
    run, measured = tad.jit(step_of(optimiser_of(sizes)), interpreter), tad.jit(loss, interpreter)
    every_piece = np.arange((len(text.held) - 1) // sizes.window)
    unseen = tad.asarray(windows(text.held, sizes.window, every_piece))
    seconds: list[float] = []
    with progress(int(now.step), sizes.steps) as (advance, say):
        for done in range(int(now.step) + 1, sizes.steps + 1):
            ids = windows(text.train, sizes.window, chosen(text, sizes, int(now.position)))
            began = perf_counter()
            model, state, key, value = run(now.model, now.state, now.key, ids)
            now.losses[done - 1] = float(value)
            seconds.append(perf_counter() - began)
            now = now._replace(
                model=model,
                state=state,
                key=key,
                step=tad.asarray(done),
                position=now.position + sizes.batch,
            )
            advance(float(value))
            if done % every == 0 or done == sizes.steps:
                tad.save(file, now)
                recent = float(np.mean(now.losses[max(0, done - every) : done]))
                held = float(measured(model, unseen[:, :-1], unseen[:, 1:], None))
                speed = sizes.batch * sizes.window / float(np.median(seconds))
                seconds.clear()
                say(
                    f"step {done}/{sizes.steps}  loss {recent:.3f}  held out {held:.3f} nats, "
                    f"{held / log(2):.3f} bits per character  {speed:,.0f} characters/s"
                )
    return now


@contextmanager
def progress(
    first: int, steps: int
) -> Iterator[tuple[Callable[[float], None], Callable[[str], None]]]:
    """What takes a step's loss, and what prints a line: below the lines a bar, on a terminal."""
    if not (sys.stdout.isatty() and find_spec("rich")):
        yield (lambda value: None), (lambda line: print(line, flush=True))
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    parts = ("step {task.completed:.0f}/{task.total:.0f}", "loss {task.fields[loss]:.3f}")
    columns = (BarColumn(), *map(TextColumn, parts), TimeRemainingColumn())
    with Progress(*columns) as bar:
        task = bar.add_task("", total=steps, completed=first, loss=float("nan"))
        yield (
            lambda value: bar.update(task, advance=1, loss=value),
            lambda line: bar.console.print(line, markup=False, highlight=False),
        )


def written(model: Transformer[V, P, N], ids: Ids, count: int, key: Key) -> Ids:
    """Characters that the model puts behind others, as many as it sees at once, one by one."""

    @tad.jit
    def following(model: Transformer[V, P, N], ids: IntTensor[T], key: Key) -> IntTensor[()]:
        scores = model(tad.expand_dims(ids, axis=0), None)
        return tad.random.categorical(key, scores[0, -1])

    for i in range(count):
        drawn = following(model, ids[i:], tad.random.fold_in(key, i))
        ids = np.append(ids, int(drawn))
    return ids


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--interpreter", choices=("numpy", "jax"), default="numpy")
    parser.add_argument("--steps", type=int, default=SIZES.steps)
    parser.add_argument("--every", type=int, default=50, help="steps from one saving to the next")
    parser.add_argument("--file", type=Path, default=Path("text.safetensors"))
    given = parser.parse_args(arguments)
    text, sizes = text_of(guides()), SIZES._replace(steps=given.steps)
    print(
        f"{len(text.train)} characters to learn from, {len(text.held)} held out; "
        f"the frequencies of characters alone: {entropy(text.held):.3f} nats"
    )
    interpreter = tad.interpreters.Jax() if given.interpreter == "jax" else None
    model = train(given.file, text, sizes, interpreter, given.every).model
    read = text.held[: sizes.window]
    ids = written(model, read, 200, tad.random.key(sizes.seed))
    print("".join(text.characters[i] for i in ids))


if __name__ == "__main__":
    main()
