package main

import (
	"context"

	"coles"
)

// dims are the lengths of an embedding vector.
var dims = []int{8, 16, 32, 64, 128, 256, 512}

// What the length of the embedding does.
func dimsTable() table {
	return table{
		name: "dims", title: "Dimension of the embedding",
		about: accuracyAbout + " Nothing is measured above the number of features.",
		plot:  "dim", axis: "d′, dimension",
		rows: func([]method) []row {
			var rows []row
			for _, dim := range dims {
				r := ablation(method{name: "COLES-S2GC", features: true, embed: fit(coles.WithDim(dim))}, setting{"dim", "d′", dim}, nil)
				measure := r.measure
				r.measure = func(ctx context.Context, o options, p *problem) ([]cell, error) {
					if _, d := p.Features.Dims(); dim > d {
						return nil, nil
					}
					return measure(ctx, o, p)
				}
				rows = append(rows, r)
			}
			return rows
		},
	}
}
