package coles

import (
	"context"
	"slices"

	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/setting"
)

// Precision is the type of the numbers of features, W, ΔW and FXPᵀ, in memory and in products, not of M and the scaling. The
// zero value, "auto", is Float32 from 2²¹ numbers of features (n·d) on, where half the memory is half the time. It is Float64
// below, for [PrepareNone], and where Float32 does not suffice: the fit is then done over.
type Precision int

const (
	// Float64 keeps rounding errors of the embedding near 1e-14.
	Float64 Precision = iota + 1
	// Float32 takes half the memory and about half the time. ‖ΔYYᵀ‖ is at most 1e-5 of ‖YYᵀ‖ (Frobenius), mostly below 1e-6,
	// or the fit is an [ErrPrecision]; an [AutoShare] may change by 1e-4. The perturbation theory of eigenvectors estimates the
	// difference from Float64, and 5e-6, or 2e-5 without features, is refused. So are rows alike but for a thousandth, nearly
	// equal eigenvalues where P ends, or weights that hang on tiny eigenvalues. So are prepared features above 1e15 or all
	// below 1e-15, and a filter with such coefficients.
	Float32
)

var precisionNames = []string{"auto", "float64", "float32"}

func (p Precision) String() string               { return setting.Name(p, precisionNames) }
func (p Precision) MarshalText() ([]byte, error) { return setting.Marshal(p, precisionNames) }
func (p *Precision) UnmarshalText(text []byte) error {
	return setting.Unmarshal(p, text, precisionNames)
}

// rounding is how far rows are apart by rounding alone, relative to their length.
func (p Precision) rounding() float64 { return linear.Rounding(p == Float32) }

// settle sets rows to 0 that are no longer than the rounding of the longest row: their directions are rounding, but look like
// others. In float32 rows that short may be real.
func settle[T kernel.Float](ctx context.Context, y kernel.Matrix[T]) error {
	if linear.Single[T]() || y.Cols == 0 {
		return nil
	}
	const rounding = 0x1p-46 // 1.4e-14, as Float64 says
	length := make([]float64, y.Rows)
	if err := parallel.EachRow(ctx, y.Rows, func(i int) { length[i] = matrix.Magnitude(y.Row(i)) }); err != nil {
		return err
	}
	longest := slices.Max(length)
	return parallel.EachRow(ctx, y.Rows, func(i int) {
		if matrix.Finite(longest) && length[i] <= rounding*longest {
			clear(y.Row(i))
		}
	})
}

// singleFrom is the size n·d from which an automatic precision means Float32.
const singleFrom = 1 << 21

func (p Precision) resolve(n, d int, plain bool) Precision {
	switch {
	case p != 0:
		return p
	case !plain && float64(n)*float64(d) >= singleFrom:
		return Float32
	}
	return Float64
}

// inPrecision runs a function on features in float32 or float64, and resolves the precision. Where it is automatic and float32
// does not suffice, float64 follows.
func inPrecision[R any](p *Precision, x *matrix.Source, how *Preparer, single, double func() (R, error)) (R, error) {
	auto := *p == 0
	if *p = p.resolve(x.Rows(), x.Cols(), how.plain()); *p == Float32 {
		r, err := single()
		if !auto || !tooCoarse(err) {
			return r, err
		}
		*p = Float64
	}
	return double()
}
