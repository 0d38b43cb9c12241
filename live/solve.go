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

// Solve finds P and λ of the first part for the graph as it is now, as [coles.Solve] does for FX and ΔW written out, to
// rounding. M is there already, so it takes O(d³). Up to 2,000 features it is direct; above, it takes some 7·d′ products with M, to residuals of 10⁻¹² of λ₁. It does not begin from the
// last P, which would hardly be shorter to that accuracy. The model stays as it is.
//
// Errors: a [*coles.ConvergenceError], and ctx's.
func (g *Graph) Solve(ctx context.Context) (*coles.Projection, error) {
	defer g.alone()()
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	s, err := g.parts[0].solve(ctx)
	return s.Projection, err
}

// A solution is P with all that its columns are weighed by.
type solution struct {
	*coles.Projection
	noise spectral.Noise
}

// solve is Solve of a part.
func (p *part) solve(ctx context.Context) (found solution, err error) {
	d := p.m.Rows
	m := kernel.Unset[float64](d, d)
	kernel.Copy(m, p.m)
	negatives := p.addNegatives(p.along)
	for i := range d {
		negatives(i, m.Row(i)[i:])
	}
	p.fit.Shared(m)
	s := p.of.Settings
	r, err := linear.Solve(ctx, m, p.fit.Dim, s.Seed, mat.Norm(matrix.ToDense(p.m), 2))
	if err != nil {
		return found, solveError(err, p.fit.Dim)
	}
	own, err := p.x.Squares(ctx)
	noise := linear.NoiseOf(r, p.fit.Zero(own, 1+math.Abs(p.fit.Coef)), s.Truncate)
	return solution{projection(r), noise}, err
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

// Refit solves for P again, scales the columns anew and returns the model of the graph as it is now. That is the model of
// [coles.Fit] in double precision, with the features prepared as before, to rounding. From then on [Graph.Embed] is by that
// model. drift is the largest principal angle between the rows of the old and the new P of the first part, in radians: see
// [PrincipalAngle]. Rows that weigh nothing do not count (see [coles.Report]). If the numbers of rows differ, it is the angle
// of the fewer to the span of the others, or 0 if none are left. Earlier models stay as they are.
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
	var parts []coles.Part
	var y kernel.Matrix[float64]
	r := g.model.Report()
	for k, p := range g.parts {
		found, err := p.solve(ctx)
		if err != nil {
			return nil, 0, err
		}
		of, undetermined, z, err := p.refitted(ctx, found, slices.Clone(g.ids), k == 0 && len(g.parts) > 1)
		if err != nil {
			return nil, 0, err
		}
		if parts = append(parts, of); k == 0 {
			y, r.Undetermined, r.Solver = z, undetermined, found.Solver
		} else if y, err = linear.Beside(ctx, y, z, of.Share); err != nil {
			return nil, 0, err
		}
	}
	if m, err = g.assemble(ctx, now, r, parts, y); err != nil {
		return nil, 0, err
	}
	if drift, err = turn(determined(g.model), determined(m)); err != nil {
		return nil, 0, err
	}
	g.mu.Lock()
	g.model = m
	for k, p := range g.parts {
		p.of = parts[k]
	}
	g.mu.Unlock()
	for _, p := range g.parts {
		for i, place := range p.known {
			if place >= 0 {
				p.known[i] = int32(i)
			}
		}
		p.gone = p.missing(g.row)
	}
	return m, drift, nil
}

// determined is P without the rows that weigh nothing.
func determined(m *coles.Model) *mat.Dense {
	p := kernel.Matrix[float64](m.P().RawMatrix())
	return matrix.ToDense(kernel.Rows(p, 0, p.Rows-m.Report().Undetermined))
}

// refitted is the part of a solution, the number of its columns that weigh nothing, and its columns.
func (p *part) refitted(ctx context.Context, found solution, ids []string, beside bool) (of coles.Part, undetermined int, y kernel.Matrix[float64], err error) {
	of = p.of
	of.Settings.Precision = coles.Float64
	of.Directions, of.Lambda = found.P, found.Lambda
	if y, err = project(ctx, p.fx.Dense, of.Directions); err != nil {
		return of, 0, y, err
	}
	w, _, err := spectral.Fit(ctx, spectral.Rule(of.Settings.Scaling), y, found.Lambda, linear.Rounding(false), &found.noise)
	if err != nil {
		return of, 0, y, fmt.Errorf("live: %w", err)
	}
	of.Scaling = coles.Scaling{Power: w.Power, EffectiveRank: w.EffectiveRank, Factors: w.Factors}
	if p.known != nil {
		of.Preparer = inside.Seated(of.Structure(), p.known, ids)
	}
	if beside { // others, the part keeps as many columns as the fit has
		w.Undetermined = max(0, w.Undetermined-inside.Keep(&of, len(p.of.Scaling.Factors)))
		if y, err = project(ctx, p.fx.Dense, of.Directions); err != nil {
			return of, 0, y, err
		}
	}
	return of, w.Undetermined, y, matrix.ScaleColumns(ctx, y, of.Scaling.Factors)
}

// assemble makes the model of the graph as it is now.
func (g *Graph) assemble(ctx context.Context, now *coles.Graph, r coles.Report, parts []coles.Part, y kernel.Matrix[float64]) (*coles.Model, error) {
	embedding, err := matrix.ToFiniteDense(ctx, "the embedding", y)
	if err != nil {
		return nil, err
	}
	r.Graph, r.Seconds, r.Refitted = now.Report(), coles.Report{}.Seconds, true
	var x mat.Matrix
	if g.hashes != nil {
		x, r.FeaturesHash = matrix.ToDense(g.parts[0].fx.Dense), matrix.HashOf(g.hashes, r.Features)
	}
	if r.GraphHash, err = matrix.HashCSR(ctx, inside.Adjacency(now)); err != nil {
		return nil, err
	}
	s := g.model.Settings()
	s.Precision = coles.Float64
	if r.Memory.Bytes, err = s.Estimate(now, x); err != nil {
		return nil, err
	}
	if r.Memory.Solver = s.Solver; s.Solver == 0 {
		r.Memory.Solver = r.Solver
	}
	return inside.Assembled(r, slices.Clone(g.ids), parts, s.Dim, embedding)
}

// orthonormalTolerance is how far PPᵀ may be from I: far above the rounding of any solver, far
// below a matrix that is not orthonormal.
const orthonormalTolerance = 1e-6

// PrincipalAngle returns the largest angle, in radians from 0 to π/2, between a vector in the span of p's rows (k × d) and the
// span of q's rows (l × d). Rows are orthonormal, and l ≥ k. For P of two models it is the angle by which the first has
// turned. Its sine is the largest singular value of R = P − PQᵀQ (Björck and Golub 1973), from the largest eigenvalue of RRᵀ.
// Small angles have an error of some 10⁻¹⁶, angles near π/2, where the sine hardly changes, of 10⁻⁸.
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

// turn is [PrincipalAngle] of two P. Truncation may have made either the smaller.
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
