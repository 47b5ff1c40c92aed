"""The kernels of the special functions by the names of their primitives: operands, then parameters."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from taglessad.kernels import boxcox, gamma_function, incomplete, smooth
from taglessad.kernels.bessel import bessel_i, bessel_i_scaled
from taglessad.kernels.bessel_waves import bessel_j, bessel_y
from taglessad.kernels.beta_derivatives import beta, binom
from taglessad.kernels.erf import erf, erfc, erfinv
from taglessad.kernels.erfcx import erfcinv, erfcx, log_ndtr, ndtr
from taglessad.kernels.gamma import gammaln, polygamma
from taglessad.kernels.lambert import lambertw
from taglessad.kernels.sinc import sinc
from taglessad.kernels.zeta import zeta


def _polygamma(x: NDArray[Any], n: int) -> NDArray[Any]:  # Any: the dtype is data
    return polygamma(n, x)


SPECIAL: Final[dict[str, Callable[..., Any]]] = {  # Any: arrays and static parameters
    "erf": erf,
    "erfc": erfc,
    "erfinv": erfinv,
    "erfcinv": erfcinv,
    "erfcx": erfcx,
    "ndtr": ndtr,
    "log_ndtr": log_ndtr,
    "gamma": gamma_function.gamma,
    "gammaln": gammaln,
    "polygamma": _polygamma,
    "polygamma_difference": gamma_function.polygamma_difference,
    "beta": beta,
    "betaln": gamma_function.betaln,
    "binom": binom,
    "poch": gamma_function.poch,
    "zeta": zeta,
    "gammainc": incomplete.gammainc,
    "gammaincc": incomplete.gammaincc,
    "gamma_density": incomplete.gamma_density,
    "betainc": incomplete.betainc,
    "beta_density": incomplete.beta_density,
    "bessel_i": bessel_i,
    "bessel_i_scaled": bessel_i_scaled,
    "bessel_j": bessel_j,
    "bessel_y": bessel_y,
    "lambertw": lambertw,
    "expn": incomplete.expn,
    "expi": smooth.expi,
    "exprel": smooth.exprel,
    "spence": smooth.spence,
    "cosm1": smooth.cosm1,
    "sinc": sinc,
    "boxcox": boxcox.boxcox,
    "inv_boxcox": boxcox.inv_boxcox,
    "entr": smooth.entr,
    "rel_entr": smooth.rel_entr,
    "kl_div": smooth.kl_div,
    "cbrt": np.cbrt,
    "logaddexp2": np.logaddexp2,
}
