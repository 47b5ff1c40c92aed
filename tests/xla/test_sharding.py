"""Training over several devices and processes: the losses of one device, by its collectives alone."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from tests.xla import training

pytest.importorskip("jax")

ROOT = Path(__file__).resolve().parents[2]
each = pytest.mark.parametrize(
    "kind",
    [
        pytest.param("data", marks=pytest.mark.slow),
        pytest.param("model", marks=pytest.mark.slow),
        "mixed",
    ],
)


def begun(devices: int, *arguments: str) -> "subprocess.Popen[str]":
    flags = f"--xla_force_host_platform_device_count={devices}"
    return subprocess.Popen(
        [sys.executable, "-m", "tests.xla.several", *arguments],
        cwd=ROOT,
        env={**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"},
        stdout=subprocess.PIPE,
        text=True,
    )


def ended(process: "subprocess.Popen[str]") -> Any:
    out, _ = process.communicate(timeout=600)
    assert process.returncode == 0
    return json.loads(out.splitlines()[-1])


def several(devices: int, *arguments: str) -> Any:
    return ended(begun(devices, *arguments))


def one_device() -> list[float]:
    """The losses under NumPy."""
    _, values = training.losses(tad.jit(training.step), training.start(), *training.batch())
    assert values[-1] < values[0] / 5
    return values


def shard(kind: str, devices: int) -> list[int]:
    return [training.INPUT, training.HIDDEN // training.shape_of(kind, devices)[1]]


@each
def test_eight_devices_make_the_losses_of_one(kind: str) -> None:
    found = several(8, "curve", kind)
    assert found["devices"] == 8 and found["shard"] == shard(kind, 8)
    np.testing.assert_allclose(found["losses"], one_device(), rtol=1e-5)


# What a step needs. Data: the gradients and the loss are summed over the batch, in one collective.
# Model: the logits are summed over the hidden units, whose own gradients stay where they are.
NEEDED = {"data": 1, "model": 1, "mixed": 2}


@pytest.mark.parametrize("devices", [8, pytest.param(256, marks=pytest.mark.slow)])
@each
def test_only_the_collectives_that_the_sharding_needs(kind: str, devices: int) -> None:
    if kind == "model" and devices > training.HIDDEN:
        pytest.skip("there are fewer hidden units than devices")
    rows = 4 * devices
    found = several(devices, "analysed", kind, str(rows))
    assert found["collectives"] == {"all-reduce": NEEDED[kind]}
    data, model = training.shape_of(kind, devices)
    i, h, c = training.INPUT, training.HIDDEN // model, training.CLASSES
    gradients = i * h + h + h * c + c + 1  # and the loss
    logits = rows // data * c
    numbers = {"data": gradients, "model": logits, "mixed": gradients + logits}[kind]
    assert found["bytes"] == 4 * numbers


@pytest.mark.slow
def test_each_device_does_its_part_of_the_work() -> None:
    one, eight = (several(n, "analysed", "data", "512") for n in (1, 8))
    assert eight["flops"] < one["flops"] / 6


@pytest.mark.slow
def test_two_processes(tmp_path: Path) -> None:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = str(s.getsockname()[1])
    both = [begun(4, "distributed", "mixed", port, str(i)) for i in range(2)]
    for found in map(ended, both):
        assert (found["devices"], found["here"]) == (8, 4)
        np.testing.assert_allclose(found["losses"], one_device(), rtol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("devices", [1, 4])
def test_a_checkpoint_of_eight_devices_goes_on_with_others(devices: int, tmp_path: Path) -> None:
    pytest.importorskip("orbax.checkpoint")
    kind = "data" if devices == 1 else "mixed"
    path = str(tmp_path / "training")
    before = several(8, "save", "mixed", path)["losses"]
    after = several(devices, "restore", kind, path)
    assert after["devices"] == devices
    np.testing.assert_allclose([*before, *after["losses"]], one_device(), rtol=1e-5)
