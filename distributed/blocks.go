package distributed

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"coles"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/prepare"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// rawBlocks cuts and joins rows of any heights to blocks, as KV<int64, piece>.
func (p plan) rawBlocks(s beam.Scope, features beam.PCollection) beam.PCollection {
	s = s.Scope("Blocks")
	cut := beam.ParDo(s, &cutRows{p.Nodes, p.Grid.Height, p.Columns}, features)
	return beam.ParDo(s, &joinRows{p.Nodes, p.Grid.Height, p.Columns}, beam.GroupByKey(s, cut))
}

// cutRows cuts rows where blocks end.
type cutRows struct {
	Nodes, Height int64
	Columns       int
}

func (f *cutRows) ProcessElement(r rowChunk, emit func(int64, rowChunk)) error {
	rows := int64(r.height())
	switch {
	case r.Columns != f.Columns || len(r.Data)%f.Columns != 0:
		return fmt.Errorf("distributed: features: %w: rows of %d columns, want %d", coles.ErrShape, r.Columns, f.Columns)
	case r.First < 0 || r.First > f.Nodes-rows:
		return fmt.Errorf("distributed: features: %w: rows %d to %d of %d", coles.ErrShape, r.First, r.First+rows-1, f.Nodes)
	}
	for q, v := range r.Data {
		if !matrix.Finite(v) {
			return fmt.Errorf("distributed: features: %w: %v at row %d, column %d", coles.ErrNotFinite, v, r.First+int64(q/f.Columns), q%f.Columns)
		}
	}
	for first := r.First; first < r.First+rows; {
		block := first / f.Height
		end := min((block+1)*f.Height, r.First+rows)
		emit(block, rowChunk{first, f.Columns, r.Data[(first-r.First)*int64(f.Columns) : (end-r.First)*int64(f.Columns)]})
		first = end
	}
	return nil
}

// joinRows puts the rows of a block together.
type joinRows struct {
	Nodes, Height int64
	Columns       int
}

func (f *joinRows) ProcessElement(number int64, next func(*rowChunk) bool, emit func(int64, piece)) error {
	var parts []rowChunk
	for r := (rowChunk{}); next(&r); r = (rowChunk{}) {
		parts = append(parts, r)
	}
	slices.SortFunc(parts, func(a, b rowChunk) int { return cmp.Compare(a.First, b.First) })
	first := number * f.Height
	end := min(first+f.Height, f.Nodes)
	b := &block{Columns: f.Columns, Data: make([]float64, 0, (end-first)*int64(f.Columns))}
	for _, r := range append(parts, rowChunk{First: end}) {
		if r.First != first {
			return fmt.Errorf("distributed: features: %w: row %d is not there, or there twice", coles.ErrShape, min(first, r.First))
		}
		b.Data = append(b.Data, r.Data...)
		first += int64(r.height())
	}
	emit(number, piece{Block: b})
	return nil
}

// learned holds a preparation after it has seen the features.
type learned struct{ Preparer *coles.Preparer }

// learn learns the preparation of raw blocks, a collection of one learned.
func (p plan) learn(s beam.Scope, raw beam.PCollection) beam.PCollection {
	s = s.Scope("Learn")
	seen := total(s, beam.ParDo(s, &survey{p.Nodes}, raw), p.blocks())
	squares, products := beam.Create(s, sums{}), beam.Create(s, sums{})
	switch p.Settings.Preparation {
	case coles.PrepareAuto, coles.PrepareUndamped, coles.PrepareStandardize, coles.PrepareBalanced, coles.PrepareVectors:
		parts := beam.ParDo(s, &squareColumns{p}, raw, beam.SideInput{Input: seen})
		squares = total(s, parts, p.blocks())
	}
	switch p.Settings.Preparation {
	case coles.PrepareAuto, coles.PrepareUndamped, coles.PrepareBalanced, coles.PrepareVectors:
		parts := beam.ParDo(s, &correlate{p}, raw, beam.SideInput{Input: seen}, beam.SideInput{Input: squares})
		products = total(s, parts, p.blocks())
	}
	return beam.ParDo(s, &learn{p}, seen, beam.SideInput{Input: squares}, beam.SideInput{Input: products})
}

// survey counts what values a block has.
type survey struct{ Nodes int64 }

func (f *survey) ProcessElement(number int64, b piece) (int64, sums) {
	raw := b.Block
	d := raw.Columns
	var tally matrix.Tally
	roots, columns := make([]matrix.RootSums, d), matrix.NewColumnSums(d)
	share := 1 / float64(f.Nodes)
	for lo := 0; lo < len(raw.Data); lo += d {
		row := raw.Data[lo : lo+d]
		tally.Add(row)
		matrix.AddRoots(roots, share, nil, row)
		columns.Add(share, nil, row)
	}
	key, sum := partOf(number, nil, nil)
	sum.Seen = &seen{tally, roots, columns}
	return key, sum
}

func flag(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// how is the preparation. If it is a choice, the values of columns that have some make it.
func (p plan) how(v *seen) prepare.Kind {
	used := 0
	for _, c := range v.Roots {
		if c.Count > 0 {
			used++
		}
	}
	return prepare.Kind(p.Settings.Preparation).Suitable(&v.Tally, int(p.Nodes), max(1, used))
}

// squareColumns adds up squares where deviations are needed.
type squareColumns struct{ Plan plan }

func (f *squareColumns) ProcessElement(number int64, b piece, all sums) (int64, sums) {
	v := all.Seen
	if !f.Plan.how(v).Deviates(v.Roots, int(f.Plan.Nodes)) {
		return partOf(number, nil, nil)
	}
	p, sum := v.Columns.Squares(), make([]float64, f.Plan.Columns)
	for lo := 0; lo < len(b.Block.Data); lo += f.Plan.Columns {
		p.Add(sum, nil, b.Block.Data[lo:lo+f.Plan.Columns])
	}
	return partOf(number, sum, nil)
}

// moments are the statistics of the columns, with the runs that may be embeddings.
func (p plan) moments(all, squares sums) (how prepare.Kind, found prepare.Sums) {
	v := all.Seen
	how, found = p.how(v), prepare.Sums{Roots: v.Roots, Columns: v.Columns}
	if how.Deviates(v.Roots, int(p.Nodes)) {
		found.Inverse = v.Columns.Squares().Inverse(squares.Add, int(p.Nodes))
	}
	found.Runs = how.Runs(int(p.Nodes), found)
	return how, found
}

// correlate adds up the products of columns that may be an embedding, and their rows.
type correlate struct{ Plan plan }

func (f *correlate) ProcessElement(ctx context.Context, number int64, b piece, all, squares sums, emit func(int64, sums)) error {
	_, found := f.Plan.moments(all, squares)
	if len(found.Runs) == 0 {
		emit(partOf(number, nil, nil))
		return nil
	}
	var rows []float64
	raw := panel(b.Block.Data, b.Block.Columns)
	for i := range raw.Rows {
		if prepare.Sampled(matrix.HashRow(nil, raw.Row(i)), int(f.Plan.Nodes)) {
			rows = append(rows, raw.Row(i)...)
		}
	}
	gram := kernel.Dense[float64](found.Wide(), found.Wide())
	if err := found.AddCorrelations(ctx, panel(rows, raw.Cols), gram); err != nil {
		return err
	}
	emit(partOf(number, append(gram.Data, float64(len(rows)/raw.Cols)), nil))
	return nil
}

// learn makes the preparer.
type learn struct{ Plan plan }

func (f *learn) ProcessElement(all, squares, products sums) (learned, error) {
	how, found := f.Plan.moments(all, squares)
	if w := found.Wide(); w > 0 {
		found.Gram, found.Rows = panel(products.Add[:w*w], w), products.Add[w*w]
	}
	text, err := json.Marshal(struct{ Preparer any }{how.Learned(int(f.Plan.Nodes), f.Plan.Columns, found)})
	if err != nil {
		return learned{}, fmt.Errorf("distributed: preparer: %w", err)
	}
	return decoded[learned](text)
}
