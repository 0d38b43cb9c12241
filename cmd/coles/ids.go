package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"coles"
	"coles/dataset"
	"coles/dataset/parse"
	"coles/task"

	"github.com/urfave/cli/v3"
)

// giveLabels puts those in the file of -labels, lines of an id and a label, on the n rows of d.
func (s *session) giveLabels(ctx context.Context, d *dataset.Dataset, n int) error {
	path := s.labels
	if path == "" {
		s.note("", task.LabelsInFeatures(d)...)
		return ctx.Err()
	}
	read, err := readPath(ctx, s, path, func(text io.Reader) (*dataset.Dataset, error) {
		opts := parse.Options{Labels: named{text, nameOf(path)}, LabelColumn: s.labelColumn, Header: s.opts.Header, SkipUnknown: s.opts.SkipUnknown, MissingMarks: s.opts.MissingMarks, Bipartite: s.opts.Bipartite, Warn: s.opts.Warn}
		nameNodes(&opts, d.IDs, n)
		return dataset.ReadEdgeList(strings.NewReader(""), nil, opts)
	})
	if err == nil {
		d.Labels, d.Unlabeled, d.Classes = read.Labels, read.Unlabeled, read.Classes
		d.Layouts = append(d.Layouts, slices.DeleteFunc(read.Layouts, func(l parse.Layout) bool { return l.Lines != "labels" })...)
		s.note("", task.LabelsInFeatures(d)...)
		err = ctx.Err()
	}
	return err
}

// giveIDs gives the n rows of the first file without ids the ids of -ids, one a line.
func (s *session) giveIDs(ctx context.Context, d *dataset.Dataset, n int) error {
	if s.ids == "" || d.IDs != nil {
		return nil
	}
	ids, err := readIDs(ctx, s, s.ids)
	if err == nil && len(ids) != n {
		err = fmt.Errorf("%s: %w: %d ids for %d rows", nameOf(s.ids), coles.ErrShape, len(ids), n)
	}
	if err == nil {
		d.IDs = ids
	}
	s.ids = ""
	return err
}

// readIDs reads ids, one a line.
func readIDs(ctx context.Context, s *session, path string) ([]string, error) {
	return readPath(ctx, s, path, func(r io.Reader) ([]string, error) {
		known := make(map[string]bool)
		var ids []string
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, 16<<20) // as long as a line of other text may be
		for lines.Scan() {
			id := strings.TrimPrefix(lines.Text(), "\ufeff") // byte order mark
			if id == "" || known[id] || !utf8.ValidString(id) {
				err := fmt.Errorf("%w: %q is empty, given twice or not UTF-8", coles.ErrIDs, id)
				return nil, &parse.Error{File: nameOf(path), Line: len(ids) + 1, Err: err}
			}
			known[id], ids = true, append(ids, id)
		}
		return ids, lines.Err()
	})
}

// readSplits reads a file of splits of n nodes.
func readSplits(ctx context.Context, s *session, path string, n int) ([]dataset.Split, error) {
	return readPath(ctx, s, path, func(r io.Reader) ([]dataset.Split, error) { return dataset.ReadSplits(r, n) })
}

// writeIDs writes the ids of n rows, one a line.
func writeIDs(w io.Writer, ids []string, n int) error {
	for _, id := range task.Names(ids, n) {
		if id == "" || strings.ContainsAny(id, "\r\n") || strings.HasPrefix(id, "\ufeff") {
			return fmt.Errorf("%w: %q does not go on a line", coles.ErrIDs, id)
		}
		if _, err := fmt.Fprintln(w, id); err != nil {
			return err
		}
	}
	return nil
}

// areNumbers reports whether ids say no more than the numbers of rows.
func areNumbers(ids []string) bool {
	for i, id := range ids {
		if id != strconv.Itoa(i) {
			return false
		}
	}
	return true
}

// idsOptions say where the ids of rows go.
type idsOptions struct{ path string }

func (o *idsOptions) flag() cli.Flag {
	return ofOutput.file(&o.path, "write-ids", "write the ids of the rows to `FILE`, one a line, for a format that has none, such as npy")
}

// output is the file of -write-ids, which must not be the output's or the model's.
func (o *idsOptions) output(s *session, files []string, output, model string) (sink, error) {
	if o.path == standard || sameFile(o.path, output) || sameFile(o.path, model) {
		return sink{}, usagef("-write-ids %s: want a file of its own", o.path)
	}
	return s.output(files, "-write-ids", o.path, false)
}

// warnOfIDs warns of ids that a format loses and this file does not keep.
func (s *session) warnOfIDs(kept sink, f dataset.Format, ids []string) {
	if kept.path == "" && !holdsIDs(f) && !areNumbers(ids) {
		s.warn(fmt.Errorf("%s holds no ids, and nodes are not called 0, 1, 2 …: -write-ids FILE keeps which row is which", f.Name))
	}
}
