#!/usr/bin/env python3
"""Writes rankings.json.gz, what ranking_test.go and compare_test.go compare with.

Recipe, from this folder:

    python3 rankings.py

with NumPy >= 1.24, SciPy >= 1.10 and scikit-learn >= 1.2 (it was made with
1.24.2, 1.10.1 and 1.2.1). The same versions write the same bytes: random
numbers are those of PCG64(2021) and the archive has no time stamp.

Two lists of 1,000 random cases each. Inputs are whole numbers, to be divided by
"unit", so that both languages read the same float64; expected numbers have 15
digits.

rankings: positive, negative (scores, most with ties), k, and
    auc      roc_auc_score
    ap       average_precision_score
    hits     share of the positives above the k-th largest negative
comparisons: a, b (measured on the same splits), level, train, test, and
    t, p     statistic and two-sided p-value of ttest_rel; null where all differences are equal
    half     half the width of the interval of confidence of the mean
    wide     half the width with the correction of Nadeau and Bengio
"""

import gzip
import json

import numpy as np
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score

UNIT = 32
CASES = 1000
rng = np.random.Generator(np.random.PCG64(2021))


def digits(v):
    return float(f"{v:.15g}")


def quantile(tail, degrees):
    """Where Student's upper tail is so large: SciPy gives 10 digits, Newton's steps the rest."""
    t = stats.t.isf(tail, degrees)
    for _ in range(3):
        t += (stats.t.sf(t, degrees) - tail) / stats.t.pdf(t, degrees)
    return t


def ranking_case():
    spread, shift = rng.choice([1, 4, 30, 300]), rng.uniform(-1, 2)
    draw = lambda mean: np.rint(rng.normal(mean, 1, rng.integers(1, 21)) * spread).astype(int)
    positive, negative = draw(shift), draw(0)
    k = int(rng.integers(1, len(negative) + 1))
    truth = np.repeat([1, 0], [len(positive), len(negative)])
    scores = np.concatenate([positive, negative]) / UNIT
    return {
        "positive": positive.tolist(), "negative": negative.tolist(), "k": k,
        "auc": digits(roc_auc_score(truth, scores)),
        "ap": digits(average_precision_score(truth, scores)),
        "hits": digits((positive > np.sort(negative)[-k]).mean()),
    }


def comparison_case():
    n, spread = int(rng.integers(2, 26)), rng.choice([1, 8, 64])
    a = np.rint(rng.normal(80 * UNIT, spread, n)).astype(int)
    b = np.rint(a - rng.normal(rng.uniform(-1, 1) * spread, spread, n)).astype(int)
    level, train, test = float(rng.choice([0.5, 0.9, 0.95, 0.99])), int(rng.integers(1, 100)), int(rng.integers(1, 100))
    difference = (a - b) / UNIT
    constant = (difference == difference[0]).all()
    t, p = (None, None) if constant else map(digits, stats.ttest_rel(a / UNIT, b / UNIT))
    reach = quantile((1 - level) / 2, n - 1) * difference.std(ddof=1)
    return {
        "a": a.tolist(), "b": b.tolist(), "level": level, "train": train, "test": test,
        "t": t, "p": p,
        "half": digits(reach * np.sqrt(1 / n)),
        "wide": digits(reach * np.sqrt(1 / n + test / train)),
    }


cases = {
    "unit": UNIT,
    "rankings": [ranking_case() for _ in range(CASES)],
    "comparisons": [comparison_case() for _ in range(CASES)],
}
text = json.dumps(cases, separators=(",", ":")).encode()
with open("rankings.json.gz", "wb") as file:
    with gzip.GzipFile("", "wb", 9, file, mtime=0) as archive:
        archive.write(text)
