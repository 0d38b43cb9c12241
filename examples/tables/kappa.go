package main

import (
	"coles"
	"coles/gnn"
)

// kappas are the numbers of negative graphs of the paper's ablation.
var kappas = []int{0, 1, 5, 10}

// The paper's ablation of the number of sampled negative graphs: five partners a
// node, η′ = 0.9, the rest as the default.
func kappaTable() table {
	return table{
		name: "kappa", title: "Number of negative graphs", about: accuracyAbout,
		plot: "kappa", axis: "κ, negative graphs",
		rows: kappaRows(func(k int) method {
			return method{name: "COLES-S2GC", features: true,
				embed: fit(coles.WithNegatives(coles.UniformNegatives(5)), coles.WithEta(0.9), coles.WithKappa(k))}
		}),
	}
}

func kappaNetworkTable() table {
	return table{
		name: "kappa-gcn", title: "Number of negative graphs, COLES-GCN", about: accuracyAbout,
		plot: "kappa", axis: "κ, negative graphs", networks: true,
		rows: kappaRows(func(k int) method {
			return method{name: "COLES-GCN", features: true,
				train: train(gnn.WithNegatives(coles.UniformNegatives(5)), gnn.WithEta(0.9), gnn.WithKappa(k))}
		}),
	}
}

func kappaRows(with func(kappa int) method) func([]method) []row {
	return func([]method) []row {
		var rows []row
		for _, k := range kappas {
			rows = append(rows, ablation(with(k), setting{"kappa", "κ", k}, func(p *problem, m method) map[int]float64 {
				return kappaInPaper[m.name][p.Name][k]
			}))
		}
		return rows
	}
}
