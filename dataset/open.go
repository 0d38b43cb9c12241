package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"coles/dataset/internal/edgetext"
	"coles/dataset/internal/place"
	"coles/dataset/parse"
	"coles/internal/npy"
	"coles/internal/source"
)

// Open reads the file at path, gzipped or not, by way of read: a function such as [ReadNPZ], or one
// that calls it. Errors name the path, and a [Dataset] is named after it.
func Open[T any](path string, read func(io.Reader) (T, error)) (v T, err error) {
	f, err := openFile(path)
	if err != nil {
		return v, err
	}
	defer f.Close()
	v, err = read(f)
	if d, ok := any(v).(*Dataset); ok && err == nil && d.Name == "" {
		base := strings.TrimSuffix(filepath.Base(path), ".gz")
		d.Name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	return v, err
}

func openFile(path string) (*source.File, error) {
	f, err := source.Open(path)
	var system *fs.PathError
	if errors.As(err, &system) { // names the path
		return nil, fmt.Errorf("dataset: %w", err)
	}
	return f, place.In(path, err)
}

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
)

// faults keeps the first fault, which ends a reading.
type faults struct{ err error }

func (f *faults) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// ReadEdgeList reads a graph from the text of edges and, unless features is nil, of its nodes' features; package parse says
// what text that is. Features are a *mat.Dense or a *sparse.CSR like the file. [Dataset.Layouts] say how each file was read,
// opts.Warn is told what was guessed.
//
// Nodes called 0 to n − 1 come in that order, others in the order of the features file. An edge that names another is
// coles.ErrIDs unless opts.MissingRows allows it; such nodes follow in the order in which the edge list first names them,
// as all do without features. Each line of the edge list is one entry of the adjacency, row u and column v: nothing is
// mirrored or merged.
//
// Errors have file, line and column (of the field, in bytes): ErrMissing for files without a node,
// coles.ErrSetting for options that make no sense, coles.ErrTooLarge for zeros beyond 2²⁰ and 64 times
// the numbers in the file. Cost: O(bytes + zeros).
func ReadEdgeList(edges, features io.Reader, opts parse.Options) (*Dataset, error) {
	f, err := edgetext.Read(edges, features, opts)
	if err != nil {
		return nil, err
	}
	d := &Dataset{
		Adjacency: f.Adjacency, Undirected: f.Undirected, Features: f.Features, FeatureNames: f.FeatureNames, Table: f.Table,
		Encoder: f.Encoder, IDs: f.IDs, Wanted: f.Wanted, Kinds: f.Kinds, Sides: f.Sides, Layouts: f.Layouts, release: f.Release,
	}
	if f.Class != nil {
		err = d.giveClasses(f.Class)
	}
	if err != nil {
		return nil, place.Fault(cmp.Or(opts.LabelsName, "labels"), "%w", errors.Join(err, d.Close()))
	}
	return d, nil
}

// OpenEdgeList reads the files at the given paths, each gzipped or not, as [ReadEdgeList] does; an empty
// featuresPath or labelsPath means none. The dataset is named after the edge list.
func OpenEdgeList(edgesPath, featuresPath, labelsPath string) (*Dataset, error) {
	var others [2]io.Reader
	for k, path := range []string{featuresPath, labelsPath} {
		if path == "" {
			continue
		}
		f, err := openFile(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		others[k] = f
	}
	return Open(edgesPath, func(edges io.Reader) (*Dataset, error) {
		return ReadEdgeList(edges, others[0], parse.Options{Labels: others[1]})
	})
}
