package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"coles/dataset"
)

// A format is one way to write a graph or vectors down. What a file of vectors holds is a Dataset
// that has Features, and IDs perhaps, but no Adjacency.
type format struct {
	name  string
	about string
	graph bool // a graph, perhaps with features, labels and splits; otherwise vectors
	// features says that a graph's format holds features too, which serve as vectors.
	features bool
	// extensions, lower case and with the dot, tell the format by a file's name; isFolder does
	// where it is not a single file.
	extensions []string
	isFolder   func(path string) bool
	binary     bool
	// read reads a source. Where nodes is not nil it names the nodes, in order, for formats in
	// which edges alone would do so; others pay no heed to it.
	read func(ctx context.Context, in *source, nodes []string) (*dataset.Dataset, error)
	// write is nil for what is only read. A graph's format is given a graph.
	write func(w io.Writer, d *dataset.Dataset) error
}

// formats is the table of all formats: a line more is a format more. The first of several that
// share an extension is the one meant by it, among graphs and among vectors.
func formats() []format {
	return []format{
		{name: "npz", about: "gnn-benchmark archive", graph: true, features: true, extensions: []string{".npz"}, binary: true, read: readNPZ, write: dataset.WriteNPZ},
		{name: "planetoid", about: "DIR/NAME for the files DIR/ind.NAME.*", graph: true, isFolder: isPlanetoid, read: readPlanetoid},
		{name: "edges", about: "lines of two ids and perhaps a weight", graph: true, extensions: []string{".edges", ".edgelist", ".tsv", ".csv", ".txt"}, read: readEdges},
		{name: "matrixmarket", about: "Matrix Market: the adjacency alone", graph: true, extensions: []string{".mtx"}, read: readMatrixMarket, write: writeMatrixMarket},
		{name: "ogb", about: "folder of the Open Graph Benchmark", graph: true, isFolder: isOGB, read: readOGB},
		{name: "npy", about: "NumPy's matrix, without ids", extensions: []string{".npy"}, binary: true, read: readNPY, write: writeNPY},
		{name: "tsv", about: "lines of an id and values", extensions: []string{".tsv"}, read: readTSV, write: writeTSV},
		{name: "word2vec", about: "word2vec's text", extensions: []string{".txt", ".vec"}, read: readWord2Vec(dataset.ReadWord2Vec), write: writeWord2Vec},
		{name: "word2vec-binary", about: "word2vec's binary form, float32", extensions: []string{".bin"}, binary: true, read: readWord2Vec(dataset.ReadWord2VecBinary), write: writeWord2VecBinary},
	}
}

// What text of unknown extension, and standard input, is taken for.
const textGraph, textVectors = "edges", "tsv"

// formatNames lists the formats that pass.
func formatNames(pass func(format) bool) string {
	var names []string
	for _, f := range formats() {
		if pass(f) {
			names = append(names, f.name)
		}
	}
	return strings.Join(names, ", ")
}

// formatList is a line for every graph format, or for every other.
func formatList(graph bool) string {
	var b strings.Builder
	for _, f := range formats() {
		if f.graph == graph {
			about := f.about
			if len(f.extensions) > 0 {
				about += " (" + strings.Join(f.extensions, " ") + ")"
			}
			if f.write == nil {
				about += ", read only"
			}
			fmt.Fprintf(&b, "   %-16s %s\n", f.name, about)
		}
	}
	return b.String()
}

// formatNamed finds a format among those that pass.
func formatNamed(name string, pass func(format) bool) (format, bool) {
	for _, f := range formats() {
		if f.name == name && pass(f) {
			return f, true
		}
	}
	return format{}, false
}

// formatsOf lists the formats that a path may be in, by its extension or by the files that it
// stands for.
func formatsOf(path string) []format {
	extension := strings.ToLower(filepath.Ext(strings.TrimSuffix(path, ".gz")))
	var found []format
	for _, f := range formats() {
		if slices.Contains(f.extensions, extension) || f.isFolder != nil && f.isFolder(path) {
			found = append(found, f)
		}
	}
	return found
}

func isGraph(f format) bool      { return f.graph }
func isVectors(f format) bool    { return !f.graph }
func holdsVectors(f format) bool { return !f.graph || f.features }
func isRead(f format) bool       { return f.read != nil }
func isWritten(f format) bool    { return f.write != nil }

// readingFormat is the format of a graph, or of vectors: the one named or, where name is empty,
// told by the path, or else text.
func readingFormat(name, path string, graph bool) (format, error) {
	wanted := isGraph
	if !graph {
		wanted = holdsVectors
	}
	if name != "" {
		if f, ok := formatNamed(name, wanted); ok {
			return f, nil
		}
		return format{}, usagef("unknown format %q, want one of %s", name, formatNames(wanted))
	}
	for _, f := range formatsOf(path) {
		if wanted(f) {
			return f, nil
		}
	}
	// A name that says it is something else is not guessed to be text.
	if others := formatsOf(path); len(others) > 0 && others[0].binary {
		return format{}, usagef("%s: the format %s does not hold %s", path, others[0].name, kindName(graph))
	}
	text := textVectors
	if graph {
		text = textGraph
	}
	f, _ := formatNamed(text, wanted)
	return f, nil
}

// holdsEmbedding tells whether an embedding can be written in a format.
func holdsEmbedding(f format) bool { return isWritten(f) && holdsVectors(f) }

// embeddingFormat is the format to write an embedding in: the one named or told by the path; text
// on standard output.
func embeddingFormat(name, path string) (format, error) {
	if err := uncompressed(path); err != nil {
		return format{}, err
	}
	if name != "" {
		if f, ok := formatNamed(name, holdsEmbedding); ok {
			return f, nil
		}
		return format{}, usagef("no embedding in the format %q, want one of %s", name, formatNames(holdsEmbedding))
	}
	if path == standard {
		f, _ := formatNamed(textVectors, isWritten)
		return f, nil
	}
	for _, f := range formatsOf(path) {
		if holdsEmbedding(f) {
			return f, nil
		}
	}
	return format{}, usagef("%s: the name does not tell a format for an embedding; name one of %s by -to", path, formatNames(holdsEmbedding))
}

// uncompressed refuses a file whose name says that it is gzipped.
func uncompressed(path string) error {
	if strings.HasSuffix(strings.ToLower(path), ".gz") {
		return usagef("%s: compressed files are read, not written", path)
	}
	return nil
}

func kindName(graph bool) string {
	if graph {
		return "a graph"
	}
	return "vectors"
}
