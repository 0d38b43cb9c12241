package coles

import (
	"context"
	"math"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/stream"

	"gonum.org/v1/gonum/floats"
)

// sketchGroups is the number of groups that features are divided into: every half of the groups is a
// half of the features, and sums over all 35 ways to halve them have a closed form.
const sketchGroups = 8

// vague is the deviation of log(⟨K_R, T⟩/‖K_R‖) from which that is noise.
const vague = 0.5

// A sketch estimates the parts of an [Alignment]. Column c of the sketch belongs to a group of
// features: it is X restricted to them times random signs, e_c after Π and f_c filtered before Π.
// The squared product of columns of two groups is, on average, the inner product of the kernels of
// these groups, and that of two columns of one group the square of its norm, diagonals included.
type sketch[T kernel.Float] struct {
	x    *matrix.Matrix[T]
	w    *kernel.CSR[T]
	coef []float64 // of the filter
	seed uint64
	unit T // magnitude of the signs

	rounding float64

	home  []int            // the group of every feature
	basis kernel.Matrix[T] // Q

	group   []int              // of every column
	batches []kernel.Matrix[T] // of columns, n × 2b: e, then f
	scratch []func()           // gives their memory back
	flat    bool               // all e are rounding
	ee      [][]float64        // products of the columns
	fe, ff  [][]float64        // fe[c][b] = f_c·e_b
}

func newSketch[T kernel.Float](ctx context.Context, x *matrix.Matrix[T], w *kernel.CSR[T], f *fitting) (*sketch[T], error) {
	n, d := x.Dims()
	s := &sketch[T]{x: x, w: w, coef: f.Filter.tamed(), seed: f.Seed, unit: 1, rounding: f.Precision.rounding(), home: make([]int, d)}
	if f.prepare.how == PrepareNone { // what all others make has fourth powers
		largest, err := x.Largest(ctx)
		if err != nil {
			return nil, err
		}
		_, exponent := math.Frexp(largest)
		s.unit = T(math.Ldexp(1, -exponent))
	}
	rng := stream.New()
	rng.Reseed(s.seed, 0)
	for k, j := range rng.Perm(d) {
		s.home[j] = k % sketchGroups
	}
	ones, root, sums := make([]float64, n), make([]float64, n), make([]float64, n)
	err := parallel.Rows(ctx, n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			ones[i], root[i] = 1, math.Sqrt(f.g.degree[i])
			_, vals := x.Row(i)
			for _, v := range vals {
				sums[i] += float64(v * s.unit)
			}
		}
	})
	s.basis = orthonormal[T](ones, root, sums)
	return s, err
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

// grow adds columns, a multiple of firstColumns.
func (s *sketch[T]) grow(ctx context.Context, columns int) error {
	n := s.x.Rows()
	both, release := kernel.Scratch[T](n, 2*columns)
	s.scratch = append(s.scratch, release)
	own, filtered := kernel.Columns(both, 0, columns), kernel.Columns(both, columns, 2*columns)
	if err := s.draw(ctx, own); err != nil {
		return err
	}
	y, releaseY := kernel.Scratch[T](n, firstColumns)
	defer releaseY()
	spare, releaseSpare := kernel.Scratch[T](n, firstColumns)
	defer releaseSpare()
	for lo := 0; lo < columns; lo += firstColumns {
		hi := lo + firstColumns
		fx, err := matrix.Horner(ctx, s.coef, s.w, matrix.Of(kernel.Columns(own, lo, hi)), y, spare)
		if err != nil {
			return err
		}
		if err := kernel.Convert(ctx, kernel.Columns(filtered, lo, hi), fx); err != nil {
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
	s.flat = after <= before*s.rounding*s.rounding
	s.batches = append(s.batches, both)
	for c := range columns {
		s.group = append(s.group, c/(columns/sketchGroups))
	}
	return s.multiply(ctx)
}

func (s *sketch[T]) release() {
	for _, give := range s.scratch {
		give()
	}
}

// draw sets y to features times signs: ±unit in the columns of a feature's group.
func (s *sketch[T]) draw(ctx context.Context, y kernel.Matrix[T]) error {
	width := y.Cols / sketchGroups
	signs := make([]T, s.x.Cols()*width)
	seed := stream.Seed(s.seed, uint64(len(s.batches)))
	err := parallel.Rows(ctx, s.x.Cols(), func(lo, hi int) {
		rng := stream.New()
		for j := lo; j < hi; j++ {
			rng.Reseed(seed, uint64(j))
			bits := rng.Uint64()
			for k := range width {
				signs[j*width+k] = s.unit * T(1-2*float64(bits>>k&1))
			}
		}
	})
	if err != nil {
		return err
	}
	return parallel.Rows(ctx, y.Rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := y.Data[i*y.Stride:][:y.Cols]
			clear(row)
			cols, vals := s.x.Row(i)
			for q, v := range vals {
				j := matrix.Column(cols, q)
				matrix.AddScaled(row[s.home[j]*width:], v, signs[j*width:][:width])
			}
		}
	})
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
		if err := matrix.TimesTo64(ctx, true, b, last, products); err != nil {
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

// diagonals are what the diagonals of kernels have in the squared products of every column with all
// others: by name the same as the parts of [sketch.estimate].
type diagonals struct {
	cross, own, ownGroup, filtered, filteredGroup []float64
}

func (s *sketch[T]) diagonals(ctx context.Context) (diagonals, error) {
	wide := len(s.group)
	sums, err := parallel.Sum(ctx, s.x.Rows(), 5*wide, func(sum []float64, lo, hi int) {
		squares := make([]float64, 2*wide)
		e, f := squares[:wide], squares[wide:]
		for i := lo; i < hi; i++ {
			var inE, inF [sketchGroups]float64
			at := 0
			for _, b := range s.batches {
				row, half := b.Data[i*b.Stride:][:b.Cols], b.Cols/2
				for c := range half {
					e[at], f[at] = float64(row[c])*float64(row[c]), float64(row[half+c])*float64(row[half+c])
					inE[s.group[at]] += e[at]
					inF[s.group[at]] += f[at]
					at++
				}
			}
			allE, allF := floats.Sum(inE[:]), floats.Sum(inF[:])
			for c, g := range s.group {
				sum[c] += f[c]*(allE-inE[g]) + e[c]*(allF-inF[g])
				sum[wide+c] += e[c] * (allE - inE[g])
				sum[2*wide+c] += e[c] * (inE[g] - e[c])
				sum[3*wide+c] += f[c] * (allF - inF[g])
				sum[4*wide+c] += f[c] * (inF[g] - f[c])
			}
		}
	})
	part := func(k int) []float64 { return sums[k*wide:][:wide] }
	return diagonals{part(0), part(1), part(2), part(3), part(4)}, err
}

// parts are the shares of one column in the estimates, or their sums over all: ⟨K_F, T⟩, ⟨K_R, T⟩,
// ‖K_F‖² and ‖K_R‖², each times the same unknown number for F as for R.
type parts struct{ alignedF, alignedR, squareF, squareR float64 }

// estimate is q by all pairs of columns, and the deviation of log q by what each column has in it
// (the infinitesimal jackknife of Efron 1982).
func (s *sketch[T]) estimate(ctx context.Context) (Alignment, error) {
	found := Alignment{Columns: len(s.group)}
	diagonal, err := s.diagonals(ctx)
	if err != nil {
		return found, err
	}
	perGroup := float64(len(s.group) / sketchGroups)
	// Of p² pairs in a group p(p−1) are of different columns; two groups are in the same half in
	// three splits of seven.
	same, other := perGroup/(perGroup-1), (sketchGroups/2-1)/(sketchGroups-1.)
	each, all := make([]parts, len(s.group)), parts{}
	for c, g := range s.group {
		cross, own, ownGroup := -diagonal.cross[c], -diagonal.own[c], -diagonal.ownGroup[c]
		filtered, filteredGroup := -diagonal.filtered[c], -diagonal.filteredGroup[c]
		for b, h := range s.group {
			ee, ff := s.ee[c][b]*s.ee[c][b], s.ff[c][b]*s.ff[c][b]
			switch {
			case h != g:
				cross += s.fe[c][b]*s.fe[c][b] + s.fe[b][c]*s.fe[b][c]
				own += ee
				filtered += ff
			case b != c:
				ownGroup += ee
				filteredGroup += ff
			}
		}
		p := parts{cross, 2 * own, same*filteredGroup + other*filtered, same*ownGroup + other*own}
		each[c] = p
		all.alignedF += p.alignedF
		all.alignedR += p.alignedR
		all.squareF += p.squareF
		all.squareR += p.squareR
	}
	if all.alignedR <= 0 || all.squareR <= 0 {
		return found, nil
	}
	count := float64(len(each))
	own, whole := 0.0, 0.0 // variances
	for _, p := range each {
		off := p.squareR/all.squareR - 2*p.alignedR/all.alignedR + 1/count // whose mean is 0
		own += off * off
		if all.alignedF > 0 && all.squareF > 0 {
			off += 2*p.alignedF/all.alignedF - p.squareF/all.squareF - 1/count
		}
		whole += off * off
	}
	found.Known = math.Sqrt(own*count/(count-1)) < vague
	found.Deviation = math.Sqrt(whole * count / (count - 1))
	if all.squareF > 0 {
		found.Ratio = max(all.alignedF, 0) / all.alignedR * math.Sqrt(all.squareR/all.squareF)
	}
	return found, nil
}
