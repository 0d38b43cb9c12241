package matrix_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"strings"
	"testing"

	"coles"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// eighths has small multiples of 1/8, which are numbers of float32 too, about half of them zero.
func eighths(seed uint64, r, c int) *mat.Dense {
	rng := testkit.Random(seed)
	x := mat.NewDense(r, c, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return float64(max(0, rng.IntN(40)-20)-5*rng.IntN(2)) / 8 }, x)
	return x
}

// forms are the types that a matrix may come in.
func forms(x *mat.Dense) map[string]mat.Matrix {
	r, c := x.Dims()
	wide := mat.NewDense(r+2, c+3, nil)
	wide.Slice(1, r+1, 2, c+2).(*mat.Dense).Copy(x)
	padded := &coles.Dense32{Rows: r, Cols: c, Stride: c + 5}
	for i := range r {
		padded.Data = append(padded.Data, testkit.SingleOf(x.Slice(i, i+1, 0, c)).Data...)
		padded.Data = append(padded.Data, 7, 7, 7, 7, 7)
	}
	padded.Data = padded.Data[:len(padded.Data)-5] // the last row need not be padded
	return map[string]mat.Matrix{
		"dense": x, "a view": wide.Slice(1, r+1, 2, c+2), "float32": testkit.SingleOf(x), "padded float32": padded,
		"CSR": testkit.SparseOf(x), "CSC": testkit.SparseOf(x).ToCSC(), "DOK": testkit.SparseOf(x).ToDOK(), "foreign": testkit.Foreign{Of: x},
	}
}

func TestEveryFormIsReadAsItsEntries(t *testing.T) {
	x := eighths(1, 37, 11)
	// The formula of Hash, from the entries.
	mix := func(h, v uint64) uint64 {
		y := (h ^ v) * 0x9e3779b97f4a7c15
		return y ^ y/(1<<32)
	}
	hash := mix(mix(0, 37), 11)
	for i := range 37 {
		h := uint64(0)
		for j := range 11 {
			if v := x.At(i, j); v != 0 {
				h = mix(h, math.Float64bits(v)^uint64(j+1)*0xd6e8feb86659fd93)
			}
		}
		hash = mix(hash, h)
	}
	for name, form := range forms(x) {
		before := testkit.Bits(form)
		s := testkit.Must(matrix.Read(ctx, form))
		testkit.WantSame(t, name, testkit.Bits(s), testkit.Bits(x))
		testkit.WantSame(t, name+", transposed", testkit.Bits(s.T()), testkit.Bits(x.T()))
		testkit.WantSame(t, name+", float64", testkit.Bits(denseOf(testkit.Must(matrix.As[float64](ctx, s)))), testkit.Bits(x))
		testkit.WantSame(t, name+", float32", testkit.Bits(denseOf(testkit.Must(matrix.As[float32](ctx, s)))), testkit.Bits(x))
		testkit.WantSame(t, name+", thin", testkit.Bits(testkit.Must(s.Thin(ctx))), testkit.Bits(x))
		testkit.WantSame(t, name+", hash", testkit.Must(matrix.Hash(ctx, s)), fmt.Sprintf("%016x", hash))
		testkit.WantSame(t, name+", largest", testkit.Must(s.Largest(ctx)), max(mat.Max(x), -mat.Min(x)))
		again := testkit.Must(matrix.Read(ctx, s))
		if again != s {
			t.Errorf("%s: a matrix that has been read is read again", name)
		}
		testkit.WantSame(t, name+" after", testkit.Bits(form), before)
	}
	other := mat.DenseCopyOf(x)
	other.Set(3, 3, other.At(3, 3)+1)
	if testkit.Must(matrix.Hash(ctx, testkit.Must(matrix.Read(ctx, other)))) == fmt.Sprintf("%016x", hash) {
		t.Error("another matrix has the same hash")
	}
}

// denseOf is a matrix in either form and type, by its rows.
func denseOf[T kernel.Float](m *matrix.Matrix[T]) *mat.Dense {
	out := mat.NewDense(max(1, m.Rows()), m.Cols(), nil)
	for i := range m.Rows() {
		cols, vals := m.Row(i)
		for q, v := range vals {
			out.Set(i, matrix.Column(cols, q), float64(v))
		}
	}
	return out
}

// What can be viewed is: nothing is copied, nothing written.
func TestMatricesAreViewed(t *testing.T) {
	x := eighths(2, 5, 4)
	s := testkit.Must(matrix.Read(ctx, x))
	m := testkit.Must(matrix.As[float64](ctx, s))
	if m.Owned || &m.Dense.Data[0] != &x.RawMatrix().Data[0] {
		t.Error("a dense matrix is copied")
	}
	single := testkit.SingleOf(x)
	if m := testkit.Must(matrix.As[float32](ctx, testkit.Must(matrix.Read(ctx, single)))); m.Owned || &m.Dense.Data[0] != &single.Data[0] {
		t.Error("a matrix of float32 is copied")
	}
	w := coles.Normalize(testkit.RandomGraph(1, 9, 0.4))
	if m := testkit.Must(matrix.As[float64](ctx, testkit.Must(matrix.Read(ctx, w)))); m.Sparse != inside.Entries(w) {
		t.Error("a matrix of this module is copied")
	}
	// What goes out is in storage that nobody else has.
	for name, form := range forms(x) {
		out := testkit.Must(matrix.Export(ctx, testkit.Must(matrix.As[float64](ctx, testkit.Must(matrix.Read(ctx, form))))))
		switch out := out.(type) {
		case *mat.Dense:
			out.Zero()
		case *sparse.CSR:
			clear(out.RawMatrix().Data)
		}
		testkit.WantSame(t, name, testkit.Bits(form), testkit.Bits(x))
	}
}

func TestUnsortedRowsAreSortedAndAddedUp(t *testing.T) {
	// Row 0 holds 5 at column 2, 1 at 0 and 3 at 2 again, row 1 nothing, row 2 2 − 2 at column 1.
	a := sparse.NewCSR(3, 3, []int{0, 3, 3, 5}, []int{2, 0, 2, 1, 1}, []float64{5, 1, 3, 2, -2})
	want := mat.NewDense(3, 3, []float64{1, 0, 8, 0, 0, 0, 0, 0, 0})
	m := testkit.Must(matrix.As[float64](ctx, testkit.Must(matrix.Read(ctx, a))))
	testkit.WantSame(t, "entries", testkit.Bits(denseOf(m)), testkit.Bits(want))
	testkit.WantSame(t, "columns", m.Sparse.Col, []int32{0, 2, 1})
	testkit.WantSame(t, "the matrix before", a.RawMatrix().Ind, []int{2, 0, 2, 1, 1})
	// Of equal columns the order is kept, and merge sees them in it.
	b, joined, err := matrix.FromCSR(ctx, a, func(x, y float64) float64 { return 10*x + y })
	if err != nil || joined != 2 {
		t.Errorf("%d joined (%v), want 2", joined, err)
	}
	testkit.WantSame(t, "merged", b.Val, []float64{1, 53, 18})
	var turns []int // columns 1, 0, 1, 0, … of a row too long for an insertion sort
	var counts []float64
	for q := range 60 {
		turns, counts = append(turns, 1-q%2), append(counts, float64(q))
	}
	first, _, err := matrix.FromCSR(ctx, sparse.NewCSR(1, 2, []int{0, 60}, turns, counts), func(x, _ float64) float64 { return x })
	testkit.Check(t, err)
	testkit.WantSame(t, "the first of each column", first.Val, []float64{1, 0})
}

func TestRowsAreChangedOnTheWay(t *testing.T) {
	x := eighths(3, 30, 6)
	double := func(_ []int32, vals []float64) { matrix.Scale(vals, 2) }
	// It needs to see all of a row.
	plusOne := func(_ []int32, vals []float64) {
		for q := range vals {
			vals[q]++
		}
	}
	var doubled, filled mat.Dense
	doubled.Scale(2, x)
	filled.Apply(func(_, _ int, v float64) float64 { return v + 1 }, &doubled)
	for name, form := range forms(x) {
		before := testkit.Bits(form)
		s := testkit.Must(matrix.Read(ctx, form)).Changed(false, double)
		testkit.WantSame(t, name, testkit.Bits(s), testkit.Bits(&doubled))
		testkit.WantSame(t, name+", thin", testkit.Bits(testkit.Must(s.Thin(ctx))), testkit.Bits(&doubled))
		m := testkit.Must(matrix.As[float32](ctx, s))
		testkit.WantSame(t, name+", as float32", testkit.Bits(denseOf(m)), testkit.Bits(&doubled))
		full := s.Changed(true, plusOne)
		testkit.WantSame(t, name+", filled", testkit.Bits(full), testkit.Bits(&filled))
		testkit.WantSame(t, name+", filled, as float64", testkit.Bits(denseOf(testkit.Must(matrix.As[float64](ctx, full)))), testkit.Bits(&filled))
		var again mat.Dense
		again.Scale(2, &filled)
		testkit.WantSame(t, name+", filled and changed", testkit.Bits(full.Changed(false, double)), testkit.Bits(&again))
		if full.Sparse() || s.Sparse() != (m.Sparse != nil) {
			t.Errorf("%s: a filled matrix is sparse, or a changed one is not what it was", name)
		}
		testkit.WantSame(t, name+" before", testkit.Bits(form), before)
	}
}

func TestReadRefusesWhatIsBad(t *testing.T) {
	for name, bad := range testkit.BadMatrices(6, 4) {
		_, err := matrix.Read(ctx, bad.X)
		if name == "no rows" { // not for Read to say
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		t.Run(name, func(t *testing.T) { testkit.WantError(t, err, bad.Want) })
	}
	beyond := math.MaxInt32
	beyond++
	if beyond < 0 {
		t.Skip("integers of 32 bits")
	}
	for name, bad := range map[string]struct {
		x    mat.Matrix
		want error
	}{
		"entries without end":     {sized{beyond, beyond}, matrix.ErrTooLarge},
		"a negative size":         {sized{-1, 3}, matrix.ErrTooLarge},
		"too many sparse columns": {sparse.NewCSR(1, beyond, []int{0, 0}, nil, nil), matrix.ErrTooLarge},
		"no row pointers":         {sparse.NewCSR(2, 2, []int{0}, nil, nil), matrix.ErrShape},
		"too few columns":         {sparse.NewCSR(1, 2, []int{0, 2}, []int{0}, []float64{1, 1}), matrix.ErrShape},
		"too few values":          {sparse.NewCSR(1, 2, []int{0, 2}, []int{0, 1}, []float64{1}), matrix.ErrShape},
		"negative float32":        {&coles.Dense32{Rows: -1, Cols: 2, Stride: 2}, matrix.ErrShape},
		"less than a row":         {&coles.Dense32{Rows: 1, Cols: 4, Stride: 4, Data: make([]float32, 1)}, matrix.ErrShape},
		"a short stride":          {&coles.Dense32{Rows: 1, Cols: 2, Stride: 1, Data: make([]float32, 4)}, matrix.ErrShape},
	} {
		t.Run(name, func(t *testing.T) { testkit.WantError(t, testkit.Err(matrix.Read(ctx, bad.x)), bad.want) })
	}
	testkit.WantError(t, matrix.CheckSize(math.MaxInt/8, 2), matrix.ErrTooLarge)
}

// sized is a matrix of zeros of any size.
type sized struct{ r, c int }

func (m sized) Dims() (r, c int)  { return m.r, m.c }
func (sized) At(int, int) float64 { return 0 }
func (m sized) T() mat.Matrix     { return sized{m.c, m.r} }

// Of several bad entries the first is named, whichever processor finds one first.
func TestTheFirstBadEntryIsNamed(t *testing.T) {
	x := mat.NewDense(3000, 2, nil)
	for _, i := range []int{700, 701, 1500, 2999} {
		x.Set(i, 1, math.NaN())
	}
	negative := mat.NewDense(3000, 2, nil)
	negative.Set(700, 1, -3)
	negative.Set(701, 0, -4)
	negative.Set(2999, 0, -5)
	testkit.ForProcessors(t, func(procs int) {
		for _, form := range []mat.Matrix{x, testkit.SparseOf(x)} {
			if _, err := matrix.Read(ctx, form); err == nil || !strings.Contains(err.Error(), "row 700, column 1") {
				t.Errorf("%d processors: %v", procs, err)
			}
		}
		i, j, v, err := matrix.FirstNegative(ctx, testkit.Must(matrix.Read(ctx, negative)))
		if err != nil || i != 700 || j != 1 || v != -3 {
			t.Errorf("%d processors: %v at (%d, %d): %v", procs, v, i, j, err)
		}
	})
}

func TestEverythingStopsWithItsContext(t *testing.T) {
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	x := eighths(4, 20, 5)
	dense, thin := testkit.Must(matrix.Read(ctx, x)), testkit.Must(matrix.Read(ctx, testkit.SparseOf(x)))
	wide, narrow := testkit.Must(matrix.As[float64](ctx, thin)), testkit.Must(matrix.As[float32](ctx, dense))
	square := matrix.Identity(20)
	o := matrix.Operator[float64]{Sparse: square, V: make([]float64, 20), Coef: 1}
	sum := func(x, y float64) float64 { return x + y }
	panel := func() kernel.Matrix[float64] { return kernel.Dense[float64](20, 5) }
	second := func(_, _ any, err error) error { return err }
	calls := map[string]func() error{
		"Changed": func() error {
			return testkit.Err(matrix.As[float64](stopped, thin.Changed(true, func([]int32, []float64) {})))
		},
		"Thin":          func() error { return testkit.Err(dense.Thin(stopped)) },
		"Largest":       func() error { return testkit.Err(dense.Largest(stopped)) },
		"Hash":          func() error { return testkit.Err(matrix.Hash(stopped, thin)) },
		"Moments":       func() error { _, _, err := matrix.Moments(stopped, thin); return err },
		"SumRoots":      func() error { return testkit.Err(matrix.SumRoots(stopped, thin)) },
		"ColumnSquares": func() error { return testkit.Err(matrix.ColumnSquares(stopped, wide)) },
		"TallyOf":       func() error { return testkit.Err(matrix.TallyOf(stopped, thin)) },
		"FirstNegative": func() error { _, _, _, err := matrix.FirstNegative(stopped, thin); return err },
		"FromCSR":       func() error { return second(matrix.FromCSR(stopped, testkit.SparseOf(x), sum)) },
		"FromPairs":     func() error { return second(matrix.FromPairs(stopped, 3, []coles.Edge{{U: 0, V: 1}}, nil, sum)) },
		"FromEntries": func() error {
			_, _, _, err := matrix.FromEntries(stopped, 3, []iter.Seq2[coles.Edge, float64]{maps.All(map[coles.Edge]float64{{U: 0, V: 1}: 1})}, 1, true, matrix.Added)
			return err
		},
		"Panel": func() error { return testkit.Err(wide.Panel(stopped)) },
		"TransposeTimes": func() error {
			return wide.TransposeTimes(stopped, kernel.Dense[float64](5, 2), kernel.Dense[float64](20, 2))
		},
		"Lengths":       func() error { return testkit.Err(matrix.Lengths(stopped, wide)) },
		"Unit":          func() error { return second(matrix.Unit(stopped, wide)) },
		"WithRoom":      func() error { return testkit.Err(narrow.WithRoom(stopped)) },
		"ToFiniteDense": func() error { return testkit.Err(matrix.ToFiniteDense(stopped, "it", panel())) },
		"Polynomial":    func() error { return testkit.Err(matrix.Polynomial(stopped, []float64{1, 2}, square, wide)) },
		"Apply":         func() error { return o.Apply(stopped, panel(), panel()) },
		"Gram":          func() error { return testkit.Err(o.Gram(stopped, panel())) },
	}
	for name, form := range forms(x) {
		calls["Read of "+name] = func() error { return testkit.Err(matrix.Read(stopped, form)) }
	}
	for name, call := range calls {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
