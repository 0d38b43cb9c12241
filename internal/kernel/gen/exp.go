package main

import (
	"fmt"
	"math"
)

// expTable are the constants of exp, each as a whole vector: bounds beyond which e^x is zero or infinite in float32; 1/log 2;
// log 2 in two parts, the first with few digits; and a polynomial p with e^r = 1 + r + r²·p(r) for |r| ≤ log(2)/2 (Cephes, S.
// Moshier).
var expTable = []float64{
	-104, 89, math.Log2E, 0.693359375, -2.12194440e-4,
	1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1, 1,
}

const (
	expLow = iota
	expHigh
	expLog
	expFirst
	expSecond
	expTerms
	expOne = expTerms + 6
)

// exp is the kernel of exponentials. With k the nearest integer to x/log 2 and r the rest, e^x is
// 2^k·e^r.
func exp(w *writer) {
	fmt.Fprintln(w)
	for c, v := range expTable {
		bits := uint64(math.Float32bits(float32(v)))
		for offset := 0; offset < w.bytes; offset += 8 {
			fmt.Fprintf(w, "DATA expTable<>+%d(SB)/8, $%#x\n", c*w.bytes+offset, bits<<32|bits)
		}
	}
	fmt.Fprintf(w, "GLOBL expTable<>(SB), RODATA|NOPTR, $%d\n", len(expTable)*w.bytes)

	const scale, shift = 4, 5
	w.begin("sets n numbers to e^(scale·x − shift), with an error of at most 2 units of the last digit.", "exp",
		"n int", "x *T", "to *T", "scale T", "shift T")
	w.moves("x SI", "to DI", "n CX")
	if w.arch == "arm64" {
		w.line("MOVD", "$expTable<>(SB)", constantsReg)
	}
	w.op("VBROADCASTSS", w.arg("scale"), w.vec(scale))
	w.op("VBROADCASTSS", w.arg("shift"), w.vec(shift))
	w.eachVector([]string{"SI", "DI"}, func(masked bool) { w.expStep(scale, shift, masked) })
	w.leave()
}

// expStep takes one vector.
func (w *writer) expStep(scale, shift int, masked bool) {
	const x, k, sum, square = 0, 1, 2, 3
	constant := func(c int) string { return fmt.Sprintf("expTable<>+%d(SB)", c*w.bytes) }
	w.load("(SI)", x, masked)
	w.op("VFMSUB213PS", w.vec(shift), w.vec(scale), w.vec(x))
	// Of a number and NaN these return the first operand.
	w.op("VMOVUPS", constant(expLow), w.vec(k))
	w.op("VMAXPS", w.vec(x), w.vec(k), w.vec(x))
	w.op("VMOVUPS", constant(expHigh), w.vec(k))
	w.op("VMINPS", w.vec(x), w.vec(k), w.vec(x))
	w.op("VMULPS", constant(expLog), w.vec(x), w.vec(k))
	round := "VROUNDPS"
	if w.tail == maskRegisters {
		round = "VRNDSCALEPS"
	}
	w.op(round, 8, w.vec(k), w.vec(k)) // to the nearest
	w.op("VFNMADD231PS", constant(expFirst), w.vec(k), w.vec(x))
	w.op("VFNMADD231PS", constant(expSecond), w.vec(k), w.vec(x))
	w.op("VMULPS", w.vec(x), w.vec(x), w.vec(square))
	w.op("VMOVUPS", constant(expTerms), w.vec(sum))
	for term := expTerms + 1; term < expOne; term++ {
		w.op("VFMADD213PS", constant(term), w.vec(x), w.vec(sum))
	}
	w.op("VFMADD213PS", w.vec(x), w.vec(square), w.vec(sum))
	w.op("VADDPS", constant(expOne), w.vec(sum), w.vec(sum))
	if w.tail == maskRegisters {
		w.op("VSCALEFPS", w.vec(k), w.vec(sum), w.vec(sum))
	} else {
		// In two steps, neither of which leaves the range of exponents.
		w.op("VCVTPS2DQ", w.vec(k), w.vec(k))
		w.op("VPSRAD", 1, w.vec(k), w.vec(x))
		w.op("VPSUBD", w.vec(x), w.vec(k), w.vec(k))
		w.op("VMOVUPS", constant(expOne), w.vec(square)) // its bits have exponent 0
		for _, part := range []int{x, k} {
			w.op("VPSLLD", 23, w.vec(part), w.vec(part))
			w.op("VPADDD", w.vec(square), w.vec(part), w.vec(part))
			w.op("VMULPS", w.vec(part), w.vec(sum), w.vec(sum))
		}
	}
	w.store(sum, "(DI)", masked)
}
