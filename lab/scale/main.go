// Command scale shows how time and memory of an embedding grow with the graph: it generates graphs
// of rising size, embeds them, and prints a row for each.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"coles"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/examples/shared/cli"
	"coles/examples/shared/pictures"
	"coles/internal/peak"
	"coles/lab/internal/programs"
	"coles/picture"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

const usage = `Usage: scale [flags]

Generates graphs with communities and dense float32 features, embeds each with
the features in a memory-mapped .npy file, and prints what it took as a
Markdown table. Every size runs in its own process, so that its peak memory is
its own. Progress goes to standard error.

  scale                                                    (some 15 seconds)
  scale -sizes 250000,500000,1000000,2000000 -plot scale.svg
  scale -sizes 170000 -degree 14                           (as large as ogbn-arxiv)
  scale -sizes 10000000                     (100 million edges, some four minutes)
  scale -sizes 10000000 -scratch /var/tmp -memory 4
  scale -sizes 233000 -degree 100 -features 602 -dim 256 -hops 2   (as Reddit)

The features file is temporary, in the folder TMPDIR names, and has
4·nodes·features bytes: a gigabyte for two million nodes of 128.

Flags:
`

func main() { cli.Main(run) }

// A size is a number of nodes.
type size int

func (n size) String() string { return fmt.Sprintf("%d nodes", int(n)) }

// options are the command line, checked.
type options struct {
	sizes    []size
	degree   float64
	features int
	dim      int
	hops     int
	runs     int
	seed     uint64
	plot     string
	json     bool
	scratch  string
	memory   float64
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	alone := func(n size) []string {
		return slices.Concat(args, []string{"-sizes", strconv.Itoa(int(n)), "-json", "-plot", ""})
	}
	rows, err := programs.Rows(ctx, stdout, stderr, tableHead, o.json, o.sizes, o.measure, alone)
	if err != nil {
		return err
	}
	if !o.json {
		fmt.Fprint(stdout, remarks(rows))
	}
	if o.plot == "" {
		return nil
	}
	return drawGrowth(rows, o.plot)
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := cli.Flags(usage, stderr)
	sizes := flags.String("sizes", "25000,50000,100000,200000", "comma-separated `numbers` of nodes")
	flags.Float64Var(&o.degree, "degree", 20, "mean degree: edges are half of it times the nodes")
	flags.IntVar(&o.features, "features", 128, "number of features")
	flags.IntVar(&o.dim, "dim", 128, "columns of the embedding, at most the number of features")
	flags.IntVar(&o.hops, "hops", 8, "hops of the S²GC filter")
	flags.IntVar(&o.runs, "runs", 1, "runs of Fit at each size, of which the one with the median time counts")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the graph and of the embedding")
	flags.StringVar(&o.scratch, "scratch", "", "`folder` for what is larger than memory: the graph is mapped from a file there")
	flags.Float64Var(&o.memory, "memory", 4, "`gigabytes` that a fit may then take")
	flags.StringVar(&o.plot, "plot", "", "`picture` to draw, .png, .svg or .pdf")
	flags.BoolVar(&o.json, "json", false, "print a line of JSON per size instead of a Markdown table")
	if err := cli.Parse(flags, args, cli.Least{"features": 1, "dim": 1, "hops": 1, "runs": 1}); err != nil {
		return o, err
	}
	for _, field := range programs.Fields(*sizes) {
		n, err := strconv.Atoi(field)
		if err != nil || n < 1 {
			return o, fmt.Errorf("-sizes %s: %q is no number of nodes", *sizes, field)
		}
		o.sizes = append(o.sizes, size(n))
	}
	switch {
	case o.sizes == nil:
		return o, errors.New("-sizes names none")
	case o.dim > o.features:
		return o, fmt.Errorf("-dim %d: want 1 to the number of features, %d", o.dim, o.features)
	case o.plot != "":
		return o, pictures.Check(o.plot)
	}
	return o, nil
}

// A row has the costs of one size.
type row struct {
	Nodes    int `json:"nodes"`
	Edges    int `json:"edges"`
	Features int `json:"features"`
	Dim      int `json:"dim"`
	Hops     int `json:"hops"`
	Seconds  struct {
		Generate float64 `json:"generate"` // graph and features, the file included
		Graph    float64 `json:"graph"`    // coles.FromCSR
		Prepare  float64 `json:"prepare"`  // the stages of coles.Fit
		Filter   float64 `json:"filter"`
		Solve    float64 `json:"solve"`
		Embed    float64 `json:"embed"`
	} `json:"seconds"`
	PeakBytes int64  `json:"peak_bytes"`
	Peak      string `json:"peak"` // what PeakBytes is, which not every system has alike
	// EstimatedBytes is the library's own estimate of what Fit takes besides its input.
	EstimatedBytes int64 `json:"estimated_bytes"`
}

const (
	peakOfFit     = "the largest resident memory during Fit, graph and mapped features included"
	peakOfProcess = "the largest memory of the process, generation of the graph and mapped features included"
)

// fit is the time of coles.Fit.
func (r row) fit() float64 {
	return r.Seconds.Prepare + r.Seconds.Filter + r.Seconds.Solve + r.Seconds.Embed
}

// measure generates a graph, embeds it, and reports its time and memory.
func (o options) measure(ctx context.Context, n size) (row, error) {
	r := row{Nodes: int(n), Features: o.features, Dim: o.dim, Hops: o.hops, Peak: peakOfProcess}
	start := time.Now()
	d, err := synthetic.Communities{Nodes: int(n), Degree: o.degree, Features: o.features, Dense: true, Seed: o.seed}.Generate(ctx)
	if err != nil {
		return r, err
	}
	x, err := programs.Mapped(d.Features)
	if err != nil {
		return r, err
	}
	defer x.Close()
	r.Seconds.Generate = time.Since(start).Seconds()

	start = time.Now()
	g, err := coles.FromCSR(d.Adjacency)
	if err != nil {
		return r, err
	}
	if o.scratch != "" {
		mapped, err := o.onDisk(g)
		if err != nil {
			return r, err
		}
		defer mapped.Close()
		g = mapped.Undirected
		debug.FreeOSMemory() // of what was generated
	}
	r.Seconds.Graph = time.Since(start).Seconds()

	if peak.Reset() {
		r.Peak = peakOfFit
	}
	var runs []row
	for range o.runs {
		var forgotten error
		prepared := func(stage string, done, _ int) {
			if stage == "prepare" && done == 1 {
				forgotten = x.Forget() // prepared features are in the memory of Fit now
			}
		}
		opts := []coles.Option{coles.WithFilter(coles.S2GCSum(o.hops)), coles.WithDim(o.dim), coles.WithSeed(o.seed), coles.WithProgress(prepared)}
		if o.scratch != "" {
			opts = append(opts, coles.WithScratch(o.scratch, int64(o.memory*1e9)))
		}
		m, err := coles.Fit(ctx, g, x.Features, opts...)
		if err := cmp.Or(err, forgotten); err != nil {
			return r, err
		}
		runs = append(runs, r.with(m.Report()))
		if err := m.Close(); err != nil {
			return r, err
		}
		runtime.GC()         // pools keep their memory for one more
		debug.FreeOSMemory() // so that no run pays for the one before
	}
	r = median(runs)
	r.PeakBytes = peak.Bytes()
	return r, nil
}

// onDisk is a graph mapped from a file that has no name any more.
func (o options) onDisk(g *coles.Graph) (*dataset.Dataset, error) {
	f, err := os.CreateTemp(o.scratch, "scale-*.csr")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	if err := errors.Join(dataset.WriteCSR(f, &dataset.Dataset{Undirected: g}), f.Close()); err != nil {
		return nil, err
	}
	return dataset.OpenCSR(f.Name())
}

// with is the row of a run.
func (r row) with(run coles.Report) row {
	r.Edges, r.EstimatedBytes = run.Graph.Edges, run.Memory.Bytes
	s := &r.Seconds
	s.Prepare, s.Filter, s.Solve, s.Embed = run.Seconds.Prepare, run.Seconds.Filter, run.Seconds.Solve, run.Seconds.Embed
	return r
}

// median is the run with the median time, the slower of the middle two where their number is even.
func median(runs []row) row {
	slices.SortFunc(runs, func(a, b row) int { return cmp.Compare(a.fit(), b.fit()) })
	return runs[len(runs)/2]
}

const tableHead = "| nodes | edges | graph, s | prepare, s | filter, s | solve, s | embed, s | Fit, s | Fit, s per million edges | peak, MiB | estimate, MiB |\n" +
	"|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"

// String is the row of the Markdown table.
func (r row) String() string {
	s := r.Seconds
	return fmt.Sprintf("| %d | %d | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %d | %d |",
		r.Nodes, r.Edges, s.Graph, s.Prepare, s.Filter, s.Solve, s.Embed,
		r.fit(), r.fit()/(float64(r.Edges)/1e6), r.PeakBytes>>20, r.EstimatedBytes>>20)
}

// remarks explain the columns and the growth of time.
func remarks(rows []row) string {
	var b strings.Builder
	r := rows[0]
	fmt.Fprintf(&b, "\n%d features, %d columns, %d hops. graph is coles.FromCSR, the others are stages of coles.Fit;\n", r.Features, r.Dim, r.Hops)
	fmt.Fprintf(&b, "peak is %s; estimate is what Fit takes besides graph and features.\n", r.Peak)
	if slope, ok := growth(rows); ok {
		fmt.Fprintf(&b, "The time of Fit grows as edges^%.2f (least squares over %d sizes).\n", slope, len(rows))
	}
	return b.String()
}

// growth fits log(time of Fit) = slope·log(edges) + constant by least squares. It needs two numbers of
// edges.
func growth(rows []row) (slope float64, ok bool) {
	var edges, seconds []float64
	for _, r := range rows {
		edges, seconds = append(edges, math.Log(float64(r.Edges))), append(seconds, math.Log(r.fit()))
	}
	_, slope = stat.LinearRegression(edges, seconds, nil, false)
	return slope, stat.PopVariance(edges, nil) > 1e-9 && !math.IsInf(slope, 0) && !math.IsNaN(slope)
}

// drawGrowth writes a picture of the time of Fit over the edges, both on logarithmic axes, next to
// the line of linear growth.
func drawGrowth(rows []row, path string) error {
	measured, linear, each := picture.Series{Name: "measured"}, picture.Series{Name: "proportional growth"}, []float64(nil)
	for _, r := range rows {
		measured.X, measured.Y = append(measured.X, float64(r.Edges)), append(measured.Y, r.fit())
		each = append(each, r.fit()/float64(r.Edges))
	}
	linear.X, linear.Y = measured.X, floats.ScaleTo(make([]float64, len(rows)), stat.GeometricMean(each, nil), measured.X)
	title := fmt.Sprintf("coles.Fit: %d features, %d columns, %d hops", rows[0].Features, rows[0].Dim, rows[0].Hops)
	drawn, err := picture.Curves(picture.Axes{Title: title, X: "edges", Y: "time, s", LogX: true, LogY: true}, measured, linear)
	if err != nil {
		return fmt.Errorf("cannot draw %s: %w", path, err)
	}
	return drawn.WriteFile(path)
}
