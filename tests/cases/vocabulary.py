"""The ids of all cases, and those that need a function which may not be there."""

from operator import attrgetter

import taglessad as tad

# id -> the public function without which the case has no meaning.
NEEDS = {}


def missing(case_id: str) -> str:
    """The function that a case needs and that is not there, or nothing."""
    name = NEEDS.get(case_id, "")
    try:
        if name:
            attrgetter(name)(tad)
    except AttributeError:
        return f"tad.{name}"
    return ""


IDS = """
adam-hypergradient-at-zero arccosh-huge arctan2-origin argnums-tuple-of-one
betainc-shape-derivative betaln-hessian broadcast-mask-reduced buffer-captured-and-filled
cholesky-logdet-symmetric clip-at-bound clip-by-norm-at-zero closure-scalar-in-vmap-shape
cond-is-nan-safe-under-vmap cumprod-zero custom-jvp-primal-must-be-function
custom-rule-array-nondiff-in-scan custom-rule-closed-over-value custom-rule-none-for-integer
custom-rule-wrong-shape custom-vjp-scan-vmap det-singular det-singular-hessian
detach-both-modes-agree detach-tangent-gauss-newton digamma-negative eigvals-sum-degenerate
expanded-view-sliced expm-at-zero expm1-left-tail fmod-broadcast gather-out-of-bounds-clip
gaussian-of-inf graph-is-freed has-aux-mistake hypot-second-derivative-at-axis hypot-tie
i0-second-derivative integer-input jacobian-of-empty keyword-arguments
log-sigmoid-second-derivative-tail logaddexp-associative-neg-inf logaddexp-pos-inf
logsumexp-one-neg-inf matmul-empty-batch max-plus-self-linearity max-reduction-tie
maximum-tie-with-constant median-even mixed-dtype-pytree-jacobian mse-mixed-dtypes nanvar-gradient
negative-argnum norm-hessian-integer-entries norm-squared-at-zero op-used-twice-accumulates
pairwise-masked-diagonal pc-gradient-of-nested-forward pc-inner-product pc-inner-sum
pc-nested-grad-same-point pc-same-function-reused pow-derivative-in-exponent-zero-base
pow-fifth-derivative-at-zero pow-int-exponents-fourth-mixed pow-mixed-second-derivative
pow-real-exponent-above-one prod-inner-zero-second prod-one-zero prod-two-zeros-hessian
python-branch-at-equality python-scalar-cotangent quantile-ties relu-at-zero relu6-upper-kink
scatter-computed-indices scatter-max-clipped-index scatter-mul-duplicates segment-sum-dropped-nan
setitem-kills-old-gradient shared-subexpression-doubling sigmoid-right-tail sinc-second-derivative
sinx-over-x-near-zero slice-off-pole slogdet-forward-mode slogdet-sign-output softmax-not-severed
sqrt-at-smallest-subnormal sqrt-of-product-on-axis std-of-constant sum-to-size-with-zero-dim
svd-equal-singular-values tanh-second-derivative-tiny tanh-tail tile-zero-times
triplet-loss-inactive-identical until-scan-offset unused-argument-zero var-of-constant
where-inf-constant where-nan-coefficient where-sqrt-negative-domain while-captured-array
while-zero-trips xlogy-zero-first-arg
""".split()
