package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"coles"
	"coles/dataset"
	"coles/internal/testkit"
)

// limited is a new memory cgroup, or the test is skipped where none can be made.
func limited(t *testing.T, limit int64) (dir string) {
	text := string(testkit.Must(os.ReadFile("/proc/self/cgroup")))
	root, file := "/sys/fs/cgroup", "memory.max"
	own := regexp.MustCompile(`(?m)^0::(.*)$`).FindStringSubmatch(text)
	if first := regexp.MustCompile(`(?m)^\d+:memory:(.*)$`).FindStringSubmatch(text); first != nil {
		root, file, own = "/sys/fs/cgroup/memory", "memory.limit_in_bytes", first
	}
	if own == nil {
		t.Skip("no memory cgroup")
	}
	dir, err := os.MkdirTemp(filepath.Join(root, own[1]), "coles-test-")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.Remove(dir) })
	if err := os.WriteFile(filepath.Join(dir, file), []byte(fmt.Sprint(limit)), 0); err != nil {
		t.Skip(err)
	}
	return dir
}

// held runs the program in a memory cgroup. It returns its exit code, -1 if it was killed, the most memory of its
// own, sampled every 2 ms, and what it printed.
func held(t *testing.T, limit int64, dir, args string) (code int, peak int64, printed string) {
	group := limited(t, limit)
	cmd := process(context.Background(), dir, args)
	cmd.Args = append([]string{"sh", "-c", `echo $$ > ` + group + `/cgroup.procs && exec "$@"`, "sh", cmd.Path}, cmd.Args[1:]...)
	cmd.Path = testkit.Must(exec.LookPath("sh"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	testkit.Check(t, cmd.Start())
	ended := make(chan bool)
	go func() {
		cmd.Wait()
		close(ended)
	}()
	for {
		select {
		case <-ended:
			return cmd.ProcessState.ExitCode(), peak, out.String()
		case <-time.After(2 * time.Millisecond):
		}
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
		if at := strings.Index(string(status), "RssAnon:"); at >= 0 {
			var kilobytes int64
			fmt.Sscanf(string(status[at:]), "RssAnon: %d", &kilobytes)
			peak = max(peak, kilobytes<<10)
		}
	}
}

// A fit, an embedding and a conversion in a folder hold what -memory says, and end well, or refuse to begin,
// in a container that has 1.6 times as much.
func TestMemoryIsKept(t *testing.T) {
	testkit.Long(t)
	const n, m, d = 140_000, 700_000, 48 // beyond 2¹⁷ nodes walkers are as many as for 10⁸
	dir, rng := t.TempDir(), testkit.Random(1)
	edges, weights := make([]coles.Edge, m), make([]float64, m)
	var lines bytes.Buffer
	for k := range edges {
		edges[k], weights[k] = coles.Edge{U: rng.IntN(n), V: rng.IntN(n)}, math.Exp(rng.NormFloat64())
		fmt.Fprintf(&lines, "%d\t%d\t%.2f\n", edges[k].U, edges[k].V, weights[k])
	}
	write := func(name string, content []byte) {
		testkit.Check(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	written := func(name string, do func(b *bytes.Buffer) error) {
		var b bytes.Buffer
		testkit.Check(t, do(&b))
		write(name, b.Bytes())
	}
	g := testkit.Must(coles.NewGraph(n, edges))
	written("g.csr", func(b *bytes.Buffer) error { return dataset.WriteCSR(b, &dataset.Dataset{Undirected: g}) })
	heavy := testkit.Must(coles.NewGraph(n, edges, coles.WithWeights(weights)))
	written("w.csr", func(b *bytes.Buffer) error { return dataset.WriteCSR(b, &dataset.Dataset{Undirected: heavy}) })
	x := testkit.SingleOf(testkit.RandomDense(rng, n, d)) // whose eigenvalues are alike, so that float32 is refused
	written("x.npy", func(b *bytes.Buffer) error { return dataset.WriteNPY(b, x) })
	words, _ := testkit.RandomWords(rng, n, d)
	written("s.npz", func(b *bytes.Buffer) error {
		return dataset.WriteNPZ(b, &dataset.Dataset{Adjacency: g.CSR(), Features: words})
	})
	write("e.tsv", lines.Bytes())

	if code, _, out := held(t, 100e6, dir, "convert -scratch . e.tsv e.csr"); code != 0 {
		t.Fatalf("convert: exit code %d, %s", code, out)
	}
	least := regexp.MustCompile(`it takes (\d+) bytes of memory at least`)
	for _, args := range []string{
		"embed g.csr -features x.npy -o y.npy",
		"embed g.csr -features x.npy -o y.npy -kind graph -model m.model",
		"embed g.csr -features x.npy -o y.npy -with m.model",
		"embed w.csr -features x.npy -o y.npy -kind graph",
		"embed s.npz -o y.npy",
	} {
		if !strings.Contains(args, "-with") {
			args += " -dim 24" // so that P ends among eigenvalues that are alike
		}
		args += " -scratch . -memory "
		code, _, out := held(t, 1e9, dir, args+"1MB")
		found := least.FindStringSubmatch(out)
		if code != exitFailure || found == nil {
			t.Fatalf("%s: exit code %d, %s", args, code, out)
		}
		start := testkit.Must(strconv.ParseFloat(found[1], 64))
		fits := 0
		for _, times := range []float64{1.1, 2} {
			memory := times * start
			code, peak, out := held(t, int64(1.6*memory), dir, args+fmt.Sprintf("%.0fMB", memory/1e6))
			t.Logf("%s%.0fMB: exit code %d, %.0f MB held", args, memory/1e6, code, float64(peak)/1e6)
			switch {
			case code == exitFailure && least.MatchString(out):
				continue
			case code != 0:
				t.Errorf("exit code %d, %s", code, out)
			case float64(peak) > 1.1*memory:
				t.Errorf("%d bytes held", peak)
			}
			fits++
		}
		if fits == 0 {
			t.Errorf("%s: no memory is enough", args)
		}
	}
	if report := must(t, "", "info", filepath.Join(dir, "m.model")); !strings.Contains(report, "float64") {
		t.Errorf("float32 was not refused: %s", report)
	}
}
