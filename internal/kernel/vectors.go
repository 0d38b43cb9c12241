package kernel

import (
	"fmt"
	"math"
)

// Exp sets dst_j to e^(scale·x_j − shift); dst may be x. In float32 the error of the exponential is
// at most 2 units of the last digit.
func Exp[T Float](dst, x []T, scale, shift T) {
	dst = dst[:len(x)]
	if len(x) > 0 {
		exp(active, dst, x, scale, shift)
	}
}

func portableExp[T Float](dst, x []T, scale, shift T) {
	if isDouble[T]() {
		for j, v := range x {
			dst[j] = T(math.Exp(float64(v*scale - shift)))
		}
		return
	}
	for j, v := range x {
		dst[j] = T(ShortExp(float64(v*scale - shift)))
	}
}

const expSteps = 256

// powers are the bits of 2^(k/expSteps).
var powers = func() (p [expSteps]uint64) {
	for k := range p {
		p[k] = math.Float64bits(math.Exp2(float64(k) / expSteps))
	}
	return p
}()

// ShortExp is eˣ but for a relative error of 5e-10, for x up to 700; below −700 it is zero. The error is small beside
// the rounding to float32. With k the nearest integer to x·expSteps/log 2 and r the rest, it is 2^(k/expSteps) from
// the table, its exponent added as an integer, times 1 + r + r²/2. It is small enough for the compiler to put it into
// loops.
func ShortExp(x float64) float64 {
	const (
		round = 3 << 51 // a number of this size has no binary places
		unit  = math.Ln2 / expSteps
	)
	if x < -700 {
		return 0
	}
	if x > 700 {
		x = 700 // far above the range of float32
	}
	steps := x * (1 / unit)
	whole := steps + round
	k := math.Float64bits(whole)
	r := steps - (whole - round)
	return math.Float64frombits(powers[k%expSteps]+k/expSteps<<52) * (1 + r*(unit+r*(unit*unit/2)))
}

// RowLine numbers make a line of the caches. The width of rows must be a multiple of it.
const RowLine = 16

// RowDots sets dots[k] to the product of x and row rows[k] of y.
func RowDots(dots, x []float32, y Matrix[float32], rows []int32) {
	if checkRows(len(dots), len(x), y, rows) {
		rowDots(active, dots, x, y, rows)
	}
}

// RowSteps adds m[k]·x to row rows[k] of y for every k, and Σ_k m[k]·y[rows[k]] to x, all by the values
// that x and y had before. A row may be in the list more than once.
func RowSteps(m, x []float32, y Matrix[float32], rows []int32) {
	if checkRows(len(m), len(x), y, rows) {
		rowSteps(active, m, x, y, rows)
	}
}

// FetchRows has the processor fetch rows of y into its caches, and does not wait for them.
func FetchRows(y Matrix[float32], rows []int32) {
	if checkRows(len(rows), y.Cols, y, rows) {
		rowFetch(active, y, rows)
	}
}

// checkRows reports whether there is something to do. As the columns of a [CSR], the numbers of the
// rows are trusted.
func checkRows(numbers, width int, y Matrix[float32], rows []int32) bool {
	if numbers != len(rows) || width != y.Cols || width%RowLine != 0 {
		panic(fmt.Sprintf("kernel: %d numbers and one of width %d with %d rows of %d", numbers, width, len(rows), y.Cols))
	}
	return len(rows) > 0 && width > 0
}

func portableRowDots(dots, x []float32, y Matrix[float32], rows []int32) {
	for k, i := range rows {
		v := y.Row(int(i))
		var s0, s1, s2, s3 float32
		for lo := 0; lo < len(x); lo += RowLine {
			p, q := (*[RowLine]float32)(x[lo:]), (*[RowLine]float32)(v[lo:])
			s0 += p[0]*q[0] + p[4]*q[4] + (p[8]*q[8] + p[12]*q[12])
			s1 += p[1]*q[1] + p[5]*q[5] + (p[9]*q[9] + p[13]*q[13])
			s2 += p[2]*q[2] + p[6]*q[6] + (p[10]*q[10] + p[14]*q[14])
			s3 += p[3]*q[3] + p[7]*q[7] + (p[11]*q[11] + p[15]*q[15])
		}
		dots[k] = (s0 + s1) + (s2 + s3)
	}
}

func portableRowSteps(m, x []float32, y Matrix[float32], rows []int32) {
	var before [tileCols]float32
	for lo := 0; lo < len(x); lo += tileCols {
		hi := min(len(x), lo+tileCols)
		y, b := Columns(y, lo, hi), before[:hi-lo]
		copy(b, x[lo:hi])
		portableRow(x[lo:hi], rows, m, y, 1, b)
		for k, i := range rows {
			v, factor := y.Row(int(i))[:len(b)], m[k]
			for j, u := range b {
				v[j] += factor * u
			}
		}
	}
}
