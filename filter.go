package coles

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/setting"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// A Filter is a polynomial F = Σ_k a_k Wᵏ in the normalised adjacency matrix: it smooths features
// along edges. Its text form, in JSON too, is
//
//	sgc:2               SGC(2)
//	s2gc:8,0.05         S2GC(8, 0.05)
//	s2gcsum:8           S2GCSum(8)
//	appnp:10,0.1        APPNP(10, 0.1)
//	heat:10,5           Heat(10, 5)
//	polynomial:0.5,0.5  Polynomial(0.5, 0.5)
//
// The zero value, "auto", leaves the choice to [Fit]. Elsewhere it fails with [ErrSetting], as does a filter made of numbers
// out of their range.
type Filter struct {
	kind  filterKind
	hops  int
	param float64   // α or t
	coef  []float64 // nil where the numbers are out of range
}

type filterKind int

const (
	autoFilter filterKind = iota
	sgc
	s2gc
	s2gcSum
	appnp
	heat
	polynomial
)

var filterNames = []string{"auto", "sgc", "s2gc", "s2gcsum", "appnp", "heat", "polynomial"}

// maxHops bounds the degree of a filter: far beyond any use, and small enough that a mistyped K
// does not run for a day.
const maxHops = 10_000

// SGC is W^K (Wu et al. 2019). The paper uses K = 2. K = 0 changes nothing.
func SGC(hops int) Filter {
	return newFilter(Filter{kind: sgc, hops: hops}, func(c []float64) { c[hops] = 1 })
}

// S2GC is α·I + (1−α)/K · Σ_{k=1..K} W^k (Zhu and Koniusz 2021), the form the paper prints. The paper uses K
// = 8 (2 on Cora Full and Reddit, 10 on ogbn-arxiv); α, not printed, is 0.05.
func S2GC(hops int, alpha float64) Filter {
	return newFilter(Filter{kind: s2gc, hops: hops, param: alpha}, func(c []float64) {
		for k := 1; k <= hops; k++ {
			c[k] = (1 - alpha) / float64(hops)
		}
		c[0] = alpha
	})
}

// S2GCSum is (I + Σ_{k=1..K} W^k)/K, the form in the code of the paper's authors, and the default
// of [Fit], with K = 8, or 24 without features. K ≥ 1.
func S2GCSum(hops int) Filter {
	return newFilter(Filter{kind: s2gcSum, hops: hops}, func(c []float64) {
		for k := range c {
			c[k] = 1 / float64(hops)
		}
	})
}

// APPNP is α Σ_{k<K} (1−α)^k W^k + (1−α)^K W^K: personalised PageRank propagation (Gasteiger et al. 2019). α
// is 0.1 in the paper's tables.
func APPNP(hops int, alpha float64) Filter {
	return newFilter(Filter{kind: appnp, hops: hops, param: alpha}, func(c []float64) {
		keep := 1.0
		for k := range hops {
			c[k] = alpha * keep
			keep *= 1 - alpha
		}
		c[hops] = keep
	})
}

// Heat is e^{−t} Σ_{k=0..K} t^k W^k / k!, the heat kernel e^{−t(I−W)} cut off after K terms. t is 5
// in the paper's tables.
func Heat(hops int, t float64) Filter {
	return newFilter(Filter{kind: heat, hops: hops, param: t}, func(c []float64) {
		for k := range c {
			// By logarithms: t^k and k! overflow long before their ratio does.
			lgamma, _ := math.Lgamma(float64(k + 1))
			c[k] = math.Exp(float64(k)*math.Log(t) - t - lgamma)
		}
		if t == 0 {
			clear(c)
			c[0] = 1
		}
	})
}

// Polynomial is Σ_k coef[k]·W^k, for one finite coefficient or more.
func Polynomial(coef ...float64) Filter {
	return newFilter(Filter{kind: polynomial, hops: len(coef) - 1}, func(c []float64) { copy(c, coef) })
}

// newFilter sets the coefficients of a filter whose numbers are in their range.
func newFilter(f Filter, set func(c []float64)) Filter {
	if f.checkNumbers() == nil {
		f.coef = make([]float64, f.hops+1)
		set(f.coef)
	}
	return f
}

func badFilter(f any, want string, args ...any) error {
	return fmt.Errorf("coles: %w", setting.Bad("Filter", f, want, args...))
}

func (f Filter) checkNumbers() error {
	switch {
	case f.kind == autoFilter:
		return badFilter(f, "another here")
	case f.kind == polynomial && f.hops < 0:
		return badFilter(f, "at least one coefficient")
	case f.hops < 0 || f.hops > maxHops:
		return badFilter(f, "0 to %d hops", maxHops)
	case f.kind == s2gcSum && f.hops == 0:
		return badFilter(f, "at least 1 hop")
	case (f.kind == s2gc || f.kind == appnp) && !(f.param >= 0 && f.param <= 1):
		return badFilter(f, "α from 0 to 1")
	case f.kind == heat && !(f.param >= 0):
		return badFilter(f, "t of 0 or more")
	}
	return nil
}

func (f Filter) check() error {
	if err := f.checkNumbers(); err != nil {
		return err
	}
	for k, a := range f.coef {
		if !matrix.Finite(a) {
			return badFilter(f, "a finite coefficient of W^%d", k)
		}
	}
	return nil
}

// checkSetting is check where the zero value is a choice too.
func (f Filter) checkSetting() error {
	if f.kind == autoFilter {
		return nil
	}
	return f.check()
}

func (f Filter) String() string {
	var args []any
	switch f.kind {
	case sgc, s2gcSum:
		args = []any{f.hops}
	case s2gc, appnp, heat:
		args = []any{f.hops, f.param}
	case polynomial:
		for _, a := range f.coef {
			args = append(args, a)
		}
	}
	return setting.Text(filterNames[f.kind], args...)
}

func (f Filter) MarshalText() ([]byte, error) { return []byte(f.String()), f.checkSetting() }

func (f *Filter) UnmarshalText(text []byte) error {
	t := setting.Parse("Filter", text)
	at := slices.Index(filterNames, t.Name)
	if at < 0 {
		return t.Unknown(filterNames)
	}
	var read Filter
	switch filterKind(at) {
	case sgc:
		read = SGC(t.Int())
	case s2gc:
		read = S2GC(t.Int(), t.Float())
	case s2gcSum:
		read = S2GCSum(t.Int())
	case appnp:
		read = APPNP(t.Int(), t.Float())
	case heat:
		read = Heat(t.Int(), t.Float())
	case polynomial:
		var coef []float64
		for t.Left() > 0 {
			coef = append(coef, t.Float())
		}
		read = Polynomial(coef...)
	}
	if err := t.End(); err != nil {
		return err
	}
	if err := read.checkSetting(); err != nil {
		return err
	}
	*f = read
	return nil
}

// Coefficients returns a_0 to a_K.
func (f Filter) Coefficients() []float64 { return slices.Clone(f.coef) }

// Hops is the degree K: how far, in edges, a feature travels.
func (f Filter) Hops() int { return max(0, len(f.coef)-1) }

// Apply returns FX for the normalised adjacency W (n × n) and features X (n × d, sparse or dense). It
// evaluates the polynomial by Horner's rule, K products W·H on strips of 256 columns: O(K·(nnz(W) + n)·d)
// time and 8·n·d bytes, plus 4096·n for the strips. F is symmetric, as W is.
func (f Filter) Apply(ctx context.Context, w *SymCSR, x mat.Matrix) (*mat.Dense, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	source, err := readFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if n := w.SymmetricDim(); source.Rows() != n {
		return nil, fmt.Errorf("coles: filter: %w: %d feature rows for %d nodes", ErrShape, source.Rows(), n)
	}
	m, err := matrix.As[float64](ctx, source)
	if err != nil {
		return nil, err
	}
	fx, err := matrix.Polynomial(ctx, f.coef, w.made(), m)
	if err != nil {
		return nil, err
	}
	return matrix.ToFiniteDense(ctx, "FX", fx)
}

// A SymCSR is an immutable symmetric sparse matrix with 32-bit column numbers: W, W⁺, W⁻ and L are of this type. It is a
// [mat.Symmetric].
type SymCSR struct{ m *kernel.CSR[float64] }

// made is what a matrix of this package holds: any other is a caller's bug.
func (w *SymCSR) made() *kernel.CSR[float64] {
	if w == nil || w.m == nil {
		panic("coles: a SymCSR that is nil or zero; Normalize and Graph.Positive make one")
	}
	return w.m
}

func (w *SymCSR) Dims() (r, c int) { return w.made().Rows, w.made().Cols }

func (w *SymCSR) SymmetricDim() int { return w.made().Rows }

// NNZ is the number of stored entries.
func (w *SymCSR) NNZ() int { return w.made().NNZ() }

// At takes O(log degree).
func (w *SymCSR) At(i, j int) float64 {
	if i < 0 || i >= w.made().Rows {
		panic(mat.ErrRowAccess)
	}
	if j < 0 || j >= w.made().Cols {
		panic(mat.ErrColAccess)
	}
	v, _ := matrix.Entry(w.made(), i, j)
	return v
}

func (w *SymCSR) T() mat.Matrix { return w }

// ToCSR returns a copy as a *sparse.CSR.
func (w *SymCSR) ToCSR() *sparse.CSR { return exported(w.made()) }

func symCSR(m *kernel.CSR[float64], err error) (*SymCSR, error) {
	if err != nil {
		return nil, err
	}
	return &SymCSR{m}, nil
}

// Normalize returns the matrix that filters propagate with, W = D̂^-½ (A+I) D̂^-½ with D̂ = diag((A+I)·1), in O(n + m). The I
// adds a self loop of weight 1 to every node; an isolated node keeps a one. The eigenvalues are in [−1, 1].
func Normalize(g *Graph) *SymCSR {
	w, _ := symCSR(matrix.Normalized(context.Background(), g.made().adj, true)) // does not end
	return w
}
