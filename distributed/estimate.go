package distributed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"coles"
	"coles/internal/linear"
	"coles/internal/matrix"
)

// A Cost is an estimate for a fit, see [Estimate].
type Cost struct {
	Blocks     int64   // blocks of rows
	Height     int64   // rows of a block
	Neighbours float64 // other blocks, on average, that the neighbours of a node lie in
	Hops       int     // shuffles: K, and one more for ΔW

	// Bytes that a hop shuffles.
	Messages int64 // rows, or sums of rows: one a node and other block among its neighbours
	Own      int64 // the block's own rows, by the self loops of the filter
	State    int64 // features, degrees and tiles, which go along
	Frames   int64 // around the elements

	Elements int64   // of a hop: blocks, tiles, lists of rows and messages
	Hop      int64   // bytes of a hop, the four together
	Total    int64   // of all hops
	Seconds  float64 // of all hops on one core, at the rates of the local engine: none is known of a cluster
	Key      int64   // the messages that one block gets
	// Worker is the memory of a worker for each block that it works on: the block with its tiles and
	// messages as bytes and as numbers, the sum and the product.
	Worker int64
	// Machine is the memory of one machine that holds it all: the graph without weights, the features,
	// and the estimate of coles.Settings.Estimate with Kind set, in the precision of messages.
	Machine int64
}

const (
	frameBytes     = 60   // of an element, with its key: 41 of our own on average, and some 20 of Beam
	bytesRate      = 45e6 // bytes a second that Prism shuffles on one core, measured on 20,000 nodes
	elementSeconds = 8e-6 // and what an element takes there, measured with 16 bytes each
)

// Estimate computes the cost of a fit on a graph, from numbers of nodes, edges, features d, columns dim (0 is the default) and
// hops of a filter. With s bytes a number of a message, B blocks of h rows, n nodes and m edges,
//
//	r        = (B−1)·(1 − (1 − 1/B)^(2m/n))     for nodes in random order
//	messages = n·r·(d·s + 2)
//	own      = n·d·s
//	state    = n·(d·s + 8) + 4·(m + 2·n·r)
//	elements = 3·B + 2·B·(B−1)·(1 − (1 − 2/B²)^m)
//
// where r counts the other blocks among a node's neighbours, at most the mean degree. The last hop sends FX, in float64,
// instead of X. Weights other than 1 add 8·m to the state. An order of nodes in which neighbours have near numbers makes r
// smaller, and with it the messages. So do hubs: two blocks send rows or sums, whichever are fewer, and the formula is for
// equal degrees.
//
// Errors: coles.ErrSetting for numbers that no graph has, coles.ErrShape, coles.ErrTooLarge and coles.ErrSetting for sizes and
// a grid that [Run] refuses.
func Estimate(nodes, edges int64, d, dim, hops int, grid Grid) (Cost, error) {
	if err := errors.Join(checkSizes(nodes, d), grid.check()); err != nil {
		return Cost{}, err
	}
	if edges < 0 || dim < 0 || hops < 0 {
		return Cost{}, fmt.Errorf("distributed: estimate: %w: %d edges, %d columns, %d hops", coles.ErrSetting, edges, dim, hops)
	}
	dim = linear.Dim(dim, d)
	grid = grid.resolved(nodes, d)
	n, m, width, height := float64(nodes), float64(edges), float64(d), float64(grid.Height)
	blocks, number := float64(grid.blocks(nodes)), 8.
	if grid.Messages == coles.Float32 {
		number = 4
	}
	r := 0.
	if blocks > 1 {
		r = (blocks - 1) * -math.Expm1(2*m/n*math.Log1p(-1/blocks))
	}
	c := Cost{
		Blocks: int64(blocks), Height: grid.Height, Neighbours: r, Hops: hops + 1,
		Messages: int64(n * r * (width*number + 2)),
		Own:      int64(n * width * number),
		State:    int64(n*(width*number+8) + 4*(m+2*n*r)),
	}
	c.Elements = int64(3*blocks - 2*blocks*(blocks-1)*math.Expm1(m*math.Log1p(-2/max(blocks*blocks, 4))))
	c.Frames = frameBytes * c.Elements
	c.Hop = c.Messages + c.Own + c.State + c.Frames
	c.Total = int64(c.Hops)*c.Hop + int64(n*width*(8-number))
	c.Seconds = float64(c.Total)/bytesRate + float64(int64(c.Hops)*c.Elements)*elementSeconds
	c.Key = int64(float64(c.Messages) / blocks)
	panel, tiles := 8*height*width, 4*(m+2*n*r)/blocks
	c.Worker = int64(float64(c.Key)*(1+8/number) + 4*panel + 2*tiles)
	own, strip := number*n*width, matrix.StripWidth[float64](nil, int(nodes), d)
	if grid.Messages == coles.Float32 {
		strip = matrix.StripWidth[float32](nil, int(nodes), d)
	}
	fit, embedding := own+2*number*n*float64(strip), number*n*float64(dim)
	switch {
	case d > 3*dim: // X is kept
		fit = own + max(fit, 3*embedding)
	case d > 2*dim:
		fit = max(fit, own+embedding)
	}
	c.Machine = int64(8*m + 16*n + own + fit)
	return c, nil
}

// Estimate is [Estimate] for a job: nodes and features by the headers of the shards, edges by the
// headers of .npy and by the first lines of text.
//
// Errors: as of [Run] before any work.
func (j Job) Estimate(ctx context.Context) (Cost, error) {
	r, err := newRun(ctx, j)
	if err != nil {
		return Cost{}, err
	}
	return r.estimate(ctx)
}

func (r *run) estimate(ctx context.Context) (Cost, error) {
	files := r.shards["edges"]
	counts := make([]int64, len(files))
	if err := each(ctx, len(files), func(ctx context.Context, k int) (err error) {
		counts[k], err = countEdges(ctx, files[k].Path)
		return err
	}); err != nil {
		return Cost{}, err
	}
	edges := int64(0)
	for _, c := range counts {
		edges += c
	}
	return Estimate(r.plan.Nodes, edges, r.plan.Columns, r.plan.Settings.Dim, max(r.plan.hops()-1, 0), r.plan.Grid)
}

// countEdges counts by the header of a shard, or by its length and the lines in its first megabytes.
func countEdges(ctx context.Context, path string) (int64, error) {
	if isNPY(path) {
		rows, _, err := npyShape(ctx, path)
		return rows, err
	}
	length, _, err := sizeOf(ctx, path)
	if err != nil {
		return 0, err
	}
	rate, err := linesPerByte(ctx, path)
	return int64(rate * float64(length)), err
}

// linesPerByte counts lines of a text for each byte of the file, in its first megabytes.
func linesPerByte(ctx context.Context, path string) (float64, error) {
	const sample = 4 << 20
	s, err := openShard(ctx, path)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	lines := 0
	for range s.lines(ctx) {
		if lines++; s.consumed() > sample {
			break
		}
	}
	return float64(lines) / max(float64(s.consumed()), 1), nil
}

// String is the cost in a few lines.
func (c Cost) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d blocks of %d rows; the neighbours of a node lie in %.1f others\n", c.Blocks, c.Height, c.Neighbours)
	fmt.Fprintf(&b, "%d hops of %s each (messages %s, own rows %s, state %s), %s in all\n",
		c.Hops, size(c.Hop), size(c.Messages), size(c.Own), size(c.State), size(c.Total))
	fmt.Fprintf(&b, "%.3g elements a hop, in frames of %s; %.3g hours of one core at the rates of the local engine\n", float64(c.Elements), size(c.Frames), c.Seconds/3600)
	fmt.Fprintf(&b, "%s of messages a key; %s of memory for each block that a worker has in hand\n", size(c.Key), size(c.Worker))
	fmt.Fprintf(&b, "on one machine: %s", size(c.Machine))
	return b.String()
}

// hopHeld are the bytes of memory that the engine in a program takes for each byte of a hop. featureHeld are its bytes for
// each number of the features before the hops. Both are the most at 200,000 nodes in 1 to 40 blocks.
const hopHeld, featureHeld = 4.5, 150

// fits refuses what the engine in the program cannot hold.
func (r *run) fits(ctx context.Context) error {
	free := freeMemory()
	if !r.engine.embedded || free == 0 {
		return nil
	}
	cost, err := r.estimate(ctx)
	need := max(hopHeld*float64(cost.Hop), featureHeld*float64(r.plan.Nodes)*float64(r.plan.Columns))
	if err == nil && need > float64(free) {
		err = fmt.Errorf("distributed: %w: the engine in this program takes some %s, and %s are free; name a runner, or use coles.Fit, which takes %s",
			coles.ErrTooLarge, size(int64(need)), size(free), size(cost.Machine))
	}
	return err
}
