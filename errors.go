package coles

import (
	"errors"

	"coles/internal/archive"
	"coles/internal/matrix"
	"coles/internal/setting"
)

// The named errors of this module, for errors.Is: bad data gets one of them, wrapped with where and what. Other packages add
// errors only for faults that occur nowhere else. A function lists its errors except ctx's, [ErrShape], [ErrNotFinite] and
// [ErrTooLarge] of matrices, and [ErrSetting] of settings. A mistake in the calling program panics as in the standard library:
// a nil argument or receiver, or a callback that panics.
var (
	ErrShape      = matrix.ErrShape                                       // sizes that do not fit together, or nothing where something is needed
	ErrIndex      = matrix.ErrIndex                                       // a node, row or column number outside its range, or an edge that is not there
	ErrNotFinite  = matrix.ErrNotFinite                                   // a NaN or an infinity in the input, or a result that overflows
	ErrTooLarge   = matrix.ErrTooLarge                                    // more nodes or entries than can be indexed, or more memory than can be addressed
	ErrNegative   = matrix.ErrNegative                                    // a weight below zero, or a feature below zero for a preparation that takes none
	ErrAsymmetric = errors.New("matrix is not symmetric")                 // where it has to be
	ErrIDs        = errors.New("bad node ids")                            // repeated, or not one for every node
	ErrDense      = errors.New("too few nodes to draw negatives from")    // of non-neighbours, or of positive degree
	ErrUnplaced   = errors.New("new node without an edge to a known one") // nor has any other, so that nothing says where one belongs
	ErrFormat     = archive.ErrFormat                                     // bytes that are not a file of the kind and version that is read
	ErrChecksum   = archive.ErrChecksum                                   // a file whose bytes were changed or cut off
	ErrSetting    = setting.ErrSetting                                    // a setting outside its range; or COLES_KERNEL names unknown or unsupported instructions
	ErrPrecision  = matrix.ErrPrecision                                   // features that [Float32], or any number, cannot hold; rounding that it does not allow
)

// A SettingError is an [ErrSetting] of any package, for errors.As. It has
//
//	Field string  // "Kappa", "Scaling.Norm": a field, in Go; "k": a parameter; "Kind": the type of a text
//	Value any     // what it is, nil where nothing is set
//	Want  string  // what it may be: "0 to 10000"
//
// JSON that is broken or has unknown members is an ErrSetting alone.
type SettingError = setting.Error
