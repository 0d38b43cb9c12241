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
		r := to[l*toRow:][:ceilDiv(count, portableLanes)*portableLanes]
		clear(r[copy(r, from[l*fromRow:][:count]):])
	}
}

func portableSymv4(a []float64, stride int, m *[4]float64, x, y []float64, s *[4]float64) {
	n := len(x)
	y = y[:n]
	r0, r1, r2, r3 := a[:n], a[stride:][:n], a[2*stride:][:n], a[3*stride:][:n]
	m0, m1, m2, m3 := m[0], m[1], m[2], m[3]
	var s0, s1, s2, s3 float64
	for j, t := range x {
		a0, a1, a2, a3 := r0[j], r1[j], r2[j], r3[j]
		s0 += a0 * t
		s1 += a1 * t
		s2 += a2 * t
		s3 += a3 * t
		y[j] += (a0*m0 + a1*m1) + (a2*m2 + a3*m3)
	}
	*s = [4]float64{s0, s1, s2, s3}
}
