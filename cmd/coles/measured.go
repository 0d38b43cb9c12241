package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"coles/dataset"
	"coles/eval"
	"coles/internal/setting"
	"coles/task"

	"gonum.org/v1/gonum/mat"
)

// measured are figures in percent.
type measured struct {
	Mean float64   `json:"mean"`
	Std  float64   `json:"std"`
	Each []float64 `json:"each"`
}

// percent are measurements in percent.
func percent(m eval.Measurements) measured {
	p := measured{100 * m.Mean, 100 * m.Std, slices.Clone(m.Each)}
	for i := range p.Each {
		p.Each[i] *= 100
	}
	return p
}

func (m measured) String() string { return fmt.Sprintf("%.1f ± %.1f %%", m.Mean, m.Std) }

// A shareKnown is what an embedding is worth where a share of the labels is known: F1 of several classes a node in
// percent, or R² in percent and the mean absolute error of numbers in their unit.
type shareKnown struct {
	Known    float64   `json:"known"`
	Splits   int       `json:"splits"`
	Micro    *measured `json:"micro_f1,omitempty"`
	Macro    *measured `json:"macro_f1,omitempty"`
	R2       *measured `json:"r2,omitempty"`
	Absolute float64   `json:"mean_absolute_error,omitempty"`
}

// sharesKnown asks count splits of each share of the labelled rows of y.
func sharesKnown(ctx context.Context, p eval.Protocol, t task.Target, y mat.Matrix, labelled []int, count int, seed uint64) (found []shareKnown, err error) {
	shares := []float64{0.1, 0.5}
	if t.Values != nil {
		shares = []float64{0.25}
	}
	for _, share := range shares {
		of := shareKnown{Known: share, Splits: count}
		var splits []dataset.Split
		rng := rand.New(rand.NewPCG(seed, 0))
		for range of.Splits {
			drawn, known := picked(labelled, rng.Perm(len(labelled))), int(share*float64(len(labelled)))
			splits = append(splits, dataset.Split{Train: drawn[:known], Test: drawn[known:]})
		}
		if t.Values != nil {
			r2, absolute, err := p.Regress(ctx, y, t.Values, splits)
			if err != nil {
				return nil, err
			}
			explained := percent(*r2)
			of.R2, of.Absolute = &explained, absolute.Mean
		} else {
			micro, macro, err := p.ClassifySets(ctx, y, t.Sets, splits)
			if err != nil {
				return nil, err
			}
			large, small := percent(*micro), percent(*macro)
			of.Micro, of.Macro = &large, &small
		}
		found = append(found, of)
	}
	return found, nil
}

func (of shareKnown) print(w io.Writer) {
	if of.R2 != nil {
		fmt.Fprintf(w, "%g %% known\tR² %v, mean absolute error %.4g, %s\n", 100*of.Known, *of.R2, of.Absolute, setting.Count(of.Splits, "splits"))
	} else {
		fmt.Fprintf(w, "%g %% known\tmicro-F1 %v, macro-F1 %v, %s\n", 100*of.Known, *of.Micro, *of.Macro, setting.Count(of.Splits, "splits"))
	}
}
