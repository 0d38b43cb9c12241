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

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// An Eigenmap is the solution of the problem with a free embedding
// (contrastive Laplacian Eigenmaps),
//
//	max Tr(Yᵀ ΔW Y)  subject to  YᵀY = I:
//
// the columns of Y (n × d′) are the eigenvectors of ΔW with the largest eigenvalues.
// With κ = 0 they are those of L = I − W⁺ with the smallest.
type Eigenmap struct {
	Y      *mat.Dense // n × d′, orthonormal columns
	Lambda []float64  // d′ eigenvalues of ΔW, descending
	// ComponentVectors is the number of vectors that are constant, up to
	// √degree, on every connected component: the first columns of Y, as
	// far as it goes, or, with [WithoutComponentVectors], left out of it.
	ComponentVectors int
}

// WithoutComponentVectors makes [Eigenmaps] leave out the vectors that only
// tell in which connected component a node is: Y is the best embedding
// orthogonal to all of them. Where a graph has more components than d′, there
// would be nothing else in Y. [Fit] does so on a graph without features.
func WithoutComponentVectors() Option { return func(c *config) { c.skipComponents = true } }

// Eigenmaps finds Y for ΔW by block Krylov iteration. Of the options it reads
// [WithSeed], [WithTruncation], [WithProgress] and [WithoutComponentVectors].
//
// W⁺ has the eigenvalue 1 once for every connected component that has an
// edge, hundreds of times on real graphs, and an iteration from random vectors
// finds only as many copies as its block is wide. They are therefore written
// down from the components and the iteration searches the rest.
//
// The cost is that of a few d′ products ΔW·v and of orthogonalising as many
// vectors of length n.
//
// A very crowded top of the spectrum, such as that of rings and paths of tens of
// thousands of nodes, whose eigenvalues are some 1/n² apart, takes minutes and may end
// in a [*ConvergenceError].
//
// Errors: [ErrDim] unless 1 ≤ d′ ≤ n (less the vectors left out),
// [ErrSetting], a [*ConvergenceError], and ctx's.
func Eigenmaps(ctx context.Context, dw *DeltaW, dim int, opts ...Option) (*Eigenmap, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	c, err := newConfig(append(append([]Option(nil), opts...), WithDim(dim)))
	if err != nil {
		return nil, err
	}
	return c.eigenmaps(ctx, dw.orEmpty())
}

func (c config) eigenmaps(ctx context.Context, dw *DeltaW) (*Eigenmap, error) {
	n := dw.sparse.Rows
	known := newComponentSpace(dw.graph)
	if !c.skipComponents {
		known.keepEigenvectors(dw)
	}
	limit := n
	if c.skipComponents {
		limit -= known.dim()
	}
	if c.Dim > limit {
		return nil, fmt.Errorf("coles: eigenmaps: %w: d′ = %d of %d", ErrDim, c.Dim, limit)
	}
	if err := checkPanel(c.Dim, n); err != nil {
		return nil, err
	}
	given := 0
	if !c.skipComponents {
		given = min(known.dim(), c.Dim)
	}
	out := &Eigenmap{ComponentVectors: known.dim()}
	vectors := kernel.Unset[float64](c.Dim, n) // rows are eigenvectors
	for i := range given {
		known.vector(i, vectors.Data[i*n:][:n])
		out.Lambda = append(out.Lambda, 1+dw.shift)
	}
	if c.Dim > given {
		lo, hi := dw.spectrumBounds()
		rest, err := c.topOf(ctx, known.without(dw), n, c.Dim-given, lo, hi)
		var stopped *eigen.ConvergenceError
		if errors.As(err, &stopped) {
			return nil, &ConvergenceError{Wanted: c.Dim, Converged: given + stopped.Converged, Residual: stopped.Residual}
		}
		if err != nil {
			return nil, solveError(err, c.Dim)
		}
		out.Lambda = append(out.Lambda, rest.Values...)
		// The iteration leaves a trace of the known vectors, of the size of its residual.
		found, err := kernel.Transposed(ctx, rest.Vectors)
		if err != nil {
			return nil, err
		}
		if err := known.add(ctx, found, -1, known.coordinates(found)); err != nil {
			return nil, err
		}
		back, err := kernel.Transposed(ctx, found)
		if err != nil {
			return nil, err
		}
		kernel.Copy(kernel.Rows(vectors, given, c.Dim), back)
	}
	eigen.FixSigns(vectors)
	keep := c.Dim
	for c.Truncate && keep > 0 && out.Lambda[keep-1] < 0 {
		keep--
	}
	out.Lambda = out.Lambda[:keep]
	y, err := kernel.Transposed(ctx, kernel.Rows(vectors, 0, keep))
	out.Y = denseOf(y)
	return out, err
}

// sharpness is the power that an operator is raised to in the search for the
// top of its spectrum. More power means fewer vectors to orthogonalise and
// more products; 16 was best on graphs of 3,000 to 20,000 nodes.
const sharpness = 16

// topOf finds the k largest eigenpairs of an operator of order n whose
// eigenvalues lie between lo and hi. The top of a graph's spectrum is crowded,
// and a Krylov space tells neighbours apart slowly. A power of A − lo·I has
// the same eigenvectors in the same order, but the largest far apart. What is
// found is measured against A itself: deep inside the spectrum, where k is a
// large part of n, a power squeezes eigenvalues together instead.
func (c config) topOf(ctx context.Context, a eigen.Operator, n, k int, lo, hi float64) (*eigen.Result, error) {
	o := eigen.KrylovOptions{Seed: c.Seed, Progress: func(done, total int) { c.report("solve", done, total) }}
	if 20*k <= n {
		r, err := eigen.Krylov(ctx, n, k, powerOf(a, sharpness, lo, hi), o)
		if err != nil {
			return nil, err
		}
		accurate, err := rayleighQuotients(ctx, a, r)
		if err != nil || accurate {
			return r, err
		}
	}
	return eigen.Krylov(ctx, n, k, a, o)
}

// powerOf is ((A − lo·I)/(hi − lo))^p.
func powerOf(a eigen.Operator, p int, lo, hi float64) eigen.Operator {
	var first, second panelBuffer[float64]
	return func(ctx context.Context, dst, src kernel.Matrix[float64]) error {
		x, y := first.sized(src.Rows, src.Cols), second.sized(src.Rows, src.Cols)
		kernel.Copy(x, src)
		for range p {
			if err := a(ctx, y, x); err != nil {
				return err
			}
			for q, v := range y.Data {
				y.Data[q] = (v - lo*x.Data[q]) / (hi - lo)
			}
			x, y = y, x
		}
		kernel.Copy(dst, x)
		return nil
	}
}

// rayleighQuotients replaces the values of r by vᵀAv, sorts the pairs by them,
// and tells whether every ‖Av − (vᵀAv)v‖ is at most 5e-7 of the largest value:
// within the 1e-6 that is promised, with room for what is done to the vectors after.
func rayleighQuotients(ctx context.Context, a eigen.Operator, r *eigen.Result) (bool, error) {
	v, err := kernel.Transposed(ctx, r.Vectors)
	if err != nil {
		return false, err
	}
	av := kernel.Unset[float64](v.Rows, v.Cols)
	if err := a(ctx, av, v); err != nil {
		return false, err
	}
	images, err := kernel.Transposed(ctx, av)
	if err != nil {
		return false, err
	}
	largest, residual := 0.0, 0.0
	for i := range r.Values {
		x := blas64.Vector{N: v.Rows, Inc: 1, Data: r.Vectors.Data[i*r.Vectors.Stride:]}
		y := blas64.Vector{N: v.Rows, Inc: 1, Data: images.Data[i*images.Stride:]}
		r.Values[i] = blas64.Dot(x, y)
		blas64.Axpy(-r.Values[i], x, y)
		largest, residual = max(largest, math.Abs(r.Values[i])), max(residual, blas64.Nrm2(y))
	}
	order := make([]int, len(r.Values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(r.Values[j], r.Values[i]) })
	sorted := kernel.Unset[float64](r.Vectors.Rows, r.Vectors.Cols)
	values := make([]float64, len(order))
	for i, from := range order {
		values[i] = r.Values[from]
		copy(sorted.Data[i*sorted.Stride:], r.Vectors.Data[from*r.Vectors.Stride:][:r.Vectors.Cols])
	}
	r.Values, r.Vectors = values, sorted
	return residual <= 5e-7*largest, nil
}

// spectrumBounds bounds the eigenvalues of ΔW, the shift included.
func (dw *DeltaW) spectrumBounds() (lo, hi float64) {
	b := 1.001 * dw.normBound()
	return dw.shift - b, dw.shift + b
}

// normBound is a bound on |λ| for ΔW without its shift.
func (dw *DeltaW) normBound() float64 {
	bound := 1.0 // ‖W⁺‖
	if dw.drawn {
		// Graphs drawn by the user's function need not be normalised.
		for i := range dw.sparse.Rows {
			_, vals := dw.sparse.Row(i)
			row := 0.0
			for _, v := range vals {
				row += math.Abs(v)
			}
			bound = max(bound, row)
		}
	}
	if dw.mean != nil {
		bound += math.Abs(dw.mean.coef) * math.Pow(euclidean(dw.mean.v), 2)
	}
	return bound
}
