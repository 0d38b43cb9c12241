package linear_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// known is t of features, dense or sparse.
func known(x mat.Matrix, degrees []float64) float64 {
	ctx := context.Background()
	m := testkit.Must(matrix.As[float64](ctx, testkit.Must(matrix.Read(ctx, x))))
	return testkit.Must(linear.Known(ctx, m, linear.Roots(degrees)))
}

// plainKnown is t by its formula, everything centred before it is squared or multiplied.
func plainKnown(x *mat.Dense, degrees []float64) float64 {
	n, d := x.Dims()
	c := make([]float64, n)
	mean, length := 0.0, 0.0
	for _, degree := range degrees {
		mean += math.Sqrt(degree) / float64(n)
	}
	for i, degree := range degrees {
		c[i] = math.Sqrt(degree) - mean
		length += c[i] * c[i]
	}
	along, all := 0.0, 0.0
	for j := range d {
		mean, product := mat.Sum(x.ColView(j))/float64(n), 0.0
		for i := range n {
			off := x.At(i, j) - mean
			product += c[i] / math.Sqrt(length) * off
			all += off * off
		}
		along += product * product
	}
	return float64(n) * along / all
}

// drawnDegrees are the degrees of a random graph, some of them 0.
func drawnDegrees(n int) []float64 { return testkit.RandomGraph(3, n, 3/float64(n)).Degrees() }

// t equals the formula, whatever the unit of features and degrees, the means of columns, the order
// of the nodes and the storage.
func TestKnownEqualsTheFormula(t *testing.T) {
	const n, d = 2500, 12 // more than one part of a sum
	degrees := drawnDegrees(n)
	_, words := testkit.RandomWords(testkit.Random(1), n, d)
	numbers := testkit.RandomDense(testkit.Random(2), n, d)
	for i, degree := range degrees {
		numbers.Set(i, 3, numbers.At(i, 3)+degree/8)
	}
	for name, x := range map[string]*mat.Dense{"words": words, "numbers": numbers} {
		want := plainKnown(x, degrees)
		t.Logf("%s: t = %.4f", name, want)
		for _, unit := range []float64{1e-150, 0x1p-1000, 1, 1e15, 1e150, 1e300} {
			scaled, weights := mat.NewDense(n, d, nil), make([]float64, n)
			scaled.Scale(unit, x)
			for i, degree := range degrees {
				weights[i] = degree * unit
			}
			testkit.WantNear(t, fmt.Sprint(name, " times ", unit), known(scaled, degrees), want, 1e-11)
			testkit.WantNear(t, fmt.Sprint(name, " times ", unit, ", sparse"), known(testkit.SparseOf(scaled), degrees), want, 1e-11)
			testkit.WantNear(t, fmt.Sprint(name, ", degrees times ", unit), known(x, weights), want, 1e-11)
		}
		sums := linear.Knowledge{Columns: make([]float64, d), Along: make([]float64, d)} // about 0, as parts of a graph add them up
		for i, degree := range degrees {
			sums.Roots, sums.Volume = sums.Roots+math.Sqrt(degree), sums.Volume+degree
			for j, v := range x.RawRowView(i) {
				sums.Squares, sums.Columns[j], sums.Along[j] = sums.Squares+v*v, sums.Columns[j]+v, sums.Along[j]+math.Sqrt(degree)*v
			}
		}
		testkit.WantNear(t, name+", of sums about 0", sums.T(n), want, 1e-11)
		for mean, tolerance := range map[float64]float64{1e3: 1e-9, 1e7: 1e-7} { // in the deviation of columns
			moved := mat.NewDense(n, d, nil)
			moved.Apply(func(_, j int, v float64) float64 { return v + mean*float64(j-5) }, x)
			testkit.WantNear(t, fmt.Sprint(name, " and ", mean), known(moved, degrees), want, tolerance)
		}
		order := testkit.Random(4).Perm(n)
		permuted, places := mat.NewDense(n, d, nil), make([]float64, n)
		for i, p := range order {
			permuted.SetRow(i, x.RawRowView(p))
			places[i] = degrees[p]
		}
		testkit.WantNear(t, name+", permuted", known(permuted, places), want, 1e-11)
		ctx := context.Background()
		single := testkit.Must(matrix.As[float32](ctx, testkit.Must(matrix.Read(ctx, x))))
		testkit.WantNear(t, name+", float32", testkit.Must(linear.Known(ctx, single, linear.Roots(degrees))), want, 1e-6)
	}
}

// Features that are √degree and a constant predict degrees fully: t is n. Features orthogonal
// to them predict nothing. Over all ways to deal degrees t is n/(n − 1) in the mean.
func TestKnownOfAllAndOfNothing(t *testing.T) {
	const n = 300
	degrees := drawnDegrees(n)
	x, noise := mat.NewDense(n, 2, nil), testkit.RandomDense(testkit.Random(5), n, 1)
	roots := mat.NewVecDense(n, nil)
	for i, degree := range degrees {
		roots.SetVec(i, math.Sqrt(degree))
		x.SetRow(i, []float64{7, 3 * math.Sqrt(degree)})
	}
	testkit.WantNear(t, "t of √degree", known(x, degrees), n, 1e-12)
	c, rest := testkit.Centred(mat.DenseCopyOf(roots)), testkit.Centred(noise)
	along := mat.Dot(c.ColView(0), rest.ColView(0)) / mat.Dot(c.ColView(0), c.ColView(0))
	c.Scale(along, c)
	rest.Sub(rest, c)
	if got := known(rest, degrees); got > 1e-20 {
		t.Errorf("t of what is orthogonal to degrees is %g", got)
	}
	const deals = 4000
	sum, squares := 0.0, 0.0
	rng := testkit.Random(6)
	for range deals {
		rng.Shuffle(n, func(i, j int) { degrees[i], degrees[j] = degrees[j], degrees[i] })
		v := known(noise, degrees)
		sum, squares = sum+v, squares+v*v
	}
	mean := sum / deals
	if error := math.Sqrt((squares/deals - mean*mean) / deals); math.Abs(mean-n/(n-1.)) > 4*error {
		t.Errorf("t is %v ± %.2g in the mean, want %v", mean, error, n/(n-1.))
	}
}

// Where degrees or rows are equal there is nothing to be known.
func TestKnownWithoutADifference(t *testing.T) {
	numbers := testkit.RandomDense(testkit.Random(7), 40, 3)
	degrees := drawnDegrees(40)
	equal, one, rounded := make([]float64, 40), mat.NewDense(40, 3, nil), make([]float64, 40)
	for i := range equal {
		equal[i], rounded[i] = 4, 4*(1+1e-15*float64(i%3))
		one.SetRow(i, []float64{1e8, 1. / 3, -1e-8})
	}
	for name, c := range map[string]struct {
		x       *mat.Dense
		degrees []float64
	}{
		"equal degrees": {numbers, equal}, "degrees that differ by rounding": {numbers, rounded}, "no edges": {numbers, make([]float64, 40)},
		"equal rows": {one, degrees}, "zeros": {mat.NewDense(40, 3, nil), degrees}, "one node": {mat.NewDense(1, 2, []float64{3, 4}), []float64{0}},
	} {
		testkit.WantSame(t, name, known(c.x, c.degrees), 0.0)
		testkit.WantSame(t, name+", sparse", known(testkit.SparseOf(c.x), c.degrees), 0.0)
	}
}

// The share is the most of it times (t − 1)/9, within 0 and 1: t = 10 is enough, 1 is chance.
func TestResolved(t *testing.T) {
	for _, c := range []struct{ most, t, want float64 }{
		{0.1, 0, 0}, {0.1, 1, 0}, {0.1, 1.9, 0.01}, {0.1, 5.5, 0.05}, {0.1, 10, 0.1}, {0.1, 500, 0.1}, {0, 500, 0}, {0.9, 5.5, 0.45},
	} {
		fit := linear.Terms{DegreeShare: c.most, Dim: 3}
		testkit.WantNear(t, fmt.Sprint("the share of ", c), fit.Resolved(c.t).DegreeShare, c.want, 1e-15)
		testkit.WantSame(t, "the most", fit.DegreeShare, c.most)
	}
}
