package distributed

import (
	"fmt"
	"math"
	"slices"

	"coles"
)

// An edgeChunk is some edges, in any order and of any parts of the graph. Chunks of about a megabyte travel best.
type edgeChunk struct {
	U, V   []int64   // edge q joins the nodes U[q] and V[q]
	Weight []float64 // its weight; nil where all are 1
}

// check compares the lengths.
func (c edgeChunk) check() error {
	if len(c.U) != len(c.V) || c.Weight != nil && len(c.Weight) != len(c.U) {
		return fmt.Errorf("%w: edges of %d and %d nodes with %d weights", coles.ErrShape, len(c.U), len(c.V), len(c.Weight))
	}
	return nil
}

func (c *edgeChunk) add(u, v int64, w float64) {
	c.Weight = appendWeight(c.Weight, len(c.U), w)
	c.U, c.V = append(c.U, u), append(c.V, v)
}

// A rowChunk is consecutive rows of a matrix. Features may come in any heights; an embedding has a block in each.
type rowChunk struct {
	First   int64     // number of the first row
	Columns int       // numbers of a row
	Data    []float64 // one row after the other
}

func (r rowChunk) height() int {
	if r.Columns == 0 {
		return 0
	}
	return len(r.Data) / r.Columns
}

func (r rowChunk) check() error {
	if r.Columns == 0 && len(r.Data) == 0 { // truncation may leave no columns
		return nil
	}
	return checkPanel(len(r.Data), r.Columns)
}

// appendWeight adds a weight to the weights of earlier edges, nil as long as all are 1.
func appendWeight(weights []float64, edges int, w float64) []float64 {
	switch {
	case weights == nil && w == 1:
		return nil
	case weights == nil:
		weights = slices.Repeat([]float64{1}, edges)
	}
	return append(weights, w)
}

// weightOf is the weight of an edge.
func weightOf(weights []float64, edge int) float64 {
	if weights == nil {
		return 1
	}
	return weights[edge]
}

// A checked element can verify that its parts fit each other.
type checked interface{ check() error }

// checkPanel verifies that a count of numbers is whole rows of a number of columns.
func checkPanel(count, columns int) error {
	if columns < 1 || columns > math.MaxInt32 || count%columns != 0 {
		return fmt.Errorf("%d numbers in rows of %d", count, columns)
	}
	return nil
}

// checkAscending verifies that numbers ascend from 0 up, none twice.
func checkAscending(lists ...[]int32) error {
	for _, list := range lists {
		last := int32(-1)
		for _, x := range list {
			if x <= last {
				return fmt.Errorf("%d after %d in a list that ascends", x, last)
			}
			last = x
		}
	}
	return nil
}
