package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coles/internal/testkit"
)

// A history is what a service is asked at random, and a mirror of the graph that it ought to have.
type history struct {
	from  source
	dir   string
	rng   *rand.Rand
	s     *service
	edges map[string]map[string]bool // of all nodes, both ways
	gone  []string
	told  []string // of features, with a number each; nil for none
}

// Random histories of requests, fits, starts, kills that leave half a line, and second starts on the same folder end in answers that are, to the byte, those of
// a service that is started on a copy of the folder; nothing that was answered is lost, and nothing is named that is gone.
func TestHistories(t *testing.T) {
	count, steps := 6, 40
	if !testing.Short() && os.Getenv("COLES_SHARED") != "" {
		count, steps = 300, 200
	}
	for seed := range count {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			h := &history{dir: filepath.Join(t.TempDir(), "kept"), rng: rand.New(rand.NewPCG(uint64(seed), 68)), edges: map[string]map[string]bool{}}
			h.files(t, seed)
			h.start(t)
			for step := range steps {
				h.step(t)
				if step%20 == 19 {
					h.compare(t)
				}
				if t.Failed() {
					t.Fatalf("step %d", step)
				}
			}
		})
	}
}

// files makes 12 nodes of a kind by the seed: without features, with numbers, or a table of a number, a word and a day on
// weighted edges, and without labels, with a class a node, several, or numbers.
func (h *history) files(t *testing.T, seed int) {
	folder := t.TempDir()
	kind := []string{"", "numbers", "numbers, class", "table", "table, classes", "numbers, values"}[seed%6]
	var edges, features, labels strings.Builder
	table, edge := strings.HasPrefix(kind, "table"), "f%d f%d\n"
	if h.told = []string{`"0": %.2f, "2": -0.5`, `"1": %.2f, "3": 7`}; table {
		h.told = []string{`"age": %.2f, "team": "red"`, `"team": "none of these", "age": %.2f`, `"since": "2024-03-01", "team": null, "age": %.2f`}
		fmt.Fprintln(&features, "id,age,team,since")
		edge = "f%[1]d f%[2]d 0.%[1]d%[2]d\n"
	}
	for i := range 12 {
		if table {
			fmt.Fprintf(&features, "f%d,%.2f,%s,2024-0%d-07\n", i, h.rng.NormFloat64()+float64(i%2), []string{"red", "blue", ""}[h.rng.IntN(3)], 1+i%9)
		} else {
			fmt.Fprintf(&features, "f%d %.2f %.2f %.2f %d\n", i, h.rng.NormFloat64()+float64(i%2), h.rng.NormFloat64(), h.rng.NormFloat64(), i%5)
		}
		if i < 8 {
			fmt.Fprintf(&labels, "f%d,%s\n", i, map[string]string{"numbers, class": string(rune('a' + i%2 + i/7)), "table, classes": []string{"a", "b", "a;b", "b;c"}[i%4], "numbers, values": fmt.Sprint(i * i)}[kind])
		}
		for _, j := range []int{(i + 1) % 12, (i + 2 + h.rng.IntN(8)) % 12} {
			fmt.Fprintf(&edges, edge, i, j)
			h.join(fmt.Sprint("f", i), fmt.Sprint("f", j), true)
		}
	}
	h.from.graph = filepath.Join(folder, "edges")
	write(t, h.from.graph, edges.String())
	if kind == "" {
		h.told = nil
		return
	}
	h.from.features = filepath.Join(folder, "features")
	write(t, h.from.features, features.String())
	if strings.Contains(kind, ",") {
		h.from.labels = filepath.Join(folder, "labels")
		write(t, h.from.labels, labels.String())
	}
}

func (h *history) join(u, v string, joined bool) {
	for _, ends := range [][2]string{{u, v}, {v, u}} {
		if h.edges[ends[0]] == nil {
			h.edges[ends[0]] = map[string]bool{}
		}
		if h.edges[ends[0]][ends[1]] = true; !joined {
			delete(h.edges[ends[0]], ends[1])
		}
	}
}

func (h *history) start(t *testing.T) { h.s = keeping(t, h.from, h.dir) }

// names are the nodes there are.
func (h *history) names() (all []string) {
	for id := range h.edges {
		all = append(all, id)
	}
	slices.Sort(all)
	return all
}

func (h *history) one() string { all := h.names(); return all[h.rng.IntN(len(all))] }

// features are some that may be told of a node.
func (h *history) features() string {
	if h.told == nil {
		return "null"
	}
	told := fmt.Sprintf("{"+h.told[h.rng.IntN(len(h.told))]+"}", h.rng.NormFloat64())
	return []string{"null", "{}", told, told}[h.rng.IntN(4)]
}

// step asks for one change, or starts again, and expects what the mirror says.
func (h *history) step(t *testing.T) {
	u, v := h.one(), h.one()
	switch kind := h.rng.IntN(20); {
	case kind < 6:
		id := fmt.Sprint("n", h.rng.IntN(1000))
		if len(h.gone) > 0 && kind == 0 {
			id = h.gone[h.rng.IntN(len(h.gone))]
		}
		edges, status := "", 200
		if h.rng.IntN(4) > 0 {
			edges = fmt.Sprintf(`, "edges": [{"to": %q}, {"to": %q, "weight": 0.5}]`, u, v)
		}
		if h.edges[id] != nil {
			status = 409
		}
		ask(t, h.s, "POST", "/nodes", fmt.Sprintf(`[{"id": %q, "features": %s%s}]`, id, h.features(), edges), status)
		if status == 200 {
			h.edges[id] = map[string]bool{}
			if edges != "" {
				h.join(id, u, true)
				h.join(id, v, true)
			}
		}
	case kind < 8 && len(h.edges) > 4:
		ask(t, h.s, "DELETE", "/nodes", fmt.Sprintf(`[%q]`, u), 200)
		for id := range h.edges[u] {
			delete(h.edges[id], u)
		}
		delete(h.edges, u)
		h.gone = append(h.gone, u)
	case kind < 10:
		status := 200
		if u == v {
			status = 400
		} else {
			h.join(u, v, true)
		}
		ask(t, h.s, "POST", "/edges", fmt.Sprintf(`[{"from": %q, "to": %q, "weight": %.1f}]`, u, v, 0.5+h.rng.Float64()), status)
	case kind < 13:
		status := 404
		for id := range h.edges[u] {
			if v = id; h.rng.IntN(2) == 0 {
				break
			}
		}
		if u == v {
			status = 400
		} else if h.edges[u][v] {
			status = 200
			h.join(u, v, false)
		}
		ask(t, h.s, "DELETE", "/edges", fmt.Sprintf(`[{"from": %q, "to": %q}]`, u, v), status)
	case kind < 15:
		ask(t, h.s, "PUT", "/features", fmt.Sprintf(`{%q: %s}`, u, h.features()), 200)
	case kind == 15:
		ask(t, h.s, "POST", "/nodes", `[{"id": "odd", "edges": [{"to": "nobody"}]}]`, 404)
	case kind == 16:
		ask(t, h.s, "POST", "/reload", "", 200)
	case kind == 17: // a kill, in the midst of a line
		h.s.journal.close()
		file := testkit.Must(os.OpenFile(filepath.Join(h.dir, "journal"), os.O_APPEND|os.O_WRONLY, 0))
		testkit.Must(io.WriteString(file, `0123abcd {"remove_nodes":["`+u))
		testkit.Check(t, file.Close())
		h.start(t)
	case kind == 18:
		h.start(t)
	default: // a second service on the folder
		d, f, err := h.from.files(t.Context())
		testkit.Check(t, err)
		if err := (&service{log: log.New(io.Discard, "", 0)}).keep(t.Context(), h.dir, false, d, f); err == nil {
			t.Error("there are two services of one folder")
		}
	}
}

// compare asks this service, and one that is started on a copy of the folder, everything, and checks who is named.
func (h *history) compare(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "copy")
	testkit.Check(t, os.CopyFS(folder, os.DirFS(h.dir)))
	fresh := testkit.Must(kept(t, h.from, folder, false))
	get := func(method, path, body string) (status int, a answer) {
		var all [2]string
		for k, s := range []*service{fresh, h.s} {
			w := httptest.NewRecorder()
			s.handler(t.Context()).ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
			status, all[k] = w.Code, fmt.Sprint(w.Code, " ", w.Body)
			testkit.Check(t, json.Unmarshal(w.Body.Bytes(), &a))
		}
		if all[0] != all[1] {
			t.Errorf("%s %s %s: %s, a fresh service says %s", method, path, body, all[1], all[0])
		}
		return status, a
	}
	testkit.WantSame(t, "number of nodes", ask(t, h.s, "GET", "/healthz", "", 200).Nodes, len(h.edges))
	for _, id := range h.names() {
		status, a := get("GET", "/similar?k=50&id="+url.QueryEscape(id), "")
		if status != 200 {
			t.Errorf("%s is lost: %s", id, a.Error)
		}
		for _, m := range a.Nearest {
			if h.edges[m.ID] == nil || m.ID == id {
				t.Errorf("%s is near %s", m.ID, id)
			}
		}
		if status, a = get("GET", "/links?k=50&id="+url.QueryEscape(id), ""); status != 200 {
			t.Errorf("no links of %s: %s", id, a.Error)
		}
		for _, l := range a.Links {
			if h.edges[l.ID] == nil || h.edges[id][l.ID] {
				t.Errorf("%s is recommended to %s", l.ID, id)
			}
			for _, c := range l.Common {
				if !h.edges[id][c] || !h.edges[c][l.ID] {
					t.Errorf("%s is in common to %s and %s", c, id, l.ID)
				}
			}
		}
		if h.from.labels != "" {
			get("GET", "/predict?id="+url.QueryEscape(id), "")
		}
	}
	for _, path := range []string{"/embed", "/predict"} {
		if status, a := get("POST", path, fmt.Sprintf(`{"neighbours": [%q, %q], "features": %s, "k": 50}`, h.one(), h.one(), h.features())); status >= 500 {
			t.Errorf("%s: %s", path, a.Error)
		}
	}
	for _, id := range h.gone {
		if status, _ := get("GET", "/similar?id="+url.QueryEscape(id), ""); h.edges[id] == nil && status != 404 {
			t.Errorf("%s has risen", id)
		}
	}
}
