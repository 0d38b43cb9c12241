package kernel

import (
	"context"
	"math/rand/v2"
	"testing"
)

func TestSliceHasTheRowsOfTheMatrix(t *testing.T) {
	rnd := rand.New(rand.NewPCG(31, 0))
	a := &CSR[float64]{Rows: 50, Cols: 40, Ptr: make([]int64, 51)}
	for i := range a.Rows {
		for j := range a.Cols {
			if rnd.IntN(5) == 0 {
				a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, rnd.NormFloat64())
			}
		}
		a.Ptr[i+1] = int64(len(a.Col))
	}
	x, whole := poisoned[float64](rnd, 40, 9, 2), Dense[float64](50, 9)
	if err := SpMM(context.Background(), whole, a, x); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]int{{0, 50}, {0, 7}, {13, 37}, {49, 50}, {20, 20}} {
		part := Dense[float64](c[1]-c[0], 9)
		if err := SpMM(context.Background(), part, a.Slice(c[0], c[1]), x); err != nil {
			t.Fatal(err)
		}
		for i := range part.Rows {
			for j, v := range row(part, i) {
				if want := whole.Data[(c[0]+i)*9+j]; v != want {
					t.Fatalf("rows %v: entry (%d, %d) is %v, want %v", c, i, j, v, want)
				}
			}
		}
	}
}
