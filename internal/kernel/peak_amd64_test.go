//go:build !noasm

package kernel

import (
	"runtime"
	"sync"
	"time"
)

// peakGigaflops is what all processors do together with fused multiplications
// in registers on the path in use, measured once for each; zero where there is
// no such kernel.
func peakGigaflops() float64 {
	peaks.Lock()
	defer peaks.Unlock()
	if peak, ok := peaks.of[active]; ok {
		return peak
	}
	var kernel func(n int)
	switch active {
	case &pathAVX512:
		kernel = peakAVX512
	case &pathAVX2:
		kernel = peakAVX2
	default:
		return 0
	}
	const n, sums = 1_000_000, 12
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
	peaks.of[active] = 2 * n * sums * float64(active.double.lanes*runtime.GOMAXPROCS(0)) / best.Seconds() / 1e9
	return peaks.of[active]
}

var peaks = struct {
	sync.Mutex
	of map[*path]float64
}{of: map[*path]float64{}}
