package task

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/testkit"
	"coles/learn"

	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// secret is a graph of n nodes in four communities, of which 20 columns tell, whose label is another thing: 6 columns
// of it have the mean ±0.8 and the deviation 0.7, and no edge knows it. Labels are text; those from node known on are
// left out, and truth has all.
func secret(t *testing.T, n, known int) (d *dataset.Dataset, truth []int) {
	t.Helper()
	rng := testkit.Random(5)
	x, edges := mat.NewDense(n, 26, nil), []coles.Edge(nil)
	means := testkit.Normal(4, 20, 1, 7)
	for i := range n {
		truth = append(truth, rng.IntN(2))
		for j := range 20 {
			x.Set(i, j, means.At(i%4, j)+0.7*rng.NormFloat64())
		}
		for j := 20; j < 26; j++ {
			x.Set(i, j, 0.8*float64(2*truth[i]-1)+0.7*rng.NormFloat64())
		}
	}
	for len(edges) < 4*n {
		if u, v := rng.IntN(n), rng.IntN(n); u != v && (u%4 == v%4 || rng.Float64() < 0.05) {
			edges = append(edges, coles.Edge{U: u, V: v})
		}
	}
	labels := append([]int(nil), truth...)
	for i := known; i < n; i++ {
		labels[i] = -1
	}
	d = &dataset.Dataset{Features: x, Labels: labels, Classes: []string{"a", "b"}}
	d.Undirected = testkit.Must(coles.NewGraph(n, edges))
	return d, truth
}

// Labels that edges do not know are predicted as well for newcomers as for the nodes of the graph. Two normal
// distributions whose means are 2·0.8·√6/0.7 deviations apart are confused in Φ(−2.8) = 0.26 % by the best rule: 95 of
// 100 leave room for what is learnt from 300.
func TestNewcomersGetTheModelThatLabelsChoose(t *testing.T) {
	const n, known = 400, 300
	all, truth := secret(t, n, known)
	right := func(answers []learn.Answer) (count int) {
		for q, a := range answers {
			if a.Classes[0].Class == truth[known+q] {
				count++
			}
		}
		return count
	}
	whole := testkit.Must(New(all))
	target := testkit.Must(TargetOf(all, n, ""))
	f := testkit.Must(whole.Fit(ctx, Fitting{Labels: &target, How: learn.Options{Seed: 1}}))
	if f.Choice == nil || f.Notice() != "" {
		t.Errorf("labels did not choose")
	}
	p := testkit.Must(FitPredictor(ctx, whole.Graph, f.Rows, f.Model, target, learn.Options{Seed: 1}))
	var rows []int
	for i := known; i < n; i++ {
		rows = append(rows, i)
	}
	if got := right(testkit.Must(p.Answers(ctx, whole.Graph, f.Rows, target, rows))); got < 95 {
		t.Errorf("%d of 100 nodes are right", got)
	}

	old := &dataset.Dataset{Features: all.Features.(*mat.Dense).Slice(0, known, 0, 26), Labels: all.Labels[:known], Classes: all.Classes}
	var edges, joins []coles.Edge
	for e := range whole.Graph.Edges() {
		switch {
		case e.U < known && e.V < known:
			edges = append(edges, e)
		case e.U < known || e.V < known:
			joins = append(joins, e)
		}
	}
	old.Undirected = testkit.Must(coles.NewGraph(known, edges))
	d := testkit.Must(New(old))
	labels := testkit.Must(TargetOf(old, known, ""))
	f = testkit.Must(d.Fit(ctx, Fitting{Labels: &labels, How: learn.Options{Seed: 1}}))
	p = testkit.Must(FitPredictor(ctx, d.Graph, f.Rows, f.Model, labels, learn.Options{Seed: 1}))
	y := testkit.Must(testkit.Must(NewPlacer(ctx, f.Model, d)).Embed(ctx, all.Features.(*mat.Dense).Slice(known, n, 0, 26), joins, nil))
	if got := right(testkit.Must(p.Answers(ctx, nil, y, Target{}, nil))); got < 95 {
		t.Errorf("%d of 100 newcomers are right", got)
	}
}

// corners are n points (n × 4) about the ends of three axes, ten deviations from the centre, and which end that is.
func corners(n int) (y *mat.Dense, end []int) {
	y = testkit.Normal(n, 4, 0.1, 3)
	for i := range n {
		y.Set(i, i%3, 1+y.At(i, i%3))
		end = append(end, i%3)
	}
	return y, end
}

// kinds are labels of the three kinds for corners, every fifth without.
func kinds(corner []int) map[Kind]*dataset.Dataset {
	all := map[Kind]*dataset.Dataset{
		OneClass:       {Classes: []string{"x", "y", "z"}},
		SeveralClasses: {Classes: []string{"x|y", "y|z", "z"}},
		Number:         {},
	}
	for i, b := range corner {
		for kind, d := range all {
			label := b
			if kind == Number {
				label, d.Classes = len(d.Classes), append(d.Classes, strconv.FormatFloat(float64(b)+float64(i)/1000+0.5, 'f', -1, 64))
			}
			if i%5 == 0 {
				label = -1
			}
			d.Labels = append(d.Labels, label)
		}
	}
	return all
}

// What is read answers as what was written did, and the answers of far corners are those of the corners.
func TestPredictorsOfAllKindsAreKept(t *testing.T) {
	const n = 90
	y, corner := corners(n)
	for kind, d := range kinds(corner) {
		target := testkit.Must(TargetOf(d, n, ""))
		p := testkit.Must(FitPredictor(ctx, nil, y, nil, target, learn.Options{Seed: 1}))
		testkit.WantSame(t, "kind", p.Kind(), kind)
		var kept bytes.Buffer
		count := testkit.Must((&File{Predictor: p}).WriteTo(&kept))
		testkit.WantSame(t, "bytes", count, int64(kept.Len()))
		if !Begins(kept.Bytes()) {
			t.Error("the file does not begin as one")
		}
		damaged := bytes.Clone(kept.Bytes())
		damaged[len(damaged)-1] ^= 1
		testkit.WantError(t, testkit.Err(ReadFile(bytes.NewReader(damaged))), coles.ErrChecksum)
		read := testkit.Must(ReadFile(&kept)).Predictor
		answers := testkit.Must(p.Answers(ctx, nil, y, Target{}, nil))
		testkit.WantSame(t, kind.String(), testkit.Must(read.Answers(ctx, nil, y, Target{}, nil)), answers)
		for i, a := range answers {
			var has []string
			for _, c := range a.Classes[:a.Has] {
				has = append(has, p.Class(c.Class))
			}
			slices.Sort(has)
			switch {
			case kind == Number && (math.Abs(a.Value-0.5-float64(corner[i])) > 0.5 || a.Low > a.Value || a.High < a.Value):
				t.Errorf("row %d of corner %d has the number %g in %g … %g", i, corner[i], a.Value, a.Low, a.High)
			case kind != Number && strings.Join(has, "|") != d.Classes[corner[i]]:
				t.Errorf("row %d of corner %d is of %q, %v", i, corner[i], has, kind)
			}
		}
	}
}

// A newcomer with the vector of a node has its reasons: both are by the same labelled nodes.
func TestReasonsOfNewcomers(t *testing.T) {
	const n = 60
	y, corner := corners(n)
	d := &Data{Dataset: kinds(corner)[OneClass]}
	target := testkit.Must(TargetOf(d.Dataset, n, ""))
	p := testkit.Must(FitPredictor(ctx, nil, y, nil, target, learn.Options{Seed: 1}))
	rows := []int{0, 5, 10}
	answers := testkit.Must(p.Answers(ctx, nil, y, Target{}, rows))
	for q, w := range testkit.Must(p.Why(ctx, d, nil, y, target, rows, answers)) {
		of := testkit.Must(p.WhyNewcomer(ctx, y.Slice(rows[q], rows[q]+1, 0, 4), nil, Names(nil, n)))
		testkit.WantSame(t, "reasons", of.String(), w.String())
		testkit.WantNear(t, "score", of.Score, w.Score, 1e-12)
	}
}

func TestWhatLabelsAre(t *testing.T) {
	named := func(labels []int, classes ...string) *dataset.Dataset {
		return &dataset.Dataset{Labels: labels, Classes: classes, IDs: []string{"ann", "bob", "cyd"}}
	}
	testkit.WantSame(t, "classes", testkit.Must(TargetOf(named([]int{0, 1, -1}, "x", "y"), 3, "")).Classes, []int{0, 1, -1})
	values := testkit.Must(TargetOf(named([]int{0, 1, -1}, "1.5", "2.5"), 3, "")).Values
	if values[0] != 1.5 || values[1] != 2.5 || !math.IsNaN(values[2]) {
		t.Errorf("values %v", values)
	}
	testkit.WantSame(t, "sets", testkit.Must(TargetOf(named([]int{0, 1, -1}, "x|y", "y"), 3, "")).Sets, [][]int{{0, 1}, {1}, nil})
	testkit.WantSame(t, "as classes", testkit.Must(TargetOf(named([]int{0, 1, -1}, "1.5", "2.5"), 3, "classes")).Classes, []int{0, 1, -1})
	_, err := TargetOf(named([]int{0, 1, -1}, "1.5", "old"), 3, "numbers")
	testkit.WantError(t, err, coles.ErrFormat)
	testkit.WantText(t, err.Error(), `"old" of node bob`)
	err = testkit.Err(FitPredictor(ctx, nil, testkit.Eye(3), nil, testkit.Must(TargetOf(&dataset.Dataset{}, 3, "")), learn.Options{}))
	unknown := &dataset.Dataset{Labels: []int{0, 1, 0}, Unlabeled: []int{2}}
	testkit.WantSame(t, "labels by convention only", testkit.Must(TargetOf(unknown, 3, "")).Classes, []int{0, 1, -1})
	testkit.WantSame(t, "without labels", errors.Is(err, ErrNoLabels), true)
}
