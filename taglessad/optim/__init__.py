"""Optimisers of trees of parameters, in optax's shape, under any interpreter."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from taglessad.optim.masks import MaskedState as MaskedState
from taglessad.optim.masks import freeze as freeze
from taglessad.optim.masks import masked as masked
from taglessad.optim.minimize import Minimum as Minimum
from taglessad.optim.minimize import minimize as minimize
from taglessad.optim.moments import ScaleByAdamState as ScaleByAdamState
from taglessad.optim.moments import ScaleByLionState as ScaleByLionState
from taglessad.optim.moments import ScaleByRmsState as ScaleByRmsState
from taglessad.optim.moments import ScaleByRssState as ScaleByRssState
from taglessad.optim.moments import ScaleByStddevState as ScaleByStddevState
from taglessad.optim.moments import TraceState as TraceState
from taglessad.optim.moments import scale_by_adam as scale_by_adam
from taglessad.optim.moments import scale_by_lion as scale_by_lion
from taglessad.optim.moments import scale_by_rms as scale_by_rms
from taglessad.optim.moments import scale_by_rss as scale_by_rss
from taglessad.optim.moments import scale_by_stddev as scale_by_stddev
from taglessad.optim.moments import trace as trace
from taglessad.optim.optimisers import adagrad as adagrad
from taglessad.optim.optimisers import adam as adam
from taglessad.optim.optimisers import adamw as adamw
from taglessad.optim.optimisers import lion as lion
from taglessad.optim.optimisers import rmsprop as rmsprop
from taglessad.optim.optimisers import sgd as sgd
from taglessad.optim.scaling import ScaleByScheduleState as ScaleByScheduleState
from taglessad.optim.scaling import add_decayed_weights as add_decayed_weights
from taglessad.optim.scaling import clip as clip
from taglessad.optim.scaling import clip_by_global_norm as clip_by_global_norm
from taglessad.optim.scaling import global_norm as global_norm
from taglessad.optim.scaling import scale as scale
from taglessad.optim.scaling import scale_by_learning_rate as scale_by_learning_rate
from taglessad.optim.scaling import scale_by_schedule as scale_by_schedule
from taglessad.optim.schedules import constant_schedule as constant_schedule
from taglessad.optim.schedules import cosine_decay_schedule as cosine_decay_schedule
from taglessad.optim.schedules import exponential_decay as exponential_decay
from taglessad.optim.schedules import join_schedules as join_schedules
from taglessad.optim.schedules import linear_schedule as linear_schedule
from taglessad.optim.schedules import piecewise_constant_schedule as piecewise_constant_schedule
from taglessad.optim.schedules import polynomial_schedule as polynomial_schedule
from taglessad.optim.schedules import warmup_cosine_decay_schedule as warmup_cosine_decay_schedule
from taglessad.optim.transformation import GradientTransformation as GradientTransformation
from taglessad.optim.transformation import apply_updates as apply_updates
from taglessad.optim.transformation import chain as chain
from taglessad.optim.transformation import identity as identity
from taglessad.optim.transformation import set_to_zero as set_to_zero
from taglessad.other_names import not_there as _not_there

if not _TYPE_CHECKING:  # to type checkers a name that is not there is an error

    def __getattr__(name: str) -> object:
        raise _not_there(__name__, name)
