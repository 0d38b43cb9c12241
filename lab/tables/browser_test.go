package main

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

	"coles/internal/testkit"
)

// inBrowser opens a page in Chromium, which needs no screen, and returns what a script of the test has
// put into the list found. The browser must not complain.
func inBrowser(t *testing.T, page, script string, flags ...string) string {
	t.Helper()
	path := testkit.Browser(t)
	folder := t.TempDir()
	file := filepath.Join(folder, "page.html")
	script = "<script>const found = [];" + script + `document.documentElement.dataset.found = found.join("\n");</script>`
	page = strings.Replace(page, "</body>", script+"</body>", 1)
	testkit.Check(t, os.WriteFile(file, []byte(page), 0o666))
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
	found := regexp.MustCompile(`data-found="([^"]*)"`).FindSubmatch(stdout)
	if found == nil {
		t.Fatalf("the script found nothing: %.200s", stdout)
	}
	return html.UnescapeString(string(found[1]))
}

// Headings sort the first table. A plot is as wide as it should be, the page no wider than a small
// screen, and its paper has the colour of the scheme.
func TestPageInABrowser(t *testing.T) {
	testkit.Long(t)
	const script = `
		const sorted = what => found.push([what, ...document.querySelectorAll("tbody")[0].rows].map(r => r.cells ? r.cells[0].textContent : r)
			.concat([...document.querySelectorAll("table")[0].querySelectorAll("[aria-sort]")].map(h => h.ariaSort)).join(", "));
		const press = k => { const b = document.querySelectorAll("table button")[k]; b.focus(); if (document.activeElement === b) b.click(); };
		sorted("as written");
		press(1); sorted("figures from the largest");
		press(1); sorted("and back");
		press(0); sorted("names");
		const plot = document.querySelector(".charts img").getBoundingClientRect(), root = document.documentElement;
		found.push([plot.width > 200, root.scrollWidth <= root.clientWidth, getComputedStyle(root).getPropertyValue("--paper").trim()].join(" "));`
	const want = `as written, COLES-S2GC, SGC <script>, Raw, none, none
figures from the largest, Raw, COLES-S2GC, SGC <script>, none, descending
and back, SGC <script>, COLES-S2GC, Raw, none, ascending
names, COLES-S2GC, Raw, SGC <script>, ascending, none
true true `
	page := written(t, "html", madeUp())
	for _, c := range []struct{ scheme, paper, flag string }{{"light", "#fdfdfb", "--window-size=500,900"}, {"dark", "#15181c", "--force-dark-mode"}} {
		t.Run(c.scheme, func(t *testing.T) {
			testkit.WantSame(t, "what the page shows", inBrowser(t, page, script, "--window-size=500,900", c.flag), want+c.paper)
		})
	}
}
