package coles

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/eigen"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/names"
	"coles/internal/parallel"
	"coles/internal/setting"
	"coles/internal/stream"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// A Structure makes features X = LVS^-½ (n × r) of a graph alone: with C = D⁻¹A and q_j ∝ (Σᵢ C_ij)^¾, Σq = 1,
//
//	L_ij = max(0, log(C_ij/q_j)) on the edges, else 0,  L ≈ USVᵀ,
//
// the optimum of a contrast with negatives drawn by degree^¾ (Levy and Goldberg 2014), by subspace iteration on Lᵀ(I+W⁺)L
// (Halko, Martinsson and Tropp 2011). A node's row follows from its edges to known nodes, also that of a later one.
type Structure struct {
	ids     []string               // of the nodes it was learnt from, nil where these are only numbered
	logs    []float64              // of q, 0 for isolated nodes, of which an edge tells nothing
	encoder kernel.Matrix[float32] // V·S^-½, n × r
}

// structureSteps is how often the subspace of random columns is multiplied. One step loses up to 3 points of
// accuracy on Pubmed, Cora, PPI and the flights; three gain none.
const structureSteps = 2

// FitStructure learns r columns, 1 to n, by 8 products of A with them in float32, in 12·r bytes a node and 12
// an entry of A. Columns beyond the rank of L are 0. Another order of nodes is as another seed.
func FitStructure(ctx context.Context, g *Graph, r int, seed uint64) (*Structure, error) {
	n := g.Nodes()
	if r < 1 || r > n {
		return nil, fmt.Errorf("coles: structure: %w", setting.Bad("r", r, "1 to %d, the number of nodes", n))
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	return fitStructure(ctx, g, r, seed, kernel.Unset[float32](2*n, r))
}

// fitStructure is FitStructure in room (2n × r) for what it takes besides its result.
func fitStructure(ctx context.Context, g *Graph, r int, seed uint64, room kernel.Matrix[float32]) (*Structure, error) {
	n, s := g.Nodes(), &Structure{ids: g.ids}
	l, err := s.learnRatios(ctx, g)
	if err != nil {
		return nil, err
	}
	v, half, spare := kernel.Rows(room, 0, n), kernel.Rows(room, n, 2*n), kernel.Unset[float32](n, r)
	if err := fillSigns(ctx, v, seed); err != nil {
		return nil, err
	}
	for range structureSteps {
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
	s.encoder = spare
	return s, nil
}

// logRatios are L, Lᵀ and W⁺, which share the pattern of A.
type logRatios struct{ own, flipped, walk *kernel.CSR[float32] }

// learnRatios sets the logarithms of q, and returns L of the graph.
func (s *Structure) learnRatios(ctx context.Context, g *Graph) (l logRatios, err error) {
	a, n := g.adj, g.Nodes()
	s.logs = make([]float64, n)
	err = matrix.EachRow(ctx, a, func(j int) {
		sum := 0.0
		eachNeighbour(a, j, func(_, i int, w float64) { sum += w / g.degree[i] })
		s.logs[j] = math.Pow(sum, 0.75)
	})
	if err != nil {
		return l, err
	}
	all := matrix.Total(s.logs)
	for j, q := range s.logs {
		if q > 0 {
			s.logs[j] = math.Log(q / all)
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
			own[at], flipped[at] = s.ratio(w/g.degree[i], j), s.ratio(w/g.degree[j], i)
			walk[at] = float32(matrix.Scaled(w, 1/math.Sqrt(g.degree[i]), 1/math.Sqrt(g.degree[j])))
		})
	})
}

// ratio is the entry of L for a share of a node's edges that go to node j.
func (s *Structure) ratio(share float64, j int) float32 {
	return float32(max(0, math.Log(share)-s.logs[j]))
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

// fillSigns sets every number to 1 or −1.
func fillSigns(ctx context.Context, v kernel.Matrix[float32], seed uint64) error {
	return parallel.Rows(ctx, v.Rows, func(lo, hi int) {
		rng := stream.New()
		for i := lo; i < hi; i++ {
			rng.Reseed(seed, uint64(i))
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

// Encode returns the features of all nodes of a graph, known ones by their names or, without, by their
// numbers; zeros for a node without an edge to a known one. Errors: [ErrUnplaced] for these alone, some of them new.
func (s *Structure) Encode(ctx context.Context, g *Graph) (*Dense32, error) {
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	return s.encode(ctx, g, true)
}

// encode is Encode, where a graph of zeros is an error only if it is to be one.
func (s *Structure) encode(ctx context.Context, g *Graph, strict bool) (*Dense32, error) {
	place := s.places(g)
	l := &kernel.CSR[float32]{Rows: g.Nodes(), Cols: s.encoder.Rows, Ptr: make([]int64, g.Nodes()+1)}
	for i := range l.Rows {
		l.Ptr[i+1] = l.Ptr[i]
		eachNeighbour(g.adj, i, func(_, j int, _ float64) {
			if s.tells(place[j]) {
				l.Ptr[i+1]++
			}
		})
	}
	if first := slices.Index(place, -1); strict && first >= 0 && l.Ptr[l.Rows] == 0 {
		return nil, fmt.Errorf("coles: structure: %w: %s, nor has any other; fit the graph anew", ErrUnplaced, nodeName(g.ids, first))
	}
	l.Col, l.Val = make([]int32, l.Ptr[l.Rows]), make([]float32, l.Ptr[l.Rows])
	err := matrix.EachRow(ctx, l, func(i int) {
		cols, vals := l.Row(i)
		weights := make([]float64, 0, len(cols))
		eachNeighbour(g.adj, i, func(_, j int, w float64) {
			if s.tells(place[j]) {
				cols[len(weights)] = place[j]
				weights = append(weights, w)
			}
		})
		s.ratios(vals, cols, weights)
	})
	if err != nil {
		return nil, err
	}
	return s.times(ctx, l)
}

// structureRow is Row of package inside.
func structureRow(ctx context.Context, s *Structure, places []int32, weights []float64) (*Dense32, error) {
	l := &kernel.CSR[float32]{Rows: 1, Cols: s.encoder.Rows}
	kept := make([]float64, 0, len(places))
	for q, j := range places {
		w := 1.0
		if weights != nil {
			w = weights[q]
		}
		if err := matrix.CheckPair(l.Cols, q, Edge{int(j), int(j)}, w); err != nil {
			return nil, fmt.Errorf("coles: structure: %w", err)
		}
		if s.tells(j) && w > 0 {
			l.Col, kept = append(l.Col, j), append(kept, w)
		}
	}
	l.Ptr, l.Val = []int64{0, int64(len(kept))}, make([]float32, len(kept))
	s.ratios(l.Val, l.Col, kept)
	return s.times(ctx, l)
}

// tells reports whether an edge to the node in a place says where another belongs.
func (s *Structure) tells(place int32) bool { return place >= 0 && s.logs[place] < 0 }

// ratios sets a row of L by the weights of a node's edges to these nodes.
func (s *Structure) ratios(vals []float32, nodes []int32, weights []float64) {
	degree := matrix.Total(weights)
	for q, j := range nodes {
		vals[q] = s.ratio(weights[q]/degree, int(j))
	}
}

func (s *Structure) times(ctx context.Context, l *kernel.CSR[float32]) (*Dense32, error) {
	x, err := matrix.DenseIn[float32](ctx, l.Rows, s.encoder.Cols)
	if err != nil {
		return nil, err
	}
	return &Dense32{Rows: x.Rows, Cols: x.Cols, Stride: x.Stride, Data: x.Data}, kernel.SpMM(ctx, x, l, s.encoder)
}

// places is Places of package inside.
func (s *Structure) places(g *Graph) []int32 {
	n, place := len(s.logs), make([]int32, g.Nodes())
	if s.ids == nil && g.ids == nil {
		for i := range place {
			if place[i] = -1; i < n {
				place[i] = int32(i)
			}
		}
		return place
	}
	known := idsOf(s.ids, n)
	index := names.Of(known)
	for i, id := range g.IDs() {
		place[i] = int32(index.Find(index.Hash(id), known, id))
	}
	return place
}

// known is Known of package inside.
func (s *Structure) known() []string { return idsOf(s.ids, len(s.logs)) }

// seated is Seated of package inside.
func (s *Structure) seated(places []int32, ids []string) *Preparer {
	to := &Structure{ids: ids, logs: make([]float64, len(places)), encoder: kernel.Dense[float32](len(places), s.encoder.Cols)}
	same := len(places) >= len(s.logs)
	for i, p := range places {
		if same = same && (int(p) == i || p < 0 && i >= len(s.logs)); p >= 0 {
			to.logs[i] = s.logs[p]
			copy(to.encoder.Row(i), s.encoder.Row(int(p)))
		}
	}
	if same {
		return s.preparer()
	}
	return to.preparer()
}

// A Dense32 is a dense matrix of float32, row after row: features at half the memory of a *mat.Dense. It is a [mat.Matrix] with the fields of gonum's BLAS:
//
//	x := &coles.Dense32{Rows: n, Cols: d, Stride: d, Data: data}
type Dense32 blas32.General

func (m *Dense32) Dims() (r, c int) { return m.Rows, m.Cols }

func (m *Dense32) At(i, j int) float64 {
	if uint(i) >= uint(m.Rows) {
		panic(mat.ErrRowAccess)
	}
	if uint(j) >= uint(m.Cols) {
		panic(mat.ErrColAccess)
	}
	return float64(m.Data[i*m.Stride+j])
}

func (m *Dense32) T() mat.Matrix { return mat.Transpose{Matrix: m} }

// RawMatrix returns the matrix as gonum's BLAS takes it: a view, not a copy.
func (m *Dense32) RawMatrix() blas32.General { return blas32.General(*m) }
