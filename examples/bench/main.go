// Command bench times the embedding of real graphs, and beside it that of
// another program on the same files, in turn, so that their ratio holds on a
// machine whose speed drifts.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"coles"
	"coles/dataset"
)

const usage = `Usage: bench -data DIR [-peer CMD] [flags]

Times the embedding of graphs in DIR/npz at the default setting, data in memory,
and prints the medians of several runs as a Markdown table.

-peer names a program to compare with. It is run as
  CMD --npz FILE --dim N --solver dense|free
and prints one JSON object with its own seconds for the embedding, "total".

  bench -data data
  bench -data data -peer 'python3 coles_ref.py' -runs 5

Flags:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// A job is one row of the table.
type job struct {
	name   string
	dim    int
	solver string // the peer's faster one
}

// The dimensions are the default and those of the paper's tables.
var jobs = []job{
	{"cora", 128, "free"},
	{"cora", 512, "dense"},
	{"citeseer", 128, "free"},
	{"citeseer", 512, "dense"},
	{"pubmed", 128, "dense"},
	{"pubmed", 256, "dense"},
	{"coauthor_cs", 128, "free"},
	{"flickr", 128, "free"},
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	data := flags.String("data", "", "`folder` that holds npz (required)")
	peer := flags.String("peer", "", "`command` to compare with, its words separated by spaces")
	runs := flags.Int("runs", 3, "runs of each, of which the median counts")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q (-h explains the flags)", flags.Arg(0))
	case *data == "":
		return errors.New("-data is missing: the folder that holds npz (-h explains)")
	case *runs < 1:
		return fmt.Errorf("-runs %d: at least 1 is needed", *runs)
	}
	fmt.Fprintln(stdout, "| graph, d′ | coles, s | peer, s | ratio |\n|---|--:|--:|--:|")
	for _, j := range jobs {
		fmt.Fprintf(stderr, "%s, d′ = %d\n", j.name, j.dim)
		ours, theirs, err := j.measure(ctx, *data, strings.Fields(*peer), *runs)
		if err != nil {
			return fmt.Errorf("%s, d′ = %d: %w", j.name, j.dim, err)
		}
		row := fmt.Sprintf("| %s, %d | %.2f | | |", j.name, j.dim, ours)
		if theirs > 0 {
			row = fmt.Sprintf("| %s, %d | %.2f | %.2f | %.1f |", j.name, j.dim, ours, theirs, theirs/ours)
		}
		fmt.Fprintln(stdout, row)
	}
	return nil
}

// measure runs both in turn and returns the medians; that of an absent peer is 0.
func (j job) measure(ctx context.Context, folder string, peer []string, runs int) (ours, theirs float64, err error) {
	path := filepath.Join(folder, "npz", j.name+".npz")
	d, err := dataset.OpenNPZ(path)
	if err != nil {
		return 0, 0, err
	}
	g, err := coles.FromCSR(d.Adjacency, coles.WithSymmetrization())
	if err != nil {
		return 0, 0, err
	}
	var mine, other []float64
	for range runs {
		start := time.Now()
		if _, err := coles.Fit(ctx, g, d.Features, coles.WithDim(j.dim)); err != nil {
			return 0, 0, err
		}
		mine = append(mine, time.Since(start).Seconds())
		if len(peer) == 0 {
			continue
		}
		seconds, err := j.timePeer(ctx, peer, path)
		if err != nil {
			return 0, 0, err
		}
		other = append(other, seconds)
	}
	return median(mine), median(other), nil
}

func (j job) timePeer(ctx context.Context, peer []string, path string) (float64, error) {
	args := slices.Concat(peer[1:], []string{"--npz", path, "--dim", strconv.Itoa(j.dim), "--solver", j.solver})
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, peer[0], args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", peer[0], err, stderr.Bytes())
	}
	var said struct {
		Total float64 `json:"total"`
	}
	if err := json.Unmarshal(out, &said); err != nil || said.Total <= 0 {
		return 0, fmt.Errorf("%s printed %.80q, want a JSON object with seconds as \"total\"", peer[0], out)
	}
	return said.Total, nil
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 1 {
		return values[middle]
	}
	return (values[middle-1] + values[middle]) / 2
}
