package coles

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"coles/internal/strict"

	"gonum.org/v1/gonum/mat"
)

// A Filter is a polynomial F = Σ_k a_k Wᵏ in the normalised adjacency matrix: it
// smooths features along edges.
// The zero value is the zero polynomial and refuses to work; the constructors
// below make the useful ones. A constructor given a number that makes no sense
// returns a filter whose every use fails with [ErrSetting], saying why.
type Filter struct {
	name string
	coef []float64
	bad  string
}

// maxHops bounds the degree of a filter: far beyond any use, and small enough
// that a mistyped K does not run for a day.
const maxHops = 10_000

func newFilter(name string, hops int, coef func() []float64) Filter {
	if hops < 0 || hops > maxHops {
		return Filter{name: name, bad: fmt.Sprintf("%d hops, want 0 to %d", hops, maxHops)}
	}
	f := Filter{name: name, coef: coef()}
	for k, a := range f.coef {
		if math.IsNaN(a) || math.IsInf(a, 0) {
			return Filter{name: name, bad: fmt.Sprintf("coefficient of W^%d is %v", k, a)}
		}
	}
	return f
}

// newMixture is newFilter for filters whose restart probability α is in [0, 1].
func newMixture(name string, hops int, alpha float64, coef func() []float64) Filter {
	if !(alpha >= 0 && alpha <= 1) {
		return Filter{name: name, bad: fmt.Sprintf("α = %v, want 0 to 1", alpha)}
	}
	return newFilter(name, hops, coef)
}

// SGC is W^K (Wu et al. 2019). The paper uses K = 2.
func SGC(hops int) Filter {
	return newFilter(fmt.Sprintf("SGC(%d)", hops), hops, func() []float64 {
		c := make([]float64, hops+1)
		c[hops] = 1
		return c
	})
}

// S2GC is α·I + (1−α)/K · Σ_{k=1..K} W^k (Zhu and Koniusz 2021), the form the
// paper prints. The paper uses K = 8 (2 on Cora Full and Reddit, 10 on
// ogbn-arxiv); α, which it does not print, is 0.05.
func S2GC(hops int, alpha float64) Filter {
	return newMixture(fmt.Sprintf("S2GC(%d, %g)", hops, alpha), hops, alpha, func() []float64 {
		c := make([]float64, hops+1)
		for k := 1; k <= hops; k++ {
			c[k] = (1 - alpha) / float64(hops)
		}
		c[0] = alpha
		return c
	})
}

// S2GCSum is (I + Σ_{k=1..K} W^k)/K, the form in the code of the paper's
// authors, and the default of [Fit] with K = 8. K must be at least 1.
func S2GCSum(hops int) Filter {
	name := fmt.Sprintf("S2GCSum(%d)", hops)
	if hops == 0 {
		return Filter{name: name, bad: "0 hops, want at least 1"}
	}
	return newFilter(name, hops, func() []float64 {
		c := make([]float64, hops+1)
		for k := range c {
			c[k] = 1 / float64(hops)
		}
		return c
	})
}

// APPNP is α Σ_{k<K} (1−α)^k W^k + (1−α)^K W^K: personalised PageRank
// propagation (Gasteiger et al. 2019) with a linear activation. α is 0.1 in
// the paper's tables.
func APPNP(hops int, alpha float64) Filter {
	return newMixture(fmt.Sprintf("APPNP(%d, %g)", hops, alpha), hops, alpha, func() []float64 {
		c := make([]float64, hops+1)
		keep := 1.0
		for k := range hops {
			c[k] = alpha * keep
			keep *= 1 - alpha
		}
		c[hops] = keep
		return c
	})
}

// Heat is e^{−t} Σ_{k=0..K} t^k W^k / k!, the heat kernel e^{−t(I−W)} cut off
// after K terms. t is 5 in the paper's tables.
func Heat(hops int, t float64) Filter {
	name := fmt.Sprintf("Heat(%d, %g)", hops, t)
	if !(t >= 0) {
		return Filter{name: name, bad: fmt.Sprintf("t = %v, want 0 or more", t)}
	}
	return newFilter(name, hops, func() []float64 {
		c := make([]float64, hops+1)
		for k := range c {
			// By logarithms: t^k and k! overflow long before their ratio does.
			lgamma, _ := math.Lgamma(float64(k + 1))
			c[k] = math.Exp(float64(k)*math.Log(t) - t - lgamma)
		}
		if t == 0 {
			clear(c)
			c[0] = 1
		}
		return c
	})
}

// Identity is I: features as they are.
func Identity() Filter { return newFilter("Identity", 0, func() []float64 { return []float64{1} }) }

// Polynomial is Σ_k coef[k]·W^k for coefficients of your own, finite and at least one.
func Polynomial(coef ...float64) Filter {
	if len(coef) == 0 {
		return Filter{name: "Polynomial", bad: "no coefficients"}
	}
	return newFilter("Polynomial", len(coef)-1, func() []float64 { return slices.Clone(coef) })
}

// String is the name it has in JSON: the constructor's with its numbers, those of
// [Polynomial] left out.
func (f Filter) String() string { return f.name }

// Coefficients returns a_0 to a_K.
func (f Filter) Coefficients() []float64 { return slices.Clone(f.coef) }

// Hops is the degree K: how far, in edges, a feature travels.
func (f Filter) Hops() int { return max(0, len(f.coef)-1) }

func (f Filter) check() error {
	if f.bad != "" {
		return fmt.Errorf("coles: filter %s: %w: %s", f.name, ErrSetting, f.bad)
	}
	if len(f.coef) == 0 {
		return fmt.Errorf("coles: filter: %w: no coefficients; use a constructor such as S2GC", ErrSetting)
	}
	return nil
}

// tamed is a multiple of the filter whose squares are numbers.
func (f Filter) tamed() Filter {
	largest := magnitude(f.coef)
	if largest == 0 || largest > 0x1p-200 && largest < 0x1p200 {
		return f
	}
	_, exponent := math.Frexp(largest)
	f.coef = slices.Clone(f.coef)
	for k := range f.coef {
		f.coef[k] = math.Ldexp(f.coef[k], -exponent)
	}
	return f
}

// filterJSON is a filter outside Go: the coefficients are what counts.
type filterJSON struct {
	Name         string    `json:"name"`
	Coefficients []float64 `json:"coefficients"`
}

// MarshalJSON writes name and coefficients.
func (f Filter) MarshalJSON() ([]byte, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	return json.Marshal(filterJSON{f.name, f.coef})
}

// UnmarshalJSON reads what MarshalJSON wrote.
//
// Errors: [ErrSetting].
func (f *Filter) UnmarshalJSON(text []byte) error {
	var j filterJSON
	if err := strict.Unmarshal(text, &j, ErrSetting); err != nil {
		return err
	}
	read := Polynomial(j.Coefficients...)
	if j.Name != "" {
		read.name = j.Name
	}
	if err := read.check(); err != nil {
		return err
	}
	*f = read
	return nil
}

// Apply returns FX for the normalised adjacency W (n × n) and features X
// (n × d, sparse or dense). It evaluates the polynomial by Horner's rule, K
// products W·H on strips of 256 columns: O(K·(nnz(W) + n)·d) time and 8·n·d
// bytes, beside 4096·n for the strips. F is symmetric, as W is.
//
// Errors: [ErrSetting], [ErrShape], [ErrEmpty] for a nil matrix, [ErrNotFinite], and
// ctx's, which is looked at many times a hop.
func (f Filter) Apply(ctx context.Context, w *SymCSR, x mat.Matrix) (*mat.Dense, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	feat, err := readFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if n := w.SymmetricDim(); feat.rows() != n {
		return nil, fmt.Errorf("coles: filter: %w: %d feature rows for %d nodes", ErrShape, feat.rows(), n)
	}
	x64, err := signalOf[float64](ctx, feat)
	if err != nil {
		return nil, err
	}
	fx, err := filtered(ctx, f, w.matrix(), x64)
	if err != nil {
		return nil, err
	}
	return finiteDense(ctx, "FX", fx)
}
