package measures

import (
	"context"
)

var background = context.Background()

// diagnosticCases are written by testdata/diagnostics.py, whose head explains the fields.
type diagnosticCases struct {
	Unit   float64
	Graphs []struct {
		X                  [][]float64
		Edges, Pairs       [][2]int
		Labels             []int
		Node, Edge, Random float64
		Dots               []float64
	}
	Samples []struct {
		X, Y        []float64
		H           float64
		Points      int
		Silverman   float64
		At, Density []float64
		JS, W       float64
	}
}
