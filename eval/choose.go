package eval

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// enough is how many standard errors the labels have to be away from a tie to overrule s.
const enough = 2

// A Choice is a fitted model of the kind that [ChooseModel] has taken, and why.
type Choice struct {
	Model *coles.Model // of the kind taken
	// Alignment has s, and Alone is the kind that is taken without labels.
	Alignment coles.Alignment
	Alone     coles.Kind
	// Labels is the number of labelled rows that were predicted by others, 0 where there are too
	// few.
	Labels int
	// Graph and Features are the cross-validated accuracies of the two kinds, shares of Labels. Error
	// is the standard error of their difference where both are equally good: √(b + c)/Labels for b
	// rows that the graph model alone has right and c that the feature model alone has right.
	Graph, Features, Error float64
	// Structure is the accuracy of that kind with half of the energy in columns of the structure, 0 where that was
	// not tried. The model has them if it is more than two standard errors better.
	Structure float64

	told, structured bool // the kinds are far enough apart, and the structure is better enough
}

// String states in two lines which kind was taken and why, and the verdict without labels.
func (c Choice) String() string {
	name := func(k coles.Kind) string { return strings.TrimSuffix(k.String(), "s") + " model" }
	if c.Labels == 0 {
		return fmt.Sprintf("%s, by s: cross-validation takes two labels of two classes at least\ns: %v", name(c.Alone), c.Alignment)
	}
	measured := fmt.Sprintf("graph %.1f %%, features %.1f %% (%+.1f ± %.1f points)", 100*c.Graph, 100*c.Features, 100*(c.Graph-c.Features), 100*c.Error)
	if c.structured {
		measured += fmt.Sprintf(", beside who the neighbours are %.1f %%", 100*c.Structure)
	}
	if !c.told {
		return fmt.Sprintf("%s, by s: cross-validation on %d labels cannot tell: %s\ns: %v", name(c.Alone), c.Labels, measured, c.Alignment)
	}
	return fmt.Sprintf("%s, by cross-validation on %d labels: %s\ns alone: %v", name(c.Model.Report().Kind), c.Labels, measured, c.Alignment)
}

// ChooseModel fits a graph with features x (n × d) by the [coles.Kind] that its labels choose:
// n of them, negative where a label is unknown. It fits both kinds, with all other settings from
// opts, and predicts the labelled rows of each embedding by cross-validation, in the parts of
// [LogisticRegression] with C = 1. The kind that is right more often is taken if the two are more
// than two standard errors apart, which is McNemar's test (1947) of the rows that one kind alone has
// right. Otherwise s decides, as in [coles.Fit]: see [coles.Alignment]. By the same test the kind taken gets a
// [coles.Share] of ½, if it has none and the options leave it open.
//
// A class of one label is left out. Without two classes of two labels s decides alone, and only its
// model is fitted.
//
// The rule was chosen on 13 real graphs and 8 of the dataset package's Communities, 40 splits each with 2, 3, 5 and
// 20 labels per class, by the accuracy on all other nodes, beside another choice without labels. It was never more
// than 0.4 points below that, and up to 7.5 above; one standard error lost up to 1.1. To choose C in every part,
// too, takes some fifty times as long and decides no better.
//
// It takes three calls of [coles.Fit], one after the other, and fifteen regressions on at most all labelled
// rows; besides the memory of a fit, another embedding and these rows. The result is the same to the
// byte for any number of processors.
//
// Errors: [coles.ErrShape] for no features, or unless there is a label for each node, as
// [coles.Fit] and [LogisticRegression.Fit], and ctx's.
func ChooseModel(ctx context.Context, g *coles.Graph, x mat.Matrix, labels []int, opts ...coles.Option) (*Choice, error) {
	switch {
	case x == nil:
		return nil, fmt.Errorf("%w: a choice of model, without features", coles.ErrShape)
	case len(labels) != g.Nodes():
		return nil, fmt.Errorf("%w: %d labels for %d nodes", coles.ErrShape, len(labels), g.Nodes())
	}
	share, open := coles.AutoShare, true
	fit := func(kind coles.Kind) (*coles.Model, error) {
		return coles.Fit(ctx, g, x, append(slices.Clone(opts), coles.With(func(s *coles.Settings) {
			if s.Kind = kind; kind == coles.UseFeatures {
				*s = s.WithoutGraph()
			}
			if open = s.Structure == coles.AutoShare; open {
				s.Structure = share
			}
		}))...)
	}
	first, err := fit(0)
	if err != nil {
		return nil, err
	}
	c := &Choice{Model: first, Alignment: *first.Report().Alignment, Alone: first.Report().Kind}
	rows := repeated(labels)
	if rows == nil {
		return c, nil
	}
	other := coles.UseGraph
	if c.Alone == coles.UseGraph {
		other = coles.UseFeatures
	}
	second, err := fit(other)
	if err != nil {
		return nil, err
	}
	right := make(map[coles.Kind][]bool)
	for _, m := range []*coles.Model{first, second} {
		if right[m.Report().Kind], err = crossValidated(ctx, m, rows, labels); err != nil {
			return nil, fmt.Errorf("%v model: %w", m.Report().Kind, err)
		}
	}
	c.compare(right[coles.UseGraph], right[coles.UseFeatures])
	if c.told && (c.Graph > c.Features) != (c.Alone == coles.UseGraph) {
		c.Model = second
	}
	kind := c.Model.Report().Kind
	if beside, _ := c.Model.Beside(); beside != nil || !open || g.Report().Edges == 0 {
		return c, nil
	}
	share = 0.5
	structured, err := fit(kind)
	if err != nil {
		return nil, err
	}
	return c, c.weigh(ctx, structured, right[kind], rows, labels)
}

// weigh takes a model with columns of the structure where labels tell that it is better than the kind taken, which
// has these rows right.
func (c *Choice) weigh(ctx context.Context, structured *coles.Model, right []bool, rows, labels []int) error {
	both, err := crossValidated(ctx, structured, rows, labels)
	if err != nil {
		return err
	}
	better, apart := lead(both, right)
	if c.Structure = accuracyOf(both); float64(better) > enough*math.Sqrt(float64(apart)) {
		c.Model, c.structured = structured, true
	}
	return nil
}

// repeated are the rows of the classes that have two labels at least, nil where there is one such
// class or none.
func repeated(labels []int) (rows []int) {
	count := make(map[int]int)
	for _, l := range labels {
		count[l]++
	}
	for i, l := range labels {
		if l >= 0 && count[l] > 1 {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 || checkClasses(rows, labels) != nil {
		return nil
	}
	return rows
}

// crossValidated reports for each row of an embedding whether a model of other parts predicts it.
func crossValidated(ctx context.Context, m *coles.Model, rows, labels []int) ([]bool, error) {
	var y mat.Matrix = m.Embedding32()
	single := m.Embedding32() != nil
	if !single {
		y = m.Embedding()
	}
	s, err := readSource(ctx, y)
	if err != nil {
		return nil, err
	}
	if y, err = rowsOf(ctx, s, single, rows); err != nil {
		return nil, err
	}
	f, err := read(ctx, y)
	if err != nil {
		return nil, err
	}
	fold, folds, err := stratify(rows, labels, 0)
	if err != nil {
		return nil, err
	}
	actual := picked(labels, rows)
	predicted, err := predictParts(ctx, "cross-validate", f, fold, folds, actual, func(ctx context.Context, train []int) ([]*LinearModel, error) {
		return penalty{cs: []float64{1}}.regress(ctx, f, train, actual)
	})
	if err != nil {
		return nil, err
	}
	right := make([]bool, len(rows))
	for i := range rows {
		right[i] = predicted[0][i] == actual[i]
	}
	return right, nil
}

// compare counts what is right by the two kinds.
func (c *Choice) compare(graph, features []bool) {
	ahead, apart := lead(graph, features)
	all, errors := float64(len(graph)), math.Sqrt(float64(apart))
	c.Labels, c.Graph, c.Features, c.Error = len(graph), accuracyOf(graph), accuracyOf(features), errors/all
	c.told = math.Abs(float64(ahead)) > enough*errors
}

// lead is how many rows more one has right than other, and how many only one of them has.
func lead(one, other []bool) (ahead, apart int) {
	for i := range one {
		switch {
		case one[i] && !other[i]:
			ahead, apart = ahead+1, apart+1
		case other[i] && !one[i]:
			ahead, apart = ahead-1, apart+1
		}
	}
	return ahead, apart
}

// accuracyOf is the share that is right.
func accuracyOf(right []bool) float64 {
	count := 0
	for _, r := range right {
		if r {
			count++
		}
	}
	return float64(count) / float64(len(right))
}
