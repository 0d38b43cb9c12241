package alignment

import (
	"context"
	"fmt"
	"math"

	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/scratch"

	"gonum.org/v1/gonum/floats"
)

// Parts are what q is measured on: prepared features, the walk that filters them, the coefficients of
// the filter, and what is known of the graph.
type Parts[T kernel.Float] struct {
	X       *matrix.Matrix[T]
	W       matrix.Walk[T]
	Filter  []float64
	Graph   *kernel.CSR[float64]
	Degrees []float64
	Edges   int
	Seed    uint64
	Plain   bool // nothing was done to the features, which may be of any size
	Room    []T  // memory to be used first
}

// Measure estimates q, by as many random columns as that takes, and looks for communities where it does
// not decide. It returns [matrix.ErrPrecision] where the rows of the features differ by rounding in
// float32 only, and ctx's error.
func (p Parts[T]) Measure(ctx context.Context) (Estimate, error) {
	found, err := p.ratio(ctx)
	if err == nil && found.Open() {
		found.Communities, err = p.communities(ctx)
	}
	return found, err
}

func (p Parts[T]) ratio(ctx context.Context) (Estimate, error) {
	n, d := p.X.Dims()
	found, known := Unmeasured(p.Edges, d)
	if known {
		return found, ctx.Err()
	}
	s, err := p.sketch(ctx)
	if err != nil {
		return Estimate{}, err
	}
	defer s.release()
	for next := found.Next(n); next > 0; next = found.Next(n) {
		if err := s.grow(ctx, next-len(s.group)); err != nil {
			return Estimate{}, err
		}
		if s.flat && linear.Single[T]() {
			return Estimate{}, fmt.Errorf("%w: the rows of the features differ by rounding in float32; use Float64", matrix.ErrPrecision)
		}
		if s.flat {
			return Estimate{Columns: len(s.group)}, nil
		}
		if found, err = s.estimate(ctx); err != nil {
			break
		}
	}
	return found, err
}

// A sketch holds columns of random signs times features: e_c after Π, and f_c filtered before Π.
type sketch[T kernel.Float] struct {
	Parts[T]         // its filter tamed
	unit     T       // magnitude of the signs
	least    float64 // of e after Π, relative to what it was, to be more than rounding

	home  []int            // the group of every feature
	basis kernel.Matrix[T] // Q

	group   []int              // of every column
	batches []kernel.Matrix[T] // of columns, n × 2b: e, then f
	scratch []func()           // gives other memory back
	flat    bool               // all e are rounding
	ee      [][]float64        // products of the columns
	fe, ff  [][]float64        // fe[c][b] = f_c·e_b
}

func (p Parts[T]) sketch(ctx context.Context) (*sketch[T], error) {
	n, d := p.X.Dims()
	s := &sketch[T]{Parts: p, unit: 1, least: linear.Rounding(false)}
	s.Filter = linear.Tamed(p.Filter)
	if linear.Single[T]() { // products with Q leave 2e-6, which should be little
		s.least = 1e-4
	}
	if p.Plain { // what all preparations make has fourth powers
		largest, err := p.X.Largest(ctx)
		if err != nil {
			return nil, err
		}
		s.unit = T(Unit(largest))
	}
	ones, root, sums := make([]float64, n), make([]float64, n), make([]float64, n)
	squares, err := parallel.Sum(ctx, n, d+1, func(all []float64, lo, hi int) { // the last counts negative numbers
		for i := lo; i < hi; i++ {
			cols, vals := p.X.Row(i)
			for q, v := range vals {
				v := float64(v * s.unit)
				sums[i] += v
				all[matrix.Column(cols, q)] += v * v
				if v < 0 {
					all[d]++
				}
			}
			ones[i], root[i] = 1, math.Sqrt(p.Degrees[i])
		}
	})
	if err != nil {
		return nil, err
	}
	s.home = Homes(p.Seed, squares[:d])
	explained := [][]float64{ones, root}
	if squares[d] == 0 {
		explained = append(explained, sums)
	}
	s.basis = orthonormal[T](explained...)
	return s, nil
}

// orthonormal is a basis (n × 3 or fewer) of the span of some vectors, by Gram and Schmidt's method
// applied twice. What others span already, up to rounding, is left out.
func orthonormal[T kernel.Float](vectors ...[]float64) kernel.Matrix[T] {
	var basis [][]float64
	for _, v := range vectors {
		whole := matrix.Length(v)
		for range 2 {
			for _, q := range basis {
				matrix.AddScaled(v, -floats.Dot(q, v), q)
			}
		}
		if rest := matrix.Length(v); rest > 1e-10*whole {
			matrix.Scale(v, 1/rest)
			basis = append(basis, v)
		}
	}
	q := kernel.Unset[T](len(vectors[0]), len(basis))
	for k, v := range basis {
		for i := range v {
			q.Data[i*q.Stride+k] = T(v[i])
		}
	}
	return q
}

// grow adds columns, a multiple of First.
func (s *sketch[T]) grow(ctx context.Context, columns int) error {
	n := s.X.Rows()
	both := kernel.Matrix[T]{Rows: n, Cols: 2 * columns, Stride: 2 * columns}
	if size, space := n*both.Cols, scratch.Of(ctx); space != nil { // whose room is for strips
		var err error
		if both.Data, err = scratch.Make[T](space, size); err != nil {
			return err
		}
		s.scratch = append(s.scratch, func() { scratch.Release(space, both.Data) })
	} else if size <= len(s.Room) {
		both.Data, s.Room = s.Room[:size], s.Room[size:]
	} else {
		own, release := kernel.Scratch[T](n, both.Cols)
		both.Data = own.Data
		s.scratch = append(s.scratch, release)
	}
	own, filtered := kernel.Columns(both, 0, columns), kernel.Columns(both, columns, 2*columns)
	batch, err := Draw(ctx, s.Seed, len(s.batches), s.home, columns, s.unit)
	if err != nil {
		return err
	}
	if err := parallel.EachRow(ctx, n, func(i int) {
		cols, vals := s.X.Row(i)
		batch.Times(own.Row(i), cols, vals)
	}); err != nil {
		return err
	}
	if err := kernel.Convert(ctx, filtered, own); err != nil {
		return err
	}
	for lo := 0; lo < columns; lo += First {
		part := &matrix.Matrix[T]{Dense: kernel.Columns(filtered, lo, lo+First), Owned: true}
		fx, err := matrix.Filter(ctx, s.Filter, s.W, part, s.Room)
		if err != nil {
			return err
		}
		if _, err := fx.Whole(ctx); err != nil {
			return err
		}
	}
	before, err := matrix.Of(own).Squares(ctx)
	if err != nil {
		return err
	}
	along := kernel.Unset[T](s.basis.Cols, both.Cols)
	if err := kernel.Gemm(ctx, true, false, 1, s.basis, both, 0, along); err != nil {
		return err
	}
	if err := kernel.Gemm(ctx, false, false, -1, s.basis, along, 1, both); err != nil {
		return err
	}
	after, err := matrix.Of(own).Squares(ctx)
	if err != nil {
		return err
	}
	s.flat = after <= before*s.least*s.least
	s.batches = append(s.batches, both)
	s.group = append(s.group, Groups(columns)...)
	return s.multiply(ctx)
}

func (s *sketch[T]) release() {
	for _, give := range s.scratch {
		give()
	}
}

// multiply adds the products of the last batch with itself and those before.
func (s *sketch[T]) multiply(ctx context.Context) error {
	last := s.batches[len(s.batches)-1]
	wide := last.Cols / 2
	start := len(s.group) - wide
	for _, all := range []*[][]float64{&s.ee, &s.fe, &s.ff} {
		for c := range *all {
			(*all)[c] = append((*all)[c], make([]float64, wide)...)
		}
		for range wide {
			*all = append(*all, make([]float64, len(s.group)))
		}
	}
	from := 0
	for _, b := range s.batches {
		high := b.Cols / 2
		products := kernel.Unset[float64](b.Cols, last.Cols)
		if err := kernel.Gemm(ctx, true, false, 1, b, last, 0, products); err != nil {
			return err
		}
		for i := range high {
			for j := range wide {
				e, f := products.Data[i*products.Stride:], products.Data[(high+i)*products.Stride:]
				s.ee[from+i][start+j], s.ee[start+j][from+i] = e[j], e[j]
				s.ff[from+i][start+j], s.ff[start+j][from+i] = f[wide+j], f[wide+j]
				s.fe[from+i][start+j], s.fe[start+j][from+i] = f[j], e[wide+j]
			}
		}
		from += high
	}
	return nil
}

// estimate is q by all pairs of columns.
func (s *sketch[T]) estimate(ctx context.Context) (Estimate, error) {
	wide := len(s.group)
	diagonals, err := parallel.Sum(ctx, s.X.Rows(), Diagonals*wide, func(sum []float64, lo, hi int) {
		e, f := make([]float64, wide), make([]float64, wide)
		for i := lo; i < hi; i++ {
			at := 0
			for _, b := range s.batches {
				row, half := b.Row(i), b.Cols/2
				for c := range half {
					e[at], f[at] = float64(row[c]), float64(row[half+c])
					at++
				}
			}
			AddDiagonals(sum, s.group, e, f)
		}
	})
	if err != nil {
		return Estimate{Columns: wide}, err
	}
	return Of(s.group, s.ee, s.fe, s.ff, diagonals), nil
}
