package distributed

import (
	"coles"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// An Input is a graph of nodes 0 to n−1 with features X (n × d), as collections of a pipeline.
// [ReadEdges] and [ReadFeatures] make them from files; a pipeline may also make them otherwise.
type Input struct {
	// Nodes is n, at most 2³¹−1.
	Nodes int64
	// Columns is d, at most [MostColumns].
	Columns int
	// Edges is a collection of EdgeChunk. The zero PCollection is a graph without edges.
	Edges beam.PCollection
	// Features is a collection of Rows that together hold every row of X once.
	Features beam.PCollection
}

// MostColumns is the number of features up to which M = XᵀFᵀΔWFX is formed and decomposed.
const MostColumns = 2000

// An EdgeChunk is some edges, in any order and of any parts of the graph. Edges may be given in one
// direction or both, and more than once, as to [coles.NewWeightedGraph]. Chunks of about a megabyte
// travel best.
type EdgeChunk struct {
	U, V   []int64   // edge q joins the nodes U[q] and V[q]
	Weight []float64 // its weight; nil where all are 1
}

// Rows are consecutive rows of a matrix. Features may come in any heights; an embedding has a block in
// each.
type Rows struct {
	First   int64     // number of the first row
	Columns int       // numbers of a row
	Data    []float64 // one row after the other
}

// Height is the number of rows.
func (r Rows) Height() int {
	if r.Columns == 0 {
		return 0
	}
	return len(r.Data) / r.Columns
}

// A Grid says how a graph is cut, and in which numbers its parts talk. The bytes of a result depend
// on the input, the settings, the height, the precision of messages, and the kernel: not on the
// engine, the number of workers, retries, or the order and heights of the shards.
type Grid struct {
	// Height is the number of rows of a block, the last of which may have fewer. 0 is
	// max(2²¹/d, d, √(2.5·n)): blocks of 8 MB in float32, no smaller than the parts of M that they make, and
	// tiles of 50 edges where the mean degree is 20.
	Height int64
	// Messages is the precision in which rows of blocks travel; sums are float64 in either. 0 is
	// Float32: half the bytes, an embedding that is off by some 1e-7, and degrees from 1e-60 to 1e60. A
	// fit is a [coles.ErrPrecision] where rounding may change YYᵀ by more than 5e-6.
	Messages coles.Precision
	// Kernel is the path of the inner loops, avx512, avx2 or portable, by which all workers compute, whatever
	// is best on theirs; a worker that cannot ends the job. "" is the launching program's, but avx2, which all
	// x86 of a cloud have, in the place of avx512. A [Run] by the engine in the program takes the program's.
	Kernel string
}
