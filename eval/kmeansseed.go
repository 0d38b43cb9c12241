package eval

import (
	"context"
	"math"
	"math/rand/v2"

	"coles/internal/kernel"
	"coles/internal/parallel"
)

// seedRows is how many rows are compared with candidates at a time.
const seedRows = 2048

// seeding draws centres among points by greedy k-means++: each is, of several
// candidates drawn in proportion to the squared distance to the nearest centre
// so far, the one that leaves the least sum of these.
type seeding[T kernel.Float] struct {
	p       *points[T]
	trials  int
	nearest []T              // squared distance of each row to the nearest centre so far
	blocks  []float64        // its sums over blocks of seedRows rows
	columns kernel.Matrix[T] // d × trials: the candidates
	reach   kernel.Matrix[T] // n × trials: nearest if the candidate were a centre
	sums    kernel.Matrix[float64]
}

func newSeeding[T kernel.Float](p *points[T], k int) *seeding[T] {
	trials := 2 + int(math.Log(float64(k)))
	blocks := (p.rows + seedRows - 1) / seedRows
	s := &seeding[T]{p: p, trials: trials, nearest: make([]T, p.rows), blocks: make([]float64, blocks),
		columns: kernel.Dense[T](p.cols, trials), reach: kernel.Dense[T](p.rows, trials), sums: kernel.Dense[float64](blocks, trials)}
	for i := range s.nearest {
		s.nearest[i] = T(math.Inf(1))
	}
	return s
}

// draw returns the rows of k centres.
func (s *seeding[T]) draw(ctx context.Context, k int, rng *rand.Rand) ([]int, error) {
	rows := make([]int, 0, k)
	candidates := make([]int, s.trials)
	first := rng.IntN(s.p.rows)
	for len(rows) < k {
		for t := range candidates {
			candidates[t] = first
			if len(rows) > 0 {
				candidates[t] = s.sample(rng)
			}
		}
		best, err := s.choose(ctx, candidates)
		if err != nil {
			return nil, err
		}
		rows = append(rows, candidates[best])
	}
	return rows, nil
}

// sample draws a row in proportion to its squared distance from the centres; when
// all are zero, any.
func (s *seeding[T]) sample(rng *rand.Rand) int {
	total := 0.0
	for _, b := range s.blocks {
		total += b
	}
	if total == 0 {
		return rng.IntN(s.p.rows)
	}
	rest, last := rng.Float64()*total, 0
	for b, sum := range s.blocks {
		if sum == 0 {
			continue
		}
		if rest >= sum {
			rest -= sum
			last = b
			continue
		}
		return s.within(b, rest)
	}
	return s.within(last, math.Inf(1)) // by rounding
}

// within is the row of a block at which the sum of distances passes rest, or
// the last that has any.
func (s *seeding[T]) within(block int, rest float64) int {
	lo := block * seedRows
	last := lo
	for i, v := range s.nearest[lo:min(s.p.rows, lo+seedRows)] {
		if v > 0 {
			last = lo + i
			if rest -= float64(v); rest < 0 {
				break
			}
		}
	}
	return last
}

// choose makes the best of the candidates a centre and returns its number.
func (s *seeding[T]) choose(ctx context.Context, candidates []int) (best int, err error) {
	clear(s.columns.Data)
	for t, i := range candidates {
		cols, values := s.p.row(i)
		for q, v := range values {
			j := q
			if cols != nil {
				j = int(cols[q])
			}
			s.columns.Data[j*s.trials+t] = v
		}
	}
	errs := make([]error, len(s.blocks))
	err = parallel.Ranges(ctx, s.p.rows, seedRows, func(lo, hi int) {
		errs[lo/seedRows] = s.measure(ctx, lo, hi, candidates)
	})
	if err == nil {
		err = firstError(errs)
	}
	if err != nil {
		return 0, err
	}
	least := math.Inf(1)
	for t := range candidates {
		total := 0.0
		for b := range s.blocks {
			total += s.sums.Data[b*s.trials+t]
		}
		if total < least {
			best, least = t, total
		}
	}
	for b := range s.blocks {
		s.blocks[b] = s.sums.Data[b*s.trials+best]
	}
	for i := range s.nearest {
		s.nearest[i] = s.reach.Data[i*s.trials+best]
	}
	return best, nil
}

// measure sets reach for rows [lo, hi), and its sums.
func (s *seeding[T]) measure(ctx context.Context, lo, hi int, candidates []int) error {
	reach := kernel.Rows(s.reach, lo, hi)
	if err := s.p.times(ctx, lo, hi, s.columns, reach); err != nil {
		return err
	}
	sums := s.sums.Data[lo/seedRows*s.trials:][:s.trials]
	clear(sums)
	for i, nearest := range s.nearest[lo:hi] {
		row, square := reach.Data[i*s.trials:][:s.trials], s.p.squares[lo+i]
		for t, product := range row {
			r := max(0, square+s.p.squares[candidates[t]]-2*product)
			row[t] = min(nearest, r)
			sums[t] += float64(row[t])
		}
	}
	return nil
}

func firstError(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
