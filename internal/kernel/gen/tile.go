package main

import (
	"fmt"
	"math/bits"
)

// shape is the size of the tile of a product that one variant of the kernel computes: rows × vecs
// vectors, the last of them perhaps in part.
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

// shapes lists the variants, ascending by code. A mask that is a register costs nothing, so that only
// the tile of which there are most has a variant without.
func (s isa) shapes() (all []shape) {
	// The mask may take a register.
	maskedVecs := map[tail]int{maskRegisters: 3, maskVectors: 2}[s.tail]
	for rows := 1; rows <= s.rows; rows *= 2 {
		for vecs := 1; vecs <= 3; vecs++ {
			if s.tail != maskRegisters || rows == s.rows && vecs == 3 {
				all = append(all, shape{rows, vecs, false})
			}
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
		"Strides count numbers. With beta = 0 c is not read. "+
		"Each column of a full tile fetches what next points to, which moves by nextStep, "+
		"and after as many as there are rows by nextTurn.", "tile",
		"rows int", "cols int", "k int", "a *T", "aRow int", "aStep int",
		"b *T", "bStep int", "c *T", "cRow int", "alpha T", "beta T",
		"next *T", "nextStep int", "nextTurn int")
	// To the variant that the sizes ask for.
	w.op("MOVQ", w.arg("cols"), "BX")
	if !w.elements {
		w.lastLanes("BX", "CX", "AX")
	}
	w.op("MOVQ", w.arg("rows"), "AX")
	w.op("SHLQ", 3, "AX")
	w.op("ADDQ", w.lanes()-1, "BX")
	w.op("SHRQ", log2(w.lanes()), "BX")
	w.op("LEAQ", "(AX)(BX*2)", "AX")
	if !w.elements {
		w.op("CMPQ", "CX", w.lanes())
		w.op("ADCQ", 0, "AX") // adds one if there is a part of a vector
	}
	w.moves("k CX", "a SI")
	if !w.elements {
		w.stride("aRow", "R8")
		w.op("LEAQ", "(R8)(R8*2)", "R9")
		w.op("LEAQ", "(SI)(R8*4)", "R11")
	}
	w.stride("aStep", "R10")
	w.op("MOVQ", w.arg("b"), "DI")
	w.stride("bStep", "R12")
	w.op("MOVQ", w.arg("c"), "DX")
	w.stride("cRow", "R13")
	if w.size == 8 {
		w.op("MOVQ", w.arg("beta"), "BX")
		w.op("SHLQ", 1, "BX") // without the sign
	} else {
		w.op("MOVL", w.arg("beta"), "BX")
		w.op("SHLL", 1, "BX")
	}
	w.op("CMPQ", "AX", w.largest().code())
	w.op("JEQ", fmt.Sprintf("tile_%d", w.largest().code()))
	if w.tail == maskRegisters {
		w.op("ORQ", 1, "AX")
	}
	all := w.shapes()
	codes := make([]int, len(all))
	for i, s := range all {
		codes[i] = s.code()
	}
	w.branch("AX", "tile", "tile_find", codes)
	for _, s := range all {
		w.tileVariant(s)
	}
	if !w.elements {
		w.label("done")
		w.leave()
	}
}

// aRows are the addresses of the entries of a in one column of eight rows.
var aRows = []string{
	"(SI)", "(SI)(R8*1)", "(SI)(R8*2)", "(SI)(R9*1)",
	"(R11)", "(R11)(R8*1)", "(R11)(R8*2)", "(R11)(R9*1)",
}

func (w *writer) tileVariant(s shape) {
	code := s.code()
	w.label("tile_%d", code)
	for i := range s.rows * s.vecs {
		w.zero(i)
	}
	if !w.elements || s.rows == w.rows {
		w.fetchTile(s)
	}
	done := fmt.Sprintf("write_%d", code)
	if s == w.largest() {
		w.packedLoop(s, done)
		w.label("begin_%d", code)
	}
	if s.rows == w.rows {
		w.op("MOVQ", w.arg("next"), "AX")
		w.stride("nextStep", "R15")
		w.op("SHLQ", log2(w.size), w.arg("nextTurn"))
	}
	w.label("loop_%d", code)
	if w.elements {
		w.elementStep(s)
	} else {
		w.tileStep(s, aRows, 0)
		w.op("ADDQ", "R10", "SI")
		if s.rows > 4 {
			w.op("ADDQ", "R10", "R11")
		}
		w.op("ADDQ", "R12", "DI")
	}
	if s.rows == w.rows {
		w.op("PREFETCHT0", "(AX)")
		w.op("ADDQ", "R15", "AX")
		w.op("DECQ", "CX")
		w.op("JZ", done)
		w.op("TESTQ", s.rows-1, "CX")
		w.op("JNZ", fmt.Sprintf("loop_%d", code))
		w.op("ADDQ", w.arg("nextTurn"), "AX")
		w.op("JMP", fmt.Sprintf("loop_%d", code))
	} else {
		w.again("CX", fmt.Sprintf("loop_%d", code))
	}

	w.label("%s", done)
	if w.elements {
		w.writeWhole(s)
		return
	}
	w.op("TESTQ", "BX", "BX")
	w.op("JZ", fmt.Sprintf("set_%d", code))
	for _, add := range []bool{true, false} {
		if !add {
			w.label("set_%d", code)
		}
		for r := range s.rows {
			w.writeRow(s, r, add)
			if r+1 < s.rows {
				w.op("ADDQ", "R13", "DX")
			}
		}
		w.op("JMP", "done")
	}
}

// writeWhole writes a tile of whole vectors to where DX points.
func (w *writer) writeWhole(s shape) {
	factor := s.rows * s.vecs
	set := fmt.Sprintf("set_%d", s.code())
	w.op("VBROADCASTS"+w.p, w.arg("alpha"), w.vec(factor))
	for i := range s.rows * s.vecs {
		w.op("VMULP"+w.p, w.vec(i), w.vec(factor), w.vec(i))
	}
	w.op("TESTQ", "BX", "BX")
	w.op("JZ", set)
	w.op("VBROADCASTS"+w.p, w.arg("beta"), w.vec(factor))
	w.op("MOVQ", "DX", "AX")
	for r := range s.rows {
		w.line("VLD1.P", "(R0)(R13)", w.list(factor+1, s.vecs))
		for v := range s.vecs {
			w.op("VFMADD231P"+w.p, w.vec(factor), w.vec(factor+1+v), w.vec(r*s.vecs+v))
		}
	}
	w.label("%s", set)
	for r := range s.rows {
		w.line("VST1.P", w.list(r*s.vecs, s.vecs), "(R3)(R13)")
	}
	w.leave()
}

// writeRow writes row r of a tile to where DX points, and adds beta times what is there if it is
// told to.
func (w *writer) writeRow(s shape, r int, add bool) {
	// The registers of b are free by now.
	alpha := s.rows * s.vecs
	beta, old := alpha+1, alpha+2
	if r == 0 {
		w.op("VBROADCASTS"+w.p, w.arg("alpha"), w.vec(alpha))
		if add {
			w.op("VBROADCASTS"+w.p, w.arg("beta"), w.vec(beta))
		}
	}
	for v := range s.vecs {
		masked := s.masked && v == s.vecs-1
		sum, c := w.vec(r*s.vecs+v), at(v*w.bytes, "DX")
		if add {
			w.load(c, old, masked)
			w.op("VMULP"+w.p, w.vec(old), w.vec(beta), w.vec(old))
			w.op("VFMADD231P"+w.p, sum, w.vec(alpha), w.vec(old))
		} else {
			w.op("VMULP"+w.p, sum, w.vec(alpha), w.vec(old))
		}
		w.store(old, c, masked)
	}
}

// fetchTile has the rows of c fetched, which are far apart, while the sums are computed.
func (w *writer) fetchTile(s shape) {
	w.op("MOVQ", "DX", "AX")
	for r := range s.rows {
		for line := 0; line < s.vecs*w.bytes; line += 64 {
			w.op("PREFETCHT0", at(line, "AX"))
		}
		if r+1 < s.rows {
			w.op("ADDQ", "R13", "AX")
		}
	}
}

// tileStep adds the products of one column of a and one row of b, the latter that many bytes from
// where DI points.
func (w *writer) tileStep(s shape, a []string, offset int) {
	b := s.rows * s.vecs
	for v := range s.vecs {
		w.load(at(offset+v*w.bytes, "DI"), b+v, s.masked && v == s.vecs-1)
	}
	for r := range s.rows {
		if s.vecs == 1 && w.tail == maskRegisters {
			w.op("VFMADD231P"+w.p+".BCST", a[r], w.vec(b), w.vec(r))
			continue
		}
		factor := b + s.vecs
		if w.tail == maskRegisters {
			factor += r % 4
		} else if s.masked {
			factor = maskReg - 1
		}
		w.op("VBROADCASTS"+w.p, a[r], w.vec(factor))
		for v := range s.vecs {
			w.op("VFMADD231P"+w.p, w.vec(factor), w.vec(b+v), w.vec(r*s.vecs+v))
		}
	}
}

// elementStep is tileStep where one lane of a vector is a factor. It moves the pointers on.
func (w *writer) elementStep(s shape) {
	b := s.rows * s.vecs
	a := b + s.vecs
	w.line("VLD1.P", "(R5)(R12)", w.list(b, s.vecs))
	lanes := map[int]string{4: ".S[0]", 8: ".D[0]"}[s.rows*w.size]
	if lanes != "" {
		lanes = w.vec(a) + lanes
	} else {
		lanes = w.list(a, s.rows/w.lanes())
	}
	w.line("VLD1.P", "(R4)(R10)", lanes)
	for r := range s.rows {
		for v := range s.vecs {
			w.addElement(r*s.vecs+v, b+v, a+r/w.lanes(), r%w.lanes())
		}
	}
}

// packedLoop takes several steps at once if both factors are packed: then their numbers lie at
// fixed distances.
func (w *writer) packedLoop(s shape, done string) {
	steps := 4
	if w.elements {
		steps = 2
	}
	aStep, bStep := s.rows*w.size, s.vecs*w.bytes
	loop := fmt.Sprintf("begin_%d", s.code())
	for _, c := range []struct {
		stride string
		packed int
	}{{"R8", w.size}, {"R10", aStep}, {"R12", bStep}} {
		if w.elements && c.stride == "R8" {
			continue
		}
		w.op("CMPQ", c.stride, c.packed)
		w.op("JNE", loop)
	}
	w.op("MOVQ", "CX", "AX")
	w.op("ANDQ", steps-1, "CX")
	w.op("SHRQ", log2(steps), "AX")
	w.op("JZ", loop)
	w.label("packed")
	for l := range steps {
		if w.elements {
			w.elementStep(s)
			continue
		}
		a := make([]string, s.rows)
		for r := range a {
			a[r] = at(l*aStep+r*w.size, "SI")
		}
		w.tileStep(s, a, l*bStep)
	}
	if !w.elements {
		w.op("ADDQ", steps*aStep, "SI")
		w.op("ADDQ", steps*bStep, "DI")
	}
	w.again("AX", "packed")
	if !w.elements {
		w.op("LEAQ", "(SI)(R8*4)", "R11")
	}
	w.op("TESTQ", "CX", "CX")
	w.op("JZ", done)
}

// log2 is for powers of two.
func log2(n int) int { return bits.TrailingZeros(uint(n)) }
