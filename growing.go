package coles

import (
	"context"
	"fmt"
	"math"

	"coles/internal/eigen"
	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// A Growing is a fitted model together with what it takes to follow its graph as
// that grows: the filtered features FX and the matrix M, both kept up to date by
// [Growing.Add] at the cost of the K-hop neighbourhood of what is new.
//
// It computes in float64 whatever the precision of the model, and prepares the features of
// new nodes by the column weights that the model learned. It is not safe for use
// by several goroutines at once. The models it gives out are.
type Growing struct {
	model *Model
	net   *growingNet
	ids   *growingIDs
	x     growingFeatures
	raw   []uint64  // hashes of the rows of the features before they were prepared
	fx    []float64 // n × d, row after row
	// m is (FX)ᵀ(W⁺ + c·I)(FX), upper triangle; trivial is (FX)ᵀv for the vector v
	// of the expected negatives, unnormalised.
	m       kernel.Matrix[float64]
	trivial []float64
	place   []int32 // −1 for every node; see ballAround
}

// Grow begins to follow the graph that the model was fitted on, or another one, with
// its features (n × d). It costs what [Filter.Apply] and forming M cost, and keeps
// 10·n·d + 16·d² bytes, the prepared features, and some 100 bytes a node.
//
// The negatives must be none or expected ones: sampled ones depend on the number of
// nodes in every row. A covariance share stays what it was in the fit.
//
// Errors: [ErrTransductive] for a model without features, [ErrSetting] for
// sampled negatives, [ErrShape], [ErrNotFinite], [ErrPreparation], [ErrTooLarge], and ctx's.
func (m *Model) Grow(ctx context.Context, g *Graph, x mat.Matrix) (*Growing, error) {
	if m == nil || m.ids == nil {
		return nil, fmt.Errorf("coles: grow: %w: neither Fit nor ReadModel made the model", ErrEmpty)
	}
	if m.prepare == nil {
		return nil, fmt.Errorf("coles: grow: %w", ErrTransductive)
	}
	if err := g.check(); err != nil {
		return nil, err
	}
	if !m.settings.withoutDraws() {
		return nil, fmt.Errorf("coles: grow: %w: negatives %v are drawn, and drawn anew for every number of nodes", ErrSetting, m.settings.Negatives)
	}
	raw, err := readFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if raw.rows() != g.Nodes() {
		return nil, fmt.Errorf("coles: grow: %w: %d feature rows for %d nodes", ErrShape, raw.rows(), g.Nodes())
	}
	if err := checkPanel(raw.rows(), raw.cols()); err != nil {
		return nil, err
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	s, err := prepared[float64](ctx, m.prepare, raw)
	if err != nil {
		return nil, err
	}
	r := &Growing{model: m, net: newGrowingNet(g), ids: newGrowingIDs(g), place: make([]int32, g.Nodes())}
	for i := range r.place {
		r.place[i] = -1
	}
	if err := r.net.finiteVolume(); err != nil {
		return nil, err
	}
	if r.x, err = newGrowingFeatures(ctx, s); err != nil {
		return nil, err
	}
	if r.raw, err = rowHashes(ctx, raw.rows(), raw.eachRow); err != nil {
		return nil, err
	}
	if err := r.rebuild(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// withoutDraws tells whether ΔW is the same for every seed.
func (s Settings) withoutDraws() bool {
	switch s.Negatives.kind {
	case noSampler, expectedUniform, expectedDegree:
		return true
	}
	return s.Kappa == 0 || s.Eta == 0
}

// expectation tells of the rank-one part −η′·v·vᵀ/length² of ΔW: v by the node's degree,
// and its length, 0 where there is none.
func (r *Growing) expectation() (length float64, v func(degree float64) float64) {
	s := r.model.settings
	switch {
	case s.Kappa == 0 || s.Eta == 0:
	case s.Negatives.kind == expectedUniform:
		return math.Sqrt(float64(len(r.net.nodes))), func(float64) float64 { return 1 }
	case s.Negatives.kind == expectedDegree:
		return math.Sqrt(r.net.volume), math.Sqrt
	}
	return 0, nil
}

// Nodes is the number of nodes there are now; 0 for a nil or zero Growing.
func (r *Growing) Nodes() int {
	if r == nil || r.net == nil {
		return 0
	}
	return len(r.net.nodes)
}

// made refuses a value that [Model.Grow] did not make.
func (r *Growing) made() error {
	if r == nil || r.net == nil {
		return fmt.Errorf("coles: grow: %w: Model.Grow did not make it", ErrEmpty)
	}
	return nil
}

// Graph is the graph as it is now, in O(n + m).
//
// Errors: [ErrNotFinite] if weights add up to infinity.
func (r *Growing) Graph() (*Graph, error) {
	if err := r.made(); err != nil {
		return nil, err
	}
	c := graphConfig{keepLoops: r.net.loops}
	c.ids.names, c.ids.numbers = r.ids.names, r.ids.numbers
	return finishGraph(r.net.adjacency(), c, GraphReport{})
}

// Embed returns the embeddings (len(nodes) × d′) of some nodes by the model as it was
// fitted, or refitted: rows of FXPᵀ, scaled. Nothing else is computed, so that it costs
// O(d·d′) for each.
//
// Errors: [ErrIndex], [ErrTooLarge], [ErrNotFinite] where a row overflows, and ctx's.
func (r *Growing) Embed(ctx context.Context, nodes []int) (*mat.Dense, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	if err := r.made(); err != nil {
		return nil, err
	}
	d := r.x.cols
	if err := checkPanel(len(nodes), d); err != nil {
		return nil, err
	}
	rows := kernel.Dense[float64](len(nodes), d)
	for q, i := range nodes {
		if i < 0 || i >= r.Nodes() {
			return nil, fmt.Errorf("coles: embed: %w: node %d of %d", ErrIndex, i, r.Nodes())
		}
		copy(rows.Data[q*d:][:d], r.fx[i*d:])
	}
	if len(nodes) == 0 {
		return &mat.Dense{}, ctx.Err()
	}
	y, err := times(ctx, rows, r.model.projection.P)
	if err != nil {
		return nil, err
	}
	if err := scale(ctx, y, r.model.scaling.Factors); err != nil {
		return nil, err
	}
	return finiteDense(ctx, "the embedding", y)
}

// Solve finds P and λ for the graph as it is now, as [Solve] does for FX and ΔW
// written out, to rounding. M is there already, so that it takes O(d³) whatever the
// size of the graph: directly up to 2,000 features; above, by some 7·d′ products with M, to
// residuals of 10⁻¹² of λ₁. It begins anew and not from the P before, from which it is
// hardly shorter to that accuracy. The model stays what it was.
//
// Errors: a [*ConvergenceError], and ctx's.
func (r *Growing) Solve(ctx context.Context) (*Projection, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	if err := r.made(); err != nil {
		return nil, err
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	return r.solve(ctx, config{Settings: r.model.settings})
}

// wholeTolerance is for eigenvectors that are those of a direct solution: residuals of the
// settings' own solver, 10⁻⁷, would show in them.
const wholeTolerance = 1e-12

func (r *Growing) solve(ctx context.Context, c config) (*Projection, error) {
	d := r.m.Rows
	m := kernel.Dense[float64](d, d)
	kernel.Copy(m, r.m)
	negatives := r.withNegatives(r.trivial)
	for i := range d {
		negatives(i, m.Data[i*d+i:][:d-i])
	}
	if d <= directLimit {
		return c.decompose(ctx, m)
	}
	kernel.MirrorUpper(m)
	found, err := eigen.Krylov(ctx, d, c.Dim, func(ctx context.Context, dst, src kernel.Matrix[float64]) error {
		return kernel.Gemm(ctx, false, false, 1, m, src, 0, dst)
	}, eigen.KrylovOptions{Seed: c.Seed, Tol: wholeTolerance, Zero: 1e-14 * mat.Norm(denseOf(r.m), 2)})
	if err != nil {
		return nil, solveError(err, c.Dim)
	}
	return c.projection(found, SolverKrylov), nil
}

// Refit solves for P again, scales the columns anew and returns the model of the graph
// as it is now: what [Fit] gives for it in double precision with the features
// prepared as they were, to rounding. From then on [Growing.Embed] is by that model.
// drift is the largest principal angle between the rows of the old and the new P,
// in radians: see [PrincipalAngle]. Where truncation has left them different numbers of
// rows it is that of the fewer to the span of the others, and 0 where none are left. The
// models before stay as they are.
//
// It costs n·d·d′ multiplications and one pass over the edges beside [Growing.Solve].
//
// Errors: those of [Growing.Solve] and [Growing.Graph].
func (r *Growing) Refit(ctx context.Context) (m *Model, drift float64, err error) {
	if err := checkContext(ctx); err != nil {
		return nil, 0, err
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	g, err := r.Graph()
	if err != nil {
		return nil, 0, err
	}
	m = &Model{refitted: true, prepare: r.model.prepare, ids: g.ids.copy(), report: r.model.report}
	if m.input, err = hashInput(ctx, g, nil); err != nil {
		return nil, 0, err
	}
	m.input.Features = hashOf(r.raw, r.x.cols)
	m.report.Graph, m.report.Seconds = g.report, StageSeconds{}
	clock := startClock(&m.report.Seconds)
	c := config{Settings: r.model.settings}
	c.Precision = Float64
	if m.projection, err = r.solve(ctx, c); err != nil {
		return nil, 0, err
	}
	clock.lap(&m.report.Seconds.Solve)
	y, err := times(ctx, r.filtered(), m.projection.P)
	if err != nil {
		return nil, 0, err
	}
	if err := finish(ctx, m, c, y, m.projection.Lambda); err != nil {
		return nil, 0, err
	}
	clock.lap(&m.report.Seconds.Embed)
	m.report.Solver = m.projection.Solver
	m.report.Memory = estimate(g.adj.NNZ(), r.x.shape(), c.Settings)
	if drift, err = turn(r.model.projection.P, m.projection.P); err != nil {
		return nil, 0, err
	}
	r.model = m
	return m, drift, nil
}

// turn is [PrincipalAngle] of two P, either of which truncation may have made the smaller.
func turn(p, q *mat.Dense) (float64, error) {
	k, _ := p.Dims()
	l, _ := q.Dims()
	if k > l {
		p, q, k = q, p, l
	}
	if k == 0 {
		return 0, nil
	}
	return PrincipalAngle(p, q)
}

// Rebuild computes FX and M again from the graph and the features, as [Model.Grow] does
// and at its cost: that takes the rounding away that additions have left; see
// [Growing.Add]. An error leaves everything as it was.
//
// Errors: ctx's.
func (r *Growing) Rebuild(ctx context.Context) error {
	if err := checkContext(ctx); err != nil {
		return err
	}
	if err := r.made(); err != nil {
		return err
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	return r.rebuild(ctx)
}

// filtered is FX.
func (r *Growing) filtered() kernel.Matrix[float64] {
	d := r.x.cols
	return kernel.Matrix[float64]{Rows: r.Nodes(), Cols: d, Stride: d, Data: r.fx}
}
