// Package structure makes features of a graph alone. coles.Structure defines them.
package structure

import (
	"context"
	"math"

	"coles/internal/alignment"
	"coles/internal/eigen"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/stream"
)

// A Structure is what is learnt of the nodes of a graph.
type Structure struct {
	Logs    []float64              // of q, 0 for isolated nodes, of which an edge tells nothing
	Encoder kernel.Matrix[float32] // V·S^-½, n × r
}

// steps is how often the subspace of random columns is multiplied. One step loses up to 3 points of
// accuracy on Pubmed, Cora, PPI and the flights; three gain none.
const steps = 2

// named is how many steps around a node name it, for its random signs. Three tell 1,500 nodes of degree 8 apart; five tell as
// many of Cora apart as any number does.
const named = 6

// Learn learns r columns of a graph with these degrees, in room (2n × r) besides its result.
func Learn(ctx context.Context, a *kernel.CSR[float64], degrees []float64, r int, seed uint64, room kernel.Matrix[float32]) (*Structure, error) {
	n, s := a.Rows, &Structure{}
	l, err := s.learnRatios(ctx, a, degrees)
	if err != nil {
		return nil, err
	}
	v, half, spare := kernel.Rows(room, 0, n), kernel.Rows(room, n, 2*n), kernel.Unset[float32](n, r)
	names, err := alignment.Names(ctx, a, make([]uint64, n), named)
	if err != nil {
		return nil, err
	}
	if err := fillSigns(ctx, v, seed, names); err != nil {
		return nil, err
	}
	for range steps {
		if err := l.step(ctx, v, half, spare); err != nil {
			return nil, err
		}
		if err := rotate(ctx, v, spare, spare, -0.5); err != nil {
			return nil, err
		}
	}
	if err := kernel.SpMM(ctx, half, l.own, v); err != nil {
		return nil, err
	}
	if err := rotate(ctx, spare, v, half, -0.25); err != nil {
		return nil, err
	}
	s.Encoder = spare
	return s, nil
}

// logRatios are L, Lᵀ and W⁺, which share the pattern of A.
type logRatios struct{ own, flipped, walk *kernel.CSR[float32] }

// learnRatios sets the logarithms of q, and returns L of the graph.
func (s *Structure) learnRatios(ctx context.Context, a *kernel.CSR[float64], degrees []float64) (l logRatios, err error) {
	n := a.Rows
	s.Logs = make([]float64, n)
	err = matrix.EachRow(ctx, a, func(j int) {
		sum := 0.0
		eachNeighbour(a, j, func(_, i int, w float64) { sum += w / degrees[i] })
		s.Logs[j] = math.Pow(sum, 0.75)
	})
	if err != nil {
		return l, err
	}
	all := matrix.Total(s.Logs)
	for j, q := range s.Logs {
		if q > 0 {
			s.Logs[j] = math.Log(q / all)
		}
	}
	like := func() *kernel.CSR[float32] {
		return &kernel.CSR[float32]{Rows: n, Cols: n, Ptr: a.Ptr, Col: a.Col, Val: make([]float32, len(a.Col))}
	}
	l = logRatios{like(), like(), like()}
	return l, matrix.EachRow(ctx, a, func(i int) {
		_, own := l.own.Row(i)
		_, flipped := l.flipped.Row(i)
		_, walk := l.walk.Row(i)
		eachNeighbour(a, i, func(at, j int, w float64) {
			own[at], flipped[at] = s.ratio(w/degrees[i], j), s.ratio(w/degrees[j], i)
			walk[at] = float32(matrix.Scaled(w, 1/math.Sqrt(degrees[i]), 1/math.Sqrt(degrees[j])))
		})
	})
}

// ratio is the entry of L for a share of a node's edges that go to node j.
func (s *Structure) ratio(share float64, j int) float32 {
	return float32(max(0, math.Log(share)-s.Logs[j]))
}

// eachNeighbour visits the edges of a node to others: their places in its row, ends and weights.
func eachNeighbour(a *kernel.CSR[float64], i int, visit func(at, j int, w float64)) {
	cols, weights := a.Row(i)
	for at, j := range cols {
		w := 1.0
		if weights != nil {
			w = weights[at]
		}
		if int(j) != i {
			visit(at, int(j), w)
		}
	}
}

// step sets out = Lᵀ(I+W⁺)Lv and overwrites v. The hop lets a small component, whose own singular values
// are small, keep its share of the columns: there W⁺ has the eigenvalue 1.
func (l logRatios) step(ctx context.Context, v, half, out kernel.Matrix[float32]) error {
	if err := kernel.SpMM(ctx, half, l.own, v); err != nil {
		return err
	}
	if err := kernel.SpMMAdd(ctx, v, l.walk, half, 1, half); err != nil {
		return err
	}
	return kernel.SpMM(ctx, out, l.flipped, v)
}

// rotate sets out = x·Z·diag(λ^power), with BᵀB = ZΛZᵀ. What of λ is rounding in float32 becomes 0.
func rotate(ctx context.Context, out, x, b kernel.Matrix[float32], power float64) error {
	const rounding = 1e-10 // of λ₁: the square of 1e-5, which is far above that of the sums in b
	gram := kernel.Dense[float64](b.Cols, b.Cols)
	if err := kernel.Gram(ctx, 1, b, b, gram); err != nil {
		return err
	}
	r, err := eigen.Direct(ctx, gram, b.Cols)
	if err != nil {
		return err
	}
	turn := kernel.Dense[float32](b.Cols, b.Cols)
	for k, value := range r.Values {
		if value > rounding*r.Values[0] {
			scale := math.Pow(value, power)
			for j, z := range r.Vectors.Row(k) {
				turn.Data[j*turn.Stride+k] = float32(scale * z)
			}
		}
	}
	return kernel.Gemm(ctx, false, false, 1, x, turn, 0, out)
}

// fillSigns sets every number to 1 or −1, by the names of rows.
func fillSigns(ctx context.Context, v kernel.Matrix[float32], seed uint64, names []uint64) error {
	return parallel.Rows(ctx, v.Rows, func(lo, hi int) {
		rng := stream.New()
		for i := lo; i < hi; i++ {
			rng.Reseed(seed, names[i])
			bits := uint64(0)
			for k := range v.Row(i) {
				if k%64 == 0 {
					bits = rng.Uint64()
				}
				v.Data[i*v.Stride+k] = 1 - 2*float32(bits>>(k%64)&1)
			}
		}
	})
}
