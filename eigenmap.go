package coles

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"coles/internal/eigen"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/setting"

	"gonum.org/v1/gonum/mat"
)

// Eigenmaps solves the problem with a free embedding (contrastive Laplacian Eigenmaps), max Tr(Yᵀ ΔW Y) subject to YᵀY = I.
// The columns of Y (n × d′) are the eigenvectors of ΔW with the largest eigenvalues λ, descending; with κ = 0, of L = I − W⁺
// with the smallest. By block Krylov iteration with polynomials of ΔW every residual ‖ΔW·y − λ·y‖ is at most 1e-6 of the
// largest |λ| found. The eigenvalue 1 of W⁺, once for every component with an edge, needs no iteration.
//
// It costs a few d′ products ΔW·v where the spectrum has gaps, and some thousand where it has none, as in random graphs. Long
// rings and paths may end in an error. Errors: [ErrSetting] unless 1 ≤ d′ ≤ n, and a [*ConvergenceError].
func Eigenmaps(ctx context.Context, dw *DeltaW, dim int) (y *mat.Dense, lambda []float64, err error) {
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	m := &eigenmap{dw: dw, dim: dim, known: newComponentSpace(dw.graph)}
	m.known.keepEigenvectors(dw)
	p, lambda, err := m.solve(ctx)
	return matrix.ToDense(p), lambda, err
}

// An eigenmap is the problem of [Eigenmaps].
type eigenmap struct {
	dw    *DeltaW
	dim   int
	known *componentSpace // eigenvectors that are known
}

// solve returns Y and the eigenvalues.
func (m *eigenmap) solve(ctx context.Context) (y kernel.Matrix[float64], lambda []float64, err error) {
	n, _ := m.dw.Dims()
	given := min(m.known.dim(), m.dim)
	if m.dim < 1 || m.dim > n {
		return y, nil, fmt.Errorf("coles: eigenmaps: %w", setting.Bad("Dim", m.dim, "1 to %d, as many columns as there are", n))
	}
	if err := cmp.Or(kernel.Check(), matrix.CheckSize(m.dim, n)); err != nil {
		return y, nil, fmt.Errorf("coles: eigenmaps: %w", err)
	}
	vectors := kernel.Unset[float64](m.dim, n) // rows are eigenvectors
	for i := range given {
		m.known.vector(i, vectors.Data[i*n:][:n])
		lambda = append(lambda, 1)
	}
	if m.dim > given {
		r, err := m.search(ctx, kernel.Rows(vectors, given, m.dim))
		if err != nil {
			return y, nil, err
		}
		lambda = append(lambda, r.Values...)
	}
	eigen.FixSigns(vectors)
	y, err = kernel.Transposed(ctx, vectors)
	return y, lambda, err
}

// search finds the leading eigenvectors outside the known space. They fill rows, and come back with their eigenvalues and
// errors.
func (m *eigenmap) search(ctx context.Context, rows kernel.Matrix[float64]) (*eigen.Result, error) {
	a := eigen.Subspace{Apply: m.dw.op.Apply, Single: matrix.ConvertOperator[float32](m.dw.op).Apply}
	if m.known.dim() > 0 {
		a.Project = m.known.takeOut
	}
	r, err := eigen.Top(ctx, rows.Cols, rows.Rows, a, -1.001*m.dw.normBound(), eigen.KrylovOptions{Seed: stepSeed})
	var stopped *eigen.ConvergenceError
	if errors.As(err, &stopped) {
		return nil, &ConvergenceError{Wanted: m.dim, Converged: m.dim - rows.Rows + stopped.Converged, Residual: stopped.Residual}
	}
	if err != nil {
		return nil, solveError(err, m.dim)
	}
	// The iteration leaves a trace of the known vectors, of the size of its residual.
	found, err := kernel.Transposed(ctx, r.Vectors)
	if err != nil {
		return nil, err
	}
	if err := m.known.takeOut(ctx, found); err != nil {
		return nil, err
	}
	back, err := kernel.Transposed(ctx, found)
	if err != nil {
		return nil, err
	}
	kernel.Copy(rows, back)
	return r, nil
}

// A componentSpace is spanned by one unit vector for every connected component with an edge, √degree on its nodes and 0
// elsewhere: the eigenvectors of W⁺ with eigenvalue 1. It may be cut down to its vectors that are orthogonal to one vector,
// given in the coordinates of these.
type componentSpace struct {
	label  []int     // of every node: its component, −1 for isolated nodes
	value  []float64 // of every node: √degree/‖√degree of its component‖
	count  int
	normal []float64 // unit vector in R^count to which the space is orthogonal; nil: none
}

func newComponentSpace(g *Graph) *componentSpace {
	label, count := g.Components()
	unit := slices.Repeat([]float64{1}, count)
	for i, c := range label {
		if g.degree[i] > 0x1p900 { // a sum of such may overflow
			unit[c] = 0x1p-100
		}
	}
	volume, lost := make([]float64, count), make([]float64, count) // a compensated sum (Kahan 1965)
	for i, c := range label {
		v := unit[c]*g.degree[i] - lost[c]
		sum := volume[c] + v
		lost[c] = sum - volume[c] - v
		volume[c] = sum
	}
	s := &componentSpace{label: label, value: make([]float64, len(label))}
	renumber := make([]int, count)
	for c, v := range volume {
		renumber[c] = -1
		if v > 0 {
			renumber[c] = s.count
			s.count++
		}
	}
	for i, c := range label {
		s.label[i] = renumber[c]
		if renumber[c] >= 0 {
			s.value[i] = math.Sqrt(unit[c] * g.degree[i] / volume[c])
		}
	}
	return s
}

// keepEigenvectors cuts the space down to eigenvectors of ΔW: vectors orthogonal to the mean negative. Drawn negatives leave
// none.
func (s *componentSpace) keepEigenvectors(dw *DeltaW) {
	if dw.drawn {
		*s = componentSpace{label: s.label, value: s.value}
		for i := range s.label {
			s.label[i] = -1
		}
		return
	}
	if dw.op.V == nil || s.count == 0 {
		return
	}
	normal := make([]float64, s.count)
	for i, c := range s.label {
		if c >= 0 {
			normal[c] += s.value[i] * dw.op.V[i]
		}
	}
	length := matrix.Length(normal)
	if length < 1e-14 { // orthogonal already, up to rounding
		return
	}
	for c := range normal {
		normal[c] /= length
	}
	s.normal = normal
}

func (s *componentSpace) dim() int {
	if s.normal != nil {
		return s.count - 1
	}
	return s.count
}

// vector writes the i-th vector of an orthonormal basis: a component's own or, orthogonal to the
// normal h, column i+1 of the Householder matrix that turns h into ±e₀.
func (s *componentSpace) vector(i int, v []float64) {
	coord := make([]float64, s.count)
	if s.normal == nil {
		coord[i] = 1
	} else {
		sign := math.Copysign(1, s.normal[0])
		// With w = h + sign·e₀ and wᵀw = 2(1 + |h₀|), the column is e − 2w·w_{i+1}/wᵀw.
		f := s.normal[i+1] / (1 + math.Abs(s.normal[0]))
		for c, h := range s.normal {
			coord[c] = -f * h
		}
		coord[0] -= f * sign
		coord[i+1]++
	}
	for node, c := range s.label {
		v[node] = 0
		if c >= 0 {
			v[node] = coord[c] * s.value[node]
		}
	}
}

// coordinates returns the coordinates (count × b) of a panel's projection.
func (s *componentSpace) coordinates(ctx context.Context, p kernel.Matrix[float64]) (kernel.Matrix[float64], error) {
	b := p.Cols
	add := func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			if c := s.label[i]; c >= 0 {
				matrix.AddScaled(sum[c*b:], s.value[i], p.Row(i))
			}
		}
	}
	a := kernel.Dense[float64](s.count, b)
	if s.count <= p.Rows/1000 { // sums of parts take no more memory than a tenth of the panel
		sum, err := parallel.Sum(ctx, p.Rows, s.count*b, add)
		if err != nil {
			return a, err
		}
		a.Data = sum
	} else {
		add(a.Data, 0, p.Rows)
	}
	if s.normal != nil {
		along := make([]float64, b)
		for c, h := range s.normal {
			matrix.AddScaled(along, h, a.Row(c))
		}
		for c, h := range s.normal {
			matrix.AddScaled(a.Row(c), -h, along)
		}
	}
	return a, nil
}

// takeOut subtracts the panel's projection from the panel.
func (s *componentSpace) takeOut(ctx context.Context, p kernel.Matrix[float64]) error {
	a, err := s.coordinates(ctx, p)
	if err != nil {
		return err
	}
	return parallel.EachRow(ctx, p.Rows, func(i int) {
		if c := s.label[i]; c >= 0 {
			matrix.AddScaled(p.Row(i), -s.value[i], a.Row(c))
		}
	})
}
