"""NumPy's names for what handles do, so that its protocols, and we, reach it or say what to write.

READERS: functions that compare or look, which take a handle's value; COPIERS: those that give it back
as an array; OPERATOR_UFUNCS: the ufuncs
behind Python's operators, by the array API's name; ARRAY_API_NAMES: other names that differ, of
functions and of ufuncs' methods; PLACES: where else functions are than in `tad` itself; MODULES:
what defines the functions of arrays.
"""

from typing import Final

READERS: Final = frozenset(
    {
        "allclose",
        "array2string",
        "array_equal",
        "array_equiv",
        "array_repr",
        "array_str",
        "isclose",
        "ndim",
        "save",
        "savetxt",
        "shape",
    }
)
COPIERS: Final = frozenset({"atleast_1d", "atleast_2d", "copy"})
OPERATOR_UFUNCS: Final = {
    "add": "add",
    "subtract": "subtract",
    "multiply": "multiply",
    "divide": "divide",
    "floor_divide": "floor_divide",
    "remainder": "remainder",
    "power": "pow",
    "matmul": "matmul",
    "equal": "equal",
    "not_equal": "not_equal",
    "less": "less",
    "less_equal": "less_equal",
    "greater": "greater",
    "greater_equal": "greater_equal",
    "bitwise_and": "bitwise_and",
    "bitwise_or": "bitwise_or",
    "bitwise_xor": "bitwise_xor",
    "left_shift": "bitwise_left_shift",
    "right_shift": "bitwise_right_shift",
}
ARRAY_API_NAMES: Final = {
    "absolute": "abs",
    "add.accumulate": "cumulative_sum",
    "add.reduce": "sum",
    "amax": "max",
    "amin": "min",
    "append": "concat",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "around": "round",
    "array": "asarray",
    "bitwise_not": "bitwise_invert",
    "concatenate": "concat",
    "conjugate": "conj",
    "cumprod": "cumulative_prod",
    "cumsum": "cumulative_sum",
    "degrees": "rad2deg",
    "dot": "matmul",
    "fabs": "abs",
    "fix": "trunc",
    "flatten": "ravel",
    "fliplr": "flip",
    "flipud": "flip",
    "float_power": "pow",
    "identity": "eye",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "linalg.norm": "linalg.vector_norm",
    "logical_and.reduce": "all",
    "logical_or.reduce": "any",
    "maximum.reduce": "max",
    "minimum.reduce": "min",
    "mod": "remainder",
    "multiply.accumulate": "cumulative_prod",
    "multiply.outer": "linalg.outer",
    "multiply.reduce": "prod",
    "norm": "linalg.vector_norm",
    "power": "pow",
    "psi": "special.digamma",
    "radians": "deg2rad",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
    "row_stack": "vstack",
    "trace": "linalg.trace",
    "transpose": "permute_dims",
    "true_divide": "divide",
    "unique": "unique_values",
    "vdot": "vecdot",
}
PLACES: Final = ("linalg", "special", "fft", "nn.functional")
MODULES: Final = tuple(
    f"taglessad.{name}" for name in ("array_api", "linalg", "special", "fft", "nn")
)
