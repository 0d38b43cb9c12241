// Package inside is what the root package shows the other packages of this module alone.
package inside

import (
	"context"
	"iter"

	"coles"
	"coles/internal/door"
	"coles/internal/kernel"
	"coles/internal/linear"

	"gonum.org/v1/gonum/mat"
)

// Entries is the matrix itself.
func Entries(w *coles.SymCSR) *kernel.CSR[float64] { return door.Entries(w) }

var (
	// Adjacency is A itself. The values of a graph without weights are made at the first call.
	Adjacency = door.Adjacency.(func(g *coles.Graph) *kernel.CSR[float64])

	// FromEdges builds a graph of n nodes from the entries of an adjacency matrix: {U, V} with its weight is a_uv, as
	// [coles.Graph.Edges] yields. It is undirected as by [coles.WithMirrors]. The entries come in parts, which
	// several goroutines read. Each part is run three times, and must yield the same each time. It takes O(n + m
	// log(max degree)) time for m entries. Besides the input it takes 12 bytes an entry and 36 bytes a node, of which
	// the graph keeps 8 and 16; and 16 bytes an entry more unless all weights are 1. Errors: as [coles.NewGraph].
	FromEdges = door.FromEdges.(func(n int, parts []iter.Seq2[coles.Edge, float64], opts ...coles.GraphOption) (*coles.Graph, error))

	// FromRows builds a graph from its adjacency matrix in compressed rows. Nodes col[ptr[i]:ptr[i+1]], ascending,
	// are the neighbours of node i. weights are the weights of these edges, nil where all are 1. The graph keeps the
	// slices, which must stay as they are and may be read-only, such as a mapped file. They are copied only to drop a
	// self loop or an edge of weight zero. Else it takes 8 bytes a node, and two passes over the rows. Errors: as
	// [coles.NewGraph], [coles.ErrIndex] also for columns that do not ascend, and [coles.ErrAsymmetric], which is
	// overlooked once in 2⁶⁴ such matrices.
	FromRows = door.FromRows.(func(ptr []int64, col []int32, weights []float64, opts ...coles.GraphOption) (*coles.Graph, error))

	// Places are the numbers that the nodes of a graph have among those that a structure knows, −1 for new nodes.
	Places = door.Places.(func(s *coles.Structure, g *coles.Graph) []int32)

	// Known are the names, or numbers, of the nodes that a structure knows, in the order of their places.
	Known = door.Known.(func(s *coles.Structure) []string)

	// Row is [coles.Structure.Encode] for one newcomer, by the Places of its neighbours and the weights of edges, or nil.
	// Without a neighbour that the structure knows it has zeros. Errors: [coles.ErrIndex].
	Row = door.Row.(func(ctx context.Context, s *coles.Structure, places []int32, weights []float64) (*coles.Dense32, error))

	// Seated prepares by a structure whose nodes are the nodes of a graph with these ids, or nil. The nodes are in
	// the order of the graph, by their places in s. The place −1 is none: the new structure knows nothing of such a
	// node.
	Seated = door.Seated.(func(s *coles.Structure, places []int32, ids []string) *coles.Preparer)

	// View is [coles.Preparer.Apply] without a copy: rows are prepared whenever they are read. Functions that take features
	// read it as fast as a matrix. X must stay as it is. The reader finds a prepared number that overflows.
	View = door.View.(func(ctx context.Context, p *coles.Preparer, x mat.Matrix) (mat.Matrix, error))

	// Columns is how many columns features have once they are prepared.
	Columns = door.Columns.(func(p *coles.Preparer) int)

	// Weighed is a graph with the weights that a part of a model takes.
	Weighed = door.Weighed.(func(ctx context.Context, p *coles.Part, g *coles.Graph) (*coles.Graph, error))

	// Linear has the numbers of F, ΔW and the columns, where Kind is resolved.
	Linear = door.Linear.(func(s coles.Settings) linear.Terms)

	// CheckUsed refuses a setting that a fit has no use for, unless it is 0 or as usual for a purpose, an [coles.ErrSetting].
	CheckUsed = door.CheckUsed.(func(s coles.Settings, nodes, features int) error)

	// Open reports whether s leaves the choice to the communities.
	Open = door.Open.(func(a coles.Alignment) bool)

	// Keep leaves the first columns of a part. It returns the number of columns that go.
	Keep = door.Keep.(func(p *coles.Part, columns int) (dropped int))

	// Assembled builds a model of parts that were computed otherwise than by [coles.Fit], and checks them like the parts of a
	// file ([coles.ErrFormat]). The first part has the settings, but for Dim, and r reports on graph, features, solver and
	// choice. ids and y (the embedding) may be nil.
	Assembled = door.Assembled.(func(r coles.Report, ids []string, parts []coles.Part, dim int, y *mat.Dense) (*coles.Model, error))
)
