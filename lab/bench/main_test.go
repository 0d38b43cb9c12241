package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"coles"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/examples/shared/clitest"
	"coles/internal/testkit"
	"coles/lab/internal/labtest"
)

// small stands for the graphs of the program: one in a file, twice, and one that is generated.
var small = []job{
	{"karate", 4, "free", nil, 0},
	{"karate", 8, "dense", nil, 0},
	{"generated", 5, "dense", &synthetic.Communities{Nodes: 300, Features: 16, Dense: true, Seed: 1}, 0},
}

// The program runs itself for every row, and another one as a peer; under test it is the test that
// is run as either.
func TestMain(m *testing.M) {
	switch {
	case slices.Contains(os.Args, "-graphs"):
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := program(small)(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case len(os.Args) > 1 && os.Args[1] == "peer":
		peer(os.Args[2:])
	default:
		os.Exit(m.Run())
	}
}

// peer is a peer that takes as many seconds as the file has nodes, plus a hundredth for each
// column, plus a thousandth where its solver is dense; or, told to say something, one that says
// only that.
func peer(args []string) {
	if len(args) == 8 && args[0] == "say" {
		fmt.Println(args[1])
		return
	}
	if len(args) != 6 || args[0] != "--npz" || args[2] != "--dim" || args[4] != "--solver" {
		fmt.Fprintf(os.Stderr, "arguments %q", args)
		os.Exit(1)
	}
	d, err := dataset.Open(args[1], dataset.ReadNPZ)
	if err != nil {
		fmt.Fprint(os.Stderr, err)
		os.Exit(1)
	}
	var dim int
	fmt.Sscan(args[3], &dim)
	total := float64(d.Nodes()) + float64(dim)/100
	if args[5] == "dense" {
		total += 0.001
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{"total": total, "seconds": map[string]float64{"eigen": 1}})
}

func self(t *testing.T) string {
	t.Helper()
	path := testkit.Must(os.Executable())
	if strings.ContainsAny(path, " \t") {
		t.Skipf("-peer separates words by spaces, and there are some in %s", path)
	}
	return path
}

// folder is a -data folder with the karate club, which gets some features.
func folder(t *testing.T) string {
	t.Helper()
	d := dataset.KarateClub()
	other := testkit.Must(synthetic.Communities{Nodes: d.Nodes(), Features: 12, Dense: true}.Generate(t.Context()))
	d.Features = other.Features
	dir := t.TempDir()
	labtest.Archive(t, dir, "karate", d)
	return dir
}

func TestBenchComparesRowByRow(t *testing.T) {
	clitest.NoLitter(t)
	text, errs := clitest.Run(t, program(small), "-data", folder(t), "-peer", self(t)+" peer", "-runs", "2")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != 2+3 || strings.Count(text, "|") != 5*9 {
		t.Fatalf("not five lines of eight columns:\n%s", text)
	}
	// The seconds of the peer tell which file, dimension and solver it was given.
	for i, want := range []string{
		"| karate, 4 | 34.04 (34.04–34.04) | direct, float64 |",
		"| karate, 8 | 34.08 (34.08–34.08) | direct, float64 |",
		"| generated, 5 | 300.05 (300.05–300.05) | direct, float64 |",
	} {
		cells := strings.Split(lines[2+i], " | ")
		testkit.WantSame(t, "row", strings.Join([]string{cells[0], cells[2], cells[5]}, " | ")+" |", want)
		if runtime.GOOS == "linux" && (cells[6] == "" || cells[7] == " |") {
			t.Errorf("row %d does not tell the memory: %q", i, lines[2+i])
		}
	}
	testkit.WantSame(t, "progress", errs, "karate:4\nkarate:8\ngenerated:5\n")
}

func TestBenchChoosesRows(t *testing.T) {
	data := folder(t)
	for args, want := range map[string]string{
		"":                                 "generated:5\n",
		"-graphs generated":                "generated:5\n",
		"-graphs karate -data":             "karate:4\nkarate:8\n",
		"-graphs generated,karate:8 -data": "generated:5\nkarate:8\n",
	} {
		words := append([]string{"-runs", "1"}, strings.Fields(args)...)
		if strings.HasSuffix(args, "-data") {
			words = append(words, data)
		}
		_, errs := clitest.Run(t, program(small), words...)
		testkit.WantSame(t, "measured by "+args, errs, want)
	}
}

// A line of JSON has every run, of a solver that tells its name.
func TestBenchJSON(t *testing.T) {
	clitest.NoLitter(t)
	text, _ := clitest.Run(t, program(small), "-json", "-runs", "3", "-peer", self(t)+" peer")
	var r row
	testkit.Check(t, json.Unmarshal([]byte(text), &r))
	if r.Graph != "generated" || r.Dim != 5 || len(r.Seconds) != 3 || slices.Min(r.Seconds) <= 0 || len(r.Warm) != 3 || slices.Min(r.Warm) <= 0 ||
		!slices.Equal(r.Peer, []float64{300.051, 300.051, 300.051}) || r.Solver != coles.SolverDirect || r.Precision != coles.Float64 {
		t.Errorf("%+v", r)
	}
}

func TestRowPrints(t *testing.T) {
	for _, c := range []struct {
		r    row
		want string
	}{
		{row{Graph: "g", Dim: 2, Seconds: []float64{3, 1, 2}, Peer: []float64{9, 5}, Warm: []float64{1, 1, 2},
			Solver: coles.SolverKrylov, Precision: coles.Float32, FreshBytes: 7 << 20, PeakBytes: 13 << 20},
			"| g, 2 | 2.00 (1.00–3.00) | 7.00 (5.00–9.00) | 3.5 | 1.00 (1.00–2.00) | krylov, float32 | 7 | 13 |"},
		{row{Graph: "g", Dim: 2, Seconds: []float64{1.234}, Solver: coles.SolverDirect, Precision: coles.Float64},
			"| g, 2 | 1.23 |  |  |  | direct, float64 |  |  |"},
	} {
		testkit.WantSame(t, "row", c.r.String(), c.want)
	}
}

func TestBenchSaysWhatIsWrong(t *testing.T) {
	clitest.NoLitter(t)
	data, empty, self := folder(t), t.TempDir(), self(t)
	clitest.Refuses(t, program(small), []clitest.Refusal{
		{Name: "file that is not there", Args: []string{"-data", empty, "-graphs", "karate:4", "-runs", "1"}, Is: os.ErrNotExist, Text: "karate:4"},
		{Name: "in a process of its own", Args: []string{"-data", empty}, Text: "karate.npz"},
		{Name: "row without -data", Args: []string{"-graphs", "karate"}, Text: "-data is needed"},
		{Name: "training without -data", Args: []string{"-train", "gcn"}, Text: "-data is needed"},
		{Name: "unknown training", Args: []string{"-train", "gin"}, Text: "-train gin"},
		{Name: "unknown row", Args: []string{"-data", data, "-graphs", "karate,kora"}, Text: `"kora" is none of karate:4, karate:8, generated:5`},
		{Name: "unknown dimension", Args: []string{"-data", data, "-graphs", "karate:16"}, Text: `"karate:16"`},
		{Name: "no runs", Args: []string{"-runs", "0"}, Text: "-runs 0"},
		{Name: "no such peer", Args: []string{"-peer", filepath.Join(data, "peer")}, Is: os.ErrNotExist, Text: "-peer"},
		{Name: "blank peer", Args: []string{"-peer", " "}, Text: "names no program"},
		{Name: "peer that fails", Args: []string{"-peer", self + " peer more"}, Text: "arguments"},
		{Name: "peer that prints no JSON", Args: []string{"-peer", self + " peer say hello"}, Text: `"hello\n"`},
		{Name: "peer without a total", Args: []string{"-peer", self + ` peer say {"seconds":1}`}, Text: `\"seconds\"`},
		{Name: "peer of no time", Args: []string{"-peer", self + ` peer say {"total":0}`}, Text: `\"total\":0`},
	})
}

func TestBenchStopsWhenInterrupted(t *testing.T) {
	clitest.NoLitter(t)
	clitest.Stops(t, program(small))
	clitest.Stops(t, program(small), "-data", folder(t))
}

func TestTrainingIsTimed(t *testing.T) {
	for training, want := range map[string][2]string{
		"gcn":   {"| cora, 512 |", "gcn:512 → relu → gcn:512, float32"},
		"dgi":   {"| cora, 512 |", "gcn:512 → prelu, float32"},
		"grace": {"| cora, 128 |", "gcn:256 → relu → gcn:128 → relu, float32"},
	} {
		text, _ := clitest.Run(t, program(small), "-train", training, "-data", testkit.Shared(t, "data"), "-graphs", "cora", "-runs", "1")
		testkit.WantText(t, text, want[0], want[1])
	}
}
