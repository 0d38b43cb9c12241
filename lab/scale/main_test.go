package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/dataset/synthetic"
	"coles/examples/shared/clitest"
	"coles/internal/testkit"
)

// The program runs itself for every size; under test it is the test that it runs, which then has to
// be the program.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args, "-sizes") {
		main()
		return
	}
	os.Exit(m.Run())
}

var tiny = []string{"-features", "16", "-dim", "8", "-hops", "2"}

func TestScalePrintsARowPerSizeAndDraws(t *testing.T) {
	out := filepath.Join(t.TempDir(), "scale.png")
	clitest.NoLitter(t)
	text, _ := clitest.Run(t, run, append(tiny, "-runs", "3", "-sizes", "200,400, 800", "-plot", out)...)
	lines := strings.Split(text, "\n")
	columns := strings.Count(lines[0], "|")
	for i, start := range []string{"| nodes |", "|--:|", "| 200 |", "| 400 |", "| 800 |"} {
		if !strings.HasPrefix(lines[i], start) || strings.Count(lines[i], "|") != columns {
			t.Errorf("line %d is %q, want %d columns from %q", i, lines[i], columns-1, start)
		}
	}
	testkit.WantText(t, text, "16 features, 8 columns, 2 hops", "grows as edges^", "3 sizes")
	clitest.WantPNG(t, out)
}

// A line of JSON is of the graph that is generated from the seed.
func TestScaleJSON(t *testing.T) {
	clitest.NoLitter(t)
	text, _ := clitest.Run(t, run, append(tiny, "-sizes", "300", "-degree", "5", "-json", "-seed", "3")...)
	var r row
	testkit.Check(t, json.Unmarshal([]byte(text), &r))
	d := testkit.Must(synthetic.Communities{Nodes: 300, Degree: 5, Features: 16, Dense: true, Seed: 3}.Generate(t.Context()))
	if r.Nodes != 300 || r.Edges != d.Adjacency.NNZ()/2 || r.Features != 16 || r.Dim != 8 || r.Hops != 2 {
		t.Errorf("%+v", r)
	}
	if r.fit() <= 0 || r.Seconds.Graph <= 0 || r.Seconds.Generate <= 0 || r.PeakBytes < 1<<20 || r.EstimatedBytes <= 0 || r.Peak == "" {
		t.Errorf("something took nothing: %+v", r)
	}
}

// Of several runs the median counts, with the stages of that very run.
func TestMedianRun(t *testing.T) {
	run := func(prepare, solve float64) row {
		var r coles.Report
		r.Seconds.Prepare, r.Seconds.Solve = prepare, solve
		return row{}.with(r)
	}
	if r := median([]row{run(9, 1), run(1, 2), run(4, 0.5)}); r.Seconds.Prepare != 4 || r.Seconds.Solve != 0.5 || r.fit() != 4.5 {
		t.Errorf("%+v, want the run of 4.5 s", r.Seconds)
	}
}

func TestGrowthIsTheSlope(t *testing.T) {
	cubic := func(edges int) row {
		r := row{Edges: edges}
		r.Seconds.Solve = 2e-9 * math.Pow(float64(edges), 3)
		return r
	}
	if slope, ok := growth([]row{cubic(100), cubic(200), cubic(700)}); !ok || math.Abs(slope-3) > 1e-12 {
		t.Errorf("slope %v, want 3", slope)
	}
	for name, rows := range map[string][]row{
		"one size":          {cubic(100)},
		"the same twice":    {cubic(100), cubic(100)},
		"one without edges": {cubic(0), cubic(100)},
	} {
		if slope, ok := growth(rows); ok {
			t.Errorf("%s: slope %v", name, slope)
		}
	}
}

func TestScaleSaysWhatIsWrong(t *testing.T) {
	clitest.NoLitter(t)
	folder := t.TempDir()
	clitest.Refuses(t, run, []clitest.Refusal{
		{Name: "size that is no number", Args: []string{"-sizes", "10,ten"}, Text: `"ten"`},
		{Name: "size 0", Args: []string{"-sizes", "0"}, Text: `"0"`},
		{Name: "no size", Args: []string{"-sizes", ""}, Text: "-sizes"},
		{Name: "no features", Args: []string{"-features", "0"}, Text: "-features 0"},
		{Name: "d′ > d", Args: []string{"-features", "8", "-dim", "9"}, Text: "-dim 9"},
		{Name: "d′ = 0", Args: []string{"-dim", "0"}, Text: "-dim 0"},
		{Name: "no runs", Args: []string{"-runs", "0"}, Text: "-runs 0"},
		{Name: "no hops", Args: []string{"-hops", "0"}, Text: "-hops 0"},
		{Name: "picture folder that is not there", Args: []string{"-plot", filepath.Join(folder, "no", "x.png")}, Is: os.ErrNotExist, Text: "x.png"},
		{Name: "unknown picture", Args: []string{"-plot", filepath.Join(folder, "x.bmp")}, Text: ".bmp"},
		{Name: "degree out of range", Args: append(tiny, "-sizes", "20", "-degree", "21"), Is: coles.ErrSetting, Text: "Degree"},
		{Name: "degree out of range in a process of its own", Args: append(tiny, "-sizes", "20,30", "-degree", "25"), Text: "Degree"},
	})
}

func TestScaleStopsWhenInterrupted(t *testing.T) {
	clitest.NoLitter(t)
	for _, sizes := range []string{"200", "200,400"} {
		clitest.Stops(t, run, append(tiny, "-sizes", sizes)...)
	}
}
