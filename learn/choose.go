package learn

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"coles"
	"coles/internal/given"
	"coles/internal/kernel"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Choice is the fitted model that [ChooseModel] has chosen, with the reasons.
type Choice struct {
	Model *coles.Model // the chosen one
	// Alignment holds s, and Alone the kind that s chooses without the labels.
	Alignment coles.Alignment
	Alone     coles.Kind
	Labels    int // labelled rows that cross-validation predicted; 0 where there are too few
	// Tried lists the kind that s chooses, the other kind, and the chosen kind with columns of the structure.
	Tried []Candidate
	// Error is the standard error of the difference of the first two scores if both kinds are equally good. For n rows with
	// classes it is √(b + c)/n: one kind alone is right on b rows, the other on c.
	Error float64
	// Score is cross-validated: the other parts choose the candidate that predicts a part. So the choice does not flatter it.
	Score float64

	told      bool // the kinds are far enough apart
	explained bool // scores are R²
}

// A Candidate is a model that [ChooseModel] tries.
type Candidate struct {
	Kind      coles.Kind
	Structure float64 // the share of energy in its columns of the structure, as far as it is given
	// Score is the share of rows with the right class, or R² for numbers, of their logarithms where [Fit] takes these. With
	// several classes a row it is micro-F1 where the number of classes of each row is known.
	Score float64
}

// figure is a score in print, R² or in percent.
func (c Choice) figure(score float64) string {
	if c.explained {
		return fmt.Sprintf("R² %.2f", score)
	}
	return fmt.Sprintf("%.1f %%", 100*score)
}

// String states in two lines which kind was taken and why, and the verdict without labels.
func (c Choice) String() string {
	name := func(k coles.Kind) string { return strings.TrimSuffix(k.String(), "s") + " model" }
	if c.Labels == 0 {
		return fmt.Sprintf("%s, by s: cross-validation takes two labels of two classes at least\ns: %v", name(c.Alone), c.Alignment)
	}
	var tried []string
	for k, t := range c.Tried {
		text := t.Kind.String()
		if t.Structure > 0 {
			text = fmt.Sprintf("beside who the neighbours are (share %g)", t.Structure)
		}
		text += " " + c.figure(t.Score)
		switch {
		case k == 1 && c.explained:
			text += fmt.Sprintf(" (± %.2f)", c.Error)
		case k == 1:
			text += fmt.Sprintf(" (± %.1f points)", 100*c.Error)
		}
		tried = append(tried, text)
	}
	measured := strings.Join(tried, ", ") + "; with the choice made anew for each part " + c.figure(c.Score)
	if !c.told {
		return fmt.Sprintf("%s, by s: cross-validation on %d labels cannot tell: %s\ns: %v", name(c.Alone), c.Labels, measured, c.Alignment)
	}
	return fmt.Sprintf("%s, by cross-validation on %d labels: %s\ns alone: %v", name(c.Model.Report().Kind), c.Labels, measured, c.Alignment)
}

// ChooseModel fits a graph with features x (n × d). The labels choose its [coles.Kind] and its [coles.Share]. It fits both
// kinds, with all other settings from opts. Cross-validation predicts the labelled rows of each embedding, with C = 1 or the
// penalty of a [Ridge]. The other parts teach the [Weights]. If the scores are more than two standard errors apart, the
// better kind is chosen. For classes that is McNemar's test (1947) on the rows that one kind alone predicts rightly.
// Otherwise s decides, as in [coles.Fit]: see [coles.Alignment]. By the same test the chosen kind gets a [coles.Share] of ½,
// if it has none and the options leave it open, and then one of 0.9.
//
// A class of one label is left out. Without two classes of two labels, or three numbers, s decides alone, and only its model
// is fitted.
//
// It takes three or four calls of [coles.Fit], each with five regressions, or ten for numbers. The passes of [Fit] over the
// edges are made once. The memory is that of a fit and of one more embedding.
//
// Errors: [coles.ErrShape] for no features or unless there is a label for each node; the errors of [coles.Fit], Fit and ctx.
func ChooseModel(ctx context.Context, g *coles.Graph, x mat.Matrix, labels Labels, how Options, opts ...coles.Option) (*Choice, error) {
	if x == nil {
		return nil, fmt.Errorf("%w: a choice of model, without features", coles.ErrShape)
	}
	j, err := labels.judge(ctx, g, how)
	if err != nil {
		return nil, err
	}
	open := true
	fit := func(kind coles.Kind, share coles.Share) (*coles.Model, error) {
		return coles.Fit(ctx, g, x, append(slices.Clone(opts), coles.With(func(s *coles.Settings) {
			if s.Kind = kind; kind == coles.UseFeatures {
				*s = s.WithoutGraph()
			}
			if open = s.Structure == coles.AutoShare; open {
				s.Structure = share
			}
		}))...)
	}
	first, err := fit(0, coles.AutoShare)
	if err != nil {
		return nil, err
	}
	c := &Choice{Model: first, Alignment: *first.Report().Alignment, Alone: first.Report().Kind, explained: labels.Values != nil}
	if j == nil {
		return c, nil
	}
	c.Labels = len(j.rows)
	try := func(m *coles.Model, share coles.Share) (better bool, err error) {
		if err := j.try(ctx, m); err != nil {
			return false, fmt.Errorf("%v model: %w", m.Report().Kind, err)
		}
		c.Tried = append(c.Tried, Candidate{m.Report().Kind, float64(share), j.score(j.hits[len(c.Tried)])})
		if better = j.taken(-1) == len(c.Tried)-1; better {
			c.Model = m
		}
		return better, nil
	}
	if _, err := try(first, 0); err != nil {
		return nil, err
	}
	other := coles.UseGraph
	if c.Alone == coles.UseGraph {
		other = coles.UseFeatures
	}
	second, err := fit(other, coles.AutoShare)
	if err == nil {
		_, err = try(second, 0)
	}
	if err != nil {
		return nil, err
	}
	lead, deviation := gain(j.hits[1], j.hits[0], j.fold, -1)
	c.Error, c.told = deviation/j.total, math.Abs(lead) > apart*deviation
	kind, better := c.Model.Report().Kind, c.Model.Report().StructureShare == 0 && open && g.Report().Edges > 0
	for _, share := range []coles.Share{0.5, 0.9} {
		if !better {
			break
		}
		m, err := fit(kind, share)
		if err == nil {
			better, err = try(m, share)
		}
		if err != nil {
			return nil, err
		}
	}
	c.Score = j.nested()
	return c, nil
}

// A judge cross-validates embeddings on the same parts.
type judge struct {
	parts
	target target
	near   kernel.Matrix[float64]
	hits   [][]float64 // what is right, by embedding and row
	// A score is start + Σ hits/total.
	start, total float64
}

// judge returns a judge by the labels, nil where they are too few.
func (l Labels) judge(ctx context.Context, g *coles.Graph, how Options) (*judge, error) {
	if l.Sets == nil && l.Values == nil {
		l.Classes = repeated(l.Classes)
	}
	t, err := l.target(g.Nodes())
	if err != nil || t.enough() != nil {
		return nil, err
	}
	j := &judge{target: t}
	if g, err = how.near(g, g.Nodes(), t.columns()); err != nil {
		return nil, err
	}
	if j.parts, err = t.split(how); err != nil {
		return nil, err
	}
	j.start, j.total = t.worth(j.rows)
	j.near, err = hear(ctx, g, t, j.parts)
	return j, err
}

// repeated are labels without the classes of one row.
func repeated(labels []int) []int {
	count, some := make(map[int]int), slices.Clone(labels)
	for _, l := range labels {
		count[l]++
	}
	for i, l := range labels {
		if count[l] == 1 {
			some[i] = -1
		}
	}
	return some
}

// try measures the embedding of a model.
func (j *judge) try(ctx context.Context, m *coles.Model) error {
	var y mat.Matrix = m.Embedding32()
	if m.Embedding32() == nil {
		y = m.Embedding()
	}
	f, err := given.Read(ctx, y)
	if err != nil {
		return err
	}
	found, err := try(ctx, j.target, j.parts, j.near, f, 1)
	if err == nil {
		j.hits = append(j.hits, found.hits())
	}
	return err
}

// taken is the embedding that the rows outside a part choose: the first, unless a later one is better by enough standard
// errors.
func (j *judge) taken(part int) (best int) {
	for k := range j.hits {
		if lead, deviation := gain(j.hits[k], j.hits[best], j.fold, part); lead > apart*deviation {
			best = k
		}
	}
	return best
}

func (j *judge) score(hits []float64) float64 { return j.start + floats.Sum(hits)/j.total }

// nested is the score of each part with the embedding that the other parts choose.
func (j *judge) nested() float64 {
	hits := make([]float64, len(j.rows))
	for part := range j.count {
		inside, _ := j.of(part)
		taken := j.hits[j.taken(part)]
		for _, q := range inside {
			hits[q] = taken[q]
		}
	}
	return j.score(hits)
}
