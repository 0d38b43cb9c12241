package matrix

import (
	"context"
	"math"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/blas/blas64"
)

// Finite reports whether v is neither a NaN nor an infinity. v-v would not do: where v is a product, some processors
// fuse the two, and the error of the rounding is left.
func Finite(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }

// UpTo are the numbers below n.
func UpTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// AddScaled adds c·x to the first len(x) numbers of y.
func AddScaled[T kernel.Float](y []T, c T, x []T) {
	y = y[:len(x)]
	for j, v := range x {
		y[j] += c * v
	}
}

// Scale multiplies a row by c.
func Scale[T kernel.Float](row []T, c T) {
	for q := range row {
		row[q] *= c
	}
}

// Sum is Σ x_i, in float64 and in four sums that do not wait for each other, as Dot. They are
// variables, since the compiler keeps an array in memory.
func Sum[T kernel.Float](x []T) float64 {
	var s0, s1, s2, s3 float64
	n := len(x) &^ 3
	for i := 0; i < n; i += 4 {
		x := x[i : i+4 : i+4]
		s0 += float64(x[0])
		s1 += float64(x[1])
		s2 += float64(x[2])
		s3 += float64(x[3])
	}
	for _, v := range x[n:] {
		s0 += float64(v)
	}
	return (s0 + s2) + (s1 + s3)
}

// Dot is Σ a_i·b_i.
func Dot[T kernel.Float](a, b []T) float64 {
	var s0, s1, s2, s3 float64
	n := len(a) &^ 3
	b = b[:len(a)]
	for i := 0; i < n; i += 4 {
		a, b := a[i:i+4:i+4], b[i:i+4:i+4]
		s0 += float64(a[0]) * float64(b[0])
		s1 += float64(a[1]) * float64(b[1])
		s2 += float64(a[2]) * float64(b[2])
		s3 += float64(a[3]) * float64(b[3])
	}
	for i := n; i < len(a); i++ {
		s0 += float64(a[i]) * float64(b[i])
	}
	return (s0 + s2) + (s1 + s3)
}

// Total sums by halves, so that its rounding grows with the logarithm of the length.
func Total(x []float64) float64 {
	const few = 128
	if len(x) > few {
		half := len(x) / 2
		return Total(x[:half]) + Total(x[half:])
	}
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}

// Length is the Euclidean length of a row, safe from overflow for finite entries.
func Length(row []float64) float64 {
	return blas64.Nrm2(blas64.Vector{N: len(row), Inc: 1, Data: row})
}

// Root is the root of the magnitude, with the sign.
func Root(v float64) float64 { return math.Copysign(math.Sqrt(math.Abs(v)), v) }

// Tame rescales a row by a power of two if sums of its entries or of their squares would overflow
// or vanish. It is for rows that are given a length of their own afterwards.
func Tame(row []float64) {
	switch largest := Magnitude(row); {
	case largest > 0x1p900:
		Scale(row, 0x1p-100)
	case largest > 0 && largest < 0x1p-900:
		Scale(row, 0x1p100)
	}
}

// Magnitude is the largest magnitude, NaN if any value is NaN. Without their signs the bits of
// floating point numbers are in the order of the numbers, NaN above infinity, and integers compare
// in a fraction of the time.
func Magnitude[T kernel.Float](row []T) float64 {
	switch row := any(row).(type) {
	case []float32:
		var even, odd uint32
		for ; len(row) >= 2; row = row[2:] {
			even = max(even, math.Float32bits(row[0])&^(1<<31))
			odd = max(odd, math.Float32bits(row[1])&^(1<<31))
		}
		if len(row) > 0 {
			even = max(even, math.Float32bits(row[0])&^(1<<31))
		}
		return float64(math.Float32frombits(max(even, odd)))
	case []float64:
		var even, odd uint64
		for ; len(row) >= 2; row = row[2:] {
			even = max(even, math.Float64bits(row[0])&^(1<<63))
			odd = max(odd, math.Float64bits(row[1])&^(1<<63))
		}
		if len(row) > 0 {
			even = max(even, math.Float64bits(row[0])&^(1<<63))
		}
		return math.Float64frombits(max(even, odd))
	}
	return 0
}

// largest is the maximum over blocks of rows, NaN if any block has one.
func largest(ctx context.Context, rows int, of func(lo, hi int) float64) (float64, error) {
	most, err := parallel.Fold(ctx, rows,
		func() *float64 { return new(float64) },
		func(most *float64, lo, hi int) { *most = max(*most, of(lo, hi)) },
		func(most, part *float64) { *most = max(*most, *part) })
	return *most, err
}

// Scaled is the weight of an edge times the scales of both ends.
func Scaled(weight, u, v float64) float64 {
	// The product of the two scales first: it is the same number at (i, j) and (j, i).
	if both := u * v; both <= math.MaxFloat64 {
		return weight * both
	}
	return weight * max(u, v) * min(u, v) // weights below 1e-308
}
