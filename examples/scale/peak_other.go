//go:build !linux

package main

import "runtime"

func forgetPeak() peak { return peakOfHeap }

// peakBytes is the memory that the Go runtime holds and has not given back.
func peakBytes() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys - m.HeapReleased)
}
