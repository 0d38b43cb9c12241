package eigen

import (
	"context"

	"coles/internal/kernel"
)

// reflectorBlock reflections are applied together, as I − Yᵀ·T·Y.
const reflectorBlock = 64

// backTransform replaces the columns of z by Q times them, where a reduction left Q = H₀·H₁⋯ in the
// rows of a and in tau: the vector of H_j is zero up to entry j, and row j of a from entry j+1 on.
// It takes 2n²k operations, all in products of matrices (Golub and Van Loan, section 5.2.2).
func backTransform[T kernel.Float](ctx context.Context, a kernel.Matrix[T], tau []T, z kernel.Matrix[T]) error {
	n, k := z.Rows, z.Cols
	y := kernel.Dense[T](reflectorBlock, n)
	inner, outer := kernel.Dense[T](reflectorBlock, k), kernel.Dense[T](reflectorBlock, k)
	// Q = H₀·H₁⋯: the last is applied first.
	for hi := len(tau); hi > 0; {
		lo := (hi - 1) / reflectorBlock * reflectorBlock
		count := hi - lo
		s := lo + 1
		v := kernel.View(y, 0, 0, count, n-s)
		for p := range count {
			r := v.Row(p)
			clear(r[:p])
			copy(r[p:], a.Row(lo + p)[s+p:])
		}
		factor, err := BlockFactor(ctx, v, tau[lo:hi])
		if err != nil {
			return err
		}
		part := kernel.View(z, s, 0, n-s, k)
		c, d := kernel.View(inner, 0, 0, count, k), kernel.View(outer, 0, 0, count, k)
		if err := kernel.Gemm(ctx, false, false, 1, v, part, 0, c); err != nil {
			return err
		}
		if err := kernel.Gemm(ctx, false, false, 1, factor, c, 0, d); err != nil {
			return err
		}
		if err := kernel.Gemm(ctx, true, false, -1, v, d, 1, part); err != nil {
			return err
		}
		hi = lo
	}
	return nil
}

// BlockFactor is the upper triangular T of H₀·H₁⋯ = I − Vᵀ·T·V, where the rows of V (b × d) are the
// vectors v_i of the reflections H_i = I − tau[i]·v_i·v_iᵀ: column i of T is −tau[i]·T·V·v_i above
// the diagonal and tau[i] on it (Schreiber and Van Loan 1989). It takes b²d operations.
//
// gonum's Dlarft (v0.17) drops products of reflections behind one that ends in zeros.
func BlockFactor[T kernel.Float](ctx context.Context, v kernel.Matrix[T], tau []T) (kernel.Matrix[T], error) {
	count := len(tau)
	dots, t := kernel.Dense[T](count, count), kernel.Dense[T](count, count)
	if err := kernel.Gemm(ctx, false, true, 1, v, v, 0, dots); err != nil {
		return t, err
	}
	for i, ti := range tau {
		t.Data[i*count+i] = ti
		for r := range i {
			var sum T
			for q := r; q < i; q++ {
				sum += t.Data[r*count+q] * dots.Data[q*count+i]
			}
			t.Data[r*count+i] = -ti * sum
		}
	}
	return t, nil
}
