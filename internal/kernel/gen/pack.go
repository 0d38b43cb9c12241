package main

import "fmt"

// pack is the kernel that copies a strip of a matrix.
func pack(w *writer) {
	most := max(3, w.rows/w.lanes())
	w.begin("copies k rows of count numbers; the rest of the last vector is zero.", "pack",
		"k int", "count int", "from *T", "fromRow int", "to *T", "toRow int")
	w.moves("k CX", "from SI")
	w.stride("fromRow", "R8")
	w.op("MOVQ", w.arg("to"), "DI")
	w.stride("toRow", "R9")
	w.op("MOVQ", w.arg("count"), "BX")
	w.lastLanes("BX", "DX", "AX")
	w.op("ADDQ", w.lanes()-1, "BX")
	w.op("SHRQ", log2(w.lanes()), "BX")
	w.branch("BX", "copy", "copy_find", upTo(most))
	for vecs := 1; vecs <= most; vecs++ {
		w.label("copy_%d", vecs)
		for v := range vecs {
			w.load(at(v*w.bytes, "SI"), v, v == vecs-1)
		}
		for v := range vecs {
			w.store(v, at(v*w.bytes, "DI"), false)
		}
		w.op("ADDQ", "R8", "SI")
		w.op("ADDQ", "R9", "DI")
		w.again("CX", fmt.Sprintf("copy_%d", vecs))
		w.leave()
	}
}

// upTo is 1, 2, …, n.
func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i + 1
	}
	return all
}
