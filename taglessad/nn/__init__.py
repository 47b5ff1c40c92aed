"""Neural networks: functions."""

import taglessad.nn.functional as functional

__all__ = ["functional"]
