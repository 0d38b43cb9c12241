// Package matrix has the one type of this module for a matrix, sparse or dense. It has the operations that every
// package needs: check a matrix when it comes in, visit its rows, multiply by it.
//
// [Read] checks a matrix from outside, once. The result, a [Source], is viewed in place if
// possible, and may have its rows changed on the way: [As] converts it to a [Matrix] in the numbers
// of the computation. Nothing here depends on graphs.
package matrix
