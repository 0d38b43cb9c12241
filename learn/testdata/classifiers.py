#!/usr/bin/env python3
"""Writes classifiers.json.gz, what TestCrossValidationChoosesAsScikitLearnWould compares with.

Recipe, from this folder:

    OMP_NUM_THREADS=1 python3 classifiers.py

with scikit-learn 1.2 (it was made with 1.2.1, NumPy 1.24.2 and SciPy 1.10.1;
later ones dropped multi_class). Random numbers are those of PCG64(2021), and the
archive has no time stamp. The cases that it holds came behind others, since left
out, from the same generator: run anew, this writes other cases of the same kind.

Inputs are whole numbers, to be divided by "unit", so that both languages read
the same float64. Every case has training rows x with their labels y; cases in
which a prediction hangs on the last digits, or in which scikit-learn does not
converge, are drawn again.

folds: cs, k, the fold of each row by StratifiedKFold, and the c which predicts
    most rows of all folds, the first of equals, of
    ovr         LogisticRegression(solver="liblinear")
"""

import gzip
import json
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

warnings.filterwarnings("ignore")
warnings.filterwarnings("error", category=ConvergenceWarning)
UNIT = 256
rng = np.random.Generator(np.random.PCG64(2021))


def training(rows, most_columns):
    """Overlapping classes with labels that are neither 0, 1, ... nor in order."""
    n, d, c = int(rng.integers(*rows)), int(rng.integers(1, most_columns)), int(rng.integers(2, 5))
    labels = rng.choice(10, c, replace=False)
    y = np.concatenate([labels, rng.choice(labels, n - c)])
    rng.shuffle(y)
    centres = rng.normal(0, 1, (10, d))
    return np.rint(UNIT * (centres[y] + rng.normal(0, rng.uniform(0.3, 1.5), (n, d)))).astype(int), y


def folds_case():
    while True:
        x, y = training((16, 40), 8)
        k = int(rng.integers(2, 6))
        if np.bincount(y).max() < k:
            continue
        cs = rng.permutation([0.01, 0.1, 1.0, 10.0])[:3]
        fold, clear, right = np.zeros(len(y), int), True, [0] * len(cs)
        for q, (train, held) in enumerate(StratifiedKFold(k).split(x, y)):
            fold[held] = q
            if len(np.unique(y[train])) < 2:
                clear = False
                break
            for j, c in enumerate(cs):
                ovr = LogisticRegression(C=c, solver="liblinear", tol=1e-8, max_iter=1000)
                ovr.fit(x[train] / UNIT, y[train])
                scores = ovr.decision_function(x[held] / UNIT)
                if scores.ndim == 1:
                    gap = abs(scores)
                else:
                    top = np.sort(scores, axis=1)
                    gap = top[:, -1] - top[:, -2]
                clear &= bool((gap > 1e-3).all())
                right[j] += int((ovr.predict(x[held] / UNIT) == y[held]).sum())
        if clear:
            return {
                "x": x.tolist(), "y": y.tolist(), "k": k, "cs": cs.tolist(), "fold": fold.tolist(),
                "ovr": float(cs[int(np.argmax(right))]),
            }


def drawn(case):
    while True:
        try:
            return case()
        except ConvergenceWarning:
            pass


cases = {
    "unit": UNIT,
    "folds": [drawn(folds_case) for _ in range(100)],
}
text = json.dumps(cases, separators=(",", ":")).encode()
with open("classifiers.json.gz", "wb") as file:
    with gzip.GzipFile("", "wb", 9, file, mtime=0) as archive:
        archive.write(text)
