//go:build !noasm

package kernel

// peakKernel is the kernel of a path that does that many fused multiplications of vectors at a time.
func peakKernel(key peakOf) (kernel func(n int), sums int) {
	switch key {
	case peakOf{&pathAVX512, true}:
		kernel = peakFloat64AVX512
	case peakOf{&pathAVX512, false}:
		kernel = peakFloat32AVX512
	case peakOf{&pathAVX2, true}:
		kernel = peakFloat64AVX2
	case peakOf{&pathAVX2, false}:
		kernel = peakFloat32AVX2
	default:
		return nil, 0
	}
	return kernel, 12
}
