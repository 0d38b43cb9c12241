package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"coles/dataset"
	"coles/eval"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

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

// measure asks -count splits of each share of the labelled rows of y.
func (m meaning) measure(ctx context.Context, c *cli.Command, in *inputs, y mat.Matrix, labelled []int) (found []shareKnown, err error) {
	for _, flag := range []string{"splits", "per-class"} {
		if c.IsSet(flag) {
			return nil, usagef("-%s is for one class a node; -labels-as classes takes other labels for names", flag)
		}
	}
	shares := []float64{0.1, 0.5}
	if m.values != nil {
		shares = []float64{0.25}
	}
	p := eval.Protocol{Progress: in.progress.show}
	for _, share := range shares {
		of := shareKnown{Known: share, Splits: c.Int("count")}
		var splits []dataset.Split
		rng := rand.New(rand.NewPCG(seedOr1(c), 0))
		for range of.Splits {
			drawn, known := picked(labelled, rng.Perm(len(labelled))), int(share*float64(len(labelled)))
			splits = append(splits, dataset.Split{Train: drawn[:known], Test: drawn[known:]})
		}
		if m.values != nil {
			r2, absolute, err := p.Regress(ctx, y, m.values, splits)
			if err != nil {
				return nil, err
			}
			explained := percent(*r2)
			of.R2, of.Absolute = &explained, absolute.Mean
		} else {
			micro, macro, err := p.ClassifySets(ctx, y, m.sets, splits)
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
		fmt.Fprintf(w, "%g %% known\tR² %v, mean absolute error %.4g, %d splits\n", 100*of.Known, *of.R2, of.Absolute, of.Splits)
	} else {
		fmt.Fprintf(w, "%g %% known\tmicro-F1 %v, macro-F1 %v, %d splits\n", 100*of.Known, *of.Micro, *of.Macro, of.Splits)
	}
}
