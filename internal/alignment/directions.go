package alignment

import (
	"context"
	"fmt"
	"math"

	"coles/internal/eigen"
	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/parallel"
)

// Shortest is the length of a row, as a share of the longest's, up to which it has no features.
const Shortest = 1e-18

// Block is how many columns are multiplied at once with d features. Up to 96 columns are multiplied in all, in fewer passes
// over the features; with more, fewer products than columns will do.
func Block(d int) int {
	if d <= 96 {
		return 32
	}
	return 8
}

// rows are R, the rows of features scaled to length 1 and freed of what 1 and √degree explain.
type rows[T kernel.Float] struct {
	Parts[T]
	unit    float64    // a power of two near one over the largest number
	parts   [2]float64 // whose product it is
	inverse []float64  // one over the length of each row, in units; 0 of a row without features
	nodes   float64    // with features
	root    []float64  // √degree of these, centred and of length 1, or zero
	held    kernel.Buffer[T]

	variable []int32 // of each column, whose columns are hidden together; nil where each column is one
}

// Along is s and its deviation, and whether the features tell anything. It returns [matrix.ErrPrecision] where the rows of
// the features differ by rounding in float32 only, and ctx's error.
func (p Parts[T]) Along(ctx context.Context) (s, deviation float64, known bool, err error) {
	fail := func(err error) (float64, float64, bool, error) { return 0, 0, false, err }
	r, err := p.rows(ctx)
	if err != nil || r.nodes == 0 {
		return fail(err)
	}
	n, d := p.X.Dims()
	least := linear.Rounding(false)
	if linear.Single[T]() { // projections leave 2e-6, which should be little
		least = 1e-4
	}
	o := eigen.KrylovOptions{Tol: 1e-3, Block: Block(d), MaxBasis: 64, Seed: p.Seed, Zero: r.nodes * least * least}
	found, err := eigen.Krylov(ctx, d, min(Directions, d), r.square, o)
	if err != nil {
		return fail(fmt.Errorf("alignment: %w", err))
	}
	switch largest := found.Values[0]; {
	case largest <= o.Zero && linear.Single[T]():
		return fail(fmt.Errorf("%w: the rows of the features differ by rounding in float32; use Float64", matrix.ErrPrecision))
	case largest <= o.Zero:
		return fail(nil)
	}
	sum, err := r.squares(ctx)
	if err != nil {
		return fail(err)
	}
	u, release, err := r.vectors(ctx, found)
	if err != nil {
		return fail(err)
	}
	defer release()
	if err := p.neighbours(ctx, u, matrix.Total(p.Degrees)/float64(2*p.Edges)); err != nil {
		return fail(err)
	}
	s, deviation, known, err = slopes(ctx, u, found.Values, n)
	return s, deviation, known && !Noise(found.Values[0], sum, r.nodes, float64(d)), err
}

// slopes is s of rows that have their sums over neighbours.
func slopes(ctx context.Context, u kernel.Matrix[float64], values []float64, n int) (along, deviation float64, known bool, err error) {
	products, err := parallel.Sum(ctx, n, Products, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			AddProducts(sum, u.Row(i))
		}
	})
	if err != nil {
		return 0, 0, false, err
	}
	s, known := SlopesOf(products, values)
	if !known {
		return 0, 0, false, nil
	}
	squares, err := parallel.Sum(ctx, n, 1, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			off := s.Influence(u.Row(i))
			sum[0] += off * off
		}
	})
	if err != nil {
		return 0, 0, false, err
	}
	along, deviation = s.Along(products, squares[0])
	return along, deviation, true, nil
}

// rows measures the features.
func (p Parts[T]) rows(ctx context.Context) (*rows[T], error) {
	n := p.X.Rows()
	largest, err := p.X.Largest(ctx)
	if err != nil {
		return nil, err
	}
	_, exponent := math.Frexp(largest)
	exponent = min(-exponent, 1000)
	r := &rows[T]{
		Parts: p, unit: math.Ldexp(1, exponent), parts: [2]float64{math.Ldexp(1, exponent/2), math.Ldexp(1, exponent-exponent/2)},
		inverse: make([]float64, n), root: make([]float64, n),
	}
	sums, err := parallel.Sum(ctx, n, 2, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			_, vals := p.X.Row(i)
			squares := 0.0
			for _, v := range vals {
				v := float64(v) * r.unit
				squares += v * v
			}
			if length := math.Sqrt(squares); length > Shortest {
				r.inverse[i], r.root[i] = 1/length, math.Sqrt(p.Degrees[i])
				sum[0]++
				sum[1] += r.root[i]
			}
		}
	})
	if err != nil {
		return nil, err
	}
	r.nodes = sums[0]
	before := matrix.Length(r.root)
	for i, inverse := range r.inverse {
		if inverse > 0 {
			r.root[i] -= sums[1] / r.nodes
		}
	}
	after := matrix.Length(r.root)
	if !(after > 1e-10*before) {
		clear(r.root)
	} else {
		matrix.Scale(r.root, 1/after)
	}
	return r, ctx.Err()
}

// image sets y = R·v (n × b) for v in units. It projects twice: rounding leaves a part of large means, which would be large
// again in Rᵀy.
func (r *rows[T]) image(ctx context.Context, y, v kernel.Matrix[T]) error {
	if err := r.X.Times(ctx, y, v); err != nil {
		return err
	}
	if err := r.scale(ctx, y, 1); err != nil {
		return err
	}
	if err := r.project(ctx, y); err != nil {
		return err
	}
	return r.project(ctx, y)
}

// scale divides rows by the lengths of their features, and multiplies them by a number.
func (r *rows[T]) scale(ctx context.Context, y kernel.Matrix[T], by float64) error {
	return parallel.EachRow(ctx, y.Rows, func(i int) { matrix.Scale(y.Row(i), T(r.inverse[i]*by)) })
}

// project takes out of the columns of y what 1 and √degree explain.
func (r *rows[T]) project(ctx context.Context, y kernel.Matrix[T]) error {
	b := y.Cols
	along, err := parallel.Sum(ctx, y.Rows, 2*b, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			for c, v := range y.Row(i) {
				sum[c] += float64(v)
				sum[b+c] += float64(v) * r.root[i]
			}
		}
	})
	if err != nil {
		return err
	}
	return parallel.EachRow(ctx, y.Rows, func(i int) {
		if r.inverse[i] > 0 {
			for c, row := 0, y.Row(i); c < b; c++ {
				row[c] = T(float64(row[c]) - along[c]/r.nodes - along[b+c]*r.root[i])
			}
		}
	})
}

// inUnits is v times the unit.
func (r *rows[T]) inUnits(v kernel.Matrix[T]) kernel.Matrix[T] {
	out := kernel.Unset[T](v.Rows, v.Cols)
	for i := range v.Rows {
		for c, x := range v.Row(i) {
			out.Row(i)[c] = T(float64(x) * r.unit)
		}
	}
	return out
}

// square sets dst = RᵀR·src.
func (r *rows[T]) square(ctx context.Context, dst, src kernel.Matrix[T]) error {
	y := r.panel(src.Cols)
	if err := r.image(ctx, y, r.inUnits(src)); err != nil {
		return err
	}
	return r.back(ctx, dst, y)
}

// back sets dst = Rᵀy for a projected y, and overwrites y.
func (r *rows[T]) back(ctx context.Context, dst, y kernel.Matrix[T]) error {
	if err := r.scale(ctx, y, r.parts[0]); err != nil {
		return err
	}
	if err := r.X.TransposeTimes(ctx, dst, y); err != nil {
		return err
	}
	for i := range dst.Rows {
		matrix.Scale(dst.Row(i), T(r.parts[1]))
	}
	return nil
}

// panel is n × columns, of any numbers, in the room if there is enough.
func (r *rows[T]) panel(columns int) kernel.Matrix[T] {
	if size := r.X.Rows() * columns; size <= len(r.Room) {
		return kernel.Matrix[T]{Rows: r.X.Rows(), Cols: columns, Stride: columns, Data: r.Room[:size]}
	}
	return r.held.Sized(r.X.Rows(), columns)
}

// squares is ‖R‖²: the number of rows, each of length 1, less the part taken out.
func (r *rows[T]) squares(ctx context.Context) (float64, error) {
	y := r.panel(2)
	for i, inverse := range r.inverse {
		y.Row(i)[0], y.Row(i)[1] = T(inverse/math.Sqrt(r.nodes)), T(inverse*r.root[i])
	}
	out := kernel.Unset[T](r.X.Cols(), 2)
	if err := r.X.TransposeTimes(ctx, out, y); err != nil {
		return 0, err
	}
	taken := 0.0
	for j := range out.Rows {
		for _, v := range out.Row(j) {
			taken += float64(v) * r.unit * float64(v) * r.unit
		}
	}
	return r.nodes - taken, nil
}

// vectors are the left singular vectors of R, each row followed by 1, or 0 for a node without features, and room
// for its sums over neighbours.
func (r *rows[T]) vectors(ctx context.Context, found *eigen.Result) (u kernel.Matrix[float64], release func(), err error) {
	v := kernel.Unset[T](r.X.Cols(), len(found.Values))
	for k := range found.Values {
		for j, x := range found.Vectors.Row(k) {
			v.Row(j)[k] = T(x)
		}
	}
	y := r.panel(v.Cols)
	if err := r.image(ctx, y, r.inUnits(v)); err != nil {
		return u, nil, err
	}
	u, release = kernel.Scratch[float64](y.Rows, Width)
	return u, release, parallel.EachRow(ctx, u.Rows, func(i int) {
		row := u.Row(i)
		clear(row)
		for k, v := range y.Row(i) {
			if value := found.Values[k]; value > 1e-12*found.Values[0] {
				row[k] = float64(v) / math.Sqrt(value)
			}
		}
		if r.inverse[i] > 0 {
			row[Directions] = 1
		}
	})
}

// neighbours sets the sums of rows over neighbours, in units of a mean weight. Loops join nobody.
func (p Parts[T]) neighbours(ctx context.Context, u kernel.Matrix[float64], weight float64) error {
	return matrix.EachRow(ctx, p.Graph, func(i int) {
		sums := u.Row(i)[own:]
		cols, weights := p.Graph.Row(i)
		for q, j := range cols {
			if int(j) == i {
				continue
			}
			w := 1.0
			if weights != nil {
				w = weights[q] / weight
			}
			for k, v := range u.Row(int(j))[:own] {
				sums[k] += w * v
			}
		}
	})
}
