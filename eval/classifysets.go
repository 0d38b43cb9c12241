package eval

import (
	"cmp"
	"context"
	"slices"

	"coles/dataset"
	"coles/internal/given"
	"coles/internal/matrix"
	"coles/learn"

	"gonum.org/v1/gonum/mat"
)

// ClassifySets measures how well the rows of x (n × d) predict their sets of classes (Perozzi, Al-Rfou and Skiena
// 2014). The number of classes of each row is known, and as many of the likeliest are predicted. Of each split, micro
// has the F1 over all pairs of a row and a class, and macro the mean of the F1 of each class. C is chosen in the
// training rows where Regression has several candidates. A row without classes is neither trained nor tested on.
//
// Errors: as [learn.LogisticRegression.FitSets], naming the split.
func (p Protocol) ClassifySets(ctx context.Context, x mat.Matrix, sets [][]int, splits []dataset.Split) (micro, macro *Measurements, err error) {
	f, err := given.Read(ctx, x)
	if err != nil {
		return nil, nil, err
	}
	return p.overSplits(ctx, "classify", splits, func(ctx context.Context, split dataset.Split) (micro, macro float64, err error) {
		return p.classifySets(ctx, matrix.SourceOf(f), sets, split)
	})
}

func (p Protocol) classifySets(ctx context.Context, x *matrix.Source, sets [][]int, split dataset.Split) (micro, macro float64, err error) {
	if err := cmp.Or(given.CheckRows(split.Train, len(sets), "training"), given.CheckRows(split.Test, len(sets), "test")); err != nil {
		return 0, 0, err
	}
	none := func(i int) bool { return len(sets[i]) == 0 }
	test := slices.DeleteFunc(slices.Clone(split.TestNodes(len(sets))), none)
	l := p.Regression
	l.Progress = nil
	m, err := l.FitSets(ctx, x, slices.DeleteFunc(slices.Clone(split.Train), none), sets)
	if err != nil {
		return 0, 0, err
	}
	found, err := m.Predict(ctx, nil, x, learn.Labels{}, test)
	if err != nil {
		return 0, 0, err
	}
	predicted, actual := make([][]int, len(test)), make([][]int, len(test))
	for q, i := range test {
		actual[q] = slices.Sorted(slices.Values(sets[i]))
		for _, likely := range found[q].Classes[:len(actual[q])] {
			predicted[q] = append(predicted[q], likely.Class)
		}
		slices.Sort(predicted[q])
	}
	return learn.SetF1(predicted, actual)
}
