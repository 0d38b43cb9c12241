package live

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/eigen"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/setting"
	"coles/internal/spectral"

	"gonum.org/v1/gonum/mat"
)

// Solve finds P and λ for the graph as it is now, as [coles.Solve] does for FX and ΔW written out,
// to rounding. M is there already, so that it takes O(d³) and, for the column of degrees, three passes
// over X and FX: directly up to 2,000 features; above, by some 7·d′ products with M, to residuals of
// 10⁻¹² of λ₁. It begins anew and not from the P before, from which it is hardly shorter to that
// accuracy. The model stays what it was.
//
// Errors: a [*coles.ConvergenceError], and ctx's.
func (g *Graph) Solve(ctx context.Context) (*coles.Projection, error) {
	defer g.alone()()
	s, err := g.solve(ctx)
	return s.Projection, err
}

// A solution is P with all that its columns are weighed by.
type solution struct {
	*coles.Projection
	noise   spectral.Noise
	degrees []float64 // direction of the column of degrees, nil for none
	share   float64   // of that column
}

// solve is Solve, and also finds the column of degrees.
func (g *Graph) solve(ctx context.Context) (found solution, err error) {
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	fit := g.fit
	if fit.DegreeShare > 0 {
		known, err := linear.Known(ctx, g.x, linear.Roots(g.adj.degrees()))
		if err != nil {
			return found, err
		}
		fit = fit.Resolved(known)
	}
	squares, err := g.fx.Squares(ctx)
	if err != nil {
		return found, err
	}
	magnitude := math.Sqrt(squares * g.adj.volume)
	degrees := fit.DegreeDirection(g.along[forDegrees], magnitude, linear.Rounding(false))
	d := g.m.Rows
	m := kernel.Unset[float64](d, d)
	kernel.Copy(m, g.m)
	negatives := g.addNegatives(g.along[forNegatives])
	for i := range d {
		negatives(i, m.Row(i)[i:])
	}
	fit.Shared(m)
	s, vectors := g.model.Settings(), fit.Vectors(degrees)
	r, err := linear.Solve(ctx, m, vectors, s.Seed, mat.Norm(matrix.ToDense(g.m), 2))
	if err != nil {
		return found, solveError(err, vectors)
	}
	own, err := g.x.Squares(ctx)
	noise := linear.NoiseOf(r, fit.Zero(own, 1+math.Abs(fit.Coef)), s.Truncate)
	return solution{projection(r), noise, degrees, fit.DegreeShare}, err
}

// projection is P by the solver that [linear.Solve] takes.
func projection(r *eigen.Result) *coles.Projection {
	p := &coles.Projection{P: matrix.ToDense(r.Vectors), Lambda: r.Values, Solver: coles.SolverDirect}
	if r.Vectors.Cols > linear.DirectLimit {
		p.Solver = coles.SolverKrylov
	}
	return p
}

func solveError(err error, wanted int) error {
	var stopped *eigen.ConvergenceError
	if !errors.As(err, &stopped) {
		return fmt.Errorf("live: solve: %w", err)
	}
	out := &coles.ConvergenceError{Wanted: wanted, Converged: stopped.Converged, Residual: stopped.Residual}
	if r := stopped.Result; r != nil && len(r.Values) > 0 {
		out.Partial = projection(r)
	}
	return out
}

// Refit solves for P again, scales the columns anew and returns the model of the graph as it is
// now: what [coles.Fit] gives for it in double precision with the features prepared as they were,
// to rounding. From then on [Graph.Embed] is by that model. drift is the largest principal angle
// between the rows of the old and the new P, in radians: see [PrincipalAngle]. Rows that weigh nothing do not count
// (see [coles.Report]). Where truncation or these have left different numbers of rows it is the angle of the fewer to the span of the others, and 0
// where none are left. The models before stay as they are.
//
// On top of [Graph.Solve] it costs n·d·d′ multiplications and one pass over the edges.
//
// Errors: as [Graph.Solve] and [Graph.Graph].
func (g *Graph) Refit(ctx context.Context) (m *coles.Model, drift float64, err error) {
	defer g.alone()()
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	now, err := g.graph()
	if err != nil {
		return nil, 0, err
	}
	found, err := g.solve(ctx)
	if err != nil {
		return nil, 0, err
	}
	if m, err = g.assemble(ctx, now, found); err != nil {
		return nil, 0, err
	}
	if drift, err = turn(determined(g.model), determined(m)); err != nil {
		return nil, 0, err
	}
	g.use(m)
	for i, place := range g.known {
		if place >= 0 {
			g.known[i] = int32(i)
		}
	}
	g.gone = g.missing()
	return m, drift, nil
}

// determined is P without the rows that weigh nothing.
func determined(m *coles.Model) *mat.Dense {
	p := kernel.Matrix[float64](m.P().RawMatrix())
	return matrix.ToDense(kernel.Rows(p, 0, p.Rows-m.Report().Undetermined))
}

// assemble makes the model of the graph as it is now.
func (g *Graph) assemble(ctx context.Context, now *coles.Graph, p solution) (*coles.Model, error) {
	s, r := g.model.Settings(), g.model.Report()
	s.Precision = coles.Float64
	directions := matrix.ToDense(linear.Above(kernel.Matrix[float64](p.P.RawMatrix()), p.degrees))
	y := kernel.Matrix[float64]{Rows: len(g.adj.nodes)}
	var err error
	if !directions.IsEmpty() {
		if y, err = project(ctx, g.fx.Dense, directions); err != nil {
			return nil, err
		}
	}
	w, _, err := spectral.FitAll(ctx, spectral.Rule(s.Scaling), p.share, y, p.Lambda, linear.Rounding(false), &p.noise)
	if err != nil {
		return nil, fmt.Errorf("live: %w", err)
	}
	if err := matrix.ScaleColumns(ctx, y, w.Factors); err != nil {
		return nil, err
	}
	embedding, err := matrix.ToFiniteDense(ctx, "the embedding", y)
	if err != nil {
		return nil, err
	}
	r.Graph, r.Seconds, r.DegreeShare, r.Undetermined, r.Refitted = now.Report(), coles.Report{}.Seconds, p.share, w.Undetermined, true
	x, preparer, ids := mat.Matrix(matrix.ToDense(g.fx.Dense)), g.model.Preparer(), slices.Clone(g.ids)
	if g.known != nil {
		x, preparer = nil, inside.Seated(g.model.Structure(), g.known, ids)
	} else {
		r.FeaturesHash = matrix.HashOf(g.hashes, r.Features)
	}
	if r.GraphHash, err = matrix.HashCSR(ctx, inside.Adjacency(now)); err != nil {
		return nil, err
	}
	if r.Memory.Bytes, err = s.Estimate(now, x); err != nil {
		return nil, err
	}
	if r.Memory.Solver = s.Solver; s.Solver == 0 {
		r.Memory.Solver = p.Solver
	}
	scaling := coles.Scaling{Power: w.Power, EffectiveRank: w.EffectiveRank, Factors: w.Factors}
	return inside.Assembled(s, r, ids, preparer, p.Projection, p.degrees, scaling, embedding)
}

// orthonormalTolerance is how far PPᵀ may be from I: far above the rounding of any solver, far
// below a matrix that is not orthonormal.
const orthonormalTolerance = 1e-6

// PrincipalAngle returns the largest angle, in radians from 0 to π/2, between a vector in the span
// of the rows of p (k × d, orthonormal) and the span of the rows of q (l × d, orthonormal, l ≥ k):
// what P of a model has turned by when q comes from another. Its sine is the largest singular value
// of R = P − PQᵀQ (Björck and Golub 1973), from the largest eigenvalue of RRᵀ: small angles have an
// error of some 10⁻¹⁶, those near π/2, where the sine hardly changes, of 10⁻⁸.
//
// The cost is O(k·l·d + k²·d). Errors: [coles.ErrShape], [coles.ErrNotFinite], and
// [coles.ErrSetting] for rows that are not orthonormal.
func PrincipalAngle(p, q *mat.Dense) (float64, error) {
	k, d := p.Dims()
	if l, e := q.Dims(); k == 0 || d != e || k > l {
		return 0, fmt.Errorf("live: principal angle: %w: rows %d × %d against %d × %d", coles.ErrShape, k, d, l, e)
	}
	for _, m := range []*mat.Dense{p, q} {
		if err := checkOrthonormal(m); err != nil {
			return 0, err
		}
	}
	var shared, rest mat.Dense
	shared.Mul(p, q.T())
	rest.Mul(&shared, q)
	rest.Sub(p, &rest)
	ctx, r := context.Background(), kernel.Matrix[float64](rest.RawMatrix())
	gram := kernel.Dense[float64](k, k)
	if err := kernel.Gemm(ctx, false, true, 1, r, r, 0, gram); err != nil {
		return 0, err
	}
	top, err := eigen.Direct(ctx, gram, 1)
	if err != nil {
		return 0, err
	}
	return math.Asin(math.Sqrt(min(max(top.Values[0], 0), 1))), nil
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

func checkOrthonormal(m *mat.Dense) error {
	r, _ := m.Dims()
	var gram mat.Dense
	gram.Mul(m, m.T())
	for i := range r {
		for j := range r {
			want := 0.0
			if i == j {
				want = 1
			}
			v := gram.At(i, j)
			if !matrix.Finite(v) {
				return fmt.Errorf("live: principal angle: %w: row %d", coles.ErrNotFinite, i)
			}
			if math.Abs(v-want) > orthonormalTolerance {
				return fmt.Errorf("live: principal angle: rows %d and %d: %w", i, j, setting.Bad("product", v, "%v of orthonormal rows", want))
			}
		}
	}
	return nil
}
