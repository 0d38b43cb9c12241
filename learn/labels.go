package learn

import (
	"coles"
	"coles/internal/setting"

	"gonum.org/v1/gonum/mat"
)

// Labels are the known labels of n rows, of one of three kinds. The zero value knows no label.
type Labels struct {
	Classes []int     // one class a row, negative where it is unknown
	Sets    [][]int   // several classes a row, none where they are unknown
	Values  []float64 // a number a row, NaN where it is unknown
}

// count is the number of rows.
func (l Labels) count() int {
	switch {
	case l.Values != nil:
		return len(l.Values)
	case l.Sets != nil:
		return len(l.Sets)
	}
	return len(l.Classes)
}

// sets are classes as sets.
func (l Labels) sets() [][]int {
	if l.Sets != nil {
		return l.Sets
	}
	sets := make([][]int, len(l.Classes))
	for i, label := range l.Classes {
		if label >= 0 {
			sets[i] = l.Classes[i : i+1]
		}
	}
	return sets
}

// picked are the entries of some rows.
func picked[T any](of []T, rows []int) []T {
	some := make([]T, len(rows))
	for q, i := range rows {
		some[q] = of[i]
	}
	return some
}

// Options say how [Fit] and [ChooseModel] learn.
type Options struct {
	// Cs are candidates for C of a [LogisticRegression]. nil stands for [DefaultCs] or, with several classes a row, for
	// [1/32, 1/8, ½, 2, 8]. ChooseModel takes 1.
	Cs []float64
	// Balanced predicts rare classes as if all were equally frequent. It is for one class a row.
	Balanced bool
	Alone    bool       // neighbours and their labels are not used
	Columns  mat.Matrix // features (n × d) or nil: Fit tries a regression on these alone, too
	Seed     uint64     // of the parts of cross-validation
	// Progress, if set, is called as that of a [LogisticRegression].
	Progress coles.Progress
}

var errBalanced = setting.Bad("Balanced", true, "false: it is for one class a row")
