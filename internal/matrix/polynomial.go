package matrix

import (
	"context"
	"math"
	"slices"
	"unsafe"

	"coles/internal/kernel"
	"coles/internal/parallel"
	"coles/internal/scratch"
)

const (
	// stripBytes of every row are filtered together: K hops on a strip that fits the cache.
	stripBytes = 1024

	// The two strips may take panelBytes together. The columns of a graph of tens of millions of nodes are then cut,
	// but not below rows of 256 bytes, which take longer to fetch.
	panelBytes, leastStripBytes = 5 << 30, 256
)

// StripWidth cuts columns evenly into strips of whole vectors of sixteen. With a space they
// are as wide as its panels, and no less than a cache line of 64 bytes.
func StripWidth[T kernel.Float](space *scratch.Space, rows, columns int) int {
	size := int(unsafe.Sizeof(T(0)))
	most := int(max(leastStripBytes, min(stripBytes, panelBytes/2/int64(max(1, rows))))) / size
	vector := 16
	if space != nil {
		if most = int(min(stripBytes, space.Panels/2/int64(max(1, rows)))) / size &^ 15; most == 0 {
			vector = 64 / size
			most = vector
		}
	}
	count := parallel.Pieces(columns, most)
	if count <= 1 {
		return columns
	}
	return (parallel.Pieces(columns, count) + vector - 1) &^ (vector - 1)
}

// Walk is W = D̂^-½(A+I)D̂^-½ for products: stored, or as the pattern of an A of ones without a
// diagonal, of which the entries are made when they are needed.
type Walk[T kernel.Float] struct {
	Stored  *kernel.CSR[T]       // W, or nil
	Pattern *kernel.CSR[float64] // nil where W is stored; Val is not read
}

// Polynomial returns Σₖ coef[k]·Wᵏ·X in new storage, or in place of a dense X that is owned and thereby
// lost. A W that is a pattern may be given as in [Filtered].
func Polynomial[T kernel.Float](ctx context.Context, coef []float64, w *kernel.CSR[T], x *Matrix[T]) (kernel.Matrix[T], error) {
	fx, err := Filter(ctx, coef, Walk[T]{Stored: w}, x, nil)
	if err != nil {
		return kernel.Matrix[T]{}, err
	}
	return fx.Parts[0], nil
}

// Filtered is FX = diag(r)·Matrix, where r is one or, with Degrees, the root of the number of
// neighbours, and one where there are none.
//
// In that form products with a pattern need no factors. With u = D̂^-½y, a hop y ← Wy is u ← D̂⁻¹(A+I)u; and
// (FX)ᵀW⁺FX is BᵀAB for B = D^-½FX.
type Filtered[T kernel.Float] struct {
	Parts   []kernel.Matrix[T]   // columns of Matrix, side by side: one part but in a space
	Degrees *kernel.CSR[float64] // its row i has an entry for every neighbour; nil for r of ones

	panel []T // memory for one of several parts
}

// Dims returns the numbers of rows and columns.
func (f Filtered[T]) Dims() (rows, cols int) {
	for _, part := range f.Parts {
		rows, cols = part.Rows, cols+part.Cols
	}
	return rows, cols
}

// Factor returns r_i.
func (f Filtered[T]) Factor(i int) float64 {
	if f.Degrees == nil {
		return 1
	}
	return math.Sqrt(float64(max(1, f.Degrees.Ptr[i+1]-f.Degrees.Ptr[i])))
}

// Filter returns Σₖ coef[k]·Wᵏ·X, in new storage or in place of a dense X that is owned and thereby
// lost. It is done on strips of columns, with two strips of memory besides the result, from room if
// they fit in there.
func Filter[T kernel.Float](ctx context.Context, coef []float64, w Walk[T], x *Matrix[T], room []T) (Filtered[T], error) {
	f := Filtered[T]{Degrees: w.Pattern}
	if err := ctx.Err(); err != nil { // before memory is taken
		return f, err
	}
	n, d := x.Dims()
	if err := CheckSize(n, d); err != nil {
		return f, err
	}
	whole := x.Dense
	if !x.Owned || x.Sparse != nil {
		var err error
		if whole, err = x.copied(ctx); err != nil {
			return f, err
		}
	}
	f.Parts = []kernel.Matrix[T]{whole}
	if len(coef) == 1 { // no hops
		return f, w.filter(ctx, coef, whole, whole, whole, f.Factor)
	}
	width := StripWidth[T](scratch.Of(ctx), n, d)
	if len(room) < 2*n*width {
		own, release := kernel.Scratch[T](n, 2*width)
		defer release()
		room = own.Data
	}
	y := kernel.Matrix[T]{Rows: n, Cols: width, Stride: width, Data: room[:n*width]}
	spare := kernel.Matrix[T]{Rows: n, Cols: width, Stride: width, Data: room[n*width:][:n*width]}
	for lo := 0; lo < d; lo += width {
		hi := min(lo+width, d)
		strip := kernel.Columns(whole, lo, hi)
		if err := w.filter(ctx, coef, strip, kernel.Columns(y, 0, hi-lo), kernel.Columns(spare, 0, hi-lo), f.Factor); err != nil {
			return f, err
		}
	}
	return f, ctx.Err()
}

// copied is the matrix dense, in new storage.
func (m *Matrix[T]) copied(ctx context.Context) (kernel.Matrix[T], error) {
	if m.Sparse != nil {
		return m.Panel(ctx)
	}
	out := kernel.Unset[T](m.Dims())
	return out, kernel.Convert(ctx, out, m.Dense)
}

// filter sets x to Σₖ coef[k]·Wᵏ·x by Horner's rule, with row i divided by factor(i). y and spare are
// of the size of x; without hops they may be x.
func (w Walk[T]) filter(ctx context.Context, coef []float64, x, y, spare kernel.Matrix[T], factor func(i int) float64) error {
	last := len(coef) - 1
	root := func(int) float64 { return 1 }
	if a := w.Pattern; a != nil {
		root = func(i int) float64 { return math.Sqrt(float64(a.Ptr[i+1] - a.Ptr[i] + 1)) }
	}
	err := parallel.EachRow(ctx, x.Rows, func(i int) {
		from, to := x.Row(i), y.Row(i)
		scale, first := T(1/root(i)), T(coef[last])
		for j, v := range from {
			v *= scale
			from[j], to[j] = v, first*v
		}
	})
	for k := last - 1; k >= 0 && err == nil; k-- {
		if w.Pattern != nil {
			err = kernel.PatternMean(ctx, spare, w.Pattern, y, T(coef[k]), x)
		} else {
			err = Of(x).AddHop(ctx, spare, w.Stored, y, T(coef[k]))
		}
		y, spare = spare, y
	}
	if err != nil {
		return err
	}
	return parallel.EachRow(ctx, x.Rows, func(i int) {
		to, scale := x.Row(i), T(root(i)/factor(i))
		for j, v := range y.Row(i) {
			to[j] = scale * v
		}
	})
}

// Horner computes [Polynomial] by Horner's rule in one of two panels and returns that one. X must
// not be a view of either.
func Horner[T kernel.Float](ctx context.Context, coef []float64, w *kernel.CSR[T], x *Matrix[T], y, spare kernel.Matrix[T]) (kernel.Matrix[T], error) {
	last := len(coef) - 1
	if err := Clear(ctx, y); err != nil {
		return y, err
	}
	if err := x.AddTo(ctx, y, T(coef[last])); err != nil {
		return y, err
	}
	for k := last - 1; k >= 0; k-- {
		if err := x.AddHop(ctx, spare, w, y, T(coef[k])); err != nil {
			return y, err
		}
		y, spare = spare, y
	}
	return y, nil
}

// TransposeTimes returns (FX)ᵀ·v, summed in float64.
func (f Filtered[T]) TransposeTimes(ctx context.Context, v []float64) ([]float64, error) {
	if f.Degrees != nil {
		v = slices.Clone(v)
		for i := range v {
			v[i] *= f.Factor(i)
		}
	}
	var all []float64
	for _, part := range f.Parts {
		t, err := TransposeTimes(ctx, Of(part), v)
		if err != nil {
			return nil, err
		}
		all = append(all, t...)
	}
	return all, ctx.Err()
}

// Squares is ‖FX‖², the sum of the squares of all entries.
func (f Filtered[T]) Squares(ctx context.Context) (float64, error) {
	all := 0.0
	for _, part := range f.Parts {
		sum, err := parallel.Sum(ctx, part.Rows, 1, func(sum []float64, lo, hi int) {
			for i := lo; i < hi; i++ {
				r := f.Factor(i)
				sum[0] += r * r * squares(part.Row(i))
			}
		})
		if err != nil {
			return 0, err
		}
		all += sum[0]
	}
	return all, ctx.Err()
}

// Times sets y = FX·v, summed in float64. y may be the first columns of an FX in one part, which is lost
// then.
func (f Filtered[T]) Times(ctx context.Context, y, v kernel.Matrix[T]) error {
	n, d := y.Rows, y.Cols
	height := min(n, max(parallel.RowsAtOnce, GramNumbers/d))
	z, release := kernel.Scratch[float64](height, d)
	defer release()
	for lo := 0; lo < n; lo += height {
		hi := min(lo+height, n)
		at, beta := 0, 0.0
		for _, part := range f.Parts {
			if err := kernel.Gemm(ctx, false, false, 1, kernel.Rows(part, lo, hi), kernel.Rows(v, at, at+part.Cols), beta, kernel.Rows(z, 0, hi-lo)); err != nil {
				return err
			}
			at, beta = at+part.Cols, 1
		}
		if err := parallel.EachRow(ctx, hi-lo, func(i int) {
			to, r := y.Data[(lo+i)*y.Stride:][:d], f.Factor(lo+i)
			for j, v := range z.Data[i*z.Stride:][:d] {
				to[j] = T(r * v)
			}
		}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Whole returns FX, in the same storage where it is one part, and else in the space of the context.
func (f Filtered[T]) Whole(ctx context.Context) (kernel.Matrix[T], error) {
	whole := f.Parts[0]
	if len(f.Parts) > 1 {
		n, d := f.Dims()
		var err error
		if whole, err = DenseIn[T](ctx, n, d); err != nil {
			return whole, err
		}
	}
	if f.Degrees == nil && len(f.Parts) == 1 {
		return whole, ctx.Err()
	}
	return whole, parallel.EachRow(ctx, whole.Rows, func(i int) {
		row, at := whole.Row(i), 0
		for _, part := range f.Parts {
			at += copy(row[at:], part.Row(i))
		}
		Scale(row, T(f.Factor(i)))
	})
}
