package main

import "fmt"

// sturmLanes numbers are counted for at once, in passes of two vectors: one divides while the other
// waits.
const sturmLanes = 16

// sturm is the kernel of the Sturm counts of a tridiagonal matrix.
func sturm(w *writer) {
	const x, q, count, d, s, t, pivot = 0, 2, 4, 6, 7, 8, 10
	w.begin(fmt.Sprintf("counts the negative q[i] = d[i] − x − s[i]/q[i−1] for each of %d numbers x, where q within pivot of zero becomes −pivot.", sturmLanes), "sturm",
		"n int", "d *float64", "s *float64", "x *float64", "pivot float64", "count *int64")
	w.op("VBROADCASTSD", w.arg("pivot"), w.vec(pivot))
	w.zero(t)
	w.op("VSUBPD", w.vec(pivot), w.vec(t), w.vec(pivot+1))
	passes := sturmLanes / 2 / w.lanes()
	for pass := range passes {
		w.moves("n CX", "d SI", "s DI", "x DX", "count BX")
		w.op("MOVQ", "$0x3FF0000000000000", "AX") // 1, as bits
		for v := range 2 {
			w.op("VMOVUPD", at((2*pass+v)*w.bytes, "DX"), w.vec(x+v))
			w.op("MOVQ", "AX", "X15")
			w.op("VBROADCASTSD", "X15", w.vec(q+v))
			w.zero(count + v)
		}
		w.label("loop%d", pass)
		w.op("VBROADCASTSD", "(SI)", w.vec(d))
		w.op("VBROADCASTSD", "(DI)", w.vec(s))
		for v := range 2 {
			w.op("VDIVPD", w.vec(q+v), w.vec(s), w.vec(q+v))
			w.op("VSUBPD", w.vec(x+v), w.vec(d), w.vec(t+v))
			w.op("VSUBPD", w.vec(q+v), w.vec(t+v), w.vec(q+v))
			// Without the sign bit the magnitude remains.
			w.op("VPSLLQ", 1, w.vec(q+v), w.vec(t+v))
			w.op("VPSRLQ", 1, w.vec(t+v), w.vec(t+v))
			w.lessBecomes(t+v, pivot, pivot+1, q+v)
			w.op("VPSRLQ", 63, w.vec(q+v), w.vec(t+v))
			w.op("VPADDQ", w.vec(t+v), w.vec(count+v), w.vec(count+v))
		}
		w.op("ADDQ", w.size, "SI")
		w.op("ADDQ", w.size, "DI")
		w.again("CX", fmt.Sprintf("loop%d", pass))
		for v := range 2 {
			w.op("VMOVUPD", w.vec(count+v), at((2*pass+v)*w.bytes, "BX"))
		}
	}
	w.leave()
}

// lessBecomes copies value to the lanes of to in which a is less than b. Where masks are vectors, the
// mask overwrites a.
func (w *writer) lessBecomes(a, b, value, to int) {
	const less = 1
	if w.tail == maskRegisters {
		w.op("VCMPPD", less, w.vec(b), w.vec(a), "K1")
		w.op("VMOVAPD", w.vec(value), "K1", w.vec(to))
		return
	}
	if w.arch == "arm64" {
		w.lanewiseWord("greater", true, a, b, a)
		w.line("VBIT", w.vec(a)+".B16", w.vec(value)+".B16", w.vec(to)+".B16")
		return
	}
	w.op("VCMPPD", less, w.vec(b), w.vec(a), w.vec(a))
	w.op("VBLENDVPD", w.vec(a), w.vec(value), w.vec(to), w.vec(to))
}
