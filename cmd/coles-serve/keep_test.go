package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/internal/testkit"
	"coles/live"
	"coles/task"

	"gonum.org/v1/gonum/mat"
)

const kim = `[{"id": "kim", "features": {"1": 0.5}, "edges": [{"to": "eve"}, {"to": "fay", "weight": 2}]}]`

// keeping starts a service that keeps in a folder.
func keeping(t *testing.T, from source, dir string) *service {
	t.Helper()
	s := start(t, from)
	s.ctx = t.Context()
	testkit.Check(t, s.keep(t.Context(), dir, s.now.Load()))
	t.Cleanup(func() { s.kept.journal.file.Close() })
	return s
}

// A node that is told is in the answers at once, by its edges to the nodes of the fit, and after a start.
func TestWhatIsToldIsKept(t *testing.T) {
	from, g, x, m := circle(t)
	dir := filepath.Join(t.TempDir(), "kept")
	s := keeping(t, from, dir)
	testkit.WantSame(t, "number of nodes", ask(t, s, "POST", "/nodes", kim, 200).Nodes, 7)
	eve, _ := g.Row("eve")
	fay, _ := g.Row("fay")
	y := testkit.Must(testkit.Must(live.Freeze(t.Context(), m, g, x)).Embed(t.Context(), mat.NewDense(1, 3, []float64{0, 0.5, 0}), []coles.Edge{{U: 6, V: eve}, {U: 6, V: fay}}, []float64{1, 2}))
	want := byCosine(m.Embedding(), g.IDs(), y.RawRowView(0), "")
	for range 2 {
		got := ask(t, s, "GET", "/similar?id=kim&k=6", "", 200).Nearest
		if len(got) != 6 {
			t.Fatalf("nearest %v", got)
		}
		for i, m := range got {
			if m.ID != want[i].ID || max(m.Score-want[i].Score, want[i].Score-m.Score) > 1e-6 { // hops are float32
				t.Errorf("nearest %v, want %v", got, want)
			}
		}
		if near := ask(t, s, "GET", "/similar?id="+got[0].ID+"&k=6", "", 200).Nearest; !slices.ContainsFunc(near, func(m match) bool { return m.ID == "kim" }) {
			t.Errorf("near %s is no kim: %v", got[0].ID, near)
		}
		s = keeping(t, from, dir) // the journal is read again
	}
	ask(t, s, "POST", "/nodes", kim, 409)
	ask(t, s, "POST", "/nodes", `[{"id": "lea", "edges": [{"to": "kim"}, {"to": "ann"}]}, {"id": "max", "edges": [{"to": "nobody"}]}]`, 404)
	ask(t, s, "GET", "/similar?id=lea", "", 404) // all or nothing
	for _, l := range ask(t, s, "GET", "/links?id=kim&k=3", "", 200).Links {
		if l.ID == "eve" || l.ID == "fay" || l.ID == "dan" && !slices.Equal(l.Common, []string{"eve", "fay"}) {
			t.Errorf("link %v", l)
		}
	}
	testkit.WantSame(t, "number of nodes without ann", ask(t, s, "DELETE", "/nodes", `["ann"]`, 200).Nodes, 6)
	ask(t, s, "GET", "/similar?id=ann", "", 404)
	for _, m := range ask(t, s, "GET", "/similar?id=kim&k=9", "", 200).Nearest {
		if m.ID == "ann" {
			t.Error("ann is near, and gone")
		}
	}
	ask(t, s, "DELETE", "/edges", `[{"from": "kim", "to": "eve"}]`, 200)
	s = keeping(t, from, dir)
	testkit.WantSame(t, "ends of kim", s.kept.newcomers.all[0].ends, map[string]float64{"fay": 2})
}

// A fit has all that was told, what was told while it ran, and goes on from there after a start.
func TestFitsHaveWhatIsTold(t *testing.T) {
	from, _, _, _ := circle(t)
	dir := t.TempDir()
	s := keeping(t, from, dir)
	ask(t, s, "POST", "/nodes", kim, 200)
	ask(t, s, "POST", "/edges", `[{"from": "ann", "to": "dan", "weight": 3}, {"from": "cy", "to": "dan", "weight": 0}]`, 200)
	ask(t, s, "PUT", "/features", `{"ann": {"2": 1.5}}`, 200)
	ask(t, s, "DELETE", "/nodes", `["bob"]`, 200)
	ask(t, s, "POST", "/reload", "", 200)
	now := s.now.Load()
	ids := []string{"ann", "cy", "dan", "eve", "fay", "kim"}
	testkit.WantSame(t, "nodes", now.ids, ids)
	at := func(id string) int { return slices.Index(ids, id) }
	want := testkit.Must(coles.NewGraph(6, []coles.Edge{{U: at("cy"), V: at("ann")}, {U: at("dan"), V: at("eve")}, {U: at("eve"), V: at("fay")}, {U: at("fay"), V: at("dan")},
		{U: at("kim"), V: at("eve")}, {U: at("kim"), V: at("fay")}, {U: at("ann"), V: at("dan")}}, coles.WithWeights(
		[]float64{1, 1, 1, 1, 1, 2, 3})))
	if !mat.Equal(now.Graph.CSR(), want.CSR()) {
		t.Errorf("edges\n%v, want\n%v", mat.Formatted(now.Graph.CSR()), mat.Formatted(want.CSR()))
	}
	x := mat.NewDense(6, 3, []float64{0, 0, 1.5, 1, 0, 0, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0.5, 0})
	if !mat.Equal(now.Features, x) {
		t.Errorf("features\n%v", mat.Formatted(now.Features))
	}
	fitted := testkit.Must(coles.Fit(t.Context(), want, x))
	wantMatches(t, ask(t, s, "GET", "/similar?id=kim&k=3", "", 200).Nearest, byCosine(fitted.Embedding(), ids, fitted.Embedding().RawRowView(5), "kim")[:3])
	if len(s.kept.newcomers.all) > 0 || len(s.kept.hidden) > 0 || s.kept.fits != 1 {
		t.Errorf("%d newcomers, %d gone, %d fits", len(s.kept.newcomers.all), len(s.kept.hidden), s.kept.fits)
	}
	again := keeping(t, from, dir)
	ask(t, again, "POST", "/reload", "", 200)
	testkit.WantClose(t, "vectors after a start and a fit", mat.DenseCopyOf(again.now.Load().rows), mat.DenseCopyOf(now.rows), 1e-12)
}

// A node that is removed and told again while a fit runs is not the one that the fit has seen.
func TestToldAgainWhileAFitRuns(t *testing.T) {
	from, g, x, m := circle(t)
	s := keeping(t, from, t.TempDir())
	again := func() {
		t.Helper()
		ask(t, s, "DELETE", "/nodes", `["ann"]`, 200)
		ask(t, s, "POST", "/nodes", `[{"id": "ann", "features": {"1": 0.5}, "edges": [{"to": "eve"}]}]`, 200)
	}
	eve, _ := g.Row("eve")
	embedded := func(m *coles.Model, g *coles.Graph, x mat.Matrix, eve int) []match {
		frozen := testkit.Must(live.Freeze(t.Context(), m, g, x))
		y := testkit.Must(frozen.Embed(t.Context(), mat.NewDense(1, 3, []float64{0, 0.5, 0}), []coles.Edge{{U: g.Nodes(), V: eve}}, nil))
		return byCosine(testkit.Must(m.Embed(t.Context(), g, x)), g.IDs(), y.RawRowView(0), "ann")
	}
	again()
	wantMatches(t, ask(t, s, "GET", "/similar?id=ann&k=5", "", 200).Nearest, embedded(m, g, x, eve))
	fit, _, err := s.kept.begin(t.Context(), s.now.Load())
	testkit.Check(t, err)
	again()
	next := testkit.Must(newState(t.Context(), fit, &task.File{}))
	testkit.Check(t, s.kept.follow(t.Context(), next, func() { s.now.Store(next) }))
	eve, _ = next.Graph.Row("eve")
	wantMatches(t, ask(t, s, "GET", "/similar?id=ann&k=5", "", 200).Nearest, embedded(next.model, next.Graph, fit.Features, eve))
}

// Every byte of a journal that is flipped, and every end that is too early, is an error by name, or leaves the changes before it.
func TestDamagedJournal(t *testing.T) {
	from, _, _, _ := circle(t)
	dir := t.TempDir()
	s := keeping(t, from, dir)
	first := s.now.Load()
	for k := range 3 {
		ask(t, s, "POST", "/nodes", fmt.Sprintf(`[{"id": "new %d", "edges": [{"to": "ann"}]}]`, k), 200)
	}
	path := filepath.Join(dir, "journal")
	whole := testkit.Must(os.ReadFile(path))
	opened := func(file []byte) (nodes []string, err error) {
		folder := t.TempDir()
		write(t, filepath.Join(folder, "journal"), string(file))
		other := &service{log: log.New(io.Discard, "", 0)}
		if err := other.keep(t.Context(), folder, first); err != nil {
			return nil, err
		}
		defer other.kept.journal.file.Close()
		return other.kept.book.order, nil
	}
	all := []string{"new 0", "new 1", "new 2"}
	for k := range whole {
		flipped := bytes.Clone(whole)
		flipped[k] ^= 1 << (k % 8)
		for _, file := range [][]byte{flipped, whole[:k]} {
			nodes, err := opened(file)
			if err == nil && !slices.Equal(nodes, all[:len(nodes)]) || err != nil && !strings.Contains(err.Error(), "journal:") {
				t.Fatalf("byte %d: nodes %q, %v", k, nodes, err)
			}
			if err == nil && bytes.Count(file[:k], []byte("\n")) > len(nodes)+1 {
				t.Fatalf("byte %d: a change before it is lost", k)
			}
		}
	}
	if nodes, err := opened(whole); err != nil || !slices.Equal(nodes, all) {
		t.Errorf("the journal itself: %q, %v", nodes, err)
	}
	other := source{graph: filepath.Join(t.TempDir(), "g.txt")}
	write(t, other.graph, "a b\nb c\n")
	if err := start(t, other).keep(t.Context(), dir, testkit.Must(other.load(t.Context()))); err == nil || !strings.Contains(err.Error(), "another graph") {
		t.Errorf("the journal of another graph: %v", err)
	}
}

// What no client should send is refused in words, and changes nothing.
func TestHostileChanges(t *testing.T) {
	from, _, _, _ := circle(t)
	bare := start(t, from)
	ask(t, bare, "POST", "/nodes", kim, 404)
	s := keeping(t, from, t.TempDir())
	size := s.kept.journal.size
	many, _ := json.Marshal(make([]string, mostTold+1))
	for _, r := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/nodes", "", 400}, {"POST", "/nodes", "[]", 400}, {"POST", "/nodes", "{}", 400}, {"POST", "/nodes", "null", 400}, {"POST", "/nodes", "[null]", 400},
		{"POST", "/nodes", `[{"id": ""}]`, 400}, {"POST", "/nodes", `[{"id": "a"}, {"id": "a"}]`, 400}, {"POST", "/nodes", `[{"id": "a", "x": 1}]`, 400},
		{"POST", "/nodes", `[{"id": 7}]`, 400}, {"POST", "/nodes", `[{"id": "a", "edges": [{"to": "a"}]}]`, 400}, {"POST", "/nodes", `[{"id": "a", "edges": [{"to": "ann", "weight": -1}]}]`, 400},
		{"POST", "/nodes", `[{"id": "a", "edges": [{"to": "ann", "weight": 1e400}]}]`, 400}, {"POST", "/nodes", `[{"id": "a", "features": {"9": 1}}]`, 400},
		{"POST", "/nodes", `[{"id": "a", "features": {"0": "x"}}]`, 400}, {"POST", "/nodes", `[{"id": "a"}] [{"id": "b"}]`, 400}, {"POST", "/nodes", strings.Repeat("[", 100000), 400},
		{"POST", "/edges", `[{"from": "ann"}]`, 404}, {"POST", "/edges", `[{"from": "ann", "to": "ann"}]`, 400}, {"POST", "/edges", `[{"from": "ann", "to": "zed"}]`, 404},
		{"DELETE", "/nodes", `["zed"]`, 404}, {"DELETE", "/nodes", `["ann", "ann"]`, 404}, {"DELETE", "/nodes", string(many), 400},
		{"DELETE", "/nodes", `["ann", "bob", "cy", "dan", "eve", "fay"]`, 400}, {"PUT", "/features", `{"zed": {}}`, 404}, {"PUT", "/features", `{"ann": {"9": 1}}`, 400},
		{"PUT", "/nodes", kim, 405}, {"GET", "/nodes", "", 405}, {"POST", "/nodes", `[{"id": "` + strings.Repeat("a", maxBody) + `"}]`, 413},
	} {
		if a := ask(t, s, r.method, r.path, r.body, r.status); a.Error == "" || strings.Contains(a.Error, "Go ") || strings.Contains(a.Error, "main.") {
			t.Errorf("%s %s %.40s: error %q", r.method, r.path, r.body, a.Error)
		}
	}
	w := httptest.NewRecorder()
	request := httptest.NewRequest("POST", "/nodes", strings.NewReader(kim))
	request.Header.Set("Origin", "http://evil.example")
	s.handler(t.Context()).ServeHTTP(w, request)
	testkit.WantSame(t, "status for a page of another origin", w.Code, 403)
	if s.kept.journal.size != size || s.kept.book.nodes() != 6 {
		t.Errorf("%d bytes more, %d nodes", s.kept.journal.size-size, s.kept.book.nodes())
	}
}

func TestMetrics(t *testing.T) {
	from, _, _, _ := circle(t)
	s := keeping(t, from, t.TempDir())
	handler := s.handler(t.Context())
	for _, r := range [][3]string{{"POST", "/nodes", kim}, {"GET", "/similar?id=kim", ""}, {"GET", "/similar?id=zed", ""}} {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(r[0], r[1], strings.NewReader(r[2])))
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	testkit.WantText(t, w.Body.String(), "coles_fitted_nodes 6\n", "coles_newcomers 1\n", "coles_changes 1\n", "coles_drift_radians 0\n",
		`coles_request_seconds_count{code="200",handler="/nodes"} 1`, `coles_request_seconds_count{code="404",handler="/similar"} 1`)
}

// A fit begins by itself once the share of changes is reached, not before, and its figures are those of Prometheus.
func TestDriftBeginsAFit(t *testing.T) {
	from, _, _, _ := circle(t)
	s := keeping(t, from, t.TempDir())
	s.share = 0.5
	figures := func() string {
		w := httptest.NewRecorder()
		s.handler(t.Context()).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		return w.Body.String()
	}
	ask(t, s, "POST", "/nodes", kim, 200) // 1 newcomer and 1 batch, of 7 nodes
	testkit.WantSame(t, "no fit is under way", s.one.TryLock(), true)
	s.one.Unlock()
	testkit.WantText(t, figures(), "coles_newcomers 1\n", "coles_changes 1\n", "coles_fits 0\n", "coles_drift_radians 0\n")
	before := s.now.Load().model.P()
	ask(t, s, "POST", "/nodes", `[{"id": "lea", "features": {"1": 2}, "edges": [{"to": "kim"}, {"to": "ann"}]}]`, 200) // 2 and 2, of 8
	s.one.Lock()                                                                                                       // until the fit has ended
	defer s.one.Unlock()
	turned := testkit.Must(live.PrincipalAngle(before, s.now.Load().model.P()))
	testkit.WantText(t, figures(), "coles_newcomers 0\n", "coles_changes 0\n", "coles_fits 1\n", "coles_fitted_nodes 8\n", fmt.Sprintf("coles_drift_radians %v\n", turned))
}
