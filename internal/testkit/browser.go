package testkit

import (
	"os/exec"
	"testing"
)

// Browser is the path of a Chromium. A test without one is skipped.
func Browser(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no chromium is installed to look at the page with")
	return ""
}
