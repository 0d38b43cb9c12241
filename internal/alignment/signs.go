// Package alignment estimates how much two kernels of features have in common, from products of the
// features with columns of random signs, wherever these are added up. coles.Alignment defines what is
// estimated, and why.
package alignment

import (
	"cmp"
	"context"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/stream"
)

// groups is the number of groups that features are divided into: every half of the groups is a half
// of the features, and sums over all 35 ways to halve them have a closed form.
const groups = 8

// vague is the deviation of log(⟨K_R, T⟩/‖K_R‖) from which that is noise.
const vague = 0.5

// Homes are the groups of features of these sums of squares. Of every eight that follow each other by
// their sums each goes to another group, at random: else it is chance whether the few columns that
// hold most of the numbers meet, and log q deviates four times as much as by the signs. Sums that
// agree in the digits of float32 are the same, so that no order of adding up decides.
func Homes(seed uint64, squares []float64) []int {
	home := make([]int, len(squares))
	rng := stream.New()
	rng.Reseed(seed, 0)
	order := rng.Perm(len(squares))
	digits := func(j int) uint64 { return (math.Float64bits(squares[j]) + 1<<28) >> 29 }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(digits(b), digits(a)) })
	for run := range slices.Chunk(order, groups) {
		to := rng.Perm(groups)
		for k, j := range run {
			home[j] = to[k]
		}
	}
	return home
}

// Groups are the groups of the columns of a batch, a multiple of eight. Column c belongs to one: it
// is X restricted to its features times random signs. The squared product of columns of two groups
// is, on average, the inner product of the kernels of these groups, and for two columns of one group
// the square of its norm, diagonals included.
func Groups(columns int) []int {
	group := make([]int, columns)
	for c := range group {
		group[c] = c / (columns / groups)
	}
	return group
}

// A Batch multiplies features by signs: ±unit in the columns of a feature's group.
type Batch[T kernel.Float] struct {
	home  []int
	width int // columns of a group
	signs []T
}

// Draw draws the batch of the given number of columns that follows number others.
func Draw[T kernel.Float](ctx context.Context, seed uint64, number int, home []int, columns int, unit T) (Batch[T], error) {
	b := Batch[T]{home, columns / groups, make([]T, len(home)*(columns/groups))}
	own := stream.Seed(seed, uint64(number))
	return b, parallel.Rows(ctx, len(home), func(lo, hi int) {
		rng := stream.New()
		for j := lo; j < hi; j++ {
			rng.Reseed(own, uint64(j))
			bits := rng.Uint64()
			for k := range b.width {
				b.signs[j*b.width+k] = unit * T(1-2*float64(bits>>k&1))
			}
		}
	})
}

// Times sets y to a row of features times the signs; cols is nil where all are there.
func (b Batch[T]) Times(y []T, cols []int32, vals []T) {
	clear(y)
	for q, v := range vals {
		j := matrix.Column(cols, q)
		sums, signs := y[b.home[j]*b.width:][:b.width], b.signs[j*b.width:][:b.width]
		for ; len(signs) >= 4; sums, signs = sums[4:], signs[4:] {
			to, from := (*[4]T)(sums), (*[4]T)(signs)
			to[0] += v * from[0]
			to[1] += v * from[1]
			to[2] += v * from[2]
			to[3] += v * from[3]
		}
		matrix.AddScaled(sums, v, signs)
	}
}

// Diagonals is how many numbers a column has in what [AddDiagonals] adds up.
const Diagonals = 5

// AddDiagonals adds what a row, by e and f of all columns, which it overwrites, has in the diagonals
// of kernels in the squared products of every column with all others: by name the same as the parts
// in [Of].
func AddDiagonals(sum []float64, group []int, e, f []float64) {
	var inE, inF [groups]float64
	wide := len(group)
	e, f = e[:wide], f[:wide]
	for c, g := range group {
		e[c], f[c] = e[c]*e[c], f[c]*f[c]
		inE[g] += e[c]
		inF[g] += f[c]
	}
	allE, allF := 0.0, 0.0
	for g := range groups {
		allE += inE[g]
		allF += inF[g]
	}
	cross, own, ownGroup := sum[:wide], sum[wide:][:wide], sum[2*wide:][:wide]
	filtered, filteredGroup := sum[3*wide:][:wide], sum[4*wide:][:wide]
	for c, g := range group {
		e, f, inE, inF := e[c], f[c], inE[g], inF[g]
		cross[c] += f*(allE-inE) + e*(allF-inF)
		own[c] += e * (allE - inE)
		ownGroup[c] += e * (inE - e)
		filtered[c] += f * (allF - inF)
		filteredGroup[c] += f * (inF - f)
	}
}

// An Estimate is a coles.Alignment.
type Estimate struct {
	Ratio     float64 // q
	Deviation float64 // of log q
	Columns   int     // that it was estimated from
	Known     bool    // to be above Enough, or below

	Communities float64 // in deviations, from hidden edges
}

// parts are the shares of one column in the estimates, or their sums over all: ⟨K_F, T⟩, ⟨K_R, T⟩,
// ‖K_F‖² and ‖K_R‖², each times the same unknown number for F as for R.
type parts struct{ alignedF, alignedR, squareF, squareR float64 }

// Of estimates q by all pairs of columns, and the deviation of log q by the influence of each column
// against the others of its group, whose signs alone are random (the infinitesimal jackknife of Efron
// 1982). ee and ff are the products of the e and of the f with each other, fe[c][b] = f_c·e_b.
func Of(group []int, ee, fe, ff [][]float64, diagonals []float64) Estimate {
	wide := len(group)
	found := Estimate{Columns: wide}
	diagonal := func(part, c int) float64 { return diagonals[part*wide+c] }
	perGroup := float64(wide / groups)
	// Of p² pairs in a group p(p−1) are of different columns; two groups are in the same half in
	// three splits of seven.
	same, other := perGroup/(perGroup-1), (groups/2-1)/(groups-1.)
	each, all := make([]parts, wide), parts{}
	for c, g := range group {
		cross, own, ownGroup := -diagonal(0, c), -diagonal(1, c), -diagonal(2, c)
		filtered, filteredGroup := -diagonal(3, c), -diagonal(4, c)
		for b, h := range group {
			ee, ff := ee[c][b]*ee[c][b], ff[c][b]*ff[c][b]
			switch {
			case h != g:
				cross += fe[c][b]*fe[c][b] + fe[b][c]*fe[b][c]
				own += ee
				filtered += ff
			case b != c:
				ownGroup += ee
				filteredGroup += ff
			}
		}
		p := parts{cross, 2 * own, same*filteredGroup + other*filtered, same*ownGroup + other*own}
		each[c] = p
		all.alignedF += p.alignedF
		all.alignedR += p.alignedR
		all.squareF += p.squareF
		all.squareR += p.squareR
	}
	if all.alignedR <= 0 || all.squareR <= 0 {
		return found
	}
	var own, whole spread
	for c, p := range each {
		off := p.squareR/all.squareR - 2*p.alignedR/all.alignedR
		own.add(group[c], off)
		if all.alignedF > 0 && all.squareF > 0 {
			off += 2*p.alignedF/all.alignedF - p.squareF/all.squareF
		}
		whole.add(group[c], off)
	}
	found.Deviation = whole.deviation(perGroup)
	if all.squareF > 0 {
		found.Ratio = max(all.alignedF, 0) / all.alignedR * math.Sqrt(all.squareR/all.squareF)
	}
	found.Known = own.deviation(perGroup) < vague && (found.Ratio == 0 || found.away(likely))
	return found
}

// A spread adds up numbers and their squares in each group.
type spread [groups]struct{ sum, squares float64 }

func (s *spread) add(group int, v float64) {
	s[group].sum += v
	s[group].squares += v * v
}

// deviation is the standard deviation of the sum of all numbers; each is the count in a group.
func (s *spread) deviation(each float64) float64 {
	variance := 0.0
	for _, g := range s {
		variance += max(0, g.squares-g.sum*g.sum/each)
	}
	return math.Sqrt(variance * each / (each - 1))
}
