package learn

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/archive"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// ring is a ring of n nodes with labels of each kind, of which neighbours have the like and features tell little: two
// halves; the half, and the middle where a node is in it; a wave with noise that the features know.
func ring(n int, seed uint64) (*coles.Graph, *mat.Dense, map[string]Labels) {
	x := testkit.Normal(n, 4, 1, seed)
	l := Labels{Classes: make([]int, n), Sets: make([][]int, n), Values: make([]float64, n)}
	for i := range n {
		half := 2 * i / n
		x.Set(i, 0, x.At(i, 0)+float64(half))
		l.Classes[i], l.Sets[i] = half, []int{half}
		if 4*i > n && 4*i < 3*n {
			l.Sets[i] = []int{half, 2}
			x.Set(i, 3, x.At(i, 3)+1)
		}
		l.Values[i] = 1000 * (math.Sin(2*math.Pi*float64(i)/float64(n)) + 0.1*x.At(i, 0) + 0.1*x.At(i, 1)*x.At(i, 2))
	}
	return testkit.Must(coles.NewGraph(n, testkit.Ring(n, 3))), x,
		map[string]Labels{"classes": {Classes: l.Classes}, "sets": {Sets: l.Sets}, "numbers": {Values: l.Values}}
}

// only are the labels of some rows.
func only(l Labels, keep func(i int) bool) Labels {
	l.Classes, l.Sets, l.Values = slices.Clone(l.Classes), slices.Clone(l.Sets), slices.Clone(l.Values)
	for i := range l.count() {
		switch {
		case keep(i):
		case l.Values != nil:
			l.Values[i] = math.NaN()
		case l.Sets != nil:
			l.Sets[i] = nil
		default:
			l.Classes[i] = -1
		}
	}
	return l
}

func third(i int) bool { return i%3 == 0 }

// columnsOf are answers as a matrix: a column for each class, or one of values.
func columnsOf(p *Predictor, answers []Answer) *mat.Dense {
	if p.Ridge != nil {
		all := mat.NewDense(len(answers), 1, nil)
		for i, a := range answers {
			all.Set(i, 0, a.Value)
		}
		return all
	}
	all := mat.NewDense(len(answers), len(p.Linear.Classes), nil)
	for i, a := range answers {
		for _, c := range a.Classes {
			all.Set(i, slices.Index(p.Linear.Classes, c.Class), c.Probability)
		}
	}
	return all
}

// spreadOver is 25 steps of f ← 0.85·D^-½AD^-½·f + 0.15·y by dense matrices.
func spreadOver(g *coles.Graph, y *mat.Dense) *mat.Dense {
	a := testkit.DenseOf(g.CSR())
	n, _ := a.Dims()
	w, f := mat.NewDense(n, n, nil), mat.DenseCopyOf(y)
	w.Apply(func(i, j int, v float64) float64 {
		if v == 0 {
			return 0
		}
		return 0.85 * v / math.Sqrt(mat.Sum(a.RowView(i))*mat.Sum(a.RowView(j)))
	}, a)
	for range 25 {
		var next mat.Dense
		next.Mul(w, f)
		next.Apply(func(i, k int, v float64) float64 { return v + 0.15*y.At(i, k) }, &next)
		f = &next
	}
	return f
}

// Answers are the sum of opinions in the doc comment of Weights, by dense matrices.
func TestAnswersAreSumsOfOpinions(t *testing.T) {
	g := testkit.Twins(20, 0.2, 161)
	a, n := testkit.DenseOf(g.CSR()), g.Nodes()
	_, x, labels := ring(n, 162)
	isKnown := func(i int) bool { return i%5 == 0 }
	by := Weights{Vectors: 0.8, Surroundings: -0.7}
	for kind, l := range labels {
		known := only(l, isKnown)
		p := testkit.Must(Fit(context.Background(), nil, x, l, Options{Seed: 1}))
		p.Weights = Weights{}
		alone := columnsOf(p, testkit.Must(p.Predict(context.Background(), nil, x, Labels{}, nil)))
		_, columns := alone.Dims()
		p.Weights = by
		if kind != "classes" {
			p.Weights.Shift = 0.3
		}
		mean, count := 0.0, 0.0 // of what is known
		share, y := make([]float64, columns), mat.NewDense(n, columns+1, nil)
		for i := 0; i < n; i += 5 {
			count++
			y.Set(i, columns, 1)
			if l.Values != nil {
				mean += l.Values[i]
				continue
			}
			for _, k := range l.sets()[i] {
				share[k]++
				y.Set(i, k, 1)
			}
		}
		f, mass := spreadOver(g, y), 0.0
		for i := range n {
			mass += f.At(i, columns) / float64(n)
		}
		tolerance := 1e-9
		want := mat.NewDense(n, columns, nil)
		if l.Values != nil {
			passed := heldAt(t, a, l.Values, mean/count, isKnown)
			tolerance = 0.7 * (floats.Max(l.Values) - floats.Min(l.Values)) * passedTolerance
			for i := range n {
				want.Set(i, 0, 0.8*alone.At(i, 0)-0.7*passed.At(i, 0)+0.3)
				if passed.At(i, 0) == 0 {
					want.Set(i, 0, alone.At(i, 0))
				}
			}
		} else {
			prior := map[string]float64{"classes": 0.1, "sets": 1}[kind] * mass
			for i := range n {
				sum := 0.0
				for k := range columns {
					all, v := share[k]/count, alone.At(i, k)
					q := (f.At(i, k) + prior*all) / (f.At(i, columns) + prior)
					if kind == "classes" {
						want.Set(i, k, math.Pow(v, 0.8)*math.Pow(q/all, -0.7))
						sum += want.At(i, k)
					} else {
						z := 0.8*math.Log(v/(1-v)) - 0.7*math.Log(q/(1-q)*(1-all)/all) + 0.3
						want.Set(i, k, 1/(1+math.Exp(-z)))
					}
				}
				if kind == "classes" {
					floats.Scale(1/sum, want.RawRowView(i))
				}
			}
		}
		answers := testkit.Must(p.Predict(context.Background(), g, x, known, nil))
		testkit.WantClose(t, kind, columnsOf(p, answers), want, tolerance)
		some := testkit.Must(p.Predict(context.Background(), g, x, known, []int{7, 3}))
		testkit.WantSame(t, kind+" of some rows", some, []Answer{answers[7], answers[3]})
	}
}

// heldAt is the limit of p ← 0.98·S·p with known rows held at the deviations of their values from the mean: it solves the
// linear equations (I − 0.98·S)p = 0 elsewhere.
func heldAt(t *testing.T, a *mat.Dense, values []float64, mean float64, known func(i int) bool) *mat.Dense {
	t.Helper()
	n, _ := a.Dims()
	left, right := testkit.Eye(n), mat.NewDense(n, 1, nil)
	for i := range n {
		if known(i) {
			right.Set(i, 0, values[i]-mean)
			continue
		}
		for j := range n {
			if degree := mat.Sum(a.RowView(i)); degree > 0 {
				left.Set(i, j, left.At(i, j)-0.98*a.At(i, j)/degree)
			}
		}
	}
	var found mat.Dense
	testkit.Check(t, found.Solve(left, right))
	return &found
}

// Where neighbours are alike surroundings count, and what cross-validation says holds for the other rows: as many are right,
// and nine in ten numbers are within the bounds.
func TestSurroundingsCountWhereNeighboursAreAlike(t *testing.T) {
	const n = 600
	g, x, labels := ring(n, 164)
	var rest []int
	for i := range n {
		if !third(i) {
			rest = append(rest, i)
		}
	}
	for kind, l := range labels {
		known := only(l, third)
		p := testkit.Must(Fit(context.Background(), g, x, known, Options{Seed: 1}))
		alone := testkit.Must(Fit(context.Background(), g, x, known, Options{Seed: 1, Alone: true}))
		found := testkit.Must(p.Predict(context.Background(), g, x, known, rest))
		got, inside := 0.0, 0.0
		switch {
		case l.Values != nil:
			squares, all := 0.0, 0.0
			for q, i := range rest {
				v, a := l.Values[i], found[q]
				squares, all = squares+(v-a.Value)*(v-a.Value), all+v*v
				if a.Low <= v && v <= a.High {
					inside += 1 / float64(len(rest))
				}
			}
			got = 1 - squares/all
			if inside < 0.85 || inside > 0.95 {
				t.Errorf("%v of the numbers are within the bounds", inside)
			}
		default:
			predicted, actual, promised := make([][]int, len(rest)), picked(l.sets(), rest), 0.0
			for q, a := range found {
				promised += a.Classes[0].Probability / float64(len(rest))
				for _, c := range a.Classes[:a.Has] {
					predicted[q] = append(predicted[q], c.Class)
				}
			}
			micro, _, err := SetF1(predicted, actual) // of one class a row the share that is right
			testkit.Check(t, err)
			if got = micro; kind == "classes" && math.Abs(promised-got) > 0.04 {
				t.Errorf("%v are right, of a mean probability of %v", got, promised)
			}
		}
		score := func(p *Predictor) float64 {
			switch {
			case p.Confusion != nil:
				return p.Confusion.Accuracy()
			case p.Scores != nil:
				return p.Scores.Micro
			}
			return p.Ridge.Found.R2
		}
		if p.Weights.Surroundings == 0 || alone.Weights.Surroundings != 0 || score(p) < score(alone)+0.1 || math.Abs(got-score(p)) > 0.05 {
			t.Errorf("%s: %v, %v of the others, %v and alone %v by cross-validation", kind, p.Weights, got, score(p), score(alone))
		}
		if p.Confusion != nil {
			testkit.WantNear(t, "alone", p.Alone, score(alone), 1e-12)
		}
	}
}

// A file has all that predictions take, whatever their kind, and is refused where a byte of it is another.
func TestPredictorFile(t *testing.T) {
	g, x, labels := ring(60, 165)
	for kind, l := range labels {
		p := testkit.Must(Fit(context.Background(), g, x, l, Options{Balanced: kind == "classes"}))
		if p.Origin = (Origin{"graph", "ab"}); p.Ridge == nil {
			p.Names = []string{"ash", "b\xffrch", "elm"} // a name need not be UTF-8
		}
		var file bytes.Buffer
		n := testkit.Must(p.WriteTo(&file))
		testkit.WantSame(t, "bytes", n, int64(file.Len()))
		text := slices.Clone(file.Bytes())
		file.WriteString("more")
		got := testkit.Must(ReadPredictor(&file))
		testkit.WantSame(t, "what comes after", file.String(), "more")
		known := only(l, third)
		testkit.WantSame(t, kind, testkit.Must(got.Predict(context.Background(), g, x, known, nil)), testkit.Must(p.Predict(context.Background(), g, x, known, nil)))
		testkit.WantSame(t, "names and origin", []any{got.Names, got.Origin}, []any{p.Names, p.Origin})
		for at := 0; at < len(text); at += 7 {
			changed := slices.Clone(text)
			changed[at] ^= 4
			if _, err := ReadPredictor(bytes.NewReader(changed)); !errors.Is(err, coles.ErrFormat) && !errors.Is(err, coles.ErrChecksum) {
				t.Errorf("%s with another byte %d: error %v", kind, at, err)
			}
		}
	}
	two := testkit.Must(LogisticRegression{}.Fit(context.Background(), x, testkit.UpTo(60), labels["classes"].Classes))
	two.Coef = mat.DenseCopyOf(mat.NewDense(1, 9, append(make([]float64, 5), two.Coef.RawRowView(0)...))).Slice(0, 1, 5, 9).(*mat.Dense) // written without the rest
	var old bytes.Buffer                                                                                                                 // which weighed no opinions
	testkit.Must(two.write(&old))
	testkit.Must(predictorFormat.Write(&old, predictorHeader{Temperature: 0.8}))
	read := testkit.Must(ReadPredictor(&old))
	wantModel(t, read.Linear, two)
	testkit.WantSame(t, "weights of a temperature", read.Weights, Weights{Vectors: 1.25})
	for name, h := range map[string]predictorHeader{
		"smoothed classes":  {Alpha: 0.5},
		"a name too few":    {Names: [][]byte{{'a'}}},
		"a negative T":      {Temperature: -1},
		"a weight too few":  {Weights: []float64{1}},
		"several by one":    {Threshold: new(float64)},
		"numbers and three": {Threshold: new(float64), Ridge: &ridgeHeader{}, Temperature: -1},
	} {
		var file bytes.Buffer
		testkit.Must(two.write(&file))
		testkit.Must(predictorFormat.Write(&file, h))
		if _, err := ReadPredictor(&file); !errors.Is(err, archive.ErrFormat) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// Labels of every kind are refused alike.
func TestPredictorRefuses(t *testing.T) {
	g, x, labels := ring(40, 167)
	three, wide := testkit.Must(coles.NewGraph(3, nil)), testkit.Normal(40, 5, 1, 1)
	for kind, l := range labels {
		fit := func(g *coles.Graph, l Labels, how Options) error {
			return testkit.Err(Fit(context.Background(), g, x, l, how))
		}
		p := testkit.Must(Fit(context.Background(), nil, x, l, Options{}))
		predict := func(g *coles.Graph, x mat.Matrix, known Labels, rows ...int) error {
			return testkit.Err(p.Predict(context.Background(), g, x, known, rows))
		}
		few, other := Labels{Classes: make([]int, 7)}, labels["numbers"]
		if kind == "numbers" {
			other = labels["sets"]
		}
		refusals := map[string][2]error{
			"another graph":         {fit(three, l, Options{}), coles.ErrShape},
			"a bad C":               {fit(g, l, Options{Cs: []float64{-1}}), coles.ErrSetting},
			"labels of some":        {fit(g, few, Options{}), coles.ErrShape},
			"no labels":             {fit(g, Labels{}, Options{}), coles.ErrShape},
			"too few":               {fit(g, only(l, func(i int) bool { return i == 0 }), Options{}), ErrSplit},
			"known labels of some":  {predict(g, x, few), coles.ErrShape},
			"labels of other kinds": {predict(g, x, other), coles.ErrShape},
			"a graph of others":     {predict(three, x, l), coles.ErrShape},
			"another width":         {predict(nil, wide, Labels{}), coles.ErrShape},
			"a row that is not":     {predict(nil, x, Labels{}, 40), coles.ErrIndex},
		}
		if kind != "classes" {
			refusals["balanced"] = [2]error{fit(g, l, Options{Balanced: true}), coles.ErrSetting}
		}
		t.Run(kind, func(t *testing.T) { testkit.WantRefusals(t, refusals) })
	}
	sets := func(set ...int) error {
		return testkit.Err(Fit(context.Background(), g, x, Labels{Sets: append([][]int{set}, labels["sets"].Sets[1:]...)}, Options{}))
	}
	testkit.WantRefusals(t, map[string][2]error{
		"negative": {sets(-1), coles.ErrIndex},
		"twice":    {sets(1, 1), ErrSplit},
	})
}

// Nothing known is as if no row had a label.
func TestPredictWithoutLabels(t *testing.T) {
	g, x, labels := ring(40, 166)
	for kind, l := range labels {
		p := testkit.Must(Fit(context.Background(), g, x, l, Options{}))
		none := only(l, func(int) bool { return false })
		testkit.WantSame(t, kind, testkit.Must(p.Predict(context.Background(), g, x, Labels{}, nil)), testkit.Must(p.Predict(context.Background(), g, x, none, nil)))
	}
}

// Balanced, a rare class that the features hardly show is found more often.
func TestBalanced(t *testing.T) {
	x, labels := testkit.Normal(600, 2, 1, 169), make([]int, 600)
	for i := range labels {
		if i%12 == 0 {
			labels[i] = 1
			x.Set(i, 0, x.At(i, 0)+1.5)
		}
	}
	plain := testkit.Must(Fit(context.Background(), nil, x, Labels{Classes: labels}, Options{Seed: 1})).Confusion
	even := testkit.Must(Fit(context.Background(), nil, x, Labels{Classes: labels}, Options{Seed: 1, Balanced: true}))
	testkit.WantSame(t, "weights", even.Balance, []float64{12. / 11, 12})
	mean := func(c *Confusion) float64 { return (c.Recall(0) + c.Recall(1)) / 2 }
	if mean(even.Confusion) < mean(plain)+0.1 || even.Confusion.Recall(1) < 0.6 {
		t.Errorf("mean recall %.3f balanced, else %.3f", mean(even.Confusion), mean(plain))
	}
}
