package gnn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/stream"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// A shape is a parameter and where it belongs.
type shape struct {
	layer int // or objectiveLayer
	custom.Parameter
}

// objectiveLayer stands for the objective where a layer is counted.
const objectiveLayer = -1

func (s shape) String() string {
	if s.layer == objectiveLayer {
		return "objective." + s.Name
	}
	return fmt.Sprintf("%d.%s", s.layer, s.Name)
}

// shapesOf lists the shapes of parameters, and refuses two of one name.
func shapesOf(layer int, parameters []custom.Parameter) ([]shape, error) {
	var shapes []shape
	for _, p := range parameters {
		s := shape{layer, p}
		if err := s.check(); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(shapes, func(o shape) bool { return o.Name == p.Name }) {
			return nil, bad("Parameter", s, "one of a name")
		}
		shapes = append(shapes, s)
	}
	return shapes, nil
}

// check refuses a parameter that is none, or has more entries than can be indexed.
func (s shape) check() error {
	switch {
	case s.Name == "" || s.Rows < 1 || s.Cols < 1 || s.Orthonormal && s.Cols > s.Rows:
		return bad("Parameter", s, "a name and at least 1 × 1 numbers, no more columns than rows where it is orthonormal: not %d × %d", s.Rows, s.Cols)
	case !matrix.Finite(s.Start) || !matrix.Finite(s.Bound):
		return bad("Parameter", s, "a finite start, not %v ± %v", s.Start, s.Bound)
	case s.Cols > math.MaxInt32/s.Rows:
		return fmt.Errorf("gnn: parameter %v: %w: %d × %d", s, coles.ErrTooLarge, s.Rows, s.Cols)
	}
	return nil
}

// A parameter is a matrix that is trained.
type parameter[T autodiff.Float] struct {
	shape
	value, grad autodiff.Matrix[T]
	moments     [][]autodiff.Matrix[T] // what the optimiser remembers, of each phase
}

// draw makes a parameter: entry after entry, each row from a seed.
func draw[T autodiff.Float](ctx context.Context, s shape, seed uint64) (*parameter[T], error) {
	p := &parameter[T]{shape: s, value: kernel.Unset[T](s.Rows, s.Cols), grad: kernel.Unset[T](s.Rows, s.Cols)}
	rnd := stream.New()
	for i := range s.Rows {
		rnd.Reseed(seed, uint64(i))
		for j := range s.Cols {
			v := s.Start
			if s.Bound != 0 {
				v += s.Bound * (2*rnd.Float64() - 1)
			}
			p.value.Data[i*p.value.Stride+j] = T(v)
		}
	}
	if s.Orthonormal {
		return p, retract(ctx, p.value)
	}
	return p, nil
}

// narrowed is a parameter in the numbers that are computed with.
func narrowed[T autodiff.Float](s shape, data []float64) autodiff.Matrix[T] {
	m := autodiff.NewMatrix[T](s.Rows, s.Cols)
	for i, v := range data {
		m.Data[i] = T(v)
	}
	return m
}

// widened is a copy of the numbers of a matrix without padding.
func widened[T autodiff.Float](m autodiff.Matrix[T]) []float64 {
	wide := make([]float64, len(m.Data))
	for i, v := range m.Data {
		wide[i] = float64(v)
	}
	return wide
}

// The Stiefel manifold is the set of d × k matrices Θ with ΘᵀΘ = I.

// makeTangent replaces g, the gradient at theta, by the Riemannian one, g − theta·(thetaᵀg + gᵀtheta)/2. That is its
// projection on the tangent space, for the metric of the surrounding space (Absil, Mahony and Sepulchre 2008, 3.35).
func makeTangent[T kernel.Float](ctx context.Context, theta, g kernel.Matrix[T]) error {
	k := theta.Cols
	s, release := kernel.Scratch[T](k, k)
	defer release()
	if err := kernel.Gemm(ctx, true, false, 1, theta, g, 0, s); err != nil {
		return err
	}
	kernel.Symmetrize(s)
	return kernel.Gemm(ctx, false, false, -1, theta, s, 1, g)
}

// retract replaces x, of full rank, by the Q of its QR decomposition with a positive diagonal of R. R is found as the
// Cholesky factor of XᵀX, and once more from the result. Near the manifold that is as accurate as reflections
// (Yamamoto, Nakatsukasa, Yanagisawa and Fukaya 2015), and it consists of products.
func retract[T kernel.Float](ctx context.Context, x kernel.Matrix[T]) error {
	q, release := kernel.Scratch[float64](x.Rows, x.Cols)
	defer release()
	if err := kernel.Convert(ctx, q, x); err != nil {
		return err
	}
	for range 2 {
		if err := orthonormalize(ctx, q); err != nil {
			return err
		}
	}
	return kernel.Convert(ctx, x, q)
}

// orthonormalize multiplies q by the inverse of the Cholesky factor of qᵀq.
func orthonormalize(ctx context.Context, q kernel.Matrix[float64]) error {
	k := q.Cols
	gram, releaseGram := kernel.Scratch[float64](k, k)
	defer releaseGram()
	clear(gram.Data)
	if err := kernel.Gram(ctx, 1, q, q, gram); err != nil {
		return err
	}
	r, ok := lapack64.Potrf(blas64.Symmetric{N: k, Stride: gram.Stride, Data: gram.Data, Uplo: blas.Upper})
	if !ok || !lapack64.Trtri(r) {
		return fmt.Errorf("gnn: %w: a weight on the Stiefel manifold has lost its rank", ErrDiverged)
	}
	for i := 1; i < k; i++ {
		clear(gram.Data[i*gram.Stride:][:i])
	}
	product, release := kernel.Scratch[float64](q.Rows, k)
	defer release()
	if err := kernel.Gemm(ctx, false, false, 1, q, gram, 0, product); err != nil {
		return err
	}
	kernel.Copy(q, product)
	return nil
}
