package picture

import "errors"

// The errors of this package wrap one of these, or one of package eval's where it
// computes what is drawn, and say what was wrong and where.
var (
	// ErrEmpty reports that there is nothing to draw: no series, or one without
	// points; or nothing to draw to.
	ErrEmpty = errors.New("picture: nothing to draw")
	// ErrLength reports slices that should be of the same length, or a matrix of
	// the wrong shape.
	ErrLength = errors.New("picture: lengths differ")
	// ErrNotFinite reports a NaN or an infinity, or a range that overflows.
	ErrNotFinite = errors.New("picture: not a finite number")
	// ErrNotPositive reports a number that has no place on a logarithmic axis, or an
	// error bar below zero.
	ErrNotPositive = errors.New("picture: not a positive number")
	// ErrFormat reports a format, or the ending of a file name, that is unknown.
	ErrFormat = errors.New("picture: unknown format")
	// ErrSize reports a picture too small for its labels, or a size that is no
	// length or beyond all use.
	ErrSize = errors.New("picture: size does not do")
)
