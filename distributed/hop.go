package distributed

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// The counts of a pipeline: blocks that have made a hop, messages that they sent, and the bytes of messages, and of the
// features and tiles that went along.
var (
	blockHops    = beam.NewCounter("coles", "block_hops")
	messagesSent = beam.NewCounter("coles", "messages")
	messageBytes = beam.NewCounter("coles", "message_bytes")
	stateBytes   = beam.NewCounter("coles", "state_bytes")
	elementsSent = beam.NewCounter("coles", "elements")
)

// filter adds the hops of a filter to a pipeline, H ← a_k·X + W·H for k = K … 0 by Horner's rule. then says what follows the
// last hop.
func (p plan) filter(s beam.Scope, coef []float64, then int, state beam.PCollection) beam.PCollection {
	return p.part(s, coef, len(coef), 0, then, state)
}

// part adds the hops k = hi−1 … lo. They have no side input: Prism's scheduler turns idly on a processor while a
// step with one works.
func (p plan) part(s beam.Scope, coef []float64, hi, lo, then int, state beam.PCollection) beam.PCollection {
	for k, a := range slices.Backward(coef[:hi]) {
		if k < lo {
			break
		}
		s := s.Scope(fmt.Sprintf("Hop%d", k))
		f := hop{worker: p.worker(), Coefficient: a, Single: p.Grid.Messages == coles.Float32}
		if k == 0 {
			f.Then = then
		}
		step, blocks := byBlock(s, state, &f, &loadedHop{f})
		state = beam.ParDo(s, step, blocks)
	}
	return state
}

// filtered adds the hops hi−1 … lo of a fit. After all of them the blocks hold FX, and the last messages hold W⁺·FX.
func (p plan) filtered(s beam.Scope, state beam.PCollection, hi, lo int) beam.PCollection {
	return p.part(s, inside.Linear(p.Settings).Filter, hi, lo, contrastNext, state)
}

// What follows a hop.
const (
	filterNext   = iota // another hop: W·H is sent
	contrastNext        // W⁺·H is sent, and H replaces X
	nothingNext         // H is kept
	joinNext            // H is kept to the right of X
)

// A hop is one step of Horner's rule for a block. Its messages are scaled by 1/√degree here and again where they arrive, so
// that tiles need no normalised weights.
type hop struct {
	worker
	Coefficient float64
	Then        int
	Single      bool // messages in float32
}

func (f *hop) ProcessElement(ctx context.Context, number int64, next func(*piece) bool, emit func(int64, piece)) error {
	h, err := gather(number, next)
	if err != nil {
		return err
	}
	blockHops.Inc(ctx, 1)
	b := h.block
	if b.Alone { // F is the identity, and ΔW is
		emit(number, piece{Block: b})
		return nil
	}
	sum, err := h.received(ctx)
	if err != nil {
		return err
	}
	scaleRows(sum, inverseRoots(b.Degree, 1))
	for q, v := range b.Data {
		sum.Data[q] += f.Coefficient * v
	}
	out := outbox{ctx: ctx, from: number, single: f.Single, emit: f.sender(emit)}
	switch f.Then {
	case filterNext:
		out.state(h)
		scaleRows(sum, inverseRoots(b.Degree, 1))
		return out.send(h, sum, true)
	case contrastNext:
		h.block = &block{Columns: b.Columns, Degree: b.Degree, Data: sum.Data}
		out.state(h)
		z := kernel.Dense[float64](sum.Rows, sum.Cols)
		copy(z.Data, sum.Data)
		scaleRows(z, inverseRoots(b.Degree, 0))
		return out.send(h, z, false)
	case joinNext:
		both := kernel.Unset[float64](sum.Rows, 2*sum.Cols)
		kernel.Copy(kernel.Columns(both, 0, sum.Cols), b.matrix())
		kernel.Copy(kernel.Columns(both, sum.Cols, 2*sum.Cols), sum)
		sum = both
	}
	emit(number, piece{Block: &block{Columns: sum.Cols, Degree: b.Degree, Data: sum.Data}})
	return nil
}

// inverseRoots is 1/√(degree + loop), 0 where that is 0.
func inverseRoots(degree []float64, loop float64) []float64 {
	roots := make([]float64, len(degree))
	for i, d := range degree {
		if d+loop > 0 {
			roots[i] = 1 / math.Sqrt(d+loop)
		}
	}
	return roots
}

func scaleRows(m kernel.Matrix[float64], by []float64) {
	for i, c := range by {
		matrix.Scale(m.Row(i), c)
	}
}

// received is the sum of the messages to a block, in the order of their senders.
func (h *hand) received(ctx context.Context) (kernel.Matrix[float64], error) {
	sum := kernel.Dense[float64](h.block.height(), h.block.Columns)
	for _, m := range h.messages {
		if m.Columns != sum.Cols {
			return sum, fmt.Errorf("distributed: %w: a message of %d columns for a block of %d", coles.ErrShape, m.Columns, sum.Cols)
		}
		if err := h.receive(ctx, m, sum, panel(m.Data, m.Columns)); err != nil {
			return sum, err
		}
	}
	return sum, ctx.Err()
}

// receive adds a message to the sum.
func (h *hand) receive(ctx context.Context, m *message, sum, data kernel.Matrix[float64]) error {
	switch {
	case m.From == h.number:
		if data.Rows != sum.Rows {
			return fmt.Errorf("distributed: %w: a message of %d rows for a block of %d", coles.ErrShape, data.Rows, sum.Rows)
		}
		matrix.AddScaled(sum.Data, 1, data.Data)
	case m.Rows != nil:
		scatter(sum, m.Rows, data)
	default:
		t := h.tileOf(m.From)
		if t == nil || len(t.Mates) != data.Rows {
			return fmt.Errorf("distributed: %w: %d rows from block %d, for which there is no such tile", coles.ErrShape, data.Rows, m.From)
		}
		product := kernel.Unset[float64](len(t.Own), sum.Cols)
		if err := kernel.SpMM(ctx, product, t.csr(), data); err != nil {
			return err
		}
		scatter(sum, t.Own, product)
	}
	return nil
}

// tileOf is the tile with another block.
func (h *hand) tileOf(other int64) *tile {
	at, found := slices.BinarySearchFunc(h.tiles, other, func(t *tile, other int64) int { return cmp.Compare(t.Other, other) })
	if !found {
		return nil
	}
	return h.tiles[at]
}

// scatter adds rows to some rows of a matrix.
func scatter(to kernel.Matrix[float64], rows []int32, from kernel.Matrix[float64]) {
	for q, r := range rows {
		matrix.AddScaled(to.Row(int(r)), 1, from.Row(q))
	}
}

// pick is some rows of a matrix.
func pick(from kernel.Matrix[float64], rows []int32) kernel.Matrix[float64] {
	to := kernel.Unset[float64](len(rows), from.Cols)
	for q, r := range rows {
		copy(to.Row(q), from.Row(int(r)))
	}
	return to
}

// An outbox sends what a block has.
type outbox struct {
	ctx    context.Context
	from   int64
	single bool
	emit   func(int64, piece)
}

// bytesOf is the number of bytes of a list in a frame.
func bytesOf(list []float64) int64 { return int64(width(list) * len(list)) }

// state sends a block its own parts.
func (o outbox) state(h *hand) {
	bytes := bytesOf(h.block.Degree) + bytesOf(h.block.Data)
	o.emit(o.from, piece{Block: h.block})
	for _, t := range h.tiles {
		bytes += 4*int64(len(t.Own)+len(t.Mates)+len(t.Ptr)+len(t.Col)) + bytesOf(t.Val)
		o.emit(o.from, piece{Tile: t})
	}
	for _, m := range h.mates {
		bytes += 4 * int64(len(m.Rows))
		o.emit(o.from, piece{Mates: m})
	}
	stateBytes.Inc(o.ctx, bytes)
	elementsSent.Inc(o.ctx, int64(1+len(h.tiles)+len(h.mates)))
}

// send sends A·z, and z itself for the loops of a filter.
func (o outbox) send(h *hand, z kernel.Matrix[float64], loops bool) error {
	own := kernel.Dense[float64](z.Rows, z.Cols)
	if loops {
		copy(own.Data, z.Data)
	}
	for _, t := range h.tiles {
		a, rows, at := t.csr(), t.Mates, t.Own
		if t.Other != o.from {
			a, rows, at = a.Transpose(), t.Own, t.Mates
		}
		product := kernel.Unset[float64](len(at), z.Cols)
		if err := kernel.SpMM(o.ctx, product, a, pick(z, rows)); err != nil {
			return err
		}
		if t.Other == o.from {
			scatter(own, at, product)
			loops = true // there is something to send
			continue
		}
		o.put(t.Other, &message{Rows: at, Data: product.Data, Columns: z.Cols})
	}
	for _, m := range h.mates {
		o.put(m.Other, &message{Data: pick(z, m.Rows).Data, Columns: z.Cols})
	}
	if loops {
		o.put(o.from, &message{Data: own.Data, Columns: z.Cols})
	}
	return nil
}

func (o outbox) put(to int64, m *message) {
	m.From = o.from
	messagesSent.Inc(o.ctx, 1)
	elementsSent.Inc(o.ctx, 1)
	size := 8
	if o.single {
		roundSingle(m.Data)
		size = 4
	}
	messageBytes.Inc(o.ctx, int64(size*len(m.Data)+4*len(m.Rows)))
	o.emit(to, piece{Message: m})
}

// loadedHop is a hop of files of a state.
type loadedHop struct{ hop }

func (f *loadedHop) ProcessElement(ctx context.Context, shard stateShard, emit func(int64, piece)) error {
	pieces, err := shard.pieces(ctx)
	if err != nil {
		return err
	}
	return f.hop.ProcessElement(ctx, shard.File.First, pieces, emit)
}
