package distributed

import (
	"cmp"
	"fmt"
	"slices"

	"coles"
	"coles/internal/matrix"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// tiles cuts edges into the tiles of A, as KV<int64, piece>.
func (p plan) tiles(s beam.Scope, edges beam.PCollection) beam.PCollection {
	s = s.Scope("Tiles")
	cut := beam.ParDo(s, &cutEdges{Nodes: p.Nodes, Height: p.Grid.Height}, edges)
	return beam.ParDo(s, &makeTiles{p.Grid.Height}, beam.GroupByKey(s, cut))
}

// A sorter holds values for the same keys, to send them together. An element costs as much as a hundred edges, and each chunk
// has few edges for any one key.
type sorter[T any] struct {
	emit  func(int64, T)
	held  map[int64]*T
	count int
}

// mostHeld is how many edges or names are held.
const mostHeld = 1 << 20

// at returns the values held for a key; the caller adds one.
func (s *sorter[T]) at(key int64) *T {
	if s.count >= mostHeld {
		s.flush()
	}
	if s.held == nil {
		s.held = map[int64]*T{}
	}
	s.count++
	if s.held[key] == nil {
		s.held[key] = new(T)
	}
	return s.held[key]
}

func (s *sorter[T]) flush() {
	for key, v := range s.held {
		s.emit(key, *v)
	}
	clear(s.held)
	s.count = 0
}

// cutEdges gives every edge to one of the blocks of its ends.
type cutEdges struct {
	Nodes, Height int64

	held sorter[edgeChunk]
}

func (f *cutEdges) StartBundle(func(int64, edgeChunk)) { f.held = sorter[edgeChunk]{} }

func (f *cutEdges) ProcessElement(c edgeChunk, emit func(int64, edgeChunk)) error {
	f.held.emit = emit
	if err := c.check(); err != nil {
		return fmt.Errorf("distributed: edges: %w", err)
	}
	for q, u := range c.U {
		v, w := c.V[q], weightOf(c.Weight, q)
		if u < 0 || u >= f.Nodes || v < 0 || v >= f.Nodes {
			return fmt.Errorf("distributed: edges: %w: an edge joins %d and %d in a graph of %d nodes", coles.ErrIndex, u, v, f.Nodes)
		}
		if err := matrix.CheckWeight(w, int(u), int(v)); err != nil {
			return fmt.Errorf("distributed: edges: %w", err)
		}
		f.hold(u, v, w)
	}
	return nil
}

// hold keeps an edge for the block that gets it: of two blocks now the lower and now the higher, so that none gets more than
// its part.
func (f *cutEdges) hold(u, v int64, w float64) {
	u, v = min(u, v), max(u, v)
	if i, j := u/f.Height, v/f.Height; i != j && (i+j)%2 == 1 {
		u, v = v, u
	}
	f.held.at(u/f.Height).add(u, v, w)
}

func (f *cutEdges) FinishBundle(func(int64, edgeChunk)) { f.held.flush() }

// makeTiles makes tiles of the edges that a block was given, without duplicates.
type makeTiles struct{ Height int64 }

// An entry is an edge between rows of two blocks.
type entry struct {
	u, v int32
	w    float64
}

func (f *makeTiles) ProcessElement(number int64, next func(*edgeChunk) bool, emit func(int64, piece)) {
	others := map[int64][]entry{}
	for c := (edgeChunk{}); next(&c); c = (edgeChunk{}) {
		for q, u := range c.U {
			other := c.V[q] / f.Height
			others[other] = append(others[other], entry{int32(u % f.Height), int32(c.V[q] % f.Height), weightOf(c.Weight, q)})
		}
	}
	for other, entries := range others {
		f.tile(number, other, entries, emit)
	}
}

// tile emits the tile of two blocks to the block that has more nodes in it, and its mates to the other.
func (f *makeTiles) tile(here, there int64, entries []entry, emit func(int64, piece)) {
	entries, counts := distinct(entries, here == there)
	own, light := rowsOf(entries, func(e entry) int32 { return e.u }), rowsOf(entries, func(e entry) int32 { return e.v })
	if len(own) < len(light) || len(own) == len(light) && here < there {
		here, there, own, light = there, here, light, own
		for q, e := range entries {
			entries[q].u, entries[q].v = e.v, e.u
		}
		sortEntries(entries)
	}
	t := &tile{Other: there, Own: own, Mates: light, Counts: &counts}
	back := &mates{Other: here, Rows: light, Degree: make([]float64, len(light))}
	for q, e := range entries {
		if q == 0 || entries[q-1].u != e.u {
			t.Ptr = append(t.Ptr, int32(q))
		}
		at, _ := slices.BinarySearch(light, e.v)
		t.Val = appendWeight(t.Val, len(t.Col), e.w)
		t.Col = append(t.Col, int32(at))
		back.Degree[at] += e.w
	}
	t.Ptr = append(t.Ptr, int32(len(entries)))
	emit(here, piece{Tile: t})
	if here != there {
		emit(there, piece{Mates: back})
	}
}

func sortEntries(entries []entry) {
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.u, b.u), cmp.Compare(a.v, b.v), cmp.Compare(b.w, a.w))
	})
}

// distinct sorts entries and drops what [coles.NewGraph] drops with [coles.WithRepeats] "max": all but the largest weight of
// edges given more than once, edges of weight zero, self loops. Entries between rows of one block
// become symmetric.
func distinct(entries []entry, symmetric bool) ([]entry, tally) {
	sortEntries(entries)
	var counts tally
	kept := entries[:0]
	for q, e := range entries {
		switch {
		case q > 0 && entries[q-1].u == e.u && entries[q-1].v == e.v:
			counts.Duplicates++
		case e.w == 0:
			counts.Zeros++
		case symmetric && e.u == e.v:
			counts.Loops++
		default:
			kept = append(kept, e)
			if counts.Edges++; e.w != 1 {
				counts.Weighted = 1
			}
		}
	}
	if symmetric {
		for _, e := range kept {
			kept = append(kept, entry{e.v, e.u, e.w})
		}
		sortEntries(kept)
	}
	return kept, counts
}

// rowsOf are the rows on one side of entries, ascending.
func rowsOf(entries []entry, side func(entry) int32) []int32 {
	rows := make([]int32, len(entries))
	for q, e := range entries {
		rows[q] = side(e)
	}
	slices.Sort(rows)
	return slices.Clone(slices.Compact(rows))
}
