package main

import (
	"bufio"
	"cmp"
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
	if s.labels == "" {
		s.note("", task.LabelsInFeatures(d)...)
		return ctx.Err()
	}
	read, err := s.readLabels(ctx, s.labels, parse.Options{LabelColumn: s.labelColumn, SkipUnknown: s.opts.SkipUnknown, MissingMarks: s.opts.MissingMarks, Warn: s.opts.Warn}, d.IDs, n)
	if err == nil {
		d.Labels, d.Unlabeled, d.Classes = read.Labels, read.Unlabeled, read.Classes
		d.Layouts = append(d.Layouts, slices.DeleteFunc(read.Layouts, func(l parse.Layout) bool { return l.Lines != "labels" })...)
		s.note("", task.LabelsInFeatures(d)...)
		err = ctx.Err()
	}
	return err
}

// readLabels reads what a file of lines, or a column of a table, says of n nodes.
func (s *session) readLabels(ctx context.Context, path string, opts parse.Options, ids []string, n int) (*dataset.Dataset, error) {
	return readPath(ctx, s, path, func(text io.Reader) (*dataset.Dataset, error) {
		opts.Labels, opts.Header, opts.Bipartite = named{text, nameOf(path)}, s.opts.Header, s.opts.Bipartite
		nameNodes(&opts, ids, n)
		return dataset.ReadEdgeList(strings.NewReader(""), nil, opts)
	})
}

// readNames reads the names that answers call n nodes by, of these ids. A name that is given twice is followed by the id.
func (s *session) readNames(ctx context.Context, ids []string, n int) error {
	if s.names == "" {
		return nil
	}
	read, err := s.readLabels(ctx, s.names, parse.Options{LabelColumn: s.nameColumn, SkipUnknown: true}, ids, n)
	if err != nil {
		return err
	}
	s.called = make(map[string]string)
	count := make(map[int]int)
	labels := task.Known(read, n)
	for _, l := range labels {
		count[l]++
	}
	for i, id := range task.Names(ids, n) {
		if l := labels[i]; l >= 0 && count[l] > 1 {
			s.called[id] = fmt.Sprintf("%s (%s)", read.Classes[l], id)
		} else if l >= 0 {
			s.called[id] = read.Classes[l]
		}
	}
	if len(s.called) == 0 {
		err = fmt.Errorf("%s: %w: it names none of the %d nodes", nameOf(s.names), coles.ErrIDs, n)
	}
	return err
}

// name is what answers call a node.
func (s *session) name(id string) string { return cmp.Or(s.called[id], id) }

func (s *session) allNames(ids []string) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = s.name(id)
	}
	return names
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
