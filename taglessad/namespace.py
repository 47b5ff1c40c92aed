"""The one slot through which handles reach the array functions, which stand above them."""

from typing import Any, ClassVar


class Namespace:
    """The array namespace, which stands above this module and registers itself here, once.

    functions: the module of array functions (`taglessad`); handles' methods are those functions.
    """

    functions: ClassVar[Any] = None  # Any: a module; naming it here would be an import upwards
