//go:build race

package coles_test

// raceSlowdown is how much longer things may take under the race detector,
// which costs a factor of 2 to 20 (go.dev/doc/articles/race_detector).
const (
	raceEnabled  = true
	raceSlowdown = 10
)
