package main

import (
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

// standard is the name of standard input or output on a command line.
const standard = "-"

// What text of unknown extension, and standard input, is taken for.
const textGraph, textVectors = "edges", "tsv"

func isGraph(f dataset.Format) bool      { return f.Graph }
func isVectors(f dataset.Format) bool    { return !f.Graph }
func holdsVectors(f dataset.Format) bool { return !f.Graph || f.Features }
func isRead(f dataset.Format) bool       { return f.Read != nil || f.IsAt != nil }
func isWritten(f dataset.Format) bool    { return f.Write != nil }

func holdsIDs(f dataset.Format) bool { return f.Name != "npy" && f.Name != "matrixmarket" }

// holdsEmbedding reports whether an embedding can be written in a format.
func holdsEmbedding(f dataset.Format) bool { return isWritten(f) && holdsVectors(f) }

// formatNames lists the formats that pass.
func formatNames(pass func(dataset.Format) bool) string {
	var names []string
	for _, f := range dataset.Formats() {
		if pass(f) {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, ", ")
}

// formatList is a line for every graph format, or for every other.
func formatList(graph bool) string {
	var b strings.Builder
	for _, f := range dataset.Formats() {
		if f.Graph != graph {
			continue
		}
		about := f.About
		if len(f.Extensions) > 0 {
			about += " (" + strings.Join(f.Extensions, " ") + ")"
		}
		switch {
		case !isWritten(f):
			about += ", read only"
		case !isRead(f):
			about += ", written only"
		}
		fmt.Fprintf(&b, "   %-16s %s\n", f.Name, about)
	}
	return b.String()
}

// formatNamed finds a format among those that pass.
func formatNamed(name string, pass func(dataset.Format) bool) (f dataset.Format, ok bool) {
	f, ok = dataset.FormatNamed(name)
	return f, ok && pass(f)
}

// extensionOf is the extension of a file's name in lower case, before the one of gzip.
func extensionOf(path string) string {
	return filepath.Ext(strings.TrimSuffix(strings.ToLower(path), ".gz"))
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func kindName(graph bool) string {
	if graph {
		return "a graph"
	}
	return "vectors"
}

// readingFormat is the format of a graph, or of vectors: the one named or, where name is empty,
// told by the path, or else text.
func readingFormat(name, path string, graph bool) (f dataset.Format, err error) {
	kind, text := holdsVectors, textVectors
	if graph {
		kind, text = isGraph, textGraph
	}
	wanted := func(f dataset.Format) bool { return isRead(f) && kind(f) }
	if name != "" {
		f, ok := formatNamed(name, wanted)
		if !ok {
			err = usagef("unknown format %q, want one of %s", name, formatNames(wanted))
		}
		return f, err
	}
	others := dataset.FormatsAt(path)
	if k := slices.IndexFunc(others, wanted); k >= 0 {
		return others[k], nil
	}
	// A name with another meaning is not guessed to be text.
	konect := strings.HasPrefix(filepath.Base(path), "out.")
	switch {
	case len(others) > 0 && others[0].Binary:
		return f, usagef("%s: the format %s does not hold %s", path, others[0].Name, kindName(graph))
	case len(others) == 0 && (python[extensionOf(path)] != "" || unpack[extensionOf(path)] != ""):
		return f, unknownFormat(path, formatNames(wanted))
	case (graph || len(others) > 0) && !slices.ContainsFunc(others, isRead) && extensionOf(path) != "" && !isFolder(path) && !konect:
		return f, unknownFormat(path, formatNames(wanted))
	}
	f, _ = formatNamed(text, wanted)
	return f, nil
}

// python makes text of a file that is not read, and unpack of one that is packed otherwise than by gzip, by extension.
var (
	python = map[string]string{".xlsx": `import pandas; pandas.read_excel(%q).to_csv("graph.csv", index=False)`}
	unpack = map[string]string{".bz2": "bunzip2 -k", ".xz": "unxz -k", ".zst": "unzstd", ".zip": "unzip", ".parquet": "coles-parquet table"}
)

// unknownFormat is the error for a file whose extension no format that is read has.
func unknownFormat(path, wanted string) error {
	switch extension := extensionOf(path); {
	case python[extension] != "":
		return usagef("%s: %s is not read; Python makes text of it: "+python[extension], path, extension, path)
	case unpack[extension] != "":
		return usagef("%s: %s is not read; unpack it by %s %q", path, extension, unpack[extension], path)
	default:
		return usagef("%s: unknown format %s to read; name one of %s by -from", path, extension, wanted)
	}
}

// embeddingFormat is the format to write an embedding in: the one named or told by the path; text
// on standard output.
func embeddingFormat(name, path string) (f dataset.Format, err error) {
	if name == "" && path == standard {
		name = textVectors
	}
	if name != "" {
		f, ok := formatNamed(name, holdsEmbedding)
		if !ok {
			err = usagef("no embedding in the format %q, want one of %s", name, formatNames(holdsEmbedding))
		}
		return f, err
	}
	told := dataset.FormatsAt(path)
	if k := slices.IndexFunc(told, holdsEmbedding); k >= 0 {
		return told[k], nil
	}
	return f, usagef("%s: the name does not tell a format for an embedding; name one of %s by -to", path, formatNames(holdsEmbedding))
}

// writableIDs refuses ids that a format cannot hold, before they are written, by writing them with
// vectors of one column to nowhere; the error names a format that can.
func writableIDs(f dataset.Format, d *dataset.Dataset, rows int) error {
	if d.IDs == nil {
		return nil
	}
	named := *d
	named.Features, named.FeatureNames = mat.NewDense(rows, 1, nil), nil
	err := f.Write(io.Discard, &named)
	if !errors.Is(err, coles.ErrIDs) {
		return nil // what else there is wrong is for the writing to say
	}
	for _, other := range dataset.Formats() {
		if isVectors(other) && isWritten(other) && holdsIDs(other) && other.Write(io.Discard, &named) == nil {
			return fmt.Errorf("%w; %s can", err, other.Name)
		}
	}
	return err
}
