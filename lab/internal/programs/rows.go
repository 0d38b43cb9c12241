// Package programs has the parts that the programs of the laboratory share. They measure one by one, each measurement
// in its own process, choose among these by name, and keep features in a file.
package programs

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"coles/dataset"
	"coles/examples/shared/cli"

	"gonum.org/v1/gonum/mat"
)

// Rows measures jobs one by one and prints each row as soon as it is there, as Markdown below head
// or as a line of JSON. Where there are several jobs, each runs in its own process, so that its
// peak memory and its first run are its own: this program again, with args that choose the job.
func Rows[J, R fmt.Stringer](ctx context.Context, stdout, stderr io.Writer, head string, asJSON bool, jobs []J, measure func(context.Context, J) (R, error), args func(J) []string) ([]R, error) {
	if !asJSON {
		fmt.Fprint(stdout, head)
	}
	if len(jobs) > 1 {
		measure = func(ctx context.Context, j J) (R, error) { return Again[R](ctx, args(j)...) }
	}
	var rows []R
	for _, j := range jobs {
		fmt.Fprintln(stderr, j)
		r, err := measure(ctx, j)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", j, err)
		}
		if asJSON {
			err = json.NewEncoder(stdout).Encode(r)
		} else {
			_, err = fmt.Fprintln(stdout, r)
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// Again runs this program again, which is to print a row in JSON.
func Again[R any](ctx context.Context, args ...string) (row R, err error) {
	self, err := os.Executable()
	if err != nil {
		return row, err
	}
	out, err := cli.Output(ctx, nil, self, args...)
	if err != nil {
		return row, err
	}
	return row, json.Unmarshal(out, &row)
}

// Mapped puts a matrix of float32 into a temporary .npy file, in the folder that TMPDIR names, and maps
// it. The file has no name any more then, and its room on the disk ends with the mapping.
func Mapped(x mat.Matrix) (*dataset.Dataset, error) {
	dir, err := os.MkdirTemp("", "features")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "features.npy")
	if err := dataset.WriteFile(path, func(w io.Writer) error { return dataset.WriteNPY(w, x) }); err != nil {
		return nil, err
	}
	return dataset.MapNPY(path)
}
