"""Ratios against peers, contenders interleaved in one run: `python -m benchmarks`."""
