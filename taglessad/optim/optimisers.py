"""Optimisers, each a chain of transformations, with the defaults that optax has.

learning_rate: a float, a handle of rank 0 (through which derivatives pass), or a schedule: a
function of the number of updates so far. Hyperparameters may be handles too.
"""

from taglessad.optim.leaves import Rate
from taglessad.optim.masks import Mask
from taglessad.optim.moments import (
    scale_by_adam,
    scale_by_lion,
    scale_by_rms,
    scale_by_rss,
    scale_by_stddev,
    trace,
)
from taglessad.optim.scaling import Schedule, add_decayed_weights, scale_by_learning_rate
from taglessad.optim.transformation import GradientTransformation, chain


def sgd(
    learning_rate: Rate | Schedule, momentum: Rate | None = None, nesterov: bool = False
) -> GradientTransformation:
    """Stochastic gradient descent, with momentum if asked for."""
    rate = scale_by_learning_rate(learning_rate)
    return chain(rate) if momentum is None else chain(trace(momentum, nesterov), rate)


def adam(
    learning_rate: Rate | Schedule,
    b1: Rate = 0.9,
    b2: Rate = 0.999,
    eps: Rate = 1e-8,
    eps_root: Rate = 0.0,
) -> GradientTransformation:
    """Adam (Kingma and Ba 2015)."""
    return chain(scale_by_adam(b1, b2, eps, eps_root), scale_by_learning_rate(learning_rate))


def adamw(
    learning_rate: Rate | Schedule,
    b1: Rate = 0.9,
    b2: Rate = 0.999,
    eps: Rate = 1e-8,
    eps_root: Rate = 0.0,
    weight_decay: Rate = 1e-4,
    mask: Mask | None = None,
) -> GradientTransformation:
    """Adam with decoupled weight decay (Loshchilov and Hutter 2019), where the mask is True."""
    return chain(
        scale_by_adam(b1, b2, eps, eps_root),
        add_decayed_weights(weight_decay, mask),
        scale_by_learning_rate(learning_rate),
    )


def rmsprop(
    learning_rate: Rate | Schedule,
    decay: Rate = 0.9,
    eps: Rate = 1e-8,
    initial_scale: Rate = 0.0,
    eps_in_sqrt: bool = True,
    centered: bool = False,
    momentum: Rate | None = None,
    nesterov: bool = False,
) -> GradientTransformation:
    """RMSProp (Tieleman and Hinton 2012); centered: by the standard deviation (Graves 2013)."""
    scaled = (scale_by_stddev if centered else scale_by_rms)(decay, eps, initial_scale, eps_in_sqrt)
    rate = scale_by_learning_rate(learning_rate)
    return (
        chain(scaled, rate) if momentum is None else chain(scaled, rate, trace(momentum, nesterov))
    )


def adagrad(
    learning_rate: Rate | Schedule, initial_accumulator_value: Rate = 0.1, eps: Rate = 1e-7
) -> GradientTransformation:
    """AdaGrad (Duchi, Hazan and Singer 2011)."""
    return chain(
        scale_by_rss(initial_accumulator_value, eps), scale_by_learning_rate(learning_rate)
    )


def lion(
    learning_rate: Rate | Schedule,
    b1: Rate = 0.9,
    b2: Rate = 0.99,
    weight_decay: Rate = 1e-3,
    mask: Mask | None = None,
) -> GradientTransformation:
    """Lion (Chen et al. 2023)."""
    return chain(
        scale_by_lion(b1, b2),
        add_decayed_weights(weight_decay, mask),
        scale_by_learning_rate(learning_rate),
    )
