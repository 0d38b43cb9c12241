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

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// said is the output of predict: standard error names the choice of its model, if any, and its
// accuracy.
func said(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := call("", append([]string{"predict"}, args...)...)
	if code != 0 || !strings.Contains(stderr, "cross-valid") {
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

// reported reads the JSON that it prints.
func reported(t *testing.T, args ...string) (r predictions) {
	t.Helper()
	testkit.Check(t, json.Unmarshal([]byte(stdoutOf(t, append([]string{"-json"}, args...)...)), &r))
	return r
}

// predicted are the predictions in it.
func predicted(t *testing.T, args ...string) []prediction {
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

// everyFourth has a label.
func everyFourth(n int) (rows []int) {
	for i := 0; i < n; i += 4 {
		rows = append(rows, i)
	}
	return rows
}

// wantPredictions are the library's, of all rows but the labelled.
func wantPredictions(t *testing.T, l learn.LogisticRegression, y mat.Matrix, labels, labelled []int) []prediction {
	t.Helper()
	known := slices.Repeat([]int{-1}, len(labels))
	for _, i := range labelled {
		known[i] = labels[i]
	}
	m := testkit.Must(l.LearnSmoothed(t.Context(), nil, y, known, learn.Smoothing{Seed: 1}))
	chances := testkit.Must(m.Smooth(t.Context(), nil, y, nil, nil))
	var want []prediction
	for i := range labels {
		if k := floats.MaxIdx(chances.RawRowView(i)); !slices.Contains(labelled, i) {
			want = append(want, prediction{ID: fmt.Sprint(i), Class: className(m.Classes[k]), Probability: chances.At(i, k)})
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
		g := testkit.Must(undirected(c.d, c.path))
		y := testkit.Must(coles.Fit(t.Context(), g, c.d.Features, coles.WithDim(8))).Embedding()
		labelled := everyFourth(g.Nodes())
		labels := labelFile(t, c.d.Labels, labelled)
		want := wantPredictions(t, learn.LogisticRegression{Cs: learn.DefaultCs()}, y, c.d.Labels, labelled)
		testkit.WantSame(t, "without neighbours", predicted(t, c.path, "-dim", "8", "-alpha", "0", "-labels", labels), want)

		// The same of the embedding in a file, with a graph and without, and as text.
		vectors := filepath.Join(t.TempDir(), "y.npy")
		must(t, "", "embed", c.path, "-dim", "8", "-o", vectors)
		for _, args := range [][]string{{c.path, "-embedding", vectors}, {"-embedding", vectors}} {
			testkit.WantSame(t, strings.Join(args, " "), predicted(t, append(args, "-labels", labels)...), want)
		}
		// By default neighbours may have a share.
		known := slices.Repeat([]int{-1}, g.Nodes())
		for _, i := range labelled {
			known[i] = c.d.Labels[i]
		}
		m := testkit.Must(learn.LogisticRegression{}.LearnSmoothed(t.Context(), g, y, known, learn.Smoothing{Seed: 1}))
		smooth := testkit.Must(m.Smooth(t.Context(), g, y, known, nil))
		for q, p := range want {
			i := testkit.Must(strconv.Atoi(p.ID))
			k := floats.MaxIdx(smooth.RawRowView(i))
			want[q].Class, want[q].Probability = className(m.Classes[k]), smooth.At(i, k)
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
		"overruled": {overruled, archiveOf(t, overruled), everyFourth(700), coles.UseFeatures, "coles: feature model, by cross-validation on 175 labels: graph "},
		"agreed":    {agreed, agreedPath, everyFourth(300), coles.UseFeatures, "coles: feature model, by cross-validation on 75 labels: features "},
		"too few":   {overruled, archiveOf(t, overruled), first(overruled), coles.UseGraph, "coles: graph model, by s: cross-validation takes two labels of two classes at least\ncoles: s: neighbours weigh "},
	} {
		g, labels := testkit.Must(undirected(c.d, c.path)), slices.Repeat([]int{-1}, c.d.Nodes())
		for _, i := range c.labelled {
			labels[i] = c.d.Labels[i]
		}
		args := []string{c.path, "-dim", "9", "-labels", labelFile(t, c.d.Labels, c.labelled)}
		stdout, stderr := said(t, args...)
		choice := testkit.Must(learn.ChooseModel(t.Context(), g, c.d.Features, learn.Labels{Classes: labels}, learn.Smoothing{Seed: 1}, coles.WithDim(9)))
		chosen := "coles: " + strings.ReplaceAll(choice.String(), "\n", "\ncoles: ") + "\n"
		testkit.WantText(t, stderr, chosen, c.says)
		same, silent := said(t, append([]string{"-kind", c.want.String()}, args...)...)
		testkit.WantSame(t, name+", predictions", stdout, same)
		testkit.WantSame(t, name+", the rest", chosen+silent, stderr)
	}
	path, labels := archiveOf(t, overruled), labelFile(t, overruled.Labels, everyFourth(700))
	dir := t.TempDir()
	model, kept := filepath.Join(dir, "m.model"), filepath.Join(dir, "c.classifier")
	must(t, "", "embed", path, "-dim", "9", "-model", model, "-o", model+".npy")
	for name, args := range map[string][]string{
		"q":          {path, "-dim", "9", "-kind", "auto"},
		"the graph":  {path, "-dim", "9", "-kind", "graph"},
		"a model":    {path, "-with", model, "-classifier", kept},
		"an archive": {path, "-embedding", model + ".npy"},
	} {
		testkit.WantSame(t, name, stdoutOf(t, append([]string{"-labels", labels}, args...)...), stdoutOf(t, "-labels", labels, path, "-with", model))
	}
	said(t, path, "-for", "links", "-dim", "9", "-labels", labels)
	said(t, path, "-dim", "9", "-use", kept, "-labels", labels)
	overruled.Features = nil
	said(t, archiveOf(t, overruled), "-dim", "9", "-labels", labels)
}

// With -all, the nodes that have a label are predicted as well.
func TestPredictAll(t *testing.T) {
	d, path := community(t)
	labels := labelFile(t, d.Labels, everyFourth(300))
	some, all := predicted(t, path, "-labels", labels), predicted(t, path, "-labels", labels, "-all")
	if len(some) != 225 || len(all) != 300 {
		t.Fatalf("%d predictions, and %d with -all", len(some), len(all))
	}
	rest := slices.DeleteFunc(slices.Clone(all), func(p prediction) bool {
		return !slices.ContainsFunc(some, func(q prediction) bool { return q.ID == p.ID })
	})
	testkit.WantSame(t, "the other predictions with -all", rest, some)
}

// Nodes whose label an archive has by convention only have none.
func TestPredictWhatAnArchiveDoesNotKnow(t *testing.T) {
	d, path := community(t)
	for i := range 10 {
		d.Labels[7*i] = 0
		d.Unlabeled = append(d.Unlabeled, 7*i)
	}
	y := testkit.Must(coles.Fit(t.Context(), testkit.Must(undirected(d, path)), d.Features)).Embedding()
	var known []int
	for i := range 300 {
		if !slices.Contains(d.Unlabeled, i) {
			known = append(known, i)
		}
	}
	want := wantPredictions(t, learn.LogisticRegression{Cs: learn.DefaultCs()}, y, d.Labels, known)
	for i := range want {
		want[i].Class = strings.Trim(strings.TrimPrefix(want[i].Class, "class\t"), `"`) // the archive names no classes
	}
	testkit.WantSame(t, "predictions", predicted(t, archiveOf(t, d)), want)
}

// A classifier that was kept needs no labels, and its classes keep their names.
func TestPredictWithAKeptClassifier(t *testing.T) {
	d, path := community(t)
	dir := t.TempDir()
	model, kept := filepath.Join(dir, "m.model"), filepath.Join(dir, "c.classifier")
	must(t, "", "embed", path, "-dim", "8", "-model", model)
	labels := labelFile(t, d.Labels, everyFourth(300))
	want := predicted(t, path, "-with", model, "-labels", labels, "-all", "-classifier", kept)

	d.Labels = nil
	bare := archiveOf(t, d)
	testkit.WantSame(t, "predictions of a kept classifier", predicted(t, bare, "-with", model, "-use", kept), want)
	_, stderr := said(t, bare, "-with", model, "-use", kept)
	testkit.WantSame(t, "what is said of it", stderr, "coles: graph model: -use learns nothing, and cross-validates nothing\n")
	testkit.WantText(t, must(t, "", "info", kept),
		`classifier of  3 classes: ["class\t\"0\"" "class\t\"1\"" "class\t\"2\""]`,
		"learnt from    the graph model "+decoded[modelInfo](t, "", "info", "-json", model).Hash+", of 8 columns\n", "penalty        C = ")
	// The model that labels choose is kept with it, or a warning says that it is not.
	chosen := filepath.Join(dir, "chosen.model")
	args := []string{path, "-dim", "8", "-labels", labels, "-classifier", kept}
	out, stderr := said(t, append(args, "-model", chosen)...)
	if strings.Contains(stderr, "warning") {
		t.Errorf("model and classifier are kept: %q", stderr)
	}
	testkit.WantSame(t, "by both", stdoutOf(t, path, "-labels", labels, "-with", chosen, "-use", kept), out)
	_, stderr = said(t, args...)
	testkit.WantText(t, stderr, "c.classifier is for vectors of this very model, which -model keeps")
	refused(t, dir, exitFailure, "c.classifier learnt from the graph model ", "", "predict", bare, "-kind", "features", "-use", kept)
	unknown, vectors := filepath.Join(dir, "u.classifier"), filepath.Join(dir, "y.npy") // of vectors that anything may have made
	must(t, "", "embed", path, "-with", model, "-o", vectors)
	said(t, "-embedding", vectors, "-labels", labels, "-classifier", unknown)
	testkit.WantSame(t, "predictions of one from vectors", predicted(t, bare, "-with", model, "-use", unknown), want)
	m := testkit.Must(learn.ReadLinearModel(strings.NewReader(read(t, kept))))
	testkit.WantSame(t, "classes that a program reads from the file", len(m.Classes), 3)

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
	y := testkit.Must(coles.Fit(t.Context(), testkit.Must(undirected(d, path)), nil)).Embedding()
	for _, c := range []struct {
		rows []int
		l    learn.LogisticRegression
	}{
		{[]int{0, 33}, learn.LogisticRegression{}},
		{[]int{0, 1, 2, 33}, learn.LogisticRegression{}},
		{[]int{0, 1, 32, 33}, learn.LogisticRegression{Cs: learn.DefaultCs()}},
	} {
		want := wantPredictions(t, c.l, y, d.Labels, c.rows)
		labels := labelFile(t, d.Labels, c.rows)
		testkit.WantSame(t, fmt.Sprint("labels of ", c.rows), predicted(t, path, "-labels", labels), want)
		_, stderr := said(t, path, "-labels", labels)
		if tells := strings.Contains(stderr, "recall"); tells != (c.l.Cs != nil) {
			t.Errorf("labels of %v: %q", c.rows, stderr)
		}
	}
}

// Cora, 20 labels a class: as accurate as by Classify, which chooses C in the same way.
func TestPredictionsOfCora(t *testing.T) {
	path := testkit.Shared(t, "data", "npz", "cora.npz")
	ctx := context.Background()
	d := testkit.Must(dataset.Open(path, dataset.ReadNPZ))
	split := testkit.Must(dataset.OpenSplits(testkit.Shared(t, "data", "splits", "cora_20.json"), d.Nodes()))[0]
	slices.Sort(split.Train) // predict learns in the order of the nodes
	y := testkit.Must(coles.Fit(ctx, testkit.Must(undirected(d, path)), d.Features)).Embedding()
	p := eval.Protocol{Regression: learn.LogisticRegression{Cs: learn.DefaultCs()}}
	want := testkit.Must(p.Classify(ctx, y, d.Labels, []dataset.Split{split})).Each[0]

	class := make(map[string]string)
	for _, p := range predicted(t, path, "-labels", labelFile(t, d.Labels, split.Train)) {
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
	labelled := everyFourth(300)
	for i := range labelled {
		if i%5 == 0 {
			d.Labels[labelled[i]] = (d.Labels[labelled[i]] + 1) % 3 // noise, which makes errors
		}
	}
	labels := labelFile(t, d.Labels, labelled)
	dir := t.TempDir()
	model, vectors := filepath.Join(dir, "m.model"), filepath.Join(dir, "y.npy")
	must(t, "", "embed", path, "-kind", "graph", "-dim", "8", "-model", model, "-o", vectors)
	y := testkit.Must(coles.Fit(t.Context(), testkit.Must(undirected(d, path)), d.Features, coles.With(func(s *coles.Settings) { s.Kind, s.Dim = coles.UseGraph, 8 }))).Embedding()
	l := learn.LogisticRegression{Cs: learn.DefaultCs()}
	l.Cs = []float64{testkit.Must(l.Fit(t.Context(), y, labelled, d.Labels)).C}
	for _, seed := range []uint64{1, 2} {
		want := testkit.Must(l.CrossValidate(t.Context(), y, labelled, d.Labels, seed))
		want.Names = []string{className(0), className(1), className(2)}
		for of, args := range map[string][]string{
			"graph model":               {path, "-kind", "graph", "-dim", "8", "-alpha", "0"},
			"the vectors of " + vectors: {"-embedding", vectors},
		} {
			args = append(args, "-labels", labels, "-seed", fmt.Sprint(seed))
			_, stderr := said(t, args...)
			testkit.WantSame(t, of, stderr, fmt.Sprintf("coles: %s: %.1f %% of 75 labelled nodes are right in cross-validation\n%v", of, 100*want.Accuracy(), want))
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

// -probabilities prints the probabilities of all classes: a column for each, under its name, and in JSON by name.
func TestPredictProbabilities(t *testing.T) {
	dir := folder(t, map[string]string{
		"y.csv": "a,0,1\nb,1,0\nc,0,2\nd,2,0\ne,-3,-3\nf,0,3\ng,-2,-2\n",
		"l.csv": "who,team\na,up\nc,up\nb,right\nd,right\ne,\"left, down\"\ng,\"left, down\"\n", // a header of other words
	})
	args := []string{"-embedding", filepath.Join(dir, "y.csv"), "-labels", filepath.Join(dir, "l.csv"), "-probabilities"}
	p := predicted(t, args...)
	if len(p) != 1 || p[0].ID != "f" || p[0].Class != "up" || len(p[0].Probabilities) != 3 || p[0].Probabilities["up"] != p[0].Probability {
		t.Fatalf("%+v", p)
	}
	sum, numbers := 0.0, ""
	for _, class := range []string{"left, down", "right", "up"} {
		sum += p[0].Probabilities[class]
		numbers += fmt.Sprintf(",%.6g", p[0].Probabilities[class])
	}
	testkit.WantNear(t, "the sum of probabilities", sum, 1, 1e-12)
	row := fmt.Sprintf("f,up,%.6g%s\n", p[0].Probability, numbers)
	testkit.WantSame(t, "as text", stdoutOf(t, args...), strings.ReplaceAll(row, ",", "\t"))
	out := filepath.Join(dir, "out.csv")
	said(t, append(args, "-o", out)...)
	testkit.WantSame(t, "with a header", read(t, out), "id,class,probability,\"left, down\",right,up\n"+row)
	said(t, append(args, "-o", out, "-no-header")...)
	testkit.WantSame(t, "without a header", read(t, out), row)
}
