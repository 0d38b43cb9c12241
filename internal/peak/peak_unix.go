//go:build unix

package peak

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

func ofProcess() int64 {
	usage := used()
	return largest(&usage)
}

// Of is the largest resident memory that a process which has ended had, or its parent when it began.
// It is 0 where it is not known.
func Of(ended *os.ProcessState) int64 {
	usage, _ := ended.SysUsage().(*syscall.Rusage)
	return largest(usage)
}

func largest(usage *syscall.Rusage) int64 {
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(usage.Maxrss) // bytes there, kilobytes elsewhere
	}
	return int64(usage.Maxrss) << 10
}

// Fresh is how many bytes the process has touched first: a page for each fault that took no reading.
func Fresh() int64 { return int64(used().Minflt) * int64(os.Getpagesize()) }

// Time is the time that all threads of the process have worked, in total.
func Time() time.Duration {
	u := used()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// used is zero if the system does not report it.
func used() (usage syscall.Rusage) {
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return syscall.Rusage{}
	}
	return usage
}
