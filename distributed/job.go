package distributed

import (
	"cmp"
	"context"
	"fmt"

	"coles"
	"coles/internal/kernel"
)

// A Job is a fit from shards to shards.
type Job struct {
	// Features are globs of shards of X: .npy matrices, gzipped or not, of consecutive rows and any heights. The
	// rows are in the order of the files: glob by glob, and within a glob by name, where numbers in names count
	// as numbers. A worker holds a shard of .npy at a time, so they should have tens of megabytes.
	//
	// Globs are over the file systems of Beam: paths without a scheme are local, and a blank import of
	// io/filesystem/gcs or s3 adds gs:// or s3://.
	Features []string
	// Edges are globs of shards of edges, in one direction or both; none is a graph without. Of an edge given again the
	// largest weight counts, as by [coles.WithRepeats] "max". A shard is one of
	//   - text, gzipped or not: an edge "u v" or "u v w" on each line, separated by tabs, commas, semicolons or
	//     spaces as on the first line; lines that begin with # or % are comments;
	//   - .npy, a matrix of m × 2 integers.
	// Nodes are numbers from 0 to n−1, or in text their Names.
	Edges []string
	// Names, unless nil, are globs of the names of nodes: text, gzipped or not, a name on each line, without the separator of
	// Edges and the spaces around it. Every shard of features has a file of names, in the same order, whose lines name the
	// rows of that shard.
	Names []string
	// Out is the folder of the result, on any file system of Beam.
	Out string
	// Work is the folder for the outputs of steps, or "": see [Run].
	Work string
	// Cut is the number of hops after which Work keeps the state, so that a failure does not repeat them. 0 keeps it after the
	// last.
	Cut int
	// Settings are as for [coles.Fit].
	Settings coles.Settings
	Grid     Grid
	// Model, unless nil, embeds the graph as [coles.Model.Embed] does. Nothing is fitted then, and Settings and Work
	// are ignored.
	Model *coles.Model
	// Runner names the runner of Beam. universal, portable, flink or spark run on the job service of the flag -endpoint,
	// dataflow if the program imports coles/distributed/dataflow. "" is prism, the local engine: at -endpoint or in the
	// program itself, which has memory for small graphs only.
	Runner string
	// Cancel ends the job of a name where the runner has no job service: dataflow.Cancel.
	Cancel func(ctx context.Context, job string) error
	// Progress, unless nil, gets the stage, "inputs", "prepare", "choose", "hop 3/9" or "embed", and the number of files or
	// blocks done, one call after the other. Dataflow shows the progress of pipelines in its own pages only.
	Progress coles.Progress
}

// A Report lists the work of [Run].
type Report struct {
	Steps    []Step    `json:"steps"`    // in their order
	Manifest *Manifest `json:"manifest"` // of the result
	Model    string    `json:"model"`    // [coles.Model.String] of the model
}

// A Step of a job is one pipeline.
type Step struct {
	Name     string   `json:"name"`     // prepare, choose, hops or embed; fit where all is one pipeline
	Skipped  bool     `json:"skipped"`  // its output was there, whole and of the same inputs
	Seconds  float64  `json:"seconds"`  // wall time
	Counters Counters `json:"counters"` // of the pipeline that wrote the output
}

// String is a step in one line.
func (s Step) String() string {
	if s.Skipped {
		return s.Name + ": there already"
	}
	text, c := fmt.Sprintf("%s: %.1f s", s.Name, s.Seconds), s.Counters
	if c["block_hops"] > 0 {
		text += fmt.Sprintf(", %d hops of blocks, %d messages of %s, state of %s", c["block_hops"], c["messages"], size(c["message_bytes"]), size(c["state_bytes"]))
	}
	return text
}

// A run is a job with what the launching program has found out about it.
type run struct {
	Job
	plan    plan
	engine  *engine
	shards  map[string][]rowShard // features, names and edges
	inputs  []InputFile           // of the shards
	content []any                 // what they say, whatever they are called
	model   []byte                // the file of Model
	report  Report
	folders map[string]bool // of steps, and whether they are known to be damaged
	probed  bool
	before  int64 // hops of blocks in earlier pipelines
}

// newRun checks everything that can be checked before any work.
func newRun(ctx context.Context, job Job) (*run, error) {
	r := &run{Job: job, shards: map[string][]rowShard{}, folders: map[string]bool{}}
	refuse := func(format string, args ...any) (*run, error) {
		return nil, fmt.Errorf("distributed: %w: %s", coles.ErrSetting, fmt.Sprintf(format, args...))
	}
	out, work := canonical(job.Out), canonical(job.Work)
	if job.Out == "" || job.Work != "" && lies(out, work) {
		return refuse("output to folder %q, with work in %q", job.Out, job.Work)
	}
	if job.Cut < 0 || job.Cut > 0 && job.Work == "" {
		return refuse("a cut after %d hops, with work in %q", job.Cut, job.Work)
	}
	if r.Runner == "" {
		r.Runner = prismName
	}
	if r.Progress == nil {
		r.Progress = func(string, int, int) {}
	}
	if embedded(r.Runner) {
		if r.Grid.Kernel = cmp.Or(r.Grid.Kernel, kernel.Path()); r.Grid.Kernel != kernel.Path() {
			return refuse("kernel %s in a program that computes by %s; start it with COLES_KERNEL=%s", r.Grid.Kernel, kernel.Path(), r.Grid.Kernel)
		}
	}
	features, err := featureShards(ctx, job.Features)
	if err != nil {
		return nil, err
	}
	r.shards["features"] = features
	nodes, columns := nodesOf(features), features[0].Columns
	if job.Model == nil {
		r.plan, err = newPlan(nodes, columns, job.Settings, job.Grid)
	} else {
		r.plan, r.model, err = planOf(nodes, columns, job.Model, job.Grid)
	}
	if err == nil && len(job.Edges) > 0 {
		r.shards["edges"], err = fileShards(ctx, job.Edges)
	}
	if err == nil && len(job.Names) > 0 {
		r.shards["names"], err = nameShards(ctx, job.Names, features)
	}
	if err != nil {
		return nil, err
	}
	for _, kind := range kinds {
		for _, f := range r.shards[kind] {
			if at := canonical(f.Path); lies(at, out) || job.Work != "" && lies(at, work) {
				return refuse("the input %s lies in the folder of the result or of the work, where files are replaced", f.Path)
			}
			r.inputs = append(r.inputs, InputFile{Path: f.Path})
		}
	}
	return r, nil
}

// kinds are the kinds of shards.
var kinds = []string{"features", "edges", "names"}

// size is a number of bytes in three digits.
func size(bytes int64) string {
	v := float64(bytes)
	for _, unit := range []string{"B", "kB", "MB", "GB", "TB"} {
		if v < 999.5 {
			return fmt.Sprintf("%.3g %s", v, unit)
		}
		v /= 1000
	}
	return fmt.Sprintf("%.3g PB", v)
}
