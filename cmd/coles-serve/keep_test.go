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
	"sync"
	"testing"

	"coles"
	"coles/internal/testkit"
	"coles/live"
	"coles/task"

	"gonum.org/v1/gonum/mat"
)

const kim = `[{"id": "kim", "features": {"1": 0.5}, "edges": [{"to": "eve"}, {"to": "fay", "weight": 2}]}]`

// keeping starts a service that keeps in a folder, for which the one before is stopped.
func keeping(t *testing.T, from source, dir string) *service {
	t.Helper()
	return testkit.Must(kept(t, from, dir, false))
}

// services are those that the test has not stopped, by their folders.
var services sync.Map

func kept(t *testing.T, from source, dir string, setAside bool) (*service, error) {
	t.Helper()
	if before, ok := services.LoadAndDelete(dir); ok {
		before.(*service).journal.close()
	}
	s := &service{ctx: t.Context(), log: log.New(io.Discard, "", 0), hosts: testHosts}
	d, f, err := from.files(t.Context())
	testkit.Check(t, err)
	if err := s.keep(t.Context(), dir, setAside, d, f); err != nil {
		return nil, err
	}
	services.Store(dir, s)
	t.Cleanup(func() {
		if services.CompareAndDelete(dir, s) {
			s.journal.close()
		}
	})
	return s, nil
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
	ask(t, s, "DELETE", "/nodes", `["ann"]`, 200)
	ask(t, s, "DELETE", "/edges", `[{"from": "kim", "to": "eve"}]`, 200)
	s = keeping(t, from, dir)
	testkit.WantSame(t, "ends of kim", map[string]float64(s.now.book.weights["kim"]), map[string]float64{"eve": 0, "fay": 2})
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
	now := stateOf(s)
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
	if len(s.now.newcomers) > 0 || len(s.now.hidden) > 0 || s.now.fits != 1 {
		t.Errorf("%d newcomers, %d gone, %d fits", len(s.now.newcomers), len(s.now.hidden), s.now.fits)
	}
	again := keeping(t, from, dir)
	ask(t, again, "POST", "/reload", "", 200)
	testkit.WantClose(t, "vectors after a start and a fit", mat.DenseCopyOf(stateOf(again).rows), mat.DenseCopyOf(now.rows), 1e-12)
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
	fit := testkit.Must(s.now.book.begin(t.Context()))
	again()
	next := testkit.Must(newState(t.Context(), fit, &task.File{}))
	v, _, err := follow(t.Context(), next, s.now.book)
	testkit.Check(t, err)
	s.publish(v, nil)
	eve, _ = next.Graph.Row("eve")
	wantMatches(t, ask(t, s, "GET", "/similar?id=ann&k=5", "", 200).Nearest, embedded(next.model, next.Graph, fit.Features, eve))
}

// Every byte of a journal that is flipped, and every end that is too early, is an error by name, or leaves the changes before it.
func TestDamagedJournal(t *testing.T) {
	from, _, _, _ := circle(t)
	dir := t.TempDir()
	s := keeping(t, from, dir)
	d, f, err := from.files(t.Context())
	testkit.Check(t, err)
	for k := range 3 {
		ask(t, s, "POST", "/nodes", fmt.Sprintf(`[{"id": "new %d", "edges": [{"to": "ann"}]}]`, k), 200)
	}
	path := filepath.Join(dir, "journal")
	whole := testkit.Must(os.ReadFile(path))
	opened := func(file []byte) (nodes []string, err error) {
		folder := t.TempDir()
		write(t, filepath.Join(folder, "journal"), string(file))
		other := &service{log: log.New(io.Discard, "", 0)}
		if err := other.keep(t.Context(), folder, false, d, f); err != nil {
			return nil, err
		}
		defer other.journal.close()
		return other.now.book.order, nil
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
	if _, err := kept(t, other, dir, false); err == nil || !strings.Contains(err.Error(), "another graph") {
		t.Errorf("the journal of another graph: %v", err)
	}
}

// What no client should send is refused in words, and changes nothing.
func TestHostileChanges(t *testing.T) {
	from, _, _, _ := circle(t)
	bare := start(t, from)
	ask(t, bare, "POST", "/nodes", kim, 404)
	s := keeping(t, from, t.TempDir())
	size := s.journal.size
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
		if a := ask(t, s, r.method, r.path, r.body, r.status); a.Error == "" || foreign.MatchString(a.Error) {
			t.Errorf("%s %s %.40s: error %q", r.method, r.path, r.body, a.Error)
		}
	}
	if s.journal.size != size || s.now.book.nodes() != 6 {
		t.Errorf("%d bytes more, %d nodes", s.journal.size-size, s.now.book.nodes())
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
	before := stateOf(s).model.P()
	ask(t, s, "POST", "/nodes", `[{"id": "lea", "features": {"1": 2}, "edges": [{"to": "kim"}, {"to": "ann"}]}]`, 200) // 2 and 2, of 8
	s.one.Lock()                                                                                                       // until the fit has ended
	defer s.one.Unlock()
	turned := testkit.Must(live.PrincipalAngle(before, stateOf(s).model.P()))
	testkit.WantText(t, figures(), "coles_newcomers 0\n", "coles_changes 0\n", "coles_fits 1\n", "coles_fitted_nodes 8\n", fmt.Sprintf("coles_drift_radians %v\n", turned))
}
