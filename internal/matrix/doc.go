// Package matrix is the one type of this module for a matrix, sparse or dense, and what every
// package does with one: check it when it comes in, visit its rows, multiply by it.
//
// [Read] checks a matrix from outside, once. What it gives, a [Source], is viewed where it lies if
// it can be, and may have its rows changed on the way: [As] makes a [Matrix] of it in the numbers
// that are computed with. Nothing here knows of graphs.
package matrix
