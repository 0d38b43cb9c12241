package kernel

// What the machine reaches, for benchmarks of whole fits.
var (
	PeakFloat64 = peakGigaflops[float64]
	PeakFloat32 = peakGigaflops[float32]
	Bandwidth   = func() float64 { return bandwidth() }
)
