#!/usr/bin/env python3
"""Writes oracle.json: the default setting, graph and feature model, by NumPy and SciPy alone.

    python3 default.py CORA.npz > oracle.json

CORA.npz is the gnn-benchmark archive. The small graph has d' = 8, effective rank 5 and floor 2.
"""
import json
import sys

import numpy as np
import scipy.sparse as sp

HOPS, NORM = 8, 4.0


def root(v):
    return np.sign(v) * np.sqrt(np.abs(v))


def prepared(x):
    n, d = x.shape
    out = np.zeros((n, d))
    has = (x != 0).sum(0)
    if has.sum() >= 0.5 * n * d:
        for j in range(d):
            c = x[:, j]
            numbers = set(c[c != 0])
            flag = has[j] < n and len(numbers) == 1 and min(numbers) > 0
            if c.std() > 0:
                out[:, j] = (c - c.mean()) / (np.sqrt(c.std() * c.max()) if flag else c.std())
        return out
    few = has < 0.5 * n
    unit = np.sqrt(has * np.abs(x).sum(0))[few].sum() / max(1, has[few].sum())
    for j in range(d):
        c = x[:, j]
        if has[j] == n:
            out[:, j] = root(c - c.mean()) / np.sqrt(c.std())
        elif has[j] > 0:
            y = root(c)
            rho = np.sqrt((y**2).mean())
            out[:, j] = y * np.sqrt(y.std() / (unit if few[j] else rho)) / rho
    length = np.linalg.norm(out, axis=1)
    return out / np.where(length > 0, length, 1)[:, None]


def normalised(a, loops):
    a = a + (sp.identity(a.shape[0]) if loops else 0)
    d = np.asarray(a.sum(1)).ravel()
    s = np.zeros_like(d)
    s[d > 0] = d[d > 0] ** -0.5
    return (sp.diags(s) @ a @ sp.diags(s)).tocsr()


def factors(e, lam, rank, floor):
    level = np.maximum(lam, 1e-9 * lam[0]) / lam[0]
    energy = ((e - e.mean(0)) ** 2).sum(0)

    def above(g):
        q = energy * level ** (2 * g)
        q = q[q > 0] / q.sum()
        return np.exp(-(q * np.log(q)).sum()) > max(rank * 2.0**-g, floor)

    lo, hi = 0.0, 3.0
    if not above(0):
        hi = 0.0
    else:
        for _ in range(60):
            mid = (lo + hi) / 2
            lo, hi = (mid, hi) if above(mid) else (lo, mid)
    f = level**hi
    centred = e * f - (e * f).mean(0)
    return f * NORM / np.linalg.norm(centred, axis=1).mean()


def top(m, k):
    lam, v = np.linalg.eigh((m + m.T) / 2)
    return lam[::-1][:k], v[:, ::-1][:, :k]


def features(x, dim, rank, floor):
    m = x.T @ x
    lam, p = top(m - np.diag(np.diag(m)) / 2, dim)
    e = x @ p
    return dict(lam=lam, p=p.T, e=e * factors(e, lam, rank, floor))


def graph(x, a, dim, rank, floor):
    w, wp = normalised(a, True), normalised(a, False)
    s = np.sqrt(np.asarray(a.sum(1)).ravel())
    s /= np.linalg.norm(s)
    h, fx = x, x.copy()
    for _ in range(HOPS):
        h = w @ h
        fx = fx + h
    fx = fx / HOPS
    m = fx.T @ (wp @ fx) - np.outer(fx.T @ s, fx.T @ s)
    lam, p = top(m, dim)
    e = fx @ p
    return dict(lam=lam, p=p.T, e=e * factors(e, lam, rank, floor))


def plain(o):
    if isinstance(o, dict):
        return {k: plain(v) for k, v in o.items()}
    return o.tolist() if isinstance(o, np.ndarray) else o


def some(o):
    """of a large graph: no P, the products of every 180th row"""
    rows = o["e"][::180]
    return dict(lam=o["lam"], gram=rows @ rows.T)


def main():
    rng = np.random.default_rng(17)
    n, d = 36, 18
    a = np.triu(rng.random((n, n)) < 0.15, 1)
    edges = np.argwhere(a)
    a = sp.csr_matrix((a + a.T).astype(float))
    topic = np.where(np.arange(d) % 3 == (np.arange(n) % 3)[:, None], 0.6, 0.1)
    there = rng.random((n, d)) < topic
    there[:, 0] = rng.random(n) < 0.8  # a column that most rows have
    counts = np.where(there, rng.integers(1, 5, (n, d)), 0).astype(float)
    counts[7] = 0
    reals = np.where(there, np.round(rng.random((n, d)) * 3, 3) + 0.05, 0.0)
    mixed = np.where(there, 1.0, 0.0)
    mixed[:, 4:8] *= np.round(rng.normal(size=(n, 4)) * 1e3, 3)
    mixed[:, 8] = 2000 + np.round(rng.normal(size=n), 3)
    mixed[:, 9] = np.round(rng.normal(size=n), 6) * 1e-5
    dense = np.round(rng.normal(size=(n, d)) * np.logspace(-4, 4, d), 9)
    dense[:, 3] = 25.0 * (rng.random(n) < 0.2)
    dense[:, 12] = 1.0 * (rng.random(n) < 0.6)
    out = dict(edges=edges)
    for name, x in dict(counts=counts, reals=reals, mixed=mixed, dense=dense).items():
        y = prepared(x)
        out[name] = dict(x=x, prepared=y, graph=graph(y, a, 8, 5, 2), features=features(y, 8, 5, 2))
    z = np.load(sys.argv[1])
    adj = sp.csr_matrix((z["adj_data"], z["adj_indices"], z["adj_indptr"]), shape=tuple(z["adj_shape"]))
    adj = adj.maximum(adj.T).astype(float).tolil()
    adj.setdiag(0)
    adj = adj.tocsr()
    adj.eliminate_zeros()
    adj.data[:] = 1
    x = sp.csr_matrix((z["attr_data"], z["attr_indices"], z["attr_indptr"]), shape=tuple(z["attr_shape"])).toarray().astype(float)
    y = prepared(x)
    out["cora"] = dict(graph=some(graph(y, adj, 128, 20, 8)), features=some(features(y, 128, 20, 8)))
    json.dump(plain(out), sys.stdout)
    print()


main()
