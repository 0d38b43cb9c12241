package coles_test

import (
	"encoding/json"
	"math"
	"testing"

	"coles"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// The formulas, entry by entry; train gives the column weights, x is prepared.
var preparationFormulas = map[coles.Preparation]func(train, x *mat.Dense) *mat.Dense{
	coles.PrepareNone:  func(_, x *mat.Dense) *mat.Dense { return x },
	coles.PrepareRowL2: func(_, x *mat.Dense) *mat.Dense { return unitRows(x, 2) },
	coles.PrepareRowL1: func(_, x *mat.Dense) *mat.Dense { return unitRows(x, 1) },
	coles.PrepareTFIDF: func(train, x *mat.Dense) *mat.Dense {
		n, _ := train.Dims()
		weighted := mat.DenseCopyOf(x)
		weighted.Apply(func(_, j int, v float64) float64 {
			df := 0
			for i := range n {
				if train.At(i, j) != 0 {
					df++
				}
			}
			return v * (math.Log(float64(1+n)/float64(1+df)) + 1)
		}, x)
		return unitRows(weighted, 2)
	},
	coles.PrepareStandardize: func(train, x *mat.Dense) *mat.Dense {
		out := mat.DenseCopyOf(x)
		out.Apply(func(_, j int, v float64) float64 {
			column := mat.Col(nil, j, train)
			mean, deviation := stat.PopMeanStdDev(column, nil)
			if deviation == 0 {
				return 0
			}
			return (v - mean) / deviation
		}, x)
		return out
	},
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
	_, train := randomWords(random(1), 60, 20)
	_, later := randomWords(random(2), 15, 20)
	for i := range 20 {
		train.Set(7, i, 0) // a zero row
		later.Set(3, i, 0)
	}
	for i := range 60 {
		train.Set(i, 4, 0) // a word that no row has, and one that all have
		train.Set(i, 5, 2)
	}
	later.Set(1, 4, 3)
	for how, formula := range preparationFormulas {
		t.Run(how.String(), func(t *testing.T) {
			var fromSparse *coles.Preparer
			for _, x := range []mat.Matrix{train, sparseOf(train)} {
				p := must(coles.FitPreparation(ctx, x, how))
				wantSame(t, "kind", p.Preparation(), how)
				fromSparse = p
				// 1e-13: standardised values are a few units, of some 60 roundings.
				wantClose(t, "training rows", must(p.Apply(ctx, x)), formula(train, train), 1e-13)
				wantClose(t, "later rows", must(p.Apply(ctx, later)), formula(train, later), 1e-13)
				wantClose(t, "later rows, sparse", must(p.Apply(ctx, sparseOf(later))), formula(train, later), 1e-13)
			}
			// One row alone is prepared as it was among the others.
			row := mat.DenseCopyOf(later.Slice(2, 3, 0, 20))
			all := formula(train, later)
			wantClose(t, "one row", must(fromSparse.Apply(ctx, row)), all.Slice(2, 3, 0, 20), 1e-13)
		})
	}
}

func TestPreparationLeavesItsInputAlone(t *testing.T) {
	words, dense := randomWords(random(3), 30, 10)
	before := denseOf(dense)
	for how := range preparationFormulas {
		p := must(coles.FitPreparation(ctx, dense, how))
		must(p.Apply(ctx, dense))
		must(p.Apply(ctx, words))
		wantClose(t, how.String(), dense, before, 0)
		wantClose(t, how.String(), words, before, 0)
	}
}

// A part of a larger matrix is prepared as a copy of it is, and the result is its own.
func TestPreparationOfASlice(t *testing.T) {
	_, dense := randomWords(random(4), 30, 10)
	slice := dense.Slice(3, 20, 2, 7)
	whole := mat.DenseCopyOf(slice)
	for how := range preparationFormulas {
		p := must(coles.FitPreparation(ctx, slice, how))
		y := must(p.Apply(ctx, slice))
		wantClose(t, how.String(), y, must(p.Apply(ctx, whole)), 0)
		y.(mat.Mutable).Set(0, 0, -1)
		wantClose(t, how.String()+", written to", slice, whole, 0)
	}
}

func TestAutomaticPreparation(t *testing.T) {
	binary, _ := randomWords(random(4), 40, 30)
	for q := range binary.RawMatrix().Data {
		binary.RawMatrix().Data[q] = 1
	}
	counts, _ := randomWords(random(5), 40, 30)
	real, _ := randomWords(random(6), 40, 30)
	real.RawMatrix().Data[3] = 0.5
	signed, _ := randomWords(random(7), 40, 30)
	signed.RawMatrix().Data[3] = -1
	half := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	third := mat.NewDense(2, 3, []float64{1, 0, 0, 1, 0, 0})
	for _, c := range []struct {
		name string
		x    mat.Matrix
		want coles.Preparation
	}{
		{"0/1", binary, coles.PrepareTFIDF},
		{"counts", counts, coles.PrepareTFIDF},
		{"counts in a dense matrix", denseOf(counts), coles.PrepareTFIDF},
		{"real numbers, mostly zero", real, coles.PrepareRowL2},
		{"with a negative value", signed, coles.PrepareRowL2},
		{"dense", randomDense(random(8), 20, 5), coles.PrepareStandardize},
		{"half of the entries", half, coles.PrepareStandardize},
		{"a third of the entries", third, coles.PrepareTFIDF},
		{"half of the entries stored, but as zeros", sparse.NewCSR(1, 4, []int{0, 3}, []int{0, 1, 2}, []float64{1, 0, 0}), coles.PrepareTFIDF},
		{"nothing but zeros", mat.NewDense(3, 3, nil), coles.PrepareTFIDF},
	} {
		p := must(coles.FitPreparation(ctx, c.x, coles.PrepareAuto))
		if p.Preparation() != c.want {
			t.Errorf("%s: %v, want %v", c.name, p.Preparation(), c.want)
		}
	}
}

func TestPreparationRefuses(t *testing.T) {
	plain, _ := randomWords(random(9), 10, 4)
	negative := mat.NewDense(2, 2, []float64{1, 2, -1, 3})
	for _, c := range []struct {
		name string
		x    mat.Matrix
		how  coles.Preparation
		want error
	}{
		{"TF-IDF of a negative value", negative, coles.PrepareTFIDF, coles.ErrPreparation},
		{"row sums of a negative value", negative, coles.PrepareRowL1, coles.ErrPreparation},
		{"sparse too", sparseOf(negative), coles.PrepareRowL1, coles.ErrPreparation},
		{"NaN", mat.NewDense(1, 1, []float64{math.NaN()}), coles.PrepareNone, coles.ErrNotFinite},
		{"no columns", sparse.NewCSR(3, 0, []int{0, 0, 0, 0}, nil, nil), coles.PrepareNone, coles.ErrEmpty},
		{"no rows", &mat.Dense{}, coles.PrepareAuto, coles.ErrEmpty},
		{"unknown kind", plain, coles.Preparation(99), coles.ErrSetting},
		{"negative kind", plain, coles.Preparation(-1), coles.ErrSetting},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := coles.FitPreparation(ctx, c.x, c.how)
			wantError(t, err, c.want)
		})
	}
	for how := range preparationFormulas {
		p := must(coles.FitPreparation(ctx, plain, how))
		_, err := p.Apply(ctx, mat.NewDense(3, 5, nil))
		wantError(t, err, coles.ErrShape)
		if how == coles.PrepareTFIDF || how == coles.PrepareRowL1 {
			_, err = p.Apply(ctx, mat.NewDense(1, 4, []float64{0, 0, -1, 0}))
			wantError(t, err, coles.ErrPreparation)
		}
	}
	// Standardised sparse features are dense: the size is checked before it is allocated.
	const wide = math.MaxInt32
	huge := sparse.NewCSR(100, wide, make([]int, 101), nil, nil)
	_, err := coles.FitPreparation(ctx, huge, coles.PrepareStandardize)
	wantError(t, err, coles.ErrTooLarge)
}

func TestHugeAndSmallValuesStayFinite(t *testing.T) {
	for _, scale := range []float64{1e200, 1e-200, 1e-320} {
		x := mat.NewDense(3, 2, []float64{3 * scale, 4 * scale, 0, 0, scale, 0})
		for _, how := range []coles.Preparation{coles.PrepareRowL2, coles.PrepareRowL1} {
			got := must(must(coles.FitPreparation(ctx, x, how)).Apply(ctx, x))
			want := []float64{0.6, 0.8}
			if how == coles.PrepareRowL1 {
				want = []float64{3. / 7, 4. / 7}
			}
			tolerance := 1e-15
			if scale == 1e-320 { // subnormal: 3e-320 itself has only 12 bits
				tolerance = 1e-3
			}
			wantClose(t, how.String(), got, mat.NewDense(3, 2, append(want, 0, 0, 1, 0)), tolerance)
		}
	}
	// Values that cannot be squared still have a deviation.
	for _, scale := range []float64{1e200, 1e-200} {
		x := mat.NewDense(2, 2, []float64{scale, 1, 3 * scale, 1})
		got := must(must(coles.FitPreparation(ctx, x, coles.PrepareStandardize)).Apply(ctx, x))
		wantClose(t, "standardised", got, mat.NewDense(2, 2, []float64{-1, 0, 1, 0}), 1e-15)
	}
}

// The rounding of a large constant is not a deviation to scale up.
func TestConstantColumnsBecomeZero(t *testing.T) {
	x := mat.NewDense(30, 3, nil)
	for i := range 30 {
		x.Set(i, 0, 1e15/3)
		x.Set(i, 1, 0.1)
		x.Set(i, 2, float64(i%2))
	}
	got := denseOf(must(must(coles.FitPreparation(ctx, x, coles.PrepareStandardize)).Apply(ctx, x)))
	for i := range 30 {
		if got.At(i, 0) != 0 || got.At(i, 1) != 0 || math.Abs(math.Abs(got.At(i, 2))-1) > 1e-15 {
			t.Fatalf("row %d is %v", i, mat.Row(nil, i, got))
		}
	}
}

func TestPreparationNames(t *testing.T) {
	for how := coles.PrepareAuto; how <= coles.PrepareStandardize; how++ {
		var back coles.Preparation
		if err := back.UnmarshalText(must(how.MarshalText())); err != nil || back != how {
			t.Errorf("%v comes back as %v, %v", how, back, err)
		}
	}
	var p coles.Preparation
	wantError(t, p.UnmarshalText([]byte("whiten")), coles.ErrSetting)
	_, err := coles.Preparation(77).MarshalText()
	wantError(t, err, coles.ErrSetting)
}

func TestPreparersSurviveJSON(t *testing.T) {
	words, _ := randomWords(random(71), 20, 6)
	for _, how := range []coles.Preparation{coles.PrepareNone, coles.PrepareTFIDF, coles.PrepareRowL2, coles.PrepareRowL1, coles.PrepareStandardize} {
		p := must(coles.FitPreparation(ctx, words, how))
		var read coles.Preparer
		if err := json.Unmarshal(must(json.Marshal(p)), &read); err != nil {
			t.Fatal(err)
		}
		wantSame(t, how.String(), bits(denseOf(must(read.Apply(ctx, words)))), bits(denseOf(must(p.Apply(ctx, words)))))
	}
	for _, text := range []string{
		`{"preparation":"tfidf","columns":3,"weight":[1,2]}`,
		`{"preparation":"none","columns":0}`,
		`{"preparation":"auto","columns":3}`,
		`{"preparation":"standardize","columns":1,"weight":[1]}`,
		`{"preparation":"whiten","columns":1}`,
		`{"preparation":"none","columns":"one"}`,
		`3`,
		`[]`,
		`null`,
	} {
		wantError(t, json.Unmarshal([]byte(text), new(coles.Preparer)), coles.ErrFormat)
	}
}
