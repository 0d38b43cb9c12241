// Package kernel holds the loops that the time goes into: sparse × dense and
// dense × dense products.
//
// Dense matrices are row-major, of float64 or float32, possibly with padding
// between the rows, which is neither read nor written. A product writes into a
// destination that must not overlap its other arguments. Every sum is taken in
// an order fixed by the sizes alone, and every entry of a result is written by
// one task: the bytes are the same for every GOMAXPROCS. They are those of the
// path in use: assembly for AVX-512 or AVX2 with fused multiplications, or Go.
// The path is chosen when the program starts (see [Path]); COLES_KERNEL=portable
// in the environment, or the build tag noasm, gives the one of every machine.
//
// The only error is that of the context, noticed within some milliseconds; the
// destination then holds an unfinished result. Sizes that do not fit together
// are a mistake of the caller inside this module and panic.
package kernel

//go:generate go run ./gen
