package alignment

import "context"

// variables numbers the variables of the columns. Adjacent columns of which no row has more than one, as the values of a
// category, are one variable: its values exclude each other, so two halves of it would tell of each other. It is nil if all
// columns are of one variable.
func (p Parts[T]) variables(ctx context.Context) ([]int32, error) {
	n, d := p.Source.Dims()
	starts := make([]int, d+1)
	p.Source.Each(0, n, func(_ int, cols []int32, vals []float64) {
		eachEntry(cols, vals, func(j int) { starts[j+1]++ })
	})
	for j := range d {
		starts[j+1] += starts[j]
	}
	rows, next := make([]int32, starts[d]), append([]int(nil), starts...)
	p.Source.Each(0, n, func(i int, cols []int32, vals []float64) {
		eachEntry(cols, vals, func(j int) {
			rows[next[j]] = int32(i)
			next[j]++
		})
	})
	of, last, held := make([]int32, d), int32(0), make([]int32, n) // the last variable that a row has, from 1
	for j := range d {
		own := rows[starts[j]:starts[j+1]]
		for _, i := range own {
			if held[i] == last+1 {
				last++
				break
			}
		}
		for _, i := range own {
			held[i] = last + 1
		}
		of[j] = last
	}
	if last == 0 {
		return nil, ctx.Err()
	}
	return of, ctx.Err()
}

// eachEntry visits the columns of a row that are not 0.
func eachEntry(cols []int32, vals []float64, visit func(j int)) {
	for q, v := range vals {
		if v == 0 {
			continue
		}
		if cols != nil {
			q = int(cols[q])
		}
		visit(q)
	}
}
