"""A plugin for mypy: wrong shapes are errors before anything runs.

    [tool.mypy]
    plugins = ["taglessad.mypy_plugin"]
    allow_redefinition = true

It holds no shape rules of its own: a call of one of the library's functions is made under the
interpreter `Shape`, on handles as the annotations have them, so that the plugin knows every
function, and says what run time would say.

names.py, reading.py, writing.py, types.py: mypy's types and shapes. specs.py, values.py: what is
known of a value. running.py: a function run for every answer to what is open. calls.py,
operands.py, indexing.py, transforms.py, curried.py, mapping.py, programs.py, models.py,
data_dependent.py: the library's functions. signatures.py, constructing.py: the user's.
attributes.py: attributes and sizes. hooks.py, library.py: which hook goes where.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy.plugin import Plugin


def plugin(version: str) -> "type[Plugin]":
    """What mypy asks for."""
    # The package is part of the core, and mypy is not: it is there when it asks.
    from taglessad.mypy_plugin.hooks import ShapePlugin

    return ShapePlugin
