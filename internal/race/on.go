//go:build race

package race

const (
	// Enabled reports whether the race detector is on.
	Enabled = true
	// Slowdown is how much longer things may take.
	Slowdown = 10
)
