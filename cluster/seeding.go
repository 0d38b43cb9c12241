package cluster

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
)

// seedRows is how many rows are compared with candidates at a time.
const seedRows = 2048

// A seeding draws centres among points by greedy k-means++: several candidates in proportion to the
// squared distance to the nearest centre so far, of which the one stays that leaves the least sum
// of these.
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
	n, d := p.Dims()
	trials := trials(k)
	blocks := parallel.Pieces(n, seedRows)
	return &seeding[T]{p: p, trials: trials, nearest: slices.Repeat([]T{T(math.Inf(1))}, n), blocks: make([]float64, blocks),
		columns: kernel.Dense[T](d, trials), reach: kernel.Unset[T](n, trials), sums: kernel.Dense[float64](blocks, trials)}
}

// trials is how many candidates there are for each of k centres.
func trials(k int) int { return 2 + int(math.Log(float64(k))) }

// draw returns the rows of k centres.
func (s *seeding[T]) draw(ctx context.Context, k int, rng *rand.Rand) ([]int, error) {
	rows := make([]int, 0, k)
	candidates := slices.Repeat([]int{rng.IntN(s.p.Rows())}, s.trials)
	for len(rows) < k {
		best, err := s.choose(ctx, candidates)
		if err != nil {
			return nil, err
		}
		rows = append(rows, candidates[best])
		for t := range candidates {
			candidates[t] = s.sample(rng)
		}
	}
	return rows, nil
}

// sample draws a row in proportion to its squared distance from the centres; any if all are zero.
func (s *seeding[T]) sample(rng *rand.Rand) int {
	total := 0.0
	for _, b := range s.blocks {
		total += b
	}
	if total == 0 {
		return rng.IntN(s.p.Rows())
	}
	rest, last := rng.Float64()*total, 0
	for b, sum := range s.blocks {
		if rest < sum {
			return s.within(b, rest)
		}
		if sum > 0 {
			rest, last = rest-sum, b
		}
	}
	return s.within(last, math.Inf(1)) // by rounding
}

// within is the row of a block at which the sum of distances passes rest, or the last that has any.
func (s *seeding[T]) within(block int, rest float64) int {
	lo := block * seedRows
	last := lo
	for i, v := range s.nearest[lo:min(s.p.Rows(), lo+seedRows)] {
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
		cols, vals := s.p.Row(i)
		for q, v := range vals {
			s.columns.Data[matrix.Column(cols, q)*s.trials+t] = v
		}
	}
	err = parallel.Ranges(ctx, s.p.Rows(), seedRows, func(lo, hi int) { s.measure(ctx, lo, hi, candidates) })
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

// measure sets reach for rows [lo, hi), and its sums, unless ctx ends.
func (s *seeding[T]) measure(ctx context.Context, lo, hi int, candidates []int) {
	reach := kernel.Rows(s.reach, lo, hi)
	if s.p.Slice(lo, hi).Times(ctx, reach, s.columns) != nil {
		return
	}
	sums := s.sums.Data[lo/seedRows*s.trials:][:s.trials]
	clear(sums)
	for i, nearest := range s.nearest[lo:hi] {
		row, square := reach.Data[i*s.trials:][:s.trials], s.p.squares[lo+i]
		for t, product := range row {
			row[t] = min(nearest, max(0, square+s.p.squares[candidates[t]]-2*product))
			sums[t] += float64(row[t])
		}
	}
}
