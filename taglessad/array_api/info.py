"""What the namespace can do, as the standard's inspection functions tell it."""

from typing import Final, TypedDict

from taglessad import dtypes
from taglessad.array_api.devices import CPU, check_device
from taglessad.array_api.dtype_functions import Kind, isdtype
from taglessad.dtypes import DType

__array_api_version__: Final = "2024.12"

Capabilities = TypedDict(
    "Capabilities",
    {"boolean indexing": bool, "data-dependent shapes": bool, "max dimensions": int},
)


class NamespaceInfo:
    """Answers about the namespace; complex dtypes are not there."""

    def capabilities(self) -> Capabilities:
        """Data-dependent shapes exist on values, not inside transforms that know only shapes."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> str:
        """Where arrays are made."""
        return CPU

    def devices(self) -> list[str]:
        """All devices."""
        return [CPU]

    def default_dtypes(self, *, device: object = None) -> dict[str, DType]:
        """The dtypes of what is made without a dtype."""
        check_device(device, "default_dtypes")
        return {
            "real floating": dtypes.float64,
            "integral": dtypes.int64,
            "indexing": dtypes.int64,
        }

    def dtypes(
        self, *, device: object = None, kind: Kind | tuple[Kind, ...] | None = None
    ) -> dict[str, DType]:
        """The standard's dtypes by name, or those of a kind (see `isdtype`)."""
        check_device(device, "dtypes")
        standard = (d for d in dtypes.ALL if d is not dtypes.float16)
        return {d.name: d for d in standard if kind is None or isdtype(d, kind)}


def __array_namespace_info__() -> NamespaceInfo:
    """Inspection of the namespace: capabilities, devices, dtypes."""
    return NamespaceInfo()
