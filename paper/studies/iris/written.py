"""IrisMP as the text of the paper has it: measurements as they are, and sigma = 0.6."""

from __future__ import annotations

from collections.abc import Iterator

from paper.studies.iris.variants import Variant

SIGMA = 0.6
#: What "a Gaussian kernel with sigma = 0.6" may be: p and γ in exp(−γ d^p). The second one is that
#: of the function of scikit-image that the appendix links for its example, the third one is how the
#: appendix writes that kernel, and the last one is how the shipped generator takes sigma.
KERNELS: dict[str, tuple[int, float]] = {
    "exp(-d²/(2·0.6²))": (2, 1 / (2 * SIGMA**2)),
    "exp(-d²/0.6)": (2, 1 / SIGMA),
    "exp(-d/0.6)": (1, 1 / SIGMA),
    "exp(-d²/0.6²)": (2, 1 / SIGMA**2),
    "exp(-(0.6·d)²)": (2, SIGMA**2),
}
#: The first one: what a Gaussian kernel is in textbooks.
TEXTBOOK = next(iter(KERNELS))


def written() -> Iterator[tuple[str, Variant, float]]:
    """Yield each kernel with both ways to draw data points uniformly, and its γ."""
    for kernel, (power, gamma) in KERNELS.items():
        for sampling in ("without replacement", "with replacement"):
            yield kernel, Variant("raw", "two", sampling, power), gamma
