package eval

import (
	"context"

	"coles/internal/kernel"
	"coles/internal/parallel"
	"coles/internal/stream"

	"gonum.org/v1/gonum/mat"
)

const (
	// lloydRows rows, or four for each cluster if that is more, are summed up
	// on their own.
	lloydRows = 2048

	// lloydProducts bounds how many products of rows and centres are held at a time.
	lloydProducts = 1 << 15
)

// lloyd is one start of k-means.
type lloyd[T kernel.Float] struct {
	KMeans
	p       *points[T]
	centres kernel.Matrix[float64] // k × d
	columns kernel.Matrix[T]       // d × k: their transpose
	squares []T                    // ‖centre‖²
	labels  []int32                // −1 before the first step
	size    []int                  // rows of each cluster
	block   int                    // rows of a part
	parts   []lloydPart
}

// lloydPart is what a step finds out about a block of rows.
type lloydPart struct {
	sums  kernel.Matrix[float64] // of the rows of each cluster
	size  []int
	moved bool // some row to another cluster
	err   error
}

func newLloyd[T kernel.Float](p *points[T], k KMeans) *lloyd[T] {
	l := &lloyd[T]{KMeans: k, p: p, centres: kernel.Dense[float64](k.Clusters, p.cols), columns: kernel.Dense[T](p.cols, k.Clusters),
		squares: make([]T, k.Clusters), labels: make([]int32, p.rows), size: make([]int, k.Clusters), block: max(lloydRows, 4*k.Clusters)}
	for i := range l.labels {
		l.labels[i] = -1
	}
	l.parts = make([]lloydPart, (p.rows+l.block-1)/l.block)
	for b := range l.parts {
		l.parts[b] = lloydPart{sums: kernel.Dense[float64](k.Clusters, p.cols), size: make([]int, k.Clusters)}
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
		l.p.addTo(l.centre(c), i, 1)
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
	m.Centres = mat.NewDense(l.Clusters, l.p.cols, nil)
	for c := range l.Clusters {
		l.p.original(l.centre(c), m.Centres.RawRowView(c))
	}
	m.Labels = make([]int, len(l.labels))
	for i, c := range l.labels {
		m.Labels[i] = int(c)
	}
	return m, nil
}

func (l *lloyd[T]) centre(c int) []float64 {
	return l.centres.Data[c*l.p.cols : (c+1)*l.p.cols]
}

// assign gives each row the nearest centre, the first of equals, and sums up
// the rows of each; moved tells whether any had another before.
func (l *lloyd[T]) assign(ctx context.Context) (moved bool, err error) {
	for c := range l.Clusters {
		centre := l.centre(c)
		l.squares[c] = T(dot(centre, centre))
		for j, v := range centre {
			l.columns.Data[j*l.Clusters+c] = T(v)
		}
	}
	err = parallel.Ranges(ctx, l.p.rows, l.block, func(lo, hi int) {
		l.assignBlock(ctx, lo, hi, &l.parts[lo/l.block])
	})
	for _, part := range l.parts {
		if err == nil {
			err = part.err
		}
		moved = moved || part.moved
	}
	return moved, err
}

func (l *lloyd[T]) assignBlock(ctx context.Context, lo, hi int, part *lloydPart) {
	clear(part.sums.Data)
	clear(part.size)
	part.moved = false
	few := max(16, lloydProducts/l.Clusters)
	products, release := kernel.Scratch[T](few, l.Clusters)
	defer release()
	for ; lo < hi; lo += few {
		tile := kernel.Rows(products, 0, min(few, hi-lo))
		if part.err = l.p.times(ctx, lo, lo+tile.Rows, l.columns, tile); part.err != nil {
			return
		}
		for i := range tile.Rows {
			c := nearest(tile.Data[i*tile.Stride:][:l.Clusters], l.squares)
			if l.labels[lo+i] != int32(c) {
				l.labels[lo+i] = int32(c)
				part.moved = true
			}
			part.size[c]++
			l.p.addTo(part.sums.Data[c*l.p.cols:(c+1)*l.p.cols], lo+i, 1)
		}
	}
}

// nearest is the centre c of the least ‖c‖² − 2x·c, the first of equals.
func nearest[T kernel.Float](products, squares []T) int {
	squares = squares[:len(products)]
	best, least := 0, squares[0]-2*products[0]
	for c, product := range products {
		if r := squares[c] - 2*product; r < least {
			best, least = c, r
		}
	}
	return best
}

// update moves each centre to the mean of its rows. It returns the sum of the
// squares of the ways, and whether empty clusters were given rows.
func (l *lloyd[T]) update(ctx context.Context) (movement float64, relocated bool, err error) {
	sums := l.parts[0].sums
	err = parallel.For(ctx, l.Clusters, func(c int) {
		sum := sums.Data[c*l.p.cols:][:l.p.cols]
		l.size[c] = l.parts[0].size[c]
		for _, part := range l.parts[1:] {
			l.size[c] += part.size[c]
			axpy(1, part.sums.Data[c*l.p.cols:][:l.p.cols], sum)
		}
	})
	if err != nil {
		return 0, false, err
	}
	if relocated, err = l.relocate(ctx, sums); err != nil {
		return 0, false, err
	}
	for c := range l.Clusters {
		if l.size[c] == 0 {
			continue // fewer distinct rows than clusters
		}
		centre := l.centre(c)
		for j, sum := range sums.Data[c*l.p.cols:][:l.p.cols] {
			v := sum / float64(l.size[c])
			movement += (v - centre[j]) * (v - centre[j])
			centre[j] = v
		}
	}
	return movement, relocated, nil
}
