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
	"coles/internal/testkit"
)

func TestEstimate(t *testing.T) {
	// By hand: 6,104 blocks of 16,384 rows, r = 6,103·(1 − (1 − 1/6,104)²⁰) = 19.97, messages
	// 10⁸·19.97·(128·4 + 2), own rows 10⁸·128·4, state 10⁸·1,032 + 4·(10⁹ + 2·10⁸·19.97).
	c, err := Estimate(1e8, 1e9, 128, 128, 8, Grid{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Blocks != 6104 || c.Height != 16384 || c.Hops != 9 {
		t.Errorf("%d blocks of %d rows, %d hops; want 6104, 16384, 9", c.Blocks, c.Height, c.Hops)
	}
	double, err := Estimate(1e8, 1e9, 128, 0, 8, Grid{Messages: coles.Float64})
	if err != nil {
		t.Fatal(err)
	}
	for what, pair := range map[string][2]float64{
		"messages": {float64(c.Messages), 1.0262e12}, "own": {float64(c.Own), 51.2e9}, "state": {float64(c.State), 71.97e9},
		"hop": {float64(c.Hop), 1.1494e12}, "total": {float64(c.Total), 10.396e12}, "a key": {float64(c.Key), 168.1e6},
		"one machine":         {float64(c.Machine), 163.2e9}, // graph 9.6, features 51.2, X 51.2, two strips of 64 columns 51.2 GB
		"messages in float64": {float64(double.Messages), 2.0485e12},
		// 6,104·6,103/2 tiles, all but e⁻⁵³·⁷ of them there: a tile, its list of rows and two messages each.
		"elements": {float64(c.Elements), 4*18.626e6 + 3*6104}, "frames": {float64(c.Frames), 4.47e9},
		"core hours": {c.Seconds / 3600, (10.437e12/45e6 + 9*74.52e6*8e-6) / 3600},
	} {
		if math.Abs(pair[0]-pair[1]) > .005*pair[1] {
			t.Errorf("%s: %.4g, want %.4g", what, pair[0], pair[1])
		}
	}
	// With 600 features blocks are as high as for tiles of 50 edges: √(2.5·10⁸) rows.
	if wide, err := Estimate(1e8, 1e9, 600, 128, 8, Grid{}); err != nil || wide.Height != 15811 || wide.Elements > 85e6 {
		t.Errorf("600 features: %d rows, %d elements, %v", wide.Height, wide.Elements, err)
	}
	one, err := Estimate(1000, 5000, 16, 8, 2, Grid{})
	if err != nil || one.Blocks != 1 || one.Messages != 0 {
		t.Errorf("one block sends %d bytes of messages, %v", one.Messages, err)
	}
	for _, bad := range []func() (Cost, error){
		func() (Cost, error) { return Estimate(0, 1, 1, 1, 1, Grid{}) },
		func() (Cost, error) { return Estimate(10, -1, 1, 1, 1, Grid{}) },
		func() (Cost, error) { return Estimate(10, 1, 4, 4, -1, Grid{}) },
		func() (Cost, error) { return Estimate(10, 1, 4, 4, 1, Grid{Height: -1}) },
	} {
		if _, err := bad(); !errors.Is(err, coles.ErrSetting) && !errors.Is(err, coles.ErrShape) {
			t.Errorf("error %v", err)
		}
	}
}

// One machine needs the memory that package coles estimates, and graph and features.
func TestEstimateOfOneMachine(t *testing.T) {
	g := runSample()
	n, d := g.x.Dims()
	set := coles.DefaultSettings()
	set.Kind, set.Precision, set.Solver, set.Dim = coles.UseGraph, coles.Float64, coles.SolverDirect, 8
	want, err := set.Estimate(g.graph(), g.x)
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
	c := testkit.Must(job.Estimate(t.Context()))
	want := testkit.Must(Estimate(100, 800_003, 2, 2, 8, Grid{Height: 10}))
	if math.Abs(float64(c.State-want.State)) > .05*float64(want.State) {
		t.Errorf("%+v\nwant %+v", c, want)
	}
}

// The frames of elements are counted by their kinds: in a pair of blocks a tile, a list and two messages.
func TestFrameBytes(t *testing.T) {
	bytes := 0
	for _, p := range []piece{{Tile: &tile{Ptr: []int32{}}}, {Mates: &mates{}}, {Message: &message{}}, {Message: &message{}}} {
		bytes += len(frameOf(p)) + 20
	}
	if off := math.Abs(float64(bytes)/4 - frameBytes); off > 3 {
		t.Errorf("%v bytes a frame, off by %v", float64(bytes)/4, off)
	}
}

func TestWriteFile(t *testing.T) {
	dir, broken := t.TempDir(), errors.New("broken")
	put := func(text string, fail error) (File, error) {
		return writeFile(t.Context(), dir, "y.npy", func(w io.Writer) error {
			io.WriteString(w, text)
			return fail
		})
	}
	// By sha256sum.
	want := File{Name: "y.npy", Bytes: 5, SHA256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}
	if file, err := put("hello", nil); err != nil || file != want {
		t.Fatalf("%+v, %v", file, err)
	}
	if _, err := put("half", broken); !errors.Is(err, broken) {
		t.Fatalf("error %v", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "y.npy"))
	if err != nil || string(text) != "hello" {
		t.Errorf("%q after a write that failed, %v", text, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".part-*")); left != nil {
		t.Errorf("%v is left over", left)
	}
}
