//go:build !amd64 || noasm

package kernel

// peakGigaflops is not known here.
func peakGigaflops[S Float]() float64 { return 0 }
