package distributed

import (
	"context"
	"math"
	"slices"

	"coles"
	"coles/internal/alignment"
	"coles/internal/kernel"
	"coles/internal/linear"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// A choice is between graph and features, with the alignment that made it if it was not set.
type choice struct {
	Kind      coles.Kind
	Alignment *coles.Alignment `json:",omitempty"`
}

// chosenBy is the choice that an alignment makes.
func chosenBy(a coles.Alignment) choice { return choice{a.Kind(), &a} }

// knownChoice is the choice where nothing has to be measured.
type knownChoice struct{ Columns int }

func (f *knownChoice) ProcessElement(found facts) choice {
	a, _ := found.unmeasured(f.Columns)
	return chosenBy(a)
}

// measure is the choice by q, estimated as [coles.Settings.Alignment] does when it has that many
// random columns: 32, or twice as many again and again.
func (p plan) measure(s beam.Scope, state, found beam.PCollection, columns int) beam.PCollection {
	s = s.Scope("Choose")
	side := func(c beam.PCollection) beam.Option { return beam.SideInput{Input: c} }
	drawn := beam.ParDo(s, &drawSigns{p.worker(), p.Settings.Seed, columns}, state, side(found))
	drawn = p.filter(s, linear.Tamed(p.Settings.Filter.Coefficients()), joinNext, drawn)
	spreads := total(s, beam.ParDo(s, &spread{p.Nodes}, drawn, side(found)), p.blocks())
	along := total(s, beam.ParDo(s, &alongBasis{p.worker(), p.Nodes}, drawn, side(found), side(spreads)), p.blocks())
	products := total(s, beam.ParDo(s, &multiply{p.worker(), p.Nodes}, drawn, side(found), side(spreads), side(along)), p.blocks())
	return beam.ParDo(s, &estimateAlignment{p, columns}, products, side(along), side(found))
}

// batches are the sizes of the batches in which columns are drawn.
func batches(columns int) []int {
	var sizes []int
	for done := 0; done < columns; {
		next := alignment.Estimate{Columns: done}.Next(1) - done
		sizes = append(sizes, next)
		done += next
	}
	return sizes
}

// groupsOf are the groups of all columns.
func groupsOf(columns int) []int {
	var all []int
	for _, size := range batches(columns) {
		all = append(all, alignment.Groups(size)...)
	}
	return all
}

// drawSigns puts features times random signs, and the sum of the features to the right of them, in
// the place of the features.
type drawSigns struct {
	worker
	Seed    uint64
	Columns int
}

func (f *drawSigns) ProcessElement(ctx context.Context, number int64, p piece, found facts, emit func(int64, piece)) error {
	if p.Block == nil {
		emit(number, p)
		return nil
	}
	unit := 1.0
	if found.Preparer.Preparation() == coles.PrepareNone { // what all others make has fourth powers
		unit = alignment.Unit(found.Largest)
	}
	x := p.Block.matrix()
	e := kernel.Dense[float64](x.Rows, f.Columns+1)
	home := alignment.Homes(f.Seed, found.Columns)
	lo := 0
	for k, size := range batches(f.Columns) {
		batch, err := alignment.Draw(ctx, f.Seed, k, home, size, unit)
		if err != nil {
			return err
		}
		for i := range x.Rows {
			batch.Times(e.Row(i)[lo:lo+size], nil, x.Row(i))
		}
		lo += size
	}
	for i := range x.Rows {
		sum := 0.0
		for _, v := range x.Row(i) {
			sum += v
		}
		e.Row(i)[f.Columns] = sum
	}
	emit(number, piece{Block: &block{Columns: e.Cols, Degree: p.Block.Degree, Data: e.Data}})
	return nil
}

// explained returns two centred vectors, √degree and feature sums, that span what node size alone
// explains. A block from drawSigns and the hops has e, the sum, f and the
// filtered sum of every row.
func (b *block) explained(nodes int64, found facts) kernel.Matrix[float64] {
	v, n := kernel.Dense[float64](b.height(), 2), float64(nodes)
	for i, degree := range b.Degree {
		v.Row(i)[0] = math.Sqrt(degree) - found.Roots/n
		if !found.Signed { // or else it is no mass
			v.Row(i)[1] = b.matrix().Row(i)[b.Columns/2-1] - found.Total/n
		}
	}
	return v
}

// spread adds up what the basis is normalised by: the products of the two vectors with each other,
// and their squares with their means.
type spread struct{ Nodes int64 }

func (f *spread) ProcessElement(number int64, p piece, found facts) (int64, sums) {
	v, sum := p.Block.explained(f.Nodes, found), make([]float64, 5)
	for i := range v.Rows {
		s, x := v.Row(i)[0], v.Row(i)[1]
		whole := p.Block.matrix().Row(i)[p.Block.Columns/2-1]
		sum[0] += s * s
		sum[1] += s * x
		sum[2] += x * x
		sum[3] += p.Block.Degree[i]
		sum[4] += whole * whole
	}
	return partOf(number, sum, nil)
}

// basis is the basis Q (n × 3) of the span of 1, √degree and X·1. What others span already, up to rounding,
// is zero.
func (b *block) basis(nodes int64, found facts, v []float64) kernel.Matrix[float64] {
	first, second, third, mix := 1/math.Sqrt(float64(nodes)), 0.0, 0.0, 0.0
	const least = 1e-20 // squares of lengths, as coles.Settings.Alignment has 1e-10
	if v[0] > least*v[3] {
		second, mix = 1/math.Sqrt(v[0]), v[1]/v[0]
	}
	// What is left of X·1 is a difference of sums, which rounding leaves 1e-16 of.
	if rest := v[2] - mix*v[1]; v[2] > least*v[4] && rest > 1e-14*v[2] {
		third = 1 / math.Sqrt(rest)
	}
	x, q := b.explained(nodes, found), kernel.Unset[float64](b.height(), 3)
	for i := range x.Rows {
		s, x := x.Row(i)[0], x.Row(i)[1]
		copy(q.Row(i), []float64{first, second * s, third * (x - mix*s)})
	}
	return q
}

// squaresOfSigns are the squares of e.
func squaresOfSigns(rows kernel.Matrix[float64]) (sum float64) {
	for i := range rows.Rows {
		for _, v := range rows.Row(i)[:rows.Cols/2-1] {
			sum += v * v
		}
	}
	return sum
}

// alongBasis adds up the products of Q with all columns, and the squares of e.
type alongBasis struct {
	worker
	Nodes int64
}

func (f *alongBasis) ProcessElement(ctx context.Context, number int64, p piece, found facts, v sums, emit func(int64, sums)) error {
	rows := p.Block.matrix()
	along := kernel.Dense[float64](3, rows.Cols)
	if err := kernel.Gemm(ctx, true, false, 1, p.Block.basis(f.Nodes, found, v.Add), rows, 0, along); err != nil {
		return err
	}
	emit(partOf(number, append(along.Data, squaresOfSigns(rows)), nil))
	return nil
}

// multiply takes the basis out of all columns and adds up their products, the diagonals of the kernels of e and f
// and the squares of e.
type multiply struct {
	worker
	Nodes int64
}

func (f *multiply) ProcessElement(ctx context.Context, number int64, p piece, found facts, v, along sums, emit func(int64, sums)) error {
	rest, half := panel(slices.Clone(p.Block.Data), p.Block.Columns), p.Block.Columns/2
	q := p.Block.basis(f.Nodes, found, v.Add)
	if err := kernel.Gemm(ctx, false, false, -1, q, panel(along.Add[:3*rest.Cols], rest.Cols), 1, rest); err != nil {
		return err
	}
	products := kernel.Dense[float64](rest.Cols, rest.Cols)
	if err := kernel.Gram(ctx, 1, rest, rest, products); err != nil {
		return err
	}
	after, group := squaresOfSigns(rest), groupsOf(half-1)
	diagonals := make([]float64, alignment.Diagonals*(half-1))
	for i := range rest.Rows { // which become squares
		alignment.AddDiagonals(diagonals, group, rest.Row(i)[:half-1], rest.Row(i)[half:2*half-1])
	}
	emit(partOf(number, append(append(diagonals, after), products.Data...), nil))
	return nil
}

// estimateAlignment makes the choice.
type estimateAlignment struct {
	Plan    plan
	Columns int
}

func (f *estimateAlignment) ProcessElement(s, along sums, found facts) choice {
	if a, known := found.unmeasured(f.Plan.Columns); known {
		return chosenBy(a)
	}
	w := f.Columns
	diagonals, after, products := s.Add[:alignment.Diagonals*w], s.Add[alignment.Diagonals*w], s.Add[alignment.Diagonals*w+1:]
	if rounding := f.Plan.rounding(); after <= along.Add[6*(w+1)]*rounding*rounding {
		return chosenBy(coles.Alignment{Columns: w})
	}
	m := panel(products, 2*(w+1))
	kernel.MirrorUpper(m)
	part := func(top, left int) [][]float64 {
		rows := make([][]float64, w)
		for i := range rows {
			rows[i] = m.Row(top + i)[left : left+w]
		}
		return rows
	}
	return chosenBy(coles.Alignment(alignment.Of(groupsOf(w), part(0, 0), part(w+1, 0), part(w+1, w+1), diagonals)))
}

// settings are the settings of the fit with Kind resolved.
func (p plan) settings(c choice) coles.Settings {
	s := p.Settings
	s.Kind = c.Kind
	return s
}
