package autodiff

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"coles/internal/testkit"
)

// Entries side by side, two of which share a draw, entries above each other, whose streams are
// neighbours, and heads: all are dropped independently, and what is kept is divided by 1 − rate.
func TestDropsAreIndependent(t *testing.T) {
	const rate = 0.3
	ones := func(int, int) float64 { return 1 }
	eye := func(n int) matrix64 { return matrix64(testkit.Eye(n).RawMatrix()) }
	full := NewSparse(&CSR[float64]{Rows: 2, Cols: 3, Ptr: []int64{0, 3, 6}, Col: []int32{0, 1, 2, 0, 1, 2}, Val: []float64{1, 1, 1, 1, 1, 1}}, false)
	alone := NewSparse(&CSR[float64]{Rows: 2, Cols: 2, Ptr: []int64{0, 1, 2}, Col: []int32{0, 1}, Val: []float64{1, 1}}, true)
	for name, drop := range map[string]func(t *Tape[float64], rnd *rand.Rand) *Value[float64]{
		"entries": func(t *Tape[float64], rnd *rand.Rand) *Value[float64] {
			return t.Dropout(t.Constant(build(2, 3, ones)), rate, rnd)
		},
		"stored entries": func(t *Tape[float64], rnd *rand.Rand) *Value[float64] {
			return t.MatMul(t.Dropout(t.SparseConstant(full), rate, rnd), t.Constant(eye(3)))
		},
		"attention": func(t *Tape[float64], rnd *rand.Rand) *Value[float64] {
			return t.Attention(full, t.Constant(eye(3)), t.Constant(build(2, 1, ones)), t.Constant(build(3, 1, ones)), 0.2, rate, rnd)
		},
		"heads": func(t *Tape[float64], rnd *rand.Rand) *Value[float64] {
			x := t.Constant(build(2, 3, ones))
			return t.Attention(alone, x, x, x, 0.2, rate, rnd)
		},
	} {
		counts := map[string]int{}
		tape := New[float64](context.Background())
		whole := entries(drop(tape, nil).Data())
		for seed := range uint64(testkit.Draws(6000)) {
			tape.Reset(context.Background())
			kept := make([]bool, 6)
			for k, v := range entries(drop(tape, rand.New(rand.NewPCG(seed, 0))).Data()) {
				if kept[k] = v != 0; kept[k] && math.Abs(v-whole[k]/(1-rate)) > 1e-15 {
					t.Fatalf("%s: entry %d is %g, in evaluation %g", name, k, v, whole[k])
				}
			}
			counts[fmt.Sprint(kept)]++
		}
		testkit.WantLaw(t, name, counts, testkit.Subsets(6, 1-rate))
	}
}

// The draws of a row are for its stored entries, as in a dense matrix of that number of columns.
func TestDropoutOfASparseConstant(t *testing.T) {
	const n, d, apart, rate = 70, 31, 3, 0.3
	s := &CSR[float64]{Rows: n, Cols: apart * d, Ptr: make([]int64, 1, n+1)}
	x := build(n, d, func(i, j int) float64 { return float64(1 + i + j) })
	for i := range n {
		for j, v := range x.Row(i) {
			s.Col, s.Val = append(s.Col, int32(apart*j)), append(s.Val, v)
		}
		s.Ptr = append(s.Ptr, int64(len(s.Col)))
	}
	tape := New[float64](context.Background())
	generator := func() *rand.Rand { return rand.New(rand.NewPCG(3, 4)) }
	sparse := tape.SparseConstant(NewSparse(s, false))
	pick := tape.Constant(build(apart*d, d, func(i, j int) float64 {
		if i == apart*j {
			return 1
		}
		return 0
	}))
	want := tape.Dropout(tape.Constant(x), rate, generator()).Data()
	for k, v := range want.Data {
		if v != 0 && v != x.Data[k]*(1/(1-rate)) {
			t.Fatalf("entry %d is %g, before it was %g", k, v, x.Data[k])
		}
	}
	if got := tape.MatMul(tape.Dropout(sparse, rate, generator()), pick).Data(); !sameBits(got.Data, want.Data) {
		t.Error("other entries are dropped than those of a dense matrix")
	}
	if !sameBits(s.Val, x.Data) {
		t.Error("the matrix itself has changed")
	}
	if dense := tape.Constant(x); tape.Dropout(sparse, rate, nil) != sparse || tape.Dropout(dense, 0, generator()) != dense {
		t.Error("something is dropped in evaluation, or at a rate of zero")
	}
}
