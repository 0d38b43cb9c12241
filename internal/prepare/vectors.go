package prepare

import (
	"cmp"
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

// Runs are the columns that may be an embedding each. A category ends a run, and so do a column that fewer than one row
// in ten has, or than half of them beside words, more than four columns in a row, or one of the first eight, that deviate by more than e^1.5 times as much or as little as the median of the last
// sixteen of the run. Fewer than eight after such a column are not of the run. These factors are of 105 tables and embeddings side by side, all of which came apart.
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
	skipped, gap := 0, 0 // the length of the run at the last that was skipped
	end := func() {
		if len(run) < gap+8 {
			run = run[:gap]
		}
		if len(run) >= narrowest {
			runs = append(runs, Block{From: run[0], To: run[len(run)-1] + 1})
		}
		run, logs, skipped, gap = run[:0], logs[:0], 0, 0
	}
	for j, inverse := range s.Inverse {
		if inverse > 0 && (s.Columns.Count[j] < least || s.isCategory(j, float64(rows))) {
			end()
			continue
		}
		size := -math.Log(inverse) // +Inf for a constant
		if len(logs) > 0 && !(math.Abs(size-median(logs[max(0, len(logs)-16):])) <= 1.5) {
			if skipped++; skipped <= 4 && len(run) >= 8 {
				gap = len(run)
				continue
			}
			end()
		}
		if inverse > 0 {
			run, logs, skipped = append(run, j), append(logs, size), 0
		}
	}
	end()
	return runs
}

func median(v []float64) float64 { return quantile(v, 0.5) }

// quantile is the value below which a share of the values lies, between two of them by their distance.
func quantile(v []float64, share float64) float64 {
	v = slices.Sorted(slices.Values(v))
	at := share * float64(len(v)-1)
	lo := int(at)
	if hi := min(lo+1, len(v)-1); v[hi] > v[lo] {
		return v[lo] + (at-float64(lo))*(v[hi]-v[lo])
	}
	return v[lo]
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

// embed sets blocks, by sums over some rows. Without one it leaves the columns standardised. An embedding whose
// columns are principal axes of one unit is not: to give all of them the same weight would be to whiten it. One
// that stands alone has rows of length 1, or is standardised; beside other columns, of which a number has the energy
// 1, it has as many as it amounts to.
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
		if own := participation(s.Gram, s.Rows, columns, wide-b.From, scaled); s.axes(columns, own, f.columns) {
			f.axes, f.columns = true, own
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

// unit is the root mean square of the deviations of columns on one scale, as of pixels or grades, 0 for others: as
// many as the narrowest embedding has, of which half have the same largest number and are no categories. They are
// centred only: a pixel that is hardly ever set would count as much as one that tells shapes apart.
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

// columns are the columns of a block, but for those that hardly deviate.
func (s Sums) columns(b Block) (columns []int) {
	var sizes []float64
	for j := b.From; j < b.To; j++ {
		if s.Inverse[j] > 0 {
			sizes = append(sizes, 1/s.Inverse[j])
		}
	}
	least := 1e-6 * median(sizes)
	for j := b.From; j < b.To; j++ {
		if s.Inverse[j] > 0 && 1/s.Inverse[j] > least {
			columns = append(columns, j)
		}
	}
	return columns
}

// axes reports whether columns, which amount to two numbers of independent ones by their covariance and by their
// correlations, are principal axes of one unit: they deviate alike and correlate little, and either stand in the
// order of their deviations, hardly correlate at all, or mostly deviate more than the eighth after them.
func (s Sums) axes(columns []int, own, standard float64) bool {
	d := len(columns)
	if d < narrowest {
		return false
	}
	logs, falls := make([]float64, d), 0
	for k, j := range columns {
		logs[k] = -math.Log(s.Inverse[j])
	}
	for k := range d - 8 {
		if logs[k] > logs[k+8] {
			falls++
		}
	}
	if quantile(logs, 0.75)-quantile(logs, 0.25) > 1 || standard > 16*own {
		return false
	}
	return rankCorrelation(logs) <= -0.5 || standard >= 0.9*float64(d) || float64(falls) >= 0.65*float64(d-8)
}

// rankCorrelation is that of values with their places (Spearman 1904).
func rankCorrelation(v []float64) float64 {
	order := make([]int, len(v))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(v[a], v[b]) })
	n, sum := float64(len(v)), 0.0
	for rank, k := range order {
		sum += float64((rank - k) * (rank - k))
	}
	return 1 - 6*sum/(n*(n*n-1))
}
