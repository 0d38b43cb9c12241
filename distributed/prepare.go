package distributed

import (
	"context"
	"errors"
	"fmt"
	"math"

	"coles"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"gonum.org/v1/gonum/mat"
)

// facts are measured on graph and features.
type facts struct {
	Preparer *coles.Preparer
	Graph    coles.GraphReport
	Volume   float64 // sum of the degrees
	Squares  float64 // of the features, prepared
	Largest  float64 // magnitude of these
}

// An input is graph and features as collections of a pipeline.
type input struct {
	edges    beam.PCollection // of edgeChunk; not valid in a graph without edges
	features beam.PCollection // of rowChunk, which together hold every row of X once
}

// prepare is the first step of a fit: the state is prepared features with degrees, and tiles.
func (p plan) prepare(s beam.Scope, in input) (state, found beam.PCollection) {
	raw := p.rawBlocks(s, in.features)
	how := p.learn(s, raw)
	w := p.worker()
	if p.Settings.Kind == 0 { // several steps take the pieces
		w.Job = ""
	}
	state, parts := p.state(s, in, raw, how, w)
	s = s.Scope("Facts")
	found = beam.ParDo(s, &gatherFacts{p}, total(s, parts, p.blocks()), beam.SideInput{Input: how})
	return state, found
}

// state prepares raw blocks and joins them with their tiles.
func (p plan) state(s beam.Scope, in input, raw, how beam.PCollection, w worker) (state, parts beam.PCollection) {
	all := raw
	if in.edges.IsValid() {
		all = beam.Flatten(s, raw, p.tiles(s, in.edges))
	}
	s = s.Scope("Prepare")
	return beam.ParDo2(s, &prepareBlock{w, p.Grid.Height, p.Grid.Messages == coles.Float32, p.Settings.Kind == coles.UseFeatures}, beam.GroupByKey(s, all), beam.SideInput{Input: how})
}

// prepareBlock prepares features and adds up degrees.
type prepareBlock struct {
	worker
	Height int64
	Single bool
	Alone  bool
}

func (f *prepareBlock) ProcessElement(ctx context.Context, number int64, next func(*piece) bool, how learned, emit func(int64, piece), count func(int64, sums)) error {
	h, err := gather(number, next)
	if err != nil {
		return err
	}
	first, send := number*f.Height, f.sender(emit)
	b := &block{Columns: h.block.Columns, Alone: f.Alone, Degree: h.degrees()}
	var edges tally
	for _, t := range h.tiles {
		edges.add(*t.Counts)
		t.Counts = nil
	}
	volume, isolated := 0.0, 0.0
	for r, d := range b.Degree {
		if !matrix.Finite(d) {
			return fmt.Errorf("distributed: graph: %w: the weights of node %d add up to infinity", coles.ErrNotFinite, first+int64(r))
		}
		if f.Single && d > 0 && !(d > 1e-60 && d < 1e60) { // rows travel over the root of d, sums of them times it
			return fmt.Errorf("distributed: graph: %w: the weights of node %d add up to %.3g, too far from 1 for float32; scale them or send messages in float64", coles.ErrPrecision, first+int64(r), d)
		}
		volume += d
		isolated += flag(d == 0)
	}
	prepared, err := how.Preparer.Apply(ctx, mat.NewDense(h.block.height(), b.Columns, h.block.Data))
	if err != nil {
		return fmt.Errorf("distributed: from row %d on: %w", first, err)
	}
	b.Data = mat.DenseCopyOf(prepared).RawMatrix().Data
	largest := matrix.Magnitude(b.Data)
	if f.Single { // as it will travel
		roundSingle(b.Data)
	}
	squares := 0.0
	for _, v := range b.Data {
		squares += v * v
	}
	count(partOf(number, []float64{
		volume, squares, isolated, float64(edges.Edges), float64(edges.Duplicates), float64(edges.Loops), float64(edges.Zeros), float64(b.height()),
	}, []float64{largest, float64(edges.Weighted)}))
	send(number, piece{Block: b})
	if f.Alone {
		return nil
	}
	for _, t := range h.tiles {
		if len(t.Own) > 0 {
			send(number, piece{Tile: t})
		}
	}
	for _, m := range h.mates {
		if len(m.Rows) > 0 {
			send(number, piece{Mates: &mates{Other: m.Other, Rows: m.Rows}})
		}
	}
	return nil
}

// sumsOfRows are Hᵀ√degree and Hᵀ1 of rows H.
func sumsOfRows(h kernel.Matrix[float64], degrees []float64) (along, columns []float64) {
	along, columns = make([]float64, h.Cols), make([]float64, h.Cols)
	for r, degree := range degrees {
		row := h.Row(r)
		matrix.AddScaled(along, math.Sqrt(degree), row)
		matrix.AddScaled(columns, 1, row)
	}
	return along, columns
}

// checkRows compares the number of rows that all blocks have with n.
func (p plan) checkRows(counted sums) error {
	if rows := int64(counted.Add[7]); rows != p.Nodes {
		return fmt.Errorf("distributed: features: %w: %d rows for %d nodes", coles.ErrShape, rows, p.Nodes)
	}
	return nil
}

// gatherFacts puts together what all blocks have counted.
type gatherFacts struct{ Plan plan }

func (f *gatherFacts) ProcessElement(s sums, how learned) (facts, error) {
	v := s.Add
	found := facts{
		Preparer: how.Preparer, Volume: v[0], Squares: v[1], Largest: s.Most[0],
		Graph: coles.GraphReport{
			Nodes: int(f.Plan.Nodes), Edges: int(v[3]), Isolated: int(v[2]), DuplicatesMerged: int(v[4]),
			SelfLoopsDropped: int(v[5]), ZeroWeightDropped: int(v[6]), Weighted: s.Most[1] > 0,
		},
	}
	if !matrix.Finite(found.Volume) {
		return found, fmt.Errorf("distributed: graph: %w: the weights of all nodes add up to infinity", coles.ErrNotFinite)
	}
	if err := errors.Join(f.Plan.checkRows(s), f.Plan.checkNumbers(found)); err != nil {
		return found, fmt.Errorf("distributed: %w", err)
	}
	return found, nil
}

// checkNumbers compares features and filter with what numbers can hold.
func (p plan) checkNumbers(found facts) error {
	filter := inside.Linear(p.Settings).Filter
	if p.Grid.Messages != coles.Float32 {
		return linear.CheckUnderflow(filter, found.Largest)
	}
	return errors.Join(linear.CheckUnderflow(filter, found.Largest),
		linear.CheckSingle("features", found.Largest), linear.CheckSingle("filter coefficients", matrix.Magnitude(filter)))
}
