package kernel

// portable is the path in Go, for every machine.
var portable = path{name: "portable", double: portableShape, single: portableShape}

var portableShape = shape{rows: 4, lanes: portableLanes, vecs: 1, maskedVecs: 1, packs: true}

// portableTile takes packed factors, which lie row on row: 4 × 2 sums and what
// they are made of are as much as sixteen registers hold.
func portableTile[S, T Float](rows, cols, k int, a []S, aRow, aStep int, b []S, bStep int, c []T, cRow int, alpha, beta T) {
	if rows != 4 || cols != 2 || aRow != 1 || aStep != 4 || bStep != 2 {
		portableEdge(rows, cols, k, a, aRow, aStep, b, bStep, c, cRow, alpha, beta)
		return
	}
	var s00, s01, s10, s11, s20, s21, s30, s31 S
	for ; k >= 2; k -= 2 {
		p, q := (*[8]S)(a), (*[4]S)(b)
		b0, b1 := q[0], q[1]
		s00 += p[0] * b0
		s01 += p[0] * b1
		s10 += p[1] * b0
		s11 += p[1] * b1
		s20 += p[2] * b0
		s21 += p[2] * b1
		s30 += p[3] * b0
		s31 += p[3] * b1
		b0, b1 = q[2], q[3]
		s00 += p[4] * b0
		s01 += p[4] * b1
		s10 += p[5] * b0
		s11 += p[5] * b1
		s20 += p[6] * b0
		s21 += p[6] * b1
		s30 += p[7] * b0
		s31 += p[7] * b1
		a, b = a[8:], b[4:]
	}
	if k > 0 {
		b0, b1 := b[0], b[1]
		s00 += a[0] * b0
		s01 += a[0] * b1
		s10 += a[1] * b0
		s11 += a[1] * b1
		s20 += a[2] * b0
		s21 += a[2] * b1
		s30 += a[3] * b0
		s31 += a[3] * b1
	}
	for i, s := range [4][2]S{{s00, s01}, {s10, s11}, {s20, s21}, {s30, s31}} {
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
		r := to[l*toRow:][:ceilDiv(count, portableLanes)*portableLanes]
		clear(r[copy(r, from[l*fromRow:][:count]):])
	}
}

// tileCols columns of a result row are summed at once, in registers: as many
// as leave room for the factor on a machine with sixteen of them.
const tileCols = 8

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
// if there is any.
func portableRow[T Float](out []T, cols []int32, vals []T, x Matrix[T], c T, add []T) {
	vals = vals[:len(cols)]
	j := 0
	for ; j+tileCols <= len(out); j += tileCols {
		var s0, s1, s2, s3, s4, s5, s6, s7 T
		for q, col := range cols {
			v := vals[q]
			at := int(col)*x.Stride + j
			p := x.Data[at : at+tileCols : at+tileCols]
			s0 += v * p[0]
			s1 += v * p[1]
			s2 += v * p[2]
			s3 += v * p[3]
			s4 += v * p[4]
			s5 += v * p[5]
			s6 += v * p[6]
			s7 += v * p[7]
		}
		if add != nil {
			// The conversions keep compilers from fusing.
			t := add[j : j+tileCols : j+tileCols]
			s0 += T(c * t[0])
			s1 += T(c * t[1])
			s2 += T(c * t[2])
			s3 += T(c * t[3])
			s4 += T(c * t[4])
			s5 += T(c * t[5])
			s6 += T(c * t[6])
			s7 += T(c * t[7])
		}
		o := out[j : j+tileCols : j+tileCols]
		o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7] = s0, s1, s2, s3, s4, s5, s6, s7
	}
	for ; j < len(out); j++ {
		var s T
		for q, col := range cols {
			s += vals[q] * x.Data[int(col)*x.Stride+j]
		}
		if add != nil {
			s += T(c * add[j])
		}
		out[j] = s
	}
}

func portableSymv4[T Float](a []T, stride int, m *[4]T, x, y []T, s *[4]T) {
	n := len(x)
	y = y[:n]
	r0, r1, r2, r3 := a[:n], a[stride:][:n], a[2*stride:][:n], a[3*stride:][:n]
	m0, m1, m2, m3 := m[0], m[1], m[2], m[3]
	var s0, s1, s2, s3 T
	for j, t := range x {
		a0, a1, a2, a3 := r0[j], r1[j], r2[j], r3[j]
		s0 += a0 * t
		s1 += a1 * t
		s2 += a2 * t
		s3 += a3 * t
		y[j] += (a0*m0 + a1*m1) + (a2*m2 + a3*m3)
	}
	*s = [4]T{s0, s1, s2, s3}
}
