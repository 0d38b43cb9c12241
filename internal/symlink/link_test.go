package symlink

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTarget(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, to := range map[string]string{"one": "two", "two": at("three"), "round": "round"} {
		if err := os.Symlink(to, at(name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	for name, want := range map[string]string{"one": "three", "three": "three", "round": "round"} {
		if got := Target(at(name)); got != at(want) {
			t.Errorf("%s leads to %s, want %s", name, got, want)
		}
	}
}
