package distributed

import (
	"fmt"
	"slices"

	"coles"
	"coles/internal/alignment"
	"coles/internal/inside"
	"coles/internal/kernel"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// settle keeps a choice by s, as in [coles.Settings.Alignment]. If s does not decide, it looks for communities in the graph;
// else the hops do nothing. Nodes have their numbers for names.
func (p plan) settle(s beam.Scope, state, measured beam.PCollection) beam.PCollection {
	s = s.Scope("Communities")
	side := func(c beam.PCollection) beam.Option { return beam.SideInput{Input: c} }
	needed := beam.ParDo(s, &needCommunities{}, measured)
	spread := make([]float64, alignment.Hops+2) // the last hop is lazy
	spread[alignment.Hops], spread[alignment.Hops+1] = 1, 1
	var rounds []beam.PCollection
	for k := range alignment.Rounds(p.Nodes) {
		s := s.Scope(fmt.Sprintf("Round%d", k))
		hide := func(hidden bool) beam.PCollection {
			return beam.ParDo(s, &hideEdges{p.worker(), p.Nodes, p.Settings.Seed, p.Grid.Height, k, hidden}, state, side(needed))
		}
		momentsOf := func(nodes beam.PCollection) beam.PCollection {
			return total(s, beam.ParDo(s, &addMoments{}, nodes), p.blocks())
		}
		nodes := p.filter(s, spread, nothingNext, hide(false))
		nodes = beam.ParDo(s, &arrive{}, nodes, side(momentsOf(nodes)))
		nodes = beam.ParDo(s, &centre{p.Nodes}, nodes, side(momentsOf(nodes)))
		joined := p.filter(s.Scope("Hidden"), []float64{0, 1}, joinNext, beam.Flatten(s, nodes, hide(true)))
		rounds = append(rounds, beam.ParDo(s, &addLikeness{int64(k) * p.blocks()}, joined, side(needed)))
	}
	alike := total(s, beam.Flatten(s, rounds...), int64(len(rounds))*p.blocks())
	return beam.ParDo(s, &decide{p.Nodes}, measured, side(alike))
}

// open reports whether s leaves the choice to the communities.
func open(c choice) bool { return !c.Settled && inside.Open(*c.Alignment) }

// needCommunities emits the feature model if s alone decides; no hops run then.
type needCommunities struct{}

func (f *needCommunities) ProcessElement(c choice) choice {
	if open(c) {
		return choice{Kind: coles.UseGraph}
	}
	return choice{Kind: coles.UseFeatures}
}

// hideEdges leaves the hidden edges of the tiles, or the other edges with more weight. It replaces the features of the nodes
// by their first signs, or by nothing.
type hideEdges struct {
	worker
	Nodes  int64
	Seed   uint64
	Height int64
	Round  int
	Hidden bool
}

func (f *hideEdges) ProcessElement(number int64, p piece, needed choice, emit func(int64, piece)) {
	alone := needed.Kind == coles.UseFeatures
	switch {
	case p.Block == nil && alone:
	case p.Block != nil && !f.Hidden:
		rows := kernel.Dense[float64](p.Block.height(), alignment.Walkers(f.Nodes))
		for i, degree := range p.Block.Degree {
			alignment.Start(f.Seed, uint64(number*f.Height+int64(i)), degree, rows.Row(i))
		}
		emit(number, piece{Block: &block{Columns: rows.Cols, Alone: alone, Degree: p.Block.Degree, Data: rows.Data}})
	case p.Tile != nil:
		a, share := p.Tile.csr(), 1/alignment.Kept
		if f.Hidden {
			share = 1
		}
		t := &tile{Other: p.Tile.Other, Own: p.Tile.Own, Mates: p.Tile.Mates, Ptr: []int32{0}, Val: []float64{}}
		for i, own := range t.Own {
			cols, vals := a.Row(i)
			for q, j := range cols {
				if alignment.Hidden(f.Seed, f.Round, uint64(number*f.Height+int64(own)), uint64(t.Other*f.Height+int64(t.Mates[j]))) == f.Hidden {
					t.Col, t.Val = append(t.Col, j), append(t.Val, share*vals[q])
				}
			}
			t.Ptr = append(t.Ptr, int32(len(t.Col)))
		}
		emit(number, piece{Tile: t})
	case p.Mates != nil:
		emit(number, p)
	}
}

// arrive takes what the degrees explain out of the signs of all nodes, and makes them equally long.
type arrive struct{}

func (f *arrive) ProcessElement(number int64, p piece, moments sums) (int64, piece) {
	b := &block{Columns: p.Block.Columns, Alone: p.Block.Alone, Degree: p.Block.Degree, Data: slices.Clone(p.Block.Data)}
	for i := range b.height() {
		alignment.Arrive(moments.Add, b.matrix().Row(i))
	}
	return number, piece{Block: b}
}

type addMoments struct{}

func (f *addMoments) ProcessElement(number int64, p piece) (int64, sums) {
	sum := make([]float64, alignment.Moments(p.Block.Columns))
	for i := range p.Block.height() {
		alignment.AddMoments(sum, p.Block.matrix().Row(i))
	}
	return partOf(number, sum, nil)
}

// centre takes what 1 and the degrees explain out of the rows that have arrived.
type centre struct{ Nodes int64 }

func (f *centre) ProcessElement(number int64, p piece, moments sums) (int64, piece) {
	b := &block{Columns: p.Block.Columns, Alone: p.Block.Alone, Degree: p.Block.Degree, Data: slices.Clone(p.Block.Data)}
	if !b.Alone {
		centre := alignment.Centre(f.Nodes, moments.Add)
		for i := range b.height() {
			centre(b.matrix().Row(i))
		}
	}
	return number, piece{Block: b}
}

// addLikeness adds up the likeness of a block's rows; a hop has their loops. Place is behind the blocks of earlier rounds.
type addLikeness struct{ Place int64 }

func (f *addLikeness) ProcessElement(number int64, p piece, needed choice) (int64, sums) {
	sum := make([]float64, 3)
	if needed.Kind == coles.UseGraph {
		for i, degree := range p.Block.Degree {
			both := p.Block.matrix().Row(i)
			row, hop := both[:len(both)/2], both[len(both)/2:]
			for c, v := range row {
				hop[c] -= v / (degree + 1)
			}
			alignment.AddLikeness(sum, row, hop)
		}
	}
	return partOf(f.Place+number, sum, nil)
}

// decide makes the choice.
type decide struct{ Nodes int64 }

func (f *decide) ProcessElement(c choice, alike sums) choice {
	if !open(c) {
		return c
	}
	a := *c.Alignment
	a.Communities, a.CommunitiesSpread = alignment.Communities(f.Nodes, alike.Add, 1)
	return chosenBy(a)
}
