package kernel

// tileCols columns of a result row are summed at once, in the first cache.
const tileCols = 64

func portableSpMM[T Float](lo, hi int, dst Matrix[T], a *CSR[T], x Matrix[T], c T, z Matrix[T]) {
	for i := lo; i < hi; i++ {
		var add []T
		if z.Rows > 0 {
			add = row(z, i)
		}
		cols, vals := a.Row(i)
		portableRow(row(dst, i), cols, vals, x, c, add)
	}
}

// portableRow sets out to the sum of vals[q] times row cols[q] of x, plus c·add
// if there is any. Four entries are added at a time, so that four rows of x are
// fetched at once and the sums are loaded and stored for four of their terms.
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
			o[j] = s[j] + T(c*u) // the conversion keeps compilers from fusing
		}
	}
}

// addFour adds the sum of four rows with those factors to s.
func addFour[T Float](s []T, v [4]T, x0, x1, x2, x3 []T) {
	v0, v1, v2, v3 := v[0], v[1], v[2], v[3]
	x0, x1, x2, x3 = x0[:len(s)], x1[:len(s)], x2[:len(s)], x3[:len(s)]
	for j, t := range s {
		s[j] = t + v0*x0[j] + v1*x1[j] + v2*x2[j] + v3*x3[j]
	}
}

// addTwo adds the sum of two rows with those factors to s.
func addTwo[T Float](s []T, v0, v1 T, x0, x1 []T) {
	x0, x1 = x0[:len(s)], x1[:len(s)]
	for j, t := range s {
		s[j] = t + v0*x0[j] + v1*x1[j]
	}
}
