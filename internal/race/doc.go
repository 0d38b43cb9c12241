// Package race reports to tests whether the race detector is on, which costs a factor of 2 to 20 in time
// (go.dev/doc/articles/race_detector) and some memory.
package race
