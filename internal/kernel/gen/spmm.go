package main

import "fmt"

// ahead is how many entries of the sparse matrix lie between the one whose row of x is fetched into
// the second cache and the one that is multiplied. The first cache has room for fewer lines on
// their way: five entries ahead, into it, are a third slower.
const ahead = 20

// spmmVecs vectors of a result row are summed at once. Twice as many, which AVX-512 has registers
// for, are slower: half of a long row of x then waits for the other half.
const spmmVecs = 8

// spmm is the kernel of the product of a sparse and a dense matrix.
func spmm(w *writer) {
	w.begin("computes dst = a·x + c·z for some rows of the sparse a, "+
		"of which there are entries up to index end in col and val. Strides count numbers. "+
		"With z nil nothing is added. Unless fetch is 0 rows of x are fetched ahead.", "spmm",
		"rows int", "ptr *int64", "col *int32", "val *T", "end int",
		"x *T", "xRow int", "width int", "dst *T", "dstRow int",
		"z *T", "zRow int", "c T", "fetch int")
	const most = spmmVecs
	vecs := upTo(most)
	for _, stride := range []string{"xRow", "dstRow", "zRow"} {
		w.op("SHLQ", log2(w.size), w.arg(stride))
	}
	w.moves("ptr R13", "xRow R8", "col R12", "end AX")
	w.op("LEAQ", "-4(R12)(AX*4)", "R12") // the last entry there is
	if w.tail != narrowMoves {
		w.op("MOVQ", w.arg("width"), "BX")
		w.lastLanes("BX", "CX", "AX")
	}

	w.op("MOVQ", w.arg("fetch"), "R15")

	w.label("row")
	w.moves("x DX", "dst DI", "z R10", "width BX")
	w.label("part")
	w.op("MOVQ", "(R13)", "AX")
	w.op("MOVQ", "8(R13)", "CX")
	w.op("SUBQ", "AX", "CX")
	w.op("MOVQ", w.arg("col"), "SI")
	w.op("LEAQ", "(SI)(AX*4)", "SI")
	w.op("MOVQ", w.arg("val"), "R9")
	w.op("LEAQ", fmt.Sprintf("(R9)(AX*%d)", w.size), "R9")
	if w.tail == narrowMoves {
		w.spmmNarrowing([]int{1, 4, 8, 16})
		return
	}
	w.op("CMPQ", "BX", most*w.lanes())
	w.op("JGT", "sum_0") // no mask: more follows
	w.op("LEAQ", at(w.lanes()-1, "BX"), "AX")
	w.op("SHRQ", log2(w.lanes()), "AX")
	w.branch("AX", "sum", "sum_find", vecs)
	w.spmmVariant(0, most)
	w.op("ADDQ", most*w.bytes, "DX")
	w.op("ADDQ", most*w.bytes, "DI")
	w.op("SUBQ", most*w.lanes(), "BX")
	w.op("TESTQ", "R10", "R10")
	w.op("JZ", "part")
	w.op("ADDQ", most*w.bytes, "R10")
	w.op("JMP", "part")
	for _, v := range vecs {
		w.spmmVariant(v, v)
		w.op("JMP", "next")
	}
	w.spmmNext()
}

// spmmNarrowing is the rest of spmm without masks: whole vectors, as many at once as there are variants
// for, and at last a part of one.
func (w *writer) spmmNarrowing(vecs []int) {
	w.mask("BX", "AX")
	w.op("MOVQ", "BX", "AX")
	w.op("SHRQ", log2(w.lanes()), "AX")
	w.op("JZ", "sum_0")
	w.branch("AX", "sum", "sum_find", vecs)
	for _, v := range vecs {
		w.spmmVariant(v, v)
		w.op("MOVQ", v*w.bytes, "AX")
		w.op("SUBQ", v*w.lanes(), "BX")
		w.op("JNZ", "more")
		w.op("JMP", "next")
	}
	w.spmmVariant(0, 1)
	w.spmmNext()
	w.label("more")
	w.op("ADDQ", "AX", "DX")
	w.op("ADDQ", "AX", "DI")
	w.op("TESTQ", "R10", "R10")
	w.op("JZ", "part")
	w.op("ADDQ", "AX", "R10")
	w.op("JMP", "part")
}

// spmmNext goes to the next row.
func (w *writer) spmmNext() {
	w.label("next")
	w.op("ADDQ", 8, "R13")
	w.op("MOVQ", w.arg("dstRow"), "AX")
	w.op("ADDQ", "AX", w.arg("dst"))
	w.op("MOVQ", w.arg("zRow"), "AX") // zero where z is nil
	w.op("ADDQ", "AX", w.arg("z"))
	w.op("DECQ", w.arg("rows"))
	w.op("JNZ", "row")
	w.leave()
}

// spmmVariant sums and stores that many vectors; with masks, variant 0 is the one without, and where
// there are none, the one of a part.
func (w *writer) spmmVariant(variant, vecs int) {
	w.label("sum_%d", variant)
	factor, value := vecs, vecs+1
	for v := range vecs {
		w.zero(v)
	}
	part := variant > 0
	if w.tail == narrowMoves {
		part = variant == 0
	}
	masked := func(v int) bool { return part && v == vecs-1 }
	w.op("TESTQ", "CX", "CX")
	w.op("JLE", fmt.Sprintf("end_%d", variant))
	w.label("entry_%d", variant)
	w.op("TESTQ", "R15", "R15")
	w.op("JZ", fmt.Sprintf("fetched_%d", variant))
	w.op("LEAQ", at(4*ahead, "SI"), "R11")
	w.op("CMPQ", "R11", "R12")
	w.op("CMOVQGT", "R12", "R11")
	w.op("MOVLQSX", "(R11)", "R11")
	w.op("IMULQ", "R8", "R11")
	row := "(DX)(R11*1)"
	if w.arch == "arm64" { // which would add this up for every line
		w.op("LEAQ", row, "R11")
		row = "(R11)"
	}
	for line := 0; line < vecs*w.bytes; line += 64 {
		w.op("PREFETCHT1", fmt.Sprint(line)+row)
	}
	w.label("fetched_%d", variant)
	w.op("MOVLQSX", "(SI)", "AX")
	w.op("IMULQ", "R8", "AX")
	w.op("ADDQ", "DX", "AX")
	w.op("VBROADCASTS"+w.p, "(R9)", w.vec(factor))
	w.addRow("AX", vecs, factor, value, part)
	w.op("ADDQ", 4, "SI")
	w.op("ADDQ", w.size, "R9")
	w.again("CX", fmt.Sprintf("entry_%d", variant))

	w.label("end_%d", variant)
	w.op("TESTQ", "R10", "R10")
	w.op("JZ", fmt.Sprintf("store_%d", variant))
	// Not fused: the sum is the one that adding c·z to a·x later would give.
	w.op("VBROADCASTS"+w.p, w.arg("c"), w.vec(factor))
	add := func(v, value int) {
		w.op("VMULP"+w.p, w.vec(value), w.vec(factor), w.vec(value))
		w.op("VADDP"+w.p, w.vec(value), w.vec(v), w.vec(v))
	}
	if w.tail == narrowMoves && !part {
		w.op("MOVQ", "R10", "AX")
		w.eachLoaded("AX", vecs, value, add)
	} else {
		for v := range vecs {
			w.load(at(v*w.bytes, "R10"), value, masked(v))
			add(v, value)
		}
	}
	w.label("store_%d", variant)
	for v := range vecs {
		w.store(v, at(v*w.bytes, "DI"), masked(v))
	}
}

// addRow adds to each of the first vectors factor times one of those that begin where base points, the
// last perhaps in part. Where no instruction multiplies by memory it moves base.
func (w *writer) addRow(base string, vecs, factor, value int, masked bool) {
	if masked {
		vecs--
	}
	end := 0
	if w.tail == narrowMoves {
		w.eachLoaded(base, vecs, value, func(v, loaded int) {
			w.op("VFMADD231P"+w.p, w.vec(loaded), w.vec(factor), w.vec(v))
		})
	} else {
		for v := range vecs {
			w.op("VFMADD231P"+w.p, at(v*w.bytes, base), w.vec(factor), w.vec(v))
		}
		end = vecs * w.bytes
	}
	if masked {
		w.load(at(end, base), value, true)
		w.op("VFMADD231P"+w.p, w.vec(value), w.vec(factor), w.vec(vecs))
	}
}
