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
	edges, err := o.generate(ctx, dir)
	if err != nil {
		return err
	}
	o.Features, o.Edges = []string{filepath.Join(dir, "x-*.npy")}, []string{filepath.Join(dir, "e-*.txt")}
	o.Out, o.Work = cmp.Or(o.Out, filepath.Join(dir, "y")), cmp.Or(o.Work, filepath.Join(dir, "w"))
	o.Grid.Height = cmp.Or(o.Grid.Height, int64((o.nodes+o.blocks-1)/o.blocks))
	hops := o.Settings.Filter.Hops()
	cost, err := distributed.Estimate(int64(o.nodes), int64(edges), o.width, o.Settings.Dim, hops, o.Grid)
	if err != nil {
		return err
	}
	fmt.Println(cost)

	var one, many *coles.Model
	fit, err := measured(func() (err error) {
		one, err = o.fit(ctx, dir)
		return err
	})
	if err != nil {
		return err
	}
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
	fmt.Printf("\n%d nodes, %d edges, %d features, %d columns, %d hops\n\n", o.nodes, edges, o.width, len(one.Scaling().Factors), hops)
	fmt.Println("| | s | CPU, s | peak, MiB |\n|---|--:|--:|--:|")
	fmt.Printf("| coles.Fit, float64 | %v |\n| Beam, %d blocks, %v messages | %v |\n\n", fit, cost.Blocks, report.Manifest.Grid.Messages, cluster)
	lambda, rows, flips := difference(one, many, y)
	fmt.Printf("difference: eigenvalues %.2g of the largest, rows %.2g of their length; %d columns of the other sign\n", lambda, rows, flips)
	for _, s := range report.Steps {
		fmt.Println(s)
	}
	return nil
}

// generate writes the shards of a graph and returns the number of its edges.
func (o *options) generate(ctx context.Context, dir string) (int, error) {
	set, err := dataset.Communities{Nodes: o.nodes, Degree: o.degree, Features: o.width, Dense: true, Classes: 40, Seed: 1}.Generate(ctx)
	if err != nil {
		return 0, err
	}
	order, place := make([]int, o.nodes), make([]int, o.nodes) // the nodes by their new numbers, and back
	for u := range order {
		order[u] = u
	}
	if o.sorted {
		slices.SortStableFunc(order, func(u, v int) int { return cmp.Compare(set.Labels[u], set.Labels[v]) })
	}
	x := set.Features.(*coles.Dense32)
	for k := range o.shards {
		lo, hi := k*o.nodes/o.shards, (k+1)*o.nodes/o.shards
		part := &coles.Dense32{Rows: hi - lo, Cols: x.Cols, Stride: x.Cols}
		for p, u := range order[lo:hi] {
			place[u] = lo + p
			part.Data = append(part.Data, x.Data[u*x.Stride:][:x.Cols]...)
		}
		name := filepath.Join(dir, fmt.Sprintf("x-%05d.npy", k))
		if err := dataset.WriteFile(name, func(w io.Writer) error { return dataset.WriteNPY(w, part) }); err != nil {
			return 0, err
		}
	}
	a, count := set.Adjacency.RawMatrix(), 0
	for k := range o.shards {
		name := filepath.Join(dir, fmt.Sprintf("e-%05d.txt", k))
		err := dataset.WriteFile(name, func(w io.Writer) error {
			to := bufio.NewWriter(w)
			for u := k; u < o.nodes; u += o.shards {
				for _, v := range a.Ind[a.Indptr[u]:a.Indptr[u+1]] {
					if u < v {
						fmt.Fprintf(to, "%d %d\n", place[u], place[v])
						count++
					}
				}
			}
			return to.Flush()
		})
		if err != nil {
			return 0, err
		}
	}
	return count, nil
}

// fit reads the shards and embeds the graph in one piece.
func (o *options) fit(ctx context.Context, dir string) (*coles.Model, error) {
	var edges []coles.Edge
	x := &coles.Dense32{Cols: o.width, Stride: o.width}
	for k := range o.shards {
		file, err := os.Open(filepath.Join(dir, fmt.Sprintf("e-%05d.txt", k)))
		if err != nil {
			return nil, err
		}
		for in := bufio.NewScanner(file); in.Scan(); {
			var e coles.Edge
			if _, err := fmt.Sscan(in.Text(), &e.U, &e.V); err != nil {
				return nil, err
			}
			edges = append(edges, e)
		}
		file.Close()
		part, err := dataset.MapNPY(filepath.Join(dir, fmt.Sprintf("x-%05d.npy", k)))
		if err != nil {
			return nil, err
		}
		x.Data, x.Rows = append(x.Data, part.Matrix().Data...), x.Rows+part.Matrix().Rows
		if err := part.Close(); err != nil {
			return nil, err
		}
	}
	g, err := coles.NewGraph(x.Rows, edges)
	if err != nil {
		return nil, err
	}
	return coles.Fit(ctx, g, x, coles.WithSettings(o.Settings), coles.WithPrecision(coles.Float64), coles.WithSolver(coles.SolverDirect))
}

// difference is how far eigenvalues and rows are apart, by the larger of which signs agree.
func difference(one, many *coles.Model, z *mat.Dense) (lambda, rows float64, flips int) {
	first, second, y := one.Lambda(), many.Lambda(), one.Embedding()
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
