package alignment

import (
	"context"
	"math"

	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/stream"
)

const (
	// probes is the number of random combinations of half of the columns by which the kernel of neighbours is known.
	probes = 16
	// splits is how often the columns are halved anew: a few may have most of the energy.
	splits = 4
)

// Ratio is q of coles.Alignment, and whether a node's own features tell of its others.
func (p Parts[T]) Ratio(ctx context.Context) (q float64, known bool, err error) {
	r, err := p.rows(ctx)
	if err != nil {
		return 0, false, err
	}
	if r.variable, err = p.variables(ctx); err != nil {
		return 0, false, err
	}
	own, norm, err := r.told(ctx, []float64{1}, nil)
	if err != nil || norm == 0 {
		return 0, false, err
	}
	w, err := p.Walk(ctx)
	if err != nil {
		return 0, false, err
	}
	all, _, err := r.told(ctx, linear.Tamed(p.Filter), w)
	chance := math.Sqrt2 * norm / probes / r.nodes // the deviation of both if the rows of one half changed places
	return max(0, all) / max(own, chance/2), own > 2*chance, err
}

// told is a(K) for the kernel of half of the columns, filtered: how well the other half follows from it. It is the mean
// product over halves, divided by the norm, the root of the mean square.
func (r *rows[T]) told(ctx context.Context, filter []float64, w *kernel.CSR[T]) (told, norm float64, err error) {
	sum, size, z := 0.0, 0.0, kernel.Matrix[T]{}
	seed := r.Seed
	defer func() { r.Seed = seed }()
	for k := range 2 * splits {
		if k%2 == 0 {
			r.Seed = stream.Seed(seed, uint64(k/2))
			if z, err = r.around(ctx, filter, w); err != nil {
				return 0, 0, err
			}
		}
		half := k % 2
		along, squares, err := r.agree(ctx, kernel.Columns(z, half*probes, (half+1)*probes), func(j int) bool { return r.half(j) != half })
		if err != nil {
			return 0, 0, err
		}
		sum, size = sum+along, size+squares
	}
	if size == 0 {
		return 0, 0, nil
	}
	norm = math.Sqrt(size / (2 * splits))
	return sum / (2 * splits) / norm, norm, nil
}

// half is the half of the columns that column j belongs to, with all of its variable.
func (r *rows[T]) half(j int) int {
	if r.variable != nil {
		j = int(r.variable[j])
	}
	return int(stream.Seed(^r.Seed, uint64(j)) & 1)
}

// around is random combinations of each half of the columns, filtered.
func (r *rows[T]) around(ctx context.Context, filter []float64, w *kernel.CSR[T]) (z kernel.Matrix[T], err error) {
	n, d := r.X.Dims()
	draws := kernel.Dense[T](d, 2*probes)
	for j := range d {
		bits := stream.Seed(r.Seed, uint64(j))
		row := draws.Row(j)[r.half(j)*probes:][:probes]
		for c := range row {
			row[c] = 1 - 2*T(bits>>c&1)
		}
	}
	y := kernel.Unset[T](n, 2*probes)
	if err := r.image(ctx, y, r.inUnits(draws)); err != nil {
		return z, err
	}
	if z = y; w != nil {
		z, err = matrix.Horner(ctx, filter, w, matrix.Of(y), kernel.Unset[T](n, 2*probes), kernel.Unset[T](n, 2*probes))
	}
	for range 2 {
		if err == nil {
			err = r.project(ctx, z)
		}
	}
	return z, err
}

// agree is the inner product of YYᵀ with RRᵀ, off the diagonal, for some columns of R. It also returns the squared norm of the
// kernel that YYᵀ estimates, the mean over probes of random signs, less the variance of that mean. It overwrites Y.
func (r *rows[T]) agree(ctx context.Context, y kernel.Matrix[T], counts func(j int) bool) (along, norm float64, err error) {
	taken, all, err := r.taken(ctx, counts)
	if err != nil {
		return 0, 0, err
	}
	sum, err := parallel.Sum(ctx, y.Rows, 2, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			square := squares(y.Row(i))
			sum[0] += square
			sum[1] += square * r.length(i, taken, all, counts)
		}
	})
	if err != nil {
		return 0, 0, err
	}
	gram := kernel.Dense[float64](y.Cols, y.Cols)
	if err := kernel.Gram(ctx, 1, y, y, gram); err != nil {
		return 0, 0, err
	}
	for a := range y.Cols {
		row := gram.Row(a)
		norm += row[a] * row[a]
		for _, v := range row[a+1:] {
			norm += 2 * v * v
		}
	}
	products := kernel.Unset[T](r.X.Cols(), y.Cols)
	if err := r.back(ctx, products, y); err != nil {
		return 0, 0, err
	}
	along = -sum[1]
	for j := range products.Rows {
		if counts(j) {
			along += squares(products.Row(j))
		}
	}
	return along, max(0, norm-sum[0]*sum[0]/probes) / (1 + 1.0/probes), nil
}

// taken is what 1/√n and √degree explain of each column that counts, and the products of both with both.
func (r *rows[T]) taken(ctx context.Context, counts func(j int) bool) (taken kernel.Matrix[T], all [3]float64, err error) {
	y := r.panel(2)
	for i, inverse := range r.inverse {
		y.Row(i)[0], y.Row(i)[1] = 0, T(r.root[i])
		if inverse > 0 {
			y.Row(i)[0] = T(1 / math.Sqrt(r.nodes))
		}
	}
	taken = kernel.Unset[T](r.X.Cols(), 2)
	if err := r.back(ctx, taken, y); err != nil {
		return taken, all, err
	}
	for j := range taken.Rows {
		row := taken.Row(j)
		if !counts(j) {
			clear(row)
		}
		a, b := float64(row[0]), float64(row[1])
		all[0], all[1], all[2] = all[0]+a*a, all[1]+2*a*b, all[2]+b*b
	}
	return taken, all, nil
}

// length is the squared length of row i of R, in the columns that count.
func (r *rows[T]) length(i int, taken kernel.Matrix[T], all [3]float64, counts func(j int) bool) float64 {
	if r.inverse[i] == 0 {
		return 0
	}
	level, root := 1/math.Sqrt(r.nodes), r.root[i]
	square := all[0]*level*level + all[1]*level*root + all[2]*root*root
	cols, vals := r.X.Row(i)
	for q, v := range vals {
		j := q
		if cols != nil {
			j = int(cols[q])
		}
		if v := float64(v) * r.unit * r.inverse[i]; counts(j) {
			square += v * (v - 2*(level*float64(taken.Row(j)[0])+root*float64(taken.Row(j)[1])))
		}
	}
	return square
}

func squares[T kernel.Float](row []T) (sum float64) {
	for _, v := range row {
		sum += float64(v) * float64(v)
	}
	return sum
}
