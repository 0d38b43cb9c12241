package eigen

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// peek finds the residual of the k-th Ritz pair, which is among the last to converge. It takes some
// factorisations of H − σ·I, of O(mb²) operations each, where all pairs take O(m³): H is banded or,
// after a restart, diagonal with a border and banded below that. It means nothing once ctx has
// ended.
func (s *search[T]) peek(ctx context.Context, before look) look {
	e := newEnvelope(s.h, s.first[:s.size])
	// The length of the longest column is at most the norm, and in a Krylov space not far below it.
	longest := math.Sqrt(e.most(func(v float64) float64 { return v * v }))
	now := look{size: s.size, norm: max(before.norm, longest)}
	if now.norm == 0 {
		return now
	}
	// λ lies between two values, of which more than k and fewer eigenvalues are above. It does not
	// fall when the basis grows.
	low, high := before.value, before.value+1e-3*now.norm
	if before.size == 0 {
		high = e.most(math.Abs) // at least the norm
		low = -high
	}
	above, below := e.factor(low), e.factor(high)
	for below >= s.k {
		low, high, above = high, high+4*(high-low), below
		below = e.factor(high)
	}
	for above < s.k { // rounding
		low -= high - low
		above = e.factor(low)
	}
	near := 1 + s.k/64
	for halve := true; above-below > near && high-low > 1e-10*now.norm && ctx.Err() == nil; halve = !halve {
		share := 0.5
		if !halve { // as if the eigenvalues in between were evenly spaced
			share = (float64(above-s.k) + 0.5) / float64(above-below)
		}
		middle := low + share*(high-low)
		if count := e.factor(middle); count >= s.k {
			low, above = middle, count
		} else {
			high, below = middle, count
		}
	}
	now.value = low
	e.factor(low + (high-low)/2)
	x := make([]float64, s.size)
	for i := range x {
		x[i] = 1 + float64(i%7)
	}
	for range 3 { // of inverse iteration
		e.solve(x)
		normalise(x)
	}
	outside := make([]float64, s.next)
	blas64.Gemv(blas.NoTrans, 1, blas64.General(s.couple), vector(x[s.size-s.last:]), 0, vector(outside))
	now.worst = relative(blas64.Nrm2(vector(outside)), now.norm)
	return now
}

// leastPivot is a pivot in whose place another does, in a matrix near 1.
const leastPivot = 1e-20

// envelope is a symmetric matrix of which column j of the upper triangle is zero above first[j], and
// its factors L·D·Lᵀ, L having the same zeros.
type envelope struct {
	first, start []int     // column j is numbers[start[j]:start[j+1]], down to the diagonal
	numbers      []float64 // of the matrix
	factors      []float64 // L, with D in the place of its diagonal of ones
}

func newEnvelope(h panel, first []int) *envelope {
	e := &envelope{first: first, start: make([]int, len(first)+1)}
	for j, f := range first {
		e.start[j+1] = e.start[j] + j + 1 - f
	}
	e.numbers, e.factors = make([]float64, e.start[len(first)]), make([]float64, e.start[len(first)])
	for j, f := range first {
		for i := range e.column(e.numbers, j) {
			e.numbers[e.start[j]+i] = h.Data[(f+i)*h.Stride+j]
		}
	}
	return e
}

func (e *envelope) column(numbers []float64, j int) []float64 {
	return numbers[e.start[j]:e.start[j+1]]
}

// most is the largest sum of the sizes of the entries of a row.
func (e *envelope) most(size func(v float64) float64) float64 {
	sums := make([]float64, len(e.first))
	for j, f := range e.first {
		for i, v := range e.column(e.numbers, j) {
			sums[j] += size(v)
			if f+i < j {
				sums[f+i] += size(v)
			}
		}
	}
	return slices.Max(sums)
}

// factor makes the factors of the matrix less shift·I and returns how many eigenvalues are above the
// shift: as many as D has positive numbers, by Sylvester's law of inertia. It does not exchange
// rows, so that a shift near an eigenvalue of a leading part costs digits.
func (e *envelope) factor(shift float64) (above int) {
	copy(e.factors, e.numbers)
	for j, f := range e.first {
		g := e.column(e.factors, j)
		diagonal := len(g) - 1
		for i := f; i < j; i++ {
			l := e.column(e.factors, i)
			from := max(f, e.first[i])
			g[i-f] -= blas64.Dot(vector(l[from-e.first[i]:len(l)-1]), vector(g[from-f:i-f]))
		}
		d := g[diagonal] - shift
		for i, v := range g[:diagonal] {
			g[i] = v / e.factors[e.start[f+i+1]-1]
			d -= v * g[i]
		}
		if math.Abs(d) < leastPivot {
			d = -leastPivot
		}
		if d > 0 {
			above++
		}
		g[diagonal] = d
	}
	return above
}

// solve sets x to the solution of L·D·Lᵀ·y = x.
func (e *envelope) solve(x []float64) {
	for j, f := range e.first {
		l := e.column(e.factors, j)
		x[j] -= blas64.Dot(vector(l[:len(l)-1]), vector(x[f:j]))
	}
	for j := range x {
		x[j] /= e.factors[e.start[j+1]-1]
	}
	for j := len(x) - 1; j >= 0; j-- {
		l := e.column(e.factors, j)
		blas64.Axpy(-x[j], vector(l[:len(l)-1]), vector(x[e.first[j]:j]))
	}
}
