package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"coles/internal/testkit"
	"coles/task"
)

// Bytes that no script holds: exit code 1, one line that names the file and what is wrong.
func TestDamagedInput(t *testing.T) {
	dir, edges, features := small(t)
	model := filepath.Join(dir, "good.model")
	must(t, "", "embed", edges, "-features", features, "-dim", "2", "-model", model)
	sound := read(t, model)
	for name, stdin := range map[string]string{
		"gzip cut off": "\x1f\x8b\x08\x00", "model cut off": sound[:len(sound)-1],
		"model changed": sound[:200] + "x" + sound[201:], "text behind a model": sound + "x",
	} {
		t.Run(name, func(t *testing.T) { refused(t, dir, exitFailure, "standard input", stdin, "info", "-") })
	}
	refused(t, dir, exitFailure, "no; file", "", "info", "no\nfile")
	refused(t, dir, exitFailure, "; tsv can", "\"ann\x00\" bob\n", "embed", "-dim", "1", "-to", "npz")
}

// A reader that fails at any byte is an error with the reader's text.
func TestInputThatFails(t *testing.T) {
	dir, _, features := small(t)
	for n := range len(edgesText) {
		var stdout, stderr bytes.Buffer
		stdin := io.MultiReader(strings.NewReader(edgesText[:n]), iotest.ErrReader(errors.New("the wire is cut")))
		code := run(t.Context(), []string{"embed", "-", "-features", features, "-dim", "2"}, stdin, &stdout, &stderr)
		checkError(t, dir, code, exitFailure, stdout.String(), stderr.String(), "the wire is cut")
	}
}

// failing takes n bytes and then no more.
type failing struct{ n int }

func (f *failing) Write(p []byte) (int, error) {
	if len(p) > f.n {
		return f.n, errors.New("the disk is full")
	}
	f.n -= len(p)
	return len(p), nil
}

func TestOutputThatFails(t *testing.T) {
	dir, edges, features := small(t)
	labels := filepath.Join(dir, "labels.txt")
	for _, args := range [][]string{
		{"predict", edges, "-labels", labels, "-all"}, {"predict", edges, "-labels", labels, "-all", "-json"},
		{"cluster", edges, "-k", "2"}, {"cluster", edges, "-k", "2", "-json"},
		{"links", edges, "-embedding", features}, {"links", edges, "-embedding", features, "-json"},
		{"embed", edges, "-features", features, "-dim", "2"},
		{"embed", edges, "-features", features, "-dim", "2", "-to", "npz"},
		{"info", edges}, {"info", edges, "-json"},
		{"similar", "-embedding", features, "ann"},
		{"convert", "-to", "npy", "-from", "tsv", features, "-"},
	} {
		_, whole, _ := call("", args...)
		size := len(whole)
		if size == 0 {
			t.Errorf("%v prints nothing", args)
		}
		for n := 0; n < size; n += 1 + size/20 {
			var stderr bytes.Buffer
			if code := run(t.Context(), args, strings.NewReader(""), &failing{n}, &stderr); code != exitFailure || !strings.Contains(stderr.String(), "the disk is full") {
				t.Fatalf("%v on a disk of %d bytes: exit %d, %q", args, n, code, stderr.String())
			}
		}
	}
}

// What waits for standard input stops when it is interrupted.
func TestInterruptedWhileNothingComes(t *testing.T) {
	dir, edges, _ := small(t)
	for _, args := range [][]string{
		{"embed", "-o", filepath.Join(dir, "out.tsv")},
		{"embed", edges, "-features", "-"}, {"embed", edges, "-with", "-"}, {"embed", edges, "-settings", "-"},
		{"eval", edges, "-labels", "-"}, {"eval", edges, "-dim", "1", "-labels", filepath.Join(dir, "labels.txt"), "-splits", "-"},
		{"info"}, {"info", "-from", "npz"}, {"similar", "ann"}, {"similar", "-from", "npy", "ann"}, {"similar", "-from", "word2vec", "ann"},
		{"convert", "-from", "tsv", "-to", "npy", "-", filepath.Join(dir, "out.npy")}, {"convert", "-from", "npz", "-to", "npz", "-", "-"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		stdin, feed := io.Pipe()
		time.AfterFunc(20*time.Millisecond, cancel)
		var stdout, stderr bytes.Buffer
		code := run(ctx, args, stdin, &stdout, &stderr) // or the test runs out of time
		checkError(t, dir, code, exitInterrupted, stdout.String(), stderr.String(), "interrupted")
		feed.Close()
	}
}

// A context that is done before the program begins stops every command.
func TestInterruptedBefore(t *testing.T) {
	dir, edges, features := small(t)
	archive, out, labels := filepath.Join(dir, "g.npz"), filepath.Join(dir, "out.npy"), filepath.Join(dir, "labels.txt")
	must(t, "", "convert", edges, archive, "-features", features, "-labels", labels)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{
		{"embed", edges, "-features", features, "-o", out}, {"embed", archive, "-o", out},
		{"eval", archive}, {"info", archive}, {"info", edges},
		{"similar", "-embedding", features, "ann"},
		{"predict", edges, "-labels", labels, "-o", filepath.Join(dir, "out.tsv"), "-classifier", filepath.Join(dir, "out.classifier")},
		{"cluster", archive, "-k", "3", "-o", filepath.Join(dir, "out.tsv")}, {"links", archive},
		{"plot", archive, "-o", filepath.Join(dir, "out.png")},
		{"convert", "-from", "tsv", features, out}, {"convert", archive, filepath.Join(dir, "out.npz")},
	} {
		var stdout, stderr bytes.Buffer
		code := run(ctx, args, strings.NewReader(""), &stdout, &stderr)
		checkError(t, dir, code, exitInterrupted, stdout.String(), stderr.String(), "interrupted")
	}
}

// What cannot be written is called as the user calls it.
func TestErrorsHaveNoNamesOfOtherFiles(t *testing.T) {
	if _, err := os.Stat("/proc/self"); err != nil {
		t.Skip("no folder that takes no file:", err)
	}
	_, edges, _ := small(t)
	_, _, stderr := call("", "embed", edges, "-o", "/proc/x.tsv")
	testkit.WantSame(t, "standard error", stderr, "coles: cannot write /proc/x.tsv: no such file or directory\n")
}

// A classifier of an earlier version has no hash of its model, and a file of a model and another's encoder is refused.
func TestFilesThatNoCommandWrites(t *testing.T) {
	dir, edges, features := small(t)
	file := func(name string) string { return filepath.Join(dir, name) }
	write(t, file("words.csv"), "ann,red,x\nbob,red,y\ncy,blue,x\ndan,blue,y\n")
	labels := write(t, file("some.csv"), "ann,x\nbob,x\ncy,y\n")
	graph := []string{edges, "-features", features}
	with := func(command string, more ...string) []string {
		return append(append([]string{command}, graph...), more...)
	}
	must(t, "", with("embed", "-kind", "graph", "-dim", "2", "-model", file("m"))...)
	must(t, "", "embed", edges, "-features", file("words.csv"), "-header", "no", "-dim", "2", "-model", file("words"))
	said(t, with("predict", "-with", file("m"), "-labels", labels, "-classifier", file("k"))[1:]...)
	old := testkit.Must(task.ReadFile(strings.NewReader(read(t, file("k")))))
	old.Predictor.Origin.Hash = ""
	var b bytes.Buffer
	testkit.Err(old.WriteTo(&b))
	write(t, file("old"), b.String())
	_, stderr := said(t, with("predict", "-with", file("m"), "-use", file("old"))[1:]...)
	testkit.WantText(t, stderr, "whether one model made both cannot be checked")
	refused(t, dir, exitFailure, "old learnt from the graph model, and ", "", with("predict", "-kind", "features", "-use", file("old"))...)
	words := read(t, file("words"))
	write(t, file("mixed"), read(t, file("m"))+words[strings.Index(words, "COLESTAB"):])
	refused(t, dir, exitFailure, "mixed: malformed: an encoder of ", "", "embed", edges, "-features", file("words.csv"), "-header", "no", "-with", file("mixed"))
}
