package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coles/dataset"
	"coles/examples/browser/view"
	"coles/internal/testkit"
)

// The test acts as a user does and sends what the page then shows. A gap is the longest time for
// which the page did nothing.
const driver = `"use strict";
(async () => {
	const find = selector => document.querySelector(selector);
	const until = async done => { while (!done()) await new Promise(next => setTimeout(next, 5)); };
	const click = selector => find(selector).click();
	const put = (name, file, text) => { // drops a file
		const dataTransfer = new DataTransfer();
		dataTransfer.items.add(new File([text], file));
		find("[name=" + name + "]").dispatchEvent(new DragEvent("drop", {dataTransfer, bubbles: true}));
	};
	const press = () => click("form > .buttons button");
	const archive = async path => { put("edges", "graph.npz", await (await fetch(path)).arrayBuffer()); };
	const status = () => find("#status").textContent;
	const scheme = async kind => { // and two frames later everybody has heard of it
		await fetch("/scheme/" + kind, {method: "POST"});
		for (let k = 0; k < 2; k++) await new Promise(requestAnimationFrame);
	};
	const saved = async (name, file) => { // by a press that counts as the user's: a page saves once without one
		find("#warning").textContent = await (await fetch("/saved/" + file + "/" + name, {method: "POST"})).text();
	};
	const dots = () => { // the colours of the map, and how much there is of each
		const pen = new OffscreenCanvas(find("canvas").width, find("canvas").height).getContext("2d", {willReadFrequently: true}), count = {};
		pen.drawImage(find("canvas"), 0, 0);
		const {data} = pen.getImageData(0, 0, pen.canvas.width, pen.canvas.height);
		for (let k = 0; k < data.length; k += 4)
			if (data[k + 3] === 255) { const rgb = "rgb(" + [...data.subarray(k, k + 3)].join(", ") + ")"; count[rgb] = (count[rgb] ?? 0) + 1; }
		return count;
	};
	const shown = async act => {
		const stages = [];
		const note = () => { if (stages.at(-1) !== status()) stages.push(status()); };
		const observer = new MutationObserver(note);
		observer.observe(find("#status"), {childList: true});
		const began = performance.now(); let gap = 0, last = began;
		const clock = setInterval(() => { const now = performance.now(); gap = Math.max(gap, now - last); last = now; }, 5);
		await act();
		await until(() => find("#error").textContent || /^(Done|Stopped)/.test(status()));
		clearInterval(clock);
		observer.disconnect();
		const canvas = find("canvas"), table = find("#map tbody"), shows = !find("main").hidden;
		if (shows) for (let k = 0; k < 2; k++) await new Promise(requestAnimationFrame);
		const points = shows ? [...map.panels[0].at].filter((_, k) => k % 2) : [0], pixels = shows ? dots() : {};
		if (shows && map.chosen < 0) { // the nodes nearest to the first one
			map.choose(0);
			await until(() => table.rows.length);
		}
		const rows = [...table.rows].map(r => [...r.cells].map(c => c.textContent).join(" "));
		if (shows) map.choose(-1);
		return {stages, gap, took: performance.now() - began, dots: pixels, legend: [...document.querySelectorAll(".legend span")].map(dot => getComputedStyle(dot).color),
			used: shows ? (Math.max(...points) - Math.min(...points)) / canvas.clientHeight : 0, name: find("#name").textContent, note: find("#note").textContent, error: find("#error").textContent, warning: find("#warning").textContent, graph: find("#graph").textContent, map: !find("main").hidden, method: find("#method").textContent,
			rows, advice: [...find("#advice").children].map(b => b.textContent), wide: document.documentElement.scrollWidth > innerWidth};
	};
	const found = {};
	for (const [name, act] of Object.entries(acts)) found[name] = await shown(() => act({click, put, press, archive, until, status, find, scheme, saved}));
	await fetch("/found", {method: "POST", body: JSON.stringify(found)});
})();`

// shown has the contents of the page after an act.
type shown struct {
	Stages, Rows   []string
	Advice         []string // its buttons
	Gap, Took      float64  // milliseconds
	Error, Warning string
	Graph, Method  string
	Map            bool
	Wide           bool // wider than the screen
	Name, Note     string
	Dots           map[string]int // pixels of the map by their colour
	Legend         []string       // colours
	Used           float64        // share of the map's height that nodes take
}

// compressed is the size of a file as a web server sends it.
func compressed(t *testing.T, path string) int {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(testkit.Must(os.ReadFile(path))); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return b.Len()
}

// hostile is acts with names that a page might take for its own, and a check of what it then shows: names
// as they are, whatever is in them. A browser would log what it is made to run or to fetch; the log
// must be empty.
func hostile() (acts string, check func(t *testing.T, all map[string]shown)) {
	names := []string{
		`<img src=x onerror="alert(1)">`, `x"><script>fetch("/evil")</script>`, `</td></table><h1>here`, `javascript:alert(1)`, `&lt;b&amp;`, "${alert(1)}",
		"__proto__", "constructor", "\u202egnp.exe\u2066", "bell\a\x1b[31m", "漢字 e\u0301", strings.Repeat("long", 5000),
	}
	file := names[0] + names[8] + ".tsv"
	var edges, labels strings.Builder
	for i, name := range names {
		fmt.Fprintf(&edges, "%s\t%s\n", name, names[(i+1)%len(names)])
		fmt.Fprintf(&labels, "%s\tclass %s\n", name, name)
	}
	quoted := func(text string) string { return string(testkit.Must(json.Marshal(text))) }
	acts = fmt.Sprintf(`
		"bad file": ({click, put, press}) => { click("[type=reset]"); put("edges", %s, "ann\tbob\t1\nbob\tcy\tx\n"); press(); },
		graph({put, press}) { put("edges", %[1]s, %s); put("labels", "labels.tsv", %s); press(); },`, quoted(file), quoted(edges.String()), quoted(labels.String()))
	for i, name := range names {
		acts += fmt.Sprintf(`"name %d": ({find}) => {
			const node = find("[name=node]"); node.value = %s; node.dispatchEvent(new Event("change"));
			find("#warning").textContent = find(".legend").textContent + document.querySelectorAll("script, img, h1").length; },`, i, quoted(name))
	}
	return acts, func(t *testing.T, all map[string]shown) {
		t.Helper()
		if got := all["bad file"]; !strings.Contains(got.Error, file+":2:") || got.Wide {
			t.Errorf("error %q does not name the file, or is wide: %v", got.Error, got.Wide)
		}
		for i, name := range names {
			got := all[fmt.Sprint("name ", i)]
			if got.Error != "" || !got.Map || got.Wide || len(got.Rows) != 4 { // within two steps on a ring
				t.Errorf("%.40q: %d rows, wide: %v, %s", name, len(got.Rows), got.Wide, got.Error)
			}
			testkit.WantText(t, got.Warning, "● class "+name) // the legend
			testkit.WantSame(t, "the file", got.Name, file)
			if !strings.HasSuffix(got.Warning, "4") { // the page's two scripts, the driver and the title
				t.Errorf("%.40q: elements that are not the page's", name)
			}
			for _, row := range got.Rows {
				if !slices.ContainsFunc(names, func(other string) bool { return other != name && strings.HasPrefix(row, other+" class "+other+" ") }) {
					t.Errorf("%.40q is near %.80q, which is no node", name, row)
				}
			}
		}
	}
}

func TestPage(t *testing.T) {
	folder := built(t)
	if size := compressed(t, filepath.Join(folder, "coles.wasm")); size > 6e6 {
		t.Errorf("coles.wasm has %d bytes compressed, more than 6 MB", size)
	} else {
		t.Logf("coles.wasm: %d bytes compressed", size)
	}
	acts, check := hostile()
	all := inBrowser(t, folder, `
		opened() {},
		dark({scheme}) { return scheme("dark"); },
		light({scheme}) { return scheme("light"); },
		predicted({click}) { click("[value=predictions]"); },
		"predictions saved": ({saved}) => saved("groups", "predictions.csv"),
		clusters({click}) { click("[value=clusters]"); },
		"three clusters": ({find}) => { const many = find("[name=clusters]"); many.value = 3; many.dispatchEvent(new Event("change", {bubbles: true})); },
		"too many": ({find}) => { const many = find("[name=clusters]"); many.value = 401; many.dispatchEvent(new Event("change", {bubbles: true})); },
		"vectors saved": ({saved}) => saved("vectors", "vectors.csv"),
		karate({click}) { click("[value=karate]"); },
		"a sample": ({click}) => { click("[value=communities]"); },
		files({put, press}) { put("edges", "friends.tsv", "ann bob 1082040961\nbob cy 1082040977\ncy dan 1100000000\n"); put("features", "likes.tsv", "ann 1 0\nbob 1 1\ncy 0 1\ndan 0 2\n"); press(); },
		"another node": async ({press, find, until, status}) => { press(); await until(() => /^Done/.test(status())); const name = find("[name=node]"); name.value = "dan"; name.dispatchEvent(new Event("change")); },
		"rows alone": ({find, put, press}) => { find("[type=reset]").click(); put("features", "people.csv", "id,age,town\nann,30,Oslo\nbob,31,Oslo\ncy,70,Rome\ndan,72,Rome\n"); press(); },
		"bad weight": ({put, press}) => { put("edges", "friends.tsv", "ann bob 1\nbob cy x\n"); press(); },
		async "stopped"({click, until, status}) { click("[value=communities]"); await until(() => /^Improving/.test(status())); click("[name=stop]"); },
		"karate again": ({click}) => { click("[value=communities]"); click("[value=karate]"); },`+acts, nil)
	check(t, all)
	checkSample(t, all)

	for _, c := range []struct {
		act, graph, method string
		rows               int
	}{
		{"karate", "34 nodes, 78 edges, no features", "t-SNE", 10},
		{"a sample", "400 nodes", "t-SNE", 10},
		{"files", "4 nodes, 3 edges, 2 features", "t-SNE", 3},
		{"rows alone", "4 nodes, 2 edges, 3 features", "t-SNE", 3},
		{"karate again", "34 nodes, 78 edges, no features", "t-SNE", 10},
	} {
		got := all[c.act]
		t.Logf("%s: %s, longest gap %.0f ms, %q", c.act, got.Method, got.Gap, got.Stages)
		if got.Error != "" || !got.Map || !strings.HasPrefix(got.Graph, c.graph) || !strings.HasPrefix(got.Method, c.method) || len(got.Rows) != c.rows || got.Wide {
			t.Errorf("%s: %+v", c.act, got)
		}
	}
	testkit.WantText(t, all["files"].Warning, "times") // which weights look like
	testkit.WantText(t, all["rows alone"].Warning, "joined to the 1 nearest")
	if got := all["another node"]; len(got.Rows) != 3 || !strings.HasPrefix(got.Rows[0], "cy ") {
		t.Errorf("nodes nearest to dan: %+v", got)
	}
	if got := all["bad weight"]; !strings.Contains(got.Error, `friends.tsv:2:8: `) || got.Map {
		t.Errorf("a bad weight: %+v", got)
	}
	if got := all["stopped"]; got.Map || got.Stages[len(got.Stages)-1] != "Stopped." {
		t.Errorf("stopped: %+v", got)
	}
	for _, stage := range []string{"Reading …", "Preparing …", "Solving …", "Improving the map by t-SNE …"} {
		if !slices.Contains(all["a sample"].Stages, stage) {
			t.Errorf("no stage %q in %q", stage, all["a sample"].Stages)
		}
	}

	// The browser finds what this machine finds.
	d := dataset.KarateClub()
	var want []string
	var v view.View
	for _, r := range []view.Request{{Sample: "karate"}, {Node: 0}} {
		v.Answer(t.Context(), r, func(message any) {
			if m, ok := message.(view.Table); ok {
				for _, r := range m.Table {
					want = append(want, fmt.Sprintf("%d %s %.4f", r.Row, []string{"instructor", "administrator"}[d.Labels[r.Row]], r.Score))
				}
			}
		})
	}
	// Members whom a symmetry of the graph exchanges may come in either order: 17 and 21, and also 4
	// and 10, between whom the list ends.
	ordered := func(rows []string) []string {
		rows = slices.Clone(rows)
		for i, r := range rows {
			rows[i] = strings.Replace(r, "10 instructor", "4 instructor", 1)
		}
		return slices.Sorted(slices.Values(rows))
	}
	testkit.WantSame(t, "nodes nearest to node 0", ordered(all["karate"].Rows), ordered(want))
}

// The files of four real data sets open as they are, with at most the options that the page offers; the first lines show
// the columns.
func TestRealFilesOpen(t *testing.T) {
	files := map[string]string{}
	for name, path := range map[string]string{
		"routes.dat": "openflights/routes.dat", "airports.dat": "openflights/airports.dat", "thrones.csv": "thrones/edges.csv",
		"lastfm.txt": "lastfm/edges.txt", "target.csv": "lastfm/target.csv", "flights.txt": "usa_flights/edges.txt", "labels.txt": "usa_flights/labels.txt",
	} {
		files[name] = testkit.Shared(t, "data", "real", path)
	}
	const open = `const read = async name => (await fetch(name)).arrayBuffer(), set = async (parts) => {
		click("[type=reset]");
		for (const [part, name] of Object.entries(parts)) put(part, name, await read(name));
	};
	const offered = async text => { await until(() => [...find("#advice").children].some(b => b.textContent.startsWith(text))); [...find("#advice").children].find(b => b.textContent.startsWith(text)).click(); };`
	all := inBrowser(t, built(t), `opened() {},
		async thrones({click, put, press, find, until}) { `+open+` await set({edges: "thrones.csv"}); press(); },
		async lastfm({click, put, press, find, until}) { `+open+` await set({edges: "lastfm.txt", labels: "target.csv"}); press(); },
		async flights({click, put, press, find, until}) { `+open+` await set({edges: "flights.txt", labels: "labels.txt"}); press(); },
		async routes({click, put, press, find, until}) { `+open+` await set({edges: "routes.dat", features: "airports.dat"}); press(); await offered("Lines that name no node"); },
		async columns({click, put, press, find, until}) { `+open+` await set({edges: "routes.dat"}); await until(() => !find("#preview").hidden);
			find("details").open = true; const heads = document.querySelectorAll("#preview th button"); heads[2].click(); heads[4].click(); press(); await offered("Lines that name no node");
			await until(() => /^Done/.test(find("#status").textContent)); find("#note").textContent = [...find("#preview").rows].slice(0, 2).map(r => [...r.cells].map(c => c.textContent).join(" ")).join("|"); },`, files)
	testkit.WantSame(t, "the first lines", all["columns"].Note, "1  2  3 from 4  5 to 6  7  8  9 |2B 410 AER 2965 KZN 2990  0 CR2")
	for name, want := range map[string]string{
		"thrones": "796 nodes, 2823 edges, no features", "lastfm": "7624 nodes, 27806 edges, no features",
		"flights": "1190 nodes, 13599 edges, no features", "routes": "3214 nodes, 18858 edges, 943 features", "columns": "3423 nodes, ",
	} {
		got := all[name]
		t.Logf("%s: %s, %q, %q, %v", name, got.Graph, got.Error, got.Warning, got.Advice)
		if got.Error != "" || !got.Map || !strings.HasPrefix(got.Graph, want) || len(got.Rows) == 0 || len(got.Rows) != 10 && !strings.Contains(got.Graph, "no features") || got.Wide { // by neighbours there may be fewer
			t.Errorf("%s: %s, map %v, %d rows, wide %v", name, got.Graph, got.Map, len(got.Rows), got.Wide)
		}
	}
}

// A graph that computes for seconds leaves the page free.
func TestCoraLeavesThePageFree(t *testing.T) {
	cora := testkit.Shared(t, "data", "npz", "cora.npz")
	got := inBrowser(t, built(t), `opened() {}, async cora({archive, press}) { await archive("cora.npz"); press(); }`, map[string]string{"cora.npz": cora})["cora"]
	t.Logf("%s, longest gap %.0f of %.0f ms", got.Method, got.Gap, got.Took)
	if got.Error != "" || !strings.HasPrefix(got.Graph, "2708 nodes, 5278 edges, 1433 features") || len(got.Rows) != 10 {
		t.Errorf("%+v", got)
	}
	if got.Gap > got.Took/2 { // a page that computed itself would do nothing else
		t.Errorf("the page did nothing for %.0f of %.0f ms", got.Gap, got.Took)
	}
}

// coloured checks that the map has every colour of the legend, at least a dot of each, and no fewer.
func coloured(t *testing.T, all map[string]shown, act string, groups int) {
	t.Helper()
	got := all[act]
	for _, colour := range got.Legend {
		if got.Dots[colour] < 20 {
			t.Errorf("%s: %d pixels of %s", act, got.Dots[colour], colour)
		}
	}
	if got.Error != "" || len(got.Legend) != groups || got.Used < .8 {
		t.Errorf("%s: legend %v, error %q, the map uses %.0f %% of its height", act, got.Legend, got.Error, 100*got.Used)
	}
}

// checkSample looks at the sample that the page opens with, in all colours, and at what is downloaded.
func checkSample(t *testing.T, all map[string]shown) {
	t.Helper()
	coloured(t, all, "opened", 6) // five classes, and the nodes without a label
	coloured(t, all, "dark", 6)
	coloured(t, all, "light", 6)
	coloured(t, all, "predicted", 5)
	coloured(t, all, "clusters", 2) // as "coles cluster" counts them
	coloured(t, all, "three clusters", 3)
	testkit.WantSame(t, "the name", all["opened"].Name, "A sample of 400 nodes")
	if slices.Equal(all["dark"].Legend, all["light"].Legend) || !maps.Equal(all["opened"].Dots, all["light"].Dots) {
		t.Errorf("the legend is %v in the dark, %v in the light, and the map opened the same: %v",
			all["dark"].Legend, all["light"].Legend, maps.Equal(all["opened"].Dots, all["light"].Dots))
	}
	testkit.WantText(t, all["predicted"].Note, "267 labels, and predictions for 133 nodes") // ⌊(400−2)/3⌋+1 of them
	testkit.WantText(t, all["clusters"].Note, "2 clusters, mean silhouette 0.")
	if got := all["too many"]; got.Error == "" || !got.Map || len(got.Legend) != 6 {
		t.Errorf("401 clusters of 400 nodes: %+v", got)
	}

	// The same as on this machine.
	var v view.View
	want := map[string]string{}
	for _, r := range []view.Request{{Sample: "communities"}, {Want: "vectors"}, {Want: "predictions"}} {
		v.Answer(t.Context(), r, func(message any) {
			switch m := message.(type) {
			case view.Download:
				want["vectors saved"] = m.Text
			case view.Groups:
				want["predictions saved"] = m.CSV.Text
			}
		})
	}
	for act, lines := range map[string]int{"vectors saved": 401, "predictions saved": 134} { // with a header
		got := all[act].Warning
		if strings.Count(got, "\n") != lines || strings.Count(want[act], "\n") != lines {
			t.Errorf("%s: %d lines, want %d: %.100q", act, strings.Count(got, "\n"), lines, got)
		}
		for k, line := range strings.Split(got, "\n") {
			fields, wanted := strings.Split(line, ","), strings.Split(strings.Split(want[act], "\n")[k], ",")
			if len(fields) != len(wanted) || fields[0] != wanted[0] {
				t.Fatalf("%s: line %q, want %q", act, line, wanted)
			}
		}
	}
}
