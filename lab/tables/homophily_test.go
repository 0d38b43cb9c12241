package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/eval"
	"coles/examples/shared/clitest"
	"coles/internal/testkit"
	"coles/lab/internal/labtest"
	"coles/learn"
)

// archives are two small data sets in a folder, of 50 features and of 30, and what is none.
func archives(t *testing.T) (data string) {
	t.Helper()
	data = t.TempDir()
	for name, features := range map[string]int{"one": 50, "two": 30} {
		labtest.Archive(t, data, name, testkit.Must(synthetic.Communities{Nodes: 200, Classes: 3, Degree: 10, Features: features, Seed: 1}.Generate(t.Context())))
	}
	labtest.Files(t, data, map[string]string{"npz/readme.md": ""})
	return data
}

// On measurements the default takes the features where neighbours differ and the graph where they
// are alike, which is the better model in both. The library computes the same s.
func TestHomophilyTableShowsWhereTheChoiceTurns(t *testing.T) {
	names := []string{"measurements-80", "two"}
	if labtest.Long() {
		names = append(names, "measurements-2")
	}
	cells := make(map[string]map[string]any)
	for _, l := range measuredIn(t, archives(t), 2*len(names)*8, "-table", "homophily", "-datasets", strings.Join(names, ","), "-splits", "2") {
		if l["table"] != "homophily" || l["column"] != "raw" {
			t.Fatalf("%v", l)
		}
		if l["per_class"] == 20.0 {
			cells[l["dataset"].(string)+" "+l["method"].(string)] = l
		}
	}
	if want := len(names) * 8; len(cells) != want {
		t.Fatalf("%d cells of 20 labels a class, want %d", len(cells), want)
	}
	mean := func(name string) float64 { return cells[name]["mean"].(float64) }
	for dataset, c := range map[string]struct {
		chosen, other string
		below         bool // s is below 0.8
	}{
		"measurements-2":  {"COLES (features)", "COLES (graph)", true},
		"measurements-80": {"COLES (graph)", "COLES (features)", false},
		"two":             {"COLES (graph)", "", false},
	} {
		if !slices.Contains(names, dataset) {
			continue
		}
		choice, chosen := mean(dataset+" COLES-S2GC"), mean(dataset+" "+c.chosen)
		testkit.WantSame(t, dataset+" by default", choice, chosen)
		if c.other == "" {
			continue
		}
		if other := mean(dataset + " " + c.other); other >= chosen {
			t.Errorf("%s: %s has %v, %s %v", dataset, c.chosen, chosen, c.other, other)
		}
		d := testkit.Must(open(t.Context(), options{}, dataset))
		want := testkit.Must(coles.DefaultSettings().Alignment(t.Context(), testkit.Must(d.Graph()), d.Features))
		if got := mean(dataset + " s"); c.below != (got < 0.8) || math.Abs(got-want.Neighbours) > 0.01 { // rounded in print
			t.Errorf("%s: s is %v, want %v", dataset, got, want)
		}
	}
}

// Every family has its share of edges inside a class, and a name is of one family or of none.
func TestGeneratedDataSets(t *testing.T) {
	names := homophilyTable().datasets
	if len(names) != len(families)*len(familyHomophily) || len(families) != 3 {
		t.Fatalf("%d data sets: %v", len(names), names)
	}
	for _, name := range []string{"weak-topics-2", "strong-topics-40", "measurements-80"} {
		d := testkit.Must(open(t.Context(), options{}, name))
		h := testkit.Must(eval.EdgeHomophily(testkit.Must(d.Graph()), d.Labels))
		want := map[string]float64{"weak-topics-2": 0.02, "strong-topics-40": 0.4, "measurements-80": 0.8}[name]
		// Of some 7,700 edges: three standard deviations of a share of a half.
		if d.Nodes() != 2000 || d.NumClasses() != 5 || h < want-0.017 || h > want+0.017 {
			t.Errorf("%s: %d nodes, %d classes, homophily %v", name, d.Nodes(), d.NumClasses(), h)
		}
	}
	for _, name := range []string{"cora", "weak-topics", "weak-topics-3", "weak-topics-02"} {
		if isGenerated(name) {
			t.Errorf("%s is generated", name)
		}
	}
}

// In markdown the table has a line for each data set and number of labels, and a blank where there
// is no q.
func TestHomophilyTableIsTall(t *testing.T) {
	at := func(data, method string, mean float64) cell {
		return cell{Table: "homophily", Dataset: data, PerClass: 5, Method: method, Scaling: &scalings[0], Seeds: 1, Measures: []measure{{Mean: mean, Std: 0.5}}}
	}
	got := written(t, false, []cell{at("texas", "q", 69), at("texas", "Raw", 66), at("texas", "COLES-S2GC", 77.25), at("tolokers", "Raw", 54), at("tolokers", "COLES-S2GC", 58)})
	const want = "| | q | Raw | COLES-S2GC |\n|---|---|---|---|\n| texas, 5 | 69.0 ± 0.5 | 66.0 ± 0.5 | 77.2 ± 0.5 |\n| tolokers, 5 | | 54.0 ± 0.5 | 58.0 ± 0.5 |\n\nAccuracy in percent"
	if !strings.HasPrefix(got, want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// All are the archives of the folder, in whatever table; a table without names of its own has the
// three of the paper, and the homophily table its generated ones.
func TestAllDataSetsOfAFolder(t *testing.T) {
	var found []string
	for _, l := range measuredIn(t, archives(t), 4, "-datasets", "all", "-methods", "raw", "-splits", "2", "-table", "classification") {
		if l["per_class"] == 5.0 {
			found = append(found, l["dataset"].(string))
		}
	}
	testkit.WantSame(t, "all", found, []string{"one", "two"})
	clitest.Refuses(t, run, []clitest.Refusal{
		{Name: "no folder of archives", Args: []string{"-data", t.TempDir(), "-datasets", "all"}, Text: "npz", Is: os.ErrNotExist},
		{Name: "a league without archives", Args: []string{"-data", t.TempDir(), "-table", "league"}, Text: "league: there are no archives"},
	})
	testkit.WantSame(t, "by default", options{}.datasetsOf(classificationTable()), []string{"cora", "citeseer", "pubmed"})
	testkit.WantSame(t, "of homophily", options{}.datasetsOf(homophilyTable())[:2], []string{"weak-topics-2", "weak-topics-10"})
	testkit.WantSame(t, "named", options{datasets: []string{"one"}}.datasetsOf(homophilyTable()), []string{"one"})
}

// The row with C chosen is the default's embedding, classified with C by cross-validation in the
// training labels.
func TestRowWithCChosen(t *testing.T) {
	data := archives(t)
	d := testkit.Must(dataset.Open(filepath.Join(data, "npz", "one.npz"), dataset.ReadNPZ))
	y := testkit.Must(coles.Fit(t.Context(), testkit.Must(d.Graph()), d.Features)).Embedding()
	differ := false
	for _, l := range measuredIn(t, data, 4, "-datasets", "one", "-methods", "coles-s2gc,coles s2gc (c chosen)", "-splits", "4") {
		splits := testkit.Must(d.RandomSplits(int(l["per_class"].(float64)), 4, splitSeed))
		var regression learn.LogisticRegression
		if l["method"] == "COLES-S2GC (C chosen)" {
			regression.Cs = learn.DefaultCs()
			differ = differ || l["difference"] != 0.0
		}
		want := 100 * testkit.Must(eval.Protocol{Regression: regression}.Classify(t.Context(), y, d.Labels, splits)).Mean
		if got := l["mean"].(float64); got < want-0.01 || got > want+0.01 {
			t.Errorf("%v, want %v", l, want)
		}
	}
	if !differ {
		t.Error("the rows with and without a choice of C are the same")
	}
}
