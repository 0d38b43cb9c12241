//go:build !unix

package testkit

import "time"

var start = time.Now()

// processorTime is the time on the clock, where the system tells no other.
func processorTime() time.Duration { return time.Since(start) }
