package prepare

import (
	"context"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/stream"
)

// A Block is columns [From, To) that are an embedding. A row of them, centred and weighted, is brought to a length.
type Block struct {
	From   int     `json:"from"`
	To     int     `json:"to"`
	Length float64 `json:"length"`
}

const (
	// narrowest is the number of columns from which a run of them may be an embedding.
	narrowest = 32
	// sampled is about how many rows correlations are measured on.
	sampled = 4096
	// uncorrelated is the least share of its columns that a run of principal axes amounts to, by their correlations. Axes of
	// features that are not centred, or of half of the rows, reach it on all of six graphs.
	uncorrelated = 0.9
)

// Sampled reports whether correlations are measured on a row, by its hash: so that the order of rows changes nothing.
func Sampled(hash uint64, rows int) bool {
	return rows <= sampled || float64(stream.Seed(0, hash)) < sampled/float64(rows)*(1<<64)
}

// isCategory reports whether a column has nothing but 0 and one other number.
func (s Sums) isCategory(j int, rows float64) bool {
	all := s.Columns.Count[j] / rows * s.Columns.Largest[j]
	return s.Columns.Count[j] < rows && math.Abs(math.Abs(s.Columns.Mean[j])-all) <= 1e-9*all
}

// Runs are the columns that may be an embedding each. A category ends a run. So does a column that fewer than one row in ten
// has, or beside words fewer than half. So does a deviation more than e^1.5 times above or below the median of the run's last
// sixteen. With these factors 105 tables and embeddings side by side all came apart.
func (k Kind) Runs(rows int, s Sums) (runs []Block) {
	if !k.fills() && k != Balanced || s.Inverse == nil {
		return nil
	}
	least := 0.1 * float64(rows)
	if k == Balanced {
		least = denseShare * float64(rows)
	}
	var run []int
	var logs []float64
	end := func() {
		if len(run) >= narrowest {
			runs = append(runs, Block{From: run[0], To: run[len(run)-1] + 1})
		}
		run, logs = run[:0], logs[:0]
	}
	for j, inverse := range s.Inverse {
		if inverse == 0 { // a constant tells nothing
			continue
		}
		size := -math.Log(inverse)
		own := s.Columns.Count[j] >= least && !s.isCategory(j, float64(rows))
		if !own || len(logs) > 0 && math.Abs(size-median(logs[max(0, len(logs)-16):])) > 1.5 {
			end()
		}
		if own {
			run, logs = append(run, j), append(logs, size)
		}
	}
	end()
	return runs
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// Wide is the number of columns of all runs.
func (s Sums) Wide() (wide int) {
	for _, b := range s.Runs {
		wide += b.To - b.From
	}
	return wide
}

// AddCorrelations adds the columns of runs, centred and in units of deviations, to the sums that become correlations.
func (s Sums) AddCorrelations(ctx context.Context, rows kernel.Matrix[float64], gram kernel.Matrix[float64]) error {
	own := kernel.Unset[float64](rows.Rows, gram.Cols)
	for i := range rows.Rows {
		row := own.Row(i)[:0]
		for _, b := range s.Runs {
			for j := b.From; j < b.To; j++ {
				row = append(row, deviation(rows.Row(i)[j], s.Columns.Mean[j], s.Inverse[j]))
			}
		}
	}
	return kernel.Gram(ctx, 1, own, own, gram)
}

// correlations are the sums of the sampled rows.
func (s Sums) correlations(ctx context.Context, x *matrix.Source) (gram kernel.Matrix[float64], count int, err error) {
	n, d := x.Dims()
	gram = kernel.Dense[float64](s.Wide(), s.Wide())
	hashes, err := matrix.RowHashes(ctx, x)
	if err != nil {
		return gram, 0, err
	}
	const strip = 256
	rows, held := kernel.Unset[float64](strip, d), 0
	for i := range n {
		if Sampled(hashes[i], n) {
			x.Each(i, i+1, func(_ int, cols []int32, vals []float64) {
				row := rows.Row(held)
				clear(row)
				for q, v := range vals {
					row[matrix.Column(cols, q)] = v
				}
			})
			held, count = held+1, count+1
		}
		if held == strip || i == n-1 {
			if err := s.AddCorrelations(ctx, kernel.Rows(rows, 0, held), gram); err != nil {
				return gram, 0, err
			}
			held = 0
		}
	}
	return gram, count, nil
}

// participation is the number of independent columns that the columns of a covariance amount to, tr(C)²/‖C‖²,
// by its sums over some rows, which add tr(C)²/rows to the second. Column j has place j + shift in the sums.
func participation(gram kernel.Matrix[float64], rows float64, columns []int, shift int, weight func(j int) float64) float64 {
	trace, squares := 0.0, 0.0
	for _, i := range columns {
		for _, j := range columns {
			v := weight(i) * weight(j) * gram.Row(min(i, j) + shift)[max(i, j)+shift] / rows
			squares += v * v
			if i == j {
				trace += v
			}
		}
	}
	return trace * trace / max(squares-trace*trace/rows, trace*trace/float64(len(columns)))
}

// embed sets blocks, by sums over some rows. Without one it leaves the columns standardised. Columns that hardly correlate,
// principal axes of one unit, are not standardised: equal weights would whiten them. An embedding alone has rows of length 1,
// or is standardised. Beside other columns, whose numbers have energy 1, its energy is the number of independent columns that
// it amounts to.
func (p *Preparer) embed(s Sums) {
	if unit := s.unit(p.Weight); unit > 0 && p.How == Vectors {
		for j, weight := range p.Weight {
			if weight > 0 {
				p.Weight[j] = 1 / unit
			}
		}
		return
	}
	other := 0
	for _, inverse := range s.Inverse {
		if inverse > 0 {
			other++
		}
	}
	wide := 0 // of the runs before
	type found struct {
		axes          bool
		unit, columns float64
	}
	var of []found
	for _, b := range s.Runs {
		f, columns := found{}, s.columns(b)
		other -= len(columns)
		for _, j := range columns {
			f.unit = max(f.unit, 1/s.Inverse[j])
		}
		scaled := func(j int) float64 { return 1 / s.Inverse[j] / f.unit }
		f.columns = participation(s.Gram, s.Rows, columns, wide-b.From, func(int) float64 { return 1 })
		if f.axes = f.columns >= uncorrelated*float64(len(columns)); f.axes {
			f.columns = participation(s.Gram, s.Rows, columns, wide-b.From, scaled)
		}
		wide += b.To - b.From
		of = append(of, f)
	}
	alone := other == 0 && len(of) == 1
	if p.How == Vectors && (len(of) == 0 || alone && !of[0].axes) {
		p.How = Standardize
		return
	}
	for k, b := range s.Runs {
		for j := b.From; j < b.To; j++ {
			if p.Mean[j], p.Weight[j] = s.Columns.Mean[j], s.Inverse[j]; of[k].axes && p.Weight[j] > 0 {
				p.Weight[j] = 1 / of[k].unit
			}
		}
		if b.Length = math.Sqrt(of[k].columns); alone {
			b.Length = 1
		}
		p.Blocks = append(p.Blocks, b)
	}
}

// unit is the root mean square of the deviations of columns on one scale, as of pixels or grades, 0 for others. There are as
// many as in the narrowest embedding, and half have the same largest number and are no categories. They are centred only: a
// pixel that is hardly ever set would count as much as one that tells shapes apart.
func (s Sums) unit(weights []float64) float64 {
	varies, squares, with := 0, 0.0, make(map[float64]int)
	for j, inverse := range s.Inverse {
		if inverse == 0 {
			continue
		}
		varies++
		squares += 1 / inverse / inverse
		if weights[j] == inverse { // no category
			with[s.Columns.Largest[j]]++
		}
	}
	for _, count := range with {
		if varies >= narrowest && 2*count >= varies {
			return math.Sqrt(squares / float64(varies))
		}
	}
	return 0
}

// columns are the columns of a block, but for constants.
func (s Sums) columns(b Block) (columns []int) {
	for j := b.From; j < b.To; j++ {
		if s.Inverse[j] > 0 {
			columns = append(columns, j)
		}
	}
	return columns
}
