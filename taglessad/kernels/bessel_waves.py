"""Bessel functions of the first and second kind, of integer orders.

Up to 5 polynomials for the orders 0 and 1; beyond, with chi = x - (n/2 + 1/4) pi,
J_n(x) = sqrt(2 / (pi x)) (P cos(chi) - Q sin(chi)) and Y_n(x) = sqrt(2 / (pi x)) (P sin(chi) +
Q cos(chi)) (NIST DLMF 10.17), by polynomials for P and x Q in 1/x**2. Other orders by recurrence
(10.6.1), from below where that is stable; J_n for x < n from above.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from taglessad.kernels.erf import F64, Float, piecewise, pointwise, polynomial

# Polynomials that equal the functions at Chebyshev nodes. Computed with mpmath at 60 digits.
# J_0(x) / (x**2 - zero**2) in x**2 / 12.5 - 1, for x from 0 to 5.
_J0: Final = (
    -0.05728080421634534,
    0.07436630462755323,
    -0.03277786210789048,
    0.0073758943041960226,
    -0.0010134053469850017,
    9.414473580694953e-05,
    -6.31931861832307e-06,
    3.2115623534330415e-07,
    -1.2795360167965494e-08,
    4.105688303742839e-10,
    -1.0840781824695533e-11,
    2.3996022403365534e-13,
    -4.5083190128242885e-15,
)
# J_1(x) / x / (x**2 - zero**2) likewise.
_J1: Final = (
    -0.01587595431164548,
    0.013090777521810029,
    -0.004240225993395717,
    0.0007552540432951287,
    -8.592956232073762e-05,
    6.814683895176615e-06,
    -3.9913811695214683e-07,
    1.7995159925419855e-08,
    -6.44313098819072e-10,
    1.8773810470124485e-11,
    -4.5400445134435103e-13,
    9.268689614609804e-15,
    -1.6161556407890664e-16,
)
# Y_0(x) - 2 / pi log(x) J_0(x) likewise.
_Y0: Final = (
    0.4837248578102995,
    -0.4326558222855125,
    -0.47057636552972876,
    0.38851639956570944,
    -0.11151682184328655,
    0.017635345389338752,
    -0.0018028096665503853,
    0.00012994629092083859,
    -6.985504374076987e-06,
    2.9142206886821627e-07,
    -9.72095520811079e-09,
    2.6539977501003325e-10,
    -6.049936925443629e-12,
    1.1665346489650883e-13,
)
# (Y_1(x) - 2 / pi (log(x) J_1(x) - 1 / x)) / x likewise.
_Y1: Final = (
    0.13974939033568806,
    0.09108650838448444,
    -0.16312020358118715,
    0.06634695354779108,
    -0.013433433740818165,
    0.001668803132863594,
    -0.00014141835794484212,
    8.733098304849315e-06,
    -4.1137780795312214e-07,
    1.528890182483862e-08,
    -4.6013010745671044e-10,
    1.1448944556867688e-11,
    -2.397782335135821e-13,
    4.2776864260420625e-15,
)
# P of order 0 in 50 / x**2 - 1, for x from 5 on.
_P0: Final = (
    0.9986347659091991,
    -0.001327493127200339,
    3.491730581252044e-05,
    -2.459963325168103e-06,
    2.975900553746619e-07,
    -5.086425840264451e-08,
    1.1058780568890595e-08,
    -2.871060070650354e-09,
    8.537676263486641e-10,
    -2.829452496746712e-10,
    1.0436064350820112e-10,
    -4.106525217778278e-11,
    1.2759965127797933e-11,
    -4.91251230693199e-12,
    8.185823082059821e-12,
    -4.552209147917835e-12,
    -2.7471611955307327e-12,
    1.744128580941252e-12,
    1.4135159640864857e-12,
    -8.369869275701596e-13,
)
# x Q likewise.
_Q0: Final = (
    -0.12361496352611864,
    0.001314213972910237,
    -6.338715442513257e-05,
    6.239113170466805e-06,
    -9.409875312710735e-07,
    1.8870296015840276e-07,
    -4.63978199552338e-08,
    1.3296752836791914e-08,
    -4.295554938184743e-09,
    1.5272918979801804e-09,
    -5.811510556278745e-10,
    2.373363577724958e-10,
    -1.2115517654380601e-10,
    5.843656666984275e-11,
    5.53339786752136e-12,
    -7.131780305763748e-12,
    -3.599094494084107e-11,
    2.2610125498080994e-11,
    1.70606170155461e-11,
    -1.1153425787578828e-11,
    -5.912786560846945e-12,
    3.750660241439195e-12,
)
# P of order 1 likewise.
_P1: Final = (
    1.0022906462560661,
    0.002241463213917126,
    -4.5782806531241475e-05,
    2.978621109034246e-06,
    -3.4667186580139646e-07,
    5.7916610107440336e-08,
    -1.2403208324099435e-08,
    3.1855032324146683e-09,
    -9.396111382507204e-10,
    3.09413943706809e-10,
    -1.1347108608292092e-10,
    4.4449687372999163e-11,
    -1.386282352897023e-11,
    5.336343631938542e-12,
    -8.698156687887373e-12,
    4.824788889110816e-12,
    2.890976936914703e-12,
    -1.8347559597628753e-12,
    -1.4950516095189181e-12,
    8.840536838471388e-13,
)
# x Q of order 1 likewise.
_Q1: Final = (
    0.3730474331740802,
    -0.001864849621841231,
    7.898094177972238e-05,
    -7.369927953913392e-06,
    1.0798853844438713e-06,
    -2.1266727479894664e-07,
    5.164154996988851e-08,
    -1.4665578811212324e-08,
    4.7033027636616916e-09,
    -1.6567269593951687e-09,
    6.32848600734026e-10,
    -2.7758256253151096e-10,
    1.2375002645863873e-10,
    -1.854885856511523e-11,
    3.475677955109186e-12,
    -5.011071335870982e-11,
    3.0330329715038467e-11,
    2.2160827936692544e-11,
    -1.4321526134962363e-11,
    -8.86347063753487e-12,
    5.499288063650921e-12,
)

# Of the orders 0 and 1.
NEAR_FIRST: Final = (_J0, _J1)
NEAR_SECOND: Final = (_Y0, _Y1)
WAVES: Final = ((_P0, _Q0), (_P1, _Q1))

# The first zeros of J_0 and J_1, each in two parts.
ZEROS: Final = (
    (2.404825557695773, -1.176691651530894e-16),
    (3.8317059702075125, -1.5269184090088067e-16),
)
MIDDLE: Final = 5.0
FURTHER: Final = 40  # orders above n at which the recurrence from above begins


def bessel_j(x: NDArray[Float] | Float, n: int) -> NDArray[Float]:
    """J_n(x) for an integer n >= 0; dtype as x."""

    def kernel(x: F64) -> F64:
        sign = np.where((x < 0) & (n % 2 == 1), -1.0, 1.0)
        return sign * _first_kind(n, np.abs(x))

    return pointwise(kernel, x)


def bessel_y(x: NDArray[Float] | Float, n: int) -> NDArray[Float]:
    """Y_n(x) for an integer n >= 0; dtype as x; -inf at 0, NaN for negative x."""

    def kernel(x: F64) -> F64:
        return piecewise(
            x, (x > 0, lambda x: _second_kind(n, x)), (x == 0, lambda x: np.full_like(x, -np.inf))
        )

    return pointwise(kernel, x)


# --- the orders 0 and 1 ----------------------------------------------------------------------------
def _first_kind(n: int, x: F64) -> F64:
    if n > 1:
        return piecewise(x, (x > n, lambda x: _rising(n, x)), (x <= n, lambda x: _falling(n, x)))
    return piecewise(
        x,
        (x < MIDDLE, lambda x: _first_near(n, x)),
        ((x >= MIDDLE) & (x < np.inf), lambda x: _waves(n, x)[0]),
        (x == np.inf, lambda x: np.zeros_like(x)),
    )


def _place(x: F64) -> F64:
    return x * x / 12.5 - 1


def _first_near(n: int, x: F64) -> F64:
    if n == 0:
        return np.where(x < 1e-3, 1 - 0.25 * x * x * (1 - 0.0625 * x * x), _by_zero(0, x))
    return x * _by_zero(1, x)


def _by_zero(n: int, x: F64) -> F64:
    """J_0(x) or J_1(x) / x."""
    zero, rest = ZEROS[n]
    factor = ((x - zero) - rest) * (x + zero)
    return factor * polynomial(NEAR_FIRST[n], _place(x))


def _second_near(n: int, x: F64) -> F64:
    log = np.log(x) * _first_near(n, x)
    if n == 0:
        return polynomial(NEAR_SECOND[0], _place(x)) + 2 / np.pi * log
    return x * polynomial(NEAR_SECOND[1], _place(x)) + 2 / np.pi * (log - 1 / x)


def _waves(n: int, x: F64) -> tuple[F64, F64]:
    """J_n and Y_n for finite x >= 5, with the cosine and sine of x - pi/4 and x - 3 pi/4 in those of x."""
    place = 2 * (MIDDLE / x) ** 2 - 1
    p, q = (polynomial(table, place) for table in WAVES[n])
    q = q / x
    cosine, sine = np.cos(x), np.sin(x)
    even, odd = cosine + sine, sine - cosine
    size = 1 / np.sqrt(np.pi) / np.sqrt(x)
    if n == 0:
        return size * (p * even - q * odd), size * (p * odd + q * even)
    return size * (p * odd + q * even), size * (q * odd - p * even)


# --- other orders ----------------------------------------------------------------------------------
def _rising(n: int, x: F64) -> F64:
    before, found = _first_kind(0, x), _first_kind(1, x)
    for k in range(1, n):
        before, found = found, 2 * k / x * found - before
    return found


def _falling(n: int, x: F64) -> F64:
    """From the quotient of the orders n + 1 and n, a continued fraction (DLMF 10.10.1)."""
    ratio = np.zeros_like(x)
    for k in range(n + FURTHER, n, -1):
        ratio = 1 / (2 * k / x - ratio)
    above, found = ratio, np.ones_like(x)
    for k in range(n, 1, -1):
        above, found = found, 2 * k / x * found - above
    first = found  # over J_n, as is what follows
    zeroth = 2 / x * found - above
    in_zeroth, in_first = _first_kind(0, x), _first_kind(1, x)
    use = np.isfinite(zeroth) & (np.abs(in_zeroth) > np.abs(in_first))
    value = np.where(use, in_zeroth / zeroth, in_first / first)
    return np.where(np.isfinite(first), value, 0.0)  # else it is below the range


def _second_kind(n: int, x: F64) -> F64:
    if n > 1:
        before, found = _second_kind(0, x), _second_kind(1, x)
        for k in range(1, n):
            step = 2 * k / x * found
            before, found = found, np.where(np.isinf(step), step, step - before)
        return found
    return piecewise(
        x,
        (x < MIDDLE, lambda x: _second_near(n, x)),
        ((x >= MIDDLE) & (x < np.inf), lambda x: _waves(n, x)[1]),
        (x == np.inf, lambda x: np.zeros_like(x)),
    )
