package main

import "fmt"

// symv4 is the kernel of the product of a symmetric matrix and a vector.
func symv4(w *writer) {
	w.begin("sets s[r] = Σ_j a[r][j]·x[j] for four rows of a and adds Σ_r m[r]·a[r][j] to y[j].", "symv4",
		"n int", "a *T", "aRow int", "x *T", "y *T", "m *T", "s *T")
	w.moves("n CX", "a SI")
	w.stride("aRow", "R8")
	w.op("LEAQ", "(R8)(R8*2)", "R9")
	w.moves("x DX", "y DI", "m BX")
	for r := range 4 {
		w.zero(r)
		w.op("VBROADCASTS"+w.p, at(w.size*r, "BX"), w.vec(4+r))
	}
	w.eachVector([]string{"SI", "DX", "DI"}, w.symvStep)
	w.op("MOVQ", w.arg("s"), "BX")
	for r := range 4 {
		w.sum(r, 8)
		w.op("VMOVS"+w.p, fmt.Sprintf("X%d", r), at(w.size*r, "BX"))
	}
	w.leave()
}

// symvStep takes one vector from each row: x in register 8, y in 9 and 10, the rows in 11 and
// after.
func (w *writer) symvStep(masked bool) {
	const x, y, other, row = 8, 9, 10, 11
	w.load("(DX)", x, masked)
	w.load("(DI)", y, masked)
	for r := range 4 {
		w.load(aRows[r], row+r, masked)
		w.op("VFMADD231P"+w.p, w.vec(row+r), w.vec(x), w.vec(r))
	}
	// Two sums, so that neither waits long for the other.
	w.op("VMULP"+w.p, w.vec(row), w.vec(4), w.vec(other))
	w.op("VFMADD231P"+w.p, w.vec(row+1), w.vec(5), w.vec(y))
	w.op("VFMADD231P"+w.p, w.vec(row+2), w.vec(6), w.vec(other))
	w.op("VFMADD231P"+w.p, w.vec(row+3), w.vec(7), w.vec(y))
	w.op("VADDP"+w.p, w.vec(other), w.vec(y), w.vec(y))
	w.store(y, "(DI)", masked)
}

// sum adds up the lanes of a register, with the help of another.
func (w *writer) sum(i, scratch int) {
	if w.arch == "arm64" {
		for n := w.lanes(); n > 1; n /= 2 {
			w.lanewiseWord("pairs", w.size == 8, i, i, i)
		}
		return
	}
	y, x := fmt.Sprintf("Y%d", i), fmt.Sprintf("X%d", i)
	ys, xs := fmt.Sprintf("Y%d", scratch), fmt.Sprintf("X%d", scratch)
	if w.tail == maskRegisters {
		w.op("VEXTRACTF64X4", 1, w.vec(i), ys)
		w.op("VADDP"+w.p, ys, y, y)
	}
	w.op("VEXTRACTF128", 1, y, xs)
	w.op("VADDP"+w.p, xs, x, x)
	w.op("VPERMILPD", 1, x, xs)
	if w.size == 4 {
		w.op("VADDPS", xs, x, x)
		w.op("VMOVSHDUP", x, xs)
	}
	w.op("VADDS"+w.p, xs, x, x)
}
