package main

import "fmt"

// rowLine is how many bytes the width of the rows is a multiple of.
const rowLine = 64

// rowsBegin loads the parameters that the kernels of some rows share. SI has the numbers of the rows, R9 their count,
// DI y, R8 its stride in bytes, and CX the width in bytes.
func (w *writer) rowsBegin(doc, name string, more ...string) {
	w.begin(doc, name, append([]string{"count int", "rows *int32", "y *T", "yRow int", "width int"}, more...)...)
	w.moves("count R9", "rows SI", "y DI")
	w.stride("yRow", "R8")
	w.stride("width", "CX")
}

// rowAddress sets AX to where row number R10 of the list begins.
func (w *writer) rowAddress() {
	w.op("MOVLQSX", "(SI)(R10*4)", "AX")
	w.op("IMULQ", "R8", "AX")
	w.op("ADDQ", "DI", "AX")
}

// nextRow goes to the next of the list, or past the loop.
func (w *writer) nextRow(loop string) {
	w.op("INCQ", "R10")
	w.op("CMPQ", "R10", "R9")
	w.op("JLT", loop)
}

// rowDots is the kernel of the products of a vector and some rows of a matrix.
func rowDots(w *writer) {
	w.rowsBegin("sets dots[k] to the product of x and row rows[k] of y, whose width is a multiple of 64 bytes.", "rowDots", "x *T", "dots *T")
	w.moves("x DX", "dots BX")
	const sums = 2
	w.op("XORQ", "R10", "R10")
	w.label("row")
	w.rowAddress()
	for s := range sums {
		w.zero(s)
	}
	w.op("XORQ", "R11", "R11")
	w.label("line")
	for v := range rowLine / w.bytes {
		at := func(base string) string { return fmt.Sprintf("%d(%s)(R11*1)", v*w.bytes, base) }
		w.op("VMOVUP"+w.p, at("DX"), w.vec(sums))
		w.op("VFMADD231P"+w.p, at("AX"), w.vec(sums), w.vec(v%sums))
	}
	w.op("ADDQ", rowLine, "R11")
	w.op("CMPQ", "R11", "CX")
	w.op("JLT", "line")
	w.op("VADDP"+w.p, w.vec(1), w.vec(0), w.vec(0))
	w.sum(0, 1)
	w.op("VMOVS"+w.p, "X0", fmt.Sprintf("(BX)(R10*%d)", w.size))
	w.nextRow("row")
	w.leave()
}

// rowSteps is the kernel that moves a vector and some rows of a matrix towards each other.
func rowSteps(w *writer) {
	const most = 8 // vectors of a row at once
	w.rowsBegin("adds m[k]·x to row rows[k] of y for all k, and to x the sum of m[k] times these rows as they were. The width is a multiple of 64 bytes.", "rowSteps", "x *T", "m *T")
	w.moves("x DX", "m BX")
	w.label("part")
	w.op("CMPQ", "CX", most*w.bytes)
	w.op("JLT", "line")
	w.rowStep("many", most)
	w.op("JNZ", "part")
	w.leave()
	w.label("line")
	w.rowStep("few", rowLine/w.bytes)
	w.op("JNZ", "line")
	w.leave()
}

// rowStep takes that many vectors of each row, and goes on to the next; the flags report whether there
// are more.
func (w *writer) rowStep(name string, vecs int) {
	const factor, value = 8, 9
	eachRow := func(label string, do func(v int)) {
		w.op("XORQ", "R10", "R10")
		w.label("%s", label)
		w.rowAddress()
		w.op("VBROADCASTS"+w.p, fmt.Sprintf("(BX)(R10*%d)", w.size), w.vec(factor))
		for v := range vecs {
			do(v)
		}
		w.nextRow(label)
	}
	for v := range vecs {
		w.zero(v)
	}
	eachRow(name+"Sum", func(v int) {
		w.op("VFMADD231P"+w.p, at(v*w.bytes, "AX"), w.vec(factor), w.vec(v))
	})
	eachRow(name+"Row", func(v int) { // a row may be in the list twice
		w.load(at(v*w.bytes, "AX"), value, false)
		w.op("VFMADD231P"+w.p, at(v*w.bytes, "DX"), w.vec(factor), w.vec(value))
		w.store(value, at(v*w.bytes, "AX"), false)
	})
	for v := range vecs {
		w.op("VADDP"+w.p, at(v*w.bytes, "DX"), w.vec(v), w.vec(v))
		w.store(v, at(v*w.bytes, "DX"), false)
	}
	w.op("ADDQ", vecs*w.bytes, "DX")
	w.op("ADDQ", vecs*w.bytes, "DI")
	w.op("SUBQ", vecs*w.bytes, "CX")
}

// rowFetch is the kernel that has some rows of a matrix fetched into the caches.
func rowFetch(w *writer) {
	w.rowsBegin("fetches rows of y, a line for every 64 bytes of the width.", "rowFetch")
	w.op("XORQ", "R10", "R10")
	w.label("row")
	w.rowAddress()
	w.op("LEAQ", "(AX)(CX*1)", "DX")
	w.label("line")
	w.op("PREFETCHT0", "(AX)")
	w.op("ADDQ", rowLine, "AX")
	w.op("CMPQ", "AX", "DX")
	w.op("JLT", "line")
	w.nextRow("row")
	w.op("RET")
}
