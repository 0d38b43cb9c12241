package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
)

// The program runs itself for every size; under test it is the test that it
// runs, which then has to be the program.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-sizes" {
		main()
		return
	}
	os.Exit(m.Run())
}

func scale(t *testing.T, args ...string) (string, error) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	var stdout, stderr bytes.Buffer
	err := run(t.Context(), args, &stdout, &stderr)
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*")); len(left) > 0 {
		t.Errorf("%s is left behind", left)
	}
	return stdout.String(), err
}

var tiny = []string{"-features", "16", "-dim", "8", "-hops", "2"}

func TestScalePrintsARowPerSizeAndDraws(t *testing.T) {
	out := filepath.Join(t.TempDir(), "scale.png")
	text, err := scale(t, append(tiny, "-runs", "3", "-sizes", "200,400, 800", "-plot", out)...)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text, "\n")
	columns := strings.Count(lines[0], "|")
	for i, start := range []string{"| nodes |", "|--:|", "| 200 |", "| 400 |", "| 800 |"} {
		if !strings.HasPrefix(lines[i], start) || strings.Count(lines[i], "|") != columns {
			t.Errorf("line %d is %q, want %d columns from %q", i, lines[i], columns-1, start)
		}
	}
	for _, want := range []string{"16 features, 8 columns, 2 hops", "grows as edges^", "3 sizes"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := png.Decode(f); err != nil {
		t.Errorf("the picture is no PNG: %v", err)
	}
}

func TestScaleKeepsTheFeatures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	text, err := scale(t, append(tiny, "-sizes", "300", "-degree", "5", "-json", "-seed", "3", "-features-file", path)...)
	if err != nil {
		t.Fatal(err)
	}
	var r row
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%q is not a line of JSON: %v", text, err)
	}
	d, err := dataset.Communities{Nodes: 300, Degree: 5, Features: 16, Dense: true, Seed: 3}.Generate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Nodes != 300 || r.Edges != d.Adjacency.NNZ()/2 || r.Features != 16 || r.Dim != 8 || r.Hops != 2 {
		t.Errorf("%+v", r)
	}
	if r.fit() <= 0 || r.Seconds.Graph <= 0 || r.Seconds.Generate <= 0 || r.PeakBytes < 1<<20 || r.EstimatedBytes <= 0 || r.Peak == "" {
		t.Errorf("something took nothing: %+v", r)
	}
	x, err := dataset.MapNPY(path)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for i := range 300 {
		for j := range 16 {
			if x.Matrix().At(i, j) != d.Features.At(i, j) {
				t.Fatalf("the file has %v at (%d, %d), want %v", x.Matrix().At(i, j), i, j, d.Features.At(i, j))
			}
		}
	}
}

// On Linux the peak is that of what runs after forgetPeak.
func TestPeakForgets(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems do not tell the peak")
	}
	before := peakBytes()
	ballast := make([]byte, 64<<20)
	for i := range ballast {
		ballast[i] = 1
	}
	during := peakBytes()
	if during < before+32<<20 { // some of it may be memory the process had before
		t.Errorf("64 MB more moved the peak from %d to %d", before, during)
	}
	runtime.KeepAlive(ballast)
	debug.FreeOSMemory()
	if forgetPeak() != peakOfFit {
		t.Skip("the system does not let the peak be forgotten")
	}
	if after := peakBytes(); after == 0 || after > during-32<<20 {
		t.Errorf("64 MB less moved the peak from %d to %d", during, after)
	}
}

// Of several runs the median counts, with the stages of that very run.
func TestTakeIsTheMedianRun(t *testing.T) {
	report := func(prepare, solve float64) coles.Report {
		return coles.Report{Seconds: coles.StageSeconds{Prepare: prepare, Solve: solve}}
	}
	var r row
	r.take([]coles.Report{report(9, 1), report(1, 2), report(4, 0.5)})
	if r.Seconds.Prepare != 4 || r.Seconds.Solve != 0.5 || r.fit() != 4.5 {
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
	folder := t.TempDir()
	for _, c := range []struct {
		name string
		args []string
		want error  // nil: a message of this program
		text string // which the message contains
	}{
		{"size that is no number", []string{"-sizes", "10,ten"}, nil, `"ten"`},
		{"size 0", []string{"-sizes", "0"}, nil, `"0"`},
		{"no size", []string{"-sizes", ""}, nil, "-sizes"},
		{"no features", []string{"-features", "0"}, nil, "-features 0"},
		{"d′ > d", []string{"-features", "8", "-dim", "9"}, nil, "-dim 9"},
		{"d′ = 0", []string{"-dim", "0"}, nil, "-dim 0"},
		{"no runs", []string{"-runs", "0"}, nil, "-runs 0"},
		{"no hops", []string{"-hops", "0"}, nil, "-hops 0"},
		{"features file of two sizes", []string{"-sizes", "20,30", "-features-file", filepath.Join(folder, "x.npy")}, nil, "single size"},
		{"folder that is not there", []string{"-sizes", "20", "-features-file", filepath.Join(folder, "no", "x.npy")}, os.ErrNotExist, "x.npy"},
		{"picture folder that is not there", []string{"-plot", filepath.Join(folder, "no", "x.png")}, os.ErrNotExist, "x.png"},
		{"unknown picture", []string{"-plot", filepath.Join(folder, "x.bmp")}, nil, ".bmp"},
		{"degree out of range", append(tiny, "-sizes", "20", "-degree", "21"), dataset.ErrOption, "Degree"},
		{"degree out of range in a process of its own", append(tiny, "-sizes", "20,30", "-degree", "25"), nil, "Degree"},
		{"unknown flag", []string{"-depth", "4"}, nil, "-depth"},
		{"stray argument", []string{"more"}, nil, "more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := scale(t, c.args...)
			if err == nil {
				t.Fatal("no error")
			}
			if c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			if !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %q does not mention %q", err, c.text)
			}
		})
	}
}

func TestScaleStopsWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	for _, sizes := range []string{"200", "200,400"} {
		if err := run(ctx, append(tiny, "-sizes", sizes), &stdout, &stderr); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want context.Canceled", sizes, err)
		}
	}
}
