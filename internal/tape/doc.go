// Package tape is reverse-mode differentiation over dense and sparse matrices.
//
// An operation, a method of [Tape], computes its result at once and records how
// the gradient of the result becomes those of its inputs; Backward goes through
// the record from its end. In the doc comments y is the result, g = ∂L/∂y the
// gradient of the loss L with respect to it, of the same shape, and g_x what the
// operation adds to the gradient of its input x. Operations do not change their
// inputs, and any of these may be the same value.
//
// Matrices are of float32 or float64. What is one number, such as a loss, a mean
// or a sum over a column, is summed in float64 in either; products are summed as
// package kernel does.
//
// To add an operation, write a file with a method that makes its result by
// newValue, fills in the data and sets back; and add an entry to the table of
// the gradient test.
//
// Every sum is taken in an order that the sizes and the padding alone decide, so
// the bytes are the same for every GOMAXPROCS. Shapes and indices that do not fit are mistakes
// of the caller inside this module and panic; the one kind of error is that of
// the context or of a [SymmetricOperator], kept until the next Reset (see
// [Tape.Err]); what is computed after it means nothing.
package tape
