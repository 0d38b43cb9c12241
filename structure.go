package coles

import (
	"context"
	"fmt"
	"slices"

	"coles/internal/kernel"
	"coles/internal/names"
	"coles/internal/parallel"
	"coles/internal/setting"
	"coles/internal/structure"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// A Structure makes features X = LVS^-½ (n × r) of a graph alone: with C = D⁻¹A and q_j ∝ (Σᵢ C_ij)^¾, Σq = 1,
//
//	L_ij = max(0, log(C_ij/q_j)) on the edges, else 0,  L ≈ USVᵀ,
//
// the optimum of a contrast with negatives drawn by degree^¾ (Levy and Goldberg 2014), by subspace iteration on Lᵀ(I+W⁺)L
// (Halko, Martinsson and Tropp 2011). A node's edges to known nodes give its row, also if it comes later.
type Structure struct {
	ids    []string // of the nodes it was learnt from, nil where these are only numbered
	learnt structure.Structure
}

// FitStructure learns r columns, 1 to n, by 8 products of A with them in float32, in 12·r bytes a node and 12 an entry of A.
// Columns beyond the rank of L are 0. The order of nodes matters only to nodes alike for six steps.
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
	learnt, err := structure.Learn(ctx, g.adj, g.degree, r, seed, room)
	if err != nil {
		return nil, err
	}
	return &Structure{g.ids, *learnt}, nil
}

// Encode returns the features of all nodes of a graph. It finds known nodes by name or, without names, by number. A node
// without an edge to a known one gets zeros. Errors: [ErrUnplaced] if all nodes are so, and some are new.
func (s *Structure) Encode(ctx context.Context, g *Graph) (*Dense32, error) {
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	return s.encode(ctx, g, true)
}

// encode is Encode. Unless strict, it takes a graph of which no node gets a feature.
func (s *Structure) encode(ctx context.Context, g *Graph, strict bool) (*Dense32, error) {
	place := s.places(g)
	x, some, err := s.learnt.Rows(ctx, g.adj, place)
	if first := slices.Index(place, -1); err == nil && strict && first >= 0 && !some {
		err = fmt.Errorf("coles: structure: %w: %s, nor has any other; fit the graph anew", ErrUnplaced, nodeName(g.ids, first))
	}
	return denseOf(x), err
}

// structureRow is Row of package inside.
func structureRow(ctx context.Context, s *Structure, places []int32, weights []float64) (*Dense32, error) {
	x, err := s.learnt.Row(ctx, places, weights)
	if err != nil {
		err = fmt.Errorf("coles: structure: %w", err)
	}
	return denseOf(x), err
}

func denseOf(x kernel.Matrix[float32]) *Dense32 {
	return &Dense32{Rows: x.Rows, Cols: x.Cols, Stride: x.Stride, Data: x.Data}
}

// places is Places of package inside.
func (s *Structure) places(g *Graph) []int32 {
	n, place := len(s.learnt.Logs), make([]int32, g.Nodes())
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
func (s *Structure) known() []string { return idsOf(s.ids, len(s.learnt.Logs)) }

// seated is Seated of package inside.
func (s *Structure) seated(places []int32, ids []string) *Preparer {
	if to := s.learnt.Seated(places); to != &s.learnt {
		s = &Structure{ids, *to}
	}
	return s.preparer()
}

// joined is the share of nodes with a neighbour, at least 1/n.
func (g *Graph) joined() float64 {
	return float64(max(1, g.report.Nodes-g.report.Isolated)) / float64(g.report.Nodes)
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
