package kernel

import (
	"runtime"
	"sync"
	"time"
)

// peakGigaflops is the speed of all processors together at fused multiplications in registers, on the
// path in use, measured once for each; zero where there is no such kernel.
func peakGigaflops[S Float]() float64 {
	peaks.Lock()
	defer peaks.Unlock()
	key := peakOf{active, isDouble[S]()}
	if peak, ok := peaks.of[key]; ok {
		return peak
	}
	kernel, sums := peakKernel(key)
	if kernel == nil {
		return 0
	}
	const n = 1_000_000
	best := time.Hour
	for range 5 {
		start := time.Now()
		var wg sync.WaitGroup
		for range runtime.GOMAXPROCS(0) {
			wg.Add(1)
			go func() {
				defer wg.Done()
				kernel(n)
			}()
		}
		wg.Wait()
		best = min(best, time.Since(start))
	}
	peak := 2 * n * float64(sums*shapeOf[S](active).lanes*runtime.GOMAXPROCS(0)) / best.Seconds() / 1e9
	peaks.of[key] = peak
	return peak
}

type peakOf struct {
	path   *path
	double bool
}

var peaks = struct {
	sync.Mutex
	of map[peakOf]float64
}{of: map[peakOf]float64{}}
