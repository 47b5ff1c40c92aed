"""save and load: names, kinds, errors, damage, and a training that goes on where it stopped."""

import os
import stat
import sys
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import optim

safetensors = pytest.importorskip("safetensors.numpy")


@dataclass(frozen=True)
class Layer:
    w: Any
    b: Any
    name: str = field(default="layer", metadata={"static": True})


def model() -> dict[str, Any]:
    return {
        "head": Layer(tad.asarray(np.arange(6.0).reshape(2, 3)), tad.zeros(3), "head"),
        "layers": [Layer(tad.ones((2, 2), dtype=tad.float32), None), (tad.asarray([1, 2]),)],
        "a.b": tad.asarray(True),
        3: 2.5,
        "empty": np.zeros((0, 2), np.float16),
    }


NAMES = {"head.w", "head.b", "layers[0].w", "layers[1][0]", "['a.b']", "[3]", "empty"}


def test_a_tree_comes_back_with_its_classes_and_static_fields(tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    tad.save(file, model())
    other = {**model(), "head": Layer(np.ones((2, 3)), np.ones(3), "another name")}
    back = tad.load(file, like=other)
    assert isinstance(back["head"], Layer) and back["head"].name == "another name"
    assert np.asarray(back["head"].w).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert back["layers"][0].b is None
    assert isinstance(back["layers"][1], tuple)
    assert isinstance(back["layers"][1][0], tad.IntTensor)
    assert isinstance(back["a.b"], tad.BoolTensor) and bool(back["a.b"])
    assert type(back[3]) is float and back[3] == 2.5
    assert (back["empty"].shape, back["empty"].dtype) == ((0, 2), tad.float16)


def test_without_like_it_is_a_dict_by_name(tmp_path: Path) -> None:
    file = str(tmp_path / "model.safetensors")
    tad.save(file, model())
    found = tad.load(file)
    assert set(found) == NAMES == set(safetensors.load_file(file))
    assert found["[3]"].shape == () and not found["[3]"].weak
    assert tad.load(file, like=model())["head"].w.tolist() == found["head.w"].tolist()


@pytest.mark.parametrize(
    "dtype",
    [
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
    ],
)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (2, 3)])
def test_every_dtype_and_shape(tmp_path: Path, dtype: str, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    x = np.asarray(rng.integers(0, 100, shape)).astype(dtype)
    tad.save(tmp_path / "x", [x])
    (back,) = tad.load(tmp_path / "x", like=[tad.Spec(shape, dtype)])
    assert (back.dtype, back.shape) == (x.dtype, shape)
    np.testing.assert_array_equal(np.asarray(back), x)


def test_bits_survive_and_order_in_memory_does_not_matter(tmp_path: Path) -> None:
    odd = np.array([-0.0, np.nan, np.inf, -np.inf, 5e-324])
    turned = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    swapped = np.arange(4.0).astype(">f8")
    tad.save(tmp_path / "x", {"odd": odd, "t": turned, "s": swapped, "view": tad.asarray(turned).T})
    back = tad.load(tmp_path / "x")
    assert np.asarray(back["odd"]).tobytes() == odd.tobytes()
    np.testing.assert_array_equal(np.asarray(back["t"]), turned)
    np.testing.assert_array_equal(np.asarray(back["s"]), np.arange(4.0))
    np.testing.assert_array_equal(np.asarray(back["view"]), turned.T)


def test_one_array_and_none_at_all(tmp_path: Path) -> None:
    tad.save(tmp_path / "one", np.arange(3))
    assert tad.load(tmp_path / "one", like=np.zeros(3, int)).tolist() == [0, 1, 2]
    tad.save(tmp_path / "none", {"a": None, "b": []})
    assert tad.load(tmp_path / "none") == {}
    assert tad.load(tmp_path / "none", like={"a": None, "b": []}) == {"a": None, "b": []}


def test_like_gives_order_the_file_gives_names(tmp_path: Path) -> None:
    tad.save(tmp_path / "x", OrderedDict(a=1, b=2.0))
    back = tad.load(tmp_path / "x", like={"b": 0.0, "a": 0})
    assert back == {"b": 2.0, "a": 1} and type(back["a"]) is int


WRONG: list[tuple[Any, type[Exception], str]] = [
    (
        {"w": np.ones((4, 2)), "b": np.ones(2)},
        tad.ShapeError,
        r"w is float64 \[3, 2\] in the file, float64 \[4, 2\] in like",
    ),
    (
        {"w": np.ones((3, 2), np.float32), "b": np.ones(2)},
        tad.DTypeError,
        r"w is float64 \[3, 2\] in the file, float32 \[3, 2\] in like",
    ),
    ({"w": np.ones((3, 2))}, tad.ArgumentError, "b is in the file and not in like"),
    (
        {"w": np.ones((3, 2)), "b": np.ones(2), "c": 1.0},
        tad.ArgumentError,
        "c is not in the file",
    ),
    ({"v": np.ones((3, 2)), "b": np.ones(2)}, tad.ArgumentError, "v is not in the file; w is in"),
    ([1.0], tad.ArgumentError, r"\[0\] is not in the file; b is in the file and not in like; w is"),
]


@pytest.mark.parametrize("case", range(len(WRONG)))
def test_a_tree_that_does_not_fit(tmp_path: Path, case: int) -> None:
    like, error, message = WRONG[case]
    tad.save(tmp_path / "x", {"w": np.ones((3, 2)), "b": np.ones(2)})
    with pytest.raises(error, match=message):
        tad.load(tmp_path / "x", like=like)


def test_long_lists_of_differences_end(tmp_path: Path) -> None:
    tad.save(tmp_path / "x", list(range(30)))
    with pytest.raises(tad.ArgumentError, match="and 20 more"):
        tad.load(tmp_path / "x", like=[])


def test_damage_is_found(tmp_path: Path) -> None:
    tad.save(tmp_path / "x", model())
    whole = (tmp_path / "x").read_bytes()
    rng = np.random.default_rng(0)
    broken = [b"", b"no", whole[:20], whole[:-1], whole + b"more", b"\xff" * 64, b"\x80\x04N."]
    for data in broken:
        (tmp_path / "x").write_bytes(data)
        with pytest.raises(tad.DomainError, match="damaged, or no safetensors file"):
            tad.load(tmp_path / "x")
    for _ in range(200):  # a byte anywhere: an error of ours, or other numbers or names
        data = bytearray(whole)
        data[rng.integers(len(data))] = rng.integers(256)
        (tmp_path / "x").write_bytes(bytes(data))
        try:
            tad.load(tmp_path / "x")
        except (tad.DomainError, tad.DTypeError) as error:
            assert str(tmp_path / "x") in str(error)


def test_dtypes_that_are_not_ours_are_named(tmp_path: Path) -> None:
    header = b'{"w":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}}'
    (tmp_path / "x").write_bytes(len(header).to_bytes(8, "little") + header + b"\0\0")
    with pytest.raises(tad.DTypeError, match="x: w"):
        tad.load(tmp_path / "x")
    header = b'{"w":{"dtype":"C64","shape":[1],"data_offsets":[0,8]}}'
    (tmp_path / "x").write_bytes(len(header).to_bytes(8, "little") + header + b"\0" * 8)
    with pytest.raises(tad.DTypeError, match="x: w.*complex"):
        tad.load(tmp_path / "x")


def test_no_file() -> None:
    with pytest.raises(FileNotFoundError):
        tad.load("/nowhere/model.safetensors")
    with pytest.raises(FileNotFoundError):
        tad.save("/nowhere/model.safetensors", 1.0)


def test_a_failed_save_leaves_the_old_file_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "x"
    tad.save(file, {"a": 1.0})
    before = file.read_bytes()

    def full(*_: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="no space left"):
        tad.save(file, {"a": 2.0})
    assert file.read_bytes() == before
    assert os.listdir(tmp_path) == ["x"]
    with pytest.raises(tad.ConcretizationError):
        tad.grad(lambda a: tad.save(file, a) or a)(1.0)
    assert os.listdir(tmp_path) == ["x"]


def test_permissions_and_links_are_those_of_a_plain_write(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_bytes(b"")
    (tmp_path / "link").symlink_to(tmp_path / "x")
    tad.save(tmp_path / "link", 1.0)
    assert (tmp_path / "link").is_symlink()
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    (tmp_path / "x").chmod(0o640)
    tad.save(tmp_path / "x", 2.0)
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o640


def test_names_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(tad.ArgumentError, match="'__metadata__' is a name of the format's own"):
        tad.save(tmp_path / "x", {"__metadata__": 1.0})

    class Key:
        def __repr__(self) -> str:
            return "key"

    with pytest.raises(tad.ArgumentError, match="names two leaves"):
        tad.save(tmp_path / "x", {Key(): 1.0, Key(): 2.0})


def test_without_safetensors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "safetensors.numpy", None)
    for call in (lambda: tad.save(tmp_path / "x", 1.0), lambda: tad.load(tmp_path / "x")):
        with pytest.raises(tad.MissingExtra, match=r'pip install "taglessad\[io\]"'):
            call()


def test_a_training_goes_on_from_a_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((32, 2)), rng.standard_normal(32)
    opt = optim.adam(optim.cosine_decay_schedule(0.1, 20))

    def loss(w: Any, noise: Any) -> Any:
        return tad.mean((tad.tanh(x @ w["a"] + noise) @ w["b"] - y) ** 2)

    @tad.jit
    def step(w: Any, state: Any, key: Any) -> Any:
        key, own = tad.random.split(key)
        noise = 0.1 * tad.random.normal(own, (32, 3))
        value, grads = tad.value_and_grad(loss)(w, noise)
        updates, state = opt.update(grads, state, w)
        return value, (optim.apply_updates(w, updates), state, key)

    def start() -> Any:
        w = {"a": tad.asarray(np.ones((2, 3))), "b": tad.zeros(3)}
        return w, opt.init(w), tad.random.key(0)

    def run(training: Any, steps: int) -> tuple[list[float], Any]:
        losses: list[float] = []
        for _ in range(steps):
            value, training = step(*training)
            losses.append(float(value))
        return losses, training

    whole, _ = run(start(), 20)
    first, training = run(start(), 8)
    tad.save(tmp_path / "training", training)
    rest, _ = run(tad.load(tmp_path / "training", like=start()), 12)
    assert first + rest == whole
