package peak

import (
	"runtime"
	"runtime/debug"
	"testing"

	"coles/internal/race"
)

// ballast is memory that is touched, and therefore resident.
func ballast(megabytes int) []byte {
	b := make([]byte, megabytes<<20)
	for i := range b {
		b[i] = 1
	}
	return b
}

// Some of the ballast may be memory that the process had, and some of what was freed may not be
// given back yet, so that half of it decides.
func TestPeakIsThatSinceReset(t *testing.T) {
	before := ballast(128)
	high := Bytes()
	if high < 128<<20 {
		t.Fatalf("the peak with 128 MB is %d", high)
	}
	runtime.KeepAlive(before)
	debug.FreeOSMemory()
	if !Reset() {
		t.Skip("this system does not forget the peak")
	}
	start := Bytes()
	if start > high-64<<20 {
		t.Errorf("128 MB less moved the peak from %d to %d", high, start)
	}
	during := ballast(64)
	runtime.KeepAlive(during)
	debug.FreeOSMemory()
	if grown := Bytes() - start; grown < 32<<20 || grown > 96<<20 {
		t.Errorf("64 MB more moved the peak by %d", grown)
	}
}

// Pages that the runtime has at hand may serve a part of the ballast.
func TestFreshIsWhatWasTouchedFirst(t *testing.T) {
	debug.FreeOSMemory()
	before := Fresh()
	if before == 0 || race.Enabled { // whose notes are fresh memory too
		t.Skip("this system does not tell what is the program's")
	}
	b := ballast(64)
	fresh := Fresh() - before
	if fresh < 32<<20 || fresh > 96<<20 {
		t.Errorf("64 MB were %d bytes of fresh memory", fresh)
	}
	for i := range b {
		b[i] = 2
	}
	if again := Fresh() - before - fresh; again > 8<<20 {
		t.Errorf("touched again, they were %d", again)
	}
	runtime.KeepAlive(b)
}
