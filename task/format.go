package task

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"coles/dataset"
	"coles/dataset/parse"
	"coles/internal/source"
	"coles/internal/text"
)

// What text whose name does not tell its format is taken for.
const textGraph, textVectors = "edges", "tsv"

// FormatOf is the format of a graph, or of vectors, that is called name. For "" the path tells it, or it is text. Errors:
// [ErrWrongFormat].
func FormatOf(name, path string, graph bool) (f dataset.Format, err error) {
	usual, kind := textVectors, "vectors"
	if graph {
		usual, kind = textGraph, "a graph"
	}
	read := func(f dataset.Format) bool { return f.Read != nil || f.IsAt != nil }
	wanted := func(f dataset.Format) bool { return read(f) && (f.Graph == graph || !graph && f.Features) }
	var names []string
	for _, f := range dataset.Formats() {
		if wanted(f) {
			names = append(names, f.Name)
		}
	}
	if name != "" {
		f, ok := dataset.FormatNamed(name)
		if !ok || !wanted(f) {
			err = fmt.Errorf("%w: %q, want one of %s", ErrWrongFormat, name, strings.Join(names, ", "))
		}
		return f, err
	}
	others, extension := dataset.FormatsAt(path), extensionOf(path)
	if k := slices.IndexFunc(others, wanted); k >= 0 {
		return others[k], nil
	}
	// A name with another meaning is not guessed to be text.
	konect := strings.HasPrefix(filepath.Base(path), "out.")
	folder, _ := os.Stat(path)
	at := &parse.Error{File: path, Offset: -1}
	switch {
	case len(others) > 0 && others[0].Binary:
		at.Err = fmt.Errorf("%w: %s does not hold %s", ErrWrongFormat, others[0].Name, kind)
	case len(others) == 0 && howToRead[extension] != "":
		at.Err = fmt.Errorf("%w: %s is not read; "+howToRead[extension], ErrWrongFormat, extension, path)
	case (graph || len(others) > 0) && !slices.ContainsFunc(others, read) && extension != "" && !konect && (folder == nil || !folder.IsDir()):
		at.Err = fmt.Errorf("%w: %s is unknown", ErrWrongFormat, extension)
		at.Advice = []parse.Advice{{Field: "Format", Says: "which it is of " + strings.Join(names, ", ")}}
	default:
		f, _ = dataset.FormatNamed(usual)
		return f, nil
	}
	return f, at
}

// howToRead says what makes text of a file that is not read, by extension.
var howToRead = map[string]string{
	".xlsx": `Python makes text of it: import pandas; pandas.read_excel(%q).to_csv("graph.csv", index=False)`,
	".bz2":  "unpack it by bunzip2 -k %q", ".xz": "unpack it by unxz -k %q", ".zst": "unpack it by unzstd %q", ".zip": "unpack it by unzip %q",
	".parquet": "unpack it by coles-parquet table %q",
}

// extensionOf is the extension of a file's name in lower case, before the one of gzip.
func extensionOf(path string) string {
	return filepath.Ext(strings.TrimSuffix(strings.ToLower(path), ".gz"))
}

// takesAll reports whether features and labels in text are read together with a graph of a format, by the ids that all have.
func takesAll(f dataset.Format) bool {
	return f.Attributes || slices.Contains([]string{textGraph, "adjacency", "baskets"}, f.Name)
}

// vectors is the format of a source of vectors, by its content where its name may mislead: a .txt of word2vec may be a table.
func (s *Source) vectors(ctx context.Context, name string) (dataset.Format, error) {
	f, err := FormatOf(name, s.Path, false)
	if err != nil || name != "" {
		return f, err
	}
	if f.Name == "word2vec" && !strings.Contains(strings.ToLower(filepath.Base(s.Path)), "glove") { // a .txt may be a table
		if r, err := s.open(ctx); err == nil { // or the reader says why not
			head, _ := r.Peek(source.StreamBuffer)
			if !text.IsWord2Vec(head, len(head) == source.StreamBuffer) {
				f, _ = dataset.FormatNamed(textVectors)
			}
		}
	}
	if extension := extensionOf(s.Path); s.Stream == nil && extension != "" && len(dataset.FormatsAt(s.Path)) == 0 {
		s.taken = fmt.Sprintf("read as %s: unknown format %s", f.Name, extension)
	}
	return f, nil
}

// graph is the format of a source of a graph. What a stream is called says less than what it holds.
func (s *Source) graph(ctx context.Context, name string) (dataset.Format, error) {
	path := s.Path
	if s.Stream != nil && name == "" {
		r, err := s.open(ctx)
		if err != nil {
			return dataset.Format{}, err
		}
		if head, _ := r.Peek(4); string(head) == "PK\x03\x04" {
			name = "npz"
		} else if len(dataset.FormatsAt(path)) == 0 && howToRead[extensionOf(path)] == "" {
			path = ""
		}
	}
	return FormatOf(name, path, true)
}

// guess keeps what a source is taken for, perhaps because of another file's name. A binary format, or that of a graph tool,
// cannot be mistaken.
func (s *Source) guess(name string, f dataset.Format, because string) {
	if name != "" || f.Binary || f.IsAt != nil || f.Attributes {
		return
	}
	s.taken, s.named = "read as "+f.Name, true
	if because != "" {
		s.taken += " because of " + because
	}
}
