// Package kernel holds the loops that the time goes into: sparse × dense and
// dense × dense products.
//
// Dense matrices are [blas64.General] values, row-major, possibly with padding
// between the rows, which is neither read nor written. A product writes into a
// destination that must not overlap its other arguments. Every sum is taken in
// an order fixed by the sizes alone, and every entry of a result is written by
// one task: the bytes are the same for every GOMAXPROCS.
//
// The only error is that of the context, noticed within some milliseconds; the
// destination then holds an unfinished result. Sizes that do not fit together
// are a mistake of the caller inside this module and panic.
package kernel
