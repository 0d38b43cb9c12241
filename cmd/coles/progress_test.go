package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coles/internal/testkit"
)

func TestProgressLine(t *testing.T) {
	var b bytes.Buffer
	none := newProgress(&b)
	if none != nil {
		t.Error("progress is shown where no terminal is")
	}
	none.show("solve", 1, 12)
	none.clear()
	line := &progressLine{w: &b}
	line.show("solve", 1, 12)
	line.show("solve", 2, 12) // too soon after
	line.clear()
	testkit.WantSame(t, "progress", b.String(), "\rsolve 1/12\r          \r")
	b.Reset()
	line.bytes("edges.csv", 3<<20, 40<<20)
	line.clear()
	line.bytes("standard input", 3<<20, 0) // of which no size is known
	line.clear()
	testkit.WantSame(t, "bytes", b.String(), "\rread edges.csv 3/40 MB\r                      \r\rread standard input 3 MB\r                        \r")
}

// A stage of three parts of twelve in six seconds has eighteen left.
func TestProgressTellsTheTimeLeft(t *testing.T) {
	var b bytes.Buffer
	line := &progressLine{w: &b}
	line.show("solve", 0, 12)
	line.began, line.last = time.Now().Add(-6*time.Second), time.Time{}
	line.show("solve", 3, 12)
	testkit.WantSame(t, "progress", b.String(), "\rsolve 0/12\rsolve 3/12, 6s, 18s left")
	b.Reset()
	line.began = time.Now().Add(-7 * time.Second)
	line.again() // a second later
	testkit.WantSame(t, "progress after a second", b.String(), "\rsolve 3/12, 7s, 21s left")
	line.last = time.Time{}
	line.show("embed", 0, 1) // begins anew
	if got := b.String(); !strings.HasSuffix(got, "\rembed 0/1"+strings.Repeat(" ", len("solve 3/12, 6s, 18s left")-len("embed 0/1"))) {
		t.Errorf("the next stage prints %q", got)
	}
	line.clear()
}

// A file shows how much of it is read, and a folder that it is; nothing of it stays.
func TestReadingShowsProgress(t *testing.T) {
	d, archive := community(t)
	dir := folder(t, map[string]string{"e.tsv": strings.Repeat("ann\tbob\n", 1<<18), "ind.toy.graph": ""})
	edges := filepath.Join(dir, "e.tsv")
	for path, want := range map[string]string{
		archive: "\rread " + archive, edges: "\rread " + edges + " 0/2 MB", filepath.Join(dir, "toy"): "\rread " + filepath.Join(dir, "toy"),
	} {
		var b bytes.Buffer
		in := &session{streams: streams{stderr: io.Discard, progress: &progressLine{w: &b}}, inputOptions: &inputOptions{}}
		got, err := in.readAt(t.Context(), path)
		if path == archive && (err != nil || got.Nodes() != d.Nodes()) {
			t.Errorf("%s: %v", path, err)
		}
		if !strings.HasPrefix(b.String(), want) || !strings.HasSuffix(b.String(), " \r") {
			t.Errorf("%s: the line is %q, want %q and nothing in the end", path, b.String(), want)
		}
	}
}

// Every long stage of a command shows its progress, and nothing of that stays.
func TestCommandsShowStages(t *testing.T) {
	_, archive := community(t)
	dir := t.TempDir()
	embedding, labels, picture := filepath.Join(dir, "y.tsv"), filepath.Join(dir, "l.txt"), filepath.Join(dir, "y.svg")
	must(t, "", "embed", archive, "-dim", "4", "-o", embedding)
	var known strings.Builder
	for i := range 60 {
		fmt.Fprintf(&known, "%d\t%d\n", i, i%3)
	}
	write(t, labels, known.String())
	for _, c := range []struct {
		args, stages string
	}{
		{"predict -embedding Y -labels L", "choose C 0/5, learn 0/1, cross-validate 0/5, classify"},
		{"cluster -embedding Y", "cluster 0/190, measure silhouettes 0/2, cluster 0/10"},
		{"plot -embedding Y -k 3 -o P", "cluster 0/10, draw vectors, t-SNE 0/1000, write P"},
		{"links -embedding Y G", "links, compare rows 0/"},
		{"links G", "compare rows 0/, recommend"},
		{"similar -graph G 7", "build the graph, compare neighbours"},
		{"info G", "build the graph, measure the features"},
		{"similar -embedding Y 7", "compare rows 0/"},
		{"eval -embedding Y G -count 2 -runs 2", "classify 0/2, cluster 0/2"},
	} {
		names := strings.NewReplacer("Y", embedding, "L", labels, "P", picture, "G", archive)
		args := split(names.Replace(c.args))
		var shown bytes.Buffer
		program := root(streams{strings.NewReader(""), io.Discard, io.Discard, &progressLine{w: &shown}})
		testkit.Check(t, program.Run(t.Context(), append([]string{"coles"}, args...)))
		if !strings.HasSuffix(shown.String(), " \r") {
			t.Errorf("%s: the line is left as %q", c.args, shown.String())
		}
		rest := shown.String()
		for stage := range strings.SplitSeq(names.Replace(c.stages), ", ") {
			_, after, found := strings.Cut(rest, "\r"+stage)
			if !found {
				t.Errorf("%s: no stage %q in %q", c.args, stage, rest)
				break
			}
			rest = after
		}
	}
}
