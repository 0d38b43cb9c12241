package main

import (
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// bytesOf is a size such as 8GB in bytes.
func bytesOf(text string) (bytes int64, ok bool) {
	for unit, size := range map[string]float64{"MB": 1e6, "GB": 1e9, "TB": 1e12} {
		if number, found := strings.CutSuffix(strings.ToUpper(text), unit); found {
			v, err := strconv.ParseFloat(number, 64)
			return int64(v * size), err == nil && v > 0 && v*size < 1e18
		}
	}
	return 0, false
}

// left is what remains of the memory besides what was read.
func (e *embedder) left() int64 {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return max(0, e.memory-int64(m.HeapAlloc))
}
