//go:build race

package gnn

// raceSlowdown is how much longer things may take under the race detector,
// which costs a factor of 2 to 20 (go.dev/doc/articles/race_detector).
const raceSlowdown = 10
