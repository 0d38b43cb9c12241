package kernel

import "coles/internal/parallel"

// portable is the path in Go, for every machine.
var portable = path{name: "portable", double: portableShape, single: portableShape}

var portableShape = shape{rows: 4, lanes: portableLanes, vecs: 1, maskedVecs: 1, packs: true}

// portableTile multiplies packed factors: 4 × 2 sums with their terms fill sixteen registers.
func portableTile[S, T Float](rows, cols, k int, a []S, aRow, aStep int, b []S, bStep int, c []T, cRow int, alpha, beta T) {
	if rows != 4 || cols != 2 || aRow != 1 || aStep != 4 || bStep != 2 {
		portableEdge(rows, cols, k, a, aRow, aStep, b, bStep, c, cRow, alpha, beta)
		return
	}
	for i, s := range fourByTwo(k, a, b) {
		r := c[i*cRow : i*cRow+2]
		if beta == 0 {
			r[0], r[1] = alpha*T(s[0]), alpha*T(s[1])
		} else {
			r[0], r[1] = beta*r[0]+alpha*T(s[0]), beta*r[1]+alpha*T(s[1])
		}
	}
}

// portableEdge is a tile of any size.
func portableEdge[S, T Float](rows, cols, k int, a []S, aRow, aStep int, b []S, bStep int, c []T, cRow int, alpha, beta T) {
	for i := range rows {
		for j := range cols {
			var s S
			for l := range k {
				s += a[i*aRow+l*aStep] * b[l*bStep+j]
			}
			if beta == 0 {
				c[i*cRow+j] = alpha * T(s)
			} else {
				c[i*cRow+j] = beta*c[i*cRow+j] + alpha*T(s)
			}
		}
	}
}

// portableLanes is the width of a tile.
const portableLanes = 2

func portablePack[T Float](k, count int, from []T, fromRow int, to []T, toRow int) {
	for l := range k {
		r := to[l*toRow:][:parallel.Pieces(count, portableLanes)*portableLanes]
		clear(r[copy(r, from[l*fromRow:][:count]):])
	}
}

func portableConvert[D, S Float](dst []D, src []S) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = D(v)
	}
}

// portableAccumulate sets to to from, or adds from if there is more in it.
func portableAccumulate[S, T Float](to []T, from []S, more bool) {
	if !more {
		clear(to)
	}
	for i, v := range from {
		to[i] += T(v)
	}
}

// tileCols columns of a result row are summed at a time, in the first cache.
const tileCols = 64

func portableSpMM[T Float](lo, hi int, dst Matrix[T], a *CSR[T], x Matrix[T], c T, z Matrix[T]) {
	for i := lo; i < hi; i++ {
		var add []T
		if z.Rows > 0 {
			add = z.Row(i)
		}
		cols, vals := a.Row(i)
		portableRow(dst.Row(i), cols, vals, x, c, add)
	}
}

// portableRow sets out to the sum of vals[q] times row cols[q] of x, plus c·add unless add is nil.
// Four entries are added at a time, so that four rows of x are fetched at once and the sums are
// loaded and stored once for four terms.
func portableRow[T Float](out []T, cols []int32, vals []T, x Matrix[T], c T, add []T) {
	vals = vals[:len(cols)]
	var sums [tileCols]T // not out, which may be add
	for lo := 0; lo < len(out); lo += tileCols {
		s := sums[:min(tileCols, len(out)-lo)]
		clear(s)
		part := func(q int) []T { return x.Data[int(cols[q])*x.Stride+lo:][:len(s)] }
		q := 0
		for ; q+4 <= len(cols); q += 4 {
			addFour(s, [4]T(vals[q:]), part(q), part(q+1), part(q+2), part(q+3))
		}
		if q+2 <= len(cols) {
			addTwo(s, vals[q], vals[q+1], part(q), part(q+1))
			q += 2
		}
		if q < len(cols) {
			v := vals[q]
			for j, u := range part(q) {
				s[j] += v * u
			}
		}
		o := out[lo:][:len(s)]
		if add == nil {
			copy(o, s)
			continue
		}
		for j, u := range add[lo:][:len(s)] {
			o[j] = s[j] + T(c*u) // the conversion prevents a fused multiplication
		}
	}
}

// addFour adds v[0]·x0 + … + v[3]·x3 to s.
func addFour[T Float](s []T, v [4]T, x0, x1, x2, x3 []T) {
	v0, v1, v2, v3 := v[0], v[1], v[2], v[3]
	x0, x1, x2, x3 = x0[:len(s)], x1[:len(s)], x2[:len(s)], x3[:len(s)]
	for j, t := range s {
		s[j] = t + v0*x0[j] + v1*x1[j] + v2*x2[j] + v3*x3[j]
	}
}

// addTwo adds v0·x0 + v1·x1 to s.
func addTwo[T Float](s []T, v0, v1 T, x0, x1 []T) {
	x0, x1 = x0[:len(s)], x1[:len(s)]
	for j, t := range s {
		s[j] = t + v0*x0[j] + v1*x1[j]
	}
}
