package matrix_test

import (
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// panelOf copies a matrix into numbers of type T.
func panelOf[T kernel.Float](x mat.Matrix) kernel.Matrix[T] {
	r, c := x.Dims()
	p := kernel.Dense[T](r, c)
	for i := range r {
		for j := range c {
			p.Data[i*p.Stride+j] = T(x.At(i, j))
		}
	}
	return p
}

// check fails the test at an error.
func check(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		testkit.Check(t, err)
	}
}

// toleranceOf is for results in float64 as given, in float32 1e-5.
func toleranceOf[T kernel.Float](double float64) float64 {
	if _, single := any(T(0)).(float32); single {
		return 1e-5
	}
	return double
}

// of is a panel as a dense matrix.
func of[T kernel.Float](p kernel.Matrix[T]) *mat.Dense { return denseOf(matrix.Of(p)) }

// bothForms are x dense and sparse, in numbers of type T.
func bothForms[T kernel.Float](x *mat.Dense) map[string]*matrix.Matrix[T] {
	return map[string]*matrix.Matrix[T]{
		"dense":  testkit.Must(matrix.As[T](ctx, testkit.Must(matrix.Read(ctx, x)))),
		"sparse": testkit.Must(matrix.As[T](ctx, testkit.Must(matrix.Read(ctx, testkit.SparseOf(x))))),
	}
}

// Numbers that are multiples of 1/8 have exact products, so that all of it is the same to the bit.
func testOperations[T kernel.Float](t *testing.T) {
	x, u, v := eighths(1, 300, 9), eighths(2, 300, 4), eighths(3, 9, 4)
	w := eighths(4, 300, 300)
	for name, m := range bothForms[T](x) {
		dst, back, hop := kernel.Dense[T](300, 4), kernel.Dense[T](9, 4), kernel.Dense[T](300, 9)
		for range 2 { // the second time by what the first has kept
			check(t, m.TransposeTimes(ctx, back, panelOf[T](u)))
			testkit.WantSame(t, name+" Xᵀu", testkit.Bits(of(back)), testkit.Bits(testkit.Product(x.T(), u)))
		}
		check(t, m.Times(ctx, dst, panelOf[T](v)))
		testkit.WantSame(t, name+" Xv", testkit.Bits(of(dst)), testkit.Bits(testkit.Product(x, v)))
		for _, c := range []float64{0, 0.5} {
			check(t, m.AddHop(ctx, hop, matrix.ConvertCSR[T](csrOf(w)), panelOf[T](x), T(c)))
			var want mat.Dense
			want.Scale(c, x)
			want.Add(&want, testkit.Product(w, x))
			testkit.WantSame(t, name+" WX + cX", testkit.Bits(of(hop)), testkit.Bits(&want))
		}
		testkit.WantSame(t, name+" panel", testkit.Bits(of(testkit.Must(m.Panel(ctx)))), testkit.Bits(x))
		testkit.WantSame(t, name+" rows", testkit.Bits(denseOf(m.Slice(7, 290))), testkit.Bits(x.Slice(7, 290, 0, 9)))
		rows := []int{299, 0, 5, 5, 12}
		gathered := denseOf(testkit.Must(m.Slice(0, 300).Gather(ctx, rows)))
		for q, i := range rows {
			testkit.WantSame(t, name+" gathered", gathered.RawRowView(q), x.RawRowView(i))
		}
		testkit.WantSame(t, name+" gathered of a slice", denseOf(testkit.Must(m.Slice(100, 200).Gather(ctx, []int{50}))).RawRowView(0), x.RawRowView(150))
		testkit.WantSame(t, name+" converted", testkit.Bits(denseOf(testkit.Must(matrix.Convert[float64](ctx, m)))), testkit.Bits(x))
		testkit.WantSame(t, name+" largest", testkit.Must(m.Largest(ctx)), max(mat.Max(x), -mat.Min(x)))
		testkit.WantSame(t, name+" squares", testkit.Must(m.Squares(ctx)), floats.Dot(x.RawMatrix().Data, x.RawMatrix().Data))
		nnz := 0
		if m.Sparse != nil {
			nnz = testkit.SparseOf(x).NNZ()
		}
		testkit.WantSame(t, name+" stored entries", m.NNZ(), nnz)
	}
}

func TestOperationsAreThoseOfDenseMatrices(t *testing.T) {
	t.Run("float64", testOperations[float64])
	t.Run("float32", testOperations[float32])
}

func TestRowsAreAddedAndTakenBack(t *testing.T) {
	x, more := eighths(5, 17, 6), eighths(6, 5, 6)
	for kind, m := range bothForms[float64](x) {
		for from, rows := range bothForms[float64](more) {
			grown := testkit.Must(m.WithRoom(ctx))
			for first := range 3 { // after Truncate there is room again
				grown.Append(rows.Slice(first, 5))
				var all mat.Dense
				all.Stack(x, more.Slice(first, 5, 0, 6))
				testkit.WantSame(t, from+" rows to "+kind, testkit.Bits(denseOf(grown)), testkit.Bits(&all))
				grown.Truncate(17)
				testkit.WantSame(t, "truncated "+kind, testkit.Bits(denseOf(grown)), testkit.Bits(x))
			}
			if grown.Sparse == nil {
				grown.AppendZeros(40)
				testkit.WantSame(t, "zeros", mat.Norm(denseOf(grown).Slice(17, 57, 0, 6), 1), 0.0)
				if cap(testkit.Must(m.WithRoom(ctx)).Dense.Data) < 6*(17+2) {
					t.Error("there is no room for an eighth more")
				}
			}
			testkit.WantSame(t, "the matrix before", testkit.Bits(denseOf(m)), testkit.Bits(x))
		}
	}
}

func TestUnitRows(t *testing.T) {
	x := eighths(7, 40, 8)
	x.SetRow(3, make([]float64, 8))
	x.Set(5, 2, 1e300) // its square overflows
	for name, m := range bothForms[float64](x) {
		for what, rows := range map[string][2]int{"all": {0, 40}, "a slice": {2, 30}} {
			part := m.Slice(rows[0], rows[1])
			u, lengths, err := matrix.Unit(ctx, part)
			testkit.Check(t, err)
			got := denseOf(u)
			for i := range part.Rows() {
				row := mat.NewVecDense(8, mat.Row(nil, rows[0]+i, x))
				length := mat.Norm(row, 2)
				if math.Abs(lengths[i]-length) > 1e-15*length {
					t.Errorf("%s, %s: row %d has length %v, want %v", name, what, i, lengths[i], length)
				}
				if length > 0 {
					row.ScaleVec(1/length, row)
				}
				testkit.WantClose(t, name+" of length 1", got.RowView(i), row, 1e-15)
			}
		}
	}
	x.SetRow(9, []float64{1.7e308, 1.7e308, 0, 0, 0, 0, 0, 0})
	testkit.WantError(t, testkit.Err(matrix.Lengths(ctx, bothForms[float64](x)["sparse"])), matrix.ErrNotFinite)
}

func testOperator[T kernel.Float](t *testing.T) {
	for _, c := range []struct {
		name      string
		n, d      int
		vec, none bool
	}{
		{"S", 300, 5, false, false},
		{"S + a·v·vᵀ", 300, 5, true, false},
		{"I", 300, 5, false, true},
		{"several blocks of rows", 1100, 1000, true, false}, // GramNumbers/1000 = 1048 rows each
	} {
		half := eighths(8, c.n, c.n)
		if c.n > 1000 {
			half.Apply(func(i, j int, v float64) float64 { return v * float64(1-min((i+j)%20, 1)) }, half)
		}
		var dense mat.Dense
		dense.Add(half, half.T())
		o := matrix.Operator[float64]{Sparse: csrOf(&dense)}
		if c.none {
			dense.CloneFrom(mat.NewDiagDense(c.n, slices.Repeat([]float64{1}, c.n)))
		}
		if c.vec {
			o.Coef, o.V = -0.5, mat.Col(nil, 0, eighths(9, c.n, 1))
			v := mat.NewVecDense(c.n, o.V)
			dense.RankOne(&dense, o.Coef, v, v)
		}
		f := eighths(10, c.n, c.d)
		var right mat.Matrix = mat.NewDiagDense(c.d, slices.Repeat([]float64{1}, c.d))
		if c.n > 1000 { // sums of columns in the place of all of them
			right = eighths(11, c.d, 3)
		}
		image := testkit.Product(&dense, testkit.Product(f, right))
		of32or64 := matrix.Operator[T]{} // the identity
		if !c.none {
			of32or64 = matrix.ConvertOperator[T](o)
		}
		dst := kernel.Dense[T](c.n, c.d)
		check(t, of32or64.Apply(ctx, dst, panelOf[T](f)))
		// Multiples of 1/8 and their products are exact until they outgrow 24 bits.
		tolerance := toleranceOf[T](1e-14)
		testkit.WantClose(t, c.name+": product", testkit.Product(of(dst), right), image, tolerance*mat.Max(image))
		want := testkit.Product(f.T(), image)
		gram := testkit.Must(of32or64.Gram(ctx, panelOf[T](f)))
		kernel.MirrorUpper(gram)
		testkit.WantClose(t, c.name+": FᵀOF", testkit.Product(of(gram), right), want, tolerance*mat.Max(want))
	}
}

func TestOperatorsAreTheirMatrices(t *testing.T) {
	t.Run("float64", testOperator[float64])
	t.Run("float32", testOperator[float32])
}

func testPolynomial[T kernel.Float](t *testing.T) {
	tolerance := toleranceOf[T](1e-13)
	const n = 40
	w := coles.Normalize(testkit.RandomGraph(3, n, 0.2))
	sparse := matrix.ConvertCSR[T](inside.Entries(w))
	for _, d := range []int{1, 20, 1300} { // a strip has 256 columns, or 512 of float32
		x := eighths(11, n, d)
		for _, coef := range [][]float64{{0.5}, {0, 1}, {0.5, 0, -0.25, 0.75}} {
			want, power := mat.NewDense(n, d, nil), mat.DenseCopyOf(x)
			for _, a := range coef {
				var term mat.Dense
				term.Scale(a, power)
				want.Add(want, &term)
				power = testkit.Product(w, power)
			}
			for name, m := range bothForms[T](x) {
				for _, owned := range []bool{false, true} {
					given := &matrix.Matrix[T]{Sparse: m.Sparse, Owned: owned}
					if m.Sparse == nil {
						given.Dense = panelOf[T](x)
					}
					got := testkit.Must(matrix.Polynomial(ctx, coef, sparse, given))
					testkit.WantClose(t, name, of(got), want, tolerance*mat.Norm(want, math.Inf(1)))
					if !owned {
						testkit.WantSame(t, name+" X", testkit.Bits(denseOf(given)), testkit.Bits(x))
					}
				}
			}
		}
	}
}

func TestPolynomialIsTheSumOfPowers(t *testing.T) {
	t.Run("float64", testPolynomial[float64])
	t.Run("float32", testPolynomial[float32])
}

func TestPanelsAreScaledAndCleared(t *testing.T) {
	x := eighths(12, 600, 7)
	p := panelOf[float64](x)
	factors := []float64{1, 0, -2, 4, 0.5, 1, 8}
	check(t, matrix.ScaleColumns(ctx, kernel.Columns(p, 1, 5), factors[1:5]))
	factors[0], factors[5], factors[6] = 1, 1, 1
	testkit.WantClose(t, "scaled", of(p), testkit.Product(x, mat.NewDiagDense(7, factors)), 0)
	check(t, matrix.Clear(ctx, kernel.Columns(p, 0, 2)))
	factors[0] = 0
	testkit.WantClose(t, "cleared", of(p), testkit.Product(x, mat.NewDiagDense(7, factors)), 0)

	u := mat.Col(nil, 3, x)
	for name, m := range bothForms[float32](x) {
		sums := testkit.Must(matrix.TransposeTimes(ctx, m, u))
		testkit.WantSame(t, "Xᵀu, "+name, sums, mat.Col(nil, 0, testkit.Product(x.T(), mat.NewDense(600, 1, u))))
	}

	if d := matrix.ToDense(kernel.Dense[float64](0, 3)); !d.IsEmpty() {
		t.Error("a matrix without rows is not empty")
	}
	p.Data[5] = math.NaN()
	testkit.WantError(t, testkit.Err(matrix.ToFiniteDense(ctx, "the product", p)), matrix.ErrNotFinite)
	small := kernel.Dense[float32](2, 3)
	check(t, matrix.CheckOverflow(ctx, "it", matrix.Of(small)))
	small.Data[4] = float32(math.Inf(-1))
	testkit.WantError(t, matrix.CheckOverflow(ctx, "it", matrix.Of(small)), matrix.ErrNotFinite)
}

// A pattern gives what the stored W and W⁺ give, up to rounding: FX, its products, and M.
func testPatternWalk[T kernel.Float](t *testing.T) {
	tolerance := toleranceOf[T](1e-13)
	const n, d = 300, 37
	edges := make([]coles.Edge, 0, 4*n)
	for k := range 4 * n { // the last tenth of the nodes has none
		edges = append(edges, coles.Edge{U: k * 7 % (n * 9 / 10), V: (k*k + 1) % (n * 9 / 10)})
	}
	g := testkit.Must(coles.NewGraph(n, edges, coles.WithRepeats("max")))
	if g.Report().Isolated == 0 || g.Report().Weighted {
		t.Fatalf("%v", g)
	}
	pattern := *inside.Adjacency(g)
	pattern.Val = nil
	x, coef := eighths(17, n, d), []float64{0.5, 0, -0.25, 0.75}
	w := matrix.Walk[T]{Stored: matrix.ConvertCSR[T](inside.Entries(coles.Normalize(g)))}
	room := make([]T, 2*n*d)
	for name, m := range bothForms[T](x) {
		m.Owned = false // it is filtered twice
		stored := testkit.Must(matrix.Filter(ctx, coef, w, m, nil))
		made := testkit.Must(matrix.Filter(ctx, coef, matrix.Walk[T]{Pattern: &pattern}, m, room))
		o := matrix.Operator[T]{Coef: -0.5, V: g.Degrees()}
		near := func(what string, got, want kernel.Matrix[T]) {
			t.Helper()
			testkit.WantClose(t, name+", "+what, of(got), of(want), tolerance*mat.Norm(of(want), math.Inf(1)))
		}
		moment, one, err := o.GramOf(ctx, made)
		testkit.Check(t, err)
		o.Sparse = matrix.ConvertCSR[T](inside.Entries(g.Positive()))
		want := testkit.Must(o.Gram(ctx, stored.Parts[0]))
		testkit.WantClose(t, name+", M", of(moment), of(want), tolerance*mat.Norm(of(want), math.Inf(1)))

		along, wantAlong := testkit.Must(made.TransposeTimes(ctx, o.V)), testkit.Must(stored.TransposeTimes(ctx, o.V))
		testkit.WantClose(t, name+", (FX)ᵀv", mat.NewDense(1, d, along), mat.NewDense(1, d, wantAlong), tolerance*mat.Norm(mat.NewDense(1, d, wantAlong), math.Inf(1)))
		for what, pair := range map[string][2]float64{
			"norm of the part of rank one": {one, floats.Dot(wantAlong, wantAlong) / 2},
			"‖FX‖²":                        {testkit.Must(made.Squares(ctx)), math.Pow(mat.Norm(of(stored.Parts[0]), 2), 2)},
			"‖FX‖² of stored W":            {testkit.Must(stored.Squares(ctx)), math.Pow(mat.Norm(of(stored.Parts[0]), 2), 2)},
		} {
			if math.Abs(pair[0]-pair[1]) > tolerance*pair[1] {
				t.Errorf("%s, %s: %v, want %v", name, what, pair[0], pair[1])
			}
		}
		v := panelOf[T](eighths(18, d, 5))
		y, wantY := kernel.Unset[T](n, 5), kernel.Unset[T](n, 5)
		check(t, made.Times(ctx, y, v), stored.Times(ctx, wantY, v))
		near("FXv", y, wantY)
		near("FX", testkit.Must(made.Whole(ctx)), stored.Parts[0])
		over := kernel.Columns(stored.Parts[0], 0, 5)
		check(t, stored.Times(ctx, over, v))
		testkit.WantSame(t, name+", FXv over FX", testkit.Bits(of(over)), testkit.Bits(of(wantY)))
	}
}

func TestPatternsGiveWhatStoredMatricesGive(t *testing.T) {
	t.Run("float64", testPatternWalk[float64])
	t.Run("float32", testPatternWalk[float32])
}
