package eval

import "math"

// A twofold is the number hi + lo, lo at most half a unit in the last place of hi: 31 digits
// (Dekker 1971). Each operation is right but for a few units of 2⁻¹⁰⁴.
type twofold struct{ hi, lo float64 }

// sumOf is a + b without rounding (Knuth 1969).
func sumOf(a, b float64) twofold {
	s := a + b
	t := s - a
	return twofold{s, (a - (s - t)) + (b - t)}
}

// productOf is a·b without rounding. The conversion keeps a compiler from fusing p with a sum.
func productOf(a, b float64) twofold {
	p := float64(a * b)
	return twofold{p, math.FMA(a, b, -p)}
}

func (a twofold) plus(b twofold) twofold {
	s, t := sumOf(a.hi, b.hi), sumOf(a.lo, b.lo)
	s = sumOf(s.hi, s.lo+t.hi)
	return sumOf(s.hi, s.lo+t.lo)
}

func (a twofold) minus(b twofold) twofold { return a.plus(twofold{-b.hi, -b.lo}) }

func (a twofold) times(b twofold) twofold {
	p := productOf(a.hi, b.hi)
	return sumOf(p.hi, p.lo+(a.hi*b.lo+a.lo*b.hi))
}

func (a twofold) scaled(c float64) twofold { return a.times(twofold{hi: c}) }

// over is a/b, three digits of 2⁵³ by long division.
func (a twofold) over(b twofold) twofold {
	first := a.hi / b.hi
	a = a.minus(b.scaled(first))
	second := a.hi / b.hi
	a = a.minus(b.scaled(second))
	return sumOf(first, second).plus(twofold{hi: a.hi / b.hi})
}

// add adds v·b to a sum of many terms, which keeps its rounding in lo: at its end, [sumOf] makes it
// a twofold.
func (a *twofold) add(v float64, b twofold) {
	p := productOf(v, b.hi)
	s := sumOf(a.hi, p.hi)
	a.hi = s.hi
	a.lo += s.lo + (p.lo + v*b.lo)
}

// exp is eᵃ = 2ᵏ·(eʳ)¹⁶ for a = k·ln 2 + 16r, |r| ≤ (ln 2)/32, with fifteen terms of the series of
// eʳ: the next is 10⁻³⁷. Its relative error is |a|·2⁻¹⁰⁴, if |a| > 1.
func (a twofold) exp() twofold {
	if a.hi < -800 { // below the smallest float64
		return twofold{}
	}
	k := math.Round(a.hi / math.Ln2)
	ln2 := twofold{math.Ln2, 2.3190468138462996e-17} // and its next digits
	r := a.minus(ln2.scaled(k)).scaled(1. / 16)
	e := twofold{hi: 1}
	for n := 14.0; n > 0; n-- {
		e = e.times(r).over(twofold{hi: n}).plus(twofold{hi: 1})
	}
	for range 4 {
		e = e.times(e)
	}
	return twofold{math.Ldexp(e.hi, int(k)), math.Ldexp(e.lo, int(k))}
}

// sum is x + y.
func sum(x, y []twofold) []twofold {
	z := make([]twofold, len(x))
	for i, v := range x {
		z[i] = v.plus(y[i])
	}
	return z
}

// gaps are x − y, rounded to float64.
func gaps(x, y []twofold) []float64 {
	z := make([]float64, len(x))
	for i, v := range x {
		z[i] = v.minus(y[i]).hi
	}
	return z
}

// between is a part of the way from x to y.
func between(x, y []twofold, part float64) []twofold {
	z := make([]twofold, len(x))
	for i, v := range x {
		z[i] = v.plus(y[i].minus(v).scaled(part))
	}
	return z
}

// twofolds are the numbers of x.
func twofolds(x []float64) []twofold {
	y := make([]twofold, len(x))
	for i, v := range x {
		y[i].hi = v
	}
	return y
}

// highs are x, rounded to float64.
func highs(x []twofold) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = v.hi
	}
	return y
}
