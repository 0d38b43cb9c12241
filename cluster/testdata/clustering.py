#!/usr/bin/env python3
"""Writes clustering.json.gz, what the tests of labellings, clusters and k-means compare with.

Recipe, from this folder:

    python3 clustering.py

with NumPy >= 1.24, SciPy >= 1.10 and scikit-learn >= 1.2 (it was made with 1.24.2,
1.10.1 and 1.2.1). The same versions write the same numbers but for the last digit:
the random ones are those of PCG64(2021), and the archive has no time stamp.

cases: 1,000 random labellings, among them labellings of one class, of classes that are all
different, and of classes that only one side has. Expected numbers have 15
digits. "pred" and "true" label the same things, and

    acc, micro, macro      accuracy_score, f1_score
    mapped                 accuracy under the best one-to-one map of pred to true,
                           by SciPy's linear_sum_assignment
    mappedF1               macro F1 over the classes of true under every best map
                           there is, all of them tried; null where they are too many
    nmi                    normalized_mutual_info_score
    x, silhouette          whole numbers, to be divided by "unit", and
                           silhouette_score of exact distances; null where undefined
    edges, weights, q      a graph of the things (whole weights) and the modularity of
                           pred on it, of the dense matrix of the definition; null
                           where there are no edges
    cost, rows, best       a matrix of whole numbers, row after row, and the largest
                           sum of an assignment

kmeans: 1,000 runs of KMeans from given centres, "start", on rows of whole numbers
    x; centres, labels, inertia and iterations are what it found. Every second starts
    with a centre so far off that its cluster is empty.
"""

import gzip
import itertools
import json
import math
import warnings

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial import distance
from sklearn import metrics
from sklearn.cluster import KMeans

warnings.filterwarnings("ignore")
UNIT = 32
CASES = 1000
rng = np.random.Generator(np.random.PCG64(2021))


def digits(v):
    return float(f"{v:.15g}")


def labels(n):
    kind = rng.integers(8)
    if kind == 0:
        return np.full(n, rng.integers(-2, 3))
    if kind == 1:
        return rng.permutation(n)
    return rng.integers(0, rng.integers(2, 6), n) * rng.integers(1, 4) - rng.integers(0, 3)


def alike(true):
    """Labels that agree with true up to names and a few mistakes."""
    names = dict(zip(np.unique(true), rng.permutation(len(np.unique(true)) + 2)))
    wrong = rng.random(len(true)) < 0.3
    return np.where(wrong, rng.integers(0, 5, len(true)), [names[t] for t in true])


def best_maps(pred, true):
    table = metrics.cluster.contingency_matrix(true, pred)
    rows, cols = linear_sum_assignment(table, maximize=True)
    best = table[rows, cols].sum()
    small, large = sorted(table.shape)
    if math.perm(large, small) > 2000:
        return best / len(true), None
    classes, clusters = np.unique(true), np.unique(pred)
    scores = set()
    for chosen in itertools.permutations(range(large), small):
        pairs = list(zip(range(small), chosen))
        if table.shape[0] > table.shape[1]:
            pairs = [(row, col) for col, row in pairs]
        if sum(table[p] for p in pairs) != best:
            continue
        stands_for = {clusters[col]: classes[row] for row, col in pairs}
        mapped = [stands_for.get(c, -99) for c in pred]
        scores.add(digits(metrics.f1_score(true, mapped, labels=classes, average="macro", zero_division=0)))
    return best / len(true), sorted(scores)


def modularity(pred, edges, weights):
    if not edges:
        return None
    a = np.zeros((len(pred), len(pred)))
    for (u, v), w in zip(edges, weights):
        a[u, v] = a[v, u] = w
    k = a.sum(0)
    same = pred[:, None] == pred[None, :]
    return digits(((a - np.outer(k, k) / k.sum()) * same).sum() / k.sum())


def case():
    n, d = int(rng.integers(1, 11)), int(rng.integers(1, 4))
    true = labels(n)
    pred = labels(n) if rng.random() < 0.5 else alike(true)
    mapped, mapped_f1 = best_maps(pred, true)
    whole = rng.integers(-64, 65, (n, d))
    silhouette = None
    if 2 <= len(np.unique(pred)) <= n - 1:
        gaps = distance.squareform(distance.pdist(whole / UNIT))
        silhouette = digits(metrics.silhouette_score(gaps, pred, metric="precomputed"))
    edges = [(i, j) for i in range(n) for j in range(i + 1, n) if rng.random() < 0.5]
    weights = [int(w) for w in rng.integers(1, 4, len(edges))]
    cost = rng.integers(-3, 10, rng.integers(1, 5, 2))
    rows, cols = linear_sum_assignment(cost, maximize=True)
    return {
        "pred": pred.tolist(), "true": true.tolist(),
        "acc": digits(metrics.accuracy_score(true, pred)),
        "micro": digits(metrics.f1_score(true, pred, average="micro")),
        "macro": digits(metrics.f1_score(true, pred, average="macro")),
        "mapped": digits(mapped), "mappedF1": mapped_f1,
        "nmi": digits(metrics.normalized_mutual_info_score(true, pred)),
        "x": whole.tolist(), "silhouette": silhouette,
        "edges": edges, "weights": weights, "q": modularity(pred, edges, weights),
        "cost": cost.ravel().tolist(), "rows": cost.shape[0], "best": int(cost[rows, cols].sum()),
    }


def kmeans_case(number):
    n, d, k = int(rng.integers(6, 11)), int(rng.integers(1, 3)), int(rng.integers(2, 5))
    x = rng.integers(-999, 1000, (n, d))
    start = x[rng.choice(n, k, replace=False)].copy()
    if number % 2:
        start[rng.integers(k)] += 50000
    model = KMeans(k, init=start, n_init=1).fit(x.astype(float))
    return {
        "x": x.tolist(), "start": start.tolist(), "labels": model.labels_.tolist(), "iterations": model.n_iter_,
        "centres": [[digits(v) for v in row] for row in model.cluster_centers_], "inertia": digits(model.inertia_),
    }


cases = {
    "unit": UNIT,
    "cases": [case() for _ in range(CASES)],
    "kmeans": [kmeans_case(number) for number in range(CASES)],
}
text = json.dumps(cases, separators=(",", ":")).encode()
with open("clustering.json.gz", "wb") as file:
    with gzip.GzipFile("", "wb", 9, file, mtime=0) as archive:
        archive.write(text)
