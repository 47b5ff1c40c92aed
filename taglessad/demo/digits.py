"""The data: scikit-learn's handwritten digits, 1797 images of 8 x 8, split and standardised."""

from importlib import import_module
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from taglessad.errors import MissingExtra

TEST: Final = 360
"""Images held out, a fifth."""

Reals = NDArray[np.float64]
Labels = NDArray[np.int64]


class Digits(NamedTuple):
    """Images as rows of 64 standardised pixels, and their labels; training and held-out."""

    x: Reals
    y: Labels
    x_test: Reals
    y_test: Labels


def load(seed: int) -> Digits:
    """The digits under a fixed permutation, the last 360 held out.

    Pixels have mean 0 and deviation 1 over the training images alone; a pixel that is constant
    there stays 0. Raises MissingExtra without scikit-learn.
    """
    try:
        # Any: scikit-learn carries no types.
        datasets: Any = import_module("sklearn.datasets")
    except ImportError as error:
        raise MissingExtra(
            "demo: the digits come with scikit-learn, which is not installed: "
            "pip install 'taglessad[demo]'"
        ) from error
    images, labels = datasets.load_digits(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(labels))
    x = np.asarray(images, np.float64)[order]
    y = np.asarray(labels, np.int64)[order]
    mean, deviation = x[:-TEST].mean(axis=0), x[:-TEST].std(axis=0)
    z = (x - mean) / np.where(deviation > 0.0, deviation, 1.0)
    return Digits(z[:-TEST], y[:-TEST], z[-TEST:], y[-TEST:])
