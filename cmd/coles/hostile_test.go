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
)

// Every case is exit code 1, one line that names the fault and its place, and no output.
func TestFailures(t *testing.T) {
	dir, edges, features := small(t)
	file := func(name, text string) string { return write(t, filepath.Join(dir, name), text) }
	out := filepath.Join(dir, "out.tsv")
	model := filepath.Join(dir, "good.model")
	must(t, "", "embed", edges, "-features", features, "-dim", "2", "-model", model)
	sound := read(t, model)
	bare := filepath.Join(dir, "bare.npz")
	must(t, "", "convert", edges, bare)
	gone := filepath.Join(dir, "gone.tsv")
	split := file("split.json", `{"train": [[0, 9]], "val": [[]]}`)
	for name, c := range map[string]struct {
		args  []string
		stdin string
		text  string
	}{
		"no such graph":              {[]string{"embed", gone, "-o", out}, "", "gone.tsv"},
		"no such features":           {[]string{"embed", edges, "-features", gone, "-o", out}, "", "gone.tsv"},
		"no such model":              {[]string{"embed", edges, "-with", gone, "-o", out}, "", "gone.tsv"},
		"no such settings":           {[]string{"embed", edges, "-settings", gone, "-o", out}, "", "gone.tsv"},
		"no such labels":             {[]string{"info", edges, "-labels", gone}, "", "gone.tsv"},
		"no such archive":            {[]string{"info", gone + ".npz"}, "", "gone.tsv.npz"},
		"a folder":                   {[]string{"embed", dir, "-o", out}, "", "folder"},
		"a folder to write":          {[]string{"embed", edges, "-to", "tsv", "-o", dir}, "", "folder"},
		"no folder to write in":      {[]string{"embed", edges, "-o", filepath.Join(dir, "no", "out.tsv")}, "", "out.tsv"},
		"no folder for the model":    {[]string{"embed", edges, "-o", out, "-model", filepath.Join(dir, "no", "m")}, "", "no"},
		"empty input":                {[]string{"embed", "-o", out}, "", "standard input"},
		"one word":                   {[]string{"embed", "-o", out}, "a b\nc\n", "standard input:2"},
		"negative weight":            {[]string{"embed", "-o", out}, "a b 1\na c -1\n", "standard input: graph: value is negative: weight -1"},
		"unknown node":               {[]string{"embed", "-", "-features", features, "-o", out}, "ann bob\nann eve\n", "standard input:2:5"},
		"features of no number":      {[]string{"embed", edges, "-features", "-", "-numeric", "2", "-o", out}, "ann 1\nbob x\ncy 3\ndan 4\n", `standard input:2: column "2"`},
		"too few features":           {[]string{"embed", edges, "-features", "-", "-o", out}, "ann 1\nbob 2\n", `"cy"`},
		"junk in an archive":         {[]string{"info", "-from", "npz", "-"}, "this is no archive", "standard input"},
		"junk in npy":                {[]string{"similar", "-from", "npy", "1"}, "this is no matrix", "standard input"},
		"gzip cut off":               {[]string{"info", "-"}, "\x1f\x8b\x08\x00", "standard input"},
		"junk for a model":           {[]string{"embed", edges, "-with", "-", "-o", out}, "COLESMDL, says who?", "standard input"},
		"model cut off":              {[]string{"info", "-"}, sound[:len(sound)-1], "standard input"},
		"model changed":              {[]string{"info", "-"}, sound[:200] + "x" + sound[201:], "standard input"},
		"text behind a model":        {[]string{"info", "-"}, sound + "x", "standard input"},
		"model of other features":    {[]string{"embed", edges, "-with", model, "-o", out}, "", "features"},
		"settings of another kind":   {[]string{"embed", edges, "-settings", "-", "-o", out}, "{\n \"dim\": \"two\"}", "standard input:2"},
		"settings unknown":           {[]string{"embed", edges, "-settings", "-", "-o", out}, "{\"dmi\": 2}", "dmi"},
		"settings out of range":      {[]string{"embed", edges, "-settings", file("eta.json", `{"eta": 5}`), "-o", out}, "", "eta.json: -eta 5: want 0 to 1"},
		"a header of other words":    {[]string{"embed", "-", "-features", features, "-o", out}, "who,whom\nann,bob\n", `"who"; -missing-rows zero, mean or drop says what to do with such nodes; -skip-unknown says that such lines are skipped; -header yes or no says whether`},
		"a gap in a table":           {[]string{"embed", edges, "-features", "-", "-missing", "error", "-o", out}, "ann 1\nbob NA\n", "standard input:2:5: malformed: \"NA\" is not a number; -missing zero, mean or drop says"},
		"a label of a stranger":      {[]string{"info", edges, "-labels", "-"}, "eve x\n", `"eve"; -header yes or no says whether`},
		"a header or a node":         {[]string{"embed", "-", "-o", out}, "source target\na source\n", "is a node; -header yes or no says whether"},
		"vectors of no features":     {[]string{"similar", "-embedding", bare, "ann"}, "", "bare.npz: missing part: features"},
		"classes too small":          {[]string{"eval", edges, "-dim", "1", "-labels", filepath.Join(dir, "labels.txt")}, "", "three labelled"},
		"settings cut off":           {[]string{"embed", edges, "-settings", "-", "-o", out}, "{\n\n", "standard input:3"},
		"text behind settings":       {[]string{"embed", edges, "-settings", "-", "-o", out}, "{} {}", "text after"},
		"labels of strangers":        {[]string{"info", edges, "-labels", "-"}, "ann x\neve y\n", "standard input:2:1"},
		"a label that is missing":    {[]string{"eval", edges, "-labels", "-"}, "ann\n", "standard input:1"},
		"no labels":                  {[]string{"eval", edges, "-dim", "1"}, "", "-labels"},
		"predict by nothing":         {[]string{"predict", edges, "-features", features, "-o", out}, "", "-labels"},
		"labels of one class":        {[]string{"predict", edges, "-o", out, "-labels", file("one.txt", "ann x\nbob x\n")}, "", "one class"},
		"nothing to predict":         {[]string{"predict", edges, "-o", out, "-labels", filepath.Join(dir, "labels.txt")}, "", "-all"},
		"2⁶³ − 1 splits":             {[]string{"eval", edges, "-dim", "1", "-labels", filepath.Join(dir, "labels.txt"), "-count", "9223372036854775807"}, "", "too large"},
		"a split of another graph":   {[]string{"eval", edges, "-dim", "1", "-labels", filepath.Join(dir, "labels.txt"), "-splits", split}, "", "split.json"},
		"embedding of another graph": {[]string{"eval", edges, "-embedding", file("short.tsv", "ann 1\nbob 2\n")}, "", "short.tsv"},
		"embedding of other nodes":   {[]string{"eval", edges, "-embedding", file("other.tsv", "ann 1\nbob 2\ndan 3\ncy 4\n")}, "", `"dan"`},
		"similar to a stranger":      {[]string{"similar", "eve"}, "ann 1\nbob 2\n", `"eve"`},
		"similar, other width":       {[]string{"similar", "-queries", features}, "ann 1\nbob 2\n", "wrong size"},
		"id of two words":            {[]string{"convert", "-from", "tsv", "-to", "word2vec", "-", filepath.Join(dir, "out.txt")}, "\"ann b\" 1\n", `"ann b"`},
		"word2vec cut off":           {[]string{"similar", "-from", "word2vec", "ann"}, "2 2\nann 1 2\n", "standard input:3: damaged or cut off"},
		"a negative size":            {[]string{"similar", "-from", "word2vec", "ann"}, "1 -2\nann 1 2\n", `"-2"`},
		"a line break in a name":     {[]string{"info", "no\nfile"}, "", "no; file"},
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, dir, exitFailure, c.text, c.stdin, c.args...)
		})
	}
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
		start := time.Now()
		code := run(ctx, args, stdin, &stdout, &stderr)
		if late := time.Since(start) - 20*time.Millisecond; late > time.Second {
			t.Errorf("%v: stopped %v late", args, late)
		}
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
