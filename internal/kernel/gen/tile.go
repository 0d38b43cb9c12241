package main

import "fmt"

// shape is the size of the tile of a product that one variant of the kernel
// computes: rows × vecs vectors, the last of them perhaps in part.
type shape struct {
	rows, vecs int
	masked     bool
}

// code is the number by which the kernel finds the variant.
func (s shape) code() int {
	c := s.rows<<3 | s.vecs<<1
	if s.masked {
		c |= 1
	}
	return c
}

// shapes lists the variants, ascending by code. The largest tile is the one
// whose sums, with the vectors of b and one of a, fill the registers.
func (s isa) shapes() (all []shape) {
	most, maskedVecs := 8, 3
	if !s.masks {
		most, maskedVecs = 4, 2 // the mask takes a register
	}
	for rows := 1; rows <= most; rows *= 2 {
		for vecs := 1; vecs <= 3; vecs++ {
			all = append(all, shape{rows, vecs, false})
			if vecs <= maskedVecs {
				all = append(all, shape{rows, vecs, true})
			}
		}
	}
	return all
}

// largest is the shape of most tiles.
func (s isa) largest() shape {
	all := s.shapes()
	largest := all[len(all)-1]
	largest.masked = false
	return largest
}

// tile is the kernel of the product of matrices.
func tile(w *writer) {
	w.begin("computes c = alpha·a·b + beta·c for one tile of a product, in registers. "+
		"Strides count numbers. With beta = 0 c is not read.", "tile",
		"rows int", "cols int", "k int", "a *float64", "aRow int", "aStep int",
		"b *float64", "bStep int", "c *float64", "cRow int", "alpha float64", "beta float64")
	w.op("MOVQ", w.arg("cols"), "BX")
	w.op("MOVQ", "BX", "CX")
	w.op("ANDQ", w.lanes()-1, "CX") // lanes of the last vector, 0 for all
	w.mask("CX", "AX")
	w.op("MOVQ", w.arg("rows"), "AX")
	w.op("SHLQ", 3, "AX")
	w.op("ADDQ", w.lanes()-1, "BX")
	w.op("SHRQ", log2(w.lanes()), "BX")
	w.op("LEAQ", "(AX)(BX*2)", "AX")
	w.op("CMPQ", "CX", 1)
	w.op("SBBQ", -1, "AX") // adds one if there is a part of a vector
	w.op("MOVQ", w.arg("k"), "CX")
	w.op("MOVQ", w.arg("a"), "SI")
	w.op("MOVQ", w.arg("aRow"), "R8")
	w.op("SHLQ", 3, "R8")
	w.op("LEAQ", "(R8)(R8*2)", "R9")
	w.op("LEAQ", "(SI)(R8*4)", "R11")
	w.op("MOVQ", w.arg("aStep"), "R10")
	w.op("SHLQ", 3, "R10")
	w.op("MOVQ", w.arg("b"), "DI")
	w.op("MOVQ", w.arg("bStep"), "R12")
	w.op("SHLQ", 3, "R12")
	w.op("MOVQ", w.arg("c"), "DX")
	w.op("MOVQ", w.arg("cRow"), "R13")
	w.op("SHLQ", 3, "R13")
	w.op("MOVQ", w.arg("beta"), "BX")
	w.op("SHLQ", 1, "BX") // without the sign
	w.op("CMPQ", "AX", w.largest().code())
	w.op("JEQ", fmt.Sprintf("tile_%d", w.largest().code()))
	all := w.shapes()
	codes := make([]int, len(all))
	for i, s := range all {
		codes[i] = s.code()
	}
	w.branch("AX", "tile", codes)
	for _, s := range all {
		w.tileVariant(s)
	}
	w.label("done")
	w.leave()
}

// aRows are the addresses of the entries of a in one column of eight rows.
var aRows = []string{
	"(SI)", "(SI)(R8*1)", "(SI)(R8*2)", "(SI)(R9*1)",
	"(R11)", "(R11)(R8*1)", "(R11)(R8*2)", "(R11)(R9*1)",
}

func (w *writer) tileVariant(s shape) {
	code := s.code()
	w.label("tile_%d", code)
	sums := s.rows * s.vecs
	b := sums // the first of the registers for b
	for i := range sums {
		w.zero(i)
	}
	write := fmt.Sprintf("write_%d", code)
	if s == w.largest() {
		w.packedLoop(s, write)
	}
	w.label("loop_%d", code)
	w.tileStep(s, aRows, 0)
	w.op("ADDQ", "R10", "SI")
	if s.rows > 4 {
		w.op("ADDQ", "R10", "R11")
	}
	w.op("ADDQ", "R12", "DI")
	w.op("DECQ", "CX")
	w.op("JNZ", fmt.Sprintf("loop_%d", code))

	w.label("%s", write)
	alpha, beta, old := b, b+1, b+2
	w.op("VBROADCASTSD", w.arg("alpha"), w.vec(alpha))
	w.op("TESTQ", "BX", "BX")
	w.op("JZ", fmt.Sprintf("set_%d", code))
	w.op("VBROADCASTSD", w.arg("beta"), w.vec(beta))
	for r := range s.rows {
		for v := range s.vecs {
			masked := s.masked && v == s.vecs-1
			w.load(at(v*w.bytes, "DX"), old, masked)
			w.op("VMULPD", w.vec(old), w.vec(beta), w.vec(old))
			w.op("VFMADD231PD", w.vec(r*s.vecs+v), w.vec(alpha), w.vec(old))
			w.store(old, at(v*w.bytes, "DX"), masked)
		}
		w.nextRow(r, s)
	}
	w.op("JMP", "done")
	w.label("set_%d", code)
	for r := range s.rows {
		for v := range s.vecs {
			w.op("VMULPD", w.vec(r*s.vecs+v), w.vec(alpha), w.vec(old))
			w.store(old, at(v*w.bytes, "DX"), s.masked && v == s.vecs-1)
		}
		w.nextRow(r, s)
	}
	w.op("JMP", "done")
}

// tileStep adds the products of one column of a and one row of b, the latter
// that many bytes from where DI points.
func (w *writer) tileStep(s shape, a []string, offset int) {
	b := s.rows * s.vecs
	for v := range s.vecs {
		w.load(at(offset+v*w.bytes, "DI"), b+v, s.masked && v == s.vecs-1)
	}
	for r := range s.rows {
		if s.vecs == 1 && w.masks {
			w.op("VFMADD231PD.BCST", a[r], w.vec(b), w.vec(r))
			continue
		}
		factor := b + s.vecs
		if w.masks {
			factor += r % 4
		} else if s.masked {
			factor = maskReg - 1
		}
		w.op("VBROADCASTSD", a[r], w.vec(factor))
		for v := range s.vecs {
			w.op("VFMADD231PD", w.vec(factor), w.vec(b+v), w.vec(r*s.vecs+v))
		}
	}
}

// packedLoop takes several steps at once if both factors are packed: then their
// numbers lie at fixed distances.
func (w *writer) packedLoop(s shape, done string) {
	const steps = 4
	aStep, bStep := s.rows*size, s.vecs*w.bytes
	loop := fmt.Sprintf("loop_%d", s.code())
	for _, c := range []struct {
		stride string
		packed int
	}{{"R8", size}, {"R10", aStep}, {"R12", bStep}} {
		w.op("CMPQ", c.stride, c.packed)
		w.op("JNE", loop)
	}
	w.op("MOVQ", "CX", "AX")
	w.op("ANDQ", steps-1, "CX")
	w.op("SHRQ", log2(steps), "AX")
	w.op("JZ", loop)
	w.label("packed")
	for l := range steps {
		a := make([]string, s.rows)
		for r := range a {
			a[r] = at(l*aStep+r*size, "SI")
		}
		w.tileStep(s, a, l*bStep)
	}
	w.op("ADDQ", steps*aStep, "SI")
	w.op("ADDQ", steps*bStep, "DI")
	w.op("DECQ", "AX")
	w.op("JNZ", "packed")
	w.op("LEAQ", "(SI)(R8*4)", "R11")
	w.op("TESTQ", "CX", "CX")
	w.op("JZ", done)
}

// nextRow moves on to the next row of c if there is one.
func (w *writer) nextRow(r int, s shape) {
	if r+1 < s.rows {
		w.op("ADDQ", "R13", "DX")
	}
}

func log2(n int) int {
	l := 0
	for 1<<l < n {
		l++
	}
	return l
}
