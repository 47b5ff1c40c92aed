"""Branches and loops as operations: their bodies are recorded once and run under any interpreter."""

from taglessad.control import derived as _derived
from taglessad.graph import Derivations as _Derivations

_Derivations.made = _derived
