package nearest

import (
	"cmp"
	"math"
	"slices"

	"coles/internal/matrix"
)

// Of u = (a, b) and v = (c, d), cut at the same place, u·v ≤ a·c + ‖b‖·‖d‖. In an embedding with columns of falling weights, a
// few columns have most of the squares of the rows, and show that most rows are not near to a query. In float32 the bound is
// off by less than the slack of a screen, twice what the d products need.

const (
	// A head has at least headShare of the squares, in a multiple of headStep columns, and half of the columns at most.
	headShare, headStep = 0.75, 8

	// At most fewQueries are compared one by one. Products of more use rows while they are in the caches.
	fewQueries = 8
)

// leading puts the columns of a matrix in the order of their squares in some rows at length 1. place is where each
// column goes. head is the number of columns in front that have most of the squares, 0 where that takes many.
func leading(x *matrix.Matrix[float64], lengths []float64) (place []int, head int) {
	n, d := x.Dims()
	squares, order := make([]float64, d), matrix.UpTo(d)
	all := 0.0
	for i := 0; i < n; i += max(1, n/1024) {
		if lengths[i] == 0 {
			continue
		}
		_, row := x.Row(i)
		for j, v := range row {
			v /= lengths[i]
			squares[j] += v * v
			all += v * v
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(squares[j], squares[i]) })
	place = make([]int, d)
	sum := 0.0
	for q, j := range order {
		place[j] = q
		if sum += squares[j]; head == 0 && (q+1)%headStep == 0 && 2*(q+1) <= d && sum >= headShare*all {
			head = q + 1
		}
	}
	return place, head
}

// behind is the length of a unit row behind the head, rounded up.
func behind(unit []float32, head int) float32 {
	sum := 0.0
	for _, v := range unit[head:] {
		sum += float64(v) * float64(v)
	}
	return math.Nextafter32(float32(math.Sqrt(sum)), 2)
}
