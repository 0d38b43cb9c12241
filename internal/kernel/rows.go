package kernel

import "fmt"

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

// checkRows reports whether there is something to do. As the columns of a [CSR], the numbers of the rows
// are trusted.
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
