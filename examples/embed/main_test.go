package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
)

// files writes a small graph with features and returns the paths.
func files(t *testing.T) (folder, edges, features string) {
	t.Helper()
	folder = t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	edges = write("edges.tsv", "ann\tbob\nbob\tcy\ncy\tann\ncy\tdan\n")
	features = write("features.csv", "ann,1,0,0\nbob,0,1,0\ncy,0,1,1\ndan,1,1,0\n")
	return folder, edges, features
}

func TestEmbedWritesEveryFormat(t *testing.T) {
	folder, edges, features := files(t)
	for _, ending := range []string{".npy", ".tsv", ".txt"} {
		out, model := filepath.Join(folder, "out"+ending), filepath.Join(folder, "out.model")
		var stdout, stderr bytes.Buffer
		err := run(context.Background(), []string{"-edges", edges, "-features", features, "-dim", "2", "-json", "-o", out, "-model", model}, &stdout, &stderr)
		if err != nil {
			t.Fatalf("%s: %v", ending, err)
		}
		var line map[string]any
		if err := json.Unmarshal(stdout.Bytes(), &line); err != nil {
			t.Fatalf("%s: standard output is not one line of JSON: %v", ending, err)
		}
		for key, want := range map[string]float64{"nodes": 4, "edges": 4, "features": 3, "dim": 2} {
			if line[key] != want {
				t.Errorf("%s: %s is %v, want %v", ending, key, line[key], want)
			}
		}
		stages := line["seconds"].(map[string]any)
		for _, stage := range []string{"read", "prepare", "filter", "solve", "embed", "write"} {
			if _, ok := stages[stage].(float64); !ok {
				t.Errorf("%s: no seconds for %s", ending, stage)
			}
		}
		if peak, _ := line["peak_bytes"].(float64); peak <= 0 {
			t.Errorf("%s: peak_bytes is %v", ending, line["peak_bytes"])
		}
		f, err := os.Open(model)
		if err != nil {
			t.Fatal(err)
		}
		m, err := coles.ReadModel(f)
		f.Close()
		if err != nil {
			t.Fatalf("%s: the model does not read back: %v", ending, err)
		}
		if ids := m.IDs(); len(ids) != 4 || ids[3] != "dan" {
			t.Errorf("%s: the model names its nodes %v", ending, ids)
		}
	}
	y, err := dataset.OpenNPY(filepath.Join(folder, "out.npy"))
	if err != nil {
		t.Fatal(err)
	}
	if r, c := y.Dims(); r != 4 || c != 2 {
		t.Errorf("the .npy file holds %d × %d, want 4 × 2", r, c)
	}
	for name, start := range map[string]string{"out.tsv": "ann\t", "out.txt": "4 2\nann "} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || !strings.HasPrefix(string(text), start) {
			t.Errorf("%s begins with %.20q, want %q (%v)", name, text, start, err)
		}
	}
}

func TestEmbedSaysWhatIsWrongAndLeavesNothing(t *testing.T) {
	folder, edges, features := files(t)
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	stranger := write("stranger.tsv", "ann\tbob\nann\teve\n")
	nan := write("nan.csv", "ann,1,NaN,0\nbob,0,1,0\ncy,0,1,1\ndan,1,1,0\n")
	junk := write("junk.npz", "this is no archive")
	out := filepath.Join(folder, "out.tsv")
	for _, c := range []struct {
		name string
		args []string
		want error  // nil: a message of this program
		text string // which the message contains
	}{
		{"no input", []string{"-o", out}, nil, "-edges"},
		{"two inputs", []string{"-edges", edges, "-npz", junk, "-o", out}, nil, "one of"},
		{"no output", []string{"-edges", edges}, nil, "-o"},
		{"unknown ending", []string{"-edges", edges, "-o", out + ".xls"}, nil, ".xls"},
		{"folder that is not there", []string{"-edges", edges, "-o", filepath.Join(folder, "no", "out.tsv")}, os.ErrNotExist, "out.tsv"},
		{"model folder that is not there", []string{"-edges", edges, "-o", out, "-model", filepath.Join(folder, "no", "m")}, os.ErrNotExist, "no"},
		{"output that is a folder", []string{"-edges", edges, "-o", mkdir(t, filepath.Join(folder, "d.tsv"))}, nil, "d.tsv"},
		{"file that is not there", []string{"-edges", edges + ".gone", "-o", out}, os.ErrNotExist, "gone"},
		{"unknown node", []string{"-edges", stranger, "-features", features, "-o", out}, dataset.ErrUnknownNode, "stranger.tsv:2"},
		{"NaN", []string{"-edges", edges, "-features", nan, "-o", out}, dataset.ErrNotFinite, "nan.csv:1"},
		{"junk", []string{"-npz", junk, "-o", out}, dataset.ErrFormat, "junk.npz"},
		{"d′ > d", []string{"-edges", edges, "-features", features, "-dim", "4", "-o", out}, coles.ErrDim, "4"},
		{"d′ = 0", []string{"-edges", edges, "-features", features, "-dim", "0", "-o", out}, coles.ErrDim, "0"},
		{"unknown flag", []string{"-depth", "4"}, nil, "-depth"},
		{"stray argument", []string{"-edges", edges, "-o", out, "more"}, nil, "more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			err := run(context.Background(), c.args, &stdout, &stderr)
			if err == nil {
				t.Fatal("no error")
			}
			if c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			if !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %q does not mention %q", err, c.text)
			}
			if stdout.Len() > 0 {
				t.Errorf("standard output: %q", stdout.String())
			}
			entries, err := os.ReadDir(folder)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if strings.HasPrefix(e.Name(), "out") || strings.HasSuffix(e.Name(), ".tmp") {
					t.Errorf("%s was left behind", e.Name())
				}
			}
		})
	}
}

func mkdir(t *testing.T, path string) string {
	t.Helper()
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEmbedStopsWhenInterrupted(t *testing.T) {
	folder, edges, features := files(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	out := filepath.Join(folder, "out.tsv")
	var stdout, stderr bytes.Buffer
	if err := run(ctx, []string{"-edges", edges, "-features", features, "-o", out}, &stdout, &stderr); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("an output was written")
	}
}
