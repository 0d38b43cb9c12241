package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"coles"
	"coles/dataset"
	"coles/examples/shared/cli"
	"coles/examples/shared/clitest"
	"coles/internal/testkit"
	"coles/live"
	"coles/near"
	"coles/table"
	"coles/task"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Two circles of friends, and what each likes.
const (
	friends  = "ann bob\nbob cy\ncy ann\ncy dan\ndan eve\neve fay\nfay dan\n"
	profiles = "ann 1 0 0\nbob 1 1 0\ncy 1 0 0\ndan 0 0 1\neve 0 1 1\nfay 0 0 1\n"
	gil      = `{"neighbours": ["eve", "fay"], "features": {"1": 0.5}}`
)

// circle is the friends as files, with the model that a service fits of them.
func circle(t *testing.T) (from source, g *coles.Graph, x mat.Matrix, m *coles.Model) {
	t.Helper()
	dir := t.TempDir()
	from = source{graph: filepath.Join(dir, "friends.txt"), features: filepath.Join(dir, "profiles.txt")}
	write(t, from.graph, friends)
	write(t, from.features, profiles)
	d := testkit.Must(dataset.OpenEdgeList(from.graph, from.features, ""))
	g = testkit.Must(d.Graph())
	return from, g, d.Features, testkit.Must(coles.Fit(t.Context(), g, d.Features))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	testkit.Check(t, os.WriteFile(path, []byte(text), 0o600))
}

func start(t *testing.T, from source) *service {
	t.Helper()
	s := &service{load: from.load, ctx: t.Context(), log: log.New(io.Discard, "", 0), hosts: testHosts}
	testkit.Check(t, s.reload(t.Context(), "test"))
	return s
}

// testHosts has the one of net/http/httptest.
var testHosts = cli.HostsOf("localhost", "example.com")

func stateOf(s *service) *state {
	v, done := s.look()
	defer done()
	return v.state
}

// An answer is the JSON of any path.
type answer struct {
	Error           string
	Nodes, Features int
	Since           time.Time
	Vector          []float64
	Nearest         []match
	Links           []edge
	Why             *task.Why
	Classes         []task.Chance
	Unknown         []string
	Value, Low      float64
	Threshold       float64
}

// ask sends a request to a service and checks the status.
func ask(t *testing.T, s *service, method, path, body string, status int) (a answer) {
	t.Helper()
	w := httptest.NewRecorder()
	s.handler(t.Context()).ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	if w.Code != status || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%s %s: status %d of %s, want %d of JSON", method, path, w.Code, w.Header().Get("Content-Type"), status)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
		t.Errorf("%s %s: %v in %q", method, path, err, w.Body)
	}
	return a
}

// byCosine ranks the rows of y but one by their cosine with v, by its definition.
func byCosine(y *mat.Dense, ids []string, v []float64, but string) []match {
	var all []match
	for i, id := range ids {
		row := y.RawRowView(i)
		if id != but {
			all = append(all, match{id, floats.Dot(row, v) / (floats.Norm(row, 2) * floats.Norm(v, 2))})
		}
	}
	slices.SortStableFunc(all, func(a, b match) int { return cmp.Compare(b.Score, a.Score) })
	return all
}

// wantMatches compares names exactly and cosines to rounding.
func wantMatches(t *testing.T, got, want []match) {
	t.Helper()
	same := func(a, b match) bool {
		return a.ID == b.ID && max(a.Score-b.Score, b.Score-a.Score) < 1e-14
	}
	if !slices.EqualFunc(got, want, same) {
		t.Errorf("nearest %v, want %v", got, want)
	}
}

// Without features newcomers are placed by their neighbours.
func TestGraphWithoutFeatures(t *testing.T) {
	from, _, _, _ := circle(t)
	from.features = ""
	s := start(t, from)
	g := stateOf(s).Graph
	m := testkit.Must(coles.Fit(t.Context(), g, nil))
	row, _ := g.Row("ann")
	want := named(g.IDs(), testkit.Must(near.Alike(t.Context(), g, []int{row}, 2))[0])
	wantMatches(t, ask(t, s, "GET", "/similar?id=ann&k=2", "", 200).Nearest, want)
	eve, _ := g.Row("eve")
	fay, _ := g.Row("fay")
	y := testkit.Must(testkit.Must(live.Freeze(t.Context(), m, g, nil)).Embed(t.Context(), nil, []coles.Edge{{U: 6, V: eve}, {U: 6, V: fay}}, nil))
	got := ask(t, s, "POST", "/embed", `{"neighbours": ["eve", "fay"]}`, 200)
	testkit.WantSame(t, "the vector", got.Vector, y.RawRowView(0))
	testkit.WantText(t, ask(t, s, "POST", "/embed", `{"neighbours": []}`, 400).Error, "neighbours or features")
	testkit.WantText(t, ask(t, s, "POST", "/embed", `{"features": {"0": 1}}`, 400).Error, "no features")
	testkit.WantText(t, ask(t, s, "POST", "/embed", `{"neighbours": ["ann"], "features": {"0": 1}}`, 400).Error, `no feature "0"`)
}

// labelled is a file with the circles of four of the friends.
func labelled(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "circles.txt")
	write(t, path, "eve second\nann first\nbob first\ndan second\n")
	return path
}

// A classifier of a file predicts beside labels of its own kind alone, and without labels nothing is predicted.
func TestLabelsOfAnotherKind(t *testing.T) {
	from, _, _, _ := circle(t)
	testkit.WantText(t, ask(t, start(t, from), "POST", "/predict", gil, 404).Error, "without -labels")
	for kind, text := range map[string]string{"numbers": "eve 2.5\nann 1.5\nbob 1.25\ndan 2.75\n", "classes": "eve x\nann y\nbob y\ndan x\n"} {
		from.labels, from.model = filepath.Join(t.TempDir(), kind), ""
		write(t, from.labels, text)
		s := stateOf(start(t, from))
		var file bytes.Buffer
		testkit.Must((&task.File{Model: s.learnt.model, Predictor: s.learnt.Predictor}).WriteTo(&file))
		from.model = from.labels + ".model"
		write(t, from.model, file.String())
		start(t, from)
		write(t, from.labels, "eve x\nann y\nbob y\n")
		if kind == "classes" {
			write(t, from.labels, "eve 3.25\nann 1.5\nbob 2\n")
		}
		testkit.WantError(t, testkit.Err(from.load(t.Context())), task.ErrOtherLabels)
	}
	from.model = ""
	write(t, from.labels, "eve x\nann 1.5\nbob 1.25\n")
	testkit.WantError(t, testkit.Err(from.load(t.Context())), coles.ErrFormat)
}

// Features of a table are made of a newcomer's cells by the encoder that is kept with the model.
func TestTable(t *testing.T) {
	const cells = "name,town,age,code\nann,Rome,20,1\nbob,Rome,31,2\ncy,Oslo,42,1\ndan,Oslo,23,2\neve,Bonn,34,1\nfay,Bonn,45,2\n"
	from, g, _, _ := circle(t)
	write(t, from.features, cells)
	d := testkit.Must(dataset.OpenEdgeList(from.graph, from.features, ""))
	e := d.Encoder
	m := testkit.Must(coles.Fit(t.Context(), g, d.Features, coles.WithDim(2)))
	var b bytes.Buffer
	testkit.Must(m.WriteTo(&b))
	from.model = filepath.Join(t.TempDir(), "numbers.model")
	write(t, from.model, b.String())
	if _, err := from.load(t.Context()); err == nil || !strings.Contains(err.Error(), "knows numbers only") {
		t.Errorf("a table for a model without an encoder: %v", err)
	}
	testkit.Must(e.WriteTo(&b))
	from.model = filepath.Join(t.TempDir(), "table.model")
	write(t, from.model, b.String())
	s := start(t, from)
	x := table.New("age", "town")
	x.Add("gil", 30.5, "Oslo")
	frozen := testkit.Must(live.Freeze(t.Context(), m, g, d.Features))
	want := testkit.Must(frozen.Embed(t.Context(), testkit.Must(e.Encode(t.Context(), x)), nil, nil)).RawRowView(0)
	testkit.WantSame(t, "vector", ask(t, s, "POST", "/embed", `{"features": {"town": "Oslo", "age": 30.5, "code": null}}`, 200).Vector, want)
	testkit.WantSame(t, "columns", ask(t, s, "GET", "/healthz", "", 200).Features, 3)
	stranger := ask(t, s, "POST", "/embed", `{"features": {"town": "Paris"}}`, 200) // of whom nothing is known
	testkit.WantSame(t, "unknown", stranger.Unknown, []string{"town"})
	testkit.WantSame(t, "nearest", len(stranger.Nearest), 0)
	known := slices.ContainsFunc(stranger.Vector, func(v float64) bool { return math.Abs(v) > 1e-12 })
	testkit.WantSame(t, "vector", []any{len(stranger.Vector), known}, []any{len(want), false})
	for body, want := range map[string]string{
		`{"features": {"town": ["Oslo"]}}`: `feature "town": a list or an object, not a cell`,
		`{"features": {"town": {"a": 1}}}`: `feature "town": a list`,
		`{"features": {"city": "Oslo"}}`:   `"city"`,
		`{"features": {"age": "old"}}`:     `"old"`,
		`{"features": {"age": 1e999}}`:     "1e999",
	} {
		testkit.WantText(t, ask(t, s, "POST", "/embed", body, 400).Error, want)
	}
	from.model = "" // it learns an encoder of its own
	testkit.WantSame(t, "columns", ask(t, start(t, from), "GET", "/healthz", "", 200).Features, 3)
	testkit.WantText(t, loaded(t, from, connections), "0 errors")
}

// Columns of numbers go by name where the model's file has the names.
func TestColumnsByName(t *testing.T) {
	from, _, _, _ := circle(t)
	write(t, from.features, "name,a,b,c\nann,1,20,1\nbob,2,31,2\ncy,3,42,1\ndan,1,23,2\neve,2,34,1\nfay,3,45,2\n")
	d := testkit.Must(dataset.OpenEdgeList(from.graph, from.features, ""))
	var b bytes.Buffer
	testkit.Must(testkit.Must(coles.Fit(t.Context(), testkit.Must(d.Graph()), d.Features, coles.WithDim(2))).WriteTo(&b))
	testkit.Must(testkit.Must(table.AsIs([]string{"a", "b", "c"}, nil)).WriteTo(&b))
	from.model = filepath.Join(t.TempDir(), "named.model")
	write(t, from.model, b.String())
	const hal = `{"neighbours": ["ann"], "features": {"a": 3, "b": 25}}`
	want := ask(t, start(t, from), "POST", "/embed", hal, 200)
	write(t, from.features, "name,c,b,a\nann,1,20,1\nbob,2,31,2\ncy,1,42,3\ndan,2,23,1\neve,1,34,2\nfay,2,45,3\n")
	testkit.WantSame(t, "answer", ask(t, start(t, from), "POST", "/embed", hal, 200), want)
}

// narrow is a file with a model of 2 columns.
func narrow(t *testing.T, g *coles.Graph, x mat.Matrix) string {
	t.Helper()
	var b bytes.Buffer
	testkit.Must(testkit.Must(coles.Fit(t.Context(), g, x, coles.WithDim(2))).WriteTo(&b))
	path := filepath.Join(t.TempDir(), "friends.model")
	write(t, path, b.String())
	return path
}

func TestModelOfAFile(t *testing.T) {
	from, g, x, _ := circle(t)
	from.model = narrow(t, g, x)
	s := start(t, from)
	testkit.WantSame(t, "columns", len(ask(t, s, "POST", "/embed", gil, 200).Vector), 2)
	write(t, from.model, "no model")
	if _, err := from.load(t.Context()); !errors.Is(err, coles.ErrFormat) {
		t.Errorf("a file that is no model: %v", err)
	}
}

func TestBadRequests(t *testing.T) {
	from, _, _, _ := circle(t)
	from.labels = labelled(t)
	s := start(t, from)
	for _, r := range []struct {
		method, path, body string
		status             int
		text               string // of the error; the library's where it is its refusal
	}{
		{"GET", "/similar?id=zed", "", 404, `"zed"`},
		{"GET", "/similar", "", 404, `""`},
		{"GET", "/similar?id=ann&k=few", "", 400, "k=few: want a whole number, at least 1"},
		{"GET", "/similar?id=ann&k=0", "", 400, "k=0: want a whole number, at least 1"},
		{"POST", "/similar?id=ann", "", 405, "GET"},
		{"GET", "/links?id=nobody", "", 404, `"nobody"`},
		{"GET", "/links?id=ann&k=0", "", 400, "k=0"},
		{"GET", "/embed", "", 405, "POST"},
		{"GET", "/reload", "", 405, "POST"},
		{"GET", "/nothing", "", 404, "/nothing"},
		{"POST", "/embed", "", 400, "EOF"},
		{"POST", "/embed", "{", 400, "EOF"},
		{"POST", "/embed", gil + gil, 400, "after top-level value"},
		{"POST", "/embed", `{"friends": []}`, 400, "body/friends: unknown key"},
		{"POST", "/embed", `{"neighbours": "ann"}`, 400, "body/neighbours cannot be text"},
		{"POST", "/embed", `{"neighbours": ["zed"]}`, 400, `"zed"`},
		{"POST", "/embed", `{"features": {"3": 1}}`, 400, `"3"`},
		{"POST", "/embed", `{"features": {"0": 1e999}}`, 400, "1e999"},
		{"POST", "/embed", `{"features": {"0": "one"}}`, 400, "one is not a number"},
		{"POST", "/embed", `{"features": {"0": [1]}}`, 400, "[1] is not a number"},
		{"POST", "/embed", `{"neighbours": ["ann"], "k": 0}`, 400, "k is 0"},
		{"POST", "/embed", `{}`, 400, "neighbours or features"},
		{"POST", "/embed", `{"neighbours": [], "k": 3}`, 400, "neighbours or features"},
		{"PUT", "/predict", "", 405, "GET or POST"},
		{"GET", "/predict?id=zed", "", 404, `"zed"`},
		{"POST", "/predict", `{}`, 400, "neighbours or features"},
		{"POST", "/predict", `{"neighbours": ["zed"]}`, 400, `"zed"`},
		{"POST", "/embed", `{"neighbours": ["` + strings.Repeat("a", maxBody) + `"]}`, 413, "longer than 1048576 bytes"},
	} {
		testkit.WantText(t, ask(t, s, r.method, r.path, r.body, r.status).Error, r.text)
	}
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	w := httptest.NewRecorder()
	s.handler(t.Context()).ServeHTTP(w, httptest.NewRequest("POST", "/embed", strings.NewReader(gil)).WithContext(late))
	testkit.WantSame(t, "status of a request out of time", w.Code, 503)
}

// A client that sends all of a large body before it looks for an answer, as many do, gets one.
func TestLargeBodyIsAnswered(t *testing.T) {
	from, _, _, _ := circle(t)
	server := httptest.NewServer(start(t, from).handler(t.Context()))
	defer server.Close()
	c := testkit.Must(net.Dial("tcp", server.Listener.Addr().String()))
	defer c.Close()
	const size = 8 * maxBody // more than sockets hold
	testkit.Must(fmt.Fprintf(c, "POST /embed HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", size, strings.Repeat(" ", size)))
	answer := testkit.Must(http.ReadResponse(bufio.NewReader(c), nil))
	testkit.WantSame(t, "status", answer.StatusCode, http.StatusRequestEntityTooLarge)
}

func TestRefuses(t *testing.T) {
	clitest.Refuses(t, run, []clitest.Refusal{
		{Name: "labels of no graph", Args: []string{"-labels", "l.txt"}, Text: "-graph"},
		{Name: "no file", Args: []string{"-addr", "localhost:0", "-graph", "none.txt", "-features", "none.txt"}, Text: "none.txt", Is: os.ErrNotExist},
		{Name: "no model", Args: []string{"-addr", "localhost:0", "-model", "none.model"}, Text: "none.model", Is: os.ErrNotExist},
		{Name: "no port", Args: []string{"-addr", "localhost:port"}, Text: "port"},
	})
	clitest.Stops(t, run, "-addr", "localhost:0")
}
