package coles

import (
	"context"
	"math"

	"coles/internal/eigen"
	"coles/internal/kernel"
	"coles/internal/parallel"
)

// A componentSpace is spanned by one unit vector for every connected component
// with an edge, √degree on its nodes and 0 elsewhere: the eigenvectors of W⁺
// with eigenvalue 1. It may be cut down to those vectors a·u₁ + b·u₂ + … that
// are orthogonal to one vector given in these coordinates.
type componentSpace struct {
	label  []int     // of every node: its component, −1 for isolated nodes
	value  []float64 // of every node: √degree/‖√degree of its component‖
	count  int
	normal []float64 // unit vector in R^count to which the space is orthogonal; nil: none
}

func newComponentSpace(g *Graph) *componentSpace {
	label, count := g.Components()
	volume, lost := make([]float64, count), make([]float64, count) // a compensated sum (Kahan 1965)
	for i, c := range label {
		v := g.degree[i] - lost[c]
		sum := volume[c] + v
		lost[c] = sum - volume[c] - v
		volume[c] = sum
	}
	s := &componentSpace{label: label, value: make([]float64, len(label))}
	renumber := make([]int, count)
	for c, v := range volume {
		renumber[c] = -1
		if v > 0 {
			renumber[c] = s.count
			s.count++
		}
	}
	for i, c := range label {
		s.label[i] = renumber[c]
		if renumber[c] >= 0 {
			s.value[i] = math.Sqrt(g.degree[i] / volume[c])
		}
	}
	return s
}

// keepEigenvectors cuts the space down to vectors that ΔW, too, leaves alone:
// those orthogonal to the mean negative. Drawn negatives spare none.
func (s *componentSpace) keepEigenvectors(dw *DeltaW) {
	if dw.drawn {
		*s = componentSpace{label: s.label, value: s.value}
		for i := range s.label {
			s.label[i] = -1
		}
		return
	}
	if dw.mean == nil || s.count == 0 {
		return
	}
	normal := make([]float64, s.count)
	for i, c := range s.label {
		if c >= 0 {
			normal[c] += s.value[i] * dw.mean.v[i]
		}
	}
	length := euclidean(normal)
	if length < 1e-14 { // orthogonal already, up to rounding
		return
	}
	for c := range normal {
		normal[c] /= length
	}
	s.normal = normal
}

func (s *componentSpace) dim() int {
	if s.normal != nil {
		return s.count - 1
	}
	return s.count
}

// vector writes the i-th vector of an orthonormal basis: a component's own or,
// orthogonal to the normal h, column i+1 of the Householder matrix that
// turns h into ±e₀.
func (s *componentSpace) vector(i int, v []float64) {
	coord := make([]float64, s.count)
	if s.normal == nil {
		coord[i] = 1
	} else {
		sign := math.Copysign(1, s.normal[0])
		// With w = h + sign·e₀ and wᵀw = 2(1 + |h₀|), the column is e − 2w·w_{i+1}/wᵀw.
		f := s.normal[i+1] / (1 + math.Abs(s.normal[0]))
		for c, h := range s.normal {
			coord[c] = -f * h
		}
		coord[0] -= f * sign
		coord[i+1]++
	}
	for node, c := range s.label {
		v[node] = 0
		if c >= 0 {
			v[node] = coord[c] * s.value[node]
		}
	}
}

// coordinates returns the coordinates (count × b) of a panel's projection.
func (s *componentSpace) coordinates(p kernel.Matrix[float64]) kernel.Matrix[float64] {
	a := kernel.Dense[float64](s.count, p.Cols)
	for i, c := range s.label {
		if c >= 0 {
			addScaled(a.Data[c*a.Stride:], s.value[i], p.Data[i*p.Stride:][:p.Cols])
		}
	}
	if s.normal != nil {
		along := make([]float64, p.Cols)
		for c, h := range s.normal {
			addScaled(along, h, a.Data[c*a.Stride:][:p.Cols])
		}
		for c, h := range s.normal {
			addScaled(a.Data[c*a.Stride:], -h, along)
		}
	}
	return a
}

// add adds f times the vectors with coordinates a to a panel.
func (s *componentSpace) add(ctx context.Context, p kernel.Matrix[float64], f float64, a kernel.Matrix[float64]) error {
	return parallel.Ranges(ctx, p.Rows, 1024, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if c := s.label[i]; c >= 0 {
				addScaled(p.Data[i*p.Stride:], f*s.value[i], a.Data[c*a.Stride:][:a.Cols])
			}
		}
	})
}

// without is ΔW on the complement of the space. On the space itself it is a
// multiple of the identity below every eigenvalue of ΔW, so that a search for
// the largest never returns it.
func (s *componentSpace) without(dw *DeltaW) eigen.Operator {
	var buffer panelBuffer[float64]
	delta := contrastOf[float64](dw)
	low, _ := dw.spectrumBounds()
	return func(ctx context.Context, dst, src kernel.Matrix[float64]) error {
		if s.dim() <= 0 {
			return delta.apply(ctx, dst, src)
		}
		rest := buffer.sized(src.Rows, src.Cols)
		kernel.Copy(rest, src)
		inside := s.coordinates(src)
		if err := s.add(ctx, rest, -1, inside); err != nil {
			return err
		}
		if err := delta.apply(ctx, dst, rest); err != nil {
			return err
		}
		if err := s.add(ctx, dst, -1, s.coordinates(dst)); err != nil {
			return err
		}
		return s.add(ctx, dst, low, inside)
	}
}
