package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"coles/internal/testkit"
	"coles/task"
)

// halves are a graph of 80 nodes in three classes with four features, and the first half of it that has the
// nodes 0 to 39, in files; and the graph with weights and by the ids of two kinds.
func halves(t *testing.T) (dir string) {
	t.Helper()
	rng := testkit.Random(5)
	x := testkit.RandomDense(rng, 80, 4)
	files := map[string]*strings.Builder{}
	for _, name := range []string{"all.csv", "half.csv", "weights.csv", "all.x.csv", "half.x.csv", "wide.x.csv", "words.x.csv", "labels.csv"} {
		files[name] = new(strings.Builder)
	}
	for i := range 80 {
		x.Set(i, i%3, x.At(i, i%3)+2)
		row := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(x.RawRowView(i))), ","), "[]")
		fmt.Fprintf(files["all.x.csv"], "n%d,%s\n", i, row)
		fmt.Fprintf(files["wide.x.csv"], "n%d,%s,1\n", i, row)
		if i < 40 {
			fmt.Fprintf(files["words.x.csv"], "n%d,%s\n", i, []string{"red", "blue"}[i%2])
			fmt.Fprintf(files["half.x.csv"], "n%d,%s\n", i, row)
		}
		if i%2 == 0 && i < 40 {
			fmt.Fprintf(files["labels.csv"], "n%d,class%d\n", i, i%3)
		}
	}
	for _, e := range testkit.RandomEdges(rng, 80, .3) {
		if e.U%3 != e.V%3 && rng.IntN(5) > 0 {
			continue
		}
		fmt.Fprintf(files["all.csv"], "n%d,n%d\n", e.U, e.V)
		if max(e.U, e.V) < 40 {
			fmt.Fprintf(files["half.csv"], "n%d,n%d\n", e.U, e.V)
			fmt.Fprintf(files["weights.csv"], "n%d,n%d,%d\n", e.U, e.V, 1+e.U%4)
		}
	}
	texts := map[string]string{"strangers.csv": "a,b\nb,c\n"}
	for name, b := range files {
		texts[name] = b.String()
	}
	return folder(t, texts)
}

// Of every two files that someone may bring together, the page says whether they are matched, refused or warned
// of; and so it is: a pair that is right prints what other arguments print, "same", and warns of nothing.
func TestFilesThatBelongTogether(t *testing.T) {
	guide := testkit.Must(filepath.Abs(filepath.Join("..", "..", "docs", "guide.md")))
	dir := halves(t)
	t.Chdir(dir)
	do := func(args string) (string, string) { return ran(t, dir, strings.Fields(args)...) }
	const half, all, weights = "half.csv -features half.x.csv ", "all.csv -features all.x.csv ", "weights.csv -features half.x.csv "
	for _, args := range []string{
		"embed " + half + "-kind graph -model m -o m.tsv",
		"embed " + half + "-with m -o m.npy -write-ids m.ids",
		"links " + half + "-with m -by cosine -k 1 -o links.tsv",
		"embed " + half + "-kind features -model alone -o alone.tsv",
		"embed " + weights + "-kind graph -model weighted -o out.csv",
		"embed half.csv -model free -dim 2 -o free.tsv",
		"embed " + all + "-kind graph -model other -o other.tsv",
		"embed half.csv -features words.x.csv -header no -dim 2 -model words -o out.csv",
		"train " + half + "-dim 3 -epochs 2 -model net -checkpoint checkpoint -o out.csv",
		"train " + half + "-dim 3 -epochs 2 -seed 2 -model net2 -o out.csv",
		"predict " + half + "-with m -labels labels.csv -classifier k -o k.tsv",
		"predict " + half + "-with net -labels labels.csv -classifier knet -o knet.tsv",
		"predict -embedding m.tsv -labels labels.csv -classifier kfile -o out.csv",
	} {
		do(args)
	}
	old := testkit.Must(task.ReadFile(strings.NewReader(read(t, "k"))))
	old.Predictor.Origin.Hash = ""
	var b bytes.Buffer
	testkit.Must(old.WriteTo(&b))
	write(t, "kold", b.String())
	words := read(t, "words")
	write(t, "mixed", read(t, "m")+words[strings.Index(words, "COLESTAB"):])
	write(t, "renamed.tsv", strings.Replace(read(t, "m.tsv"), "n3\t", "x3\t", 1))
	write(t, "short.tsv", read(t, "m.tsv")[:strings.LastIndex(strings.TrimSpace(read(t, "m.tsv")), "\n")+1])

	page := read(t, guide)
	for _, c := range []struct{ pair, args, does, text string }{
		{"classifier, vectors of a model", "predict " + half + "-labels labels.csv -use k -with m", "same", read(t, "k.tsv")},
		{"", "predict " + half + "-labels labels.csv -use k -kind graph", "same", read(t, "k.tsv")}, // which fits m again
		{"", "predict " + half + "-labels labels.csv -use knet -with net", "same", read(t, "knet.tsv")},
		{"", "predict " + all + "-use k -kind graph", "refused", "k learnt from the graph model "},
		{"", "predict " + half + "-use k -kind features", "refused", ", and these vectors are from the feature model "},
		{"", "predict " + half + "-use k -with other", "refused", "name its model by -with"},
		{"", "predict " + half + "-use k -with net", "refused", ", and these vectors are from the network model "},
		{"", "predict " + half + "-use knet -with net2", "refused", "knet learnt from the network model "},
		{"classifier, vectors in a file", "predict -embedding m.tsv -use k", "warned", "k learnt from the graph model "},
		{"", "predict " + half + "-use kfile -with m", "warned", "kfile learnt from a file of vectors, "},
		{"", "predict " + half + "-use kold -with m", "warned", "whether one model made both cannot be checked"},
		{"", "predict " + half + "-use kold -kind features", "refused", "kold learnt from the graph model, and "},
		{"model, graph with weights or without", "embed " + half + "-with m", "same", read(t, "m.tsv")},
		{"", "embed " + weights + "-unweighted -with m", "same", read(t, "m.tsv")},
		{"", "embed " + weights + "-with m", "warned", "weights.csv has weights, and the model was fitted without: -unweighted leaves them out"},
		{"", "embed " + weights + "-with net", "warned", "weights.csv has weights"},
		{"", "predict " + weights + "-with m -use k", "warned", "weights.csv has weights"},
		{"", "embed " + weights + "-unweighted -with weighted", "warned", "weights.csv is read without weights, and the model was fitted with them"},
		{"", "embed " + weights + "-with alone", "same", read(t, "alone.tsv")}, // of the features alone
		{"model, graph read by -bipartite or not", "embed -bipartite " + half + "-with m", "refused", `nodes of both kinds are called "n36"`},
		{"model, features", "embed " + "all.csv -features wide.x.csv -with m", "refused", "5 columns, prepared for 4"},
		{"", "embed half.csv -with m", "refused", "name a file of them by -features"},
		{"model without features, graph", "embed half.csv -with free", "same", read(t, "free.tsv")},
		{"", "embed strangers.csv -with free", "refused", "new node without an edge to a known one"},
		{"", "embed " + half + "-with free", "refused", "features for a model fitted without"},
		{"model, encoder", "embed half.csv -features words.x.csv -header no -with mixed", "refused", "mixed: malformed: an encoder of 2 features for a model of 4"},
		{"model, settings", "embed " + half + "-with m -settings s.json", "refused", "-with has a model already"},
		{"checkpoint, graph and features", "train " + all + "-resume checkpoint", "refused", "the graph or its features are others"},
		{"", "train " + weights + "-resume checkpoint", "refused", "the graph or its features are others"},
		{"checkpoint, settings", "train " + half + "-resume checkpoint -dim 2", "refused", "-resume goes on with one"},
		{"vectors, graph", "links " + half + "-embedding renamed.tsv", "refused", `row 3 is "x3", and node 3 of the graph "n3"`},
		{"", "links half.csv -embedding m.tsv", "refused", `row 1 is "n1", and node 1 of the graph "n36"`}, // its order is another
		{"", "links half.csv -embedding m.npy", "warned", "m.npy names no nodes, and half.csv does: rows are taken in its order; -ids names them"},
		{"", "links " + half + "-embedding m.npy -ids m.ids -k 1", "same", read(t, "links.tsv")},
		{"", "links " + half + "-embedding short.tsv", "refused", "39 rows for 40 nodes"},
		{"vectors, other vectors", "similar -embedding m.tsv -queries other.tsv", "warned", "do not name their model"},
	} {
		if !strings.Contains(page, "\n| "+c.pair) {
			t.Errorf("the page has no row %q", c.pair)
		}
		code, stdout, stderr := call("", strings.Fields(c.args)...)
		warns := strings.Contains(stderr, "coles: warning: ")
		switch c.does {
		case "same":
			if code != 0 || warns || stdout != c.text {
				t.Errorf("coles %s: exit %d, %q, prints\n%s", c.args, code, stderr, stdout)
			}
		case "warned":
			if code != 0 || !warns || !strings.Contains(stderr, c.text) {
				t.Errorf("coles %s: exit %d, %q, want %q", c.args, code, stderr, c.text)
			}
		case "refused":
			if code == 0 || stdout != "" || !strings.Contains(stderr, c.text) {
				t.Errorf("coles %s: exit %d, %q, want %q", c.args, code, stderr, c.text)
			}
		}
	}
}
