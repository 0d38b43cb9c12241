package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"coles/dataset/synthetic"
	"coles/internal/testkit"
	"coles/task"
)

// Writes beside reads on 100,000 nodes, a million edges and 128 features: two clients send 300 batches of 20 nodes with five edges
// each, and eight ask 6,000 times for ten similar nodes. Each sends when it has its answer, so that a slow machine is slow and nothing else.
//
//	go test -run '^$' -bench Load -benchtime 1x .
func BenchmarkLoad(b *testing.B) {
	const nodes, batches, reads = 100_000, 300, 6000
	data := testkit.Must(synthetic.Communities{Nodes: nodes, Degree: 20, Features: 128, Dense: true, Seed: 1}.Generate(b.Context()))
	data.Labels = nil
	s := &service{ctx: b.Context(), log: log.New(io.Discard, "", 0), hosts: testHosts}
	testkit.Check(b, s.keep(b.Context(), b.TempDir(), false, testkit.Must(task.New(data)), &task.File{}))
	defer s.journal.close()
	listener := testkit.Must(net.Listen("tcp", "localhost:0"))
	ctx, stop := context.WithCancel(b.Context())
	served := make(chan error)
	go func() { served <- s.serve(ctx, listener) }()
	t := &loadTest{base: "http://" + listener.Addr().String(), took: map[string][]time.Duration{}}
	t.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections}}
	rng := rand.New(rand.NewPCG(2, 0))
	var bodies [][]byte
	for range batches {
		bodies = append(bodies, strangers(rng, stateOf(s), len(bodies)))
	}
	for b.Loop() {
		start := time.Now()
		var writers, readers sync.WaitGroup
		var written, read atomic.Int64
		for range 2 {
			writers.Add(1)
			go func() {
				defer writers.Done()
				for k := int(written.Add(1)); k <= batches; k = int(written.Add(1)) {
					t.send(ctx, time.Now(), "POST", "/nodes", "", bodies[k-1])
				}
			}()
		}
		for range 8 {
			readers.Add(1)
			go func() {
				defer readers.Done()
				for k := int(read.Add(1)); k <= reads; k = int(read.Add(1)) {
					t.send(ctx, time.Now(), "GET", "/similar", fmt.Sprintf("?id=%d", k*7919%nodes), nil)
				}
			}()
		}
		writers.Wait()
		readers.Wait()
		for path, each := range map[string]float64{"/nodes": 20, "/similar": 1} {
			took := slices.Sorted(slices.Values(t.took[path]))
			b.ReportMetric(each*float64(len(took))/time.Since(start).Seconds(), path[1:]+"/s")
			b.ReportMetric(1000*took[len(took)/2].Seconds(), path[1:]+"-p50-ms")
			b.ReportMetric(1000*took[99*len(took)/100].Seconds(), path[1:]+"-p99-ms")
		}
		if len(t.failed) > 0 {
			b.Fatal(t.failed[0])
		}
	}
	stop()
	testkit.Check(b, <-served)
}

// strangers are 20 new nodes with all features and five edges each, in JSON.
func strangers(rng *rand.Rand, s *state, batch int) []byte {
	var nodes []string
	for k := range 20 {
		var features, edges []string
		for j := range len(s.columns) {
			features = append(features, fmt.Sprintf(`"%d": %.4g`, j, rng.NormFloat64()))
		}
		for range 5 {
			edges = append(edges, fmt.Sprintf(`{"to": "%s"}`, s.ids[rng.IntN(len(s.ids))]))
		}
		nodes = append(nodes, fmt.Sprintf(`{"id": "new %d %d", "features": {%s}, "edges": [%s]}`, batch, k, strings.Join(features, ", "), strings.Join(edges, ", ")))
	}
	return []byte("[" + strings.Join(nodes, ", ") + "]")
}

func TestLoad(t *testing.T) {
	from, _, _, _ := circle(t)
	testkit.WantText(t, loaded(t, from, 2000), "6 nodes", "| /similar | 1000 |", "| /embed | 1000 |", "| /reload | 4 |", "100 connections, 0 errors")
}

func TestGeneratedGraph(t *testing.T) {
	testkit.WantSame(t, "number of nearest", len(ask(t, start(t, source{}), "GET", "/similar?id=2999", "", 200).Nearest), 10)
}
