package dataset

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"coles"
	"coles/dataset/internal/edgetext"
	"coles/dataset/internal/networks"
	"coles/dataset/internal/place"
	"coles/dataset/parse"
	"coles/internal/source"

	"gonum.org/v1/gonum/mat"
)

// A Format is one way to write down a graph or vectors, see [Formats]. Vectors, one for every node,
// are a Dataset that has Features and perhaps IDs, but no Adjacency.
type Format struct {
	// Name names the format, such as "npz", and About describes it in a few words.
	Name, About string
	// Graph is set if the format holds graphs, and Features if these may have features, which
	// can serve as vectors. Other formats hold vectors.
	Graph, Features bool
	// Attributes is set if nodes may have some besides, to make features and labels of.
	Attributes bool
	// Undirected is set if it holds a [Dataset.Graph].
	Undirected bool
	// Binary is set if the format is not text.
	Binary bool
	// Extensions, lower case and with the dot, tell the format by a file's name.
	Extensions []string
	// IsAt recognises the format by the files that a path stands for. It is nil for a single file.
	IsAt func(path string) bool
	// Read reads a stream, called by its method Name in errors if it has one; opts say how text is
	// read. Read is nil for several files, and for a format that is only written.
	Read func(r io.Reader, opts parse.Options) (*Dataset, error)
	// Write is nil for a format that is only read. Parts of d that the format lacks are left out.
	Write func(w io.Writer, d *Dataset) error

	open func(path string) (*Dataset, error) // where a path gives more than a stream
}

// Formats returns the table of all formats. The first of several that share an extension is the one
// meant by it, among graphs and among vectors.
func Formats() []Format {
	return slices.Concat([]Format{
		{
			Name: "npz", About: "gnn-benchmark archive", Graph: true, Features: true, Binary: true, Extensions: []string{".npz"},
			Read: func(r io.Reader, _ parse.Options) (*Dataset, error) { return ReadNPZ(r) }, Write: WriteNPZ,
		},
		{
			Name: "planetoid", About: "DIR/NAME for the files DIR/ind.NAME.*", Graph: true, IsAt: isPlanetoid,
			open: func(path string) (*Dataset, error) { return OpenPlanetoid(filepath.Split(path)) },
		},
		{
			Name: "edges", About: "lines of two ids and perhaps a weight", Graph: true,
			Extensions: []string{".edges", ".edgelist", ".ncol", ".tsv", ".csv", ".txt", ".dat", ".data", ".jsonl", ".ndjson"},
			Read:       textAs("edges"), Write: writeEdgeList,
		},
		{Name: "adjacency", About: "lines of a node and its neighbours, or JSON of such lists", Graph: true, Extensions: []string{".adjlist"}, Read: textAs("adjacency")},
		{Name: "baskets", About: "lines of items, such as of purchases: a line is a node of its own kind", Graph: true, Extensions: []string{".baskets"}, Read: textAs("baskets")},
	}, networkFormats(), []Format{
		{
			Name: "matrixmarket", About: "Matrix Market: the adjacency alone", Graph: true, Extensions: []string{".mtx"},
			Read: readAdjacency, Write: func(w io.Writer, d *Dataset) error { return writeMatrixMarket(w, d.Adjacency) },
		},
		{
			Name: "csr", About: "a graph alone, as it is mapped into memory", Graph: true, Binary: true, Undirected: true, Extensions: []string{".csr"},
			Read: func(r io.Reader, _ parse.Options) (*Dataset, error) { return readCSR(r) }, Write: WriteCSR, open: OpenCSR,
		},
		{
			Name: "pairs", About: "NumPy's matrix of edges, m × 2 whole numbers", Graph: true, Binary: true, Extensions: []string{".npy"},
			Read: textAs("pairs"),
		},
		{
			Name: "npy", About: "NumPy's matrix, without ids", Binary: true, Extensions: []string{".npy"},
			Read: readFeatureMatrix, Write: func(w io.Writer, d *Dataset) error { return WriteNPY(w, d.Features) }, open: openMatrix,
		},
		{Name: "tsv", About: "lines of an id and values, numbers or not", Extensions: []string{".tsv", ".dat", ".data"}, Read: readRows, Write: vectorsBy(WriteTSV)},
		{Name: "csv", About: "the same between commas", Extensions: []string{".csv"}, Read: readRows, Write: vectorsBy(WriteCSV)},
		{Name: "jsonl", About: "a JSON object a line", Extensions: []string{".jsonl", ".ndjson"}, Read: readRows, Write: vectorsBy(writeJSONLines)},
		{Name: "json", About: "a JSON object that lists the words of each node", Extensions: []string{".json"}, Read: readWords},
		{
			Name: "word2vec", About: "word2vec's text", Extensions: []string{".txt", ".vec"},
			Read: readWord2Vec, Write: vectorsBy(writeWord2Vec),
		},
		{
			Name: "word2vec-binary", About: "word2vec's binary form, float32", Binary: true, Extensions: []string{".bin"},
			Read: readWord2VecBinary, Write: vectorsBy(writeWord2VecBinary),
		},
	})
}

// FormatNamed finds a format by its name.
func FormatNamed(name string) (f Format, ok bool) {
	all := Formats()
	k := slices.IndexFunc(all, func(f Format) bool { return f.Name == name })
	if k < 0 {
		return f, false
	}
	return all[k], true
}

// FormatsAt lists the formats that a path may be in, by the extension, before .gz if there is one,
// or by the files that are there.
func FormatsAt(path string) []Format {
	extension := filepath.Ext(strings.TrimSuffix(strings.ToLower(path), ".gz"))
	planetoid := strings.HasPrefix(filepath.Base(path), "ind.") && extension == ".graph"
	return slices.DeleteFunc(Formats(), func(f Format) bool {
		return (planetoid || !slices.Contains(f.Extensions, extension)) && (f.IsAt == nil || !f.IsAt(path))
	})
}

// Open reads the file or files at a path, gzipped or not, and names the dataset after it. A file of
// float32 in the format npy is mapped, see [MapNPY]. The format's reader
// makes the errors; coles.ErrFormat is a format that is only written.
func (f Format) Open(path string, opts parse.Options) (*Dataset, error) {
	switch {
	case f.open != nil:
		return f.open(path)
	case f.Read == nil:
		return nil, place.Fault(path, "%w: %s is written, not read", coles.ErrFormat, f.Name)
	}
	return Open(path, func(r io.Reader) (*Dataset, error) { return f.Read(r, opts) })
}

// isThere reports whether there is a file, gzipped or not.
func isThere(path string) bool {
	return slices.ContainsFunc([]string{path, path + ".gz"}, func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	})
}

func isPlanetoid(path string) bool {
	dir, name := filepath.Split(path)
	return isThere(filepath.Join(dir, planetoidFile(name, "graph")))
}

// networkFormats are the formats of graph tools.
func networkFormats() (all []Format) {
	for _, f := range networks.Formats {
		all = append(all, Format{
			Name: f.Name, About: f.About, Graph: true, Attributes: true, Extensions: f.Extensions,
			Read: textAs(f.Name),
		})
	}
	return all
}

// textAs reads edges in a format.
func textAs(format string) func(io.Reader, parse.Options) (*Dataset, error) {
	return func(r io.Reader, opts parse.Options) (*Dataset, error) {
		opts.Format = format
		return ReadEdgeList(r, nil, opts)
	}
}

// readRows reads the vectors of a features file.
func readRows(r io.Reader, opts parse.Options) (*Dataset, error) {
	opts.SkipUnknown, opts.Undirected = false, false
	d, err := ReadEdgeList(strings.NewReader(""), r, opts)
	if err == nil {
		d.Adjacency = nil
	}
	return d, err
}

func readAdjacency(r io.Reader, _ parse.Options) (*Dataset, error) {
	m, err := readMatrixMarket(r)
	if err != nil {
		return nil, err
	}
	if rows, cols := m.Dims(); rows != cols {
		return nil, place.Fault(source.Name(r, "matrix"), "a matrix of %d × %d, want a square one: %w", rows, cols, coles.ErrShape)
	}
	return &Dataset{Adjacency: m}, nil
}

func readFeatureMatrix(r io.Reader, _ parse.Options) (*Dataset, error) {
	x, err := ReadNPY(r)
	if err != nil {
		return nil, err
	}
	return &Dataset{Features: x}, nil
}

func openMatrix(path string) (*Dataset, error) {
	d, err := MapNPY(path)
	if errors.Is(err, ErrLayout) {
		return Open(path, func(r io.Reader) (*Dataset, error) { return readFeatureMatrix(r, parse.Options{}) })
	}
	return d, err
}

func vectorsBy(write func(w io.Writer, ids []string, m mat.Matrix) error) func(io.Writer, *Dataset) error {
	return func(w io.Writer, d *Dataset) error { return write(w, d.IDs, d.Features) }
}

// readWords reads features of 0 and 1 from a JSON object that lists the words of each node.
func readWords(r io.Reader, _ parse.Options) (*Dataset, error) {
	var b Builder
	err := edgetext.EachList(r, func(id string, members []string) error {
		b.AddNode(id)
		for _, word := range members {
			b.SetFeature(id, word, 1)
		}
		return nil
	})
	if err == nil {
		d, err := b.Build()
		if err == nil {
			d.Adjacency = nil
		}
		return d, err
	}
	return nil, place.In(source.Name(r, "json"), err)
}
