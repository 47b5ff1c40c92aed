"""Contraction and convolution of arrays of number objects, through one product of matrices."""

import math
from typing import Any

import numpy as np

from taglessad.kernels.convolution import convolution as of_arrays
from taglessad.kernels.objects import Field
from taglessad.kernels.payloads import Numbers, Objects, Payload, filled


def matrix_product(field: Field, a: Objects, b: Objects) -> Objects:
    """a @ b for stacks of matrices of one leading shape [S, n, k] @ [S, k, m]."""
    if a.shape[-1] == 0 or 0 in (*a.shape, *b.shape):
        return filled((*a.shape[:-1], b.shape[-1]), field.zero)
    y = np.empty((*a.shape[:-1], b.shape[-1]), object)
    for i in range(a.shape[0]):
        y[i] = field.matmul(a[i], b[i])
    return y


def contract(field: Field, a: Payload, b: Payload, spec: str) -> Payload:
    """The sum of products over the letters that the result lacks."""
    if isinstance(a, Numbers) and isinstance(b, Numbers):
        values = _contracted(field, a.values, b.values, spec)
        return Numbers(values, a.dtype, a.active or b.active)
    assert isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
    return np.asarray(np.einsum(spec, a, b))


def _contracted(field: Field, a: Objects, b: Objects, spec: str) -> Objects:
    operands, out = spec.split("->")
    left, right = operands.split(",")
    batch = [c for c in left if c in right and c in out]
    summed = [c for c in left if c in right and c not in out]
    only_left = [c for c in left if c not in right]
    only_right = [c for c in right if c not in left]
    a = a.transpose([left.index(c) for c in (*batch, *only_left, *summed)])
    b = b.transpose([right.index(c) for c in (*batch, *summed, *only_right)])
    lead, m = a.shape[: len(batch)], a.shape[len(batch) : len(batch) + len(only_left)]
    n = b.shape[len(batch) + len(summed) :]
    count, inner = math.prod(lead), math.prod(a.shape[len(batch) + len(only_left) :])
    wide = a.reshape(count, math.prod(m), inner)
    tall = b.reshape(count, inner, math.prod(n))
    if not summed and 0 not in (*wide.shape, *tall.shape):
        y = np.multiply(wide, tall)
    else:
        y = matrix_product(field, wide, tall)
    made = (*batch, *only_left, *only_right)
    return y.reshape((*lead, *m, *n)).transpose([made.index(c) for c in out])


def convolution(field: Field, x: Payload, kernel: Payload, window: Any) -> Payload:
    """[N, C, *n] and [O, C // groups, *k] to [N, O, *m]: entries side by side, then a product.

    window: strides, padding, dilation, kernel_dilation and groups, as rules/convolution.py has it.
    """
    if not (isinstance(x, Numbers) and isinstance(kernel, Numbers)):
        assert isinstance(x, np.ndarray) and isinstance(kernel, np.ndarray)
        return of_arrays(x, kernel, window)
    values, taps = x.values, kernel.values
    members, channels = values.shape[:2]
    groups, outputs = window.groups, taps.shape[0]
    tables = [
        _reads(n, k, s, before, after, e, d)
        for n, k, s, (before, after), e, d in zip(
            values.shape[2:],
            taps.shape[2:],
            window.strides,
            window.padding,
            window.dilation,
            window.kernel_dilation,
            strict=True,
        )
    ]
    results = tuple(t.shape[0] for t in tables)
    # One more entry on each spatial axis, a zero, which reads outside the operand go to.
    framed = filled((*values.shape[:2], *(n + 1 for n in values.shape[2:])), field.zero)
    inside: tuple[Any, ...] = (..., *(slice(n) for n in values.shape[2:]))  # Any: slices
    framed[inside] = values
    rank = len(tables)
    # N, C, then result and tap of each axis in turn.
    region: list[Any] = [slice(None), slice(None)]  # Any: slices and index arrays
    for i, t in enumerate(tables):
        region.append(t.reshape([t.shape[j % 2] if j // 2 == i else 1 for j in range(2 * rank)]))
    windows = framed[tuple(region)]
    order = (0, 1, *range(2, 2 + 2 * rank, 2), *range(3, 3 + 2 * rank, 2))
    count, cells = math.prod(results), math.prod(taps.shape[2:])
    flat = windows.transpose(order).reshape(members, groups, channels // groups, count, cells)
    columns = flat.transpose(1, 2, 4, 0, 3).reshape(
        groups, channels // groups * cells, members * count
    )
    weights = taps.reshape(groups, outputs // groups, channels // groups * cells)
    y = matrix_product(field, weights, columns)
    whole = y.reshape(groups, outputs // groups, members, count).transpose(2, 0, 1, 3)
    return Numbers(whole.reshape(members, outputs, *results), x.dtype, x.active or kernel.active)


def _reads(n: int, taps: int, stride: int, before: int, after: int, e: int, d: int) -> Objects:
    """Which entry each result reads for each tap; n for those between and beyond the entries."""
    spread = (n - 1) * e + 1 if n else 0
    reach = (taps - 1) * d + 1 if taps else 0
    count = max(0, (before + spread + after - reach) // stride + 1)
    place = np.arange(count)[:, None] * stride + np.arange(taps) * d - before
    inside = (place >= 0) & (place < spread) & (place % e == 0)
    return np.where(inside, place // e, n)
