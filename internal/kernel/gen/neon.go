package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The kernels are written in the instructions of amd64. This file translates them to arm64, which
// has no instruction that computes with memory, and has conditions of registers besides flags.

// registers maps the registers of amd64 to arm64. R18 belongs to the system, R26 and up to Go and its
// assembler.
var registers = map[string]string{
	"AX": "R0", "BX": "R1", "CX": "R2", "DX": "R3", "SI": "R4", "DI": "R5", "R8": "R8", "R9": "R9",
	"R10": "R10", "R11": "R11", "R12": "R12", "R13": "R13", "R15": "R15",
}

const (
	addressReg   = "R6" // of an operand in memory
	partReg      = "R7" // address of the third number of a part of a vector
	integerReg   = "R14"
	countReg     = "R20" // numbers in the part of a vector
	constantsReg = "R21"
	operandReg   = 31 // a vector from memory
	spareReg     = 30
)

// integers are instructions of two operands, the second of which is also the result.
var integers = map[string]string{
	"ADDQ": "ADD", "SUBQ": "SUB", "ANDQ": "AND", "SHLQ": "LSL", "SHRQ": "LSR", "SHLL": "LSLW", "IMULQ": "MUL",
}

var jumps = map[string]string{
	"JMP": "JMP", "JEQ": "BEQ", "JNE": "BNE", "JLT": "BLT", "JLE": "BLE", "JGT": "BGT", "JGE": "BGE", "JZ": "CBZ", "JNZ": "CBNZ",
}

// fetches are the caches for which lines are fetched.
var fetches = map[string]string{"PREFETCHT0": "PLDL1KEEP", "PREFETCHT1": "PLDL2KEEP"}

// lanewise are the instructions on vectors of integers that Go's assembler has, with their lanes.
var lanewise = map[string][2]string{
	"VPSLLQ": {"VSHL", "D2"}, "VPSRLQ": {"VUSHR", "D2"}, "VPSLLD": {"VSHL", "S4"},
	"VPADDQ": {"VADD", "D2"}, "VPADDD": {"VADD", "S4"}, "VPSUBD": {"VSUB", "S4"},
}

// scalars are instructions on single numbers.
var scalars = map[string]string{
	"VMOVSS": "FMOVS", "VMOVSD": "FMOVD", "VCVTSD2SS": "FCVTDS", "VCVTSS2SD": "FCVTSD", "VMULSD": "FMULD",
}

// list is count vectors from the first on, as an operand.
func (w *writer) list(first, count int) string {
	names := make([]string, count)
	for i := range names {
		names[i] = w.vec(first+i) + w.arrangement()
	}
	return "[" + strings.Join(names, ", ") + "]"
}

func (w *writer) arrangement() string { return lanesOf(w.p) }

// lanesOf is the arrangement of the lanes of instructions that end with a letter.
func lanesOf(p string) string {
	if p == float64s.p {
		return ".D2"
	}
	return ".S4"
}

var memory = regexp.MustCompile(`^(-?\d*)\((\w+)\)(?:\((\w+)\*(\d)\))?$`)

// address is the operand for a place in memory, with an offset. It may compute the address.
func (w *writer) address(place string) (offset int, base string) {
	if rest, ok := strings.CutPrefix(place, "expTable<>"); ok {
		offset, _ = strconv.Atoi(strings.TrimSuffix(rest, "(SB)"))
		return offset, constantsReg
	}
	m := memory.FindStringSubmatch(place)
	offset, _ = strconv.Atoi(m[1])
	base = registers[m[2]]
	if m[3] != "" {
		scale, _ := strconv.Atoi(m[4])
		w.line("ADD", shifted(registers[m[3]], scale), base, addressReg)
		base = addressReg
	}
	return offset, base
}

func shifted(register string, scale int) string {
	if scale == 1 {
		return register
	}
	return fmt.Sprintf("%s<<%d", register, log2(scale))
}

// operand is a place in memory as the assembler wants it.
func (w *writer) operand(place string) string {
	if strings.HasSuffix(place, "(FP)") {
		return place
	}
	return at(w.address(place))
}

func isMemory(operand string) bool { return strings.HasSuffix(operand, ")") }

// integer is a register or constant with the value of an operand.
func (w *writer) integer(operand string) string {
	if isMemory(operand) {
		w.line("MOVD", w.operand(operand), integerReg)
		return integerReg
	}
	if r, ok := registers[operand]; ok {
		return r
	}
	return operand
}

// vector is the number of a register with the value of an operand.
func (w *writer) vector(operand string) int {
	if isMemory(operand) {
		w.line("FMOVQ", w.operand(operand), fmt.Sprintf("F%d", operandReg))
		return operandReg
	}
	n, _ := strconv.Atoi(operand[1:])
	return n
}

// arm writes what does the same as an instruction of amd64.
func (w *writer) arm(name string, o []string) {
	if to, ok := integers[name]; ok {
		w.armInteger(to, o[0], o[1])
		return
	}
	if jump, ok := jumps[name]; ok {
		w.armJump(name, jump, o[0])
		return
	}
	last := len(o) - 1
	switch name {
	case "RET":
		w.line("RET")
	case "VZEROUPPER":
	case "INCQ", "DECQ":
		w.armInteger(map[string]string{"INCQ": "ADD", "DECQ": "SUB"}[name], "$1", o[0])
	case "NEGQ":
		w.line("NEG", registers[o[0]], registers[o[0]])
	case "XORQ":
		w.line("MOVD", "$0", registers[o[1]])
	case "MOVQ", "MOVL", "MOVLQSX":
		move := map[string]string{"MOVQ": "MOVD", "MOVL": "MOVWU", "MOVLQSX": "MOVW"}[name]
		from, to := o[0], registers[o[1]]
		if isMemory(from) {
			from = w.operand(from)
		} else if r, ok := registers[from]; ok {
			from = r
		}
		if to == "" { // the first lane of a vector
			move, to = "FMOVD", "F"+o[1][1:]
		}
		w.line(move, from, to)
	case "LEAQ":
		w.armAddress(o[0], registers[o[1]])
	case "CMPQ":
		w.line("CMP", w.integer(o[1]), registers[o[0]])
		w.result = ""
	case "TESTQ":
		if o[0] == o[1] {
			w.result = registers[o[0]]
			return
		}
		w.line("TST", o[0], registers[o[1]])
		w.result = ""
	case "CMOVQGT":
		w.line("CSEL", "GT", registers[o[0]], registers[o[1]], registers[o[1]])
	case "PREFETCHT0", "PREFETCHT1":
		w.line("PRFM", w.operand(o[0]), fetches[name])
	default:
		w.armVector(name, o, last)
	}
}

// armInteger computes with integers; an operand that is the result may be in memory.
func (w *writer) armInteger(name, from, to string) {
	if !isMemory(to) {
		w.line(name, w.integer(from), registers[to])
		w.result = registers[to]
		return
	}
	r := w.integer(to)
	if f, ok := registers[from]; ok {
		from = f
	}
	w.line(name, from, r)
	w.line("MOVD", r, w.operand(to))
	w.result = r
}

// armJump jumps if the result of the last instruction, a register or else flags, is so.
func (w *writer) armJump(name, jump, label string) {
	switch {
	case name == "JMP":
		w.line(jump, label)
	case w.result == "":
		w.line(strings.NewReplacer("CBZ", "BEQ", "CBNZ", "BNE").Replace(jump), label)
	case strings.HasPrefix(jump, "CB"):
		w.line(jump, w.result, label)
	default:
		w.line("CMP", "$0", w.result)
		w.line(jump, label)
	}
}

// armAddress computes an address, which may be any sum.
func (w *writer) armAddress(place, to string) {
	m := memory.FindStringSubmatch(place)
	base := registers[m[2]]
	if m[3] != "" {
		scale, _ := strconv.Atoi(m[4])
		w.line("ADD", shifted(registers[m[3]], scale), base, to)
		base = to
	}
	if offset, _ := strconv.Atoi(m[1]); offset != 0 {
		w.line("ADD", fmt.Sprintf("$%d", offset), base, to)
	}
	w.result = to
}

// armVector is arm for instructions on vectors and on single numbers in them.
func (w *writer) armVector(name string, o []string, last int) {
	if to, ok := lanewise[name]; ok {
		for i := range o {
			if o[i][0] != '$' {
				o[i] = fmt.Sprintf("V%d.%s", w.vector(o[i]), to[1])
			}
		}
		w.line(to[0], o...)
		return
	}
	if to, ok := scalars[name]; ok {
		w.armScalar(to, o)
		return
	}
	kind, p := name[:len(name)-1], name[len(name)-1:]
	double, lanes := p == float64s.p, lanesOf(p)
	vector := func(i int) string { return fmt.Sprintf("V%d%s", i, lanes) }
	switch kind {
	case "VMOVUP":
		w.armMove(o[0], o[1])
	case "VXORP":
		w.line("VEOR", strings.Repeat(o[last]+".B16, ", 2)+o[last]+".B16")
	case "VBROADCASTS":
		w.armBroadcast(p, o[0], w.vector(o[1]))
	case "VADDP", "VSUBP", "VMULP", "VDIVP", "VMAXP", "VMINP":
		m := w.vector(o[0])
		w.lanewiseWord(kind, double, w.vector(o[2]), w.vector(o[1]), m)
	case "VROUNDP":
		w.lanewiseWord(kind, double, w.vector(o[2]), w.vector(o[1]))
	case "VFMADD231P":
		w.line("VFMLA", vector(w.vector(o[0])), vector(w.vector(o[1])), vector(w.vector(o[2])))
	case "VFNMADD231P":
		w.line("VFMLS", vector(w.vector(o[0])), vector(w.vector(o[1])), vector(w.vector(o[2])))
	case "VFMADD213P", "VFMSUB213P":
		// The sum is in the place of the other number, and is moved.
		to, sum := w.vector(o[2]), w.vector(o[0])
		switch {
		case kind == "VFMSUB213P":
			w.lanewiseWord("negative", double, spareReg, sum)
			sum = spareReg
		case sum != operandReg:
			w.line("VMOV", fmt.Sprintf("V%d.B16", sum), fmt.Sprintf("V%d.B16", spareReg))
			sum = spareReg
		}
		w.line("VFMLA", vector(w.vector(o[1])), vector(to), vector(sum))
		w.line("VMOV", fmt.Sprintf("V%d.B16", sum), fmt.Sprintf("V%d.B16", to))
	default:
		w.armConversion(name, o)
	}
}

// armMove loads or stores a vector, or half of one, whose name begins with D.
func (w *writer) armMove(from, to string) {
	move := map[bool]string{true: "FMOVD", false: "FMOVQ"} // of half a vector or not
	if isMemory(to) {
		w.line(move[from[0] == 'D'], "F"+from[1:], w.operand(to))
		return
	}
	w.line(move[to[0] == 'D'], w.operand(from), "F"+to[1:])
}

// armBroadcast fills a vector with one number.
func (w *writer) armBroadcast(p, from string, to int) {
	if isMemory(from) {
		place := w.operand(from)
		if strings.HasPrefix(place, "0(") {
			w.line("VLD1R", place[1:], fmt.Sprintf("[V%d%s]", to, lanesOf(p)))
			return
		}
		w.line("FMOV"+p, place, fmt.Sprintf("F%d", to))
		from = fmt.Sprintf("V%d", to)
	}
	w.line("VDUP", fmt.Sprintf("V%s.%s[0]", from[1:], p), fmt.Sprintf("V%d%s", to, lanesOf(p)))
}

func (w *writer) armScalar(name string, o []string) {
	for i := range o {
		if isMemory(o[i]) {
			o[i] = w.operand(o[i])
		} else {
			o[i] = "F" + o[i][1:]
		}
	}
	if strings.HasPrefix(name, "FCVT") {
		o = o[1:]
	}
	w.line(name, o...)
}

// armConversion is for instructions that change the type of the numbers.
func (w *writer) armConversion(name string, o []string) {
	last := len(o) - 1
	to := w.vector(o[last])
	switch name {
	case "VCVTPS2PD":
		w.line("FMOVD", w.operand(o[0]), fmt.Sprintf("F%d", operandReg))
		w.word(name, uint32(to|operandReg<<5), "v%d.2d, v%d.2s", to, operandReg)
	case "VCVTPD2PS":
		n := w.vector(o[0])
		w.word(name, uint32(to|n<<5), "v%d.2s, v%d.2d", to, n)
	case "VCVTPS2DQ":
		w.lanewiseWord(name, false, to, w.vector(o[0]))
	case "VPSRAD":
		n, _ := strconv.Atoi(o[0][1:])
		from := w.vector(o[1])
		w.word(name, uint32(to|from<<5|(64-n)<<16), "v%d.4s, v%d.4s, #%d", to, from, n)
	case "VFMADD231SD":
		a := fmt.Sprintf("F%d", operandReg)
		w.line("FMOVD", w.operand(o[0]), a)
		sum := "F" + o[2][1:]
		w.line("FMADDD", a, sum, "F"+o[1][1:], sum)
	default:
		panic("gen: arm64 has no " + name)
	}
}

// eachLoaded loads vectors from where base points, up to four at once into registers from the first on,
// and moves base.
func (w *writer) eachLoaded(base string, vecs, first int, do func(v, loaded int)) {
	for v := 0; v < vecs; v += 4 {
		n := min(4, vecs-v)
		w.line("VLD1.P", at(n*w.bytes, registers[base]), w.list(first, n))
		for l := range n {
			do(v+l, first+l)
		}
	}
}

// armPart loads or stores the first countReg numbers of a vector, one number to all of them, by the
// narrower moves that make it up. The rest of a vector that is loaded becomes zero.
func (w *writer) armPart(vector int, place string, store bool) {
	offset, base := w.address(place)
	w.parts++
	label := func(name string) string { return fmt.Sprintf("%sOf%d", name, w.parts) }
	move := func(name string) {
		if from, to := at(offset, base), fmt.Sprintf("F%d", vector); store {
			w.line(name, to, from)
		} else {
			w.line(name, from, to)
		}
	}
	w.line("TBNZ", fmt.Sprintf("$%d", log2(w.lanes())), countReg, label("whole"))
	if w.size == 4 {
		w.line("TBNZ", "$1", countReg, label("two"))
		move("FMOVS")
		w.line("JMP", label("end"))
		w.label("%s", label("two"))
	}
	move("FMOVD")
	if w.size == 4 {
		w.line("TBZ", "$0", countReg, label("end"))
		w.line("ADD", fmt.Sprintf("$%d", offset+8), base, partReg)
		if lane := fmt.Sprintf("V%d.S[2]", vector); store {
			w.line("VST1", lane, "("+partReg+")")
		} else {
			w.line("VLD1", "("+partReg+")", lane)
		}
	}
	w.line("JMP", label("end"))
	w.label("%s", label("whole"))
	move("FMOVQ")
	w.label("%s", label("end"))
}
