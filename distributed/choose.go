package distributed

import (
	"context"
	"math"

	"coles"
	"coles/internal/alignment"
	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// A choice is between graph and features, with the alignment that made it if it was not set.
type choice struct {
	Model     coles.ModelKind
	Alignment *coles.Alignment `json:",omitempty"`
}

// chosenBy is the choice that an alignment makes.
func chosenBy(a coles.Alignment) choice { return choice{a.Model(), &a} }

// choose is the choice between graph and features, a collection of one choice. All is done at once, and
// q is measured by as many random columns as coles.Fit takes at most.
func (p plan) choose(s beam.Scope, state, found beam.PCollection) beam.PCollection {
	if p.Settings.Model != 0 {
		return beam.Create(s, choice{Model: p.Settings.Model})
	}
	measured := beam.ParDo(s, &knownChoice{p.Columns}, found)
	if p.Columns >= alignment.Least {
		measured = p.measure(s, state, found, p.mostColumns())
	}
	return p.settle(s, state, measured)
}

func (p plan) mostColumns() int {
	var e alignment.Estimate
	for next := e.Next(int(p.Nodes)); next > 0; next = e.Next(int(p.Nodes)) {
		e.Columns = next
	}
	return e.Columns
}

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

// A sketched block comes from drawSigns and the hops: e and f of every row, and the two
// vectors in which the basis of what the size of a node explains is written.
type sketched struct {
	rows       kernel.Matrix[float64] // e, sum, f, filtered sum
	wide       int
	root, sums func(i int) float64 // √degree and the sum of the features, without their means
}

func (b *block) sketched(nodes int64, found facts) sketched {
	m := b.matrix()
	wide := m.Cols/2 - 1
	n := float64(nodes)
	return sketched{
		rows: m, wide: wide,
		root: func(i int) float64 { return math.Sqrt(b.Degree[i]) - found.Roots/n },
		sums: func(i int) float64 {
			if found.Signed { // is no mass
				return 0
			}
			return m.Row(i)[wide] - found.Total/n
		},
	}
}

// row is e and f of a row.
func (k sketched) row(i int) (e, f []float64) {
	row := k.rows.Row(i)
	return row[:k.wide], row[k.wide+1 : 2*k.wide+1]
}

// spread adds up what the basis is normalised by: the products of the two vectors with each other,
// and their squares with their means.
type spread struct{ Nodes int64 }

func (f *spread) ProcessElement(number int64, p piece, found facts) (int64, sums) {
	k := p.Block.sketched(f.Nodes, found)
	sum := make([]float64, 5)
	for i := range k.rows.Rows {
		s, x := k.root(i), k.sums(i)
		whole := k.rows.Row(i)[k.wide]
		sum[0] += s * s
		sum[1] += s * x
		sum[2] += x * x
		sum[3] += p.Block.Degree[i]
		sum[4] += whole * whole
	}
	return partOf(number, sum, nil)
}

// basis is the basis Q of the span of 1, √degree and X·1: rows q of three numbers. What others span
// already, up to rounding, is zero.
func (k sketched) basis(nodes int64, v []float64) func(i int) [3]float64 {
	first, second, third, mix := 1/math.Sqrt(float64(nodes)), 0.0, 0.0, 0.0
	const least = 1e-20 // squares of lengths, as coles.Settings.Alignment has 1e-10
	if v[0] > least*v[3] {
		second, mix = 1/math.Sqrt(v[0]), v[1]/v[0]
	}
	// What is left of X·1 is a difference of sums, which rounding leaves 1e-16 of.
	if rest := v[2] - mix*v[1]; v[2] > least*v[4] && rest > 1e-14*v[2] {
		third = 1 / math.Sqrt(rest)
	}
	return func(i int) [3]float64 {
		s, x := k.root(i), k.sums(i)
		return [3]float64{first, second * s, third * (x - mix*s)}
	}
}

// alongBasis adds up Qᵀe and Qᵀf of all columns, and the squares of e.
type alongBasis struct {
	worker
	Nodes int64
}

func (f *alongBasis) ProcessElement(number int64, p piece, found facts, v sums) (int64, sums) {
	k := p.Block.sketched(f.Nodes, found)
	q := k.basis(f.Nodes, v.Add)
	sum := make([]float64, 6*k.wide+1)
	for i := range k.rows.Rows {
		e, g := k.row(i)
		for c, along := range q(i) {
			matrix.AddScaled(sum[2*c*k.wide:], along, e)
			matrix.AddScaled(sum[(2*c+1)*k.wide:], along, g)
		}
		for _, v := range e {
			sum[6*k.wide] += v * v
		}
	}
	return partOf(number, sum, nil)
}

// multiply takes the basis out of e and f and adds up their products, the diagonals of their kernels
// and the squares of e.
type multiply struct {
	worker
	Nodes int64
}

func (f *multiply) ProcessElement(ctx context.Context, number int64, p piece, found facts, v, along sums, emit func(int64, sums)) error {
	k := p.Block.sketched(f.Nodes, found)
	q := k.basis(f.Nodes, v.Add)
	both := kernel.Unset[float64](k.rows.Rows, 2*k.wide)
	diagonals := make([]float64, alignment.Diagonals*k.wide)
	group := groupsOf(k.wide)
	after := 0.0
	squares := make([]float64, 2*k.wide)
	for i := range both.Rows {
		row := both.Row(i)
		e, g := k.row(i)
		copy(row[copy(row, e):], g)
		for c, v := range q(i) {
			matrix.AddScaled(row, -v, along.Add[2*c*k.wide:2*(c+1)*k.wide])
		}
		for _, v := range row[:k.wide] {
			after += v * v
		}
		copy(squares, row)
		alignment.AddDiagonals(diagonals, group, squares[:k.wide], squares[k.wide:])
	}
	products := kernel.Dense[float64](both.Cols, both.Cols)
	if err := kernel.Gram(ctx, 1, both, both, products); err != nil {
		return err
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
	if rounding := f.Plan.rounding(); after <= along.Add[6*w]*rounding*rounding {
		return chosenBy(coles.Alignment{Columns: w})
	}
	m := panel(products, 2*w)
	kernel.MirrorUpper(m)
	part := func(top, left int) [][]float64 {
		rows := make([][]float64, w)
		for i := range rows {
			rows[i] = m.Row(top + i)[left : left+w]
		}
		return rows
	}
	return chosenBy(coles.Alignment(alignment.Of(groupsOf(w), part(0, 0), part(w, 0), part(w, w), diagonals)))
}
