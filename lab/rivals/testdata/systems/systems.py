#!/usr/bin/env python3
"""Writes the files of this folder, what TestSystemsEqualTorch and TestGraphSAINTEqualsTorch compare
with.

Recipe, from this folder:

    python3 systems.py

with torch >= 1.13 (they were made with 1.13). A file is a system on a small
random graph: the first epoch of its training from the parameters "start", with
dropout left out. Views of the graph, as indices of the edges that stay, are made
here. What the training draws is made in Go and stays in the file: "draws", an
object for each step, and in graphsaint.json "start" as well. Where a file has
none or others, the test prints those of Go, to be put there before another run.

    loss       of each step, where the steps before it were those of Adam
    gradient   of the first step
    after      the parameters after the steps
    embedding  the output of the network with these, without draws
    descended  of a classifier, that with the start minus the gradient

Systems are written as their papers and their authors' code have them, with
dense matrices; names of parameters alone are those of Go.
"""

import json
import math
import os

import torch
from torch.nn import functional as F

torch.set_default_dtype(torch.float64)


def real(rows):
    return torch.tensor(rows, dtype=torch.float64)


class System:
    nodes, features, density = 10, 5, 0.3
    views = 0
    phases = [(1, 1)]  # steps, factor of the rate
    rate, decay = 1e-3, 0
    optimizer = torch.optim.Adam
    spread = 0.5  # of the parameters
    classifies = False
    seed = 1

    def __init__(self, draws, start):
        torch.manual_seed(self.seed)
        n = self.nodes
        self.edges = [[i, j] for i in range(n - 1) for j in range(i + 1, n - 1) if torch.rand(()) < self.density]
        self.weights = (0.5 + torch.rand(len(self.edges))).tolist()
        self.x = torch.rand(n, self.features) * (torch.rand(n, self.features) < 0.7)
        self.seen = [self.view() for _ in range(self.views)]
        self.draws = draws
        self.start = start or {k: (self.spread * torch.randn(*s)).tolist() for k, s in self.shapes().items()}

    def view(self):
        return {"kept": [q for q in range(len(self.edges)) if torch.rand(()) < 0.7],
                "columns": (torch.rand(self.features) < 0.8).double().tolist()}

    def adjacency(self, kept=None):
        a = torch.zeros(self.nodes, self.nodes)
        for q in range(len(self.edges)) if kept is None else kept:
            i, j = self.edges[q]
            a[i, j] = a[j, i] = self.weights[q]
        return a

    def operator(self, kept=None):
        a = self.adjacency(kept) + torch.eye(self.nodes)
        d = a.sum(1).rsqrt()
        return d[:, None] * a * d[None, :]

    def prepared(self):
        return self.x / self.x.sum(1, keepdim=True)

    def trains(self, phase, name):
        return True

    def file(self):
        out = {"source": "systems.py, torch %s, seed %d" % (torch.__version__.split("a")[0], self.seed), "nodes": self.nodes,
               "edges": self.edges, "weights": self.weights, "features": self.x.tolist(), "views": self.seen, "draws": self.draws,
               **self.inputs(), "start": self.start}
        if self.draws is None or not self.start:
            return out
        p = {k: real(v).requires_grad_() for k, v in self.start.items()}
        losses, step = [], 0
        for phase, (steps, factor) in enumerate(self.phases):
            trained = [v for k, v in p.items() if self.trains(phase, k)]
            adam = self.optimizer(trained, lr=self.rate * factor, weight_decay=self.decay)
            for _ in range(steps):
                for v in p.values():
                    v.grad = None
                loss = self.loss(p, self.draws[step], phase)
                loss.backward()
                if step == 0:
                    out["gradient"] = {k: v.grad.tolist() for k, v in p.items() if self.trains(0, k)}
                adam.step()
                losses.append(loss.item())
                step += 1
        out["loss"] = losses
        out["after"] = {k: v.tolist() for k, v in p.items()}
        with torch.no_grad():
            out["embedding"] = self.embedding(p).tolist()
            if self.classifies:
                out["descended"] = self.embedding({k: real(v) - real(out["gradient"][k]) for k, v in self.start.items()}).tolist()
        return out

    def inputs(self):
        return {}


class GRACE(System):
    """With the authors' setting for Citeseer: PReLU, temperature 0.9."""
    views, decay, tau = 2, 1e-5, 0.9

    def shapes(self):
        return {"0.weight": (5, 6), "0.bias": (1, 6), "1.slope": (1, 1), "2.weight": (6, 3), "2.bias": (1, 3), "3.slope": (1, 1),
                "objective.inner": (3, 4), "objective.inner bias": (1, 4), "objective.outer": (4, 3), "objective.outer bias": (1, 3)}

    def encode(self, w, x, p):
        h = F.prelu(w @ x @ p["0.weight"] + p["0.bias"], p["1.slope"][0])
        return F.prelu(w @ h @ p["2.weight"] + p["2.bias"], p["3.slope"][0])

    def embedding(self, p):
        return self.encode(self.operator(), self.prepared(), p)

    def outputs(self, p):
        return [self.encode(self.operator(v["kept"]), self.prepared() * real(v["columns"]), p) for v in self.seen]

    def loss(self, p, draw, phase):
        def head(h):
            h = F.elu(h @ p["objective.inner"] + p["objective.inner bias"])
            return F.normalize(h @ p["objective.outer"] + p["objective.outer bias"])

        def one(a, b):
            within, between = torch.exp(a @ a.T / self.tau), torch.exp(a @ b.T / self.tau)
            return -torch.log(between.diag() / (within.sum(1) + between.sum(1) - within.diag()))

        u, v = map(head, self.outputs(p))
        return ((one(u, v) + one(v, u)) / 2).mean()


class CCASSG(GRACE):
    """With the authors' setting for Cora: two layers, lambda 1e-3."""
    # Wide, since Adam makes steps of the rounding errors of the last bias, which has no gradient.
    decay, factor, spread, seed = 0, 1e-3, 2, 2

    def shapes(self):
        return {"0.weight": (5, 6), "0.bias": (1, 6), "2.weight": (6, 3), "2.bias": (1, 3)}

    def encode(self, w, x, p):
        return w @ F.relu(w @ x @ p["0.weight"] + p["0.bias"]) @ p["2.weight"] + p["2.bias"]

    def loss(self, p, draw, phase):
        # The library adds 1e-12 to the variance with 1/n, so that a constant column becomes zero.
        n = self.nodes
        z1, z2 = ((z - z.mean(0)) / (z.var(0) + 1e-12 * n / (n - 1)).sqrt() for z in self.outputs(p))
        penalty = sum((z.T @ z / n - torch.eye(3)).square().sum() for z in (z1, z2))
        return -(z1.T @ z2 / n).trace() + self.factor * penalty


class BGRL(GRACE):
    """A hidden layer of 6 columns, 3 out of it; the predictor has 4 inside. The first step, before the target follows."""
    decay, rate, seed, optimizer = 1e-5, 1e-3, 9, torch.optim.AdamW

    def shapes(self):
        layer = {"weight": (5, 6), "scale": (1, 6), "offset": (1, 6), "slope": (1, 1)}
        last = {"weight": (6, 3), "scale": (1, 3), "offset": (1, 3), "slope": (1, 1)}
        own = {f"{k}.{name}": s for k, shapes in enumerate([layer, last]) for name, s in shapes.items()}
        target = {k.replace(".", ".target "): (1, s[0] * s[1]) for k, s in own.items()}
        return {**own, **target, "objective.inner": (3, 4), "objective.inner bias": (1, 4), "objective.slope": (1, 1),
                "objective.outer": (4, 3), "objective.outer bias": (1, 3)}

    def trains(self, phase, name):
        return "target" not in name

    def encode(self, w, x, p, prefix="", seen=None):
        for k in range(2):
            of = lambda name: p[f"{k}.{prefix}{name}"]
            h = w @ x @ of("weight").reshape(x.shape[1], -1)
            mean, var = (h.mean(0), h.var(0, unbiased=False)) if seen is None else seen[k]
            self.statistics.append((mean.detach(), var.detach()))
            x = F.prelu((h - mean) / (var + 1e-5).sqrt() * of("scale") + of("offset"), of("slope")[0])
        return x

    def loss(self, p, draw, phase):
        def q(h):
            inner = F.prelu(h @ p["objective.inner"] + p["objective.inner bias"], p["objective.slope"][0])
            return inner @ p["objective.outer"] + p["objective.outer bias"]

        self.statistics = []
        z1, z2 = self.outputs(p)
        self.views_seen = self.statistics
        t1, t2 = (self.encode(self.operator(v["kept"]), self.prepared() * real(v["columns"]), p, "target ").detach() for v in self.seen)
        return 2 - F.cosine_similarity(q(z1), t2).mean() - F.cosine_similarity(q(z2), t1).mean()

    def embedding(self, p):
        a, b = self.views_seen[:2], self.views_seen[2:4]  # the last pass weighs 1, the one before 0.9
        seen = [[(0.9 * x + y) / 1.9 for x, y in zip(a[k], b[k])] for k in range(2)]
        return self.encode(self.operator(), self.prepared(), p, seen=seen)


class PolyGCL(System):
    """Four columns; the steps of the filters are a tenth of what they stand for. Filters by Lagrange's formula."""
    seed, degree, factor = 10, 10, 10

    def shapes(self):
        return {"0.weight": (5, 4), "0.bias": (1, 4), "0.high": (1, 10), "0.low": (1, 10), "2.alpha": (1, 1), "2.beta": (1, 1),
                "objective.discriminator": (4, 4), "objective.bias": (1, 1)}

    def filter(self, values):
        k, n = self.degree, self.nodes
        a = self.adjacency()
        d = a.sum(1).clamp(min=1e-300).rsqrt()
        laplacian = torch.eye(n) - d[:, None] * a * d[None, :]
        at = [1 - math.cos((j + 0.5) * math.pi / (k + 1)) for j in range(k + 1)]
        total = torch.zeros(n, n)
        for j in range(k + 1):
            term = torch.eye(n)
            for m in range(k + 1):
                if m != j:
                    term = term @ (laplacian - at[m] * torch.eye(n)) / (at[j] - at[m])
            total = total + values[j] * term
        return total

    def sides(self, x, p):
        steps = lambda name: torch.cat([torch.zeros(1), torch.cumsum(self.factor * F.relu(p["0." + name][0]), 0)])
        return [F.relu(self.filter(g) @ x @ p["0.weight"] + p["0.bias"]) for g in (steps("high"), 2 - steps("low"))]

    def mixed(self, x, p):
        high, low = self.sides(x, p)
        return self.factor * (p["2.alpha"] * high + p["2.beta"] * low)

    def embedding(self, p):
        return self.mixed(self.prepared(), p)

    def loss(self, p, draw, phase):
        x = self.prepared()
        c = F.relu(self.mixed(x, p).mean(0))
        h = torch.cat(self.sides(x, p) + self.sides(x[draw["shuffled"]], p))
        logits = h @ p["objective.discriminator"] @ c + p["objective.bias"][0, 0]
        return F.binary_cross_entropy_with_logits(logits, torch.cat([torch.ones(2 * self.nodes), torch.zeros(2 * self.nodes)]))


class GraphCL(System):
    views, seed = 2, 3

    def shapes(self):
        return {"0.weight": (5, 4), "0.bias": (1, 4), "1.slope": (1, 1), "objective.discriminator": (4, 4), "objective.bias": (1, 1)}

    def view(self):  # two nodes are gone
        gone = torch.randperm(self.nodes)[:2].tolist()
        return {"kept": [q for q, e in enumerate(self.edges) if not set(e) & set(gone)],
                "rows": [-1 if i in gone else i for i in range(self.nodes)]}

    def encode(self, w, x, p):
        return F.prelu(w @ x @ p["0.weight"] + p["0.bias"], p["1.slope"][0])

    def embedding(self, p):
        return self.encode(self.operator(), self.prepared(), p)

    def loss(self, p, draw, phase):
        w, x = self.operator(), self.prepared()
        summaries = []
        for v in self.seen:  # of the smaller graph, as if the others had never been
            left = [i for i in v["rows"] if i >= 0]
            summaries.append(torch.sigmoid(self.encode(self.operator(v["kept"])[left][:, left], x[left], p).mean(0)))
        h = torch.cat([self.encode(w, x, p), self.encode(w, x[draw["shuffled"]], p)])
        logits = sum(h @ p["objective.discriminator"] @ c + p["objective.bias"][0, 0] for c in summaries)
        labels = torch.cat([torch.ones(self.nodes), torch.zeros(self.nodes)])
        return F.binary_cross_entropy_with_logits(logits, labels)


class VGAE(System):
    """With the authors' rate; their prior is divided by n twice, here its constant is left out."""
    rate, seed, last = 0.01, 4, "2"

    def shapes(self):
        return {"0.weight": (5, 4), self.last + ".weight": (4, 3), self.last + ".deviations": (4, 3)}

    def embedding(self, p):
        w = self.operator()
        return w @ F.relu(w @ self.x @ p["0.weight"]) @ p[self.last + ".weight"]

    def code(self, p, draw):
        w = self.operator()
        h = F.relu(w @ self.x @ p["0.weight"])
        if "noise" in draw:
            h = h + real(draw["noise"])
        mean = w @ h @ p[self.last + ".weight"]
        if "epsilon" not in draw:
            return mean, 0
        log_std = w @ h @ p[self.last + ".deviations"]
        kl = -(0.5 / self.nodes) * torch.mean(torch.sum(1 + 2 * log_std - mean.square() - torch.exp(log_std).square(), 1))
        return mean + real(draw["epsilon"]) * torch.exp(log_std), kl + 0.5 * mean.shape[1] / self.nodes

    def reconstruction(self, z):
        n, a = self.nodes, (self.adjacency() > 0).double()
        weight = (n * n - a.sum()) / a.sum()
        norm = n * n / (2 * (n * n - a.sum()))
        return norm * F.binary_cross_entropy_with_logits(z @ z.T, a + torch.eye(n), pos_weight=weight)

    def loss(self, p, draw, phase):
        z, kl = self.code(p, draw)
        return self.reconstruction(z) + kl


class ARVGE(VGAE):
    """With a discriminator of 4, 3 and 1 columns in place of 64, 32 and 1."""
    rate, seed = 5e-4, 5
    phases = [(5, 1), (1, 2), (1, 2)]

    def shapes(self):
        d = {}
        for k, (i, o) in enumerate([(3, 4), (4, 3), (3, 1)]):
            d["objective.discriminator%d.weight" % k], d["objective.discriminator%d.bias" % k] = (i, o), (1, o)
        return {**super().shapes(), **d}

    def trains(self, phase, name):
        return name.startswith("objective") == (phase == 1)

    def loss(self, p, draw, phase):
        def judged(h, as_drawn):
            for k in range(3):
                h = (F.relu(h) if k else h) @ p["objective.discriminator%d.weight" % k] + p["objective.discriminator%d.bias" % k]
            return F.binary_cross_entropy_with_logits(h, torch.full_like(h, as_drawn))

        z, kl = self.code(p, draw)
        if phase == 0:
            return self.reconstruction(z) + kl
        if phase == 1:
            return judged(real(draw["prior"]), 1.0) + judged(z, 0.0)
        return judged(z, 1.0) if "epsilon" in draw else judged(z, 1.0) + self.reconstruction(z)


class ARGE(ARVGE):
    seed, last = 6, "3"

    def shapes(self):
        return {k: s for k, s in super().shapes().items() if not k.endswith("deviations")}


class GraphMAE(System):
    """With the authors' setting for Cora, unit rows and zeros for the token; two heads."""
    decay, gamma, seed = 2e-4, 3, 7

    def shapes(self):
        layer = lambda k, i: {k + ".weight": (i, 4), k + ".target": (2, 2), k + ".source": (2, 2), k + ".bias": (1, 4)}
        return {**layer("0", 5), "1.slope": (1, 1), **layer("2", 4), "3.slope": (1, 1), "objective.link": (4, 4),
                "objective.decoder": (5, 4), "objective.bias": (5, 1), "objective.target": (1, 5), "objective.source": (1, 5)}

    def prepared(self):
        return F.normalize(self.x)

    def attended(self, h, weight, target, source, bias):
        near = self.adjacency() + torch.eye(self.nodes) > 0
        heads = []
        for z, l, r in zip((h @ weight).chunk(len(target), 1), target, source):
            e = F.leaky_relu((z @ l)[:, None] + (z @ r)[None, :], 0.2)
            heads.append(torch.softmax(e.masked_fill(~near, -math.inf), 1) @ z)
        return torch.cat(heads, 1) + bias

    def encode(self, h, p):
        for k in "02":
            h = self.attended(h, *(p[k + what] for what in (".weight", ".target", ".source", ".bias")))
            h = F.prelu(h, p[str(int(k) + 1) + ".slope"][0])
        return h

    def embedding(self, p):
        return self.encode(self.prepared(), p)

    def loss(self, p, draw, phase):
        x, masked = self.prepared(), draw["masked"]
        hidden = torch.stack([x[r] if r >= 0 else torch.zeros(self.features) for r in draw["rows"]])
        keep = torch.ones(self.nodes, 1)
        keep[masked] = 0
        codes = self.encode(hidden, p) @ p["objective.link"] * keep
        made = self.attended(codes, p["objective.decoder"].T, p["objective.target"], p["objective.source"], p["objective.bias"].T)
        return (1 - F.cosine_similarity(made[masked], x[masked])).pow(self.gamma).mean()


class GraphSAINT(System):
    """Factors and weights from the nodes of the subgraphs "counted"; the step is on that of "nodes"."""
    rate, classifies, seed = 0.01, True, 8
    train, labels = [0, 2, 3, 5, 6, 8], [0, 1, 1, 0, 2, 2, 0, 1, 1, 2]

    def inputs(self):
        return {"train": self.train, "labels": self.labels}

    def shapes(self):
        return {}  # start is Go's

    def layer(self, h, means, p, at):
        out = []
        for k, part in enumerate([h, means @ h] if f"{at}.1.weight" in p else [h]):
            y = F.relu(part @ p[f"{at}.{k}.weight"] + p[f"{at}.{k}.bias"])
            out.append(F.layer_norm(y, y.shape[1:], p[f"{at}.{k}.scale"][0], p[f"{at}.{k}.offset"][0], 1e-9))
        return torch.cat(out, 1)

    def encode(self, h, means, p):
        for at in range(4):
            h = self.layer(h, means, p, at)
        return F.normalize(h) @ p["5.weight"] + p["5.bias"]

    def means(self):
        a = self.adjacency()
        return a / a.sum(1, keepdim=True).clamp(min=1e-300)

    def embedding(self, p):
        return self.encode(self.x, self.means(), p)

    def loss(self, p, draw, phase):
        n, drawn, nodes = self.nodes, draw["counted"], draw["nodes"]
        met = lambda *who: max(1.0, sum(set(who) <= set(s) for s in drawn))
        count = torch.tensor([met(v) for v in range(n)])
        alpha = torch.tensor([[met(v, u) for u in range(n)] for v in range(n)]) / count[:, None]
        rows = [k for k, v in enumerate(nodes) if v in self.train]
        y = self.encode(self.x[nodes], (self.means() / alpha)[nodes][:, nodes], p)
        labels = torch.tensor([self.labels[nodes[k]] for k in rows])
        each = F.cross_entropy(y[rows], labels, reduction="none")
        return (each * torch.tensor([len(drawn) / (len(self.train) * count[nodes[k]]) for k in rows])).sum()


for system in [GRACE, CCASSG, BGRL, PolyGCL, GraphCL, VGAE, ARGE, ARVGE, GraphMAE, GraphSAINT]:
    name = system.__name__.lower() + ".json"
    old = json.load(open(name)) if os.path.exists(name) else {}
    draws = old.get("draws") if system not in (GRACE, CCASSG, BGRL) else [{}]
    made = system(draws, old.get("start") if system is GraphSAINT else None).file()
    with open(name, "w") as f:
        f.write("{\n" + ",\n".join(' "%s": %s' % (k, json.dumps(v)) for k, v in made.items()) + "\n}\n")
