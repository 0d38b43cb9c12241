package spectral

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Noise says how far the eigenpairs of M = (FX)ᵀΔWFX and the columns FXp_j are known. M is taken to
// be off by a symmetric matrix of random entries in the basis of its eigenvectors.
type Noise struct {
	Pairs  []float64 // the standard deviation of entries of row j in float32; residuals in float64
	Column float64   // what a column is off by
	Next   float64   // the largest eigenvalue that was not found; −Inf where there is none
	Zero   float64   // eigenvalues up to it are rounding in float64
	Total  float64   // ‖FX‖² (Frobenius)
	Sign   bool      // whether eigenvectors were left out is noise
}

// Keep leaves out eigenvectors from the number keep on, by the signs of the eigenvalues.
func (n *Noise) Keep(lambda []float64, keep int) {
	const (
		signs  = 5    // deviations that leave the sign alone
		solved = 3e-6 // of λ₁: what a solver in float32 leaves of an eigenvalue, which may be 0
	)
	for j, noise := range n.Pairs {
		n.Sign = n.Sign || math.Abs(lambda[j]) <= max(signs*noise, solved*lambda[0])
	}
	if keep < len(lambda) {
		n.Pairs, n.Next = n.Pairs[:keep], lambda[keep]
	}
}

// centredLess is how many times more the centred embedding may be off than the embedding, whose mean
// may be most of it.
const centredLess = 30

// Doubt estimates ‖ΔG‖/‖G‖ (Frobenius) for the products G = Σ_j g_j·u_j·u_jᵀ of the rows of an
// embedding: u_j = FXp_j are its columns, g_j the squares of their weights. In the first order
// (Stewart and Sun 1990, chapter V)
//
//	ΔG = Σ_ij (g_i − g_j)/(λ_i − λ_j)·(p_iᵀ·ΔM·p_j)·u_i·u_jᵀ + Σ_j Δg_j·u_j·u_jᵀ
//
// and what the columns are off by, where i goes over all eigenvectors and g_i is 0 for those that were not found. Pairs nearer
// than their noise may have turned into each other altogether. A thirtieth of the same for centred columns, and the effect of
// their length on the norm, count where they are more. Doubt is infinite where the eigenvalues, or the differences of rows,
// are all rounding. The columns must be in a unit of 1. It costs O(k²).
func (r Rule) Doubt(c Columns, lambda []float64, w Weights, n Noise) float64 {
	if n.Sign || w.Null || w.Equal && !r.Weigh(c, lambda, exact).Equal {
		return math.Inf(1)
	}
	g, whole := make([]float64, len(lambda)), slices.Clone(c.Energy)
	slope, length := 0.0, 0.0
	for j, f := range w.Factors {
		g[j] = f * f
		whole[j] += float64(c.Rows) * c.Mean[j] * c.Mean[j]
		slope += 2 * g[j] * math.Sqrt(c.Energy[j])
		length += g[j] * c.Energy[j]
	}
	doubt := max(r.off(c, lambda, g, whole, n), r.off(c, lambda, g, c.Energy, n)/centredLess)
	if length > 0 {
		doubt = max(doubt, n.Column*slope/length)
	}
	return doubt
}

// off is ‖ΔG‖/‖G‖ for columns of these squared lengths, as if all were orthogonal.
func (r Rule) off(c Columns, lambda, g, squares []float64, n Noise) float64 {
	sum, all, rest := r.reweighed(c, lambda, g, squares, n.Pairs), 0.0, max(0, n.Total-floats.Sum(squares))
	for j, noise := range n.Pairs {
		for i := range j {
			turned := (g[i] - g[j]) * share(min(n.Pairs[i], noise), lambda[i]-lambda[j])
			sum += 2 * turned * turned * squares[i] * squares[j]
		}
		near, far := n.outside(lambda, j, n.Column*math.Sqrt(squares[j]/float64(c.Rows)))
		sum += 2 * g[j] * g[j] * squares[j] * (near*squares[len(g)-1] + far*rest + n.Column*n.Column)
		all += g[j] * squares[j] * g[j] * squares[j]
	}
	if all == 0 {
		return 0
	}
	return math.Sqrt(sum / all)
}

// share is by how much two eigenvectors turn into each other.
func share(noise, gap float64) float64 {
	if gap = math.Abs(gap); noise < gap {
		return noise / gap
	}
	return 1
}

// outside is the square of the part that vector j takes up of vectors not found. The nearest are taken to lie as densely as
// the last found. far is for all the rest: ΔW may leave nothing there, but errors of the columns make entries of this size.
func (n Noise) outside(lambda []float64, j int, entry float64) (near, far float64) {
	k := len(lambda)
	gap := lambda[j] - n.Next
	if math.IsInf(gap, 1) {
		return 0, 0
	}
	near, far = share(n.Pairs[j], gap), share(math.Hypot(n.Pairs[j], entry), max(gap, lambda[j]))
	spacing := (lambda[k/2] - n.Next) / float64(k-k/2)
	// Σ_m 1/(gap + m·spacing)² ≤ 1/gap² + 1/(gap·spacing)
	return near * (near + share(n.Pairs[j], spacing)), far * far
}

// reweighed is ‖Σ_j Δg_j·u_j·u_jᵀ‖², the larger of two changes of the weights: if eigenvalues count as equal only as in
// float64, and if they are off by the noise.
func (r Rule) reweighed(c Columns, lambda, g, squares, noise []float64) float64 {
	worst, before := 0.0, floats.Dot(g, c.Energy)
	for _, sign := range []float64{0, 1, -1} {
		moved := slices.Clone(lambda)
		for j := range moved {
			moved[j] += sign * noise[j]
			sign = -sign
		}
		after := r.Weigh(c, moved, exact).Factors
		for j, f := range after {
			after[j] = f * f
		}
		scale, sum := 1.0, 0.0
		if length := floats.Dot(after, c.Energy); before > 0 && length > 0 {
			scale = before / length
		}
		for j := range g {
			change := (after[j]*scale - g[j]) * squares[j]
			sum += change * change
		}
		worst = max(worst, sum)
	}
	return worst
}

// exact is the rounding of products of long sums in float64, with some room.
const exact = 1e-12
