//go:build !race

package race

const (
	// Enabled reports whether the race detector is on.
	Enabled = false
	// Slowdown is how much longer things may take.
	Slowdown = 1
)
