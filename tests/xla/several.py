"""Training over several devices, in a process of its own: `python -m tests.xla.several WHAT ...`.

Prints one JSON object. The devices are what XLA_FLAGS says.
"""

import json
import math
import re
import sys
from collections import Counter
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import taglessad as tad
from taglessad.interpreters import Jax
from tests.xla import training

COLLECTIVE = re.compile(
    r"= (?P<type>\(.*?\)|\S+) "
    r"(?P<name>all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute)(-start)?\("
)
ARRAY = re.compile(r"(?P<kind>[a-z]+)(?P<bits>\d+)\[(?P<shape>[\d,]*)\]")


def mesh_of(kind: str) -> Mesh:
    devices = np.asarray(jax.devices()).reshape(training.shape_of(kind, jax.device_count()))
    return Mesh(devices, ("data", "model"))


def placed(mesh: Mesh, tree: Any) -> Any:
    """Parameters and moments by their specs, over the devices of the mesh."""
    return jax.device_put(tree, shardings(mesh, tree))


def shardings(mesh: Mesh, tree: Any) -> Any:
    return jax.tree.map(lambda p: NamedSharding(mesh, p), training.specs(tree))


def batch(mesh: Mesh, size: int = training.BATCH) -> Any:
    rows = NamedSharding(mesh, P("data"))
    return tuple([jax.device_put(a, rows) for a in training.batch(size)])


def communication(text: str) -> dict[str, Any]:
    """The collectives of a partitioned program: how many of each, and bytes that they give."""
    counts: Counter[str] = Counter()
    volume = 0
    for found in COLLECTIVE.finditer(text):
        counts[found["name"]] += 1
        for a in ARRAY.finditer(found["type"]):
            sizes = [int(n) for n in a["shape"].split(",") if n]
            volume += math.prod(sizes) * int(a["bits"]) // 8
    return {"collectives": dict(counts), "bytes": volume}


def analysed(kind: str, size: int = training.BATCH) -> dict[str, Any]:
    """One step lowered and partitioned, not run."""
    mesh = mesh_of(kind)
    lowered = tad.jit(training.step, Jax()).lower(
        placed(mesh, training.start()), *batch(mesh, size)
    )
    compiled = lowered.compile()
    flops = compiled.cost_analysis()["flops"]
    return {**communication(compiled.as_text()), "flops": flops}


def curve(kind: str) -> dict[str, Any]:
    mesh = mesh_of(kind)
    own = placed(mesh, training.start())
    (model, _), values = training.losses(tad.jit(training.step, Jax()), own, *batch(mesh))
    weights = model.layers[0].w.payload
    held = weights.addressable_shards[0].data.shape
    return {"losses": values, "shard": held, "devices": jax.device_count()}


def save(kind: str, path: str) -> dict[str, Any]:
    from orbax.checkpoint import StandardCheckpointer

    mesh = mesh_of(kind)
    own = placed(mesh, training.start())
    run = tad.jit(training.step, Jax())
    own, first = training.losses(run, own, *batch(mesh), steps=3)
    with StandardCheckpointer() as files:
        files.save(path, own)
    return {"losses": first}


def restore(kind: str, path: str) -> dict[str, Any]:
    from orbax.checkpoint import StandardCheckpointer

    mesh = mesh_of(kind)
    like = placed(mesh, training.start())
    with StandardCheckpointer() as files:
        own = files.restore(path, like)
    weights = own[0].layers[0].w.payload
    run = tad.jit(training.step, Jax())
    _, values = training.losses(run, own, *batch(mesh), steps=3)
    return {"losses": values, "devices": len(weights.devices())}


def distributed(kind: str, port: str, number: str) -> dict[str, Any]:
    jax.distributed.initialize(f"127.0.0.1:{port}", 2, int(number))
    found = curve(kind)
    jax.distributed.shutdown()
    return {**found, "here": jax.local_device_count()}


def main(what: str, *args: str) -> None:
    if what == "analysed":
        kind, size = args
        print(json.dumps(analysed(kind, int(size))))
    else:
        print(json.dumps(globals()[what](*args)))


if __name__ == "__main__":
    main(*sys.argv[1:])
