#!/usr/bin/env python3
"""Writes classifiers.json.gz, what the tests of classifiers_test.go compare with.

Recipe, from this folder:

    OMP_NUM_THREADS=1 python3 classifiers.py

with scikit-learn 1.2 (it was made with 1.2.1, NumPy 1.24.2 and SciPy 1.10.1;
later ones dropped multi_class). Random numbers are those of PCG64(2021), the
archive has no time stamp, and the same versions write the same bytes.

Inputs are whole numbers, to be divided by "unit", so that both languages read
the same float64. Every case has training rows x with their labels; cases in
which a prediction hangs on the last digits, or in which scikit-learn does not
converge, are drawn again.

neighbours: queries, k, and the predictions of KNeighborsClassifier
    by metric (euclidean, cosine) and weights (uniform, distance).
    Some queries are training rows: these have neighbours at distance zero.
linear: c, alpha, and coef and intercept, one list a row with the intercept last,
    of LogisticRegression(multi_class="multinomial") at a tight tolerance:
    penalised   of x with a column of ones and without intercept
    free        with intercept
    ridge       of RidgeClassifier(alpha)
folds: cs, k, the fold of each row by StratifiedKFold, and the c which predicts
    most rows of all folds, the first of equals, of
    ovr         LogisticRegression(solver="liblinear")
    multinomial as penalised above
"""

import gzip
import json
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

warnings.filterwarnings("ignore")
warnings.filterwarnings("error", category=ConvergenceWarning)
UNIT = 256
rng = np.random.Generator(np.random.PCG64(2021))


def rounded(rows, digits):
    return [[float(f"{v:.{digits}g}") for v in row] for row in rows]


def training(rows, most_columns):
    """Overlapping classes with labels that are neither 0, 1, ... nor in order."""
    n, d, c = int(rng.integers(*rows)), int(rng.integers(1, most_columns)), int(rng.integers(2, 5))
    labels = rng.choice(10, c, replace=False)
    y = np.concatenate([labels, rng.choice(labels, n - c)])
    rng.shuffle(y)
    centres = rng.normal(0, 1, (10, d))
    return np.rint(UNIT * (centres[y] + rng.normal(0, rng.uniform(0.3, 1.5), (n, d)))).astype(int), y


def neighbours_case():
    while True:
        x, y = training((8, 20), 6)
        queries = np.rint(UNIT * rng.normal(0, 1.5, (4, x.shape[1]))).astype(int)
        queries[0] = x[0]
        k = int(rng.integers(1, 7))
        case = {"x": x.tolist(), "y": y.tolist(), "queries": queries.tolist(), "k": k}
        clear = bool((x != 0).any(1).all() and (queries != 0).any(1).all())
        for metric in ("euclidean", "cosine"):
            for weights in ("uniform", "distance"):
                if not clear:
                    break
                m = KNeighborsClassifier(k, weights=weights, metric=metric, algorithm="brute").fit(x / UNIT, y)
                distance, found = m.kneighbors(queries / UNIT, k + 1)
                clear &= bool((np.diff(distance, axis=1) > 1e-7).all())
                if weights == "distance":
                    for r, f in zip(distance[:, :k], found[:, :k]):
                        w = 1 / np.maximum(r, 1e-9)
                        votes = np.sort([w[y[f] == label].sum() for label in np.unique(y)])
                        clear &= bool(votes[-1] > votes[-2] * (1 + 1e-6))
                case[metric + "_" + weights] = m.predict(queries / UNIT).tolist()
        if clear:
            return case


def multinomial(c, free):
    return LogisticRegression(C=c, fit_intercept=free, multi_class="multinomial", solver="newton-cg", tol=1e-8, max_iter=100)


def with_ones(x):
    return np.hstack([x, np.ones((len(x), 1))])


def linear_case():
    x, y = training((6, 24), 24)
    c, alpha = float(rng.choice([0.01, 0.1, 1, 10, 100])), float(rng.choice([0.1, 1, 10]))
    free = multinomial(c, True).fit(x / UNIT, y)
    ridge = RidgeClassifier(alpha=alpha, solver="svd").fit(x / UNIT, y)
    return {
        "x": x.tolist(), "y": y.tolist(), "c": c, "alpha": alpha,
        "penalised": rounded(multinomial(c, False).fit(with_ones(x / UNIT), y).coef_, 9),
        "free": rounded(np.hstack([free.coef_, free.intercept_[:, None]]), 9),
        "ridge": rounded(np.hstack([ridge.coef_, ridge.intercept_[:, None]]), 14),
    }


def folds_case():
    while True:
        x, y = training((16, 40), 8)
        k = int(rng.integers(2, 6))
        if np.bincount(y).max() < k:
            continue
        cs = rng.permutation([0.01, 0.1, 1.0, 10.0])[:3]
        fold, clear, right = np.zeros(len(y), int), True, {}
        for q, (train, held) in enumerate(StratifiedKFold(k).split(x, y)):
            fold[held] = q
            if len(np.unique(y[train])) < 2:
                clear = False
                break
            for j, c in enumerate(cs):
                ovr = LogisticRegression(C=c, solver="liblinear", tol=1e-8, max_iter=1000)
                for name, m, z in (("ovr", ovr, x / UNIT), ("multinomial", multinomial(c, False), with_ones(x / UNIT))):
                    m.fit(z[train], y[train])
                    scores = m.decision_function(z[held])
                    if scores.ndim == 1:
                        gap = abs(scores)
                    else:
                        top = np.sort(scores, axis=1)
                        gap = top[:, -1] - top[:, -2]
                    clear &= bool((gap > 1e-3).all())
                    right[name, j] = right.get((name, j), 0) + int((m.predict(z[held]) == y[held]).sum())
        if clear:
            best = lambda name: float(cs[int(np.argmax([right[name, j] for j in range(len(cs))]))])
            return {
                "x": x.tolist(), "y": y.tolist(), "k": k, "cs": cs.tolist(), "fold": fold.tolist(),
                "ovr": best("ovr"), "multinomial": best("multinomial"),
            }


def drawn(case):
    while True:
        try:
            return case()
        except ConvergenceWarning:
            pass


cases = {
    "unit": UNIT,
    "neighbours": [drawn(neighbours_case) for _ in range(1000)],
    "linear": [drawn(linear_case) for _ in range(100)],
    "folds": [drawn(folds_case) for _ in range(100)],
}
text = json.dumps(cases, separators=(",", ":")).encode()
with open("classifiers.json.gz", "wb") as file:
    with gzip.GzipFile("", "wb", 9, file, mtime=0) as archive:
        archive.write(text)
