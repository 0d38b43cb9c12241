//go:build !noasm

package kernel

// peakKernel is the kernel of a path that does that many fused multiplications of vectors at a time.
func peakKernel(key peakOf) (kernel func(n int), sums int) {
	switch key {
	case peakOf{&pathNEON, true}:
		kernel = peakFloat64NEON
	case peakOf{&pathNEON, false}:
		kernel = peakFloat32NEON
	default:
		return nil, 0
	}
	return kernel, 16
}
