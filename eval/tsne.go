package eval

import (
	"context"
	"fmt"
	"math"

	"coles"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/stream"

	"gonum.org/v1/gonum/mat"
)

const (
	tsneRows         = 5000 // the most that TSNE takes
	tsnePerplexity   = 30.
	tsneIterations   = 1000
	tsneExaggerated  = 250 // the first iterations, with exaggeration
	tsneExaggeration = 12.
	tsneSpread       = 1e-4 // standard deviation of the first coordinate at the start
	tsneNoise        = tsneSpread / 100
)

// TSNE returns places of the rows of x (n × d) in two dimensions, n × 2, by exact t-SNE (van der
// Maaten and Hinton 2008): rows that are near each other in x come to lie near each other. It
// descends along the gradient of
//
//	C = Σᵢⱼ pᵢⱼ log(pᵢⱼ/qᵢⱼ),   qᵢⱼ = wᵢⱼ/Σₖₗ wₖₗ,   wᵢⱼ = 1/(1 + ‖yᵢ − yⱼ‖²)   for i ≠ j,
//	pᵢⱼ = (pⱼ|ᵢ + pᵢ|ⱼ)/2n,   pⱼ|ᵢ = exp(−βᵢ‖xᵢ − xⱼ‖²)/Σₖ exp(−βᵢ‖xᵢ − xₖ‖²),
//
// where βᵢ gives row i the perplexity exp(−Σⱼ pⱼ|ᵢ log pⱼ|ᵢ) = 30, or (n − 1)/3 if that is smaller,
// but no less than 1. There are 1,000 iterations with the gains of the paper: 250 with p times 12
// and momentum 0.5, then 750 with momentum 0.8, and steps of max(n/48, 50) times the gradient
// (Belkina et al. 2019).
//
// The start is the first two principal components, scaled to a deviation of 10⁻⁴, and noise of a
// hundredth of that drawn by the seed, which parts equal rows. Near neighbours have a meaning in
// the map. Its axes have none, and large distances have little. Where only the direction of a row
// counts, as in an embedding, scale the rows to unit length first, by [coles.PrepareRowL2].
//
// The cost is O(n²d + 1000·n²) time, some seconds for 1,500 rows, and n² numbers of memory, 200 MB
// for 5,000 rows, which is the most; of larger data draw a sample.
//
// Errors: [coles.ErrTooLarge] for more rows, [coles.ErrShape] for none, [coles.ErrIndex],
// [coles.ErrNotFinite], and ctx's.
func TSNE(ctx context.Context, x mat.Matrix, seed uint64) (*mat.Dense, error) {
	n, d := x.Dims()
	switch {
	case n > tsneRows:
		return nil, fmt.Errorf("%w: t-SNE of %d rows, at most %d", coles.ErrTooLarge, n, tsneRows)
	case n < 1:
		return nil, fmt.Errorf("%w: t-SNE of %d × %d numbers", coles.ErrShape, n, d)
	}
	source, err := matrix.Read(ctx, x)
	if err != nil {
		return nil, err
	}
	p, err := affinities(ctx, source)
	if err != nil {
		return nil, err
	}
	m, err := newDescent(ctx, source, p, seed)
	if err != nil {
		return nil, err
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	for i := range tsneIterations {
		exaggeration, momentum := tsneExaggeration, 0.5
		if i >= tsneExaggerated {
			exaggeration, momentum = 1, 0.8
		}
		if err := m.gradient(ctx, exaggeration); err != nil {
			return nil, err
		}
		m.step(momentum)
	}
	y := mat.NewDense(n, 2, nil)
	for k := range m.at {
		y.SetCol(k, m.at[k])
	}
	return y, nil
}

// A descent is a map on its way to a minimum of C. Each array holds the two coordinates of all
// points.
type descent struct {
	p                      kernel.Matrix[float64]
	at, slope, moved, gain [2][]float64
	push                   [2][]float64 // Σⱼ wᵢⱼ²(yᵢ − yⱼ)
	sums                   []float64    // Σⱼ wᵢⱼ of every point
}

// newDescent starts at the principal components.
func newDescent(ctx context.Context, x *matrix.Source, p kernel.Matrix[float64], seed uint64) (*descent, error) {
	n := x.Rows()
	m := &descent{p: p, sums: make([]float64, n)}
	components := min(2, x.Cols())
	var start *mat.Dense
	if components > 0 {
		var err error
		if start, err = PCA(ctx, x, components); err != nil {
			return nil, err
		}
	}
	scale := 0.0
	rng := stream.New()
	for k := range m.at {
		for _, a := range []*[2][]float64{&m.at, &m.slope, &m.moved, &m.gain, &m.push} {
			a[k] = make([]float64, n)
		}
		if k < components {
			mat.Col(m.at[k], k, start)
		}
		if k == 0 { // both coordinates are divided by the deviation of the first
			scale = tsneSpread * math.Sqrt(float64(n)) / matrix.Length(m.at[0])
			if !matrix.Finite(scale) { // equal rows, or as good as: the noise alone is the start
				scale = 0
			}
		}
		for i := range n {
			rng.Reseed(seed, uint64(2*i+k))
			m.at[k][i] = scale*m.at[k][i] + tsneNoise*rng.NormFloat64()
			m.gain[k][i] = 1
		}
	}
	return m, nil
}

// gradient sets the slope, ∂C/∂yᵢ = 4 Σⱼ (a·pᵢⱼ − qᵢⱼ) wᵢⱼ (yᵢ − yⱼ) with p exaggerated a times.
func (m *descent) gradient(ctx context.Context, exaggeration float64) error {
	const grain = 16 // rows: a fraction of a millisecond
	err := parallel.Ranges(ctx, len(m.sums), grain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			m.forces(i)
		}
	})
	total := max(matrix.Total(m.sums), math.SmallestNonzeroFloat64) // 0 of a single point
	for k := range m.slope {
		for i, pull := range m.slope[k] {
			m.slope[k][i] = 4 * (exaggeration*pull - m.push[k][i]/total)
		}
	}
	return err
}

// forces sums over the points as seen from point i: Σⱼ pᵢⱼwᵢⱼ(yᵢ − yⱼ), which goes to slope, Σⱼ
// wᵢⱼ²(yᵢ − yⱼ) and Σⱼ wᵢⱼ.
func (m *descent) forces(i int) {
	p := m.p.Row(i)
	xs, ys := m.at[0][:len(p)], m.at[1][:len(p)]
	x, y := xs[i], ys[i]
	var sum, pullX, pullY, pushX, pushY float64
	for j, pj := range p {
		dx, dy := x-xs[j], y-ys[j]
		w := 1 / (1 + dx*dx + dy*dy)
		pull, push := pj*w, w*w
		sum += w
		pullX += pull * dx
		pullY += pull * dy
		pushX += push * dx
		pushY += push * dy
	}
	m.sums[i] = sum - 1 // less w of i itself
	m.slope[0][i], m.slope[1][i] = pullX, pullY
	m.push[0][i], m.push[1][i] = pushX, pushY
}

// step moves every coordinate against its slope. Its gain grows while the slope keeps turning
// against the movement, and shrinks otherwise.
func (m *descent) step(momentum float64) {
	rate := max(float64(len(m.sums))/(4*tsneExaggeration), 50)
	for k := range m.at {
		at, moved, gain := m.at[k], m.moved[k], m.gain[k]
		for i, slope := range m.slope[k] {
			if slope*moved[i] < 0 {
				gain[i] += 0.2
			} else {
				gain[i] = max(0.01, 0.8*gain[i])
			}
			moved[i] = momentum*moved[i] - rate*gain[i]*slope
			at[i] += moved[i]
		}
	}
}
