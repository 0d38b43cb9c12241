package coles

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"syscall"

	"coles/internal/alignment"
	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/prepare"
	"coles/internal/scratch"
	"coles/internal/setting"

	"gonum.org/v1/gonum/mat"
)

// A shape holds the sizes that the memory of a fit depends on.
type shape struct {
	rows, cols, nonzeros int
	sparse               bool
	made                 bool // by a [Structure]
}

func shapeOf[T kernel.Float](x *matrix.Matrix[T], made *Structure) shape {
	n, d := x.Dims()
	return shape{rows: n, cols: d, nonzeros: x.NNZ(), sparse: x.Sparse != nil, made: made != nil}
}

// Estimate returns the bytes of memory that [Fit] with these settings takes besides its input, by the formulas of
// lab/docs/speed.md. It reads no entries of x. The peak is within a factor of two of it, 1.5 without features, 1.2 with arcs;
// twice that where an automatic precision ends in [Float64].
func (s Settings) Estimate(g *Graph, x mat.Matrix) (bytes int64, err error) {
	if err := s.Check(); err != nil {
		return 0, err
	}
	size := shape{rows: g.Nodes()}
	if x == nil {
		size.made, size.cols = true, s.madeColumns(g.Nodes())
	} else {
		size.rows, size.cols = x.Dims()
		if stored, ok := x.(interface{ NNZ() int }); ok && s.Preparation != PrepareStandardize && s.Preparation != PrepareVectors { // which makes every entry a number
			size.sparse, size.nonzeros = true, stored.NNZ()
			size.cols = prepare.MostUsed(size.cols, size.nonzeros)
		}
	}
	if size.rows != g.Nodes() {
		return 0, fmt.Errorf("coles: estimate: %w: %d feature rows for %d nodes", ErrShape, size.rows, g.Nodes())
	}
	var all, role int
	s.Dim, all, role = s.dims(size.cols, size.made, g.roles != nil)
	bytes, _ = s.memory(g, size, all, role, nil)
	return bytes, nil
}

// collect runs the garbage collector so many times after a stage of a large fit. Its panels are few and large: left to
// themselves they would make the peak half as large again.
func (r *Report) collect(times int) {
	for range times {
		if r.Memory.Bytes > 64<<20 {
			runtime.GC()
		}
	}
}

// memoryOf is the memory of a fit while it makes one more part: neighbour columns or columns of roles.
func (s Settings) memoryOf(more addition, g *Graph, x shape, space *scratch.Space) int64 {
	n, rows := int64(x.rows), more.graph.Nodes()
	made := more.madeColumns(rows)
	bytes, _ := more.memory(more.graph, shape{rows: rows, cols: made, made: true}, 0, 0, space)
	if space == nil {
		bytes += 8 * n * int64(s.Dim)
	}
	if x.made {
		bytes += 4 * n * int64(x.cols)
	}
	return bytes
}

// drawnEntries is how many entries the sampled negatives of n nodes are expected to have.
func (s Settings) drawnEntries(n int64) int64 {
	if s.Kappa == 0 || s.Eta == 0 {
		return 0
	}
	all := n * n
	switch s.Negatives.kind {
	case uniformNegatives, degreeNegatives:
		return min(all, 2*int64(s.Kappa)*n*int64(s.Negatives.perNode))
	case erdosRenyi:
		return int64(min(1, float64(s.Kappa)*s.Negatives.prob) * float64(all))
	}
	return 0
}

// memory is [Settings.Estimate] for a resolved d′: so many columns of all parts but roles, and of each role. It also returns
// the solver that the fit takes. The space is nil for a fit in memory.
func (s Settings) memory(g *Graph, x shape, all, role int, space *scratch.Space) (bytes int64, solver Solver) {
	w := workload{
		n: int64(x.rows), d: int64(x.cols), k: int64(s.Dim), z: int64(x.nonzeros),
		entries: int64(g.adj.NNZ()), drawn: s.drawnEntries(int64(x.rows)), sparse: x.sparse, made: x.made,
		size: 8, strip: int64(matrix.StripWidth[float64](space, x.rows, x.cols)),
	}
	if s.Precision.resolve(x.rows, x.cols, s.Preparation == PrepareNone) == Float32 {
		w.size, w.strip = 4, int64(matrix.StripWidth[float32](space, x.rows, x.cols))
	}
	solver = s.Solver.resolve(x.cols, s.Dim, x.sparse)
	pattern := solver == SolverDirect && s.contrasting().patterned(g)
	w.stored = w.entries
	if s.Kind == UseFeatures || pattern {
		w.entries, w.drawn = 0, 0
	}
	if space != nil {
		bytes = w.beside(s.Kind)
	} else {
		solve := w.krylov()
		if solver == SolverDirect {
			solve = w.direct()
		}
		bytes = w.always() + max(solve, w.embed())
		if s.Kind == 0 && !x.made { // its memory is reused later, or not yet collected
			bytes += w.choice(g.report.Weighted)
		}
	}
	if s.Dim == x.cols { // of settings that are resolved
		all = max(all, linear.DefaultDim)
	}
	if x.made { // the filter takes it again as far as it can
		learning := 8*w.n*w.d + 12*w.stored + 8*w.d*w.d*(6+min(32, w.n/256))
		if w.size == 4 && space == nil {
			learning -= min(8*w.n*w.d, 8*w.n*w.strip)
		}
		bytes += 4*w.n*w.d + learning
	} else if s.mayHold(g, all) && (space == nil || s.Structure > 0) {
		bytes = max(bytes, s.memoryOf(s.ofNeighbours(g, s.kept(min(s.Dim, x.cols), all, 0.5), all), g, x, space))
	}
	if role > 0 {
		bytes = max(bytes, s.memoryOf(s.ofRoles(g, role, x.made), g, x, space))
	}
	return bytes, solver
}

// A workload holds the sizes in the formula of memory, by the names of lab/docs/speed.md.
type workload struct {
	n, d, k, z     int64
	entries, drawn int64 // of W, 2m, and of sampled negatives; 0 where W is a pattern
	stored         int64 // entries of A
	sparse, made   bool
	size, strip    int64 // bytes of a number, and columns that are filtered at once
}

// always is the memory that all stages hold.
func (w workload) always() int64 {
	bytes := (4+w.size)*(2*w.entries+w.n) + 32*w.drawn + (12+w.size)*w.z
	if !w.sparse {
		bytes += w.size * w.n * w.d
	}
	return bytes
}

// choice is the memory of the leading directions and their rows, of the communities, or of hidden features and W.
func (w workload) choice(weighted bool) int64 {
	along := w.n * (8*(alignment.Width+2) + w.size*int64(alignment.Block(int(w.d))))
	if w.sparse { // Xᵀ
		along += (4 + w.size) * w.z
	}
	communities := 8*w.n*(2*int64(alignment.Walkers(w.n))+5) + 4*w.stored
	if weighted {
		communities += 8 * w.stored
	}
	hidden := w.size*w.n*3*32 + (12+w.size)*(w.stored+w.n) + 4*w.z
	return max(along, communities, hidden)
}

func (w workload) direct() int64 {
	filter := w.size * w.n * (w.d + 2*w.strip)
	if w.inPlace() { // FX overwrites X
		filter = w.size * w.n * 2 * w.strip
	}
	solve := 8 * (w.d*w.d + 4*w.d*w.k)
	if w.size == 4 { // M in float32
		solve += 4 * w.d * w.d
	}
	return max(filter+w.size*min(w.n*w.d, matrix.GramNumbers)+8*w.d*w.d, solve)
}

func (w workload) krylov() int64 {
	block := min(max((w.k+7)/8, 8), 32)
	basis := 5*w.k/2 + 8*block
	search := w.size*w.d*basis + 8*(w.d*(3*w.k+6*block)+5*basis*basis)
	if w.d <= 400 || 3*basis > 2*w.d { // the matrix itself is formed
		search = 8 * (w.d*w.d + 4*w.d*w.k)
	}
	return search + w.size*5*w.n*block + (4+w.size)*w.z
}

// beside is the memory of a fit whose FX, and W where it is stored, lie in a space: panels, the numbers for
// every node (sums, roots and a basis, some of it not yet collected), the columns of sparse features, and M.
func (w workload) beside(kind Kind) int64 {
	node := int64(80)
	if kind == UseFeatures {
		node = 8 // the degrees, which the graph has
	}
	return panels(kind, w.size, w.n, w.strip) + node*w.n + 32*w.drawn + 12*w.z + 3*8*matrix.GramNumbers + 8*(2*w.d*w.d+4*w.d*w.k)
}

// inScratch calls do with a space of its own, where panels get the rest of the budget. After an error it closes the space.
func (f *fitting) inScratch(ctx context.Context, do func(ctx context.Context) error) (*scratch.Space, error) {
	held, room, err := f.scratchRoom()
	if err != nil {
		return nil, err
	}
	x := f.shape()
	disk := f.numberBytes() * int64(x.rows) * int64(2*x.cols+f.Dim)
	if free, err := scratch.Free(f.scratch); err == nil && free < disk {
		return nil, fmt.Errorf("coles: fit: scratch: %d bytes in %s, which has %d: %w", disk, f.scratch, free, syscall.ENOSPC)
	}
	space, err := scratch.Open(f.scratch, held)
	if err != nil {
		return nil, fmt.Errorf("coles: fit: scratch: %w", err)
	}
	space.Panels = room
	if err := do(scratch.With(ctx, space)); err != nil {
		return nil, errors.Join(err, space.Close())
	}
	return space, nil
}

// shape is the shape of the features, be they made yet or not.
func (f *fitting) shape() shape {
	if made := f.prepare.made; made != nil {
		return shape{rows: f.g.Nodes(), cols: made.learnt.Encoder.Cols, made: true}
	}
	n, d := f.x.Dims()
	return shape{rows: n, cols: d, nonzeros: f.x.NNZ(), sparse: f.x.Sparse()}
}

// scratchRoom divides the budget between pages of the folder and panels. An automatic precision may become float64, for which
// there must be enough.
func (f *fitting) scratchRoom() (held, room int64, err error) {
	x := f.shape()
	if solver := f.Solver.resolve(x.cols, f.Dim, x.sparse); solver != SolverDirect {
		return 0, 0, fmt.Errorf("coles: fit: scratch: %w", setting.Bad("Solver", solver, "%v: others hold panels of their own", SolverDirect))
	}
	s := f.Settings
	if s.Precision == 0 {
		s.Precision = Float64
	}
	const most = 512 << 20
	narrow := &scratch.Space{} // panels of the fewest columns
	least, _ := s.memory(f.g, x, f.total, f.roles, narrow)
	if f.unit > 0 { // weights as they are taken
		least += 8 * int64(f.g.adj.NNZ())
	}
	if want := least + min(most, least/7) + 8; f.budget < want {
		return 0, 0, fmt.Errorf("coles: fit: scratch: %w: it takes %d bytes of memory at least, and may take %d", ErrTooLarge, want, f.budget)
	}
	strip := 8 * matrix.StripWidth[float64](narrow, x.rows, x.cols)
	if f.numberBytes() == 4 {
		strip = 4 * matrix.StripWidth[float32](narrow, x.rows, x.cols)
	}
	held = min(most, f.budget/8)
	return held, f.budget - held - least + panels(f.Kind, 1, int64(x.rows), int64(strip)), nil
}

// numberBytes is the size of a number of a fit.
func (f *fitting) numberBytes() int64 {
	x := f.shape()
	if f.Precision.resolve(x.rows, x.cols, f.prepare.plain()) == Float32 {
		return 4
	}
	return 8
}

// inPlace reports whether FX and the embedding lie where a dense X was.
func (w workload) inPlace() bool { return w.made || !w.sparse && w.d <= 3*w.k }

func (w workload) embed() int64 {
	switch {
	case !w.inPlace():
		return 3 * w.size * w.n * w.k
	case w.d > 2*w.k:
		return w.size * w.n * w.k
	}
	return 0
}

// EmbedScratch is [Model.Embed] for what is larger than memory, as [WithScratch]: it returns the same model with the
// embedding of this graph, not nil, in the folder until its [Model.Close].
func (m *Model) EmbedScratch(ctx context.Context, g *Graph, x mat.Matrix, dir string, memory int64) (*Model, error) {
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	first := &m.made().parts[0]
	source, err := m.check(ctx, g, x)
	if err != nil {
		return nil, err
	}
	f := &fitting{config: config{Settings: m.Settings(), scratch: dir, budget: memory}, g: g, x: source, prepare: first.Preparer, unit: first.WeightUnit}
	f.Dim, f.total, f.roles = f.dims(f.prepare.fitted.Columns, first.Structure() != nil, m.parts[len(m.parts)-1].Roles)
	out := &Model{parts: m.parts, dim: m.dim, ids: g.ids, report: m.report}
	out.report.Graph = g.report
	out.space, err = f.inScratch(ctx, func(ctx context.Context) (err error) {
		out.rows, err = m.embed(ctx, g, source)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
