//go:build !unix

package peak

import (
	"os"
	"runtime"
	"time"
)

var start = time.Now()

// ofProcess is near the peak, since the runtime is slow to give address space back.
func ofProcess() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys)
}

// Fresh is how many bytes the process has touched first, which is not known here.
func Fresh() int64 { return 0 }

// Time is the time on the clock since the process began.
func Time() time.Duration { return time.Since(start) }

// Of is the largest resident memory of a process that has ended, which is not known here.
func Of(*os.ProcessState) int64 { return 0 }
