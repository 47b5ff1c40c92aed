"""The interpreters: one file each, none knowing another except through `Ops`."""

from taglessad.interpreters.batch import Batch as Batch
from taglessad.interpreters.dual import Dual as Dual
from taglessad.interpreters.eager import Eager as Eager
from taglessad.interpreters.record import Record as Record
from taglessad.interpreters.shape import Shape as Shape
from taglessad.interpreters.tape import Tape as Tape
