package autodiff

import (
	"math"
	"unsafe"

	"coles/internal/kernel"
)

// addTo adds x, of the same or the other precision, to dst.
func addTo[D, T Float](dst []D, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] += D(v)
	}
}

// multiplyTo sets dst, which may be x, to c·x.
func multiplyTo[T Float](dst []T, c T, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = c * v
	}
}

// exp is eˣ with the digits of a T.
func exp[T Float](x float64) float64 {
	if unsafe.Sizeof(T(0)) == 8 {
		return math.Exp(x)
	}
	return kernel.ShortExp(x) // from 89 on infinite as a float32
}

// lessOne is eˣ − 1 for x ≤ 0 with the digits of a T.
func lessOne[T Float](x float64) float64 {
	switch {
	case unsafe.Sizeof(T(0)) == 8:
		return math.Expm1(x)
	case x < -1./8:
		return kernel.ShortExp(x) - 1
	}
	return x * (1 + x/2*(1+x/3*(1+x/4*(1+x/5*(1+x/6))))) // but for x⁶/5040 of it
}

// sigmoid takes the exponential of negative numbers only, which cannot overflow.
func sigmoid(x float64) float64 {
	e := math.Exp(-math.Abs(x))
	if x < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

// gate is σ(x) with the digits of a T.
func gate[T Float](x T) float64 { return 1 / (1 + exp[T](-float64(x))) }

// tanh is that with an error of as many digits of 1.
func tanh[T Float](x float64) float64 { return 2/(1+exp[T](-2*x)) - 1 }

// softplus is log(1 + eˣ).
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
