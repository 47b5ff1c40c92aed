"""Functions of numbers and of neural networks, by the same name in each library.

What another library lacks is a formula, written from its definition and good for operands of
order 1, which is what random programs have; then the library's own derivatives are those of the
formula. What is not here at all (`Op.others`) has no formula that could be differentiated twice.
"""

import math
from typing import Any

import numpy as np

import taglessad as tad

# In `tad.special`, `jax.scipy.special` and `torch.special` alike.
EVERYWHERE = (
    *("erf", "erfc", "erfinv", "ndtr", "ndtri", "log_ndtr", "gammaln", "digamma", "polygamma"),
    *("i0", "i0e", "i1", "i1e", "entr", "xlogy", "xlog1py", "logit", "multigammaln", "zeta"),
)
# In `tad.special` and `jax.scipy.special`.
NOT_IN_TORCH = (
    *("expi", "exp1", "expn", "spence", "betainc", "gammainc", "gammaincc", "gamma", "betaln"),
    *("rel_entr", "kl_div", "beta"),
)
# In `tad.special` only; some have formulas below.
ONLY_HERE = (
    *("erfcinv", "erfcx", "exprel", "cosm1", "boxcox", "inv_boxcox", "log_expit", "binom", "poch"),
    *("j0", "j1", "y0", "y1", "lambertw"),
)
ACTIVATIONS = (
    *("relu", "sigmoid", "softplus", "silu", "elu", "celu", "selu", "leaky_relu", "mish"),
    *("hard_tanh", "soft_sign", "log_sigmoid", "relu6", "hard_sigmoid", "hard_silu"),
)


class OurFunctions:
    """This library's."""

    softmax = staticmethod(tad.nn.functional.softmax)
    log_softmax = staticmethod(tad.nn.functional.log_softmax)
    logsumexp = staticmethod(tad.special.logsumexp)
    gelu = staticmethod(tad.nn.functional.gelu)
    cbrt = staticmethod(tad.cbrt)
    logaddexp2 = staticmethod(tad.logaddexp2)

    def attention(self, q: Any, k: Any, v: Any, causal: bool) -> Any:
        return tad.nn.functional.scaled_dot_product_attention(q, k, v, causal=causal)

    def cross_entropy(self, logits: Any, labels: Any) -> Any:
        return tad.mean(tad.nn.functional.cross_entropy(logits, tad.asarray(np.asarray(labels))))

    def huber(self, x: Any, y: Any) -> Any:
        return tad.nn.functional.huber(x, y, delta=0.5)


for _name in (*EVERYWHERE, *NOT_IN_TORCH, *ONLY_HERE):
    setattr(OurFunctions, _name, staticmethod(getattr(tad.special, _name)))
for _name in ACTIVATIONS:
    setattr(OurFunctions, _name, staticmethod(getattr(tad.nn.functional, _name)))


class Formulas:
    """What JAX and PyTorch have in common: formulas, in terms of their own functions."""

    xp: Any
    logsumexp: Any
    softmax: Any

    def erfcinv(self, x: Any) -> Any:
        return self.erfinv(1.0 - x)

    def exprel(self, x: Any) -> Any:
        return self.xp.expm1(x) / x

    def cosm1(self, x: Any) -> Any:
        return -2.0 * self.xp.sin(0.5 * x) ** 2

    def boxcox(self, x: Any, power: float) -> Any:
        return self.xp.expm1(power * self.xp.log(x)) / power

    def inv_boxcox(self, x: Any, power: float) -> Any:
        return self.xp.exp(self.xp.log1p(power * x) / power)

    def binom(self, n: Any, k: Any) -> Any:
        top, rest = self.gammaln(n + 1.0), self.gammaln(n - k + 1.0)
        return self.xp.exp(top - self.gammaln(k + 1.0) - rest)

    def betaln(self, a: Any, b: Any) -> Any:
        return self.gammaln(a) + self.gammaln(b) - self.gammaln(a + b)

    def beta(self, a: Any, b: Any) -> Any:
        return self.xp.exp(self.betaln(a, b))

    def log_expit(self, x: Any) -> Any:
        return self.log_sigmoid(x)

    def logaddexp2(self, a: Any, b: Any) -> Any:
        return self.xp.logaddexp(a * math.log(2.0), b * math.log(2.0)) / math.log(2.0)

    def cross_entropy(self, logits: Any, labels: Any) -> Any:
        rows = self.log_softmax(logits, axis=-1)
        return -self.xp.mean(self.stack([rows[i, j] for i, j in enumerate(labels)]))

    def huber(self, x: Any, y: Any) -> Any:
        far = self.xp.abs(x - y)
        return self.xp.mean(self.xp.where(far <= 0.5, 0.5 * far * far, 0.5 * (far - 0.25)))

    def attention(self, q: Any, k: Any, v: Any, causal: bool) -> Any:
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        if causal:
            seen = np.tril(np.ones(tuple(scores.shape), bool))
            scores = self.xp.where(self.array(seen), scores, self.array(np.float64(-np.inf)))
        return self.softmax(scores, axis=-1) @ v


class JaxFunctions(Formulas):
    """JAX's, after `_functions`."""

    def _functions(self) -> None:
        import jax

        special, nn = jax.scipy.special, jax.nn
        for name in (*EVERYWHERE, *NOT_IN_TORCH, "logsumexp"):
            if name not in ("beta", "betaln"):  # theirs is off by 6e-7 at (9.3, 1.2)
                setattr(self, name, getattr(special, name))
        for name in ("softmax", "log_softmax", "gelu"):
            setattr(self, name, getattr(nn, name))
        for name in ACTIVATIONS:
            setattr(self, name, getattr(nn, name))
        self.cbrt, self.logaddexp2 = jax.numpy.cbrt, jax.numpy.logaddexp2

    def erfcx(self, x: Any) -> Any:
        return self.xp.exp(x * x) * self.erfc(x)


class TorchFunctions(Formulas):
    """PyTorch's, after `_functions`."""

    def _functions(self) -> None:
        import torch

        for name in (*EVERYWHERE, "erfcx"):
            setattr(self, name, getattr(torch.special, name))
        theirs = {"sigmoid": "sigmoid", "hard_tanh": "hardtanh", "soft_sign": "softsign"}
        theirs |= {"hard_silu": "hardswish", "log_sigmoid": "logsigmoid"}
        for name in sorted(set(ACTIVATIONS) - {"hard_sigmoid"}):
            setattr(self, name, getattr(torch.nn.functional, theirs.get(name, name)))
        self.torch = torch

    def hard_sigmoid(self, x: Any) -> Any:
        return self.torch.clip(x + 3.0, 0.0, 6.0) / 6.0  # theirs has no second derivative

    def gelu(self, x: Any) -> Any:
        return self.torch.nn.functional.gelu(x, approximate="tanh")

    def softmax(self, x: Any, axis: int) -> Any:
        return self.torch.softmax(x, dim=axis)

    def log_softmax(self, x: Any, axis: int) -> Any:
        return self.torch.log_softmax(x, dim=axis)

    def logsumexp(self, x: Any, axis: int) -> Any:
        return self.torch.logsumexp(x, dim=axis)

    def gamma(self, x: Any) -> Any:
        return self.torch.exp(self.gammaln(x))

    def rel_entr(self, x: Any, y: Any) -> Any:
        return self.xlogy(x, x / y)

    def kl_div(self, x: Any, y: Any) -> Any:
        return self.xlogy(x, x / y) - x + y

    def cbrt(self, x: Any) -> Any:
        return self.torch.sign(x) * self.torch.abs(x) ** (1.0 / 3.0)
