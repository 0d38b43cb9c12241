package distributed

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"coles"
	"coles/internal/inside"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// planOf returns the plan of an embedding by a fitted model, and the file of the model.
//
// Errors: [coles.ErrSetting], [coles.ErrShape] for another number of features than the model has, or
// a model without any, [coles.ErrTooLarge].
func planOf(nodes int64, columns int, m *coles.Model, grid Grid) (plan, []byte, error) {
	fail := func(err error) (plan, []byte, error) {
		return plan{}, nil, fmt.Errorf("distributed: embed: %w", err)
	}
	parts := m.Parts()
	switch _, d := parts[0].Directions.Dims(); {
	case len(parts) > 1:
		return fail(fmt.Errorf("%w: the model has columns of a structure, which is in the memory of one machine", coles.ErrSetting))
	case m.Parts()[0].Structure() != nil:
		return fail(fmt.Errorf("%w: the model was fitted without features", coles.ErrShape))
	case d == 0:
		return fail(fmt.Errorf("%w: the model has no columns", coles.ErrSetting))
	case d != columns:
		return fail(fmt.Errorf("%w: %d features, the model is of %d", coles.ErrShape, columns, d))
	}
	if err := errors.Join(checkSizes(nodes, columns), grid.check()); err != nil {
		return plan{}, nil, err
	}
	var file bytes.Buffer
	_, err := m.WriteTo(&file)
	return plan{Nodes: nodes, Columns: columns, Grid: grid.resolved(nodes, columns), Settings: m.Settings()}, file.Bytes(), err
}

// byModel adds the embedding as [coles.Model.Embed] makes it, to rounding: hops on d′ columns, and nothing is solved.
func (p plan) byModel(s beam.Scope, in input, m *coles.Model, file []byte) beam.PCollection {
	s = s.Scope("Embed")
	state, parts := p.state(s, in, p.rawBlocks(s, in.features), beam.Create(s, learned{m.Parts()[0].Preparer}), worker{Kernel: p.Grid.Kernel})
	counted := total(s, parts, p.blocks())
	v := m.Parts()[0].Directions.RawMatrix()
	directions := solution{Columns: v.Cols, Lambda: make([]float64, v.Rows), Directions: v.Data, Mean: make([]float64, v.Rows)}
	state = beam.ParDo(s, &narrow{p.worker()}, state, beam.SideInput{Input: beam.Create(s, directions)})
	state = p.filter(s, inside.Linear(p.Settings).Filter[:p.hops()], nothingNext, state)
	return beam.ParDo(s, &scaleBlock{p}, state, beam.SideInput{Input: beam.Create(s, file)}, beam.SideInput{Input: counted})
}

// narrow replaces X by XVᵀ.
type narrow struct{ worker }

func (*narrow) ProcessElement(ctx context.Context, number int64, p piece, v solution, emit func(int64, piece)) error {
	if p.Block != nil {
		y, err := v.columns(ctx, p.Block)
		if err != nil {
			return err
		}
		p.Block = &block{Columns: y.Cols, Degree: p.Block.Degree, Data: y.Data}
	}
	emit(number, p)
	return nil
}

// scaleBlock makes rows of an embedding of a block.
type scaleBlock struct{ Plan plan }

func (f *scaleBlock) ProcessElement(number int64, p piece, model []byte, counted sums, emit func(int64, rowChunk)) error {
	if err := f.Plan.checkRows(counted); err != nil || p.Block == nil {
		return err
	}
	y, err := scaledRows(rowChunk{number * f.Plan.Grid.Height, p.Block.Columns, p.Block.Data}, model)
	if err == nil {
		emit(number, y)
	}
	return err
}
