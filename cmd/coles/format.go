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

// extensionOf is the extension of a file's name in lower case, before the one of gzip.
func extensionOf(path string) string {
	return filepath.Ext(strings.TrimSuffix(strings.ToLower(path), ".gz"))
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// embeddingFormat is the format to write an embedding in: the one named or told by the path; text
// on standard output.
func embeddingFormat(name, path string) (f dataset.Format, err error) {
	if name == "" && path == standard {
		name = "tsv"
	}
	if name != "" {
		f, ok := dataset.FormatNamed(name)
		if !ok || !holdsEmbedding(f) {
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
