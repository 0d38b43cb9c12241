package dataset

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// ReadMatrices reads an .npz archive of size bytes whose members are numeric arrays of one
// dimension (a single column) or two, as numpy.savez writes them, by the names of
// its members without ".npy". Elements are those that [ReadNPY] reads.
//
// Errors are a *ParseError naming the member and wrap ErrFormat (text among others), ErrTruncated, ErrTooLarge,
// ErrMissing (no reader, or an archive without members), ErrShape, ErrDuplicate, ErrChecksum or ErrObject. All members together
// may take 256 MB and 64 times the archive's size, no more.
func ReadMatrices(r io.ReaderAt, size int64) (map[string]*mat.Dense, error) {
	if err := checkReader(r, "npz"); err != nil {
		return nil, err
	}
	return readMatrices(r, size, "npz")
}

// OpenMatrices reads the archive at path, gzipped or not. See [ReadMatrices].
func OpenMatrices(path string) (map[string]*mat.Dense, error) {
	var all map[string]*mat.Dense
	err := openNPZ(path, func(r io.ReaderAt, size int64) (err error) {
		all, err = readMatrices(r, size, path)
		return err
	})
	return all, err
}

func readMatrices(r io.ReaderAt, size int64, name string) (map[string]*mat.Dense, error) {
	a, err := openArchive(r, size, name)
	if err != nil {
		return nil, err
	}
	if len(a.members) == 0 {
		return nil, inFile(name, "%w: no matrix in the archive", ErrMissing)
	}
	all := make(map[string]*mat.Dense, len(a.members))
	for _, key := range slices.Sorted(maps.Keys(a.members)) {
		var rows, cols int
		v, h, err := array(a, key, 0, func(s *source, h *npyHeader) (v []float64, err error) {
			if rows, cols, err = s.matrix(h); err != nil {
				return nil, err
			}
			return s.readFloats(h)
		})
		if err != nil {
			return nil, err
		}
		all[key] = denseOf(v, rows, cols, h.fortran)
	}
	return all, nil
}

// WriteMatrices writes an .npz archive of matrices, which numpy.load and [ReadMatrices] read: a
// member each in the order of their names, in the precision and order of [WriteNPY]. Nothing is
// compressed, and the bytes depend on the matrices alone.
//
// Errors, before anything is written: ErrMissing for no matrix, a nil one or a nil writer, ErrShape for
// one without rows or columns, ErrID for a name that is empty, not UTF-8, or a path. Any
// other is the writer's own.
func WriteMatrices(w io.Writer, matrices map[string]mat.Matrix) error {
	if len(matrices) == 0 {
		return fmt.Errorf("dataset: write npz: %w: no matrices", ErrMissing)
	}
	names := slices.Sorted(maps.Keys(matrices))
	for _, name := range names {
		if name == "" || strings.ToValidUTF8(name, "") != name || strings.ContainsAny(name, "/\\\x00") {
			return fmt.Errorf("dataset: write npz: matrix %q: %w", name, ErrID)
		}
		r, c, err := writing("npz", w, matrices[name])
		if err != nil {
			return err
		}
		if r == 0 || c == 0 {
			return fmt.Errorf("dataset: write npz: %s is an empty matrix, %d × %d: %w", name, r, c, ErrShape)
		}
	}
	a := newArchiveWriter(w)
	for _, name := range names {
		m := matrices[name]
		a.member(name, func() error { return writeAsStored(a.b, m) })
	}
	return a.close()
}
