"""Well-shaped programs of one line, of which `variants.py` makes ill-shaped ones.

A line: the public name, the expression, and the operands that stand in its braces, each a kind and
a shape: "4 2" real, "i:4" integer, "b:4 2" truth values, "s:3 3" a regular matrix.
Between "|" stand further expressions over the same operands, mostly with other axes.
"""

from textwrap import dedent
from typing import NamedTuple


class Line(NamedTuple):
    """A public function, and expressions with the operands they are about."""

    name: str
    expressions: tuple[str, ...]
    operands: tuple[str, ...]


BINARY = """
    add subtract multiply divide pow maximum minimum atan2 hypot logaddexp copysign nextafter
    remainder fmod floor_divide equal not_equal less less_equal greater greater_equal
"""
BITS = "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift"
TRUTH = "logical_and logical_or logical_xor"
SPECIAL = {
    **dict.fromkeys("beta betaln binom boxcox comb gammainc gammaincc inv_boxcox".split(), 2),
    **dict.fromkeys("kl_div poch rel_entr xlog1py xlogy zeta".split(), 2),
    "betainc": 3,
}
REDUCTIONS = "sum mean prod max min var std median nansum all any count_nonzero"

LINES = """
    sum : tad.sum({0}, axis=1) | tad.sum({0}, axis=2) | tad.sum({0}, axis=(0, 1)) : 4 2
    sum : {0}.sum(axis=0) | {0}.sum(axis=-3) | {0}.sum(keepdims=True) : 4 2
    argmax : tad.argmax({0}, axis=1) | tad.argmax({0}, axis=-3) | {0}.argmax(axis=2) : 4 2
    argmin : tad.argmin({0}, axis=1) | tad.argmin({0}, axis=2) | tad.argmin({0}) : 4 2
    clip : tad.clip({0}, {1}, {2}) : 4 2 ; 2 ; 4 1
    where : tad.where({0}, {1}, {2}) | tad.where({0}, {1}, 0.0) : b:4 2 ; 4 2 ; 2
    broadcast_to : tad.broadcast_to({0}, (5, 4, 2)) | tad.broadcast_to({0}, (4,)) : 4 2
    broadcast_arrays : tad.broadcast_arrays({0}, {1}) : 4 2 ; 2
    full : tad.full((4, 2), {0}) | tad.full((3,), {0}) | tad.full((4, 2), 1.0) : 2
    full_like : tad.full_like({0}, {1}) | tad.full_like({0}, 2.0) : 4 2 ; 2
    zeros : tad.zeros({0}.shape) | tad.zeros((2, -1)) | tad.zeros(3) : 4 2
    ones : tad.ones({0}.shape) | tad.ones((-2,)) : 4 2
    empty : tad.empty({0}.shape) | tad.empty((-2,)) : 4 2
    meshgrid : tad.meshgrid({0}, {1}) | tad.meshgrid({0}, {1}, indexing="ij") : 4 ; 3
    tril : tad.tril({0}) | tad.tril({0}, k=1) : 4 2
    triu : tad.triu({0}) | tad.triu({0}, k=-1) : 4 2
    cumulative_sum : tad.cumulative_sum({0}, axis=1) | tad.cumulative_sum({0}, axis=2) : 4 2
    cumulative_sum : tad.cumulative_sum({0}) | tad.cumulative_sum({0}, include_initial=True) : 4
    cumulative_prod : tad.cumulative_prod({0}, axis=1) | tad.cumulative_prod({0}, axis=-3) : 4 2
    cumulative_max : tad.cumulative_max({0}, axis=1) | tad.cumulative_max({0}, axis=2) : 4 2
    cumulative_min : tad.cumulative_min({0}, axis=1) | tad.cumulative_min({0}, axis=2) : 4 2
    einsum : tad.einsum("ij,jk->ik", {0}, {1}) | tad.einsum("ij,jk->il", {0}, {1}) : 4 2 ; 2 3
    einsum : tad.einsum("bij,bjk->bik", {0}, {1}) | tad.einsum("...ij->...ji", {0}) : 5 4 2 ; 5 2 3
    einsum : tad.einsum("ii->i", {0}) | tad.einsum("ii", {0}) | tad.einsum("ij->", {0}) : 3 3
    take : tad.take({0}, {1}, axis=1) | tad.take({0}, {1}, axis=2) | tad.take({0}, {1}) : 4 2 ; i:3
    take_along_axis : tad.take_along_axis({0}, {1}, axis=1) | tad.take_along_axis({0}, {1}, axis=0) : 4 2 ; i:4 3
    concat : tad.concat(({0}, {1})) | tad.concat([{0}, {1}], axis=1) | tad.concat(({0}, {1}), axis=2) : 4 2 ; 3 2
    stack : tad.stack([{0}, {1}]) | tad.stack(({0}, {1}), axis=2) | tad.stack([{0}, {1}], axis=3) : 4 2 ; 4 2
    unstack : tad.unstack({0}) | tad.unstack({0}, axis=1) | tad.unstack({0}, axis=2) : 3 2
    pad : tad.pad({0}, ((1, 2), (0, 1))) | tad.pad({0}, 1) | tad.pad({0}, ((1, 2), (0, -1))) : 4 2
    pad : tad.pad({0}, ((1, 2), (0, 1)), mode="edge") | tad.pad({0}, 1, mode="wrap") : 4 2
    repeat : tad.repeat({0}, 3, axis=1) | tad.repeat({0}, 3, axis=2) | tad.repeat({0}, 2) : 4 2
    tile : tad.tile({0}, (2, 3)) | tad.tile({0}, (2, 1, 3)) | tad.tile({0}, (2, -1)) : 4 2
    diag : tad.diag({0}) | tad.diag({0}, k=1) : 4 2
    matmul : tad.matmul({0}, {1}) | {0} @ {1} : 4 2 ; 2 3
    matmul : {0} @ {1} | tad.linalg.matmul({0}, {1}) : 5 4 2 ; 5 2 3
    matmul : {0} @ {1} | {1} @ {0} : 4 2 ; 2
    matrix_transpose : tad.matrix_transpose({0}) | {0}.mT | {0}.T : 4 2
    tensordot : tad.tensordot({0}, {1}, axes=1) | tad.tensordot({0}, {1}, axes=((1,), (0,))) | tad.tensordot({0}, {1}, axes=3) : 4 2 ; 2 3
    vecdot : tad.vecdot({0}, {1}) | tad.vecdot({0}, {1}, axis=0) | tad.vecdot({0}, {1}, axis=2) : 4 2 ; 4 2
    atleast_1d : tad.atleast_1d({0}) : 2
    atleast_2d : tad.atleast_2d({0}) : 2
    atleast_3d : tad.atleast_3d({0}) : 2
    expand_dims : tad.expand_dims({0}, axis=0) | tad.expand_dims({0}, axis=3) | tad.expand_dims({0}, axis=(0, -1)) | tad.expand_dims({0}, axis=-4) : 4 2
    flip : tad.flip({0}, axis=1) | tad.flip({0}, axis=2) | tad.flip({0}) : 4 2
    moveaxis : tad.moveaxis({0}, 0, 1) | tad.moveaxis({0}, 0, 2) | tad.moveaxis({0}, (0, 1), (1, 0)) : 4 2
    permute_dims : tad.permute_dims({0}, (1, 0)) | tad.permute_dims({0}, (0,)) | tad.permute_dims({0}, (0, 0)) : 4 2
    ravel : tad.ravel({0}) : 4 2
    reshape : tad.reshape({0}, (2, 4)) | tad.reshape({0}, (3, -1)) | {0}.reshape(-1) | {0}.reshape(3, 3) : 4 2
    roll : tad.roll({0}, 1, axis=1) | tad.roll({0}, 1, axis=2) | tad.roll({0}, 1) : 4 2
    squeeze : tad.squeeze({0}, axis=1) | tad.squeeze({0}, axis=2) | {0}.squeeze() : 4 1
    swapaxes : tad.swapaxes({0}, 0, 1) | tad.swapaxes({0}, 0, 2) : 4 2
    searchsorted : tad.searchsorted({0}, {1}) : 4 ; 3
    argsort : tad.argsort({0}, axis=1) | tad.argsort({0}, axis=2) : 4 2
    sort : tad.sort({0}, axis=1) | tad.sort({0}, axis=2) : 4 2
    top_k : tad.top_k({0}, 2) | tad.top_k({0}, 3) | tad.top_k({0}, 1, axis=0) : 4 2
    diff : tad.diff({0}) | tad.diff({0}, axis=0) | tad.diff({0}, axis=2) : 4 2
    nonzero : tad.nonzero({0}) : 4 2
    linalg.cross : tad.linalg.cross({0}, {1}) | tad.linalg.cross({0}, {1}, axis=0) : 4 3 ; 4 3
    linalg.outer : tad.linalg.outer({0}, {1}) : 4 ; 3
    linalg.trace : tad.linalg.trace({0}) : 3 3
    linalg.diagonal : tad.linalg.diagonal({0}) | tad.linalg.diagonal({0}, offset=1) : 4 2
    linalg.matrix_power : tad.linalg.matrix_power({0}, 2) | tad.linalg.matrix_power({0}, 0) : s:3 3
    linalg.vector_norm : tad.linalg.vector_norm({0}, axis=1) | tad.linalg.vector_norm({0}, axis=2) : 4 2
    linalg.matrix_norm : tad.linalg.matrix_norm({0}) | tad.linalg.matrix_norm({0}, keepdims=True) : 4 2
    linalg.cholesky : tad.linalg.cholesky({0}) : s:3 3
    linalg.cond : tad.linalg.cond({0}) : s:3 3
    linalg.det : tad.linalg.det({0}) : s:3 3
    linalg.slogdet : tad.linalg.slogdet({0}) : s:3 3
    linalg.inv : tad.linalg.inv({0}) : s:3 3
    linalg.pinv : tad.linalg.pinv({0}) : s:3 3
    linalg.eigh : tad.linalg.eigh({0}) : s:3 3
    linalg.eigvalsh : tad.linalg.eigvalsh({0}) : s:3 3
    linalg.svd : tad.linalg.svd({0}) | tad.linalg.svd({0}, full_matrices=False) : s:3 3
    linalg.svdvals : tad.linalg.svdvals({0}) : s:3 3
    linalg.qr : tad.linalg.qr({0}) : s:3 3
    linalg.expm : tad.linalg.expm({0}) : s:3 3
    linalg.matrix_rank : tad.linalg.matrix_rank({0}) : s:3 3
    linalg.solve : tad.linalg.solve({0}, {1}) : s:3 3 ; 3 2
    linalg.solve : tad.linalg.solve({0}, {1}) : s:3 3 ; 3
    linalg.lstsq : tad.linalg.lstsq({0}, {1}) : s:3 3 ; 3 2
    linalg.solve_triangular : tad.linalg.solve_triangular({0}, {1}) : s:3 3 ; 3 2
    special.logsumexp : tad.special.logsumexp({0}, axis=1) | tad.special.logsumexp({0}, axis=2) : 4 2
    special.softmax : tad.special.softmax({0}, axis=1) | tad.special.softmax({0}, axis=2) : 4 2
    special.log_softmax : tad.special.log_softmax({0}, axis=1) | tad.special.log_softmax({0}, axis=2) : 4 2
    nn.functional.softmax : tad.nn.functional.softmax({0}, axis=1) | tad.nn.functional.softmax({0}, axis=2) : 4 2
    nn.functional.log_softmax : tad.nn.functional.log_softmax({0}, axis=1) | tad.nn.functional.log_softmax({0}, axis=2) : 4 2
    nn.functional.conv1d : tad.nn.functional.conv1d({0}, {1}) | tad.nn.functional.conv1d({0}, {1}, stride=2, padding=1) : 5 3 8 ; 6 3 2
    nn.functional.conv2d : tad.nn.functional.conv2d({0}, {1}) | tad.nn.functional.conv2d({0}, {1}, padding=1, groups=2) : 5 3 8 8 ; 6 3 2 2
    indexing : {0}[0] | {0}[4] | {0}[-5] | {0}[1, 2] | {0}[0, 0, 0] | {0}[:, 1] | {0}[..., 0] | {0}[1:, None] : 4 2
    indexing : {0}[{1}] | {0}[:, {1}] | {0}[{1}, {1}] | {0}[{1}, {1}, {1}] | {0}[{1}, None, 0] : 4 2 ; i:3
    indexing : {0}[{1}] | {0}[{1}, 0] : 4 2 ; b:4
    at : {0}.at[0].set({1}) | {0}.at[:, 0].add({1}) | {0}.at[5].multiply({1}) | {0}.at[1:3].max({1}) : 4 2 ; 2
    at : {0}.at[{2}].set({1}) | {0}.at[:, {2}].min({1}) : 4 2 ; 3 2 ; i:3
    operators : {0} + {1} | {0} - {1} | {0} * {1} | {0} / {1} | {0} ** {1} | {0} // {1} | {0} % {1} : 4 2 ; 4 1
    operators : {0} < {1} | {0} <= {1} | {0} == {1} | {0} != {1} | {0} > {1} | {0} >= {1} : 4 2 ; 2
    operators : {0} & {1} | {0} | {1} | {0} ^ {1} : b:4 2 ; b:2
    grad : tad.grad(scalar)({0}) | tad.value_and_grad(scalar)({0}) : 2 3
    vjp : tad.vjp(rows)({0}, {1}) | tad.vjp(rows, {0})[1]({1}) : 2 3 ; 2
    jvp : tad.jvp(rows)({0}, {1}) | tad.jvp(rows, ({0},), ({1},)) : 2 3 ; 2 3
    hvp : tad.hvp(scalar)({0}, {1}) : 2 3 ; 2 3
    jacfwd : tad.jacfwd(rows)({0}) | tad.jacrev(rows)({0}) | tad.hessian(scalar)({0}) : 2 3
    nn.functional.conv_transpose1d : tad.nn.functional.conv_transpose1d({0}, {1}) : 5 3 8 ; 3 6 2
    nn.functional.conv_transpose2d : tad.nn.functional.conv_transpose2d({0}, {1}) : 5 3 4 4 ; 3 6 2 2
    nn.functional.max_pool1d : tad.nn.functional.max_pool1d({0}, 2) : 5 3 8
    nn.functional.max_pool2d : tad.nn.functional.max_pool2d({0}, 2) : 5 3 8 8
    nn.functional.avg_pool1d : tad.nn.functional.avg_pool1d({0}, 2) : 5 3 8
    nn.functional.avg_pool2d : tad.nn.functional.avg_pool2d({0}, (2, 4)) : 5 3 8 8
    nn.functional.adaptive_avg_pool1d : tad.nn.functional.adaptive_avg_pool1d({0}, 4) : 5 3 8
    nn.functional.adaptive_avg_pool2d : tad.nn.functional.adaptive_avg_pool2d({0}, 4) : 5 3 8 8
    nn.functional.glu : tad.nn.functional.glu({0}) | tad.nn.functional.glu({0}, axis=0) : 4 2
    nn.functional.cross_entropy : tad.nn.functional.cross_entropy({0}, {1}) : 4 3 ; i:4
    nn.functional.nll : tad.nn.functional.nll({0}, {1}) : 4 3 ; i:4
    nn.functional.binary_cross_entropy : tad.nn.functional.binary_cross_entropy({0}, {1}) : 4 2 ; 4 2
    nn.functional.mse : tad.nn.functional.mse({0}, {1}) : 4 2 ; 4 2
    nn.functional.l1 : tad.nn.functional.l1({0}, {1}) : 4 2 ; 4 2
    nn.functional.huber : tad.nn.functional.huber({0}, {1}) : 4 2 ; 4 2
    nn.functional.hinge : tad.nn.functional.hinge({0}, {1}) : 4 2 ; 4 2
    nn.functional.kl_div : tad.nn.functional.kl_div({0}, {1}) : 4 2 ; 4 2
    nn.functional.cosine_similarity : tad.nn.functional.cosine_similarity({0}, {1}) : 4 2 ; 4 2
    nn.functional.cosine_distance : tad.nn.functional.cosine_distance({0}, {1}) : 4 2 ; 4 2
    nn.functional.one_hot : tad.nn.functional.one_hot({0}, 3) : i:4
    nn.functional.scaled_dot_product_attention : tad.nn.functional.scaled_dot_product_attention({0}, {1}, {1}) : 5 4 2 ; 5 3 2
    nn.Linear : tad.nn.Linear(2, 8, rng=0)({0}) : 4 2
    nn.Conv2d : tad.nn.Conv2d(3, 6, 3, rng=0)({0}) | tad.nn.Conv2d(3, 6, 3, stride=2, padding=1, rng=0)({0}) : 5 3 8 8
    nn.LayerNorm : tad.nn.LayerNorm(2)({0}) : 4 2
    nn.GroupNorm : tad.nn.GroupNorm(6, 3)({0}) : 4 6 5
    nn.MultiHeadAttention : tad.nn.MultiHeadAttention(8, 2, rng=0)({0}) : 5 4 8
    nn.GRU : tad.nn.GRU(2, 3, rng=0)({0}) : 5 4 2
    nn.LSTM : tad.nn.LSTM(2, 3, rng=0)({0})[0] : 5 4 2
    nn.Embedding : tad.nn.Embedding(10, 3, rng=0)({0}) : i:4
    nn.Sequential : tad.nn.Sequential(tad.nn.Linear(2, 3, rng=0), tad.nn.ReLU(), tad.nn.Linear(3, 1, rng=0))({0}) : 4 2
    scan : tad.scan(step, {0}, {1}) | tad.scan(step, {0}, {1}, reverse=True) : 3 ; 4 2
    cond : tad.cond({0}.sum() > 0.0, double, double, {0}) : 3
    while_loop : tad.while_loop(small, double, {0}) : 3
    fori_loop : tad.fori_loop(0, 3, doubled, {0}) : 3
    map : tad.map(double, {0}) : 5 3
    linearize : tad.linearize(rows, {0})[1]({1}) : 2 3 ; 2 3
    split : tad.split({0}, 2) | tad.split({0}, 3) | tad.split({0}, [1], axis=1) | tad.split({0}, 2, axis=2) : 4 2
    array_split : tad.array_split({0}, 3) | tad.array_split({0}, 2, axis=2) : 4 2
    hstack : tad.hstack([{0}, {1}]) : 4 2 ; 4 3
    vstack : tad.vstack([{0}, {1}]) : 4 2 ; 3 2
    column_stack : tad.column_stack([{0}, {1}]) : 4 2 ; 4
    segment_sum : tad.segment_sum({0}, {1}, num_segments=3) : 4 2 ; i:4
    segment_prod : tad.segment_prod({0}, {1}, num_segments=3) : 4 2 ; i:4
    segment_max : tad.segment_max({0}, {1}, num_segments=3) : 4 2 ; i:4
    segment_min : tad.segment_min({0}, {1}, num_segments=3) : 4 2 ; i:4
    bincount : tad.bincount({0}, length=3) | tad.bincount({0}, {1}, length=3) : i:4 ; 4
    polyfit : tad.polyfit({0}, {1}, 2) : 5 ; 5
    vmap : tad.vmap(rows)({0}) | tad.vmap(rows, in_axes=1)({0}) | tad.vmap(scalar, in_axes=-1)({0}) : 5 2 3
"""
for _name in BINARY.split():
    LINES += f"    {_name} : tad.{_name}({{0}}, {{1}}) : 4 2 ; 2\n"
for _name in BITS.split():
    LINES += f"    {_name} : tad.{_name}({{0}}, {{1}}) : i:4 2 ; i:2\n"
for _name in TRUTH.split():
    LINES += f"    {_name} : tad.{_name}({{0}}, {{1}}) : b:4 2 ; b:2\n"
for _name in REDUCTIONS.split():
    LINES += (
        f"    {_name} : tad.{_name}({{0}}, axis=0) | tad.{_name}({{0}}, axis=2)"
        f" | tad.{_name}({{0}}, axis=(0, 0)) | tad.{_name}({{0}}, axis=-1, keepdims=True) : 4 2\n"
    )
for _name, _count in SPECIAL.items():
    _operands = ", ".join(f"{{{_i}}}" for _i in range(_count))
    _shapes = " ; ".join(("4 2", "2", "4 1")[:_count])
    LINES += f"    special.{_name} : tad.special.{_name}({_operands}) : {_shapes}\n"


# Entry by entry of one operand, or about dtypes, or of a shape that depends on values.
WITHOUT_RULE = """
    abs acos acosh asin asinh atan atanh ceil conj cos cosh exp expm1 floor imag isfinite isinf isnan
    log log10 log1p log2 logical_not bitwise_invert negative positive real reciprocal round sign
    signbit sin sinc sinh sqrt square tan tanh trunc
    asarray tensor from_dlpack astype can_cast finfo iinfo isdtype result_type empty_like ones_like
    zeros_like compress arange eye linspace tri tril_indices triu_indices diag_indices select piecewise unique_all unique_counts unique_inverse unique_values
    special.digamma special.entr special.erf special.erfc special.erfinv special.expit
    special.gammaln special.log_expit special.logit special.polygamma special.cosm1 special.erfcinv
    special.erfcx special.exp1 special.expi special.expn special.exprel special.gamma special.i0
    special.i0e special.i1 special.i1e special.j0 special.j1 special.lambertw special.log_ndtr
    special.multigammaln special.ndtr special.ndtri special.spence special.y0 special.y1
""".split()


def lines() -> list[Line]:
    """The table, read."""
    found: list[Line] = []
    for text in dedent(LINES).strip().splitlines():
        name, expressions, operands = (part.strip() for part in text.strip().split(" : "))
        bits = tuple(e.strip() for e in expressions.split(" | "))
        if name == "operators" and "{0} & {1}" in bits:
            bits = ("{0} & {1}", "{0} | {1}", "{0} ^ {1}")
        found.append(Line(name, bits, tuple(o.strip() for o in operands.split(" ; "))))
    return found
