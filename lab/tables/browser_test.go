package main

import (
	"testing"

	"coles/internal/testkit"
)

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
			testkit.WantSame(t, "what the page shows", testkit.InBrowser(t, page, script, "--window-size=500,900", c.flag), want+c.paper)
		})
	}
}
