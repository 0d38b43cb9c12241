package custom

import (
	"context"
	"math"
	"math/rand/v2"

	"coles"
	"coles/gnn/autodiff"

	"github.com/james-bowman/sparse"
)

// A LayerSpec describes a layer to its network, apart from the computation.
type LayerSpec struct {
	// Width is the number of columns that come out: any, gnn.AutoWidth, or gnn.SameWidth.
	Width int
	// Hops is how many edges away the layer looks: what training in blocks has to gather. In
	// evaluation a row that comes out depends on no rows but those.
	Hops int
	// Parameters lists the trained parameters, for the numbers of columns in and out; nil for none.
	Parameters func(in, width int) []Parameter
}

// Forward computes the output of a layer: a row for every row of H, with the columns of its
// [LayerSpec]; anything else panics. What comes into the first layer of a network with a width may be an
// [autodiff.Tape.SparseConstant], to be multiplied only.
type Forward[T autodiff.Float] = func(p *Pass[T], h *autodiff.Value[T]) *autodiff.Value[T]

// A Pass serves a layer while it computes: with the operations of the tape, its parameters and the
// graph.
type Pass[T autodiff.Float] struct {
	*autodiff.Tape[T]
	Inputs[T]
}

// Inputs are what a layer computes from besides H. Package gnn has them.
type Inputs[T autodiff.Float] interface {
	// Parameter is the parameter of the layer that has this name; nil if none has.
	Parameter(name string) *autodiff.Value[T]
	// Average moves a row of the parameter of that name, which is [Parameter].Averaged, towards given
	// numbers while training: p ← (1 − share)·p + share·numbers. In evaluation it does nothing.
	Average(name string, numbers []float64, share float64)
	// W is D̂^-½(A+I)D̂^-½, of as many rows and columns as H has rows; in a sample of as many rows as
	// come out.
	W() *autodiff.Sparse[T]
	// Operator is a sparse n × n matrix of the graph, computed by of, once for a graph, and kept
	// under its name; an error ends the training. In blocks it is the part that belongs to the rows
	// of H, in a sample what is drawn of it. An entry must not join nodes that are farther apart than
	// the hops of the layer.
	Operator(name string, of func(ctx context.Context, g *coles.Graph) (*sparse.CSR, error)) *autodiff.Sparse[T]
	// Own gives the rows of H for the nodes that come out of the layer: H itself but in a sample,
	// where these nodes are to come first.
	Own(h *autodiff.Value[T]) *autodiff.Value[T]
	// Rand is where random draws come from while training, and nil in evaluation, where a layer must
	// not depend on any.
	Rand() *rand.Rand
}

// A Parameter is a matrix that is trained.
type Parameter struct {
	Name         string  // within its layer
	Rows, Cols   int     // its shape
	Start, Bound float64 // at first entries are drawn uniformly from Start − Bound to Start + Bound
	Orthonormal  bool    // the columns, at first and after every step: see Layer.Orthonormal of package gnn
	Averaged     bool    // not trained, but a running average, which Average of a [Pass] moves
}

// Weight is a parameter within ±√(6/(rows+cols)), the rule of Glorot and Bengio (2010).
func Weight(name string, rows, cols int) Parameter {
	return Parameter{Name: name, Rows: rows, Cols: cols, Bound: math.Sqrt(6 / float64(rows+cols))}
}

// Bias is a parameter of one row that starts at zero.
func Bias(name string, cols int) Parameter { return Parameter{Name: name, Rows: 1, Cols: cols} }
