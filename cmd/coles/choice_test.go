package main

import (
	"context"
	"regexp"
	"testing"

	"coles"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/eval"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// apart is a drawn graph in an archive whose neighbours are almost never of one class, with features
// that tell the classes: a fit takes the features alone.
func apart(t *testing.T) (d *dataset.Dataset, path string) {
	t.Helper()
	d = testkit.Must(synthetic.Communities{Nodes: 300, Classes: 3, Features: 200, Homophily: 0.02, Topic: 0.5, Seed: 5}.Generate(t.Context()))
	return d, archiveOf(t, d)
}

// Where a fit chooses, eval measures the model that it did not choose on the same splits.
func TestEvalMeasuresBothModels(t *testing.T) {
	ctx := context.Background()
	for chosen, c := range map[coles.Kind]struct {
		make  func(*testing.T) (*dataset.Dataset, string)
		other coles.Kind
	}{coles.UseGraph: {community, coles.UseFeatures}, coles.UseFeatures: {apart, coles.UseGraph}} {
		d, path := c.make(t)
		g := testkit.Must(coles.FromCSR(d.Adjacency))
		splits := testkit.Must(d.RandomSplits(5, 3, 4))
		accuracy := make(map[coles.Kind]*eval.Measurements)
		var alignment *coles.Alignment
		for _, kind := range []coles.Kind{0, c.other} {
			m := testkit.Must(coles.Fit(ctx, g, d.Features, coles.With(func(s *coles.Settings) { s.Dim, s.Seed, s.Kind = 16, 4, kind })))
			accuracy[kind] = testkit.Must(eval.Protocol{}.Classify(ctx, m.Embedding(), d.Labels, splits))
			if kind == 0 {
				alignment = m.Report().Alignment
			}
		}
		args := []string{path, "-dim", "16", "-seed", "4", "-per-class", "5", "-count", "3", "-runs", "0"}
		e := evaluated(t, args...)
		testkit.WantSame(t, "choice of "+chosen.String(), *e.Choice, choiceShown{chosen, alignment, c.other, inPercent(*accuracy[c.other])})
		testkit.WantSame(t, "accuracy of "+chosen.String(), e.Classification.Accuracy, inPercent(*accuracy[0]))
		table := must(t, "", append([]string{"eval"}, args...)...)
		for name, value := range map[string]string{"classification": "accuracy " + accuracy[0].String(), "chosen": alignment.String(), "by the " + c.other.String(): "accuracy " + accuracy[c.other].String()} {
			if line := "(?m)^" + name + " +" + regexp.QuoteMeta(value) + "$"; !regexp.MustCompile(line).MatchString(table) {
				t.Errorf("no line %q in\n%s", line, table)
			}
		}
		if e.Classification.Accuracy.Mean < e.Choice.Accuracy.Mean {
			t.Errorf("%v: the other model is better: %v and %v", chosen, e.Classification.Accuracy, e.Choice.Accuracy)
		}
	}
}

// Communities whose features correlate with each other and not with the classes, as they are another
// node's.
func TestInfoAndEvalWarnOfFeatures(t *testing.T) {
	d := testkit.Must(synthetic.Communities{Nodes: 600, Classes: 3, Degree: 3, Features: 200, Homophily: 0.95, Topic: 0.6, Seed: 7}.Generate(t.Context()))
	x := testkit.DenseOf(d.Features)
	others := mat.NewDense(600, 200, nil)
	for i := range 600 {
		others.SetRow((i+1)%600, x.RawRowView(i))
	}
	d.Features = testkit.SparseOf(others)
	wantWarning(t, archiveOf(t, d), "94 % of edges join one class, and 33 % by chance: the graph may know better, try -kind graph")
	_, right := apart(t)
	wantWarning(t, right, "")
}

// wantWarning checks the line behind a choice of features.
func wantWarning(t *testing.T, path, want string) {
	t.Helper()
	for _, args := range [][]string{{"info", path}, {"eval", path, "-count", "2", "-runs", "0"}} {
		table := must(t, "", args...)
		testkit.WantText(t, table, ": feature model")
		found := regexp.MustCompile("(?m)^but +(.*)").FindStringSubmatch(table)
		if want == "" && found != nil || want != "" && (found == nil || found[1] != want) {
			t.Errorf("%v: %q, want %q in\n%s", args, found, want, table)
		}
	}
}
