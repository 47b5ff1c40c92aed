"""Full names of the classes and functions that the plugin knows."""

from typing import Final

from mypy.errorcodes import ErrorCode

SHAPE: Final = ErrorCode("shape", "Shapes that do not go together", "Tagless")
UNKNOWN_SHAPE: Final = ErrorCode(
    "shape-unknown", "The rank of a result is not known from here on", "Tagless", False
)

ANY_TENSOR: Final = "taglessad.tensor.AnyTensor"
TENSOR: Final = "taglessad.tensor.Tensor"
INT_TENSOR: Final = "taglessad.tensor.IntTensor"
BOOL_TENSOR: Final = "taglessad.tensor.BoolTensor"
TENSORS: Final = frozenset({ANY_TENSOR, TENSOR, INT_TENSOR, BOOL_TENSOR})

DIM: Final = "taglessad.shapes.dim_types.Dim"
ALIASES: Final = {
    f"taglessad.shapes.dim_types.{name}": name for name in ("Add", "Sub", "Mul", "Div")
}
SIZE_ALIAS: Final = "taglessad.shapes.dim_types.Size"

EXPRESSIONS_MODULE: Final = "taglessad.shapes.dim_expressions"
ADD: Final = f"{EXPRESSIONS_MODULE}.Add"
MUL: Final = f"{EXPRESSIONS_MODULE}.Mul"
DIV: Final = f"{EXPRESSIONS_MODULE}.Div"
SIZE: Final = f"{EXPRESSIONS_MODULE}.Size"
EXPRESSIONS: Final = frozenset({ADD, MUL, DIV})
