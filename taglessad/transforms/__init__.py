"""Transforms: functions on functions. What they return is again a program."""
