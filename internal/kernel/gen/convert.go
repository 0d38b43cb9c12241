package main

// narrow and widen are the kernels that convert rows of numbers; the writer is
// that of float32.
func narrow(w *writer) {
	w.begin("rounds n numbers to float32.", "narrow", "n int", "from *float64", "to *float32")
	toHalf := "VCVTPD2PS"
	if !w.masks {
		toHalf = "VCVTPD2PSY" // the assembler cannot tell from the operands
	}
	w.convertRow(float64s, float32s, func() {
		w.op(toHalf, "(SI)", w.half(0))
		w.op("VMOVUPS", w.half(0), "(DI)")
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

// convertRow loops over as many numbers as make a vector of float64, and over
// the single ones that are left.
func (w *writer) convertRow(from, to number, vector, single func()) {
	count := w.bytes / float64s.size
	w.op("MOVQ", w.arg("from"), "SI")
	w.op("MOVQ", w.arg("to"), "DI")
	w.op("MOVQ", w.arg("n"), "BX")
	w.op("MOVQ", "BX", "CX")
	w.op("ANDQ", count-1, "BX")
	w.op("SHRQ", log2(count), "CX")
	w.op("JZ", "rest")
	loop := func(label, counter string, step int, body func()) {
		w.label("%s", label)
		body()
		w.op("ADDQ", step*from.size, "SI")
		w.op("ADDQ", step*to.size, "DI")
		w.op("DECQ", counter)
		w.op("JNZ", label)
	}
	loop("vector", "CX", count, vector)
	w.label("rest")
	w.op("TESTQ", "BX", "BX")
	w.op("JZ", "done")
	loop("single", "BX", 1, single)
	w.label("done")
	w.leave()
}
