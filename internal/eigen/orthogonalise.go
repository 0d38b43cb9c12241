package eigen

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// project subtracts from the columns of w what lies in the span of the orthonormal columns of q,
// and returns the coefficients wᵀ·q of what it took: transposed, since a product of few long rows
// takes less time than one of many short ones.
func project[T kernel.Float](ctx context.Context, q kernel.Matrix[T], w panel) (panel, error) {
	c := kernel.Dense[float64](w.Cols, q.Cols)
	factor, release, err := narrow[T](ctx, w)
	if err != nil {
		return c, err
	}
	defer release()
	if err := kernel.Gemm(ctx, true, false, 1, factor, q, 0, c); err != nil {
		return c, err
	}
	coefficients, release, err := narrow[T](ctx, c)
	if err != nil {
		return c, err
	}
	defer release()
	return c, kernel.Gemm(ctx, false, true, -1, q, coefficients, 1, w)
}

// narrow is a in numbers of type T: a itself if it has those.
func narrow[T kernel.Float](ctx context.Context, a panel) (in kernel.Matrix[T], release func(), err error) {
	if same, ok := any(a).(kernel.Matrix[T]); ok {
		return same, func() {}, nil
	}
	in, release = kernel.Scratch[T](a.Rows, a.Cols)
	return in, release, kernel.Convert(ctx, in, a)
}

// extend makes the columns of w orthonormal, and orthogonal to those of all the orthonormal basis
// q. Where w depends on q or on itself, random directions take the place of what is missing; so
// there must be room, that is no more columns in all than rows. The span of the first columns of w
// is kept as far as it is there. The result says how skew the block was: how many times longer a
// column became at most, or +Inf if random directions may have come in.
//
// The block is orthonormalised by a Cholesky factor of its Gram matrix, which loses as many digits
// as the block is skew, and projected; rounds of the two bring the digits back ("twice is enough"
// unless the block was nearly dependent). Both steps are products of matrices. A block that has
// been projected before is thereby projected twice in all, as is needed.
func extend[T kernel.Float](ctx context.Context, q kernel.Matrix[T], w panel, rnd *rand.Rand) (skew float64, err error) {
	const rounds = 4
	skew, ok, err := choleskyQR(ctx, w)
	for round := 0; round < rounds && ok && err == nil; round++ {
		if _, err := project(ctx, q, w); err != nil {
			return 0, err
		}
		var longer float64
		longer, ok, err = choleskyQR(ctx, w)
		// Columns that come out of a round with nearly the norm they had were orthogonal before it
		// already.
		if ok && longer < 2 {
			return skew, err
		}
		skew *= longer
	}
	if err != nil {
		return 0, err
	}
	return math.Inf(1), gramSchmidt(ctx, q, w, rnd)
}

// choleskyQR replaces w by w·R⁻¹ with RᵀR = wᵀw. It reports how much this magnified the columns, or
// that it cannot be done: then w is unchanged.
func choleskyQR(ctx context.Context, w panel) (skew float64, ok bool, err error) {
	b := w.Cols
	g := kernel.Dense[float64](b, b)
	if err := kernel.Gram(ctx, 1, w, w, g); err != nil {
		return 0, false, err
	}
	// Columns of very different lengths are no obstacle, so that they are taken at length 1.
	// Lengths without a square are left to gramSchmidt.
	scale := make([]float64, b)
	for i := range scale {
		square := g.Data[i*b+i]
		if !(square > negligible && square < 1/negligible) {
			return 0, false, nil
		}
		scale[i] = 1 / math.Sqrt(square)
	}
	for i := range b {
		for j := i; j < b; j++ {
			g.Data[i*b+j] *= scale[i] * scale[j]
		}
	}
	r, ok := lapack64.Potrf(blas64.Symmetric{N: b, Stride: g.Stride, Data: g.Data, Uplo: blas.Upper})
	if !ok {
		return 0, false, nil
	}
	least := math.Inf(1)
	for i := range b {
		least = min(least, r.Data[i*b+i], 1/scale[i])
	}
	// The Gram matrix knows angles only to √ε.
	for i := range b {
		if r.Data[i*b+i] < 1e-6 {
			return 0, false, nil
		}
	}
	if !lapack64.Trtri(r) {
		return 0, false, nil
	}
	for i := range b {
		clear(g.Data[i*b : i*b+i])
		for j := i; j < b; j++ {
			g.Data[i*b+j] *= scale[i]
		}
	}
	product, release := kernel.Scratch[float64](w.Rows, b)
	defer release()
	if err := kernel.Gemm(ctx, false, false, 1, w, g, 0, product); err != nil {
		return 0, false, err
	}
	kernel.Copy(w, product)
	return 1 / least, true, nil
}

// gramSchmidt is extend one column at a time, by projections repeated until they change nothing. It
// takes any input.
func gramSchmidt[T kernel.Float](ctx context.Context, q kernel.Matrix[T], w panel, rnd *rand.Rand) error {
	x := make([]float64, w.Rows)
	for c := range w.Cols {
		blas64.Copy(column(w, c), vector(x))
		for {
			ok, err := orthogonalColumn(ctx, q, kernel.Columns(w, 0, c), x)
			if err != nil {
				return err
			}
			if ok {
				break
			}
			for i := range x {
				x[i] = rnd.NormFloat64()
			}
		}
		blas64.Copy(vector(x), column(w, c))
	}
	return ctx.Err()
}

// orthogonalColumn makes x of norm 1 and orthogonal to q and to own. It reports false if nothing of
// x but rounding errors is left.
func orthogonalColumn[T kernel.Float](ctx context.Context, q kernel.Matrix[T], own panel, x []float64) (bool, error) {
	if !normalise(x) {
		return false, nil
	}
	w := panel{Rows: len(x), Cols: 1, Stride: 1, Data: x}
	for range 5 {
		if _, err := project(ctx, q, w); err != nil {
			return false, err
		}
		if _, err := project(ctx, own, w); err != nil {
			return false, err
		}
		left := blas64.Nrm2(vector(x))
		if left < 1e-10 || !normalise(x) {
			return false, nil
		}
		if left > 0.7 {
			return true, nil
		}
	}
	return false, nil
}

// orthoBlock columns are made orthonormal at once: enough for the products to be efficient, few
// enough for the Cholesky factor to take no time.
const orthoBlock = 64

// orthonormalise makes the columns of q orthonormal, block after block, and reports how skew they
// were, as extend does. There must be no more columns than rows.
func orthonormalise(ctx context.Context, q panel) (skew float64, err error) {
	rnd := rand.New(rand.NewPCG(uint64(q.Cols), 0x6f7274686f))
	for lo := 0; lo < q.Cols; lo += orthoBlock {
		hi := min(q.Cols, lo+orthoBlock)
		s, err := extend(ctx, kernel.Columns(q, 0, lo), kernel.Columns(q, lo, hi), rnd)
		if err != nil {
			return 0, err
		}
		skew = max(skew, s)
	}
	return skew, nil
}

// polish takes the last errors out of nearly orthonormal columns: q·(I − E/2), where E = qᵀq − I,
// is orthonormal up to E². Unlike any Gram-Schmidt it treats all columns alike: two that lean
// towards each other part by half each, so that eigenvectors, which lean by ε‖A‖/gap, keep their
// residuals.
func polish(ctx context.Context, q panel) error {
	const (
		enough = 1e-14 // what remains comes from rounding
		nearly = 1e-3  // E² would not be small
	)
	for range 4 {
		e := kernel.Dense[float64](q.Cols, q.Cols)
		if err := kernel.Gram(ctx, 1, q, q, e); err != nil {
			return err
		}
		most := 0.0
		for i := range e.Rows {
			e.Data[i*e.Stride+i]--
			for _, v := range e.Row(i)[i:] {
				most = max(most, math.Abs(v))
			}
		}
		if most <= enough {
			return nil
		}
		if !(most <= nearly) {
			break
		}
		kernel.MirrorUpper(e)
		if err := subtractHalf(ctx, q, e, enough/10); err != nil {
			return err
		}
		// No entry of E² is larger than this.
		if float64(q.Cols)*most*most <= enough/10 {
			return nil
		}
	}
	_, err := orthonormalise(ctx, q)
	return err
}

// subtractHalf subtracts q·e/2 from q, up to entries of e as small as negligible. Eigenvectors lean
// towards their neighbours by eigenvalue, which stand beside them, so that every block of columns
// has few rows left.
func subtractHalf(ctx context.Context, q, e panel, negligible float64) error {
	before, release := kernel.Scratch[float64](q.Rows, q.Cols)
	defer release()
	kernel.Copy(before, q)
	for left := 0; left < q.Cols; left += orthoBlock {
		right := min(q.Cols, left+orthoBlock)
		counts := func(i int) bool {
			return slices.ContainsFunc(e.Row(i)[left:right], func(v float64) bool { return math.Abs(v) > negligible })
		}
		lo, hi := 0, e.Rows
		for lo < hi && !counts(lo) {
			lo++
		}
		for lo < hi && !counts(hi-1) {
			hi--
		}
		if err := kernel.Gemm(ctx, false, false, -0.5, kernel.Columns(before, lo, hi), kernel.View(e, lo, left, hi-lo, right-left), 1, kernel.Columns(q, left, right)); err != nil {
			return err
		}
	}
	return nil
}
