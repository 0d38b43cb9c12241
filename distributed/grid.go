package distributed

import (
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/kernel"
)

// MostColumns is the number of features up to which M = XᵀFᵀΔWFX is formed and decomposed.
const MostColumns = 2000

// A Grid is the cut of a graph into blocks, and the precision of their messages. The bytes of a result depend on the input,
// the settings, the height, the precision of messages, and the kernel. They do not depend on the engine, the number of
// workers, retries, or the order and heights of the shards.
type Grid struct {
	// Height is the number of rows of a block, the last of which may have fewer. 0 is
	// max(2²¹/d, d, √(2.5·n)): blocks of 8 MB in float32, no smaller than the parts of M that they make, and
	// tiles of 50 edges where the mean degree is 20.
	Height int64
	// Messages is the precision in which rows of blocks travel; sums are float64 in either. 0 is Float32: half the bytes, an
	// embedding that is off by some 1e-7, and degrees from 1e-60 to 1e60. A fit is a [coles.ErrPrecision] where rounding may
	// change YYᵀ by more than 5e-6.
	Messages coles.Precision
	// Kernel is the path of the inner loops, avx512, avx2 or portable. All workers compute by it, whatever is best on theirs;
	// a worker that cannot ends the job. "" is the launching program's, but instead of avx512 it is avx2, which all x86 of a
	// cloud have. A [Run] by the engine in the program takes the program's.
	Kernel string
}

func checkSizes(nodes int64, columns int) error {
	switch {
	case nodes < 1 || columns < 1:
		return fmt.Errorf("distributed: %w: features of %d × %d", coles.ErrShape, nodes, columns)
	case nodes > math.MaxInt32:
		return fmt.Errorf("distributed: %w: %d nodes, at most %d", coles.ErrTooLarge, nodes, math.MaxInt32)
	case columns > MostColumns:
		return fmt.Errorf("distributed: %w: %d features, at most %d", coles.ErrTooLarge, columns, MostColumns)
	}
	return nil
}

func (g Grid) check() error {
	switch {
	case g.Height < 0 || g.Height > math.MaxInt32:
		return fmt.Errorf("distributed: %w: blocks of %d rows", coles.ErrSetting, g.Height)
	case g.Messages < 0 || g.Messages > coles.Float32:
		return fmt.Errorf("distributed: %w: messages in %v", coles.ErrSetting, g.Messages)
	case !slices.Contains([]string{"", "avx512", "avx2", "portable"}, g.Kernel):
		return fmt.Errorf("distributed: %w: kernel %q; there are avx512, avx2 and portable", coles.ErrSetting, g.Kernel)
	}
	return nil
}

// A tile should have this many edges, to share the costs of an element, in a graph of a likely mean degree. The height does
// not depend on the edges: else the bytes of the result would show how they lie in files.
const tileEdges, likelyDegree = 50, 20

// resolved is the grid with its defaults filled in.
func (g Grid) resolved(nodes int64, columns int) Grid {
	if g.Height == 0 {
		g.Height = max(1<<21/int64(columns), int64(columns), int64(math.Sqrt(tileEdges*float64(nodes)/likelyDegree)))
	}
	g.Height = min(g.Height, nodes)
	if g.Messages == 0 {
		g.Messages = coles.Float32
	}
	if g.Kernel == "" {
		g.Kernel = kernel.Path()
		if g.Kernel == "avx512" {
			g.Kernel = "avx2"
		}
	}
	return g
}

// blocks is the number of blocks of the rows.
func (g Grid) blocks(nodes int64) int64 { return (nodes + g.Height - 1) / g.Height }
