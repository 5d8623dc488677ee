"""What the benchmarks share: turns, ratios with intervals, arguments."""

import argparse
import json
import math
import random
import statistics
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def turning(sides, number):
    """All sides, another one first in every round."""
    first = number % len(sides)
    return sides[first:] + sides[:first]


def bootstrap(values, draws=10000):
    """95 % percentile interval of the median; the same every time. Fewer than five values tell too
    little of how far they scatter: of three it would hold the truth in only 75 %."""
    if len(values) < 5:
        return -math.inf, math.inf
    generator = random.Random(1)
    medians = sorted(statistics.median(generator.choices(values, k=len(values))) for _ in range(draws))
    return medians[int(0.025 * draws)], medians[int(0.975 * draws) - 1]


def as_json(row):
    """One line; JSON has no infinity."""
    return json.dumps({key: None if isinstance(value, float) and math.isinf(value) else value
                       for key, value in row.items()})


def networks(text):
    chosen = []
    for entry in text.split(","):
        model, _, batch = entry.partition(":")
        if not batch.isdigit() or int(batch) == 0:
            raise argparse.ArgumentTypeError(f"'{entry}' is not MODEL:BATCH")
        chosen.append((model, int(batch)))
    return chosen


def positive(text):
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive number")
    return int(text)
