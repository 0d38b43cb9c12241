package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coles/dataset"
	"coles/internal/testkit"
)

// Vectors whose similarities are known by hand: along (3, 4), (4, 3), (−3, −4) and, ten times as
// long as the first but farther off in direction, (50, 0).
const vectorsText = "a\t3\t4\nb\t4\t3\n-c\t-3\t-4\nhelp\t50\t0\n"

func TestSimilar(t *testing.T) {
	path := filepath.Join(folder(t, map[string]string{"v.tsv": vectorsText, "q.tsv": "up\t0\t1\nside\t1\t0\n"}), "v.tsv")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"a"}, "a\tb\t0.96\na\thelp\t0.6\na\t-c\t-1\n"},
		{[]string{"-k", "1", "a", "help"}, "a\tb\t0.96\nhelp\tb\t0.8\n"},
		{[]string{"-k=2", "-by", "dot", "a"}, "a\thelp\t150\na\tb\t24\n"},
		{[]string{"-k=1", "help"}, "help\tb\t0.8\n"}, // which is no command here
		{[]string{"-k=1", "--", "-c"}, "-c\thelp\t-0.6\n"},
	} {
		prints(t, c.want, "", append([]string{"similar", "-embedding", path}, c.args...)...)
		prints(t, c.want, vectorsText, append([]string{"similar"}, c.args...)...)
	}
	queries := []string{"similar", "-embedding", path, "-k=1", "-queries", filepath.Join(filepath.Dir(path), "q.tsv")}
	stdout, _ := ran(t, filepath.Dir(path), queries...)
	testkit.WantSame(t, "nearest to vectors of a file", stdout, "up\ta\t0.8\nside\thelp\t1\n")
}

// An id that holds a tab is quoted, as embed writes it.
func TestSimilarQuotesIDs(t *testing.T) {
	prints(t, "c\t\"a\tb\"\t1\n", "\"a\tb\"\t1\nc\t1\n", "similar", "c")
}

func TestSimilarAsJSON(t *testing.T) {
	got := decoded[[]neighbours](t, vectorsText, "similar", "-json", "-k", "2", "-by", "dot", "a", "b")
	want := []neighbours{
		{"a", []neighbour{{ID: "help", Similarity: 150}, {ID: "b", Similarity: 24}}},
		{"b", []neighbour{{ID: "help", Similarity: 200}, {ID: "a", Similarity: 24}}},
	}
	testkit.WantSame(t, "similar", got, want)
	if got := must(t, "alone 1 2\n", "similar", "-json", "alone"); !json.Valid([]byte(got)) {
		t.Errorf("a node without others: %q", got)
	}
}

// Rows without ids are named by their numbers, or by a file.
func TestSimilarByRow(t *testing.T) {
	dir := folder(t, map[string]string{"v.tsv": vectorsText})
	npy := filepath.Join(dir, "v.npy")
	must(t, "", "convert", filepath.Join(dir, "v.tsv"), npy)
	prints(t, "0\t1\t0.96\n", "", "similar", "-embedding", npy, "-k", "1", "0")
	ids := filepath.Join(folder(t, map[string]string{"v.ids": "a\nb\n-c\nhelp\n"}), "v.ids")
	prints(t, "help\tb\t0.8\n", "", "similar", "-embedding", npy, "-ids", ids, "-k", "1", "help")
}

// A part of one name stands for it, which is said; of several, or none, there is a hint, and rows without names are numbered.
func TestSimilarToAnUnknownNode(t *testing.T) {
	dir := folder(t, map[string]string{"v.tsv": "Lámpara-grande\t1\t0\nLámpara-roja\t1\t1\nmug\t0\t1\n"})
	tsv, npy := filepath.Join(dir, "v.tsv"), filepath.Join(dir, "v.npy")
	must(t, "", "convert", tsv, npy)
	for typed, want := range map[string]string{
		"lampara":   "unknown node \"lampara\"; 2 have it in their names, such as \"Lámpara-grande\", \"Lámpara-roja\"\n",
		"lampra-ro": "unknown node \"lampra-ro\": did you mean Lámpara-roja?\n",
		"mog":       "unknown node \"mog\": did you mean mug?\n",
		"--":        "unknown node \"--\"\n",
	} {
		refused(t, dir, exitFailure, want, "", "similar", "-embedding", tsv, "--", typed)
	}
	refused(t, dir, exitFailure, "unknown node \"mug\"; rows are numbered, 0 to 2: name them by -ids\n", "", "similar", "-embedding", npy, "mug")
	for _, typed := range []string{"roja", "LAMPARA ROJA", "lámpara r"} {
		code, out, said := call("", "similar", "-embedding", tsv, "-k", "1", typed)
		if code != 0 || out != "Lámpara-roja\tLámpara-grande\t0.707107\n" || !strings.Contains(said, fmt.Sprintf("%q is taken for \"Lámpara-roja\"", typed)) {
			t.Errorf("%s: exit %d, %q, %q", typed, code, out, said)
		}
	}
	out := filepath.Join(dir, "s.csv")
	must(t, "", "similar", "-embedding", tsv, "-k", "1", "-o", out, "mug")
	testkit.WantSame(t, "the file", read(t, out), "id,node,similarity\nmug,Lámpara-roja,0.707107\n")
}

// By neighbours: on a path a–b–c–d the circle of b is a, b, c; that of c shares b and c, 2/3·2/3, and those of the leaf
// a, 2/√6 of which half counts, over 4, and of d, 1/√6 likewise.
func TestSimilarByNeighbours(t *testing.T) {
	dir := folder(t, map[string]string{"g.txt": "a b\nb c\nc d\n"})
	path := filepath.Join(dir, "g.txt")
	prints(t, "b\tc\t0.444444\t2\nb\ta\t0.102062\t1\nb\td\t0.051031\t1\n", "", "similar", "-graph", path, "b")
	refused(t, dir, exitUsage, "-by is of vectors", "", "similar", "-graph", path, "-by", "dot", "b")
	refused(t, dir, exitFailure, "unknown node", "", "similar", "-graph", path, "zed")
}

// The characters of a novel with 30 friends or more are like others of the story, not like those whose only friend they are.
func TestRealSimilar(t *testing.T) {
	path := filepath.Join(testkit.Shared(t, "data"), "real", "thrones", "edges.csv")
	g := testkit.Must(undirected(testkit.Must(dataset.OpenEdgeList(path, "", "")), path))
	ids, degree := g.IDs(), func(i int) int { near, _ := g.Neighbors(i); return len(near) }
	args := []string{"similar", "-graph", path, "-k", "5", "-json"}
	for i, id := range ids {
		if degree(i) >= 30 {
			args = append(args, id)
		}
	}
	_, out, said := call("", args...)
	var all []neighbours
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatal(said)
	}
	var found []int
	for _, one := range all {
		for _, n := range one.Similar {
			row, _ := g.Row(n.ID)
			if found = append(found, degree(row)); degree(row) < 2 {
				t.Errorf("%s is like %s, a leaf", one.Query, n.ID)
			}
		}
	}
	slices.Sort(found)
	if len(found) != 29*5 || found[len(found)/2] < 15 {
		t.Errorf("%d nodes, of which the median has %d neighbours", len(found), found[len(found)/2])
	}
}
