"""Bundle adjustment, the sparse problem of the AD benchmarks: its Jacobian in a few products.

Cameras of 11 numbers (rotation, centre, focal length, principal point, radial distortion), points,
and one weight for each observation. Residuals: weighted reprojection errors, then 1 - w**2 (Triggs
et al. 2000; the variant that Srajer, Kukelova and Fitzgibbon 2018 measure).
"""

from typing import Any

import numpy as np
import pytest

import taglessad as tad

pytest.importorskip("scipy")
CAMERAS, POINTS, SEEN = 3, 10, 25
RNG = np.random.default_rng(0)
CAMERA = RNG.integers(0, CAMERAS, SEEN)
POINT = RNG.integers(0, POINTS, SEEN)
FEATURES = RNG.normal(size=(SEEN, 2))


def rotated(axis: Any, x: Any) -> Any:
    """Rodrigues' formula; the first order of it where the angle vanishes."""
    square = tad.vecdot(axis, axis)
    angle = tad.sqrt(square)
    unit = axis / angle
    cross = tad.linalg.cross(unit, x)
    return (
        x * tad.cos(angle)
        + cross * tad.sin(angle)
        + unit * tad.vecdot(unit, x) * (1.0 - tad.cos(angle))
    )


def projected(camera: Any, x: Any) -> Any:
    seen = rotated(camera[:3], x - camera[3:6])
    flat = seen[:2] / seen[2]
    square = tad.vecdot(flat, flat)
    distorted = flat * (1.0 + camera[9] * square + camera[10] * square * square)
    return distorted * camera[6] + camera[7:9]


def residuals(parameters: Any) -> Any:
    a, b = 11 * CAMERAS, 11 * CAMERAS + 3 * POINTS
    cameras = tad.reshape(parameters[:a], (CAMERAS, 11))
    points = tad.reshape(parameters[a:b], (POINTS, 3))
    weights = parameters[b:]
    own = tad.vmap(projected)(tad.take(cameras, CAMERA, axis=0), tad.take(points, POINT, axis=0))
    errors = weights[:, None] * (own - FEATURES)
    return tad.concat([tad.reshape(errors, (-1,)), 1.0 - weights**2])


def test_jacobian() -> None:
    n = 11 * CAMERAS + 3 * POINTS + SEEN
    x = RNG.normal(size=n)
    jacobian = tad.sparse_jacobian(residuals)
    found = jacobian(x)
    assert found.shape == (3 * SEEN, n)
    # Each of the 2 errors of an observation: 11 of its camera, 3 of its point, 1 weight. The
    # radial distortion and the focal length see both coordinates; the principal point one each.
    assert found.nnz <= 2 * SEEN * 15 + SEEN
    assert jacobian.colors.max() + 1 <= 17
    np.testing.assert_allclose(found.toarray(), tad.jacfwd(residuals)(x), rtol=1e-10, atol=1e-12)
