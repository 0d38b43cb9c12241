package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"coles"
	"coles/dataset"
	"coles/dataset/parse"
	"coles/eval"
	"coles/learn"

	"gonum.org/v1/gonum/mat"
)

// knownShares are the shares of the labelled nodes that are learnt from, in percent.
var knownShares = []int{10, 50, 90}

// severalData have an edges.txt and a groups.txt with the nodes of one class a line.
var severalData = []string{"ppi", "wikipedia"}

// Graphs without features whose nodes have several classes each (Perozzi, Al-Rfou and Skiena 2014).
func severalTable() table {
	return table{
		Name: "several", Title: "Several classes a node", apart: true, grids: true, datasets: severalData,
		about: "F1 in percent, mean ± standard deviation over splits, of as many classes as each node has, the likeliest ones: a share of the labelled nodes is known. " +
			"The centred rows of every embedding are brought to a mean norm of 4, and C is chosen among 1/32, 1/8, ½, 2 and 8 by the nodes that are known.",
		rows: []method{
			{name: "Label propagation", graphOnly: true},
			pick(structureMethods, "SVD")[0],
			{name: "COLES", graphOnly: true, embed: withoutFeatures()},
		},
		measure: func(ctx context.Context, o options, p *problem, m method) ([]cell, error) {
			c, start := cell{Seeds: 1}, time.Now()
			if m.embed == nil {
				samples, err := severalF1(o, p, func(sets [][]int, splits []dataset.Split) (micro, macro []float64, err error) {
					return propagateSets(ctx, p, sets, splits)
				})
				c.Seconds = time.Since(start).Seconds()
				return []cell{c}, cmp.Or(err, c.measure(samples...))
			}
			y, err := m.kept(ctx, o, p, 1)
			if err != nil {
				return nil, err
			}
			c.Seconds = time.Since(start).Seconds()
			samples, err := embeddedF1(ctx, o, p, y)
			return []cell{c}, cmp.Or(err, c.measure(samples...))
		},
	}
}

// embeddedF1 is the F1 that an embedding of the nodes reaches with each share known.
func embeddedF1(ctx context.Context, o options, p *problem, y mat.Matrix) ([]sample, error) {
	x, err := toNorm(ctx, y)
	if err != nil {
		return nil, err
	}
	by := eval.Protocol{Regression: learn.LogisticRegression{Cs: []float64{1. / 32, 1. / 8, 1. / 2, 2, 8}}}
	return severalF1(o, p, func(sets [][]int, splits []dataset.Split) (micro, macro []float64, err error) {
		return eachF1(ctx, by, x, sets, splits)
	})
}

// eachF1 is the F1 of each split.
func eachF1(ctx context.Context, by eval.Protocol, x mat.Matrix, sets [][]int, splits []dataset.Split) (micro, macro []float64, err error) {
	small, large, err := by.ClassifySets(ctx, x, sets, splits)
	if err != nil {
		return nil, nil, err
	}
	return small.Each, large.Each, nil
}

// severalF1 draws splits of each share, the same for every method, and has them measured.
func severalF1(o options, p *problem, measure func(sets [][]int, splits []dataset.Split) (micro, macro []float64, err error)) (samples []sample, err error) {
	sets, _, _ := p.LabelSets()
	var labelled []int
	for i, set := range sets {
		if set != nil {
			labelled = append(labelled, i)
		}
	}
	for _, share := range knownShares {
		rng := rand.New(rand.NewPCG(splitSeed, uint64(share)))
		var splits []dataset.Split
		for range o.splits {
			drawn := slices.Clone(labelled)
			rng.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
			known := len(drawn) * share / 100
			splits = append(splits, dataset.Split{Train: drawn[:known], Test: drawn[known:]})
		}
		micro, macro, err := measure(sets, splits)
		if err != nil {
			return nil, fmt.Errorf("%d %% known: %w", share, err)
		}
		samples = append(samples, sample{fmt.Sprintf("micro_%d", share), fmt.Sprintf("micro-F1, %d %%", share), micro},
			sample{fmt.Sprintf("macro_%d", share), fmt.Sprintf("macro-F1, %d %%", share), macro})
	}
	return samples, nil
}

// propagateSets spreads the known classes along the edges as [propagate] does. A node that none reaches has the most
// frequent ones.
func propagateSets(ctx context.Context, p *problem, sets [][]int, splits []dataset.Split) (micro, macro []float64, err error) {
	w, classes := coles.Normalize(p.graph), 1+slices.Max(slices.Concat(sets...))
	for _, s := range splits {
		y, frequent := mat.NewDense(p.Nodes(), classes, nil), make([]float64, classes)
		for _, i := range s.Train {
			for _, k := range sets[i] {
				y.Set(i, k, 1)
				frequent[k]++
			}
		}
		z, err := coles.APPNP(50, 0.1).Apply(ctx, w, y)
		if err != nil {
			return nil, nil, err
		}
		var predicted, actual [][]int
		for _, i := range s.Test {
			row := z.RawRowView(i)
			order := make([]int, classes)
			for k := range order {
				order[k] = k
			}
			slices.SortFunc(order, func(a, b int) int {
				return cmp.Or(cmp.Compare(row[b], row[a]), cmp.Compare(frequent[b], frequent[a]), a-b)
			})
			predicted, actual = append(predicted, order[:len(sets[i])]), append(actual, sets[i])
		}
		small, large, err := learn.SetF1(predicted, actual)
		if err != nil {
			return nil, nil, err
		}
		micro, macro = append(micro, small), append(macro, large)
	}
	return micro, macro, nil
}

// openSeveral reads a graph and the classes of its nodes.
func openSeveral(folder string) (*dataset.Dataset, error) {
	groups, err := os.ReadFile(filepath.Join(folder, "groups.txt"))
	if err != nil {
		return nil, err
	}
	var labels bytes.Buffer
	for class, line := range strings.Split(strings.TrimSpace(string(groups)), "\n") {
		for _, node := range strings.Fields(line) {
			fmt.Fprintf(&labels, "%s,%d\n", node, class)
		}
	}
	edges, err := os.Open(filepath.Join(folder, "edges.txt"))
	if err != nil {
		return nil, err
	}
	defer edges.Close()
	return dataset.ReadEdgeList(edges, nil, parse.Options{Labels: &labels})
}
