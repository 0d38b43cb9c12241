package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"coles"
	"coles/eval"
	"coles/internal/setting"
	"coles/table"

	"gonum.org/v1/gonum/mat"
)

// A failure is an error with a status of its own.
type failure struct {
	status int
	error
}

func (f failure) Unwrap() error { return f.error }

// A handler returns what to answer with. Its errors are of the request, for which 400 is the
// status, unless they are a [failure].
type handler func(http.ResponseWriter, *http.Request) (any, error)

// ServeHTTP answers in JSON, errors too.
func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	body := r.Body
	r.Body = http.MaxBytesReader(w, body, maxBody)
	answer, err := h(w, r.WithContext(ctx))
	status := http.StatusOK
	if err != nil {
		answer, status = map[string]string{"error": setting.Plain(err.Error())}, http.StatusBadRequest
		switch f, large := (failure{}), (*http.MaxBytesError)(nil); {
		case errors.As(err, &large):
			status = http.StatusRequestEntityTooLarge
			io.CopyN(io.Discard, body, 15*maxBody) // many clients do not look for an answer before they have sent all
		case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
			status = http.StatusServiceUnavailable
		case errors.As(err, &f):
			status = f.status
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(answer) // an error means that the client has gone
}

// sameOrigin refuses pages of other origins.
func sameOrigin(r *http.Request, do string) error {
	if o := r.Header.Get("Origin"); o != "" && o != "http://"+r.Host && o != "https://"+r.Host {
		return failure{http.StatusForbidden, fmt.Errorf("a page of %q must not %s", o, do)}
	}
	return nil
}

// A route is a path and what answers there.
type route struct {
	method, path string
	handler      handler
}

// handler serves every path. A reload goes on until it is done or ctx is: its client, or a proxy in
// between, may not wait for minutes, and the files have changed all the same. As there is one at a
// time, those who leave cannot ask for more than that.
func (s *service) handler(ctx context.Context) http.Handler {
	mux, meter, methods := http.NewServeMux(), newMeter(s), map[string][]string{}
	routes := append(s.tellers(),
		route{"GET", "/similar", s.similar},
		route{"GET", "/links", s.links},
		route{"POST", "/embed", s.embed},
		route{"POST", "/predict", s.predict},
		route{"GET", "/healthz", s.health},
		route{"POST", "/reload", func(w http.ResponseWriter, r *http.Request) (any, error) {
			if err := sameOrigin(r, "reload"); err != nil {
				return nil, err
			}
			if !s.one.TryLock() {
				return nil, failure{http.StatusConflict, errors.New("a reload is under way; ask again when it is done")}
			}
			defer s.one.Unlock()
			http.NewResponseController(w).SetWriteDeadline(time.Time{}) // a fit may take minutes
			if err := s.reload(ctx, "request"); err != nil {
				return nil, failure{http.StatusInternalServerError, err}
			}
			return s.health(w, r)
		}})
	for _, one := range routes {
		mux.Handle(one.method+" "+one.path, meter.timed(one.path, one.handler))
		methods[one.path] = append(methods[one.path], one.method)
	}
	for path, all := range methods {
		mux.Handle(path, handler(func(w http.ResponseWriter, _ *http.Request) (any, error) {
			w.Header().Set("Allow", strings.Join(all, ", "))
			return nil, failure{http.StatusMethodNotAllowed, fmt.Errorf("%s wants %s", path, strings.Join(all, " or "))}
		}))
	}
	mux.Handle("GET /metrics", meter.handler())
	mux.Handle("/", handler(func(_ http.ResponseWriter, r *http.Request) (any, error) {
		return nil, failure{http.StatusNotFound, fmt.Errorf("no path %q", r.URL.Path)}
	}))
	return mux
}

func (s *service) health(http.ResponseWriter, *http.Request) (any, error) {
	now := s.now.Load()
	nodes := now.graph.Nodes()
	if k := s.kept; k != nil {
		k.reading.RLock()
		nodes += len(k.place) - len(k.hidden)
		k.reading.RUnlock()
	}
	return map[string]any{"nodes": nodes, "features": len(now.columns), "since": now.since}, nil
}

// about reads the node that a request is about, and how many others it wants.
func (s *state) about(r *http.Request) (id string, row, k int, err error) {
	id = r.FormValue("id")
	if k, err = wanted(r); err != nil {
		return "", 0, 0, err
	}
	row, ok := s.graph.Row(id)
	if !ok {
		return "", 0, 0, noNode(id)
	}
	return id, row, min(k, s.graph.Nodes()-1), nil
}

// wanted is how many others a request wants.
func wanted(r *http.Request) (int, error) {
	text := cmp.Or(r.FormValue("k"), "10")
	k, err := strconv.Atoi(text)
	if err != nil || k < 1 {
		return 0, fmt.Errorf("k=%s: want a whole number, at least 1", text)
	}
	return min(k, maxNearest), nil
}

func (s *service) similar(_ http.ResponseWriter, r *http.Request) (any, error) {
	if s.kept != nil {
		return s.similarKept(r)
	}
	now := s.now.Load()
	id, row, k, err := now.about(r)
	if err != nil {
		return nil, err
	}
	var nearest [][]eval.Match
	if len(now.columns) > 0 {
		nearest, err = now.index.Rows(r.Context(), []int{row}, k)
	} else {
		nearest, err = eval.AlikeNodes(r.Context(), now.graph, []int{row}, k)
	}
	if err != nil {
		return nil, err
	}
	return map[string]any{"id": id, "nearest": now.named(nearest[0])}, nil
}

// A link is an edge that there may be, and who speaks for it.
type link struct {
	match
	Common []string `json:"common"` // neighbours of both, five at most
}

func (s *service) links(_ http.ResponseWriter, r *http.Request) (any, error) {
	if s.kept != nil {
		return s.linksKept(r)
	}
	now := s.now.Load()
	id, row, k, err := now.about(r)
	if err != nil {
		return nil, err
	}
	recommender, err := now.links()
	if err != nil {
		return nil, failure{http.StatusInternalServerError, err}
	}
	found, err := recommender.Recommend(r.Context(), []int{row}, max(k, 1), nil)
	if err != nil {
		return nil, err
	}
	links := []link{}
	for i, m := range now.named(found[0]) {
		links = append(links, link{m, now.common(row, found[0][i].Row)})
	}
	return map[string]any{"id": id, "links": links}, nil
}

// common are the names of nodes that are neighbours of both.
func (s *state) common(u, v int) []string {
	const most = 5
	names := []string{}
	a, _ := s.graph.Neighbors(u)
	b, _ := s.graph.Neighbors(v)
	for _, i := range a {
		if _, both := slices.BinarySearch(b, i); both && len(names) < most {
			names = append(names, s.ids[i])
		}
	}
	return names
}

// A newcomer is a node that is not in the graph.
type newcomer struct {
	Neighbours []string       `json:"neighbours"` // ids of nodes in the graph
	Features   map[string]any `json:"features"`   // by name; others are 0, or holes in a table
	K          int            `json:"k"`          // number of nearest nodes, or of classes
}

func (s *service) embed(_ http.ResponseWriter, r *http.Request) (any, error) {
	now := s.now.Load()
	k, y, unknown, err := now.newcomer(r)
	if err != nil {
		return nil, err
	}
	nearest := [][]eval.Match{nil}
	if mat.Norm(y, math.Inf(1)) > now.rounding {
		if nearest, err = now.index.Vectors(r.Context(), y, min(k, now.graph.Nodes())); err != nil {
			return nil, err
		}
	}
	return map[string]any{"vector": y.RawRowView(0), "nearest": now.named(nearest[0]), "unknown": unknown}, nil
}

// newcomer reads a newcomer and embeds it. Features with values that are unknown count for nothing.
func (s *state) newcomer(r *http.Request) (k int, y *mat.Dense, unknown []string, err error) {
	who := newcomer{K: 10}
	if err := decode(r, &who); err != nil {
		return 0, nil, nil, err
	}
	switch {
	case len(who.Neighbours)+len(who.Features) == 0:
		return 0, nil, nil, errors.New("body: a newcomer has neighbours or features")
	case who.K < 1:
		return 0, nil, nil, fmt.Errorf("body: k is %d, want at least 1", who.K)
	}
	if len(s.columns) == 0 && len(who.Neighbours) == 0 {
		return 0, nil, nil, errors.New("body: the graph has no features, and a newcomer to it has neighbours")
	}
	x, unknown, err := s.row(r.Context(), who.Features)
	if err != nil {
		return 0, nil, nil, err
	}
	edges := make([]coles.Edge, len(who.Neighbours))
	for i, id := range who.Neighbours {
		row, ok := s.graph.Row(id)
		if !ok {
			return 0, nil, nil, fmt.Errorf("no node %q", id)
		}
		edges[i] = coles.Edge{U: s.graph.Nodes(), V: row}
	}
	if s.nearby != nil && len(edges) == 0 {
		if edges, err = s.nearby.Near(r.Context(), x); err != nil {
			return 0, nil, nil, err
		}
	}
	y, err = s.frozen.Embed(r.Context(), x, edges, nil)
	return min(who.K, maxNearest), y, unknown, err
}

// row is the features of a node, by name, and those with a value that the encoder does not know.
func (s *state) row(ctx context.Context, features map[string]any) (x mat.Matrix, unknown []string, err error) {
	cells, row := table.New(), []any(nil)
	unknown = []string{}
	if len(s.columns) == 0 && len(features) == 0 {
		return nil, unknown, nil
	}
	numbers := mat.NewDense(1, max(len(s.columns), 1), nil)
	for name, value := range features {
		column, ok := s.columns[name]
		if !ok {
			return nil, nil, fmt.Errorf("no feature %q", name)
		}
		if s.encoder != nil {
			switch value.(type) {
			case []any, map[string]any:
				return nil, nil, fmt.Errorf("feature %q: a list or an object, not a cell", name)
			}
			cells.Columns = append(cells.Columns, table.Column{Name: name})
			row = append(row, value)
			continue
		}
		number, _ := value.(json.Number)
		v, err := number.Float64()
		if err != nil {
			return nil, nil, fmt.Errorf("feature %q: %v is not a number of float64", name, value)
		}
		numbers.Set(0, column, v)
	}
	if s.encoder == nil {
		return numbers, unknown, nil
	}
	cells.Add("", row...)
	for _, u := range s.encoder.Unseen(cells) {
		unknown = append(unknown, u.Column)
	}
	slices.Sort(unknown)
	x, err = s.encoder.Encode(ctx, cells)
	return x, unknown, err
}

// A match is a node by name.
type match struct {
	ID    string  `json:"id"`    // of the node
	Score float64 `json:"score"` // its cosine
}

func (s *state) named(found []eval.Match) []match {
	matches := make([]match, len(found))
	for i, m := range found {
		matches[i] = match{s.ids[m.Row], m.Score}
	}
	return matches
}
