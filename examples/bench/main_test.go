package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"coles"
	"coles/dataset"
)

// small stands for the graphs of the program: one in a file, twice, and one that is generated.
var small = []job{
	{"karate", 4, "free", nil},
	{"karate", 8, "dense", nil},
	{"generated", 5, "dense", &dataset.Communities{Nodes: 300, Features: 16, Dense: true, Seed: 1}},
}

// The program runs itself for every row, and another one as a peer; under test
// it is the test that is run as either.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == "-graphs":
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := run(ctx, os.Args[1:], small, os.Stdout, os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case len(os.Args) > 1 && os.Args[1] == "peer":
		peer(os.Args[2:])
	default:
		os.Exit(m.Run())
	}
}

// peer is a peer that takes as many seconds as the file has nodes, plus a
// hundredth for each column, plus a thousandth where its solver is dense; or,
// told to say something, one that says only that.
func peer(args []string) {
	if len(args) == 8 && args[0] == "say" {
		fmt.Println(args[1])
		return
	}
	if len(args) != 6 || args[0] != "--npz" || args[2] != "--dim" || args[4] != "--solver" {
		fmt.Fprintf(os.Stderr, "arguments %q", args)
		os.Exit(1)
	}
	d, err := dataset.OpenNPZ(args[1])
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
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(path, " \t") {
		t.Skipf("-peer separates words by spaces, and there are some in %s", path)
	}
	return path
}

// folder is a -data folder with the karate club, which gets some features.
func folder(t *testing.T) string {
	t.Helper()
	d := dataset.KarateClub()
	other, err := dataset.Communities{Nodes: d.Nodes(), Features: 12, Dense: true}.Generate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d.Features = other.Features
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "npz"), 0o777); err != nil {
		t.Fatal(err)
	}
	write := func(w io.Writer) error { return dataset.WriteNPZ(w, d) }
	if err := dataset.WriteFile(filepath.Join(dir, "npz", "karate.npz"), write); err != nil {
		t.Fatal(err)
	}
	return dir
}

// bench runs the program, which must leave no temporary file.
func bench(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	var out, errs bytes.Buffer
	err = run(t.Context(), args, small, &out, &errs)
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*")); len(left) > 0 {
		t.Errorf("%s is left behind", left)
	}
	return out.String(), errs.String(), err
}

func TestBenchComparesRowByRow(t *testing.T) {
	text, errs, err := bench(t, "-data", folder(t), "-peer", self(t)+" peer", "-runs", "2")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != 2+3 {
		t.Fatalf("%d lines:\n%s", len(lines), text)
	}
	for _, line := range lines {
		if strings.Count(line, "|") != 7 {
			t.Errorf("%q has not six columns", line)
		}
	}
	// The seconds of the peer tell which file, dimension and solver it was given.
	for i, want := range []string{
		"| karate, 4 | 34.04 (34.04–34.04) | direct, float64 |",
		"| karate, 8 | 34.08 (34.08–34.08) | direct, float64 |",
		"| generated, 5 | 300.05 (300.05–300.05) | direct, float64 |",
	} {
		cells := strings.Split(lines[2+i], " | ")
		if got := strings.Join([]string{cells[0], cells[2], cells[4]}, " | ") + " |"; got != want {
			t.Errorf("row %d is %q, want %q", i, got, want)
		}
		if runtime.GOOS == "linux" && cells[5] == " |" {
			t.Errorf("row %d has no peak: %q", i, lines[2+i])
		}
	}
	if want := "karate:4\nkarate:8\ngenerated:5\n"; errs != want {
		t.Errorf("progress %q, want %q", errs, want)
	}
}

func TestBenchChoosesRows(t *testing.T) {
	data := folder(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "generated:5\n"},
		{[]string{"-data", data, "-graphs", "karate"}, "karate:4\nkarate:8\n"},
		{[]string{"-data", data, "-graphs", "generated, karate:8"}, "generated:5\nkarate:8\n"},
		{[]string{"-graphs", "generated"}, "generated:5\n"},
	} {
		_, errs, err := bench(t, append(c.args, "-runs", "1")...)
		if err != nil || errs != c.want {
			t.Errorf("%q measures %q, %v; want %q", c.args, errs, err, c.want)
		}
	}
}

// A line of JSON has every run, of a solver that tells its name.
func TestBenchJSON(t *testing.T) {
	text, _, err := bench(t, "-json", "-runs", "3", "-peer", self(t)+" peer")
	if err != nil {
		t.Fatal(err)
	}
	var r row
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%q is not a line of JSON: %v", text, err)
	}
	if r.Graph != "generated" || r.Dim != 5 || len(r.Seconds) != 3 || slices.Min(r.Seconds) <= 0 ||
		!slices.Equal(r.Peer, []float64{300.051, 300.051, 300.051}) || r.Solver != coles.SolverDirect || r.Precision != coles.Float64 {
		t.Errorf("%+v", r)
	}
}

func TestRowPrints(t *testing.T) {
	for _, c := range []struct {
		r    row
		want string
	}{
		{row{Graph: "g", Dim: 2, Seconds: []float64{3, 1, 2}, Peer: []float64{9, 5}, Solver: coles.SolverKrylov, Precision: coles.Float32, PeakBytes: 13 << 20},
			"| g, 2 | 2.00 (1.00–3.00) | 7.00 (5.00–9.00) | 3.5 | krylov, float32 | 13 |"},
		{row{Graph: "g", Dim: 2, Seconds: []float64{1.234}, Solver: coles.SolverDirect, Precision: coles.Float64},
			"| g, 2 | 1.23 |  |  | direct, float64 |  |"},
	} {
		if got := c.r.String(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

func TestPeakIsThatSinceItIsWatched(t *testing.T) {
	ballast := func(megabytes int) []byte {
		b := make([]byte, megabytes<<20)
		for i := range b {
			b[i] = 1
		}
		return b
	}
	before := ballast(128)
	runtime.KeepAlive(before)
	before = nil
	debug.FreeOSMemory()
	peak := watchPeak()
	if peak() == 0 {
		t.Skip("this system does not tell the peak")
	}
	start := peak()
	during := ballast(64)
	runtime.KeepAlive(during)
	during = nil
	debug.FreeOSMemory()
	// Some of it may be memory that the process had, some of what was before may be there yet.
	if grown := peak() - start; grown < 32<<20 || grown > 96<<20 {
		t.Errorf("64 MB more moved the peak by %d", grown)
	}
}

func TestBenchSaysWhatIsWrong(t *testing.T) {
	data, program := folder(t), self(t)
	for _, c := range []struct {
		name string
		args []string
		want error  // nil: a message of this program
		text string // which the message contains
	}{
		{"file that is not there", []string{"-data", t.TempDir(), "-graphs", "karate:4"}, os.ErrNotExist, "karate:4"},
		{"in a process of its own", []string{"-data", t.TempDir()}, nil, "karate.npz"},
		{"row without -data", []string{"-graphs", "karate"}, nil, "-data is needed"},
		{"unknown row", []string{"-data", data, "-graphs", "karate,kora"}, nil, `no row "kora", there are karate:4, karate:8, generated:5`},
		{"unknown dimension", []string{"-data", data, "-graphs", "karate:16"}, nil, `"karate:16"`},
		{"no runs", []string{"-runs", "0"}, nil, "-runs 0"},
		{"no such peer", []string{"-peer", filepath.Join(data, "peer")}, os.ErrNotExist, "-peer"},
		{"blank peer", []string{"-peer", " "}, nil, "names no program"},
		{"peer that fails", []string{"-peer", program + " peer more"}, nil, "arguments"},
		{"peer that prints no JSON", []string{"-peer", program + " peer say hello"}, nil, `"hello\n"`},
		{"peer without a total", []string{"-peer", program + ` peer say {"seconds":1}`}, nil, `\"seconds\"`},
		{"peer of no time", []string{"-peer", program + ` peer say {"total":0}`}, nil, `\"total\":0`},
		{"unknown flag", []string{"-depth", "4"}, nil, "-depth"},
		{"stray argument", []string{"more"}, nil, "more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := bench(t, c.args...)
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

func TestBenchStopsWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	data := folder(t)
	for _, args := range [][]string{nil, {"-data", data}} {
		if err := run(ctx, args, small, io.Discard, io.Discard); !errors.Is(err, context.Canceled) {
			t.Errorf("%q: error %v, want context.Canceled", args, err)
		}
	}
}

func TestTrainingIsTimed(t *testing.T) {
	data := filepath.Join("..", "..", "..", "shared", "data")
	if _, err := os.Stat(data); err != nil {
		t.Skipf("%s is not there (real graphs are kept beside the project, not in it)", data)
	}
	var stdout, stderr bytes.Buffer
	if err := run(context.Background(), []string{"-train", "-data", data, "-graphs", "cora", "-runs", "1"}, small, &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(stdout.String(), "| cora, 512 | ") || !strings.Contains(stdout.String(), "gcn 512-512, float32") {
		t.Errorf("the table is\n%s", stdout.String())
	}
	if err := run(context.Background(), []string{"-train"}, small, &stdout, &stderr); err == nil {
		t.Error("-train without -data is accepted")
	}
}
