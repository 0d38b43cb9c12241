package tape

import (
	"context"
	"math"
	"math/rand/v2"

	"coles/internal/kernel"
)

type matrix64 = matrix[float64]

// operation is an entry of the table that all tests of operations go through.
// Sizes follow from n and d, so that an entry serves for small and large inputs.
type operation[T kernel.Float] struct {
	name   string
	sizes  func(n, d int) [][2]int // of the inputs
	apply  func(t *Tape[T], in []*Value[T]) *Value[T]
	want   func(in []matrix64) matrix64 // the result, computed plainly
	domain func(v float64) float64      // makes an input of a normal number; nil: none needed
}

func one(n, d int) [][2]int   { return [][2]int{{n, d}} }
func equal(n, d int) [][2]int { return [][2]int{{n, d}, {n, d}} }

// Inputs away from the kinks at zero, and for the power means positive ones.
func awayFromZero(v float64) float64 { return v + math.Copysign(0.1, v) }
func positive(v float64) float64     { return 0.2 + math.Abs(v) }

func powerMeanOf[T kernel.Float](name string, p float64) operation[T] {
	return operation[T]{
		name: name, sizes: one, domain: positive,
		apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.PowerMean(in[0], p) },
		want: func(in []matrix64) matrix64 {
			sum := 0.0
			for _, v := range entries(in[0]) {
				if p == 0 {
					sum += math.Log(v)
				} else {
					sum += math.Pow(v, p)
				}
			}
			if sum /= float64(len(entries(in[0]))); p == 0 {
				return scalar(math.Exp(sum))
			}
			return scalar(math.Pow(sum, 1/p))
		},
	}
}

func logPowerMeanOf[T kernel.Float](name string, p float64) operation[T] {
	return operation[T]{
		name: name, sizes: one,
		apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return t.LogPowerMeanRows(in[0], p) },
		want: func(in []matrix64) matrix64 {
			return build(in[0].Rows, 1, func(i, _ int) float64 {
				sum := 0.0
				for _, v := range row(in[0], i) {
					if p == 0 {
						sum += v
					} else {
						sum += math.Exp(p * v)
					}
				}
				if sum /= float64(in[0].Cols); p == 0 {
					return sum
				}
				return math.Log(sum) / p
			})
		},
	}
}

// spmmOf multiplies by a matrix with so many rows more than columns.
func spmmOf[T kernel.Float](name string, more int) operation[T] {
	return operation[T]{
		name: name, sizes: one,
		apply: func(t *Tape[T], in []*Value[T]) *Value[T] {
			return t.SpMM(NewSparse(kernel.ConvertCSR[T](sparseOf(in[0].Rows()+more, in[0].Rows())), false), in[0])
		},
		want: func(in []matrix64) matrix64 {
			s := sparseOf(in[0].Rows+more, in[0].Rows)
			return build(s.Rows, in[0].Cols, func(i, j int) float64 {
				cols, vals := s.Row(i)
				return sumOver(len(cols), func(q int) float64 { return vals[q] * at(in[0], int(cols[q]), j) })
			})
		},
	}
}

// byEntry is a unary operation of a function of every entry.
func byEntry[T kernel.Float](name string, apply func(t *Tape[T], x *Value[T]) *Value[T], f func(v float64) float64) operation[T] {
	return operation[T]{
		name: name, sizes: one, domain: awayFromZero,
		apply: func(t *Tape[T], in []*Value[T]) *Value[T] { return apply(t, in[0]) },
		want: func(in []matrix64) matrix64 {
			return build(in[0].Rows, in[0].Cols, func(i, j int) float64 { return f(at(in[0], i, j)) })
		},
	}
}

// The sparse matrices of the tests: every third entry of a pattern without
// symmetry, and one symmetric with an additional part of rank one.
func sparseOf(rows, cols int) *kernel.CSR[float64] {
	s := &kernel.CSR[float64]{Rows: rows, Cols: cols, Ptr: make([]int64, 1, rows+1)}
	for i := range rows {
		for j := (i * i) % 3; j < cols; j += 3 + cols/20 {
			s.Col = append(s.Col, int32(j))
			s.Val = append(s.Val, math.Sin(float64(1+3*i+7*j)))
		}
		s.Ptr = append(s.Ptr, int64(len(s.Col)))
	}
	return s
}

func symmetricEntry(i, j int) float64 {
	v := -0.1 * math.Cos(float64(i)) * math.Cos(float64(j))
	if i-j == 1 || j-i == 1 || i == j {
		v += math.Sin(float64(i + j))
	}
	return v
}

func symmetric[T kernel.Float](_ context.Context, dst, src matrix[T]) error {
	for i := range dst.Rows {
		clear(row(dst, i))
		for k := range src.Rows {
			c := T(symmetricEntry(i, k))
			for j, v := range row(src, k) {
				dst.Data[i*dst.Stride+j] += c * v
			}
		}
	}
	return nil
}

// picks are m indices in [0, n), some repeated, not all of them there.
func picks(m, n, step int) []int {
	p := make([]int, m)
	for k := range p {
		p[k] = (k*k*step + k/2) % n
	}
	return p
}

const normEpsilon = 1e-3

func at[T kernel.Float](m matrix[T], i, j int) float64 { return float64(m.Data[i*m.Stride+j]) }

func entries(m matrix64) (e []float64) {
	for i := range m.Rows {
		e = append(e, row(m, i)...)
	}
	return e
}

func build(rows, cols int, f func(i, j int) float64) matrix64 {
	m := kernel.Dense[float64](rows, cols)
	for i := range rows {
		for j := range cols {
			m.Data[i*m.Stride+j] = f(i, j)
		}
	}
	return m
}

func scalar(v float64) matrix64 { return build(1, 1, func(int, int) float64 { return v }) }

// sumOver is Σ_k f(k) for k in [0, n).
func sumOver(n int, f func(k int) float64) (s float64) {
	for k := range n {
		s += f(k)
	}
	return s
}

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
func inputsOf[T kernel.Float](op operation[T], n, d int, rnd *rand.Rand) (in []matrix64) {
	for k, size := range op.sizes(n, d) {
		in = append(in, padded(size[0], size[1], k+1, func() float64 {
			v := rnd.NormFloat64()
			if op.domain != nil {
				v = op.domain(v)
			}
			return v
		}))
	}
	return in
}
