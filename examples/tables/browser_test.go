package main

import (
	"bytes"
	"coles/internal/testkit"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// shown is the document that a page has become in Chromium, which needs no screen, after a script
// of the test. The browser must not complain.
func shown(t *testing.T, page, script string, flags ...string) (dom string) {
	t.Helper()
	path := testkit.Browser(t)
	folder := t.TempDir()
	file := filepath.Join(folder, "page.html")
	page = strings.Replace(page, "</body>", "<script>"+script+"</script></body>", 1)
	if err := os.WriteFile(file, []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
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
	return string(stdout)
}

// methodOrder is the methods of the first table from the top.
func methodOrder(dom string) []string {
	body := dom[strings.Index(dom, "<tbody>"):strings.Index(dom, "</tbody>")]
	var order []string
	for _, m := range regexp.MustCompile(`<th scope="row">([^<]*)</th>`).FindAllStringSubmatch(body, -1) {
		order = append(order, m[1])
	}
	return order
}

func TestHeadingsSortInABrowser(t *testing.T) {
	const coles, sgc, raw = "COLES-S2GC", "SGC &lt;script&gt;", "Raw"
	page := written(t, "html", madeUp())
	for _, c := range []struct {
		name, script string
		want         []string
		sorted       string // aria-sort of name and figure
	}{
		{"as written", ``, []string{coles, sgc, raw}, "none none"},
		{"figures from the largest", `press(1)`, []string{raw, coles, sgc}, "none descending"},
		{"and back", `press(1); press(1)`, []string{sgc, coles, raw}, "none ascending"},
		{"names", `press(1); press(0)`, []string{coles, raw, sgc}, "ascending none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dom := shown(t, page, `
				const press = k => { const b = document.querySelectorAll("table button")[k]; b.focus(); if (document.activeElement === b) b.click(); };
				`+c.script)
			if got := methodOrder(dom); strings.Join(got, "|") != strings.Join(c.want, "|") {
				t.Errorf("rows %q, want %q", got, c.want)
			}
			states := regexp.MustCompile(`aria-sort="(\w+)"`).FindAllStringSubmatch(dom, 2)
			if got := states[0][1] + " " + states[1][1]; got != c.sorted {
				t.Errorf("aria-sort %q, want %q", got, c.sorted)
			}
		})
	}
}

// What the page draws is as wide as it should be, in either colour scheme, and the page is no wider
// than a small screen.
func TestPageFitsTheScreen(t *testing.T) {
	page := written(t, "html", madeUp())
	for scheme, flags := range map[string][]string{"light": nil, "dark": {"--force-dark-mode"}} {
		t.Run(scheme, func(t *testing.T) {
			dom := shown(t, page, `
				const chart = document.querySelector("figure svg").getBoundingClientRect();
				const root = document.documentElement;
				root.dataset.found = [chart.width > 200, root.scrollWidth <= root.clientWidth,
					getComputedStyle(root).getPropertyValue("--paper").trim()].join(" ");`,
				append(flags, "--window-size=500,900")...)
			want := map[string]string{"light": "true true #fdfdfb", "dark": "true true #15181c"}[scheme]
			if !strings.Contains(dom, `data-found="`+want+`"`) {
				t.Errorf("want %q in %q", want, dom[:min(200, len(dom))])
			}
		})
	}
}
