"""Special functions, under SciPy's names."""

from taglessad.special.error import erf as erf
from taglessad.special.error import erfc as erfc
from taglessad.special.error import erfinv as erfinv
from taglessad.special.gamma import betaln as betaln
from taglessad.special.gamma import digamma as digamma
from taglessad.special.gamma import gammaln as gammaln
from taglessad.special.gamma import polygamma as polygamma
from taglessad.special.information import entr as entr
from taglessad.special.information import expit as expit
from taglessad.special.information import log_expit as log_expit
from taglessad.special.information import log_softmax as log_softmax
from taglessad.special.information import logit as logit
from taglessad.special.information import logsumexp as logsumexp
from taglessad.special.information import softmax as softmax
from taglessad.special.information import xlog1py as xlog1py
from taglessad.special.information import xlogy as xlogy
