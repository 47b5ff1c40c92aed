"""Differentiable programs in typed tagless-final style: write once, interpret many ways.

    import taglessad as tad

The public names, each from the module that defines it. Array functions carry the names of the
Python array API standard.
"""

import sys as _sys
import typing as _typing

from taglessad import errors as errors
from taglessad import fft as fft
from taglessad import indexing as indexing
from taglessad import interpreters as interpreters
from taglessad import linalg as linalg
from taglessad import nn as nn
from taglessad import optim as optim
from taglessad import printing as printing
from taglessad import random as random
from taglessad import special as special
from taglessad import view as view
from taglessad.array_api.arithmetic import abs as abs
from taglessad.array_api.arithmetic import add as add
from taglessad.array_api.arithmetic import copysign as copysign
from taglessad.array_api.arithmetic import divide as divide
from taglessad.array_api.arithmetic import multiply as multiply
from taglessad.array_api.arithmetic import negative as negative
from taglessad.array_api.arithmetic import nextafter as nextafter
from taglessad.array_api.arithmetic import positive as positive
from taglessad.array_api.arithmetic import pow as pow
from taglessad.array_api.arithmetic import reciprocal as reciprocal
from taglessad.array_api.arithmetic import sign as sign
from taglessad.array_api.arithmetic import square as square
from taglessad.array_api.arithmetic import subtract as subtract
from taglessad.array_api.arranging import array_split as array_split
from taglessad.array_api.arranging import column_stack as column_stack
from taglessad.array_api.arranging import compress as compress
from taglessad.array_api.arranging import diag_indices as diag_indices
from taglessad.array_api.arranging import hstack as hstack
from taglessad.array_api.arranging import rot90 as rot90
from taglessad.array_api.arranging import split as split
from taglessad.array_api.arranging import tri as tri
from taglessad.array_api.arranging import tril_indices as tril_indices
from taglessad.array_api.arranging import triu_indices as triu_indices
from taglessad.array_api.arranging import vstack as vstack
from taglessad.array_api.broadcasting import broadcast_arrays as broadcast_arrays
from taglessad.array_api.broadcasting import broadcast_to as broadcast_to
from taglessad.array_api.comparison import clip as clip
from taglessad.array_api.comparison import equal as equal
from taglessad.array_api.comparison import greater as greater
from taglessad.array_api.comparison import greater_equal as greater_equal
from taglessad.array_api.comparison import less as less
from taglessad.array_api.comparison import less_equal as less_equal
from taglessad.array_api.comparison import maximum as maximum
from taglessad.array_api.comparison import minimum as minimum
from taglessad.array_api.comparison import not_equal as not_equal
from taglessad.array_api.complex_parts import conj as conj
from taglessad.array_api.complex_parts import imag as imag
from taglessad.array_api.complex_parts import real as real
from taglessad.array_api.constants import bool as bool
from taglessad.array_api.constants import e as e
from taglessad.array_api.constants import inf as inf
from taglessad.array_api.constants import nan as nan
from taglessad.array_api.constants import newaxis as newaxis
from taglessad.array_api.constants import pi as pi
from taglessad.array_api.convolution import convolve as convolve
from taglessad.array_api.convolution import correlate as correlate
from taglessad.array_api.convolution import inner as inner
from taglessad.array_api.convolution import kron as kron
from taglessad.array_api.counting import argwhere as argwhere
from taglessad.array_api.counting import bincount as bincount
from taglessad.array_api.counting import digitize as digitize
from taglessad.array_api.counting import flatnonzero as flatnonzero
from taglessad.array_api.counting import histogram as histogram
from taglessad.array_api.creation import arange as arange
from taglessad.array_api.creation import asarray as asarray
from taglessad.array_api.creation import empty as empty
from taglessad.array_api.creation import empty_like as empty_like
from taglessad.array_api.creation import eye as eye
from taglessad.array_api.creation import from_dlpack as from_dlpack
from taglessad.array_api.creation import full as full
from taglessad.array_api.creation import full_like as full_like
from taglessad.array_api.creation import linspace as linspace
from taglessad.array_api.creation import meshgrid as meshgrid
from taglessad.array_api.creation import ones as ones
from taglessad.array_api.creation import ones_like as ones_like
from taglessad.array_api.creation import tensor as tensor
from taglessad.array_api.creation import tril as tril
from taglessad.array_api.creation import triu as triu
from taglessad.array_api.creation import zeros as zeros
from taglessad.array_api.creation import zeros_like as zeros_like
from taglessad.array_api.cumulative import cumulative_logsumexp as cumulative_logsumexp
from taglessad.array_api.cumulative import cumulative_max as cumulative_max
from taglessad.array_api.cumulative import cumulative_min as cumulative_min
from taglessad.array_api.dtype_functions import astype as astype
from taglessad.array_api.dtype_functions import can_cast as can_cast
from taglessad.array_api.dtype_functions import finfo as finfo
from taglessad.array_api.dtype_functions import iinfo as iinfo
from taglessad.array_api.dtype_functions import isdtype as isdtype
from taglessad.array_api.dtype_functions import result_type as result_type
from taglessad.array_api.einsum import einsum as einsum
from taglessad.array_api.indexing import take as take
from taglessad.array_api.indexing import take_along_axis as take_along_axis
from taglessad.array_api.info import __array_api_version__ as __array_api_version__
from taglessad.array_api.info import __array_namespace_info__ as __array_namespace_info__
from taglessad.array_api.interpolation import ediff1d as ediff1d
from taglessad.array_api.interpolation import gradient as gradient
from taglessad.array_api.interpolation import interp as interp
from taglessad.array_api.interpolation import trapezoid as trapezoid
from taglessad.array_api.interpolation import unwrap as unwrap
from taglessad.array_api.joining import concat as concat
from taglessad.array_api.joining import pad as pad
from taglessad.array_api.joining import repeat as repeat
from taglessad.array_api.joining import stack as stack
from taglessad.array_api.joining import tile as tile
from taglessad.array_api.joining import unstack as unstack
from taglessad.array_api.linear_algebra import diag as diag
from taglessad.array_api.linear_algebra import matmul as matmul
from taglessad.array_api.linear_algebra import matrix_transpose as matrix_transpose
from taglessad.array_api.linear_algebra import tensordot as tensordot
from taglessad.array_api.linear_algebra import vecdot as vecdot
from taglessad.array_api.logic import bitwise_and as bitwise_and
from taglessad.array_api.logic import bitwise_invert as bitwise_invert
from taglessad.array_api.logic import bitwise_left_shift as bitwise_left_shift
from taglessad.array_api.logic import bitwise_or as bitwise_or
from taglessad.array_api.logic import bitwise_right_shift as bitwise_right_shift
from taglessad.array_api.logic import bitwise_xor as bitwise_xor
from taglessad.array_api.logic import isfinite as isfinite
from taglessad.array_api.logic import isinf as isinf
from taglessad.array_api.logic import isnan as isnan
from taglessad.array_api.logic import logical_and as logical_and
from taglessad.array_api.logic import logical_not as logical_not
from taglessad.array_api.logic import logical_or as logical_or
from taglessad.array_api.logic import logical_xor as logical_xor
from taglessad.array_api.logic import signbit as signbit
from taglessad.array_api.manipulation import atleast_1d as atleast_1d
from taglessad.array_api.manipulation import atleast_2d as atleast_2d
from taglessad.array_api.manipulation import atleast_3d as atleast_3d
from taglessad.array_api.manipulation import expand_dims as expand_dims
from taglessad.array_api.manipulation import flip as flip
from taglessad.array_api.manipulation import moveaxis as moveaxis
from taglessad.array_api.manipulation import permute_dims as permute_dims
from taglessad.array_api.manipulation import ravel as ravel
from taglessad.array_api.manipulation import reshape as reshape
from taglessad.array_api.manipulation import roll as roll
from taglessad.array_api.manipulation import squeeze as squeeze
from taglessad.array_api.manipulation import swapaxes as swapaxes
from taglessad.array_api.moments import average as average
from taglessad.array_api.moments import ptp as ptp
from taglessad.array_api.nan_statistics import nanmax as nanmax
from taglessad.array_api.nan_statistics import nanmean as nanmean
from taglessad.array_api.nan_statistics import nanmin as nanmin
from taglessad.array_api.nan_statistics import nanprod as nanprod
from taglessad.array_api.nan_statistics import nanstd as nanstd
from taglessad.array_api.nan_statistics import nanvar as nanvar
from taglessad.array_api.numpy_elementwise import allclose as allclose
from taglessad.array_api.numpy_elementwise import cbrt as cbrt
from taglessad.array_api.numpy_elementwise import deg2rad as deg2rad
from taglessad.array_api.numpy_elementwise import exp2 as exp2
from taglessad.array_api.numpy_elementwise import fmax as fmax
from taglessad.array_api.numpy_elementwise import fmin as fmin
from taglessad.array_api.numpy_elementwise import heaviside as heaviside
from taglessad.array_api.numpy_elementwise import isclose as isclose
from taglessad.array_api.numpy_elementwise import logaddexp2 as logaddexp2
from taglessad.array_api.numpy_elementwise import nan_to_num as nan_to_num
from taglessad.array_api.numpy_elementwise import piecewise as piecewise
from taglessad.array_api.numpy_elementwise import rad2deg as rad2deg
from taglessad.array_api.numpy_elementwise import select as select
from taglessad.array_api.polynomials import polyder as polyder
from taglessad.array_api.polynomials import polyint as polyint
from taglessad.array_api.polynomials import polyval as polyval
from taglessad.array_api.polynomials import vander as vander
from taglessad.array_api.quantiles import nanmedian as nanmedian
from taglessad.array_api.quantiles import nanquantile as nanquantile
from taglessad.array_api.quantiles import percentile as percentile
from taglessad.array_api.quantiles import quantile as quantile
from taglessad.array_api.rounding import ceil as ceil
from taglessad.array_api.rounding import floor as floor
from taglessad.array_api.rounding import floor_divide as floor_divide
from taglessad.array_api.rounding import fmod as fmod
from taglessad.array_api.rounding import remainder as remainder
from taglessad.array_api.rounding import round as round
from taglessad.array_api.rounding import trunc as trunc
from taglessad.array_api.searching import argmax as argmax
from taglessad.array_api.searching import argmin as argmin
from taglessad.array_api.searching import count_nonzero as count_nonzero
from taglessad.array_api.searching import nonzero as nonzero
from taglessad.array_api.searching import searchsorted as searchsorted
from taglessad.array_api.searching import where as where
from taglessad.array_api.segments import segment_max as segment_max
from taglessad.array_api.segments import segment_min as segment_min
from taglessad.array_api.segments import segment_prod as segment_prod
from taglessad.array_api.segments import segment_sum as segment_sum
from taglessad.array_api.sets import unique_all as unique_all
from taglessad.array_api.sets import unique_counts as unique_counts
from taglessad.array_api.sets import unique_inverse as unique_inverse
from taglessad.array_api.sets import unique_values as unique_values
from taglessad.array_api.sorting import argsort as argsort
from taglessad.array_api.sorting import sort as sort
from taglessad.array_api.sorting import top_k as top_k
from taglessad.array_api.statistical import cumulative_prod as cumulative_prod
from taglessad.array_api.statistical import cumulative_sum as cumulative_sum
from taglessad.array_api.statistical import max as max
from taglessad.array_api.statistical import mean as mean
from taglessad.array_api.statistical import median as median
from taglessad.array_api.statistical import min as min
from taglessad.array_api.statistical import nansum as nansum
from taglessad.array_api.statistical import prod as prod
from taglessad.array_api.statistical import std as std
from taglessad.array_api.statistical import sum as sum
from taglessad.array_api.statistical import var as var
from taglessad.array_api.transcendental import acos as acos
from taglessad.array_api.transcendental import acosh as acosh
from taglessad.array_api.transcendental import asin as asin
from taglessad.array_api.transcendental import asinh as asinh
from taglessad.array_api.transcendental import atan as atan
from taglessad.array_api.transcendental import atan2 as atan2
from taglessad.array_api.transcendental import atanh as atanh
from taglessad.array_api.transcendental import cos as cos
from taglessad.array_api.transcendental import cosh as cosh
from taglessad.array_api.transcendental import exp as exp
from taglessad.array_api.transcendental import expm1 as expm1
from taglessad.array_api.transcendental import hypot as hypot
from taglessad.array_api.transcendental import log as log
from taglessad.array_api.transcendental import log1p as log1p
from taglessad.array_api.transcendental import log2 as log2
from taglessad.array_api.transcendental import log10 as log10
from taglessad.array_api.transcendental import logaddexp as logaddexp
from taglessad.array_api.transcendental import sin as sin
from taglessad.array_api.transcendental import sinc as sinc
from taglessad.array_api.transcendental import sinh as sinh
from taglessad.array_api.transcendental import sqrt as sqrt
from taglessad.array_api.transcendental import tan as tan
from taglessad.array_api.transcendental import tanh as tanh
from taglessad.array_api.utility import all as all
from taglessad.array_api.utility import any as any
from taglessad.array_api.utility import diff as diff
from taglessad.checking.program import program as program
from taglessad.compiled.as_jax import as_jax as as_jax
from taglessad.compiled.exporting import export as export
from taglessad.compiled.exporting import load_exported as load_exported
from taglessad.compiled.jit import jit as jit
from taglessad.control.branches import cond as cond
from taglessad.control.branches import switch as switch
from taglessad.control.checkpoint import checkpoint as checkpoint
from taglessad.control.loops import fori_loop as fori_loop
from taglessad.control.loops import while_loop as while_loop
from taglessad.control.scans import map as map
from taglessad.control.scans import reduce as reduce
from taglessad.control.scans import scan as scan
from taglessad.convert import to_numpy as to_numpy
from taglessad.custom.declared import primitive as primitive
from taglessad.custom.functions import custom_jvp as custom_jvp
from taglessad.custom.functions import custom_vjp as custom_vjp
from taglessad.dtypes import float16 as float16
from taglessad.dtypes import float32 as float32
from taglessad.dtypes import float64 as float64
from taglessad.dtypes import int8 as int8
from taglessad.dtypes import int16 as int16
from taglessad.dtypes import int32 as int32
from taglessad.dtypes import int64 as int64
from taglessad.dtypes import uint8 as uint8
from taglessad.dtypes import uint16 as uint16
from taglessad.dtypes import uint32 as uint32
from taglessad.dtypes import uint64 as uint64
from taglessad.errors import AdjointError as AdjointError
from taglessad.errors import ArgumentError as ArgumentError
from taglessad.errors import ConcretizationError as ConcretizationError
from taglessad.errors import DomainError as DomainError
from taglessad.errors import DTypeError as DTypeError
from taglessad.errors import EscapeError as EscapeError
from taglessad.errors import IndexOutOfRange as IndexOutOfRange
from taglessad.errors import MissingExtra as MissingExtra
from taglessad.errors import NotDifferentiable as NotDifferentiable
from taglessad.errors import ShapeError as ShapeError
from taglessad.errors import TaglessError as TaglessError
from taglessad.linalg.covariance import corrcoef as corrcoef
from taglessad.linalg.covariance import cov as cov
from taglessad.linalg.covariance import polyfit as polyfit
from taglessad.numpy_protocols import ours as _ours
from taglessad.ops import Ops as Ops
from taglessad.serialization import load as load
from taglessad.serialization import save as save
from taglessad.shapes import symbols as symbols
from taglessad.shapes.dim_types import Add as Add
from taglessad.shapes.dim_types import Dim as Dim
from taglessad.shapes.dim_types import Div as Div
from taglessad.shapes.dim_types import Dyn as Dyn
from taglessad.shapes.dim_types import Mul as Mul
from taglessad.shapes.dim_types import Size as Size
from taglessad.shapes.dim_types import Sub as Sub
from taglessad.sparse.functions import sparse_hessian as sparse_hessian
from taglessad.sparse.functions import sparse_jacobian as sparse_jacobian
from taglessad.tensor import AnyTensor as AnyTensor
from taglessad.tensor import BoolTensor as BoolTensor
from taglessad.tensor import IntTensor as IntTensor
from taglessad.tensor import Namespace as _Namespace
from taglessad.tensor import Tensor as Tensor
from taglessad.transforms.batching import vmap as vmap
from taglessad.transforms.fences import detach as detach
from taglessad.transforms.fences import no_grad as no_grad
from taglessad.transforms.gradient import grad as grad
from taglessad.transforms.gradient import value_and_grad as value_and_grad
from taglessad.transforms.interpretation import interpret as interpret
from taglessad.transforms.jacobian import hessian as hessian
from taglessad.transforms.jacobian import jacfwd as jacfwd
from taglessad.transforms.jacobian import jacrev as jacrev
from taglessad.transforms.kinks import with_kinks as with_kinks
from taglessad.transforms.products import derivative as derivative
from taglessad.transforms.products import hvp as hvp
from taglessad.transforms.products import jvp as jvp
from taglessad.transforms.products import linearize as linearize
from taglessad.transforms.products import vjp as vjp
from taglessad.transforms.reaching import reach as reach
from taglessad.transforms.recording import Spec as Spec
from taglessad.transforms.recording import trace as trace
from taglessad.transforms.series import hessian_diagonal as hessian_diagonal
from taglessad.transforms.series import laplacian as laplacian
from taglessad.transforms.series import taylor as taylor
from taglessad.transforms.where_nan import where_nan as where_nan

_Namespace.functions = _sys.modules[__name__]


if _typing.TYPE_CHECKING:
    from taglessad.interpreters.jax import to_jax as to_jax

    # Any: the module, reading which would nearly double a type checker's first run.
    checks: _typing.Any
else:  # to type checkers a name that is not there is an error

    def __getattr__(name: str) -> object:
        """`tad.checks` and `tad.to_jax`, imported when asked for; of other names, what is ours."""
        if name == "checks":
            import taglessad.proofs_checks as checks

            return checks
        if name == "to_jax":
            from taglessad.interpreters.jax import to_jax

            return to_jax
        missing = f"module 'taglessad' has no attribute {name!r}"
        path = None if name.startswith("_") else _ours(name)
        if path is None:  # with the module, from which Python knows what may have been meant
            raise AttributeError(missing, name=name, obj=_sys.modules[__name__])
        raise AttributeError(f"{missing}; use tad.{path}")
