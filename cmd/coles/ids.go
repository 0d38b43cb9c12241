package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"coles"
	"coles/dataset"
	"coles/task"

	"github.com/urfave/cli/v3"
)

// readIDs reads ids, one a line.
func readIDs(ctx context.Context, s *session, path string) ([]string, error) {
	from, err := s.source(path)
	if err != nil {
		return nil, err
	}
	return task.ReadIDs(ctx, from)
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
