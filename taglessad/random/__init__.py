"""Random numbers from explicit keys: the same ones under every interpreter, in jit and in vmap."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from taglessad.other_names import not_there as _not_there
from taglessad.random.continuous import exponential as exponential
from taglessad.random.continuous import gumbel as gumbel
from taglessad.random.continuous import laplace as laplace
from taglessad.random.continuous import normal as normal
from taglessad.random.continuous import truncated_normal as truncated_normal
from taglessad.random.continuous import uniform as uniform
from taglessad.random.discrete import bernoulli as bernoulli
from taglessad.random.discrete import bits as bits
from taglessad.random.discrete import categorical as categorical
from taglessad.random.discrete import randint as randint
from taglessad.random.gamma import beta as beta
from taglessad.random.gamma import dirichlet as dirichlet
from taglessad.random.gamma import gamma as gamma
from taglessad.random.gamma import loggamma as loggamma
from taglessad.random.keys import fold_in as fold_in
from taglessad.random.keys import key as key
from taglessad.random.keys import split as split
from taglessad.random.ordering import choice as choice
from taglessad.random.ordering import permutation as permutation

if not _TYPE_CHECKING:  # to type checkers a name that is not there is an error

    def __getattr__(name: str) -> object:
        raise _not_there(__name__, name)
