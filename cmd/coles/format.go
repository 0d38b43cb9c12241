package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"coles"
	"coles/dataset"

	"gonum.org/v1/gonum/mat"
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
	// which edges alone would do so; others pay no heed to it. It is nil for what is only written.
	read func(ctx context.Context, in *source, nodes []string) (*dataset.Dataset, error)
	// write is nil for what is only read. A graph's format is given a graph.
	write func(w io.Writer, d *dataset.Dataset) error
}

// formats is the table of all formats: a line more is a format more. The first of several that
// share an extension is the one meant by it, among graphs and among vectors.
func formats() []format {
	return []format{
		{name: "npz", about: "gnn-benchmark archive", graph: true, features: true, extensions: []string{".npz"}, binary: true, read: readNPZ, write: dataset.WriteNPZ},
		{name: "planetoid", about: "DIR/NAME for the files DIR/ind.NAME.*", graph: true, isFolder: isPlanetoid, read: readFiles("planetoid", dataset.OpenPlanetoid)},
		{name: "edges", about: "lines of two ids and perhaps a weight", graph: true, extensions: []string{".edges", ".edgelist", ".tsv", ".csv", ".txt"}, read: readEdges, write: dataset.WriteEdgeList},
		{name: "matrixmarket", about: "Matrix Market: the adjacency alone", graph: true, extensions: []string{".mtx"}, read: readMatrixMarket, write: writeMatrixMarket},
		{name: "ogb", about: "folder of the Open Graph Benchmark", graph: true, isFolder: isOGB, read: readFiles("ogb", openOGB)},
		{name: "graphsage", about: "DIR/NAME for GraphSAGE's files DIR/NAME-*", graph: true, isFolder: isGraphSAGE, read: readFiles("graphsage", dataset.OpenGraphSAGE)},
		{name: "npy", about: "NumPy's matrix, without ids", extensions: []string{".npy"}, binary: true, read: readNPY, write: writeNPY},
		{name: "tsv", about: "lines of an id and values", extensions: []string{".tsv"}, read: readTSV, write: writeTSV},
		{name: "csv", about: "the same between commas", extensions: []string{".csv"}, read: readTSV, write: writeCSV},
		{name: "jsonl", about: "a JSON object a line", extensions: []string{".jsonl", ".ndjson"}, write: writeJSONLines},
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
			switch {
			case f.write == nil:
				about += ", read only"
			case f.read == nil:
				about += ", written only"
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
	extension := extensionOf(path)
	var found []format
	for _, f := range formats() {
		if slices.Contains(f.extensions, extension) || f.isFolder != nil && f.isFolder(path) {
			found = append(found, f)
		}
	}
	return found
}

// extensionOf is the extension of a file's name in lower case, without that of gzip.
func extensionOf(path string) string {
	return strings.ToLower(filepath.Ext(strings.TrimSuffix(path, ".gz")))
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func isGraph(f format) bool      { return f.graph }
func isVectors(f format) bool    { return !f.graph }
func holdsVectors(f format) bool { return !f.graph || f.features }
func isRead(f format) bool       { return f.read != nil }
func isWritten(f format) bool    { return f.write != nil }

// readingFormat is the format of a graph, or of vectors: the one named or, where name is empty,
// told by the path, or else text.
func readingFormat(name, path string, graph bool) (format, error) {
	wanted := func(f format) bool { return isRead(f) && (graph && isGraph(f) || !graph && holdsVectors(f)) }
	if name != "" {
		if f, ok := formatNamed(name, wanted); ok {
			return f, nil
		}
		return format{}, usagef("unknown format %q, want one of %s", name, formatNames(wanted))
	}
	others := formatsOf(path)
	for _, f := range others {
		if wanted(f) {
			return f, nil
		}
	}
	// A name that says it is something else is not guessed to be text.
	switch {
	case len(others) > 0 && others[0].binary:
		return format{}, usagef("%s: the format %s does not hold %s", path, others[0].name, kindName(graph))
	case (graph || len(others) > 0) && !slices.ContainsFunc(others, isRead) && extensionOf(path) != "" && !isFolder(path):
		return format{}, unknownFormat(path, formatNames(wanted))
	}
	text := textVectors
	if graph {
		text = textGraph
	}
	f, _ := formatNamed(text, wanted)
	return f, nil
}

// unknownFormat is the error for a file whose extension no format that is read has.
func unknownFormat(path, wanted string) error {
	return usagef("%s: unknown format %s to read; name one of %s by -from", path, extensionOf(path), wanted)
}

// guess says what a file was taken for without being told, and because of which file's name; empty
// for a binary format, which cannot be mistaken.
func (f format) guess(because string) string {
	if f.binary || f.isFolder != nil {
		return ""
	}
	text := "read as " + f.name
	if because != "" && because != standard {
		text += " because of " + because
	}
	return text + "; name the format by -from"
}

// holdsEmbedding reports whether an embedding can be written in a format.
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

// writableIDs refuses ids that a format cannot hold, before they are written, by writing them with
// vectors of one column to nowhere; the error names a format that can.
func (f format) writableIDs(d *dataset.Dataset, rows int) error {
	if d.IDs == nil {
		return nil
	}
	named := *d
	named.Features, named.FeatureNames = mat.NewDense(rows, 1, nil), nil
	err := f.write(io.Discard, &named)
	if !errors.Is(err, coles.ErrIDs) {
		return nil // what else there is wrong is for the writing to say
	}
	for _, other := range formats() {
		if isVectors(other) && isWritten(other) && other.name != "npy" && other.write(io.Discard, &named) == nil {
			return fmt.Errorf("%w; %s can", err, other.name)
		}
	}
	return err
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
