package tape

import "coles/internal/kernel"

// The loops over rows. What becomes one number is summed in float64, which for
// float32 is exact up to the number of terms, in four sums that do not wait for
// each other.

// sum is Σ x_i.
func sum[T kernel.Float](x []T) float64 {
	var s [4]float64
	n := len(x) &^ 3
	for i := 0; i < n; i += 4 {
		x := x[i : i+4 : i+4]
		s[0] += float64(x[0])
		s[1] += float64(x[1])
		s[2] += float64(x[2])
		s[3] += float64(x[3])
	}
	for _, v := range x[n:] {
		s[0] += float64(v)
	}
	return (s[0] + s[2]) + (s[1] + s[3])
}

// dot is Σ a_i·b_i.
func dot[T kernel.Float](a, b []T) float64 {
	var s [4]float64
	n := len(a) &^ 3
	b = b[:len(a)]
	for i := 0; i < n; i += 4 {
		a, b := a[i:i+4:i+4], b[i:i+4:i+4]
		s[0] += float64(a[0]) * float64(b[0])
		s[1] += float64(a[1]) * float64(b[1])
		s[2] += float64(a[2]) * float64(b[2])
		s[3] += float64(a[3]) * float64(b[3])
	}
	for i := n; i < len(a); i++ {
		s[0] += float64(a[i]) * float64(b[i])
	}
	return (s[0] + s[2]) + (s[1] + s[3])
}

// addTo adds x, of the same or the other precision, to dst.
func addTo[D, T kernel.Float](dst []D, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] += D(v)
	}
}

// addMultiple adds c·x to dst.
func addMultiple[T kernel.Float](dst []T, c T, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] += c * v
	}
}

// multiplyTo sets dst, which may be x, to c·x.
func multiplyTo[T kernel.Float](dst []T, c T, x []T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = c * v
	}
}

// largest and smallest are the extreme entries of a slice that has some, and NaN
// if one is.
func largest[T kernel.Float](x []T) T {
	m := x[0]
	for _, v := range x[1:] {
		m = max(m, v)
	}
	return m
}

func smallest[T kernel.Float](x []T) T {
	m := x[0]
	for _, v := range x[1:] {
		m = min(m, v)
	}
	return m
}
