// Package door passes functions of the root package to package inside, which imports the root and so cannot be imported
// by it. The root sets them when the program starts. Each has the type that package inside asserts.
package door

import "coles/internal/kernel"

var Adjacency, FromEdges, FromRows, Weighed, Linear, CheckUsed, Open, Keep, Assembled, Places, Known, Row, Seated, View, Columns any

// Entries is what a SymCSR holds, nil for any other matrix.
var Entries = func(any) *kernel.CSR[float64] { return nil }
