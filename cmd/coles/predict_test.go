package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/eval"
	"coles/internal/testkit"
	"coles/learn"

	"gonum.org/v1/gonum/mat"
)

// said is the output of predict: standard error names the choice of its model, if any, and its
// accuracy.
func said(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := call("", append([]string{"predict"}, args...)...)
	if code != 0 || !strings.Contains(stderr, "predictions are right") && !strings.Contains(stderr, "cross-valid") {
		t.Fatalf("coles predict %s: exit %d, standard error %q", strings.Join(args, " "), code, stderr)
	}
	return stdout, stderr
}

// stdoutOf is what it prints on standard output.
func stdoutOf(t *testing.T, args ...string) string {
	t.Helper()
	stdout, _ := said(t, args...)
	return stdout
}

// predictionsShown is the JSON that it prints.
type predictionsShown struct {
	Kind     string
	Accuracy *float64
	Weights  learn.Weights
	Classes  []struct {
		Class             string
		Nodes             int
		Recall, Precision float64
		Predicted         map[string]int
	}
	Predictions []predictionShown
}

type predictionShown struct {
	ID, Class     string
	Probability   float64
	Probabilities map[string]float64
	Why           *struct {
		Score          float64
		Nodes, Columns []struct {
			Name string
			Part float64
		}
	}
}

// reported reads the JSON that it prints.
func reported(t *testing.T, args ...string) (r predictionsShown) {
	t.Helper()
	testkit.Check(t, json.Unmarshal([]byte(stdoutOf(t, append([]string{"-json"}, args...)...)), &r))
	return r
}

// predicted are the predictions in it.
func predicted(t *testing.T, args ...string) []predictionShown {
	t.Helper()
	return reported(t, args...).Predictions
}

// className is a name that text has to quote.
func className(label int) string { return fmt.Sprintf("class\t\"%d\"", label) }

// labelFile writes the labels of some rows, lower classes first, so that a reader numbers
// the classes as they are.
func labelFile(t *testing.T, labels, rows []int) string {
	t.Helper()
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(i, j int) int { return labels[i] - labels[j] })
	var b strings.Builder
	for _, i := range rows {
		fmt.Fprintf(&b, "%d,\"class\t\"\"%d\"\"\"\n", i, labels[i])
	}
	return filepath.Join(folder(t, map[string]string{"labels.csv": b.String()}), "labels.csv")
}

// every are the k-th rows of n.
func every(k, n int) (rows []int) {
	for i := 0; i < n; i += k {
		rows = append(rows, i)
	}
	return rows
}

// wantPredictions are the library's, of all rows but the labelled.
func wantPredictions(t *testing.T, y mat.Matrix, labels, labelled []int) []predictionShown {
	t.Helper()
	known := slices.Repeat([]int{-1}, len(labels))
	for _, i := range labelled {
		known[i] = labels[i]
	}
	m := testkit.Must(learn.Fit(t.Context(), nil, y, learn.Labels{Classes: known}, learn.Options{Seed: 1}))
	found := testkit.Must(m.Predict(t.Context(), nil, y, learn.Labels{}, nil))
	var want []predictionShown
	for i := range labels {
		if best := found[i].Classes[0]; !slices.Contains(labelled, i) {
			want = append(want, predictionShown{ID: fmt.Sprint(i), Class: className(best.Class), Probability: best.Probability})
		}
	}
	return want
}

func TestPredictIsTheClassifierOfTheLibrary(t *testing.T) {
	drawn, path := community(t)
	karate := dataset.KarateClub()
	for _, c := range []struct {
		d    *dataset.Dataset
		path string
	}{{drawn, path}, {karate, archiveOf(t, karate)}} {
		g := testkit.Must(c.d.Graph())
		y := testkit.Must(coles.Fit(t.Context(), g, c.d.Features, coles.WithDim(8))).Embedding()
		labelled := every(4, g.Nodes())
		labels := labelFile(t, c.d.Labels, labelled)
		want := wantPredictions(t, y, c.d.Labels, labelled)
		testkit.WantSame(t, "without neighbours", predicted(t, c.path, "-dim", "8", "-alone", "-labels", labels), want)

		// The same of the embedding in a file, with a graph and without, and as text.
		vectors := filepath.Join(t.TempDir(), "y.npy")
		must(t, "", "embed", c.path, "-dim", "8", "-o", vectors)
		for _, args := range [][]string{{c.path, "-alone", "-embedding", vectors}, {"-embedding", vectors}} {
			testkit.WantSame(t, strings.Join(args, " "), predicted(t, append(args, "-labels", labels)...), want)
		}
		// By default the labels of neighbours have a say.
		known := slices.Repeat([]int{-1}, g.Nodes())
		for _, i := range labelled {
			known[i] = c.d.Labels[i]
		}
		m := testkit.Must(learn.Fit(t.Context(), g, y, learn.Labels{Classes: known}, learn.Options{Seed: 1}))
		smooth := testkit.Must(m.Predict(t.Context(), g, y, learn.Labels{Classes: known}, nil))
		for q, p := range want {
			i := testkit.Must(strconv.Atoi(p.ID))
			best := smooth[i].Classes[0]
			want[q].Class, want[q].Probability = className(best.Class), best.Probability
		}
		testkit.WantSame(t, "predictions", predicted(t, c.path, "-dim", "8", "-labels", labels), want)
		tabs, commas := "", "id,class,probability\n"
		for _, p := range want {
			quoted := `"` + strings.ReplaceAll(p.Class, `"`, `""`) + `"`
			tabs += fmt.Sprintf("%s\t%s\t%.6g\n", p.ID, quoted, p.Probability)
			commas += fmt.Sprintf("%s,%s,%.6g\n", p.ID, quoted, p.Probability)
		}
		testkit.WantSame(t, "predictions as text", stdoutOf(t, c.path, "-dim", "8", "-labels", labels), tabs)
		out := filepath.Join(t.TempDir(), "out.csv")
		said(t, c.path, "-dim", "8", "-labels", labels, "-o", out)
		testkit.WantSame(t, "predictions with commas", read(t, out), commas)
	}
}

// Without a kind the labels choose it, and standard error has the library's text; with one,
// or a model that is there already, nothing is chosen.
func TestPredictLetsLabelsChooseTheModel(t *testing.T) {
	overruled := testkit.Must(synthetic.Communities{Nodes: 700, Homophily: 0.5, Topic: 0.5, Seed: 3}.Generate(t.Context()))
	agreed, agreedPath := apart(t)
	first := func(d *dataset.Dataset) (rows []int) {
		for class := range d.NumClasses() {
			rows = append(rows, slices.Index(d.Labels, class))
		}
		slices.Sort(rows)
		return rows
	}
	for name, c := range map[string]struct {
		d        *dataset.Dataset
		path     string
		labelled []int
		want     coles.Kind
		says     string
	}{
		"overruled": {overruled, archiveOf(t, overruled), every(4, 700), coles.UseFeatures, "coles: feature model, by cross-validation on 175 labels: graph "},
		"agreed":    {agreed, agreedPath, every(4, 300), coles.UseFeatures, "coles: feature model, by cross-validation on 75 labels: features "},
		"too few":   {overruled, archiveOf(t, overruled), first(overruled), coles.UseGraph, "coles: graph model, by s: cross-validation takes two labels of two classes at least\ncoles: s: neighbours weigh "},
	} {
		g, labels := testkit.Must(c.d.Graph()), slices.Repeat([]int{-1}, c.d.Nodes())
		for _, i := range c.labelled {
			labels[i] = c.d.Labels[i]
		}
		args := []string{c.path, "-verbose", "-dim", "9", "-labels", labelFile(t, c.d.Labels, c.labelled)}
		stdout, stderr := said(t, args...)
		choice := testkit.Must(learn.ChooseModel(t.Context(), g, c.d.Features, learn.Labels{Classes: labels}, learn.Options{Seed: 1}, coles.WithDim(9)))
		chosen := "coles: " + strings.ReplaceAll(choice.String(), "\n", "\ncoles: ") + "\n"
		testkit.WantText(t, stderr, chosen, c.says)
		same, silent := said(t, append([]string{"-kind", c.want.String()}, args...)...)
		testkit.WantSame(t, name+", predictions", stdout, same)
		testkit.WantSame(t, name+", the rest", silent+chosen, stderr)
	}
}

// With -all, the nodes that have a label are predicted as well.
func TestPredictAll(t *testing.T) {
	d, path := community(t)
	labels := labelFile(t, d.Labels, every(4, 300))
	some, all := predicted(t, path, "-labels", labels), predicted(t, path, "-labels", labels, "-all")
	rest := slices.DeleteFunc(slices.Clone(all), func(p predictionShown) bool {
		return !slices.ContainsFunc(some, func(q predictionShown) bool { return q.ID == p.ID })
	})
	testkit.WantSame(t, "number of predictions", len(all), 300)
	testkit.WantSame(t, "the other predictions with -all", rest, some)
}

// Nodes whose label an archive has by convention only have none.
func TestPredictWhatAnArchiveDoesNotKnow(t *testing.T) {
	d, _ := community(t)
	for i := range 10 {
		d.Labels[7*i] = 0
		d.Unlabeled = append(d.Unlabeled, 7*i)
	}
	y := testkit.Must(coles.Fit(t.Context(), testkit.Must(d.Graph()), d.Features)).Embedding()
	var known []int
	for i := range 300 {
		if !slices.Contains(d.Unlabeled, i) {
			known = append(known, i)
		}
	}
	want := wantPredictions(t, y, d.Labels, known)
	for i := range want {
		want[i].Class = strings.Trim(strings.TrimPrefix(want[i].Class, "class\t"), `"`) // the archive names no classes
	}
	testkit.WantSame(t, "predictions", predicted(t, archiveOf(t, d), "-alone"), want)
}

// A classifier that was kept needs no labels, and its classes keep their names.
func TestPredictWithAKeptClassifier(t *testing.T) {
	d, path := community(t)
	dir := t.TempDir()
	model, kept := filepath.Join(dir, "m.model"), filepath.Join(dir, "c.classifier")
	must(t, "", "embed", path, "-dim", "8", "-model", model)
	labels := labelFile(t, d.Labels, every(4, 300))
	want := predicted(t, path, "-with", model, "-labels", labels, "-all", "-alone", "-classifier", kept)

	d.Labels = nil
	bare := archiveOf(t, d)
	testkit.WantSame(t, "predictions of a kept classifier", predicted(t, bare, "-with", model, "-use", kept), want)
	testkit.WantText(t, must(t, "", "info", kept),
		`classifier of  3 classes: ["class\t\"0\"" "class\t\"1\"" "class\t\"2\""]`,
		"learnt from    the graph model "+decoded[struct{ Hash string }](t, "", "info", "-json", model).Hash+", of 8 columns\n")
	unknown, vectors := filepath.Join(dir, "u.classifier"), filepath.Join(dir, "y.npy") // of vectors that anything may have made
	must(t, "", "embed", path, "-with", model, "-o", vectors)
	said(t, "-embedding", vectors, "-labels", labels, "-classifier", unknown)
	testkit.WantSame(t, "predictions of one from vectors", predicted(t, bare, "-with", model, "-use", unknown), want)
	m := testkit.Must(learn.ReadPredictor(strings.NewReader(read(t, kept))))
	testkit.WantSame(t, "classes that a program reads from the file", len(m.Linear.Classes), 3)

	whole := read(t, kept)
	for name, damaged := range map[string]string{
		"empty": "", "cut off": whole[:len(whole)-1], "without names": whole[:strings.Index(whole, "COLESCLS")],
		"with more": whole + "x", "changed": whole[:len(whole)-40] + "x" + whole[len(whole)-39:], "a model": read(t, model),
	} {
		write(t, kept, damaged)
		t.Run(name, func(t *testing.T) {
			refused(t, dir, exitFailure, "c.classifier", "", "predict", bare, "-with", model, "-use", kept)
		})
	}
}

// A label for one node of each class is enough to learn from, though not to choose C by.
func TestPredictFromFewLabels(t *testing.T) {
	d := dataset.KarateClub()
	path := archiveOf(t, d)
	y := testkit.Must(coles.Fit(t.Context(), testkit.Must(d.Graph()), nil)).Embedding()
	for _, c := range []struct {
		rows []int
		told bool
	}{
		{[]int{0, 33}, false},
		{[]int{0, 1, 2, 33}, false},
		{[]int{0, 1, 32, 33}, true},
	} {
		want := wantPredictions(t, y, d.Labels, c.rows)
		labels := labelFile(t, d.Labels, c.rows)
		testkit.WantSame(t, fmt.Sprint("labels of ", c.rows), predicted(t, path, "-alone", "-labels", labels), want)
		_, stderr := said(t, path, "-labels", labels)
		if tells := strings.Contains(stderr, "recall"); tells != c.told {
			t.Errorf("labels of %v: %q", c.rows, stderr)
		}
	}
}

// Cora, 20 labels a class: the vectors alone are as accurate as by Classify, which chooses C in the same way.
func TestPredictionsOfCora(t *testing.T) {
	path := testkit.Shared(t, "data", "npz", "cora.npz")
	ctx := context.Background()
	d := testkit.Must(dataset.Open(path, dataset.ReadNPZ))
	split := testkit.Must(dataset.OpenSplits(testkit.Shared(t, "data", "splits", "cora_20.json"), d.Nodes()))[0]
	slices.Sort(split.Train) // predict learns in the order of the nodes
	y := testkit.Must(coles.Fit(ctx, testkit.Must(d.Graph()), d.Features)).Embedding()
	p := eval.Protocol{Regression: learn.LogisticRegression{Cs: learn.DefaultCs()}}
	want := testkit.Must(p.Classify(ctx, y, d.Labels, []dataset.Split{split})).Each[0]

	class := make(map[string]string)
	for _, p := range predicted(t, path, "-alone", "-labels", labelFile(t, d.Labels, split.Train)) {
		class[p.ID] = p.Class
	}
	test := split.TestNodes(d.Nodes())
	right := 0
	for _, i := range test {
		if class[fmt.Sprint(i)] == className(d.Labels[i]) {
			right++
		}
	}
	testkit.WantSame(t, "accuracy", float64(right)/float64(len(test)), want)
}

// The accuracy of predictions is from the library's cross-validation, as text and as JSON, at the chosen
// C; -seed draws the parts.
func TestPredictSaysHowGoodItIs(t *testing.T) {
	d, path := community(t)
	labelled := every(4, 300)
	for i := range labelled {
		if i%5 == 0 {
			d.Labels[labelled[i]] = (d.Labels[labelled[i]] + 1) % 3 // noise, which makes errors
		}
	}
	labels := labelFile(t, d.Labels, labelled)
	dir := t.TempDir()
	model, vectors := filepath.Join(dir, "m.model"), filepath.Join(dir, "y.npy")
	must(t, "", "embed", path, "-kind", "graph", "-dim", "8", "-model", model, "-o", vectors)
	y := testkit.Must(coles.Fit(t.Context(), testkit.Must(d.Graph()), d.Features, coles.With(func(s *coles.Settings) { s.Kind, s.Dim = coles.UseGraph, 8 }))).Embedding()
	known := slices.Repeat([]int{-1}, d.Nodes())
	for _, i := range labelled {
		known[i] = d.Labels[i]
	}
	for _, seed := range []uint64{1, 2} {
		p := testkit.Must(learn.Fit(t.Context(), nil, y, learn.Labels{Classes: known}, learn.Options{Seed: seed}))
		want, largest := p.Confusion, 0
		for k := range want.Classes {
			largest = max(largest, want.Size(k))
		}
		want.Names = []string{className(0), className(1), className(2)}
		for of, args := range map[string][]string{
			"graph model":               {path, "-kind", "graph", "-dim", "8", "-alone"},
			"the vectors of " + vectors: {"-embedding", vectors},
		} {
			args = append(args, "-labels", labels, "-seed", fmt.Sprint(seed))
			_, stderr := said(t, args...)
			testkit.WantSame(t, of, stderr, fmt.Sprintf("coles: %.0f of 100 predictions are right, by 75 labelled nodes, each predicted without its label; the largest class has %.0f of 100\n%vcoles: %s: %v\n",
				100*want.Accuracy(), 100*float64(largest)/75, want, of, p.Weights))
			r := reported(t, args...)
			counts := make([][]int, 3)
			for i, class := range r.Classes {
				for j := range 3 {
					counts[i] = append(counts[i], class.Predicted[className(j)])
				}
				if class.Class != className(i) || class.Nodes != want.Size(i) || class.Recall != want.Recall(i) || class.Precision != want.Precision(i) {
					t.Errorf("%s: class %d is %+v", of, i, class)
				}
			}
			testkit.WantSame(t, "the counts in JSON", counts, want.Counts)
			testkit.WantSame(t, "the accuracy in JSON", *r.Accuracy, want.Accuracy())
			if wantKind := strings.TrimSuffix(of, " model"); r.Kind != wantKind && args[0] == path || r.Kind != "" && args[0] != path {
				t.Errorf("%s: the kind in JSON is %q", of, r.Kind)
			}
		}
	}
}
