package autodiff

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

type matrix64 = Matrix[float64]

func at[T Float](m Matrix[T], i, j int) float64 { return float64(m.Data[i*m.Stride+j]) }

func entries(m matrix64) (e []float64) {
	for i := range m.Rows {
		e = append(e, m.Row(i)...)
	}
	return e
}

// dense is a matrix as one of gonum's, and size its largest magnitude.
func dense(m matrix64) *mat.Dense { return mat.NewDense(m.Rows, m.Cols, entries(m)) }
func size(m matrix64) float64     { return matrix.Magnitude(entries(m)) }

func build(rows, cols int, f func(i, j int) float64) matrix64 {
	m := kernel.Dense[float64](rows, cols)
	for i := range rows {
		for j := range cols {
			m.Data[i*m.Stride+j] = f(i, j)
		}
	}
	return m
}

func scalar(v float64) matrix64   { return rowOf(v) }
func rowOf(v ...float64) matrix64 { return build(1, len(v), func(_, j int) float64 { return v[j] }) }

// padded is a matrix with NaN between its rows, which nothing may look at.
func padded(rows, cols, padding int, f func() float64) matrix64 {
	m := matrix64{Rows: rows, Cols: cols, Stride: cols + padding, Data: make([]float64, rows*(cols+padding))}
	for i := range m.Data {
		if m.Data[i] = math.NaN(); i%m.Stride < cols {
			m.Data[i] = f()
		}
	}
	return m
}

// inputsOf draws the inputs of an operation.
func inputsOf[T Float](op operation[T], n, d int, rnd *rand.Rand) (in []matrix64) {
	for k, size := range op.sizes(n, d) {
		in = append(in, padded(size[0], size[1], k+1, func() float64 {
			if op.domain != nil {
				return op.domain(rnd.NormFloat64())
			}
			return rnd.NormFloat64()
		}))
	}
	return in
}

// gradients are matrices of the sizes of the inputs that hold something already.
func gradients(in []matrix64, rnd *rand.Rand) (out []matrix64) {
	for _, m := range in {
		out = append(out, padded(m.Rows, m.Cols, 2, rnd.NormFloat64))
	}
	return out
}

func clones(in []matrix64) (out []matrix64) {
	for _, m := range in {
		m.Data = slices.Clone(m.Data)
		out = append(out, m)
	}
	return out
}

// rounded is a copy of m in another precision.
func rounded[D, S Float](m Matrix[S]) Matrix[D] {
	r := Matrix[D]{Rows: m.Rows, Cols: m.Cols, Stride: m.Stride, Data: make([]D, len(m.Data))}
	for i, v := range m.Data {
		r.Data[i] = D(v)
	}
	return r
}

func normals(rnd *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rnd.NormFloat64()
	}
	return v
}

// sparseOf is a sparse matrix of a pattern without symmetry.
func sparseOf(rows, cols int) *CSR[float64] {
	s := &CSR[float64]{Rows: rows, Cols: cols, Ptr: make([]int64, 1, rows+1)}
	for i := range rows {
		for j := (i * i) % 3; j < cols; j += 3 + cols/20 {
			s.Col = append(s.Col, int32(j))
			s.Val = append(s.Val, math.Sin(float64(1+3*i+7*j)))
		}
		s.Ptr = append(s.Ptr, int64(len(s.Col)))
	}
	return s
}

// picks are m indices in [0, n), some repeated, not all of them there.
func picks(m, n, step int) []int {
	p := make([]int, m)
	for k := range p {
		p[k] = (k*k*step + k/2) % n
	}
	return p
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
}

// gradientOf is the result of an operation on variables, and the gradients of its sum.
func gradientOf(t *testing.T, apply func(t *Tape[float64], in []*Value[float64]) *Value[float64], in ...matrix64) (y matrix64, grads []matrix64) {
	t.Helper()
	tape := New[float64](context.Background())
	var values []*Value[float64]
	for _, m := range in {
		grads = append(grads, kernel.Dense[float64](m.Rows, m.Cols))
		values = append(values, tape.Variable(m, grads[len(grads)-1]))
	}
	value := apply(tape, values)
	testkit.Check(t, tape.Backward(tape.Sum(value)))
	return value.Data(), grads
}

// sumOver is Σ_k f(k) for k in [0, n).
func sumOver(n int, f func(k int) float64) (s float64) {
	for k := range n {
		s += f(k)
	}
	return s
}

func dotByHand(a, b []float64) float64 {
	return sumOver(len(a), func(k int) float64 { return a[k] * b[k] })
}

// productByHand is the product by gonum.
func productByHand(factors ...mat.Matrix) matrix64 {
	return matrix64(testkit.Product(factors...).RawMatrix())
}

// gramByHand is c·aᵀa − identity·I.
func gramByHand(a matrix64, c, identity float64) matrix64 {
	gram := productByHand(dense(a).T(), dense(a))
	return build(a.Cols, a.Cols, func(i, j int) float64 {
		if i == j {
			return c*at(gram, i, j) - identity
		}
		return c * at(gram, i, j)
	})
}

// symmetricEntry is one of a tridiagonal matrix plus one of rank one.
func symmetricEntry(i, j int) float64 {
	v := -0.1 * math.Cos(float64(i)) * math.Cos(float64(j))
	if i-j == 1 || j-i == 1 || i == j {
		v += math.Sin(float64(i + j))
	}
	return v
}

func symmetricByHand(x matrix64) matrix64 {
	return productByHand(dense(build(x.Rows, x.Rows, symmetricEntry)), dense(x))
}

// symmetric is the same matrix as an operator.
func symmetric[T Float](_ context.Context, dst, src Matrix[T]) error {
	for i := range dst.Rows {
		clear(dst.Row(i))
		for k := range src.Rows {
			matrix.AddScaled(dst.Row(i), T(symmetricEntry(i, k)), src.Row(k))
		}
	}
	return nil
}

func fixedStatistics(d int) (mean, variance []float64) {
	for j := range d {
		mean = append(mean, math.Sin(float64(j)))
		variance = append(variance, 0.5+math.Abs(math.Cos(float64(j))))
	}
	return mean, variance
}
