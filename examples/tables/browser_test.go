package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// browser is Chromium, which shows pages without a screen too.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no chromium is installed to look at the page with")
	return ""
}

// shown is the document that a page has become in the browser after a script of the
// test's own, and what the browser complained about.
func shown(t *testing.T, page, script string, flags ...string) (dom, complaints string) {
	t.Helper()
	path := browser(t)
	folder := t.TempDir()
	file := filepath.Join(folder, "page.html")
	page = strings.Replace(page, "</body>", "<script>"+script+"</script></body>", 1)
	if err := os.WriteFile(file, []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	flags = append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + filepath.Join(folder, "profile"),
		"--enable-logging=stderr", "--dump-dom",
	}, flags...)
	run := exec.CommandContext(ctx, path, append(flags, "file://"+filepath.ToSlash(file))...)
	var stdout, stderr bytes.Buffer
	run.Stdout, run.Stderr = &stdout, &stderr
	if err := run.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", path, err, stderr.String())
	}
	return stdout.String(), strings.Join(regexp.MustCompile(`.*CONSOLE.*`).FindAllString(stderr.String(), -1), "\n")
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
			dom, complaints := shown(t, page, `
				const press = k => { const b = document.querySelectorAll("table button")[k]; b.focus(); if (document.activeElement === b) b.click(); };
				`+c.script)
			if got := methodOrder(dom); strings.Join(got, "|") != strings.Join(c.want, "|") {
				t.Errorf("rows %q, want %q", got, c.want)
			}
			states := regexp.MustCompile(`aria-sort="(\w+)"`).FindAllStringSubmatch(dom, 2)
			if got := states[0][1] + " " + states[1][1]; got != c.sorted {
				t.Errorf("aria-sort %q, want %q", got, c.sorted)
			}
			if complaints != "" {
				t.Errorf("the browser complains:\n%s", complaints)
			}
		})
	}
}

// What the page draws is as wide as it should be, in either colour scheme, and
// the page is no wider than a small screen.
func TestPageFitsTheScreen(t *testing.T) {
	page := written(t, "html", madeUp())
	for scheme, flags := range map[string][]string{"light": nil, "dark": {"--force-dark-mode"}} {
		t.Run(scheme, func(t *testing.T) {
			dom, complaints := shown(t, page, `
				const chart = document.querySelector("figure svg").getBoundingClientRect();
				const root = document.documentElement;
				root.dataset.found = [chart.width > 200, root.scrollWidth <= root.clientWidth,
					getComputedStyle(root).getPropertyValue("--paper").trim()].join(" ");`,
				append(flags, "--window-size=500,900")...)
			want := map[string]string{"light": "true true #fdfdfb", "dark": "true true #15181c"}[scheme]
			if !strings.Contains(dom, `data-found="`+want+`"`) {
				t.Errorf("want %q in %q", want, dom[:min(200, len(dom))])
			}
			if complaints != "" {
				t.Errorf("the browser complains:\n%s", complaints)
			}
		})
	}
}
