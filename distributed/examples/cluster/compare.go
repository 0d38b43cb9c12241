package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"coles"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/distributed"
	"coles/internal/peak"

	"gonum.org/v1/gonum/mat"
)

// compare is the command for a graph that is generated.
func (o *options) compare(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "cluster-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	graph, x, err := o.generate(ctx, dir)
	if err != nil {
		return err
	}
	edges := graph.Report().Edges
	o.Features, o.Edges = []string{filepath.Join(dir, "x-*.npy")}, []string{filepath.Join(dir, "e-*.txt")}
	if o.Out = cmp.Or(o.Out, filepath.Join(dir, "y")); o.Settings.Kind == 0 { // by as few columns as coles.Fit
		o.Work = cmp.Or(o.Work, filepath.Join(dir, "w"))
	}
	o.Grid.Height = cmp.Or(o.Grid.Height, int64((o.nodes+o.blocks-1)/o.blocks))
	hops := o.Settings.Filter.Hops()
	cost, err := distributed.Estimate(int64(o.nodes), int64(edges), o.width, o.Settings.Dim, hops, o.Grid)
	if err != nil {
		return err
	}
	fmt.Println(cost)

	var one, many *coles.Model
	fit, err := measured(func() (err error) {
		one, err = coles.Fit(ctx, graph, x, coles.WithSettings(o.Settings), coles.With(func(s *coles.Settings) { s.Precision, s.Solver, s.Structure = coles.Float64, coles.SolverDirect, 0 })) // which the engine has not
		return err
	})
	if err != nil {
		return err
	}
	graph, x = nil, nil // the peak of the engine is its own
	var report *distributed.Report
	cluster, err := measured(func() (err error) {
		many, report, err = distributed.Run(ctx, o.Job)
		return err
	})
	fmt.Fprintln(os.Stderr)
	if err != nil {
		return err
	}
	y, err := distributed.ReadEmbedding(ctx, o.Out)
	if err != nil {
		return err
	}
	fmt.Printf("\n%d nodes, %d edges, %d features, %d columns, %d hops\n\n", o.nodes, edges, o.width, len(one.Parts()[0].Scaling.Factors), hops)
	fmt.Println("| | s | CPU, s | peak, MiB |\n|---|--:|--:|--:|")
	fmt.Printf("| coles.Fit, float64 | %v |\n| Beam, %d blocks, %v messages | %v |\n\n", fit, cost.Blocks, report.Manifest.Grid.Messages, cluster)
	lambda, rows, flips := difference(one, many, y)
	fmt.Printf("difference: eigenvalues %.2g of the largest, rows %.2g of their length; %d columns of the other sign\n", lambda, rows, flips)
	for _, s := range report.Steps {
		fmt.Println(s)
	}
	return nil
}

// generate makes a graph with features and writes the shards.
func (o *options) generate(ctx context.Context, dir string) (*coles.Graph, *coles.Dense32, error) {
	set, err := synthetic.Communities{Nodes: o.nodes, Degree: o.degree, Features: o.width, Dense: true, Classes: 40, Seed: 1}.Generate(ctx)
	if err != nil {
		return nil, nil, err
	}
	order, place := make([]int, o.nodes), make([]int, o.nodes) // the nodes by their new numbers, and back
	for u := range order {
		order[u] = u
	}
	if o.sorted {
		slices.SortStableFunc(order, func(u, v int) int { return cmp.Compare(set.Labels[u], set.Labels[v]) })
	}
	from := set.Features.(*coles.Dense32)
	x := &coles.Dense32{Rows: o.nodes, Cols: from.Cols, Stride: from.Cols}
	for p, u := range order {
		place[u] = p
		x.Data = append(x.Data, from.Data[u*from.Stride:][:from.Cols]...)
	}
	var edges []coles.Edge
	a := set.Adjacency.RawMatrix()
	for u := range o.nodes {
		for _, v := range a.Ind[a.Indptr[u]:a.Indptr[u+1]] {
			if u < v {
				edges = append(edges, coles.Edge{U: place[u], V: place[v]})
			}
		}
	}
	for k := range o.shards {
		write := func(name string, write func(w io.Writer) error) {
			err = cmp.Or(err, dataset.WriteFile(filepath.Join(dir, fmt.Sprintf(name, k)), write))
		}
		write("x-%05d.npy", func(w io.Writer) error {
			lo, hi := k*o.nodes/o.shards, (k+1)*o.nodes/o.shards
			return dataset.WriteNPY(w, &coles.Dense32{Rows: hi - lo, Cols: x.Cols, Stride: x.Cols, Data: x.Data[lo*x.Cols : hi*x.Cols]})
		})
		write("e-%05d.txt", func(w io.Writer) error {
			to := bufio.NewWriter(w)
			for q := k; q < len(edges); q += o.shards {
				fmt.Fprintf(to, "%d %d\n", edges[q].U, edges[q].V)
			}
			return to.Flush()
		})
	}
	if err != nil {
		return nil, nil, err
	}
	graph, err := coles.NewGraph(o.nodes, edges)
	return graph, x, err
}

// difference is how far eigenvalues and rows are apart, by the larger of which signs agree.
func difference(one, many *coles.Model, z *mat.Dense) (lambda, rows float64, flips int) {
	first, second, y := one.Parts()[0].Lambda, many.Parts()[0].Lambda, one.Embedding()
	for k, v := range first {
		lambda = max(lambda, math.Abs(v-second[k])/math.Abs(first[0]))
	}
	n, columns := y.Dims()
	sign := make([]float64, columns)
	for k := range sign {
		if sign[k] = 1; mat.Dot(y.ColView(k), z.ColView(k)) < 0 {
			sign[k] = -1
			flips++
		}
	}
	for i := range n {
		off, length := 0., 0.
		for k, v := range y.RawRowView(i) {
			d := v - sign[k]*z.At(i, k)
			off += d * d
			length += v * v
		}
		rows = max(rows, math.Sqrt(off/length))
	}
	return lambda, rows, flips
}

// A use is time and memory.
type use struct {
	wall, cpu time.Duration
	peak      int64
}

// String is a use as cells of a table.
func (u use) String() string {
	return fmt.Sprintf("%.1f | %.1f | %d", u.wall.Seconds(), u.cpu.Seconds(), u.peak>>20)
}

func measured(f func() error) (use, error) {
	peak.Reset()
	start, cpu := time.Now(), peak.Time()
	err := f()
	return use{time.Since(start), peak.Time() - cpu, peak.Bytes()}, err
}
