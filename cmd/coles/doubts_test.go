package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"coles/internal/testkit"
)

// What makes a fit worth nothing, or too good, is said: features that are the same for all, labels among them, vectors
// of zero, ids that a matrix does not hold.
func TestDoubts(t *testing.T) {
	var edges, same, told strings.Builder
	labels := "id,label\n"
	same.WriteString("id,one\n")
	told.WriteString("id,x,section\n")
	for i := range 40 {
		fmt.Fprintf(&edges, "n%d,n%d\nn%d,n%d\n", i, (i+1)%40, i, (i+3)%40)
		fmt.Fprintf(&same, "n%d,1\n", i)
		fmt.Fprintf(&told, "n%d,%d,%d\n", i, i*i%7, 1+i%3)
		labels += fmt.Sprintf("n%d,%c\n", i, 'a'+i%3)
	}
	dir := folder(t, map[string]string{"edges.csv": edges.String(), "same.csv": same.String(), "told.csv": told.String(), "labels.csv": labels})
	file := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		said string
		args []string
	}{
		{"the features are the same for all nodes, and are left out", []string{"embed", file("edges.csv"), "-features", file("same.csv"), "-dim", "4"}},
		{`features that say what the labels say: "section"; -ignore leaves them out`, []string{"info", file("edges.csv"), "-features", file("told.csv"), "-labels", file("labels.csv")}},
		{"npy holds no ids", []string{"embed", file("edges.csv"), "-dim", "4", "-to", "npy"}},
		{"", []string{"embed", file("edges.csv"), "-dim", "4", "-to", "npy", "-write-ids", file("ids")}},
		{"", []string{"info", file("edges.csv"), "-features", file("told.csv"), "-ignore", "section", "-labels", file("labels.csv")}},
	} {
		code, _, stderr := call("", c.args...)
		if code != 0 || !strings.Contains(stderr, c.said) || c.said == "" && stderr != "" {
			t.Errorf("coles %s: exit %d, %q, want %q", strings.Join(c.args, " "), code, stderr, c.said)
		}
	}
	without := must(t, "", "embed", file("edges.csv"), "-dim", "4")
	_, stdout, _ := call("", "embed", file("edges.csv"), "-features", file("same.csv"), "-dim", "4")
	testkit.WantSame(t, "with features that say nothing", len(strings.Split(stdout, "\n")), len(strings.Split(without, "\n")))

	// Nodes called 0 to n − 1 are the rows of a matrix, in which order the edges may name them.
	write(t, file("numbers.csv"), "2,0\n0,3\n3,4\n4,1\n1,2\n2,4\n")
	code, _, stderr := call("", "embed", file("numbers.csv"), "-dim", "2", "-o", file("y.npy"))
	testkit.WantSame(t, "said of numbers", []any{code, stderr}, []any{0, ""})
	must(t, "", "embed", file("numbers.csv"), "-dim", "2", "-o", file("y.tsv"))
	for _, node := range []string{"0", "2", "4"} {
		prints(t, must(t, "", "similar", "-embedding", file("y.tsv"), node), "", "similar", "-embedding", file("y.npy"), node)
	}
	prints(t, must(t, "", "links", file("numbers.csv"), "-embedding", file("y.tsv")), "", "links", file("numbers.csv"), "-embedding", file("y.npy"))
}
