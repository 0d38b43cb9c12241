package alignment

import (
	"context"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/scratch"
	"coles/internal/stream"
)

const (
	// Hops are how far the signs of nodes are spread. By four the groups of 20,000 nodes are hardly seen.
	Hops = 8
	// Kept is the share of the edges that signs are spread along; by half of them groups are seen half as well.
	Kept = 0.75
	// often is how many times edges are hidden anew in a small graph: one draw deviates by 0.02 on graphs of
	// 200 nodes.
	often = 4
)

// Walkers is the number of columns of n nodes: signs, 1 and √(degree + 1). The hops of a large graph wait for lines of the
// cache, and a row of 14 signs takes two. They show communities two thirds as plainly as 32.
func Walkers(n int64) int {
	if n < 1<<17 {
		return 32 + 2
	}
	return 14 + 2
}

// Rounds is how often edges are hidden in a graph of n nodes, others each time. In a small graph one edge in four is too few.
func Rounds(n int64) int {
	if n < 1<<12 {
		return 4
	}
	return 1
}

// Hidden reports whether the edge between two nodes, by their names, is hidden in a round, as one in four is.
func Hidden(seed uint64, round int, u, v uint64) bool {
	return stream.Seed(stream.Seed(seed, min(u, v)), max(u, v))&3 == uint64(round)
}

// Start sets the row of a node before the hops, by its name.
func Start(seed, name uint64, degree float64, row []float64) {
	bits := stream.Seed(^seed, name)
	signs := len(row) - 2
	for c := range signs {
		row[c] = 1 - 2*float64(bits>>c&1)
	}
	row[signs], row[signs+1] = 0, math.Sqrt(degree+1)
}

// Arrive removes from the signs of a row, after the hops, what its degree explains, and scales them to the
// length of all others; moments are the sums over all rows.
func Arrive(moments, row []float64) {
	signs := len(row) - 2
	for c := range signs {
		row[c] -= moments[2+signs+c] / moments[1] * row[signs+1]
	}
	if length := matrix.Length(row[:signs]); length > 0 {
		matrix.Scale(row[:signs], 1/length)
	}
}

// Moments is the number of sums in [AddMoments] for rows of the given number of walkers: Σq, Σq², Σz and Σqz
// for q, the last column, and z, the signs.
func Moments(walkers int) int { return 2 + 2*(walkers-2) }

// AddMoments adds a row to the sums.
func AddMoments(sum, row []float64) {
	signs := len(row) - 2
	q := row[signs+1]
	sum[0] += q
	sum[1] += q * q
	matrix.AddScaled(sum[2:2+signs], 1, row[:signs])
	matrix.AddScaled(sum[2+signs:], q, row[:signs])
}

// Centre frees the signs of a row, after [Arrive], of what 1 and q explain of all n rows, by their sums. It puts the length of
// the rest behind the signs.
func Centre(n int64, moments []float64) func(row []float64) {
	mean := moments[0] / float64(n)
	variance := moments[1] - mean*moments[0]
	signs := len(moments)/2 - 1
	level, slope := make([]float64, signs), make([]float64, signs)
	for c := range signs {
		z, qz := moments[2+c], moments[2+signs+c]
		if variance > 1e-10*moments[1] {
			slope[c] = (qz - mean*z) / variance
		}
		level[c] = z/float64(n) - slope[c]*mean
	}
	return func(row []float64) {
		for c := range signs {
			row[c] -= level[c] + slope[c]*row[signs+1]
		}
		row[signs] = matrix.Length(row[:signs])
	}
}

// AddLikeness adds a row's likeness to the rows that hidden edges lead to, its square, and the most that it could be. It takes
// a centred row, and the row after one hop along these edges.
func AddLikeness(sum, row, hop []float64) {
	signs := len(row) - 2
	alike := 0.0
	for c, v := range row[:signs] {
		alike += v * hop[c]
	}
	sum[0] += alike
	sum[1] += alike * alike
	sum[2] += row[signs] * hop[signs]
}

// Communities is r, the likeness over the most that it could be, and its deviation, by sums over a number of draws. Both ends
// count an edge, so the squares of one draw add up to half of the variance. A handful of nodes always counts as having
// communities.
func Communities(n int64, sum []float64, draws int) (size, deviation float64) {
	switch {
	case n < handful:
		return Small, 0
	case sum[2] > 0:
		return sum[0] / sum[2], math.Sqrt(2*float64(draws)*sum[1]) / sum[2]
	}
	return 0, 0
}

// names are [Names] by the features of nodes, and of neighbours two steps away.
func (p Parts[T]) names(ctx context.Context) ([]uint64, error) {
	names, err := matrix.RowHashes(ctx, p.Source)
	if err != nil {
		return nil, err
	}
	return Names(ctx, p.Graph, names, 2)
}

// Communities is r and its deviation.
func (p Parts[T]) Communities(ctx context.Context) (size, deviation float64, err error) {
	n := int64(len(p.Degrees))
	all := make([]float64, 3)
	names, err := p.names(ctx)
	if err != nil {
		return 0, 0, err
	}
	draws, rounds, seed := 1, Rounds(n), p.Seed
	if rounds > 1 {
		draws = often
	}
	for k := range draws * rounds {
		p.Seed = stream.Seed(seed, uint64(k/rounds))
		sum, err := p.round(ctx, names, k%rounds)
		if err != nil {
			return 0, 0, err
		}
		matrix.AddScaled(all, 1, sum)
	}
	size, deviation = Communities(n, all, draws)
	return size, deviation, nil
}

func (p Parts[T]) round(ctx context.Context, names []uint64, round int) ([]float64, error) {
	n := len(p.Degrees)
	walkers := Walkers(int64(n))
	from, room, releaseFrom := kernel.InRoom(p.Room, n, walkers)
	defer releaseFrom()
	space, to := scratch.Of(ctx), kernel.Matrix[float64]{}
	if space == nil {
		var releaseTo func()
		to, _, releaseTo = kernel.InRoom(room, n, walkers)
		defer releaseTo()
	} else { // where it is written and read row by row
		var err error
		if to, err = matrix.DenseIn[float64](ctx, n, walkers); err != nil {
			return nil, err
		}
		defer scratch.Release(space, to.Data)
	}
	w := &walk{from: from, to: to, root: make([]float64, n)}
	for i, d := range p.Degrees {
		w.root[i] = 1 / math.Sqrt(d+1)
		Start(p.Seed, names[i], d, from.Row(i))
	}
	visible, err := p.edges(ctx, names, round, false)
	if err != nil {
		return nil, err
	}
	if err := w.spread(ctx, visible, space == nil); err != nil {
		return nil, err
	}
	moments, err := w.sum(ctx, Moments(walkers), func(sum []float64, i int) { AddMoments(sum, w.from.Row(i)) })
	if err != nil {
		return nil, err
	}
	if moments, err = w.sum(ctx, Moments(walkers), func(sum []float64, i int) {
		Arrive(moments, w.from.Row(i))
		AddMoments(sum, w.from.Row(i))
	}); err != nil {
		return nil, err
	}
	centre := Centre(int64(n), moments)
	if err := parallel.EachRow(ctx, n, func(i int) { centre(w.from.Row(i)) }); err != nil {
		return nil, err
	}
	hidden, err := p.edges(ctx, names, round, true)
	if err != nil {
		return nil, err
	}
	if err := w.scale(ctx, w.from, false); err != nil {
		return nil, err
	}
	if err := w.hop(ctx, hidden, 1, 0); err != nil {
		return nil, err
	}
	for _, rows := range []kernel.Matrix[float64]{w.from, w.to} {
		if err := w.scale(ctx, rows, true); err != nil {
			return nil, err
		}
	}
	return w.sum(ctx, 3, func(sum []float64, i int) { AddLikeness(sum, w.from.Row(i), w.to.Row(i)) })
}

// A walk has the signs of nodes before a hop and after it.
type walk struct {
	from, to kernel.Matrix[float64]
	root     []float64 // of D⁻¹
}

// spread takes the hops along visible edges, and a lazy one, which adds its result to its input. Without that the two sides of
// a bipartite graph would have nothing in common. The matrices change places after each hop, unless the second is to be
// written and read row by row.
func (w *walk) spread(ctx context.Context, visible *kernel.CSR[float64], swap bool) error {
	if err := w.scale(ctx, w.from, false); err != nil {
		return err
	}
	for k := range Hops + 1 {
		if err := w.hop(ctx, visible, 1/Kept, 1); err != nil {
			return err
		}
		if k == Hops {
			if err := parallel.EachRow(ctx, w.to.Rows, func(i int) { matrix.AddScaled(w.to.Row(i), 1, w.from.Row(i)) }); err != nil {
				return err
			}
		}
		if swap {
			w.from, w.to = w.to, w.from
		} else if err := kernel.Convert(ctx, w.from, w.to); err != nil {
			return err
		}
	}
	return w.scale(ctx, w.from, true)
}

// scale multiplies rows by D^-½, or divides them by it.
func (w *walk) scale(ctx context.Context, rows kernel.Matrix[float64], back bool) error {
	return parallel.EachRow(ctx, rows.Rows, func(i int) {
		c := w.root[i]
		if back {
			c = 1 / c
		}
		matrix.Scale(rows.Row(i), c)
	})
}

// hop is D^-½(A·share + loop·I)D^-½ for some edges A. In between the rows are those of D^-½·from.
func (w *walk) hop(ctx context.Context, edges *kernel.CSR[float64], share, loop float64) error {
	times := kernel.SpMM[float64]
	if edges.Val == nil {
		times = func(ctx context.Context, dst kernel.Matrix[float64], a *kernel.CSR[float64], x kernel.Matrix[float64]) error {
			return kernel.PatternSum(ctx, dst, a, 0, x.Rows, x)
		}
	}
	if err := times(ctx, w.to, edges, w.from); err != nil {
		return err
	}
	return parallel.EachRow(ctx, w.to.Rows, func(i int) {
		row, root := w.to.Row(i), w.root[i]
		matrix.Scale(row, share*root*root)
		matrix.AddScaled(row, loop*root*root, w.from.Row(i))
	})
}

// sum calls add for each node, and adds up.
func (w *walk) sum(ctx context.Context, width int, add func(sum []float64, i int)) ([]float64, error) {
	return parallel.Sum(ctx, w.from.Rows, width, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			add(sum, i)
		}
	})
}

// edges are the edges of the graph hidden in a round, or the others.
func (p Parts[T]) edges(ctx context.Context, names []uint64, round int, hidden bool) (a *kernel.CSR[float64], err error) {
	space := scratch.Of(ctx)
	a = &kernel.CSR[float64]{Rows: p.Graph.Rows, Cols: p.Graph.Cols, Ptr: slices.Clone(p.Graph.Ptr)}
	if a.Col, err = scratch.Make[int32](space, len(p.Graph.Col)); err != nil {
		return nil, err
	}
	if p.Graph.Val != nil {
		if a.Val, err = scratch.Make[float64](space, len(p.Graph.Val)); err != nil {
			return nil, err
		}
	}
	copy(a.Col, p.Graph.Col)
	copy(a.Val, p.Graph.Val)
	return a, matrix.Drop(ctx, a, func(i, j int, _ float64) bool {
		return i == j || Hidden(p.Seed, round, names[i], names[j]) != hidden
	})
}
