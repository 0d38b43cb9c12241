package main

import "fmt"

// narrow and widen are the kernels that convert rows of numbers; the writer must be for float32.
func narrow(w *writer) {
	w.begin("rounds n numbers to float32.", "narrow", "n int", "from *float64", "to *float32")
	toHalf, half := "VCVTPD2PS", "Y0"
	if !w.masks {
		toHalf, half = "VCVTPD2PSY", "X0" // the assembler cannot tell from the operands
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
	const alpha, beta = 2, 3
	w.begin("sets n numbers to alpha·from + beta·to; with beta = 0 to is not read.", "accumulate",
		"n int", "from *float32", "to *float64", "alpha float64", "beta float64")
	w.op("VBROADCASTSD", w.arg("alpha"), w.vec(alpha))
	w.op("VBROADCASTSD", w.arg("beta"), w.vec(beta))
	w.op("MOVQ", w.arg("beta"), "DX")
	w.op("SHLQ", 1, "DX") // without the sign
	step := func(load, convert, store, kind string, vector bool) {
		reg := func(i int) string {
			if vector {
				return w.vec(i)
			}
			return fmt.Sprintf("X%d", i)
		}
		if vector {
			w.op(load, "(SI)", reg(0))
		} else {
			w.op("VMOVSS", "(SI)", reg(0))
			w.op(load, reg(0), reg(0), reg(0))
		}
		w.op("VMUL"+kind, reg(alpha), reg(0), reg(0))
		w.op("TESTQ", "DX", "DX")
		w.op("JZ", convert)
		w.op(store, "(DI)", reg(1))
		w.op("VFMADD231"+kind, reg(beta), reg(1), reg(0))
		w.label("%s", convert)
		w.op(store, reg(0), "(DI)")
	}
	w.convertRow(float32s, float64s, func() {
		step("VCVTPS2PD", "set", "VMOVUPD", "PD", true)
	}, func() {
		step("VCVTSS2SD", "setOne", "VMOVSD", "SD", false)
	})
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
