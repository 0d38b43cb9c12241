//go:build !unix

package main

import "runtime"

// peakBytes is the memory the Go runtime has taken from the system; it gives
// address space back only reluctantly, so this is near the peak.
func peakBytes() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys)
}
