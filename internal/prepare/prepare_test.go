package prepare_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

var ctx = context.Background()

// prepared are features after a preparation that was fitted to them.
func prepared(x mat.Matrix, how coles.Preparation) mat.Matrix {
	return testkit.Must(testkit.Must(how.Fit(ctx, x)).Apply(ctx, x))
}

// The formulas, entry by entry; train gives the column weights, x is prepared.
var preparationFormulas = map[coles.Preparation]func(train, x *mat.Dense) *mat.Dense{
	coles.PrepareNone:     func(_, x *mat.Dense) *mat.Dense { return x },
	coles.PrepareRowL2:    func(_, x *mat.Dense) *mat.Dense { return unitRows(x, 2) },
	coles.PrepareRowL1:    func(_, x *mat.Dense) *mat.Dense { return unitRows(x, 1) },
	coles.PrepareTFIDF:    weighted(func(v, idf float64) float64 { return v * idf }),
	coles.PrepareBalanced: balanced,
	coles.PrepareStandardize: func(train, x *mat.Dense) *mat.Dense {
		out := mat.DenseCopyOf(x)
		out.Apply(func(_, j int, v float64) float64 {
			column := mat.Col(nil, j, train)
			mean, deviation := stat.PopMeanStdDev(column, nil)
			if deviation == 0 {
				return 0
			}
			if values := slices.Compact(slices.Sorted(slices.Values(column))); len(values) == 2 && values[0] == 0 {
				deviation = math.Sqrt(deviation * values[1])
			}
			return (v - mean) / deviation
		}, x)
		return out
	},
}

// balanced are unit rows of roots, of which a column of train has the energy of its deviation: in its own
// unit if most rows have it, or else in the mean unit of all such entries.
func balanced(train, x *mat.Dense) *mat.Dense {
	n, d := train.Dims()
	out := mat.DenseCopyOf(x)
	root := func(v float64) float64 {
		if v < 0 {
			return -math.Sqrt(-v)
		}
		return math.Sqrt(v)
	}
	all, entries := 0.0, 0.0
	for j := range d {
		has, size := 0.0, 0.0
		for _, v := range mat.Col(nil, j, train) {
			size += math.Abs(v)
			if v != 0 {
				has++
			}
		}
		if 2*has < float64(n) {
			all += math.Sqrt(has * size)
			entries += has
		}
	}
	for j := range d {
		column, roots, has := mat.Col(nil, j, train), make([]float64, n), 0.0
		for i, v := range column {
			roots[i] = root(v)
			if v != 0 {
				has++
			}
		}
		middle, divisor := 0.0, 1.0
		if has == float64(n) {
			var deviation float64
			middle, deviation = stat.PopMeanStdDev(column, nil)
			divisor = math.Sqrt(deviation)
		} else {
			energy := floats.Dot(roots, roots) / float64(n)
			wanted := stat.PopStdDev(roots, nil)
			if 2*has >= float64(n) {
				wanted /= math.Sqrt(energy)
			} else {
				wanted /= all / entries
			}
			divisor = math.Sqrt(energy / wanted)
		}
		for i := range out.RawMatrix().Rows {
			v := 0.0
			if x.At(i, j) != 0 && divisor > 0 && has > 0 {
				v = root(x.At(i, j)-middle) / divisor
			}
			out.Set(i, j, v)
		}
	}
	return unitRows(out, 2)
}

// weighted are unit rows of values that are made of x and the idf of its column.
func weighted(value func(v, idf float64) float64) func(train, x *mat.Dense) *mat.Dense {
	return func(train, x *mat.Dense) *mat.Dense {
		n, _ := train.Dims()
		out := mat.DenseCopyOf(x)
		out.Apply(func(_, j int, v float64) float64 {
			df := 0
			for i := range n {
				if train.At(i, j) != 0 {
					df++
				}
			}
			return value(v, math.Log(float64(1+n)/float64(1+df))+1)
		}, x)
		return unitRows(out, 2)
	}
}

func unitRows(x *mat.Dense, norm float64) *mat.Dense {
	out := mat.DenseCopyOf(x)
	out.Apply(func(i, _ int, v float64) float64 {
		if l := mat.Norm(x.RowView(i).T(), 2); norm == 2 && l > 0 {
			return v / l
		}
		if l := mat.Sum(x.RowView(i)); norm == 1 && l > 0 {
			return v / l
		}
		return v
	}, x)
	return out
}

func TestPreparationsEqualFormulas(t *testing.T) {
	_, train := testkit.RandomWords(testkit.Random(1), 60, 20)
	_, later := testkit.RandomWords(testkit.Random(2), 15, 20)
	for i := range 20 {
		train.Set(7, i, 0) // a zero row
		later.Set(3, i, 0)
	}
	for i := range 60 {
		train.Set(i, 4, 0) // a word that no row has, and one that all have
		train.Set(i, 5, 2)
		train.Set(i, 6, 20+float64(i*i%17)) // a number that all have, and one that most have
		train.Set(i, 7, float64(i%3)*1e6)
		train.Set(i, 8, 25*float64(i%5/4)) // a category
	}
	later.Set(1, 4, 3)
	later.Set(1, 6, 21.5)
	one := mat.DenseCopyOf(later.Slice(2, 3, 0, 20)) // is prepared as it is among the others
	for how, formula := range preparationFormulas {
		t.Run(how.String(), func(t *testing.T) {
			wantLater := formula(train, later)
			for _, x := range []mat.Matrix{train, testkit.SparseOf(train)} {
				p := testkit.Must(how.Fit(ctx, x))
				testkit.WantSame(t, "kind", p.Preparation(), how)
				for name, c := range map[string]struct{ x, want mat.Matrix }{
					"training rows":      {x, formula(train, train)},
					"later rows":         {later, wantLater},
					"later rows, sparse": {testkit.SparseOf(later), wantLater},
					"one row":            {one, wantLater.Slice(2, 3, 0, 20)},
				} {
					// 1e-13: standardised values are a few units, of some 60 roundings.
					testkit.WantClose(t, name, testkit.Must(p.Apply(ctx, c.x)), c.want, 1e-13)
				}
			}
		})
	}
}

// Balanced features do not depend on the unit of a measurement, be it one with a zero of its own, nor on
// the unit of all counts.
func TestUnitsDoNotMatter(t *testing.T) {
	_, x := testkit.RandomWords(testkit.Random(12), 60, 20)
	for i := range 60 {
		x.Set(i, 3, 15+float64(i*i%17)) // degrees of heat: every row has some
		x.Set(i, 4, float64(i%4)*2.5)   // a price that most rows have
	}
	other := mat.DenseCopyOf(x)
	other.Apply(func(_, j int, v float64) float64 {
		switch j {
		case 3:
			return 32 + 1.8*v
		case 4:
			return 1e6 * v
		}
		return 1e-6 * v
	}, x)
	// 1e-12: the digits that a difference of numbers near 50 loses, under a root.
	testkit.WantClose(t, "balanced", prepared(other, coles.PrepareBalanced), testkit.DenseOf(prepared(x, coles.PrepareBalanced)), 1e-12)
}

func TestAutomaticPreparation(t *testing.T) {
	words := func(change func(values []float64)) *sparse.CSR {
		x, _ := testkit.RandomWords(testkit.Random(4), 40, 30)
		change(x.RawMatrix().Data)
		return x
	}
	counts := words(func([]float64) {})
	for _, c := range []struct {
		name           string
		x              mat.Matrix
		want, undamped coles.Preparation
	}{
		{"0/1", words(func(v []float64) {
			for q := range v {
				v[q] = 1
			}
		}), coles.PrepareBalanced, coles.PrepareTFIDF},
		{"counts", counts, coles.PrepareBalanced, coles.PrepareTFIDF},
		{"counts in a dense matrix", testkit.DenseOf(counts), coles.PrepareBalanced, coles.PrepareTFIDF},
		{"real numbers, mostly zero", words(func(v []float64) { v[3] = 0.5 }), coles.PrepareBalanced, coles.PrepareRowL2},
		{"with a negative value", words(func(v []float64) { v[3] = -1 }), coles.PrepareBalanced, coles.PrepareRowL2},
		{"with a negative fraction", words(func(v []float64) { v[3] = -0.5 }), coles.PrepareBalanced, coles.PrepareRowL2},
		{"dense", testkit.RandomDense(testkit.Random(8), 20, 5), coles.PrepareStandardize, coles.PrepareStandardize},
		{"half of the entries", mat.NewDense(2, 2, []float64{1, 0, 0, 1}), coles.PrepareStandardize, coles.PrepareStandardize},
		{"a third of the entries", mat.NewDense(2, 3, []float64{1, 0, 0, 1, 0, 0}), coles.PrepareBalanced, coles.PrepareTFIDF},
		{"half of the entries stored, but as zeros", sparse.NewCSR(1, 4, []int{0, 3}, []int{0, 1, 2}, []float64{1, 0, 0}), coles.PrepareBalanced, coles.PrepareTFIDF},
		{"nothing but zeros", mat.NewDense(3, 3, nil), coles.PrepareBalanced, coles.PrepareTFIDF},
	} {
		testkit.WantSame(t, c.name, testkit.Must(coles.PrepareAuto.Fit(ctx, c.x)).Preparation(), c.want)
		testkit.WantSame(t, c.name+", undamped", testkit.Must(coles.PrepareUndamped.Fit(ctx, c.x)).Preparation(), c.undamped)
	}
}

// Prepared features do not depend on the size of the numbers, be it close to their ends; a power of
// two changes no bit of them. 2⁻¹⁰⁰⁰ and 2¹⁰⁰⁰ are that far out, where squares and sums are no
// numbers any more.
func TestPreparationOfAnySize(t *testing.T) {
	_, x := testkit.RandomWords(testkit.Random(161), 120, 40)
	for _, how := range []coles.Preparation{coles.PrepareRowL2, coles.PrepareRowL1, coles.PrepareTFIDF, coles.PrepareBalanced, coles.PrepareStandardize} {
		want := testkit.DenseOf(prepared(x, how))
		for _, exponent := range []int{-1000, -900, 900, 1000, 1021} {
			scaled := mat.DenseCopyOf(x)
			scaled.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, exponent) }, scaled)
			testkit.WantClose(t, fmt.Sprint(how, " of features times 2^", exponent), prepared(scaled, how), want, 1e-14*mat.Norm(want, math.Inf(1)))
		}
	}
	// Rows of subnormal numbers: 3e-320 has only 12 bits.
	subnormal := mat.NewDense(3, 2, []float64{3e-320, 4e-320, 0, 0, 1e-320, 0})
	testkit.WantClose(t, "row-l2", prepared(subnormal, coles.PrepareRowL2), mat.NewDense(3, 2, []float64{0.6, 0.8, 0, 0, 1, 0}), 1e-3)
	testkit.WantClose(t, "row-l1", prepared(subnormal, coles.PrepareRowL1), mat.NewDense(3, 2, []float64{3. / 7, 4. / 7, 0, 0, 1, 0}), 1e-3)
	testkit.WantClose(t, "balanced", prepared(subnormal, coles.PrepareBalanced), balanced(mat.NewDense(3, 2, []float64{3, 4, 0, 0, 1, 0}), mat.NewDense(3, 2, []float64{3, 4, 0, 0, 1, 0})), 1e-3)
	// A column from one end of the numbers to the other has a deviation like any other.
	const far = 1.7e308
	wide := mat.NewDense(3, 4, []float64{-far, far, -far, far, 1, 1, 1, 1, far, far, far, -far})
	third := math.Sqrt(1. / 3)
	want := mat.NewDense(3, 4, []float64{-1, 1, -1, 1, 0, 0, 0, 0, third, third, third, -3 * third})
	testkit.WantClose(t, "standardised", prepared(wide.T(), coles.PrepareStandardize), want.T(), 1e-15)
	small := mat.DenseCopyOf(wide.T())
	small.Scale(1/far, small)
	testkit.WantClose(t, "balanced", prepared(wide.T(), coles.PrepareBalanced), balanced(small, small), 1e-14)
}

func TestPreparationRefuses(t *testing.T) {
	plain, _ := testkit.RandomWords(testkit.Random(9), 10, 4)
	negative := mat.NewDense(2, 2, []float64{1, 2, -1, 3})
	for name, c := range map[string]struct {
		x    mat.Matrix
		how  coles.Preparation
		want error
	}{
		"TF-IDF of a negative value":   {negative, coles.PrepareTFIDF, coles.ErrNegative},
		"row sums of a negative value": {negative, coles.PrepareRowL1, coles.ErrNegative},
		"sparse too":                   {testkit.SparseOf(negative), coles.PrepareRowL1, coles.ErrNegative},
		"no columns":                   {sparse.NewCSR(3, 0, []int{0, 0, 0, 0}, nil, nil), coles.PrepareNone, coles.ErrShape},
		"unknown kind":                 {plain, coles.Preparation(99), coles.ErrSetting},
		// Standardised sparse features are dense: the size is checked before it is allocated.
		"standardised, too many": {sparse.NewCSR(100, math.MaxInt32, make([]int, 101), nil, nil), coles.PrepareStandardize, coles.ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) { testkit.WantError(t, testkit.Err(c.how.Fit(ctx, c.x)), c.want) })
	}
	for how := range preparationFormulas {
		p := testkit.Must(how.Fit(ctx, plain))
		testkit.WantError(t, testkit.Err(p.Apply(ctx, mat.NewDense(3, 5, nil))), coles.ErrShape)
		if how == coles.PrepareTFIDF || how == coles.PrepareRowL1 {
			testkit.WantError(t, testkit.Err(p.Apply(ctx, mat.NewDense(1, 4, []float64{0, 0, -1, 0}))), coles.ErrNegative)
		}
	}
}

func TestPreparersSurviveJSON(t *testing.T) {
	words, _ := testkit.RandomWords(testkit.Random(71), 20, 6)
	for how := range preparationFormulas {
		p := testkit.Must(how.Fit(ctx, words))
		var back coles.Preparer
		testkit.Check(t, json.Unmarshal(testkit.Must(json.Marshal(p)), &back))
		testkit.WantSame(t, how.String(), testkit.Bits(testkit.Must(back.Apply(ctx, words))), testkit.Bits(testkit.Must(p.Apply(ctx, words))))
	}
	for _, text := range []string{
		`{"preparation":"tfidf","columns":3,"weight":[1,2]}`, `{"preparation":"none","columns":0}`, `{"preparation":"auto","columns":3}`, `{"preparation":"undamped","columns":3}`, `{"preparation":"balanced","columns":3}`, `{"preparation":"balanced","columns":2,"weight":[1,1],"mean":[1]}`,
		`{"preparation":"standardize","columns":1,"weight":[1]}`, `{"preparation":"whiten","columns":1}`, `{"preparation":"none","columns":"one"}`, `3`, `[]`, `null`,
	} {
		testkit.WantError(t, json.Unmarshal([]byte(text), new(coles.Preparer)), coles.ErrFormat)
	}
}
