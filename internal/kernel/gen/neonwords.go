package main

import "fmt"

// encodings are the instructions that Go's assembler does not know: what a disassembler calls them and
// their bits for lanes of float32, to which those of float64 add one.
var encodings = map[string]struct {
	name string
	bits uint32
}{
	"VADDP": {"fadd", 0x4e20d400}, "VSUBP": {"fsub", 0x4ea0d400}, "VMULP": {"fmul", 0x6e20dc00}, "VDIVP": {"fdiv", 0x6e20fc00},
	"VMAXP": {"fmax", 0x4e20f400}, "VMINP": {"fmin", 0x4ea0f400}, "pairs": {"faddp", 0x6e20d400}, "greater": {"fcmgt", 0x6ea0e400},
	"negative": {"fneg", 0x6ea0f800}, "VROUNDP": {"frintn", 0x4e218800}, "VCVTPS2DQ": {"fcvtns", 0x4e21a800},
	"VPSRAD": {"sshr", 0x4f000400}, "element": {"fmla", 0x4f801000},
	"VCVTPS2PD": {"fcvtl", 0x0e617800}, "VCVTPD2PS": {"fcvtn", 0x0e616800},
}

const doubleLanes = 1 << 22

// word writes an instruction that is in encodings, with its operands as a disassembler has them.
func (w *writer) word(name string, bits uint32, format string, operands ...any) {
	e := encodings[name]
	w.line(fmt.Sprintf("WORD $%#x // %s %s", e.bits|bits, e.name, fmt.Sprintf(format, operands...)))
}

// lanewiseWord writes one of which all operands have the lanes of float32 or float64: the result and
// one or two others.
func (w *writer) lanewiseWord(name string, double bool, to, n int, m ...int) {
	lanes, bits := "4s", uint32(to|n<<5)
	if double {
		lanes, bits = "2d", bits|doubleLanes
	}
	text := fmt.Sprintf("v%d.%s, v%d.%s", to, lanes, n, lanes)
	if len(m) > 0 {
		bits |= uint32(m[0]) << 16
		text += fmt.Sprintf(", v%d.%s", m[0], lanes)
	}
	w.word(name, bits, "%s", text)
}

// addElement adds vector b times a lane of vector a to a sum.
func (w *writer) addElement(sum, b, a, lane int) {
	bits, lanes, one := uint32(sum|b<<5|a<<16), "4s", "s"
	if w.size == 8 {
		bits, lanes, one = bits|doubleLanes|uint32(lane)<<11, "2d", "d"
	} else {
		bits |= uint32(lane&1)<<21 | uint32(lane>>1)<<11
	}
	w.word("element", bits, "v%d.%s, v%d.%s, v%d.%s[%d]", sum, lanes, b, lanes, a, one, lane)
}
