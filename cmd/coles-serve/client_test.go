package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"coles/internal/peak"
	"coles/internal/testkit"
)

const (
	connections = 100
	reloads     = 4
)

// A loadTest counts the requests of many connections.
type loadTest struct {
	base   string // of the URLs
	client *http.Client
	one    sync.Mutex // held while it reloads: another reload would be refused

	mu     sync.Mutex
	took   map[string][]time.Duration // by path
	failed []error
}

// measure sends requests, half of them for similar nodes and half with newcomers, and a reload
// after every fifth of them, and prints how long the answers took.
func measure(ctx context.Context, base string, s *state, requests int, stdout io.Writer) error {
	peak.Reset()
	t := &loadTest{base: base, took: map[string][]time.Duration{}}
	t.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections}}
	defer t.client.CloseIdleConnections()
	var names []string // of features that may be any number
	if s.Encoder == nil {
		names = slices.Sorted(maps.Keys(s.columns))
	}
	var sent atomic.Int64
	var all sync.WaitGroup
	start := time.Now()
	for range connections {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := int(sent.Add(1)); i <= requests && ctx.Err() == nil; i = int(sent.Add(1)) {
				rng := rand.New(rand.NewPCG(1, uint64(i)))
				if i%2 == 0 {
					t.send(ctx, time.Now(), "GET", "/similar", "?id="+url.QueryEscape(s.ids[rng.IntN(len(s.ids))]), nil)
				} else {
					t.send(ctx, time.Now(), "POST", "/embed", "", s.stranger(rng, names))
				}
				if i < requests && i*(reloads+1)/requests > (i-1)*(reloads+1)/requests {
					t.one.Lock()
					t.send(ctx, time.Now(), "POST", "/reload", "", nil)
					t.one.Unlock()
				}
			}
		}()
	}
	all.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	t.print(stdout, time.Since(start))
	fmt.Fprintf(stdout, "\n%d nodes, %d connections, %d errors, peak memory %d MB, clients included\n",
		s.Graph.Nodes(), connections, len(t.failed), peak.Bytes()>>20)
	return errors.Join(t.failed...)
}

// loaded is what is printed of so many requests to a service of files.
func loaded(t *testing.T, from source, requests int) string {
	t.Helper()
	s := start(t, from)
	listener := testkit.Must(net.Listen("tcp", "localhost:0"))
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.serve(ctx, listener) }()
	var out bytes.Buffer
	testkit.Check(t, measure(ctx, "http://"+listener.Addr().String(), stateOf(s), requests, &out))
	stop()
	testkit.Check(t, <-served)
	return out.String()
}

// send notes how long a request takes from when it was due, and that it fails if the answer is not 200.
func (t *loadTest) send(ctx context.Context, due time.Time, method, path, query string, body []byte) {
	err := t.ask(ctx, method, path+query, body)
	d := time.Since(due)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.took[path] = append(t.took[path], d)
	if err != nil {
		t.failed = append(t.failed, err)
	}
}

func (t *loadTest) ask(ctx context.Context, method, path string, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, method, t.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	answer, err := t.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", path, answer.Status, bytes.TrimSpace(text))
	}
	return err
}

// print writes a row for each path.
func (t *loadTest) print(w io.Writer, all time.Duration) {
	fmt.Fprintln(w, "| path | requests | a second | p50, ms | p95, ms | p99, ms |\n|:--|--:|--:|--:|--:|--:|")
	for _, path := range []string{"/similar", "/embed", "/reload"} {
		d := t.took[path]
		slices.Sort(d)
		fmt.Fprintf(w, "| %s | %d | %.0f |", path, len(d), float64(len(d))/all.Seconds())
		for _, percent := range []int{50, 95, 99} {
			fmt.Fprintf(w, " %.1f |", 1000*d[percent*len(d)/100].Seconds())
		}
		fmt.Fprintln(w)
	}
}

// stranger is a newcomer with five neighbours and at most twenty features, in JSON.
func (s *state) stranger(rng *rand.Rand, features []string) []byte {
	who := newcomer{Features: map[string]any{}, K: 10}
	for range 5 {
		who.Neighbours = append(who.Neighbours, s.ids[rng.IntN(len(s.ids))])
	}
	for range min(20, len(features)) {
		who.Features[features[rng.IntN(len(features))]] = 1
	}
	text, err := json.Marshal(who)
	if err != nil {
		panic(err) // these types are always JSON
	}
	return text
}
