package dataset

import (
	"cmp"
	"errors"
	"io"

	"coles/dataset/internal/edgetext"
	"coles/dataset/internal/place"
	"coles/dataset/parse"
)

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
