#!/usr/bin/env python3
"""Writes diagnostics.json.gz, what the tests of homophily, scores of pairs and densities compare with.

Recipe, from this folder:

    python3 diagnostics.py

with NumPy >= 1.24 and SciPy >= 1.10 (it was made with 1.24.2 and 1.10.1). The same
versions write the same numbers but for the last digit: the random ones are those of
PCG64(2021), and the archive has no time stamp.

Two lists of 1,000 random cases each. Inputs are whole numbers, to be divided
by "unit", so that both languages read the same float64; expected numbers have 15
digits. Every one is computed by a function of SciPy where there is one, else
from the dense matrices of the definition.

graphs: x (n rows), edges, labels, pairs without an edge, and
    node, edge, random     homophily
    dots                   products of the pairs, exact, times unit squared
samples: x, y of different sizes, h (0: Silverman's rule), points, and
    silverman              bandwidth of x
    at, density            density of x at the points "at"
    js                     divergence of the two densities on one grid
    w                      Wasserstein distance
"""

import gzip
import json

import numpy as np
from scipy import stats
from scipy.spatial import distance

UNIT = 32
CASES = 1000
rng = np.random.Generator(np.random.PCG64(2021))


def digits(v):
    return float(f"{v:.15g}")


def graph_case():
    while True:
        n, d = int(rng.integers(3, 8)), int(rng.integers(1, 5))
        upper = [(i, j) for i in range(n) for j in range(i + 1, n)]
        joined = rng.random(len(upper)) < rng.uniform(0.2, 0.8)
        edges = [e for e, is_edge in zip(upper, joined) if is_edge]
        apart = [e for e, is_edge in zip(upper, joined) if not is_edge]
        if edges and apart:
            break
    whole = rng.integers(-64, 65, (n, d))
    x = whole / UNIT
    labels = rng.integers(0, 3, n)
    pairs = [apart[i] for i in rng.integers(0, len(apart), 5)]
    adjacency = np.zeros((n, n))
    for i, j in edges:
        adjacency[i, j] = adjacency[j, i] = 1
    same = labels[:, None] == labels[None, :]
    degree = adjacency.sum(1)
    share = np.bincount(labels) / n
    gram = x @ x.T
    return {
        "x": whole.tolist(), "edges": edges, "labels": labels.tolist(), "pairs": pairs,
        "node": digits(((adjacency * same).sum(1)[degree > 0] / degree[degree > 0]).mean()),
        "edge": digits((adjacency * same).sum() / adjacency.sum()),
        "random": digits((share**2).sum()),
        "dots": [int(gram[i, j] * UNIT**2) for i, j in pairs],
    }


def samples_case():
    draw = lambda: np.rint(rng.normal(rng.uniform(-2, 2), rng.uniform(0.3, 2), rng.integers(3, 11)) * UNIT)
    while True:
        whole_x, whole_y = draw(), draw()
        if whole_x.std() > 4 and whole_y.std() > 4:
            break
    x, y = whole_x / UNIT, whole_y / UNIT
    h = float(rng.choice([0, 0, 0.25, 0.5, 1]))
    kde = lambda s: stats.gaussian_kde(s, "silverman" if h == 0 else h / s.std(ddof=1))
    width = lambda k: float(np.sqrt(k.covariance[0, 0]))
    kx, ky = kde(x), kde(y)
    wide = max(width(kx), width(ky))
    lo, hi = min(x.min(), y.min()) - 5 * wide, max(x.max(), y.max()) + 5 * wide
    points = int(rng.integers(8, 100))
    while (hi - lo) / (points - 1) > 0.99 * min(width(kx), width(ky)):
        points *= 2
    grid = np.linspace(lo, hi, points)
    at = rng.integers(-4 * UNIT, 4 * UNIT + 1, 3)
    return {
        "x": whole_x.astype(int).tolist(), "y": whole_y.astype(int).tolist(), "h": h, "points": points,
        "silverman": digits(width(stats.gaussian_kde(x, "silverman"))),
        "at": at.tolist(), "density": [digits(v) for v in kx(at / UNIT)],
        "js": digits(distance.jensenshannon(kx(grid), ky(grid)) ** 2),
        "w": digits(stats.wasserstein_distance(x, y)),
    }


cases = {
    "unit": UNIT,
    "graphs": [graph_case() for _ in range(CASES)],
    "samples": [samples_case() for _ in range(CASES)],
}
text = json.dumps(cases, separators=(",", ":")).encode()
with open("diagnostics.json.gz", "wb") as file:
    with gzip.GzipFile("", "wb", 9, file, mtime=0) as archive:
        archive.write(text)
