package main

// narrow and widen are the kernels that convert rows of numbers; the writer must be for float32.
func narrow(w *writer) {
	w.begin("rounds n numbers to float32.", "narrow", "n int", "from *float64", "to *float32")
	toHalf, half := "VCVTPD2PS", map[int]string{64: "Y0", 32: "X0", 16: "D0"}[w.bytes]
	if w.bytes == 32 {
		toHalf = "VCVTPD2PSY" // the assembler cannot tell from the operands
	}
	w.convertRow(float64s, float32s, func() {
		w.op(toHalf, "(SI)", half)
		w.op("VMOVUPS", half, "(DI)")
	}, func() {
		w.op("VMOVSD", "(SI)", "X0")
		w.op("VCVTSD2SS", "X0", "X0", "X0")
		w.op("VMOVSS", "X0", "(DI)")
	})
}

func widen(w *writer) {
	w.begin("extends n numbers to float64.", "widen", "n int", "from *float32", "to *float64")
	w.convertRow(float32s, float64s, func() {
		w.op("VCVTPS2PD", "(SI)", w.vec(0))
		w.op("VMOVUPD", w.vec(0), "(DI)")
	}, func() {
		w.op("VMOVSS", "(SI)", "X0")
		w.op("VCVTSS2SD", "X0", "X0", "X0")
		w.op("VMOVSD", "X0", "(DI)")
	})
}

// accumulate brings a tile of float32 into a result in float64.
func accumulate(w *writer) {
	w.begin("sets rows of n numbers, in to so far apart, to alpha·from + beta·to; with beta = 0 to is not read.", "accumulate",
		"rows int", "n int", "from *float32", "to *float64", "toRow int", "alpha float64", "beta float64")
	w.moves("rows R8", "n R9", "from SI", "to DI", "toRow R10", "beta DX")
	w.op("SHLQ", 1, "DX") // without the sign
	w.op("VBROADCASTSD", w.arg("alpha"), w.vec(1))
	w.op("VBROADCASTSD", w.arg("beta"), w.vec(2))
	count := w.bytes / float64s.size
	loop := func(label, kind, store, reg string, step int, load func()) {
		w.label("%s", label)
		load()
		w.op("VMUL"+kind, reg+"1", reg+"0", reg+"0")
		w.op("TESTQ", "DX", "DX")
		w.op("JZ", label+"Set")
		w.op("VFMADD231"+kind, "(DI)(AX*8)", reg+"2", reg+"0")
		w.label("%sSet", label)
		w.op(store, reg+"0", "(DI)(AX*8)")
		w.op("ADDQ", step, "AX")
	}
	w.op("LEAQ", at(-count, "R9"), "BX") // where the last vector begins
	w.label("row")
	w.op("XORQ", "AX", "AX")
	w.op("TESTQ", "BX", "BX")
	w.op("JLT", "single")
	loop("vector", "PD", "VMOVUPD", w.reg, count, func() {
		w.op("VCVTPS2PD", "(SI)(AX*4)", w.vec(0))
	})
	w.op("CMPQ", "AX", "BX")
	w.op("JLE", "vector")
	w.op("CMPQ", "AX", "R9")
	w.op("JEQ", "next")
	loop("single", "SD", "VMOVSD", "X", 1, func() {
		w.op("VMOVSS", "(SI)(AX*4)", "X0")
		w.op("VCVTSS2SD", "X0", "X0", "X0")
	})
	w.op("CMPQ", "AX", "R9")
	w.op("JLT", "single")
	w.label("next")
	w.op("LEAQ", "(SI)(R9*4)", "SI")
	w.op("LEAQ", "(DI)(R10*8)", "DI")
	w.again("R8", "row")
	w.leave()
}

// convertRow loops over as many numbers as make a vector of float64, and over the single ones that
// are left.
func (w *writer) convertRow(from, to number, vector, single func()) {
	count := w.bytes / float64s.size
	w.moves("from SI", "to DI", "n BX")
	w.op("MOVQ", "BX", "CX")
	w.op("ANDQ", count-1, "BX")
	w.op("SHRQ", log2(count), "CX")
	w.op("JZ", "rest")
	loop := func(label, counter string, step int, body func()) {
		w.label("%s", label)
		body()
		w.op("ADDQ", step*from.size, "SI")
		w.op("ADDQ", step*to.size, "DI")
		w.again(counter, label)
	}
	loop("vector", "CX", count, vector)
	w.label("rest")
	w.op("TESTQ", "BX", "BX")
	w.op("JZ", "done")
	loop("single", "BX", 1, single)
	w.label("done")
	w.leave()
}
