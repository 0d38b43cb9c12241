//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"coles/internal/testkit"
)

// TestServed is the service in a process of its own, for TestKills.
func TestServed(t *testing.T) {
	args := os.Getenv("SERVE_TEST_ARGS")
	if args == "" {
		t.Skip("is run by TestKills")
	}
	testkit.Check(t, run(t.Context(), strings.Split(args, "\n"), os.Stdout, os.Stderr))
}

// A service that is killed at any moment, fits and new journals beside, starts again and has every change that it has answered.
func TestKills(t *testing.T) {
	kills := 2
	if !testing.Short() && os.Getenv("COLES_SHARED") != "" {
		kills = 30
	}
	from, _, _, _ := circle(t)
	args := strings.Join([]string{"-addr", "localhost:0", "-graph", from.graph, "-features", from.features, "-dir", t.TempDir(), "-refit", "0.5"}, "\n")
	answered := map[string]bool{}
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0)) // other moments at every run
	for round := range kills + 1 {
		served := exec.Command(os.Args[0], "-test.run=^TestServed$")
		served.Env = append(os.Environ(), "SERVE_TEST_ARGS="+args)
		out := testkit.Must(served.StdoutPipe())
		var errors strings.Builder
		served.Stderr = &errors
		testkit.Check(t, served.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		_, url, ok := strings.Cut(strings.TrimSpace(line), " on ")
		if err != nil || !ok {
			t.Fatalf("start %d: %q, %v, %s", round, line, err, errors.String())
		}
		for id := range answered {
			r := testkit.Must(http.Get(url + "/similar?id=" + id))
			r.Body.Close()
			if r.StatusCode != 200 {
				t.Errorf("start %d: %s is lost", round, id)
			}
		}
		var writers sync.WaitGroup
		var mu sync.Mutex
		for w := range 3 {
			writers.Add(1)
			go func() {
				defer writers.Done()
				for k := 0; ; k++ {
					id := fmt.Sprintf("r%d-%d-%d", round, w, k)
					r, err := http.Post(url+"/nodes", "application/json", strings.NewReader(fmt.Sprintf(`[{"id": %q, "features": {"0": 1}, "edges": [{"to": "ann"}]}]`, id)))
					if err != nil {
						return // it is dead
					}
					if io.Copy(io.Discard, r.Body); r.StatusCode == 200 {
						mu.Lock()
						answered[id] = true
						mu.Unlock()
					}
					r.Body.Close()
				}
			}()
		}
		time.Sleep(time.Duration(10+rng.IntN(150)) * time.Millisecond)
		testkit.Check(t, served.Process.Kill())
		served.Wait()
		writers.Wait()
	}
	t.Logf("%d changes answered, %d kills", len(answered), kills+1)
	if len(answered) < kills {
		t.Errorf("%d changes answered in %d starts", len(answered), kills+1)
	}
}
