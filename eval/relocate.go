package eval

import (
	"cmp"
	"context"
	"slices"

	"coles/internal/kernel"
	"coles/internal/parallel"
)

// relocate gives every empty cluster one of the rows that are farthest from
// their centre, the first of equals, and takes it out of the sum of its own. A
// row alone in its cluster stays, and so does one that is where its centre is.
// It tells whether it moved any.
func (l *lloyd[T]) relocate(ctx context.Context, sums kernel.Matrix[float64]) (moved bool, err error) {
	var empty []int
	for c, size := range l.size {
		if size == 0 {
			empty = append(empty, c)
		}
	}
	if len(empty) == 0 {
		return false, nil
	}
	far, err := l.farthest(ctx)
	if err != nil {
		return false, err
	}
	d := l.p.cols
	for _, i := range far {
		if len(empty) == 0 {
			break
		}
		if from := int(l.labels[i]); l.size[from] > 1 {
			to := empty[0]
			empty = empty[1:]
			l.p.addTo(sums.Data[from*d:(from+1)*d], i, -1)
			l.p.addTo(sums.Data[to*d:(to+1)*d], i, 1)
			l.size[from]--
			l.size[to]++
			moved = true
		}
	}
	return moved, nil
}

// farthest is the rows that are not where their centre is, those far off first.
func (l *lloyd[T]) farthest(ctx context.Context) ([]int, error) {
	away := make([]float64, l.p.rows)
	err := parallel.Ranges(ctx, l.p.rows, lloydRows, func(lo, hi int) {
		difference := make([]float64, l.p.cols)
		for i := lo; i < hi; i++ {
			copy(difference, l.centre(int(l.labels[i])))
			l.p.addTo(difference, i, -1)
			away[i] = dot(difference, difference)
		}
	})
	if err != nil {
		return nil, err
	}
	rows := make([]int, 0, l.p.rows)
	for i, r := range away {
		if r > 0 {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, func(i, j int) int { return cmp.Compare(away[j], away[i]) })
	return rows, nil
}
