package coles

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Memory is an estimate of what a fit takes beside its input.
type Memory struct {
	Bytes  int64  `json:"bytes"`  // the peak
	Solver Solver `json:"solver"` // the one it is for
}

// featureShape is what the memory of a fit depends on.
type featureShape struct {
	rows, cols, nonzeros int
	sparse               bool
}

func shapeOf(f *features) featureShape {
	s := featureShape{rows: f.rows(), cols: f.cols(), sparse: f.sparse != nil}
	if s.sparse {
		s.nonzeros = f.sparse.NNZ()
	}
	return s
}

// Estimate tells the memory that [Fit] will take beside its input, from the
// sizes alone. With n nodes, 2m stored adjacency entries, d features of which z
// are stored, d′ columns, and numbers of s bytes (8, or 4 for [Float32]) it is the
// largest of the stages, in bytes:
//
//	always    (4+s)·(4m+n) for W and ΔW, 32 for each entry that sampled negatives are expected to
//	          have (2·κ·n·partners, p·n²), and for X prepared (12+s)·z (sparse) or s·n·d (dense)
//	direct    filter s·n·(d + 2w), in strips of w = 2048/s columns or d if there are fewer, and
//	          s·min(n·d, 2²⁰) + 8·d² for M; its eigenvectors 8·(d² + 4·d·d′)
//	krylov    8·(d·(q+3·d′+6·b) + 5·q²) + 5·s·n·b, and (4+s)·z for Xᵀ, with blocks of b = d′/8
//	          vectors (8 to 32) and a basis of q = 5·d′/2 + 16·b; d² + 4·d·d′ in place of the
//	          first two terms where d ≤ 400 or 3·q > 2·d; n in place of d without features
//	embed     3·s·n·d′
//
// FX replaces a dense X prepared, in the same storage, where d is more than w
// and at most 3·d′.
//
// Errors: [ErrEmpty] for a nil graph or a matrix that is a nil pointer, those of reading x
// and of the settings, [ErrShape], and [ErrDim].
func Estimate(g *Graph, x mat.Matrix, opts ...Option) (Memory, error) {
	c, err := newConfig(opts)
	if err != nil {
		return Memory{}, err
	}
	if err := g.check(); err != nil {
		return Memory{}, err
	}
	shape := featureShape{rows: g.Nodes()}
	if x != nil {
		f, err := readFeatures(context.Background(), x)
		if err != nil {
			return Memory{}, err
		}
		if shape = shapeOf(f); c.Features == PrepareStandardize { // makes every entry a number
			shape.sparse, shape.nonzeros = false, 0
		}
		if shape.rows != g.Nodes() {
			return Memory{}, fmt.Errorf("coles: estimate: %w: %d feature rows for %d nodes", ErrShape, shape.rows, g.Nodes())
		}
	}
	most, usual := shape.cols, min(defaultDim, shape.cols)
	if x == nil {
		c.Precision = Float64
		most = g.Nodes() - newComponentSpace(g).dim()
		usual = freeDim(g.Nodes(), most)
	}
	if c.Dim > most {
		return Memory{}, fmt.Errorf("coles: estimate: %w: d′ = %d of %d", ErrDim, c.Dim, most)
	}
	if c.Dim == 0 {
		c.Dim = usual
	}
	return estimate(g.adj.NNZ(), shape, c.Settings), nil
}

// drawnEntries is how many entries the sampled negatives of n nodes are expected to have.
func (s Settings) drawnEntries(n int64) int64 {
	if s.Kappa == 0 || s.Eta == 0 {
		return 0
	}
	all := n * n
	switch s.Negatives.kind {
	case uniformSampler, degreeSampler:
		return min(all, 2*int64(s.Kappa)*n*int64(s.Negatives.perNode))
	case erdosRenyiSampler:
		return int64(min(1, float64(s.Kappa)*s.Negatives.prob) * float64(all))
	}
	return 0
}

// estimate is [Estimate] from sizes: entries of A, features, and settings with d′ resolved.
func estimate(entries int, x featureShape, s Settings) Memory {
	w := workload{
		n: int64(x.rows), d: int64(x.cols), k: int64(s.Dim), z: int64(x.nonzeros),
		entries: int64(entries), drawn: s.drawnEntries(int64(x.rows)), sparse: x.sparse,
		size: 8, strip: int64(stripWidth[float64](x.cols)),
	}
	if s.Precision.resolve(x.rows, x.cols, s.Features) == Float32 {
		w.size, w.strip = 4, int64(stripWidth[float32](x.cols))
	}
	m := Memory{Solver: s.Solver.resolve(x.cols, s.Dim, x.sparse)}
	if x.cols == 0 { // eigenvectors of ΔW itself
		m.Solver = SolverKrylov
	}
	solve := w.krylov()
	if m.Solver == SolverDirect {
		solve = w.direct()
	}
	m.Bytes = w.always() + max(solve, w.embed())
	return m
}

// A workload is what the stages of a fit take memory for, by the names of [Estimate].
type workload struct {
	n, d, k, z     int64
	entries, drawn int64 // of A, 2m, and of sampled negatives
	sparse         bool
	size, strip    int64 // bytes of a number, and columns that are filtered at once
}

// always is what all stages hold.
func (w workload) always() int64 {
	bytes := (4+w.size)*(2*w.entries+w.n) + 32*w.drawn + (12+w.size)*w.z
	if !w.sparse {
		bytes += w.size * w.n * w.d
	}
	return bytes
}

func (w workload) direct() int64 {
	filter := w.size * w.n * (w.d + 2*w.strip)
	if !w.sparse && w.strip < w.d && w.d <= 3*w.k { // FX in the place of X
		filter = w.size * w.n * 2 * w.strip
	}
	return max(filter+w.size*min(w.n*w.d, gramNumbers)+8*w.d*w.d, 8*(w.d*w.d+4*w.d*w.k))
}

func (w workload) krylov() int64 {
	length := w.d
	if length == 0 {
		length = w.n
	}
	block := min(max(w.k/8, 8), 32)
	basis := 5*w.k/2 + 16*block
	search := length*(basis+3*w.k+6*block) + 5*basis*basis
	if length <= 400 || 3*basis > 2*length { // the matrix itself is formed
		search = length*length + 4*length*w.k
	}
	return 8*search + w.size*5*w.n*block + (4+w.size)*w.z
}

func (w workload) embed() int64 { return 3 * w.size * w.n * w.k }
