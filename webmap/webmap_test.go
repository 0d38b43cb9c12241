package webmap_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"coles"
	"coles/internal/testkit"
	"coles/near"
	"coles/webmap"

	"gonum.org/v1/gonum/mat"
)

// small is a map of four nodes on the corners of a rectangle.
func small() webmap.Map {
	return webmap.Map{
		Title: "a <b> & c", Note: "four nodes", IDs: []string{"Zoë-Ann", "bob", "</script><script>alert(1)</script>", "d\u2028e"},
		Panels: []webmap.Panel{{Title: "one", Places: mat.NewDense(4, 2, []float64{0, 0, 4, 0, 4, 2, 0, 2})}, {Title: "two", Places: mat.NewDense(4, 2, nil)}},
		Groups: []int{0, 1, 1, -1}, Names: []string{"red", "blue"}, Noun: "team",
		Near:  [][]near.Match{{{Row: 1, Score: .5}, {Row: 3, Score: -.25}}, {{Row: 0, Score: .5}}, nil, nil},
		Edges: [][2]int{{0, 1}, {1, 2}}, First: []int{1, 0, 2, 3},
	}
}

func written(t *testing.T, m webmap.Map) string {
	t.Helper()
	var b bytes.Buffer
	testkit.Check(t, m.Write(&b))
	return b.String()
}

func TestPageHoldsTheMap(t *testing.T) {
	page := written(t, small())
	found := regexp.MustCompile(`(?m)^const data = (.*);$`).FindStringSubmatch(page)
	if found == nil {
		t.Fatal("there are no data")
	}
	var data struct {
		IDs    []string
		Panels []struct {
			Title  string
			Places []int
		}
		Near         [][]int
		Edges, First []int
	}
	testkit.Check(t, json.Unmarshal([]byte(found[1]), &data))
	m := small()
	testkit.WantSame(t, "ids", fmt.Sprint(data.IDs), fmt.Sprint(m.IDs))
	testkit.WantSame(t, "places", fmt.Sprint(data.Panels[0].Places), "[0 0 32768 0 32768 16384 0 16384]") // the longer side is 2¹⁵
	testkit.WantSame(t, "equal places", fmt.Sprint(data.Panels[1].Places), "[0 0 0 0 0 0 0 0]")
	testkit.WantSame(t, "near", fmt.Sprint(data.Near), "[[1 5000 3 -2500] [0 5000] [] []]")
	testkit.WantSame(t, "edges", fmt.Sprint(data.Edges), "[0 1 1 2]")
	testkit.WantText(t, page, "<title>a &lt;b&gt; &amp; c</title>")
	if n := strings.Count(page, "<script"); n != 1 {
		t.Errorf("%d scripts", n)
	}
}

func TestRefusedMaps(t *testing.T) {
	for name, c := range map[string]struct {
		change func(m *webmap.Map)
		want   error
	}{
		"no nodes":        {func(m *webmap.Map) { m.IDs = nil }, coles.ErrShape},
		"no panel":        {func(m *webmap.Map) { m.Panels = nil }, coles.ErrShape},
		"groups":          {func(m *webmap.Map) { m.Groups = m.Groups[:3] }, coles.ErrShape},
		"near":            {func(m *webmap.Map) { m.Near = m.Near[:1] }, coles.ErrShape},
		"three columns":   {func(m *webmap.Map) { m.Panels[0].Places = mat.NewDense(4, 3, nil) }, coles.ErrShape},
		"a row too few":   {func(m *webmap.Map) { m.Panels[1].Places = mat.NewDense(3, 2, nil) }, coles.ErrShape},
		"no such name":    {func(m *webmap.Map) { m.Names = m.Names[:1] }, coles.ErrIndex},
		"no such end":     {func(m *webmap.Map) { m.Edges[1][1] = 4 }, coles.ErrIndex},
		"no such node":    {func(m *webmap.Map) { m.Near[1][0].Row = -1 }, coles.ErrIndex},
		"no such first":   {func(m *webmap.Map) { m.First[0] = 9 }, coles.ErrIndex},
		"a place nowhere": {func(m *webmap.Map) { m.Panels[0].Places.(*mat.Dense).Set(2, 1, math.NaN()) }, coles.ErrNotFinite},
	} {
		t.Run(name, func(t *testing.T) {
			m := small()
			c.change(&m)
			testkit.WantError(t, m.Write(io.Discard), c.want)
		})
	}
}

// Twenty thousand nodes with names of twelve letters and ten nearest take at most 4 MB, as the documentation counts.
func TestSizeOfAPage(t *testing.T) {
	const n, each = 20_000, 10
	m := webmap.Map{IDs: make([]string, n), Panels: []webmap.Panel{{Places: testkit.RandomDense(testkit.Random(1), n, 2)}, {Places: testkit.RandomDense(testkit.Random(2), n, 2)}}, Groups: make([]int, n)}
	for i := range n {
		m.IDs[i], m.Groups[i] = fmt.Sprintf("node %07d", i), i%20
		matches := make([]near.Match, each)
		for k := range matches {
			matches[k] = near.Match{Row: (i + 977*k) % n, Score: 1 / float64(k+1)}
		}
		m.Near, m.First = append(m.Near, matches), append(m.First, n-1-i)
	}
	if size := len(written(t, m)); size > 4e6 {
		t.Errorf("%d bytes", size)
	} else {
		t.Logf("%d bytes", size)
	}
}

// A node is found by a part of its name, shown under the pointer, and chosen by a press; a class goes and comes.
func TestMapInABrowser(t *testing.T) {
	testkit.Long(t)
	const script = `
		const q = s => document.querySelector(s), canvas = q("canvas"), p = map.panels[0];
		p.at.fill(-100);
		for (const one of map.panels) map.drawPanel(one);
		const pointer = (kind, node, dx = 0) => canvas.dispatchEvent(Object.defineProperties(new PointerEvent(kind, {pointerId: 1}), {offsetX: {value: p.at[2 * node] + dx}, offsetY: {value: p.at[2 * node + 1]}}));
		canvas.setPointerCapture = () => {};
		found.push(q(".legend").textContent);
		pointer("pointermove", 1); found.push(q(".tip").textContent);
		pointer("pointerdown", 0); pointer("pointerup", 0); found.push(q("table").innerText.replace(/\s+/g, " ").trim());
		found.push(map.match("zoe ann").join(), map.match("ZOË").join(), map.match("o").join(), map.match("nobody").join());
		q("input").value = "BO"; q("input").dispatchEvent(new Event("input")); found.push(q(".hits").textContent);
		q("input").dispatchEvent(new Event("change")); found.push(map.chosen);
		document.querySelectorAll(".legend button")[1].click(); found.push(map.closest(p, p.at[2], p.at[3]));
		document.querySelectorAll(".legend button")[1].click(); found.push(map.closest(p, p.at[2], p.at[3]));
		q("[name=whole]").click();
		const before = map.pixels(p);
		canvas.dispatchEvent(Object.assign(new WheelEvent("wheel", {deltaY: -500, cancelable: true}))); found.push(Math.round(map.pixels(p) / before * 100));
		canvas.dispatchEvent(new KeyboardEvent("keydown", {key: "-", cancelable: true})); found.push(Math.round(map.pixels(p) / before * 100));
		found.push(document.documentElement.scrollWidth <= innerWidth, document.querySelectorAll("script").length, getComputedStyle(document.documentElement).getPropertyValue("--paper"));`
	// e and .8e of the first scale; two scripts are the page's and the test's.
	const want = "● red (1)● blue (2)● no team (1)\nbob · blue\nNearest to Zoë-Ann bob blue 0.5000 d\u2028e -0.2500\n0\n0\n1,0\n\nbob\n1\n-1\n1\n272\n217\ntrue\n2\n"
	page := written(t, small())
	for _, c := range []struct{ scheme, paper, flag string }{{"light", "#fff", "--window-size=500,900"}, {"dark", "#14171a", "--force-dark-mode"}} {
		got := testkit.InBrowser(t, page, script, "--window-size=500,900", c.flag)
		testkit.WantSame(t, c.scheme, strings.ReplaceAll(got, "d e", "d\u2028e"), want+c.paper)
	}
}
