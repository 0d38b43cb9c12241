package coles

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/nearest"
	"coles/internal/parallel"
	"coles/internal/prepare"
	"coles/internal/setting"

	"gonum.org/v1/gonum/mat"
)

// readFeatures checks a matrix from outside, which must have rows and columns.
func readFeatures(ctx context.Context, x mat.Matrix) (*matrix.Source, error) {
	s, err := matrix.Read(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("coles: features: %w", err)
	}
	if n, d := s.Dims(); n == 0 || d == 0 {
		return nil, fmt.Errorf("coles: features: %w: %d × %d", ErrShape, n, d)
	}
	return s, nil
}

// Preparation is the treatment of features before they are filtered.
type Preparation int

const (
	// PrepareAuto chooses by the values, never by labels: PrepareVectors where half of the entries or more are not zero, else
	// PrepareBalanced.
	PrepareAuto Preparation = iota
	// PrepareNone leaves the features as they are.
	PrepareNone
	// PrepareTFIDF multiplies column j by log((1+n)/(1+df_j)) + 1, df_j the number of rows where it is not zero, and then scales
	// rows to unit length.
	PrepareTFIDF
	// PrepareRowL2 scales every row to unit Euclidean length.
	PrepareRowL2
	// PrepareRowL1 scales every row to sum 1.
	PrepareRowL1
	// PrepareStandardize shifts and scales every column to mean 0 and (population) standard deviation 1; a column that is
	// constant, or deviates by less than 2⁻¹⁰²², becomes zero. A category's column, of zeros and one other number c > 0, is divided by √(c·deviation).
	PrepareStandardize
	// PrepareBalanced is for columns of unlike kinds and units: words, categories and numbers. It takes the signed root y =
	// ±√|x| of every value, which damps repetition: the root of a count has the same variance whatever the mean (Bartlett
	// 1936). Then it multiplies column j by (σ_j/(ρ_j²·u_j))^½, with σ_j the deviation of y, ρ_j the root mean square and u_j
	// a unit, and scales rows to unit length. A column that half of the rows or more have is a measurement in its own unit,
	// u_j = ρ_j. Counts, the other columns, share u = Σ_j s_j^½·ρ_j/Σ_j s_j, s_j the share of rows that have column j. A
	// column that every row has is centred before the root and divided by the root of its deviation; a later row without it
	// gets the mean. A column that no row had becomes zero. An embedding beside them is as in [PrepareVectors].
	PrepareBalanced
	// PrepareUndamped chooses as PrepareAuto does, but for features with fewer entries PrepareTFIDF for counts and
	// PrepareRowL2 for other values. [ClusteringSettings] take it.
	PrepareUndamped
	// PrepareVectors is PrepareStandardize but for embeddings: 32 adjacent columns or more that deviate alike. Principal axes
	// of one unit, as of an SVD, hardly correlate. They are centred only, as to standardise would be to whiten, and rows
	// brought to length 1. Columns on one scale, as of pixels, 32 or more of which half have the same largest number, are
	// centred in one unit. Beside other columns, whose numbers have energy 1, rows of an embedding come to √e for e =
	// tr(C)²/‖C‖²_F of its covariance C. Without either it reports PrepareStandardize.
	PrepareVectors
)

func (p Preparation) String() string               { return setting.Name(p, prepare.Names) }
func (p Preparation) MarshalText() ([]byte, error) { return setting.Marshal(p, prepare.Names) }
func (p *Preparation) UnmarshalText(text []byte) error {
	return setting.Unmarshal(p, text, prepare.Names)
}

// A Preparer is a preparation fitted to a feature matrix: it applies the same column weights, means
// and scales to the features of nodes that come later.
type Preparer struct {
	fitted prepare.Preparer
	made   *Structure // that makes the features, near 1; nil where they are given
}

// Fit learns a preparation from features X (n × d) in one or two passes over the stored entries. Errors:
// [ErrNegative] for TF-IDF, roots and row sums.
func (p Preparation) Fit(ctx context.Context, x mat.Matrix) (*Preparer, error) {
	source, err := readFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	fitted, err := prepare.Kind(p).Learn(ctx, source)
	if err != nil {
		return nil, fmt.Errorf("coles: %w", err)
	}
	return &Preparer{fitted: fitted}, nil
}

// learn checks features, a row for every node, and fits the preparation to them.
func (p Preparation) learn(ctx context.Context, what string, g *Graph, x mat.Matrix) (*matrix.Source, *Preparer, error) {
	source, err := readFeatures(ctx, x)
	if err != nil {
		return nil, nil, err
	}
	if rows := source.Rows(); rows != g.Nodes() {
		return nil, nil, fmt.Errorf("coles: %s: %w: %d feature rows for %d nodes", what, ErrShape, rows, g.Nodes())
	}
	fitted, err := prepare.Kind(p).LearnUsed(ctx, source)
	if err != nil {
		return nil, nil, fmt.Errorf("coles: %w", err)
	}
	return source, &Preparer{fitted: fitted}, nil
}

// Kept returns the columns of features that are kept, nil for all. A fit to sparse features drops columns without an entry if
// most have none, and so do [Preparer.Apply], P and the directions of the model.
func (p *Preparer) Kept() []int32 { return slices.Clone(p.fitted.Used) }

// columns is Columns of package inside.
func (p *Preparer) columns() int { return p.fitted.Columns }

// Preparation returns the preparation that was chosen.
func (p *Preparer) Preparation() Preparation { return Preparation(p.fitted.How) }

// Apply prepares features with the columns that p was fitted to, as a new *sparse.CSR or *mat.Dense. Zero
// rows stay zero. Errors: [ErrNegative].
func (p *Preparer) Apply(ctx context.Context, x mat.Matrix) (mat.Matrix, error) {
	after, err := p.view(ctx, x)
	if err != nil {
		return nil, err
	}
	m, err := matrix.As[float64](ctx, after)
	if err != nil {
		return nil, err
	}
	if err := matrix.CheckOverflow(ctx, "prepared, a feature", m); err != nil {
		return nil, err
	}
	return matrix.Export(ctx, m)
}

// viewOf is View of package inside.
func viewOf(ctx context.Context, p *Preparer, x mat.Matrix) (mat.Matrix, error) {
	return p.view(ctx, x)
}

func (p *Preparer) view(ctx context.Context, x mat.Matrix) (*matrix.Source, error) {
	source, err := readFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	after, err := p.fitted.View(ctx, source)
	if err != nil {
		return nil, fmt.Errorf("coles: %w", err)
	}
	return after, nil
}

// plain reports whether features stay as they are, of any size.
func (p *Preparer) plain() bool { return p.fitted.How == prepare.None && p.made == nil }

// prepared returns prepared features in numbers of type T, which must be able to hold their products.
func prepared[T kernel.Float](ctx context.Context, p *Preparer, x *matrix.Source) (*matrix.Matrix[T], error) {
	after, err := p.view(ctx, x)
	if err != nil {
		return nil, err
	}
	m, err := linear.Features[T](ctx, after, p.plain())
	if err != nil {
		return nil, fmt.Errorf("coles: %w", err)
	}
	return m, nil
}

// MarshalJSON writes the preparation and what it learned, to the last bit.
func (p *Preparer) MarshalJSON() ([]byte, error) { return json.Marshal(p.fitted) }

// UnmarshalJSON reads what MarshalJSON wrote. Other JSON is an [ErrFormat].
func (p *Preparer) UnmarshalJSON(text []byte) error {
	if err := p.fitted.UnmarshalJSON(text); err != nil {
		return fmt.Errorf("coles: %w", err)
	}
	return nil
}

// source makes the features of a graph. If strict, it refuses a graph of which no node gets any.
func (s *Structure) source(ctx context.Context, g *Graph, strict bool) (*matrix.Source, error) {
	x, err := s.encode(ctx, g, strict)
	if err != nil {
		return nil, err
	}
	return readFeatures(ctx, x)
}

// preparer leaves made features as they are.
func (s *Structure) preparer() *Preparer {
	return &Preparer{fitted: prepare.Preparer{How: prepare.None, Columns: s.learnt.Encoder.Cols}, made: s}
}

// KNN builds a graph for rows without one. Each row of X (n × d), prepared by [PrepareAuto], chooses its k nearest, at ties
// the lower rows. Near is by distance where rows are dense and d < 100, else by the cosine if above 0. An edge weighs ½ for
// each end that chose it. A row that is 0 once prepared has none. The search is exact, in O(n²·d) time, less for sparse X, and
// O(n·(d + k)) memory. Errors: [ErrSetting] unless 1 ≤ k < n.
func KNN(ctx context.Context, x mat.Matrix, k int, opts ...GraphOption) (*Graph, error) {
	source, err := readFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	n := source.Rows()
	if k < 1 || k >= n {
		return nil, fmt.Errorf("coles: nearest neighbours: %w", setting.Bad("k", k, "1 or more, and fewer than the %d rows", n))
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	how, err := PrepareAuto.Fit(ctx, source)
	if err != nil {
		return nil, err
	}
	rows, err := prepared[float64](ctx, how, source)
	if err != nil {
		return nil, err
	}
	space, err := nearest.NewSpace(ctx, rows)
	if err != nil {
		return nil, fmt.Errorf("coles: nearest neighbours: %w", err)
	}
	found, err := space.All(ctx, k)
	if err != nil {
		return nil, fmt.Errorf("coles: nearest neighbours: %w", err)
	}
	edges, weights := make([]Edge, 0, n*k), make([]float64, 0, n*k)
	for i, matches := range found {
		for _, m := range matches {
			both := slices.ContainsFunc(found[m.Row], func(back nearest.Match) bool { return back.Row == i })
			switch {
			case !both:
				edges, weights = append(edges, Edge{i, m.Row}), append(weights, 0.5)
			case i < m.Row:
				edges, weights = append(edges, Edge{i, m.Row}), append(weights, 1)
			}
		}
	}
	return fromPairs(n, edges, weights, graphOptions(opts))
}
