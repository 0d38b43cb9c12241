// Command cluster embeds a graph that lies in shards with Apache Beam. Without shards it generates a
// graph, embeds it with the local engine and with coles.Fit, and compares the two.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"coles"
	"coles/distributed"
	"coles/distributed/dataflow"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
)

const usage = `Usage: cluster [flags]

Generates a graph with communities and dense features in shards, embeds it with
Apache Beam's local engine and with coles.Fit, and compares the two:

  cluster                                    (some 10 seconds)
  cluster -nodes 200000 -blocks 8            (a minute, and 3 GB)

With shards it embeds those. Names of files may be globs, several of them with
commas in between, and lie on any file system of Beam:

  cluster -x 'x-*.npy' -edges 'e-*.txt.gz' -out y -work w
  cluster -check y

On Dataflow, and on a job server of Flink or Spark, with this program for workers:

  cluster -x 'gs://b/x-*' -edges 'gs://b/e-*' -out gs://b/y -work gs://b/w \
    -runner dataflow -project p -region r -staging_location gs://b/s
  cluster -x … -runner flink -endpoint jobserver:8099 -environment_type DOCKER

It has to be built with CGO_ENABLED=0. From another system than linux/amd64 give
-worker_binary a program that is built with GOOS=linux GOARCH=amd64 as well.
Flags of Beam are among these:

`

// options are the command line: a job, and the graph that is generated where it has no features.
type options struct {
	distributed.Job
	nodes, width   int
	degree         float64
	shards, blocks int
	sorted, loud   bool
	check          string
}

func parse() *options {
	o := &options{Job: distributed.Job{Settings: coles.DefaultSettings()}}
	globs := func(to *[]string, name, usage string) {
		flag.Func(name, usage, func(text string) error {
			*to = strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
			return nil
		})
	}
	globs(&o.Features, "x", "`shards` of features, .npy")
	globs(&o.Edges, "edges", "`shards` of edges, text or .npy")
	globs(&o.Names, "names", "`shards` of names of nodes, one for each of features, where edges are between names")
	flag.StringVar(&o.Out, "out", "", "`folder` of the result")
	flag.StringVar(&o.Work, "work", "", "`folder` of the steps' results, from which a job goes on")
	flag.IntVar(&o.Cut, "cut", 0, "hops after which the state is kept in -work (0: after the last)")
	flag.StringVar(&o.Grid.Kernel, "kernel", "", "inner loops of all workers: avx512, avx2 or portable (default: what all x86 have)")
	flag.StringVar(&o.check, "check", "", "`folder` of a result, or of a step, to be compared with its manifest")
	flag.IntVar(&o.nodes, "nodes", 20000, "nodes of the graph that is generated")
	flag.Float64Var(&o.degree, "degree", 20, "its mean degree")
	flag.IntVar(&o.width, "features", 64, "its features")
	flag.IntVar(&o.shards, "shards", 8, "its shards")
	flag.BoolVar(&o.sorted, "sorted", false, "number its nodes by community, not at random")
	flag.Int64Var(&o.Grid.Height, "height", 0, "nodes of a block (0: by the number of features)")
	flag.IntVar(&o.blocks, "blocks", 8, "blocks of the graph that is generated, without -height")
	flag.IntVar(&o.Settings.Dim, "dim", 0, "columns of the embedding (0: 128, or the number of features)")
	hops := flag.Int("hops", 8, "hops of the filter")
	double := flag.Bool("float64", false, "send float64: twice the bytes, rows off by 1e-14 in the place of 1e-7")
	flag.BoolVar(&o.loud, "log", false, "show what the engine logs")
	flag.TextVar(&o.Settings.Kind, "kind", coles.Kind(0), "auto, graph or features")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	o.Settings.Filter, o.Runner, o.Cancel = coles.S2GCSum(*hops), *runners.Runner, dataflow.Cancel
	if *double {
		o.Grid.Messages = coles.Float64
	}
	o.Progress = progress()
	return o
}

// progress shows how far a job is: in one line of a terminal, otherwise in a line for every stage and then every
// ten seconds.
func progress() coles.Progress {
	start, last, ended, at := time.Now(), "", false, time.Time{}
	info, err := os.Stderr.Stat()
	terminal := err == nil && info.Mode()&os.ModeCharDevice != 0
	return func(stage string, done, total int) {
		line := fmt.Sprintf("%v %s: %d of %d", time.Since(start).Round(time.Second), stage, done, total)
		if terminal {
			fmt.Fprintf(os.Stderr, "\r%-60s", line)
		} else if stage != last || done == total && !ended || time.Since(at) > 10*time.Second {
			fmt.Fprintln(os.Stderr, time.Now().Format(time.TimeOnly), line)
			last, ended, at = stage, done == total, time.Now()
		}
	}
}

func main() {
	o := parse()
	beam.Init() // a worker does not return
	if !o.loud {
		slog.SetDefault(slog.New(slog.DiscardHandler)) // Prism's
		beamlog.SetLogger(silent{})
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	run := o.compare
	switch {
	case o.check != "":
		run = o.compareWithManifest
	case len(o.Features) > 0:
		run = o.embed
	}
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		stop()
		os.Exit(1)
	}
}

type silent struct{}

func (silent) Log(context.Context, beamlog.Severity, int, string) {}

// compareWithManifest is the command for a folder.
func (o *options) compareWithManifest(ctx context.Context) error {
	m, err := distributed.ReadManifest(ctx, o.check)
	if err == nil {
		err = m.Check(ctx, o.check)
	}
	if err == nil {
		fmt.Printf("%s: %d files are as the manifest says\n", o.check, len(m.Files))
	}
	return err
}

// embed is the command for shards.
func (o *options) embed(ctx context.Context) error {
	if o.Out == "" {
		return errors.New("-out is needed: the folder of the result")
	}
	cost, err := o.Estimate(ctx)
	if err != nil {
		return err
	}
	fmt.Println(cost)
	_, report, err := distributed.Run(ctx, o.Job)
	fmt.Fprintln(os.Stderr)
	if err != nil {
		return err
	}
	for _, s := range report.Steps {
		fmt.Println(s)
	}
	fmt.Println(report.Model)
	return nil
}
