// Package peak reads the memory of a process, and the time that it has worked:
//
//	reset := peak.Reset() // false where the system does not let a process forget its peak
//	…
//	bytes := peak.Bytes() // since Reset, or since the process began; 0 where it is not known
//	fresh := peak.Fresh() // touched first since the process began; 0 where it is not known
//	worked := peak.Time() // of all threads; the time on the clock where it is not known
package peak

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
)

// Reset gives unused memory back to the system and has the kernel forget the peak so far. It
// reports whether the kernel did, which only Linux does.
func Reset() bool {
	debug.FreeOSMemory()
	return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil
}

// Bytes is the largest resident memory of the process since [Reset] succeeded, or else since the
// process began. On systems that are no Unix it is the memory taken by the Go runtime.
func Bytes() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return ofProcess()
	}
	for line := range bytes.Lines(status) {
		var kilobytes int64
		if _, err := fmt.Sscanf(string(line), "VmHWM: %d kB", &kilobytes); err == nil {
			return kilobytes << 10
		}
	}
	return ofProcess()
}
