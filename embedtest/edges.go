package embedtest

import (
	"errors"
	"math"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// named are the errors of package coles.
var named = []error{
	coles.ErrShape, coles.ErrIndex, coles.ErrNotFinite, coles.ErrNegativeWeight, coles.ErrAsymmetric, coles.ErrEmpty,
	coles.ErrTooLarge, coles.ErrIDs, coles.ErrDense, coles.ErrDim, coles.ErrSetting, coles.ErrPreparation,
	coles.ErrPrecision, coles.ErrTransductive, coles.ErrFormat, coles.ErrChecksum,
}

// is tells whether err wraps one of some errors.
func is(err error, some ...error) bool {
	for _, one := range some {
		if errors.Is(err, one) {
			return true
		}
	}
	return false
}

func (s *suite) isNamed(err error) bool {
	var stopped *coles.ConvergenceError
	return is(err, named...) || is(err, s.Errors...) || errors.As(err, &stopped)
}

// refuses wants an error, one of those given, of Fit and, unless fitting alone can
// tell, of Embed.
func (s *suite) refuses(what string, g *coles.Graph, x mat.Matrix, want ...error) {
	s.guard("Fit, "+what, func() {
		if _, err := s.fit(background, g, x); !is(err, want...) {
			s.fail("Fit, %s: error is %v, want one that wraps %v", what, err, want)
		}
	})
	s.embedRefuses(what, g, x, want...)
}

func (s *suite) embedRefuses(what string, g *coles.Graph, x mat.Matrix, want ...error) {
	m, ok := s.inductive()
	if !ok {
		return
	}
	s.guard("Embed, "+what, func() {
		if _, err := m.Embed(background, g, s.features(x)); !is(err, want...) {
			s.fail("Embed, %s: error is %v, want one that wraps %v", what, err, want)
		}
	})
}

// soundOrNamed wants numbers of Fit, or an error with a name.
func (s *suite) soundOrNamed(what string, g *coles.Graph, x mat.Matrix) {
	s.guard(what, func() {
		m, err := s.fit(background, g, x)
		if err == nil {
			s.sound(what, m.Embedding(), g.Nodes())
		} else if !s.isNamed(err) {
			s.fail("%s: error %v has no name", what, err)
		}
	})
	m, ok := s.inductive()
	if !ok || s.Transductive {
		return
	}
	s.guard("Embed, "+what, func() {
		if y, err := m.Embed(background, g, s.features(x)); err == nil {
			s.sound("Embed, "+what, y, g.Nodes())
		} else if !s.isNamed(err) {
			s.fail("Embed, %s: error %v has no name", what, err)
		}
	})
}

// guard makes a panic a failure, and goes on with the check.
func (s *suite) guard(what string, call func()) {
	defer func() {
		if r := recover(); r != nil {
			s.fail("%s: panic: %v", what, r)
		}
	}()
	call()
}

func (s *suite) noNodes() {
	s.refuses("a nil graph", nil, s.words, coles.ErrEmpty, coles.ErrShape)
	s.refuses("a graph of no nodes", new(coles.Graph), s.words, coles.ErrEmpty, coles.ErrShape)
	if s.NoFeatures {
		return
	}
	s.refuses("features of no rows", s.graph, &mat.Dense{}, coles.ErrEmpty, coles.ErrShape)
	s.refuses("a nil *mat.Dense", s.graph, (*mat.Dense)(nil), coles.ErrEmpty, coles.ErrShape)
}

func (s *suite) oneNode() { s.soundOrNamed("one node", built(1, nil), randomWords(1)) }

func (s *suite) noEdges() { s.soundOrNamed("no edges", built(nodes, nil), s.words) }

func (s *suite) isolated() {
	g := built(nodes, []coles.Edge{{U: 3, V: 4}, {U: 4, V: 5}, {U: 5, V: 30}})
	s.soundOrNamed("three edges among forty nodes", g, s.words)
}

func (s *suite) shapes() {
	if s.NoFeatures {
		return
	}
	s.refuses("a row too many", s.graph, randomWords(nodes+1), coles.ErrShape)
	s.refuses("a row too few", s.graph, randomWords(nodes-1), coles.ErrShape)
	s.embedRefuses("a column too many", s.graph, mat.NewDense(nodes, words+1, nil), coles.ErrShape)
	s.embedRefuses("a column too few", s.graph, mat.NewDense(nodes, words-1, nil), coles.ErrShape)
}

func (s *suite) notFinite() {
	if s.NoFeatures {
		return
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		x := mat.DenseCopyOf(s.words)
		x.Set(nodes/2, words/2, bad)
		for name, x := range stored(x) {
			s.refuses(name, s.graph, x, coles.ErrNotFinite)
		}
	}
}

func (s *suite) extremes() {
	if s.NoFeatures {
		return
	}
	for name, f := range map[string]func(v float64) float64{
		"of size 1e300":         func(v float64) float64 { return 1e300 * v },
		"of size 1e150":         func(v float64) float64 { return 1e150 * v },
		"of size 1e-300":        func(v float64) float64 { return 1e-300 * v },
		"of the smallest float": func(v float64) float64 { return math.SmallestNonzeroFloat64 * v },
		"all equal":             func(float64) float64 { return 1 },
		"all zero":              func(float64) float64 { return 0 },
		"negative":              func(v float64) float64 { return -v },
	} {
		x := mat.DenseCopyOf(s.words)
		x.Apply(func(_, _ int, v float64) float64 { return f(v) }, x)
		s.soundOrNamed("features "+name, s.graph, x)
	}
}
