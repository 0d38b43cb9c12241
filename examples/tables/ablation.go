package main

import "context"

// ablation is the row of a method at one value of what is varied. paper is the
// paper's accuracies by nodes per class; nil for none.
func ablation(m method, varied setting, paper func(p *problem, m method) map[int]float64) row {
	return row{m.name + ", " + varied.String(), m.features, func(ctx context.Context, o options, p *problem) ([]cell, error) {
		by := protocol{perClass: perClass, splits: p.splits}
		if paper != nil {
			by.paper = paper(p, m)
		}
		return accuracies(ctx, o, p, m, by, cell{Varied: &varied})
	}}
}
