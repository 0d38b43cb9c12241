package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"coles"
	"coles/dataset"
)

// readEmbeddingFile reads a file of vectors that is no table: a mistyped number would make a category of a column.
// They are not the features of a model.
func (s *session) readEmbeddingFile(ctx context.Context, formatName, path string) (*dataset.Dataset, error) {
	e := s.opts.Encoder
	s.opts.Encoder = nil
	defer func() { s.opts.Encoder = e }()
	d, err := s.readVectors(ctx, formatName, path)
	if err == nil {
		err = onlyNumbers(d, path)
	}
	return d, err
}

// onlyNumbers refuses a table at a path that holds vectors.
func onlyNumbers(d *dataset.Dataset, path string) error {
	if d.Table != nil {
		return fmt.Errorf("%s: %w: vectors are numbers, and not all cells are", nameOf(path), coles.ErrFormat)
	}
	return nil
}

// readVectors reads a file of vectors.
func (s *session) readVectors(ctx context.Context, formatName, path string) (*dataset.Dataset, error) {
	f, file, err := s.vectorsAt(ctx, formatName, path)
	if err != nil {
		return nil, err
	}
	defer file.close()
	return s.readVectorsAs(ctx, f, file)
}

// vectorsAt opens a file of vectors and finds its format.
func (s *session) vectorsAt(ctx context.Context, formatName, path string) (dataset.Format, *source, error) {
	f, err := readingFormat(formatName, path, false)
	if err != nil {
		return f, nil, err
	}
	file, err := s.input(path)
	if err == nil && formatName == "" {
		f = orTable(ctx, f, file)
		if extension := extensionOf(path); extension != "" && len(dataset.FormatsAt(path)) == 0 {
			file.guess = fmt.Sprintf("read as %s: unknown format %s", f.Name, extension)
		}
	}
	return f, file, err
}

// orTable corrects a format that was guessed by the name of a file: a .txt of word2vec may be a table.
func orTable(ctx context.Context, f dataset.Format, s *source) dataset.Format {
	if f.Name == "word2vec" && !beginsAsWord2Vec(ctx, s) {
		f, _ = formatNamed(textVectors, isVectors)
	}
	return f
}

// readVectorsAs reads vectors in a format.
func (s *session) readVectorsAs(ctx context.Context, f dataset.Format, file *source) (*dataset.Dataset, error) {
	d, err := file.read(ctx, f)
	if err == nil {
		err = s.take(d, file.name())
	}
	if err == nil && d.Features == nil && d.Adjacency != nil && f.Name == "npz" && d.IDs == nil && d.Labels == nil { // of SciPy
		d.Features, d.Adjacency = d.Adjacency, nil
		s.warn(fmt.Errorf("%s: the square matrix is taken for features", file.name()))
	}
	if err == nil && d.Features == nil {
		err = fmt.Errorf("%w: features, to be taken for vectors", dataset.ErrMissing)
	}
	if err != nil {
		return nil, file.errAt(err)
	}
	rows, _ := d.Features.Dims()
	if err := s.giveIDs(ctx, d, rows); err != nil {
		return nil, err
	}
	return d, ctx.Err()
}

// beginsAsWord2Vec reports whether text is word2vec's: the first line is two whole numbers, and the second line has as
// many values as the second number. GloVe's text is told by its name, or by a token that would be a quote or a comment
// elsewhere. The reader reports what cannot be read.
func beginsAsWord2Vec(ctx context.Context, s *source) bool {
	r, err := s.open(ctx)
	if err != nil {
		return true
	}
	head, _ := r.Peek(bufferSize)
	if strings.Contains(strings.ToLower(filepath.Base(s.path)), "glove") || bareToken.Match(head) {
		return true
	}
	sizes, rest, _ := strings.Cut(string(head), "\n")
	fields := strings.Fields(sizes)
	if len(fields) != 2 {
		return false
	}
	_, err = strconv.ParseUint(fields[0], 10, 63)
	columns, err2 := strconv.ParseUint(fields[1], 10, 31)
	if err != nil || err2 != nil {
		return false
	}
	row, _, ends := strings.Cut(rest, "\n")
	count := len(strings.Fields(row))
	if !ends && len(head) == bufferSize { // it goes on behind what is seen
		return count <= int(columns)+1
	}
	return rest == "" || count == int(columns)+1
}

// bareToken is a line of such a token and numbers.
var bareToken = regexp.MustCompile(`(?m)^["#%](?: -?\d+\.\d+(?:[eE]-?\d+)?){2,}$`)
