package dataset

import (
	"errors"

	"coles/dataset/internal/place"
	"coles/internal/npy"
)

// What can go wrong here and nowhere else; see the package comment for all errors.
var (
	// ErrMissing: a part that the format requires is not there.
	ErrMissing = place.ErrMissing
	// ErrDuplicate: something that may be given once is given twice.
	ErrDuplicate = place.ErrDuplicate
	// ErrObject: an array of pickled Python objects, or a pickle that asks for a class outside
	// those a dataset needs. Neither is ever built.
	ErrObject = npy.ErrObject
	// ErrLayout: a sound file whose numbers do not lie in it as memory needs them.
	ErrLayout = errors.New("not laid out for mapping")
	// ErrServer: a server does not hand out the file asked for.
	ErrServer = errors.New("the server does not give the file")
)

// faults keeps the first fault, which ends a reading.
type faults struct{ err error }

func (f *faults) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}
