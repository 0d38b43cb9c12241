// Package networks reads graphs as tools of graphs write them, each format into the same [Network].
//
// Memory follows the bytes that arrive: a number of nodes that a file declares takes none.
package networks

import (
	"slices"
)

// A Network is a graph as a file holds it. Nodes and edges are numbered in the order of the file.
type Network struct {
	IDs   []string // of the nodes
	Ends  [][2]int32
	Arcs  []bool  // of edges, whether they have a direction
	Lines []int32 // of edges, in the file
	Sides []bool  // the kind of each node, true for the second; nil for one kind
	// Nodes and Edges are what else the file says of them.
	Nodes, Edges Attributes
	// Unread names what else there is and is not used.
	Unread []string
}

// Attributes are columns with a cell for some nodes, or edges.
type Attributes []*Column

// A Column holds the cells of an attribute, in ascending order of Rows.
type Column struct {
	Name    string
	Rows    []int32
	Cells   []string
	Default string // of all others
}

// Named is the column of a name, nil if there is none.
func (a Attributes) Named(name string) *Column {
	if k := slices.IndexFunc(a, func(c *Column) bool { return c.Name == name }); k >= 0 {
		return a[k]
	}
	return nil
}

// Names are the names of all columns.
func (a Attributes) Names() (names []string) {
	for _, c := range a {
		names = append(names, c.Name)
	}
	return names
}

// All are the cells of n rows, "" for none.
func (c *Column) All(n int) []string {
	all := slices.Repeat([]string{c.Default}, n)
	for k, row := range c.Rows {
		all[row] = c.Cells[k]
	}
	return all
}
