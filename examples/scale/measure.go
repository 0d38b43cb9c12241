package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"coles"
	"coles/dataset"

	"github.com/james-bowman/sparse"
)

// A row is what one size took.
type row struct {
	Nodes    int `json:"nodes"`
	Edges    int `json:"edges"`
	Features int `json:"features"`
	Dim      int `json:"dim"`
	Hops     int `json:"hops"`
	Seconds  struct {
		Generate float64 `json:"generate"` // graph and features, the file included
		Graph    float64 `json:"graph"`    // coles.FromCSR
		coles.StageSeconds
	} `json:"seconds"`
	PeakBytes int64 `json:"peak_bytes"` // see Peak
	Peak      peak  `json:"peak"`
	// EstimatedBytes is the library's own estimate of what Fit takes beside its input.
	EstimatedBytes int64 `json:"estimated_bytes"`
}

// fit is the time of coles.Fit.
func (r row) fit() float64 { return total(r.Seconds.StageSeconds) }

// size measures one size: where there are others, in a process of its own.
func (o options) size(ctx context.Context, n int) (row, error) {
	path := o.file
	if path == "" {
		dir, err := os.MkdirTemp("", "scale")
		if err != nil {
			return row{}, err
		}
		defer os.RemoveAll(dir)
		path = filepath.Join(dir, "features.npy")
	}
	if len(o.sizes) == 1 {
		return o.measure(ctx, n, path)
	}
	self, err := os.Executable()
	if err != nil {
		return row{}, err
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, self, "-sizes", strconv.Itoa(n), "-json", "-features-file", path,
		"-degree", fmt.Sprint(o.degree), "-features", strconv.Itoa(o.features),
		"-dim", strconv.Itoa(o.dim), "-hops", strconv.Itoa(o.hops), "-runs", strconv.Itoa(o.runs), "-seed", strconv.FormatUint(o.seed, 10))
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return row{}, ctx.Err()
	}
	if err != nil {
		return row{}, fmt.Errorf("%w\n%s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	var r row
	if err := json.Unmarshal(out, &r); err != nil {
		return row{}, fmt.Errorf("the process for this size printed %.80q: %w", out, err)
	}
	return r, nil
}

// measure generates a graph, embeds it, and tells what that took.
func (o options) measure(ctx context.Context, n int, path string) (row, error) {
	r := row{Nodes: n, Features: o.features, Dim: o.dim, Hops: o.hops}
	start := time.Now()
	adjacency, err := o.generate(ctx, n, path)
	if err != nil {
		return r, err
	}
	r.Seconds.Generate = time.Since(start).Seconds()

	start = time.Now()
	g, err := coles.FromCSR(adjacency)
	if err != nil {
		return r, err
	}
	r.Seconds.Graph = time.Since(start).Seconds()
	adjacency = nil // the graph has its own

	x, err := dataset.MapNPY(path)
	if err != nil {
		return r, err
	}
	defer x.Close()
	debug.FreeOSMemory()
	r.Peak = forgetPeak()
	reports := make([]coles.Report, o.runs)
	for i := range reports {
		m, err := coles.Fit(ctx, g, x.Matrix(), coles.WithFilter(coles.S2GCSum(o.hops)), coles.WithDim(o.dim), coles.WithSeed(o.seed))
		if err != nil {
			return r, err
		}
		reports[i] = m.Report()
		debug.FreeOSMemory() // so that no run pays for the one before
	}
	r.PeakBytes = peakBytes()
	r.take(reports)
	return r, nil
}

// take fills in what the run with the median time reports, the slower of the
// middle two where their number is even.
func (r *row) take(reports []coles.Report) {
	slices.SortFunc(reports, func(a, b coles.Report) int { return cmp.Compare(total(a.Seconds), total(b.Seconds)) })
	report := reports[len(reports)/2]
	r.Edges, r.EstimatedBytes = report.Graph.Edges, report.Memory.Bytes
	r.Seconds.StageSeconds = report.Seconds
}

func total(s coles.StageSeconds) float64 { return s.Prepare + s.Filter + s.Solve + s.Embed }

// generate draws a graph, puts its features into a file and keeps only the
// adjacency.
func (o options) generate(ctx context.Context, n int, path string) (*sparse.CSR, error) {
	d, err := dataset.Communities{Nodes: n, Degree: o.degree, Features: o.features, Dense: true, Seed: o.seed}.Generate(ctx)
	if err != nil {
		return nil, err
	}
	err = dataset.WriteFile(path, func(w io.Writer) error { return dataset.WriteNPY(w, d.Features) })
	return d.Adjacency, err
}
