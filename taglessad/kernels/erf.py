"""The error function, its complement and its inverse, to a few units in the last place.

The other kernels share `pointwise`, `piecewise` and `polynomial`, which stand here first.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

F64: TypeAlias = NDArray[np.float64]
Float = TypeVar("Float", bound="np.floating[Any]")  # Any: the precision, which dtypes carry


# Elements worked on at once: the temporaries stay in the cache, which is 2 to 3 times as fast.
_BLOCK: Final = 8192


def pointwise(f: Callable[[F64], F64], x: NDArray[Float] | Float) -> NDArray[Float]:
    """f of each element, computed in float64 on flat blocks; shape and dtype are those of x."""
    given = np.asarray(x)
    flat = given.ravel()
    result = np.empty_like(flat)
    for start in range(0, flat.size, _BLOCK):
        block = slice(start, start + _BLOCK)
        result[block] = f(flat[block].astype(np.float64, copy=False))
    return result.reshape(given.shape)


def piecewise(x: F64, *pieces: tuple[NDArray[np.bool_], Callable[[F64], F64]]) -> F64:
    """For each (where, f): f of the elements selected, and of no others; NaN outside all pieces."""
    result = np.full_like(x, np.nan)
    for where, f in pieces:
        index = np.flatnonzero(where)  # indices, as boolean masks select several times slower
        if index.size:
            result[index] = f(x[index])
    return result


def polynomial(coefficients: Sequence[float], x: F64) -> F64:
    """The sum of coefficients[k] * x**k, by Horner's rule."""
    result = np.full_like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result *= x
        result += coefficient
    return result


def erf(x: NDArray[Float] | Float) -> NDArray[Float]:
    """The error function, 2/sqrt(pi) times the integral of exp(-t**2) from 0 to x.

    Any shape; float16, float32 or float64, which the result keeps. Within 3 ulp everywhere;
    odd, so erf(-0.0) is -0.0. NIST DLMF 7.2.1; the division into ranges is Cody's (Rational
    Chebyshev approximations for the error function, Math. Comp. 23, 1969).
    """
    return pointwise(_erf, x)


def erfc(x: NDArray[Float] | Float) -> NDArray[Float]:
    """The complementary error function 1 - erf(x), without the cancellation.

    Any shape; float16, float32 or float64, which the result keeps. Within 5 ulp everywhere, the
    subnormal results from x = 26.55 to 27.23 included. NIST DLMF 7.2.2; that (1 + 2 x) exp(x**2)
    erfc(x) is nearly constant in (x - a)/(x + a) is from Shepherd and Laframboise, Chebyshev
    approximation of (1 + 2x) exp(x**2) erfc x, Math. Comp. 36 (1981).
    """
    return pointwise(_erfc, x)


def erfinv(x: NDArray[Float] | Float) -> NDArray[Float]:
    """The y for which erf(y) = x: infinite at -1 and 1, NaN beyond.

    Any shape; float16, float32 or float64, which the result keeps. Within 3 ulp everywhere.
    In -log(1 - x**2) and its square root erfinv is close to a polynomial: Giles, Approximating
    the erfinv function, GPU Computing Gems Jade Edition (2012), ch. 10.
    """
    return pointwise(_erfinv, x)


# All coefficients were computed for this file with mpmath at 60 digits: the polynomial that equals
# the function at the Chebyshev nodes of the interval. It differs from the function by less than
# 1e-17, relatively. Each function varies little over its interval, so that the constant term
# carries most of the value and the rounding errors of the others hardly count.

# Here erf and erfc are both 1/2: neither loses bits when it is taken from the other.
HALFWAY: Final = 0.4769

# erf(x)/x - 1 in x**2, for |x| <= 0.4769.
NEAR: Final = (
    0.1283791670955126,
    -0.37612638903183754,
    0.11283791670955004,
    -0.026866170645062658,
    0.00522397762347953,
    -0.0008548326700674133,
    0.00012055300630501441,
    -1.4923639782554364e-05,
    1.6386324685923713e-06,
    -1.4769600846455443e-07,
)

# (x + 1/2) exp(x**2) erfc(x) in (x - 2)/(x + 3), for x from 0.4768 to 28.01.
FAR: Final = (
    0.6384891907762643,
    -0.05797739161609135,
    -0.11521690023292024,
    0.22143836525014474,
    -0.20975623304860977,
    0.12188544238224674,
    -0.036914811311096286,
    -0.0026011046522625755,
    0.0063417136728372014,
    -0.0008371890589807539,
    -0.0010077439083258236,
    0.00022032675528487584,
    0.0001959077214061289,
    -3.686051369495316e-05,
    -4.5091597600085105e-05,
    2.071424907042028e-06,
    1.0723744908508953e-05,
    2.3761025598327686e-06,
    -2.8533529684619537e-06,
    -1.6267904568532687e-06,
    1.611415518218163e-06,
    -3.396130439527391e-07,
)

# erfinv(x)/x in w - 1, where w = -log(1 - x**2), for w up to 3.23.
CENTRE: Final = (
    1.1273743936892278,
    0.24783287028621093,
    0.004250709244824769,
    -0.0023763699555789945,
    0.00010012177623056852,
    3.8201872488484654e-05,
    -4.275585713850584e-06,
    -5.652252340826973e-07,
    1.2231714962590608e-07,
    6.040148127200821e-09,
    -3.0241871454266214e-09,
    1.657061621093042e-11,
    6.760508797863775e-11,
    -3.725402360160599e-12,
    -1.3742272864284739e-12,
    1.571684799171031e-13,
    2.5268754149016194e-14,
    -6.6144965806417055e-15,
    4.3476984081550423e-16,
)

# erfinv(x)/s in (s - 3)/(s + 4), where s = sqrt(-log(1 - x**2)), for s from 1.796 to 6.01.
TAIL: Final = (
    0.944267328259603,
    0.13625512672873313,
    -0.06989325416281651,
    -0.18891051427843936,
    0.4902272262755905,
    -0.21984290969079606,
    -2.0762365941962724,
    5.822941122789267,
    3.1128094395474153,
    -48.8622127538651,
    51.54524456967128,
    297.3051499501738,
    -723.5763493591104,
    -1331.3889459157037,
    6051.365022767328,
    2999.18304646492,
    -37324.673657704254,
    16990.128305689548,
    156462.08807446976,
    -256181.5933101587,
    -146040.32615763322,
    1479366.3436914955,
    -4038348.41045847,
    -1041902.3776983637,
    32284021.299739715,
    -46377495.92753985,
    -73555823.89584626,
    240136587.80630907,
    -171134624.4251055,
)


def _erf(x: F64) -> F64:
    near = np.abs(x) < HALFWAY
    return piecewise(x, (near, _erf_near), (~near, _erf_far))


def _erfc(x: F64) -> F64:
    return piecewise(
        x,
        (np.abs(x) < HALFWAY, lambda x: 1 - _erf_near(x)),
        (x >= HALFWAY, _erfc_far),
        (x <= -HALFWAY, lambda x: 2 - _erfc_far(-x)),
    )


def _erf_near(x: F64) -> F64:
    # The part added to x is small: its rounding errors hardly count.
    return x + x * polynomial(NEAR, x * x)


def _erf_far(x: F64) -> F64:
    return np.copysign(1 - _erfc_far(np.abs(x)), x)


def _erfc_far(x: F64) -> F64:
    """erfc for x >= 0.4769, as exp(-x**2) times a smooth function."""
    x = np.minimum(x, 28.0)  # the result is 0 from 27.3 on; infinities would give NaN below
    smooth = erfc_scaled(x)
    # x**2 = square + error exactly (Dekker, Numer. Math. 18, 1971), and exp(-error) = 1 - error.
    square = x * x
    high = x * 134217729.0  # 2**27 + 1
    high -= high - x
    low = x - high
    error = ((high * high - square) + 2 * high * low) + low * low
    smooth -= smooth * error
    # Where exp(-square) would be subnormal it is two factors, so that only the result is rounded.
    deep = square > 700
    first = np.exp(np.where(deep, -0.5 * square, -square))
    return first * smooth * np.where(deep, first, 1.0)


def erfc_scaled(x: F64) -> F64:
    """exp(x**2) erfc(x) for x from 0.4769 to 28."""
    return polynomial(FAR, (x - 2) / (x + 3)) / (x + 0.5)


def _erfinv(x: F64) -> F64:
    size = np.abs(x)
    return piecewise(
        x,
        (size < 0.98, _erfinv_centre),
        ((size >= 0.98) & (size < 1), _erfinv_tail),
        (size == 1, lambda x: x * np.inf),
    )


def _minus_log_one_minus_square(x: F64) -> F64:
    return -np.log((1 - x) * (1 + x))


def _erfinv_centre(x: F64) -> F64:
    return x * polynomial(CENTRE, _minus_log_one_minus_square(x) - 1)


def _erfinv_tail(x: F64) -> F64:
    s = np.sqrt(_minus_log_one_minus_square(x))
    return np.copysign(s * polynomial(TAIL, (s - 3) / (s + 4)), x)
