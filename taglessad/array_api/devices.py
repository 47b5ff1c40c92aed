"""The `device` argument of the standard: handles of NumPy values live on the CPU."""

from typing import Final

from taglessad.errors import ArgumentError

CPU: Final = "cpu"


def check_device(device: object, what: str) -> None:
    """Raise ArgumentError for a device other than "cpu"; None is the default."""
    if device is not None and device != CPU:
        raise ArgumentError(f"{what}: device {device!r} is not known; the only one is {CPU!r}")
