// Command files times the coles command from file to file: everything that a person waits for.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"coles/examples/shared/cli"
	"coles/internal/peak"
	"coles/lab/internal/programs"
)

const usage = `Usage: files [-data DIR] [-against OLD] [flags]

Builds the coles command, makes files for it and times it on them, each run a
process of its own: starting, reading and writing are in the seconds. It prints
a Markdown table: for each row the bytes that are read and written, the median
of -runs and, in brackets, the fastest and the slowest, and the largest
resident memory. With -against the same is done with another build of the
command, in turn, and the ratio divides the medians.

COLES_KERNEL=avx2 times the vector instructions of most machines on one that
has more. The files are in a temporary folder, which TMPDIR chooses: two
gigabytes, with the row of 50 million edges seven.

  files                                                    (some three minutes)
  files -rows read-2m,tsv -runs 5
  files -data data -rows cora,pubmed -against ./coles-old
  files -rows embed-50m -runs 1

Rows: `

func main() { cli.Main(run) }

// options are the command line, checked.
type options struct {
	data, against string
	runs          int
	jobs          []job
	json          bool
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := cli.Flags(usage+programs.Names(jobs)+"\n\nFlags:\n", stderr)
	flags.StringVar(&o.data, "data", "", "`folder` that holds npz/NAME.npz, for the rows cora and pubmed")
	flags.StringVar(&o.against, "against", "", "another build of the command, a `program`")
	flags.IntVar(&o.runs, "runs", 3, "runs of each row, of which the median counts")
	chosen := flags.String("rows", "", "comma-separated `rows` (default all that there are but embed-50m)")
	flags.BoolVar(&o.json, "json", false, "print a line of JSON a row, with the seconds of every run, instead of a Markdown table")
	if err := cli.Parse(flags, args, cli.Least{"runs": 1}); err != nil {
		return o, err
	}
	if o.against != "" {
		path, err := exec.LookPath(o.against)
		if err != nil {
			return o, fmt.Errorf("-against: %w", err)
		}
		o.against = path
	}
	if *chosen == "" {
		o.jobs = slices.DeleteFunc(slices.Clone(jobs), func(j job) bool { return j.large || j.archive && o.data == "" })
		return o, nil
	}
	var err error
	o.jobs, err = programs.Find("rows", *chosen, jobs, func(j job, name string) bool { return name == j.name })
	if k := slices.IndexFunc(o.jobs, func(j job) bool { return j.archive }); err == nil && k >= 0 && o.data == "" {
		err = fmt.Errorf("-rows %s: %v is read from a file, so -data is needed", *chosen, o.jobs[k])
	}
	return o, err
}

const tableHead = "| row | command | read, MB | written, MB | coles, s | against, s | ratio | peak, MiB |\n|---|---|--:|--:|--:|--:|--:|--:|\n"

// build makes the command, in its own module, whose versions of what it needs are not those of this one.
func build(ctx context.Context, program string) error {
	library, err := cli.Output(ctx, nil, "go", "list", "-m", "-f", "{{.Dir}}", "coles")
	if err == nil {
		_, err = cli.Output(ctx, nil, "go", "-C", strings.TrimSpace(string(library)), "build", "-o", program, "./cmd/coles")
	}
	return err
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "files")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "coles")
	if err := build(ctx, program); err != nil {
		return err
	}
	if !o.json {
		fmt.Fprint(stdout, tableHead)
	}
	for _, j := range o.jobs {
		fmt.Fprintln(stderr, j)
		r, err := o.measure(ctx, j, dir, program)
		if err != nil {
			return fmt.Errorf("%v: %w", j, err)
		}
		if o.json {
			err = json.NewEncoder(stdout).Encode(r)
		} else {
			_, err = fmt.Fprintln(stdout, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A row has the costs of a job, run by run.
type row struct {
	Name         string    `json:"name"`
	Command      string    `json:"command"`
	BytesRead    int64     `json:"bytes_read"`
	BytesWritten int64     `json:"bytes_written"`
	Seconds      []float64 `json:"seconds"`
	Against      []float64 `json:"against,omitempty"`
	PeakBytes    int64     `json:"peak_bytes,omitempty"` // 0 where it is not known
}

// String is the row of the Markdown table.
func (r row) String() string {
	ratio, against := "", ""
	if len(r.Against) > 0 {
		against = programs.Spread(r.Against)
		ratio = fmt.Sprintf("%.1f", programs.Median(r.Against)/programs.Median(r.Seconds))
	}
	return fmt.Sprintf("| %s | `coles %s` | %.1f | %.1f | %s | %s | %s | %d |", r.Name, r.Command,
		float64(r.BytesRead)/1e6, float64(r.BytesWritten)/1e6, programs.Spread(r.Seconds), against, ratio, r.PeakBytes>>20)
}

// measure makes the files that a job reads and runs it, in turn with the other build.
func (o options) measure(ctx context.Context, j job, dir, program string) (row, error) {
	r := row{Name: j.name, Command: j.command}
	words := strings.Fields(j.command)
	var read, written []string
	for k, word := range words {
		path := filepath.Join(dir, word)
		switch {
		case strings.HasSuffix(word, ".npz"):
			path = filepath.Join(o.data, "npz", word)
			read = append(read, path)
		case inputs[word] != nil:
			if err := keep(path, inputs[word]); err != nil {
				return r, err
			}
			read = append(read, path)
		case strings.HasPrefix(word, "out."):
			written = append(written, path)
		default:
			continue
		}
		words[k] = path
	}
	r.BytesRead = sizes(read)
	for range o.runs {
		seconds, bytes, err := once(ctx, program, words)
		if err != nil {
			return r, err
		}
		r.Seconds, r.PeakBytes, r.BytesWritten = append(r.Seconds, seconds), max(r.PeakBytes, bytes), sizes(written)
		if o.against == "" {
			continue
		}
		if seconds, _, err = once(ctx, o.against, words); ctx.Err() != nil {
			return r, err
		} else if err == nil { // it may not know the format
			r.Against = append(r.Against, seconds)
		}
	}
	return r, nil
}

// sizes are the bytes of files together.
func sizes(paths []string) (bytes int64) {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}

// once runs a command and returns its seconds and its peak memory.
func once(ctx context.Context, program string, words []string) (seconds float64, bytes int64, err error) {
	cmd := exec.CommandContext(ctx, program, words...)
	var said strings.Builder
	cmd.Stderr = &said
	start := time.Now()
	err = cmd.Run()
	seconds = time.Since(start).Seconds()
	if err != nil {
		return 0, 0, cmp.Or(ctx.Err(), fmt.Errorf("%s: %w\n%s", strings.Join(words, " "), err, strings.TrimSpace(said.String())))
	}
	return seconds, peak.Of(cmd.ProcessState), nil
}
