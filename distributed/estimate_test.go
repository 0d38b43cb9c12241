package distributed

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coles"
)

func TestEstimate(t *testing.T) {
	near := func(what string, got int64, want float64) {
		t.Helper()
		if math.Abs(float64(got)-want) > .005*want {
			t.Errorf("%s: %d, want %.3g", what, got, want)
		}
	}
	// By hand: 6,104 blocks of 16,384 rows, r = 6,103·(1 − (1 − 1/6,104)²⁰) = 19.97, messages
	// 10⁸·19.97·(128·4 + 2), own rows 10⁸·128·4, state 10⁸·1,032 + 4·(10⁹ + 2·10⁸·19.97).
	c, err := Estimate(1e8, 1e9, 128, 128, 8, Grid{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Blocks != 6104 || c.Height != 16384 || c.Hops != 9 {
		t.Errorf("%d blocks of %d rows, %d hops; want 6104, 16384, 9", c.Blocks, c.Height, c.Hops)
	}
	near("messages", c.Messages, 1.0262e12)
	near("own", c.Own, 51.2e9)
	near("state", c.State, 71.97e9)
	near("hop", c.Hop, 1.1494e12)
	near("total", c.Total, 10.396e12)
	near("a key", c.Key, 168.1e6)

	near("one machine", c.Machine, 163.2e9) // graph 9.6, features 51.2, X 51.2, two strips of 64 columns 51.2 GB

	double, err := Estimate(1e8, 1e9, 128, 0, 8, Grid{Messages: coles.Float64})
	if err != nil {
		t.Fatal(err)
	}
	near("messages in float64", double.Messages, 2.0485e12)

	one, err := Estimate(1000, 5000, 16, 8, 2, Grid{})
	if err != nil || one.Blocks != 1 || one.Messages != 0 {
		t.Errorf("one block sends %d bytes of messages, %v", one.Messages, err)
	}
	for _, bad := range []func() (Cost, error){
		func() (Cost, error) { return Estimate(0, 1, 1, 1, 1, Grid{}) },
		func() (Cost, error) { return Estimate(10, -1, 1, 1, 1, Grid{}) },
		func() (Cost, error) { return Estimate(10, 1, 4, 5, 1, Grid{}) },
		func() (Cost, error) { return Estimate(10, 1, 4, 4, -1, Grid{}) },
		func() (Cost, error) { return Estimate(10, 1, 4, 4, 1, Grid{Height: -1}) },
	} {
		if _, err := bad(); !errors.Is(err, coles.ErrSetting) && !errors.Is(err, coles.ErrShape) {
			t.Errorf("error %v", err)
		}
	}
}

// What one machine needs is what package coles says, and the graph and the features.
func TestEstimateOfOneMachine(t *testing.T) {
	g := newTestGraph(t)
	n, d := g.x.Dims()
	graph, err := coles.NewGraph(n, g.edges)
	if err != nil {
		t.Fatal(err)
	}
	set := coles.DefaultSettings()
	set.Model, set.Precision, set.Solver, set.Dim = coles.GraphModel, coles.Float64, coles.SolverDirect, 8
	want, err := set.Estimate(graph, g.x)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Estimate(int64(n), int64(len(g.edges)), d, 8, 8, Grid{Messages: coles.Float64})
	if err != nil {
		t.Fatal(err)
	}
	input := 8*len(g.edges) + 16*n + 8*n*d
	// The sum over rows has a buffer of its own, which does not grow with the graph.
	if fit := c.Machine - int64(input); fit > want || float64(fit) < .6*float64(want) {
		t.Errorf("%d bytes, coles says %d", fit, want)
	}
}

// The edges of a job are counted by headers and by the lengths of the first lines.
func TestJobEstimate(t *testing.T) {
	lines := strings.Repeat("12 34\n56 78 1\n", 200_000)
	dir := folderOf(t, map[string]string{
		"x.npy": npyOf(t, 2, make([]float64, 200)...), "e-1.txt": lines, "e-2.txt.gz": gzipped(lines), "e-3.npy": npyOf(t, 2, 1, 2, 3, 4, 5, 6),
	})
	job := Job{Features: []string{dir + "x.npy"}, Edges: []string{dir + "e-*"}, Out: dir + "y", Settings: coles.DefaultSettings(), Grid: Grid{Height: 10}}
	c, err := job.Estimate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want, err := Estimate(100, 800_003, 2, 2, 8, Grid{Height: 10})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(float64(c.State-want.State)) > .05*float64(want.State) {
		t.Errorf("%+v\nwant %+v", c, want)
	}
}

func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "y.npy")
	sum, err := putText(t, path, "hello", nil)
	if err != nil || sum != "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" { // sha256sum's
		t.Fatalf("%s, %v", sum, err)
	}
	broken := errors.New("broken")
	if _, err := putText(t, path, "half", broken); !errors.Is(err, broken) {
		t.Fatalf("error %v", err)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "hello" {
		t.Errorf("%q after a write that failed, %v", text, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".part-*")); left != nil {
		t.Errorf("%v is left over", left)
	}
}

func putText(t *testing.T, path, text string, fail error) (string, error) {
	return writeFile(t.Context(), path, func(w io.Writer) error {
		io.WriteString(w, text)
		return fail
	})
}
