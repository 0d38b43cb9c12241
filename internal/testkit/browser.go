package testkit

import (
	"bytes"
	"context"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
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

// InBrowser opens a page in Chromium, which needs no screen, and returns what a script has put into the
// list found. The browser must not complain.
func InBrowser(t testing.TB, page, script string, flags ...string) string {
	t.Helper()
	path, folder := Browser(t), t.TempDir()
	file := filepath.Join(folder, "page.html")
	page += "<script>const found = [];" + script + `document.documentElement.dataset.found = found.join("\n");</script>`
	Check(t, os.WriteFile(file, []byte(page), 0o666))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	flags = append(flags, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+filepath.Join(folder, "profile"),
		"--enable-logging=stderr", "--dump-dom", "file://"+filepath.ToSlash(file))
	run := exec.CommandContext(ctx, path, flags...)
	var stderr bytes.Buffer
	run.Stderr = &stderr
	stdout, err := run.Output()
	if err != nil || strings.Contains(stderr.String(), "CONSOLE") {
		t.Fatalf("%s: %v\n%s", path, err, stderr.String())
	}
	answer := regexp.MustCompile(`data-found="([^"]*)"`).FindSubmatch(stdout)
	if answer == nil {
		t.Fatalf("the script found nothing: %.200s", stdout)
	}
	return html.UnescapeString(string(answer[1]))
}
