package dataset

import "github.com/james-bowman/sparse"

// compressed sorts entries into rows, keeping their order within a row. Without values
// each is 1.
func compressed(rows, cols int, is, js []int32, values []float64) *sparse.CSR {
	indptr := make([]int, rows+1)
	for _, i := range is {
		indptr[i+1]++
	}
	for i := range rows {
		indptr[i+1] += indptr[i]
	}
	ind, data := make([]int, len(is)), make([]float64, len(is))
	next := append([]int(nil), indptr[:rows]...)
	for e, i := range is {
		p := next[i]
		next[i]++
		ind[p] = int(js[e])
		if values != nil {
			data[p] = values[e]
		}
	}
	if values == nil {
		for p := range data {
			data[p] = 1
		}
	}
	return sparse.NewCSR(rows, cols, indptr, ind, data)
}
