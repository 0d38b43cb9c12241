package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"coles"
	"coles/dataset"
)

// A job is one row of the table.
type job struct {
	name      string
	dim       int
	solver    string               // the peer's faster one
	generated *dataset.Communities // nil: the file of that name is read
}

// String names the job as -graphs takes it.
func (j job) String() string { return fmt.Sprintf("%s:%d", j.name, j.dim) }

// The numbers of columns are the default and those of the paper's tables.
var graphs = []job{
	{"cora", 128, "free", nil},
	{"cora", 512, "dense", nil},
	{"citeseer", 128, "free", nil},
	{"citeseer", 512, "dense", nil},
	{"pubmed", 128, "dense", nil},
	{"pubmed", 256, "dense", nil},
	{"coauthor_cs", 128, "free", nil},
	{"coauthor_cs", 512, "free", nil},
	{"flickr", 128, "free", nil},
	// Nodes, edges, features and classes of ogbn-arxiv.
	{"generated", 128, "dense", &dataset.Communities{Nodes: 170_000, Degree: 14, Classes: 40, Features: 128, Dense: true, Seed: 1}},
}

// row measures a job: where there are others, in a process of its own, so that
// its peak memory and its first run are its own.
func (o options) row(ctx context.Context, j job) (row, error) {
	if len(o.jobs) == 1 {
		return o.measure(ctx, j)
	}
	self, err := os.Executable()
	if err != nil {
		return row{}, err
	}
	cmd := exec.CommandContext(ctx, self, "-graphs", j.String(), "-json", "-train="+strconv.FormatBool(o.train),
		"-data", o.data, "-peer", strings.Join(o.peer, " "), "-runs", strconv.Itoa(o.runs))
	// It takes its temporary files away, for which it needs a moment.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	out, err := output(ctx, cmd)
	if err != nil {
		return row{}, err
	}
	var r row
	if err := json.Unmarshal(out, &r); err != nil {
		return row{}, fmt.Errorf("the process for this row printed %.80q: %w", out, err)
	}
	return r, nil
}

// output runs a program; an error has what it wrote to standard error.
func output(ctx context.Context, cmd *exec.Cmd) ([]byte, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// measure runs both in turn.
func (o options) measure(ctx context.Context, j job) (row, error) {
	if o.train {
		return o.measureTraining(ctx, j)
	}
	r := row{Graph: j.name, Dim: j.dim}
	d, path, err := o.load(ctx, j)
	if j.generated != nil && path != "" {
		defer os.Remove(path)
	}
	if err != nil {
		return r, err
	}
	g, err := coles.FromCSR(d.Adjacency, coles.WithSymmetrization())
	if err != nil {
		return r, err
	}
	x := d.Features
	d = nil // the graph has its own copy of the adjacency
	peak := watchPeak()
	for range o.runs {
		runtime.GC() // so that no run pays for the one before
		start := time.Now()
		m, err := coles.Fit(ctx, g, x, coles.WithDim(j.dim))
		if err != nil {
			return r, err
		}
		r.Seconds = append(r.Seconds, time.Since(start).Seconds())
		r.Precision, r.Solver = m.Report().Precision, m.Report().Solver
		if len(o.peer) == 0 {
			continue
		}
		seconds, err := j.peer(ctx, o.peer, path)
		if err != nil {
			return r, err
		}
		r.Peer = append(r.Peer, seconds)
	}
	r.PeakBytes = peak()
	return r, nil
}

// load returns the graph and, if there is a peer, the file it can read it from.
// That of a generated graph is the caller's to remove, even after an error.
func (o options) load(ctx context.Context, j job) (*dataset.Dataset, string, error) {
	if j.generated == nil {
		path := filepath.Join(o.data, "npz", j.name+".npz")
		d, err := dataset.OpenNPZ(path)
		return d, path, err
	}
	d, err := j.generated.Generate(ctx)
	if err != nil || len(o.peer) == 0 {
		return d, "", err
	}
	f, err := os.CreateTemp("", "bench*.npz")
	if err != nil {
		return d, "", err
	}
	defer f.Close()
	if err := dataset.WriteNPZ(f, d); err != nil {
		return d, f.Name(), err
	}
	return d, f.Name(), f.Close()
}

// peer returns the seconds that the other program reports.
func (j job) peer(ctx context.Context, command []string, path string) (float64, error) {
	cmd := exec.CommandContext(ctx, command[0],
		slices.Concat(command[1:], []string{"--npz", path, "--dim", strconv.Itoa(j.dim), "--solver", j.solver})...)
	out, err := output(ctx, cmd)
	if err != nil {
		return 0, err
	}
	var said struct {
		Total float64 `json:"total"`
	}
	if err := json.Unmarshal(out, &said); err != nil || said.Total <= 0 {
		return 0, fmt.Errorf("%s printed %.80q, want a JSON object with seconds as \"total\"", command[0], out)
	}
	return said.Total, nil
}
