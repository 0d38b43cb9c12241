package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/eval"
	"coles/internal/testkit"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
)

// apart is a drawn graph in an archive whose neighbours are almost never of one class, with features
// that tell the classes: a fit takes the features alone.
func apart(t *testing.T) (d *dataset.Dataset, path string) {
	t.Helper()
	d = testkit.Must(synthetic.Communities{Nodes: 300, Classes: 3, Features: 200, Homophily: 0.02, Topic: 0.5, Seed: 5}.Generate(t.Context()))
	return d, archiveOf(t, d)
}

// A purpose sets everything, a file changes that, options change both, and take what the library
// reads as text.
func TestSettingsOfAPurpose(t *testing.T) {
	const file = `{"degree_share": 0.25, "seed": 9}`
	wanted := func(change func(*coles.Settings)) coles.Settings {
		s := coles.DefaultSettings()
		change(&s)
		return s
	}
	clustering := func(s *coles.Settings) {
		s.Dim, s.Preparation, s.Filter, s.DegreeShare = 32, coles.PrepareUndamped, coles.S2GCSum(20), 0
		s.Scaling = coles.ScalingRule{Rank: 12, Floor: 10, Norm: 4}
	}
	links := func(s *coles.Settings) {
		s.Dim, s.Kind, s.Filter, s.DegreeShare, s.Scaling = 256, coles.UseGraph, coles.S2GC(3, 0.05), 0, coles.ScalingRule{Norm: 4}
	}
	for args, want := range map[string]coles.Settings{
		"":                    coles.DefaultSettings(),
		"-for classification": coles.DefaultSettings(),
		"-dim 3 -seed 9223372036854775808 -kappa 0 -eta 0.25 -filter appnp:10,0.1 -precision float32 -negatives uniform:5,exclude-edges": wanted(func(s *coles.Settings) {
			s.Dim, s.Seed, s.Kappa, s.Eta = 3, 1<<63, 0, 0.25
			s.Filter, s.Precision, s.Negatives = coles.APPNP(10, 0.1), coles.Float32, coles.UniformNegatives(5).ExcludeEdges()
		}),
		"-filter polynomial:0.5,-0.25,1e-3 -negatives erdos-renyi:0.125": wanted(func(s *coles.Settings) {
			s.Filter, s.Negatives = coles.Polynomial(0.5, -0.25, 1e-3), coles.ErdosRenyiNegatives(0.125)
		}),
		"-for clustering": wanted(clustering),
		"-for links":      wanted(links),
		"-kind auto":      coles.DefaultSettings(),
		"-kind features -preparation row-l1 -degree-share 0.5": wanted(func(s *coles.Settings) {
			s.Kind, s.Preparation, s.DegreeShare = coles.UseFeatures, coles.PrepareRowL1, 0.5
		}),
		"-for clustering -settings -": wanted(func(s *coles.Settings) {
			clustering(s)
			s.DegreeShare, s.Seed = 0.25, 9
		}),
		"-degree-share 0 -settings - -for links -kind auto -dim 7": wanted(func(s *coles.Settings) {
			links(s)
			s.Kind, s.Seed, s.Dim = 0, 9, 7
		}),
	} {
		got := decoded[coles.Settings](t, file, append([]string{"embed", "-print-settings"}, strings.Fields(args)...)...)
		testkit.WantSame(t, args, asJSON(t, got), asJSON(t, want))
	}
}

// The command fits what the library fits with the same settings; links have as many columns as there
// are features.
func TestEmbedForAPurpose(t *testing.T) {
	d, path := community(t) // 60 features
	m := testkit.Must(coles.Fit(t.Context(), testkit.Must(coles.FromCSR(d.Adjacency)), d.Features, coles.With(func(s *coles.Settings) {
		s.Dim = 60
		s.Kind = coles.UseGraph
		s.Filter = coles.S2GC(3, 0.05)
		s.DegreeShare = 0
		s.Scaling = coles.ScalingRule{Norm: 4}
	})))
	want := text(t, func(b *bytes.Buffer) error { return dataset.WriteNPY(b, m.Embedding()) })
	prints(t, want, "", "embed", path, "-to", "npy", "-for", "links")
}

// Pairs of neighbours that are alike: a node counts as having 2.5 neighbours at least, so that s is 2.5. Without
// edges there are no neighbours, and few nodes count as having communities.
func TestInfoSaysWhatAFitChooses(t *testing.T) {
	const nodes, kinds, words = 48, 3, 20
	var pairs, alone, features strings.Builder
	for i := range nodes {
		fmt.Fprintf(&pairs, "%d %d\n", i, i^1)
		fmt.Fprintf(&alone, "%d %d\n", i, i)
		fmt.Fprint(&features, i)
		for j := range kinds * words {
			fmt.Fprintf(&features, " %d", map[bool]int{true: 1}[j/words == i/2%kinds])
		}
		fmt.Fprintln(&features)
	}
	dir, edges, few := small(t)
	many := filepath.Join(folder(t, map[string]string{"x.txt": features.String()}), "x.txt")
	_, drawn := apart(t)
	for name, c := range map[string]struct {
		stdin string
		args  []string
		kind  coles.Kind
		known bool
		s     float64 // −1 for none, 0 for any
		text  string
	}{
		"neighbours alike": {pairs.String(), []string{"-", "-features", many}, coles.UseGraph, true, 2.5, `\(s = 2.50 ± 0.00\): graph model`},
		"no neighbours":    {alone.String(), []string{"-", "-features", many}, coles.UseFeatures, true, 0, "the graph has no edges: feature model"},
		"few nodes":        {"", []string{edges, "-features", few}, coles.UseGraph, true, 0, ", there are too few nodes to see communities: graph model"},
		"no features":      {"", []string{edges}, coles.UseGraph, false, -1, "graph: there are no features"},
		"features are set": {"", []string{edges, "-features", few, "-kind", "features"}, coles.UseFeatures, false, -1, "features, as is set.*"},
		"the graph is set": {"", []string{drawn, "-kind", "graph"}, coles.UseGraph, false, -1, "graph, as is set.*"},
		"by its purpose":   {"", []string{drawn, "-for", "links"}, coles.UseGraph, false, -1, "graph, as is set.*"},
	} {
		got := decoded[graphInfo](t, c.stdin, append([]string{"info", "-json"}, c.args...)...)
		if a := got.Fit.Alignment; got.Fit.Kind != c.kind || (a == nil) != (c.s < 0) || a != nil && (a.Known != c.known || c.s > 0 && !(math.Abs(a.Neighbours-c.s) < 1e-9)) {
			t.Errorf("%s: %+v, %+v", name, got.Fit, a)
		}
		table := must(t, c.stdin, append([]string{"info"}, c.args...)...)
		if line := "\na fit chooses +.*" + c.text + "\n"; !regexp.MustCompile(line).MatchString(table) {
			t.Errorf("%s: no line %q in\n%s", name, line, table)
		}
	}
	refused(t, dir, exitUsage, "-for", "", "info", "-for", "rest", edges)
}

// info describes a fit in advance, and its model alike.
func TestInfoKnowsTheFit(t *testing.T) {
	for name, generate := range map[string]func(*testing.T) (*dataset.Dataset, string){"graph": community, "features": apart} {
		d, path := generate(t)
		model := filepath.Join(filepath.Dir(path), "m.model")
		args := []string{"embed", path, "-dim", "9", "-seed", "2", "-o", model + ".npy", "-model", model}
		testkit.WantSame(t, "exit code", run(t.Context(), args, strings.NewReader(""), io.Discard, io.Discard), 0)
		want := testkit.Must(coles.Fit(t.Context(), testkit.Must(coles.FromCSR(d.Adjacency)), d.Features, coles.WithDim(9), coles.WithSeed(2))).Report()
		before := decoded[graphInfo](t, "", "info", "-json", path, "-dim", "9", "-seed", "2")
		after := decoded[modelInfo](t, "", "info", "-json", model)
		if before.Fit.Kind.String() != name || want.Kind != before.Fit.Kind || !cmp.Equal(want.Alignment, before.Fit.Alignment) {
			t.Errorf("%s: before the fit %+v, %v; the fit has %v, %v", name, before.Fit, before.Fit.Alignment, want.Kind, want.Alignment)
		}
		if r := after.Report; r.Kind != want.Kind || !cmp.Equal(r.Alignment, want.Alignment) || r.DegreeShare != want.DegreeShare {
			t.Errorf("%s: of the model %+v", name, r)
		}
		table := must(t, "", "info", model)
		last := fmt.Sprintf("last column  degrees, with a share of %.3g\n", want.DegreeShare)
		if !strings.Contains(table, "chosen       "+want.Alignment.String()+"\n") || strings.Contains(table, last) != (name == "graph") {
			t.Errorf("%s: the model is described as\n%s", name, table)
		}
	}
}

// A model of features alone is kept, described and used like others; it looks at no edge.
func TestEmbedWithAModelOfFeaturesAlone(t *testing.T) {
	d, path := apart(t)
	dir := filepath.Dir(path)
	model := filepath.Join(dir, "m.model")
	var out, says bytes.Buffer
	testkit.WantSame(t, "exit code", run(t.Context(), []string{"embed", path, "-dim", "6", "-to", "npy", "-model", model}, strings.NewReader(""), &out, &says), 0)
	testkit.WantText(t, says.String(), "coles: warning: ", " edges are not used, UseGraph (-kind graph) would: ")
	fit := out.String()
	prints(t, fit, "", "embed", path, "-to", "npy", "-with", model)
	ids := rowNames(nil, d.Nodes())
	features := text(t, func(b *bytes.Buffer) error { return dataset.WriteTSV(b, ids, d.Features) })
	ring, star := new(strings.Builder), new(strings.Builder)
	for i := range ids {
		fmt.Fprintln(ring, i, (i+1)%len(ids))
		fmt.Fprintln(star, 0, i)
	}
	files := folder(t, map[string]string{"x.tsv": features, "ring": ring.String(), "star": star.String()})
	for _, name := range []string{"ring", "star"} {
		edges := filepath.Join(files, name)
		prints(t, fit, "", "embed", edges, "-from", "edges", "-features", filepath.Join(files, "x.tsv"), "-to", "npy", "-with", model)
	}
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
		accuracy := make(map[coles.Kind]measured)
		var alignment *coles.Alignment
		for _, kind := range []coles.Kind{0, c.other} {
			m := testkit.Must(coles.Fit(ctx, g, d.Features, coles.With(func(s *coles.Settings) { s.Dim, s.Seed, s.Kind = 16, 4, kind })))
			accuracy[kind] = percent(*testkit.Must(eval.Protocol{}.Classify(ctx, m.Embedding(), d.Labels, splits)))
			if kind == 0 {
				alignment = m.Report().Alignment
			}
		}
		args := []string{path, "-dim", "16", "-seed", "4", "-per-class", "5", "-count", "3", "-runs", "0"}
		e := evaluated(t, args...)
		testkit.WantSame(t, "choice of "+chosen.String(), *e.Choice, choice{chosen, alignment, c.other, accuracy[c.other]})
		testkit.WantSame(t, "accuracy of "+chosen.String(), e.Classification.Accuracy, accuracy[0])
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

// There is no other model where nothing was chosen.
func TestEvalWithoutAChoice(t *testing.T) {
	d, path := community(t)
	dir := filepath.Dir(path)
	y, model := filepath.Join(dir, "y.npy"), filepath.Join(dir, "m.model")
	must(t, "", "embed", path, "-dim", "4", "-o", y, "-model", model)
	d.Features = nil
	bare := archiveOf(t, d)
	for name, args := range map[string][]string{
		"vectors":     {path, "-embedding", y},
		"a model":     {path, "-with", model},
		"the kind":    {path, "-dim", "4", "-kind", "graph"},
		"the other":   {path, "-dim", "4", "-kind", "features"},
		"a purpose":   {path, "-dim", "4", "-for", "links"},
		"no features": {bare, "-dim", "4"},
	} {
		args = append(args, "-count", "2", "-runs", "0")
		members := decoded[map[string]json.RawMessage](t, "", append([]string{"eval", "-json"}, args...)...)
		if _, has := members["choice"]; has || len(members) != 6 {
			t.Errorf("%s: %v", name, len(members))
		}
		if table := must(t, "", append([]string{"eval"}, args...)...); strings.Contains(table, "chosen") || strings.Contains(table, "by the") {
			t.Errorf("%s:\n%s", name, table)
		}
	}
	// To say that the fit may choose is not to choose.
	e := evaluated(t, path, "-dim", "4", "-kind", "auto", "-count", "2", "-runs", "0")
	testkit.WantSame(t, "a choice with -kind auto", e.Choice != nil, true)
}

// A choice of features is warned of from a quarter of the way from chance to 1 on, by more than the
// noise of the edges seen.
func TestHomophilyDoubtsFeatures(t *testing.T) {
	features, graph := &coles.Alignment{Neighbours: 0.5, Known: true}, &coles.Alignment{Neighbours: 2, Known: true}
	for name, c := range map[string]struct {
		h      *homophily
		chosen *coles.Alignment
		doubts bool
	}{
		"far above":              {&homophily{Edge: 0.74, Expected: 0.08, Edges: 800}, features, true},
		"a quarter of the way":   {&homophily{Edge: 0.4101, Expected: 0.2, Edges: 10_000}, features, true},
		"less than the noise":    {&homophily{Edge: 0.4099, Expected: 0.2, Edges: 10_000}, features, false},
		"three edges, all alike": {&homophily{Edge: 1, Expected: 0.3, Edges: 3}, features, false},
		"six edges, all alike":   {&homophily{Edge: 1, Expected: 0.3, Edges: 6}, features, true},
		"one class":              {&homophily{Edge: 1, Expected: 1, Edges: 800}, features, false},
		"below chance":           {&homophily{Edge: 0.06, Expected: 0.37, Edges: 279}, features, false},
		"the graph is taken":     {&homophily{Edge: 0.74, Expected: 0.08, Edges: 800}, graph, false},
		"the kind is set":        {&homophily{Edge: 0.74, Expected: 0.08, Edges: 800}, nil, false},
		"no edge between labels": {nil, features, false},
	} {
		testkit.WantSame(t, name, c.h.doubt(c.chosen) != "", c.doubts)
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

// Four real graphs of neighbours that differ.
func TestRealFeaturesAreNotWarnedOf(t *testing.T) {
	for _, name := range []string{"texas", "cornell", "wisconsin", "actor"} {
		wantWarning(t, testkit.Shared(t, "data", "npz", name+".npz"), "")
	}
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
