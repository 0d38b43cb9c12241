package eval

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/stream"

	"gonum.org/v1/gonum/mat"
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
	trials := 2 + int(math.Log(float64(k)))
	blocks := parallel.Pieces(n, seedRows)
	return &seeding[T]{p: p, trials: trials, nearest: slices.Repeat([]T{T(math.Inf(1))}, n), blocks: make([]float64, blocks),
		columns: kernel.Dense[T](d, trials), reach: kernel.Unset[T](n, trials), sums: kernel.Dense[float64](blocks, trials)}
}

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

const (
	// lloydRows rows, or four for each cluster if that is more, are summed up on their own.
	lloydRows = 2048

	// lloydProducts bounds how many products of rows and centres are held at a time.
	lloydProducts = 1 << 15
)

// A lloyd is one start of k-means. Where the way of the centres since a row was compared with them
// is too short to change which is nearest, the row is not compared again (Hamerly 2010), and its
// label is that of a comparison.
type lloyd[T kernel.Float] struct {
	KMeans
	p       *points[T]
	centres kernel.Matrix[float64] // k × d
	columns kernel.Matrix[T]       // d × k: their transpose
	squares []T                    // ‖centre‖²
	ways    []float64              // of the centres, at the last step
	closing []T                    // by how much the gap of a row of each cluster has shrunk, at most
	labels  []int32                // −1 before the first step
	gaps    []T                    // how much farther the other centres are than that of the row, at least
	sums    kernel.Matrix[float64] // of the rows of each cluster
	size    []int                  // rows of each cluster
	block   int                    // rows of a part
	parts   []lloydPart
}

// lloydPart holds the sums and counts of one block of rows.
type lloydPart struct {
	sums  kernel.Matrix[float64] // of the rows of each cluster
	size  []int
	moved bool // some row to another cluster
}

func newLloyd[T kernel.Float](p *points[T], k KMeans) *lloyd[T] {
	n, d := p.Dims()
	l := &lloyd[T]{KMeans: k, p: p, centres: kernel.Dense[float64](k.Clusters, d), columns: kernel.Dense[T](d, k.Clusters),
		squares: make([]T, k.Clusters), ways: make([]float64, k.Clusters), closing: make([]T, k.Clusters),
		labels: slices.Repeat([]int32{-1}, n), gaps: make([]T, n),
		sums: kernel.Dense[float64](k.Clusters, d), size: make([]int, k.Clusters), block: max(lloydRows, 4*k.Clusters)}
	l.parts = make([]lloydPart, parallel.Pieces(n, l.block))
	for b := range l.parts {
		l.parts[b] = lloydPart{sums: kernel.Dense[float64](k.Clusters, d), size: make([]int, k.Clusters)}
	}
	return l
}

// run is the whole start; the model's inertia is left to be set.
func (l *lloyd[T]) run(ctx context.Context, number uint64) (*KMeansModel, error) {
	rng := stream.New()
	rng.Reseed(l.Seed, number)
	rows, err := newSeeding(l.p, l.Clusters).draw(ctx, l.Clusters, rng.Rand)
	if err != nil {
		return nil, err
	}
	for c, i := range rows {
		l.p.addTo(l.centres.Row(c), i, 1)
	}
	return l.descend(ctx)
}

// descend takes steps from the centres there are until they settle.
func (l *lloyd[T]) descend(ctx context.Context) (*KMeansModel, error) {
	m := &KMeansModel{}
	settled := false // no row has moved: the labels are those of the centres
	for !settled && !m.Converged && m.Iterations < l.MaxIterations {
		moved, err := l.assign(ctx)
		if err != nil {
			return nil, err
		}
		movement, relocated, err := l.update(ctx)
		if err != nil {
			return nil, err
		}
		m.Iterations++
		settled = !moved && !relocated
		m.Converged = settled || movement <= l.Tolerance*l.p.variance
	}
	if !settled {
		if _, err := l.assign(ctx); err != nil {
			return nil, err
		}
	}
	m.Centres = mat.NewDense(l.Clusters, l.p.Cols(), nil)
	for c := range l.Clusters {
		l.p.original(l.centres.Row(c), m.Centres.RawRowView(c))
	}
	m.Labels = l.numbers()
	return m, nil
}

// numbers lists the cluster of each row.
func (l *lloyd[T]) numbers() []int {
	numbers := make([]int, len(l.labels))
	for i, c := range l.labels {
		numbers[i] = int(c)
	}
	return numbers
}

// assign gives each row the nearest centre, the first of equals, and sums up the rows of each. It
// reports whether any row had another centre before.
func (l *lloyd[T]) assign(ctx context.Context) (moved bool, err error) {
	for c := range l.Clusters {
		centre := l.centres.Row(c)
		l.squares[c] = T(dot(centre, centre))
		for j, v := range centre {
			l.columns.Data[j*l.Clusters+c] = T(v)
		}
	}
	for c := range l.closing {
		others := 0.0
		for b, way := range l.ways {
			if b != c {
				others = max(others, way)
			}
		}
		l.closing[c] = T(l.ways[c] + others)
	}
	err = parallel.Ranges(ctx, l.p.Rows(), l.block, func(lo, hi int) {
		l.assignBlock(ctx, lo, hi, &l.parts[lo/l.block])
	})
	for _, part := range l.parts {
		moved = moved || part.moved
	}
	return moved, err
}

func (l *lloyd[T]) assignBlock(ctx context.Context, lo, hi int, part *lloydPart) {
	part.moved = false
	rows := l.doubtful(lo, hi)
	few := max(16, lloydProducts/l.Clusters)
	products, release := kernel.Scratch[T](few, l.Clusters)
	defer release()
	for some := range slices.Chunk(rows, few) {
		x := l.p.Slice(some[0], some[0]+len(some))
		if last := len(some) - 1; some[last] != some[0]+last {
			x, _ = l.p.Gather(ctx, some)
		}
		tile := kernel.Rows(products, 0, len(some))
		if x.Times(ctx, tile, l.columns) != nil {
			return // the context has ended, which parallel.Ranges reports
		}
		for q, i := range some {
			c, least, second := nearestCentre(tile.Row(q), l.squares)
			l.gaps[i] = root(l.p.squares[i]+second) - root(l.p.squares[i]+least)
			if from := int(l.labels[i]); from != c {
				l.labels[i] = int32(c)
				l.moveRow(part, i, from, c)
			}
		}
	}
}

// doubtful lists the rows of [lo, hi) that may have another centre than before: those of which the
// gap is within the rounding of comparisons. The square of a distance is off by e = (d + 4)·ε·(‖x‖²
// + ‖c‖²) at most, the gap at first by 2√e, and a comparison may be wrong where it is below √2e.
func (l *lloyd[T]) doubtful(lo, hi int) []int {
	eps := T(0x1p-24)
	if T(1+0x1p-30) > 1 {
		eps = 0x1p-53
	}
	longest := slices.Max(l.squares)
	rows := make([]int, 0, hi-lo)
	for i := lo; i < hi; i++ {
		if c := l.labels[i]; c >= 0 {
			l.gaps[i] -= l.closing[c]
		}
		if gap := l.gaps[i]; !(gap > 0 && gap*gap > 16*T(l.p.Cols()+4)*eps*(l.p.squares[i]+longest)) {
			rows = append(rows, i)
		}
	}
	return rows
}

// root is √x, and 0 below.
func root[T kernel.Float](x T) T { return T(math.Sqrt(float64(max(0, x)))) }

// moveRow takes row i out of one cluster, if it is not below zero, and into another.
func (l *lloyd[T]) moveRow(part *lloydPart, i, from, to int) {
	part.moved = true
	if from >= 0 {
		l.p.addTo(part.sums.Row(from), i, -1)
		if part.size[from]--; part.size[from] == 0 {
			clear(part.sums.Row(from)) // of rounding
		}
	}
	l.p.addTo(part.sums.Row(to), i, 1)
	part.size[to]++
}

// nearestCentre is the c of the least ‖c‖² − 2x·c, the first of equals, this and the next number.
func nearestCentre[T kernel.Float](products, squares []T) (best int, least, second T) {
	squares = squares[:len(products)]
	least, second = T(math.Inf(1)), T(math.Inf(1))
	for c, product := range products {
		if r := squares[c] - 2*product; r < second {
			if r < least {
				best, least, second = c, r, least
			} else {
				second = r
			}
		}
	}
	return best, least, second
}

// update moves each centre to the mean of its rows. It returns the sum of the squares of the ways,
// and whether empty clusters were given rows.
func (l *lloyd[T]) update(ctx context.Context) (movement float64, relocated bool, err error) {
	err = parallel.For(ctx, l.Clusters, func(c int) {
		l.size[c] = 0
		clear(l.sums.Row(c))
		for _, part := range l.parts {
			l.size[c] += part.size[c]
			matrix.AddScaled(l.sums.Row(c), 1, part.sums.Row(c))
		}
	})
	if err != nil {
		return 0, false, err
	}
	if relocated, err = l.relocate(ctx); err != nil {
		return 0, false, err
	}
	for c := range l.Clusters {
		l.ways[c] = 0
		if l.size[c] == 0 {
			continue // fewer distinct rows than clusters
		}
		centre, square := l.centres.Row(c), 0.0
		for j, sum := range l.sums.Row(c) {
			v := sum / float64(l.size[c])
			square += (v - centre[j]) * (v - centre[j])
			centre[j] = v
		}
		l.ways[c] = math.Sqrt(square)
		movement += square
	}
	return movement, relocated, nil
}

// relocate gives every empty cluster one of the rows farthest from their centre, the first of
// equals, and takes it out of the sum of its own. A row alone in its cluster stays, and so does one
// at its centre. It reports whether it moved any.
func (l *lloyd[T]) relocate(ctx context.Context) (moved bool, err error) {
	to := slices.Index(l.size, 0)
	if to < 0 {
		return false, nil
	}
	far, err := l.farthest(ctx)
	if err != nil {
		return false, err
	}
	for _, i := range far {
		from := int(l.labels[i])
		if l.size[from] == 1 {
			continue
		}
		l.p.addTo(l.sums.Row(from), i, -1)
		l.p.addTo(l.sums.Row(to), i, 1)
		l.size[from]--
		l.size[to]++
		moved = true
		if to = slices.Index(l.size, 0); to < 0 {
			break
		}
	}
	return moved, nil
}

// farthest lists the rows that are not where their centre is, those far off first.
func (l *lloyd[T]) farthest(ctx context.Context) ([]int, error) {
	away := make([]float64, l.p.Rows())
	err := parallel.Ranges(ctx, len(away), lloydRows, func(lo, hi int) {
		difference := make([]float64, l.p.Cols())
		for i := lo; i < hi; i++ {
			copy(difference, l.centres.Row(int(l.labels[i])))
			l.p.addTo(difference, i, -1)
			away[i] = dot(difference, difference)
		}
	})
	if err != nil {
		return nil, err
	}
	rows := make([]int, 0, len(away))
	for i, r := range away {
		if r > 0 {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, func(i, j int) int { return cmp.Compare(away[j], away[i]) })
	return rows, nil
}
