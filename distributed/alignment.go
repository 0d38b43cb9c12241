package distributed

import (
	"context"
	"math"
	"slices"

	"coles"
	"coles/internal/alignment"
	"coles/internal/eigen"
	"coles/internal/kernel"
	"coles/internal/matrix"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// A choice is between graph and features. It has the alignment that made it, if no setting did.
type choice struct {
	Kind      coles.Kind
	Alignment *coles.Alignment `json:",omitempty"`
	Settled   bool             // whatever communities there are
}

// chosenBy is the choice that an alignment makes.
func chosenBy(a coles.Alignment) choice { return choice{Kind: a.Kind(), Alignment: &a} }

// measure is the choice by s, as in [coles.Settings.Alignment]: from the sums RᵀR of the features scaled to length 1, and from
// one hop of their leading directions.
func (p plan) measure(s beam.Scope, state, found beam.PCollection) beam.PCollection {
	s = s.Scope("Choose")
	side := func(c beam.PCollection) beam.Option { return beam.SideInput{Input: c} }
	leading := beam.ParDo(s, &findDirections{p}, total(s, beam.ParDo(s, &unitGram{}, state, side(found)), p.blocks()), side(found))
	rows := p.filter(s, []float64{0, 1}, joinNext, beam.ParDo(s, &alongDirections{}, state, side(found), side(leading)))
	products := total(s, beam.ParDo(s, &addProducts{}, rows), p.blocks())
	influence := total(s, beam.ParDo(s, &addInfluence{}, rows, side(products), side(leading)), p.blocks())
	return beam.ParDo(s, &estimateSlopes{}, products, side(influence), side(leading), side(found))
}

// unitRows are the rows of features scaled to length 1, and for each row 1, or 0 if it has no features and is zero.
func (b *block) unitRows(largest float64) (rows kernel.Matrix[float64], live []float64) {
	_, exponent := math.Frexp(largest)
	rows, live = panel(slices.Clone(b.Data), b.Columns), make([]float64, b.height())
	for i := range rows.Rows {
		row := rows.Row(i)
		for q, v := range row {
			row[q] = math.Ldexp(v, -exponent)
		}
		if length := matrix.Length(row); length > alignment.Shortest {
			matrix.Scale(row, 1/length)
			live[i] = 1
		} else {
			clear(row)
		}
	}
	return rows, live
}

// unitGram adds up HᵀH of unit rows H, Hᵀ1, Hᵀ√degree, and the numbers and sums of √degree and of degrees of the rows
// that are not zero.
type unitGram struct{}

func (f *unitGram) ProcessElement(ctx context.Context, number int64, p piece, found facts, emit func(int64, sums)) error {
	if p.Block == nil {
		return nil
	}
	rows, live := p.Block.unitRows(found.Largest)
	gram := kernel.Dense[float64](rows.Cols, rows.Cols)
	if err := kernel.Gram(ctx, 1, rows, rows, gram); err != nil {
		return err
	}
	along, columns := sumsOfRows(rows, p.Block.Degree)
	sum := slices.Concat(gram.Data, columns, along, make([]float64, 3))
	for i, v := range live {
		tail := sum[len(sum)-3:]
		tail[0] += v
		tail[1] += v * math.Sqrt(p.Block.Degree[i])
		tail[2] += v * p.Block.Degree[i]
	}
	emit(partOf(number, sum, nil))
	return nil
}

// directions are leading eigenvectors of RᵀR (in rows) with their eigenvalues. R are the unit rows less their mean and what
// √degree explains. There are none where the features tell nothing.
type directions struct {
	Values, Vectors []float64
	Mean, Slope     []float64 // what is taken out of each row, along the vectors: Mean + (√degree − Root)·Slope
	Root            float64
	Noise           bool // hardly more than that
}

// findDirections finds the directions.
type findDirections struct{ Plan plan }

func (f *findDirections) ProcessElement(ctx context.Context, s sums, found facts) (v directions, err error) {
	d := f.Plan.Columns
	gram, columns, along, tail := panel(s.Add[:d*d], d), s.Add[d*d:][:d], s.Add[d*d+d:][:d], s.Add[d*d+2*d:]
	nodes := tail[0]
	if nodes == 0 || found.Graph.Edges == 0 {
		return v, nil
	}
	v.Root = tail[1] / nodes
	spread, slope := tail[2]-v.Root*tail[1], make([]float64, d)
	if spread > 1e-20*tail[2] {
		for j := range slope {
			slope[j] = (along[j] - v.Root*columns[j]) / spread
		}
	}
	kernel.MirrorUpper(gram)
	all := 0.0
	for i := range d {
		for j := range d {
			gram.Row(i)[j] -= columns[i]*columns[j]/nodes + slope[i]*slope[j]*spread
		}
		all += gram.Row(i)[i]
	}
	r, err := eigen.Direct(ctx, gram, min(alignment.Directions, d))
	if err != nil {
		return v, err
	}
	rounding := max(f.Plan.rounding()*f.Plan.rounding(), 1e-14) // what sums of squares leave
	if largest := r.Values[0]; largest <= rounding*nodes {
		return v, nil
	}
	v.Noise = alignment.Noise(r.Values[0], all, nodes, float64(d))
	v.Values, v.Vectors = r.Values, r.Vectors.Data
	for k := range v.Values {
		mean, steep := 0.0, 0.0
		for j, x := range r.Vectors.Row(k) {
			mean += x * columns[j] / nodes
			steep += x * slope[j]
		}
		v.Mean, v.Slope = append(v.Mean, mean), append(v.Slope, steep)
	}
	return v, nil
}

// alongDirections replaces the features by the left singular vectors and 1, or zeros for a node without features, times
// √(degree + 1). It leaves tiles in units of the mean weight: a hop is D^-½(A + I)D^-½ then.
type alongDirections struct{}

func (f *alongDirections) ProcessElement(number int64, p piece, found facts, v directions, emit func(int64, piece)) {
	weight := found.meanWeight()
	switch {
	case p.Tile != nil && weight != 1:
		t := *p.Tile
		t.Val = slices.Clone(t.csr().Val)
		matrix.Scale(t.Val, 1/weight)
		emit(number, piece{Tile: &t})
	case p.Block == nil:
		emit(number, p)
	default:
		rows, live := p.Block.unitRows(found.Largest)
		u := kernel.Dense[float64](rows.Rows, alignment.Width/2)
		degrees := slices.Clone(p.Block.Degree)
		for i := range u.Rows {
			degrees[i] /= weight
			if live[i] == 0 || len(v.Values) == 0 {
				continue
			}
			root := math.Sqrt(degrees[i] + 1)
			for k, value := range v.Values {
				if value > 1e-12*v.Values[0] {
					along := 0.0
					for j, x := range rows.Row(i) {
						along += x * v.Vectors[k*rows.Cols+j]
					}
					along -= v.Mean[k] + (math.Sqrt(p.Block.Degree[i])-v.Root)*v.Slope[k]
					u.Row(i)[k] = root * along / math.Sqrt(value)
				}
			}
			u.Row(i)[alignment.Directions] = root
		}
		emit(number, piece{Block: &block{Columns: u.Cols, Degree: degrees, Data: u.Data}})
	}
}

// meanWeight is the mean weight of an edge, 1 without any.
func (f facts) meanWeight() float64 {
	if f.Graph.Edges == 0 {
		return 1
	}
	return f.Volume / float64(2*f.Graph.Edges)
}

// eachRow visits rows with their sums over neighbours, after the hop of [alongDirections].
func (b *block) eachRow(visit func(row []float64)) {
	row := make([]float64, alignment.Width)
	for i, degree := range b.Degree {
		root, both := math.Sqrt(degree+1), b.matrix().Row(i)
		for c, v := range both[:len(both)/2] {
			row[c] = v / root
			row[len(row)/2+c] = both[len(both)/2+c]*root - row[c]
		}
		visit(row)
	}
}

type addProducts struct{}

func (f *addProducts) ProcessElement(number int64, p piece) (int64, sums) {
	sum := make([]float64, alignment.Products)
	p.Block.eachRow(func(row []float64) { alignment.AddProducts(sum, row) })
	return partOf(number, sum, nil)
}

// addInfluence adds up the squared influence of rows on s.
type addInfluence struct{}

func (f *addInfluence) ProcessElement(number int64, p piece, products sums, v directions) (int64, sums) {
	sum := []float64{0}
	if s, known := alignment.SlopesOf(products.Add, v.Values); known {
		p.Block.eachRow(func(row []float64) { off := s.Influence(row); sum[0] += off * off })
	}
	return partOf(number, sum, nil)
}

// estimateSlopes makes the choice.
type estimateSlopes struct{}

func (f *estimateSlopes) ProcessElement(products, influence sums, v directions, found facts) choice {
	if found.Graph.Edges == 0 {
		return choice{Kind: coles.UseFeatures, Alignment: &coles.Alignment{Known: true}, Settled: true}
	}
	if s, known := alignment.SlopesOf(products.Add, v.Values); known {
		along, deviation := s.Along(products.Add, influence.Add[0])
		return chosenBy(coles.Alignment{Neighbours: along, Deviation: deviation, Known: !v.Noise})
	}
	return chosenBy(coles.Alignment{})
}

// settings are the settings of the fit with Kind resolved.
func (p plan) settings(c choice) coles.Settings {
	s := p.Settings
	s.Kind = c.Kind
	return s
}
