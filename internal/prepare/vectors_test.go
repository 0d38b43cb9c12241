package prepare_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// axes are d principal axes of one unit, as an SVD has them: the k-th deviates by (k+1)^-power.
func axes(seed uint64, n, d int, power float64) *mat.Dense {
	x := testkit.RandomDense(testkit.Random(seed), n, d)
	x.Apply(func(_, j int, v float64) float64 { return v*math.Pow(float64(j+1), -power) + 0.3 }, x)
	return x
}

// beside are matrices next to each other.
func beside(parts ...mat.Matrix) *mat.Dense {
	all := mat.DenseCopyOf(parts[0])
	for _, p := range parts[1:] {
		var next mat.Dense
		next.Augment(all, p)
		all = &next
	}
	return all
}

// sideColumns are three numbers of unlike units and a category of five levels.
func sideColumns(seed uint64, n int) *mat.Dense {
	rng := testkit.Random(seed)
	x := mat.NewDense(n, 8, nil)
	for i := range n {
		x.Set(i, 0, math.Exp(9+rng.NormFloat64()))
		x.Set(i, 1, 40+12*rng.NormFloat64())
		x.Set(i, 2, rng.NormFloat64())
		x.Set(i, 3+rng.IntN(5), 1)
	}
	return x
}

// unitCentred are centred rows brought to a length.
func unitCentred(x *mat.Dense, length float64) *mat.Dense {
	y := unitRows(testkit.Centred(mat.DenseCopyOf(x)), 2)
	y.Scale(length, y)
	return y
}

// independent is tr(C)²/‖C‖² of the covariance of columns.
func independent(x mat.Matrix) float64 {
	var c mat.SymDense
	stat.CovarianceMatrix(&c, x, nil)
	return mat.Trace(&c) * mat.Trace(&c) / math.Pow(mat.Norm(&c, 2), 2)
}

func TestVectorsEqualTheFormula(t *testing.T) {
	const n, d = 500, 48
	embedding, side := axes(1, n, d, 0.7), sideColumns(2, n)
	random := testkit.Product(embedding, testkit.RandomDense(testkit.Random(3), d, d)) // no axes
	standardised := func(x mat.Matrix) *mat.Dense { return testkit.DenseOf(prepared(x, coles.PrepareStandardize)) }
	for name, c := range map[string]struct {
		x, want *mat.Dense
		how     coles.Preparation
	}{
		"axes":                  {embedding, unitCentred(embedding, 1), coles.PrepareVectors},
		"axes and nothing":      {beside(embedding, mat.NewDense(n, 9, nil)), beside(unitCentred(embedding, 1), mat.NewDense(n, 9, nil)), coles.PrepareVectors},
		"a random basis":        {random, standardised(random), coles.PrepareStandardize},
		"axes behind others":    {beside(side, embedding), beside(standardised(side), unitCentred(embedding, math.Sqrt(independent(embedding)))), coles.PrepareVectors},
		"a basis before others": {beside(random, side), beside(unitCentred(standardised(random), math.Sqrt(independent(standardised(random)))), standardised(side)), coles.PrepareVectors},
		"too few columns":       {beside(axes(4, n, 31, 0.7)), standardised(axes(4, n, 31, 0.7)), coles.PrepareStandardize},
		"a table":               {side, standardised(side), coles.PrepareStandardize},
	} {
		for kind, x := range map[string]mat.Matrix{"": c.x, ", sparse": testkit.SparseOf(c.x)} {
			p := testkit.Must(coles.PrepareVectors.Fit(ctx, x))
			testkit.WantSame(t, name+kind, p.Preparation(), c.how)
			// The covariance of few independent columns is measured to a share of one over the rows.
			testkit.WantClose(t, name+kind, testkit.Must(p.Apply(ctx, x)), c.want, 3e-2)
			if c.how == coles.PrepareVectors && name == "axes" || c.how == coles.PrepareStandardize {
				testkit.WantClose(t, name+kind+", closely", testkit.Must(p.Apply(ctx, x)), c.want, 1e-12)
			}
			var back coles.Preparer
			testkit.Check(t, json.Unmarshal(testkit.Must(json.Marshal(p)), &back))
			testkit.WantSame(t, name+", from a file", testkit.Bits(testkit.Must(back.Apply(ctx, x))), testkit.Bits(testkit.Must(p.Apply(ctx, x))))
		}
	}
	for _, text := range []string{`{"from":1,"to":3,"length":1}`, `{"from":1,"to":1,"length":1}`, `{"from":0,"to":2,"length":0}`, `{"from":0,"to":1,"length":1},{"from":0,"to":1,"length":1}`} {
		whole := `{"preparation":"vectors","columns":2,"weight":[1,1],"mean":[1,1],"blocks":[` + text + `]}`
		testkit.WantError(t, json.Unmarshal([]byte(whole), new(coles.Preparer)), coles.ErrFormat)
	}
}

// What an embedding is does not hang on its unit, the order of rows or of its columns, or float16.
func TestVectorsAreFound(t *testing.T) {
	const n, d = 6000, 64 // more rows than correlations are measured on
	x := axes(5, n, d, 0.5)
	rng := testkit.Random(6)
	rows, columns := rng.Perm(n), rng.Perm(d)
	want := testkit.Must(coles.PrepareAuto.Fit(ctx, beside(x, sideColumns(7, n))))
	side, moved := sideColumns(7, n), mat.NewDense(n, d, nil)
	movedSide := mat.NewDense(n, 8, nil)
	for i, to := range rows {
		moved.SetRow(to, x.RawRowView(i))
		movedSide.SetRow(to, side.RawRowView(i))
	}
	y, z := testkit.DenseOf(testkit.Must(want.Apply(ctx, beside(x, side)))), testkit.DenseOf(prepared(beside(moved, movedSide), coles.PrepareAuto))
	for i, to := range rows {
		if off := testkit.MaxDiff(y.Slice(i, i+1, 0, d+8), z.Slice(to, to+1, 0, d+8)); off > 1e-9 {
			t.Fatalf("row %d is off by %.2g where it stands elsewhere", i, off)
		}
	}
	other := func(change func(i, j int, v float64) float64) *mat.Dense {
		y := mat.DenseCopyOf(x)
		y.Apply(change, y)
		return y
	}
	for name, x := range map[string]*mat.Dense{
		"shuffled columns": other(func(i, j int, _ float64) float64 { return x.At(i, columns[j]) }),
		"another unit":     other(func(_, _ int, v float64) float64 { return 1e-200*v + 3e-200 }),
		"half precision":   other(func(_, _ int, v float64) float64 { return math.Round(v*1024) / 1024 }),
		"twice":            beside(x, x),
	} {
		testkit.WantSame(t, name, testkit.Must(coles.PrepareAuto.Fit(ctx, x)).Preparation(), coles.PrepareVectors)
	}
	for name, x := range map[string]*mat.Dense{
		"sensors of unlike units": other(func(i, j int, v float64) float64 { return v * math.Pow(10, float64(j*7%9-4)) }),
		"no correlation at all":   testkit.RandomDense(rng, n, 20),
	} {
		testkit.WantSame(t, name, testkit.Must(coles.PrepareAuto.Fit(ctx, x)).Preparation(), coles.PrepareStandardize)
	}
}

// Tables from life are standardised as ever, but for pixels.
func TestTablesAreNoVectors(t *testing.T) {
	for name, want := range map[string]coles.Preparation{"breast_cancer": coles.PrepareStandardize, "wine": coles.PrepareStandardize, "digits": coles.PrepareVectors} {
		lines := strings.Split(strings.TrimSpace(string(testkit.Must(os.ReadFile(filepath.Join(testkit.Shared(t, "data", "vectors"), name+".csv"))))), "\n")
		d := strings.Count(lines[0], ",") - 1
		x := mat.NewDense(len(lines)-1, d, nil)
		for i, line := range lines[1:] {
			for j, v := range strings.Split(line, ",")[1 : d+1] {
				x.Set(i, j, testkit.Must(strconv.ParseFloat(v, 64)))
			}
		}
		testkit.WantSame(t, name, testkit.Must(coles.PrepareAuto.Fit(ctx, x)).Preparation(), want)
	}
}

// An embedding beside words, which balanced features are, weighs as many numbers as it amounts to, and words what they do.
func TestVectorsBesideWords(t *testing.T) {
	const n, d, words = 600, 48, 400
	embedding, rng := axes(8, n, d, 0.7), testkit.Random(9)
	bag := mat.NewDense(n, words, nil)
	bag.Apply(func(_, _ int, _ float64) float64 { return math.Floor(rng.Float64() + 0.04) }, bag)
	want := beside(bag, unitCentred(embedding, math.Sqrt(independent(embedding))))
	for j := range words { // of 0 and 1: √(s(1 − s)) is the energy of a word that a share s has
		share := mat.Sum(bag.ColView(j)) / n
		for i := range n {
			want.Set(i, j, bag.At(i, j)*math.Sqrt(math.Sqrt(share*(1-share))/share))
		}
	}
	want = unitRows(want, 2)
	for name, x := range map[string]mat.Matrix{"dense": beside(bag, embedding), "sparse": testkit.SparseOf(beside(bag, embedding))} {
		p := testkit.Must(coles.PrepareAuto.Fit(ctx, x))
		testkit.WantSame(t, name, p.Preparation(), coles.PrepareBalanced)
		testkit.WantClose(t, name, testkit.Must(p.Apply(ctx, x)), want, 1e-2)
		var back coles.Preparer
		testkit.Check(t, json.Unmarshal(testkit.Must(json.Marshal(p)), &back))
		testkit.WantSame(t, name+", from a file", testkit.Bits(testkit.Must(back.Apply(ctx, x))), testkit.Bits(testkit.Must(p.Apply(ctx, x))))
	}
	plain := testkit.Must(coles.PrepareBalanced.Fit(ctx, bag))
	if text := string(testkit.Must(json.Marshal(plain))); strings.Contains(text, "blocks") {
		t.Error("words alone have blocks")
	}
}

// Columns on one scale, as of pixels, are centred in one unit, which brings the mean energy to 1; numbers of their own
// ends, or categories, are not.
func TestColumnsOnOneScaleKeepTheirDeviations(t *testing.T) {
	rng := testkit.Random(30)
	x := mat.NewDense(80, 40, nil)
	x.Apply(func(i, j int, _ float64) float64 {
		if i == j%7 && j%2 == 0 {
			return 16
		}
		return float64(rng.IntN(2 + j/3))
	}, x)
	testkit.WantSame(t, "preparation", testkit.Must(coles.PrepareVectors.Fit(ctx, x)).Preparation(), coles.PrepareVectors)
	want := testkit.Centred(mat.DenseCopyOf(x))
	want.Scale(math.Sqrt(80*40)/mat.Norm(want, 2), want)
	testkit.WantClose(t, "pixels", prepared(x, coles.PrepareVectors), want, 1e-13)

	x.Apply(func(_, j int, v float64) float64 { return v * math.Exp(float64(j*7%9)) }, x)
	testkit.WantSame(t, "other ends", testkit.Must(coles.PrepareVectors.Fit(ctx, x)).Preparation(), coles.PrepareStandardize)
	x.Apply(func(int, int, float64) float64 { return float64(rng.IntN(2)) }, x)
	testkit.WantSame(t, "categories", testkit.Must(coles.PrepareVectors.Fit(ctx, x)).Preparation(), coles.PrepareStandardize)
}
