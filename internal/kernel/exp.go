package kernel

import "math"

// Exp sets dst_j to e^(scale·x_j − shift); dst may be x. In float32 the error of the exponential is
// at most 2 units of the last digit.
func Exp[T Float](dst, x []T, scale, shift T) {
	dst = dst[:len(x)]
	if len(x) > 0 {
		exp(active, dst, x, scale, shift)
	}
}

func portableExp[T Float](dst, x []T, scale, shift T) {
	if isDouble[T]() {
		for j, v := range x {
			dst[j] = T(math.Exp(float64(v*scale - shift)))
		}
		return
	}
	for j, v := range x {
		dst[j] = T(ShortExp(float64(v*scale - shift)))
	}
}

const expSteps = 256

// powers are the bits of 2^(k/expSteps).
var powers = func() (p [expSteps]uint64) {
	for k := range p {
		p[k] = math.Float64bits(math.Exp2(float64(k) / expSteps))
	}
	return p
}()

// ShortExp is eˣ but for a relative error of 5e-10, hardly more than rounding to float32 adds to
// half a unit of its last digit, for x up to 700; below −700 it is zero. With k the nearest integer
// to x·expSteps/log 2 and r the rest, it is 2^(k/expSteps) from the table, its exponent added as an
// integer, times 1 + r + r²/2. It is small enough for the compiler to put it into loops.
func ShortExp(x float64) float64 {
	const (
		round = 3 << 51 // a number of this size has no binary places
		unit  = math.Ln2 / expSteps
	)
	if x < -700 {
		return 0
	}
	if x > 700 {
		x = 700 // far above the range of float32
	}
	steps := x * (1 / unit)
	whole := steps + round
	k := math.Float64bits(whole)
	r := steps - (whole - round)
	return math.Float64frombits(powers[k%expSteps]+k/expSteps<<52) * (1 + r*(unit+r*(unit*unit/2)))
}
