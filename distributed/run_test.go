package distributed

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/kernel"

	"gonum.org/v1/gonum/mat"
)

// A testGraph is a graph of 2,000 nodes in shards.
type testGraph struct {
	edges []coles.Edge
	x     *mat.Dense
	dir   string
}

func newTestGraph(t *testing.T) *testGraph {
	t.Helper()
	set, err := dataset.Communities{Nodes: 2000, Degree: 10, Features: 24, Dense: true, Classes: 5, DegreeExponent: math.Inf(1), Seed: 3}.Generate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	g := &testGraph{x: mat.DenseCopyOf(set.Features), dir: t.TempDir()}
	a := set.Adjacency.RawMatrix()
	for u := range a.I {
		for _, v := range a.Ind[a.Indptr[u]:a.Indptr[u+1]] {
			if u < v {
				g.edges = append(g.edges, coles.Edge{U: u, V: v})
			}
		}
	}
	g.write(t, g.dir, 3, 5, func(e coles.Edge) string { return fmt.Sprintf("%d %d", e.U, e.V) })
	return g
}

// write cuts the graph into shards of features and of edges.
func (g *testGraph) write(t *testing.T, dir string, features, edges int, line func(coles.Edge) string) {
	t.Helper()
	file := func(name string, write func(w io.Writer) error) {
		if err := dataset.WriteFile(filepath.Join(dir, name), write); err != nil {
			t.Fatal(err)
		}
	}
	n, d := g.x.Dims()
	for k := range features {
		file(fmt.Sprintf("x-%d.npy", k), func(w io.Writer) error {
			return dataset.WriteNPY(w, g.x.Slice(k*n/features, (k+1)*n/features, 0, d))
		})
	}
	for k := range edges {
		file(fmt.Sprintf("e-%d.txt", k), func(w io.Writer) error {
			b := bufio.NewWriter(w)
			for q := k; q < len(g.edges); q += edges {
				fmt.Fprintln(b, line(g.edges[q]))
			}
			return b.Flush()
		})
	}
}

// job completes a job: four blocks, two hops, eight columns.
func (g *testGraph) job(t *testing.T, job Job) Job {
	t.Helper()
	if job.Features == nil {
		job.Features = []string{g.dir + "/x-*"}
	}
	if job.Edges == nil {
		job.Edges = []string{g.dir + "/e-*"}
	}
	if job.Settings.Seed == 0 {
		job.Settings = coles.DefaultSettings()
		job.Settings.Dim, job.Settings.Filter, job.Settings.Model = 8, coles.S2GCSum(2), coles.GraphModel
	}
	job.Grid.Height = cmp.Or(job.Grid.Height, 500)
	if job.Out == "" {
		job.Out = t.TempDir()
	}
	return job
}

// runJob is Run with the deadline of every pipeline.
func runJob(t *testing.T, job Job) (*coles.Model, *Report, error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), deadline)
	defer stop()
	return Run(ctx, job)
}

// run runs a job and returns the manifest of the result.
func (g *testGraph) run(t *testing.T, job Job) *Manifest {
	t.Helper()
	job = g.job(t, job)
	_, report, err := runJob(t, job)
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Manifest.Check(t.Context(), job.Out); err != nil {
		t.Fatal(err)
	}
	return report.Manifest
}

// sameFiles compares the bytes of two results.
func sameFiles(t *testing.T, got, want *Manifest) {
	t.Helper()
	if len(want.Files) != 5 || !slices.Equal(got.Files, want.Files) { // four blocks and a model
		t.Errorf("files %+v\nwant %+v", got.Files, want.Files)
	}
}

// fit is what coles.Fit makes of the graph in one piece.
func (g *testGraph) fit(t *testing.T, set coles.Settings) *coles.Model {
	t.Helper()
	n, _ := g.x.Dims()
	graph, err := coles.NewGraph(n, g.edges)
	if err != nil {
		t.Fatal(err)
	}
	m, err := coles.Fit(t.Context(), graph, g.x, coles.WithSettings(set), coles.WithPrecision(coles.Float64), coles.WithSolver(coles.SolverDirect))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestRunIsFit(t *testing.T) {
	g := newTestGraph(t)
	for _, c := range []struct {
		messages coles.Precision
		bound    float64
	}{{coles.Float64, 1e-9}, {coles.Float32, 1e-6}} {
		job := g.job(t, Job{Grid: Grid{Messages: c.messages}})
		m, report, err := runJob(t, job)
		if err != nil {
			t.Fatal(err)
		}
		want := g.fit(t, job.Settings)
		for k, v := range want.Lambda() {
			if math.Abs(v-m.Lambda()[k]) > c.bound*want.Lambda()[0] {
				t.Errorf("%v: eigenvalue %d is %v, want %v", c.messages, k, m.Lambda()[k], v)
			}
		}
		y, err := ReadEmbedding(t.Context(), job.Out)
		if err != nil {
			t.Fatal(err)
		}
		if off := farthest(want.Embedding(), y); off > c.bound {
			t.Errorf("%v: rows %.3g of their length away, at most %.0e", c.messages, off, c.bound)
		}
		if report.Manifest.Nodes != 2000 || report.Manifest.Columns != 24 || report.Manifest.Grid.Kernel != kernel.Path() {
			t.Errorf("%v: manifest %+v", c.messages, report.Manifest)
		}
	}
}

// farthest is the largest distance of two rows, by their length, columns being the same to the sign.
func farthest(y, z *mat.Dense) float64 {
	n, d := y.Dims()
	if r, c := z.Dims(); r != n || c != d {
		return math.Inf(1)
	}
	worst := 0.
	for i := range n {
		off, length := 0., 0.
		for k := range d {
			a, b := y.At(i, k), z.At(i, k)
			if mat.Dot(y.ColView(k), z.ColView(k)) < 0 {
				b = -b
			}
			off, length = off+(a-b)*(a-b), length+a*a
		}
		worst = max(worst, math.Sqrt(off/length))
	}
	return worst
}

// The bytes depend on the graph, settings and grid only; TestFitSameBytes has other numbers of
// processors.
func TestSameBytes(t *testing.T) {
	g := newTestGraph(t)
	want := g.run(t, Job{})
	again := func(name string, job func(t *testing.T) Job) {
		t.Run(name, func(t *testing.T) { sameFiles(t, g.run(t, job(t)), want) })
	}
	again("reordered and recut", func(t *testing.T) Job {
		other := &testGraph{edges: slices.Clone(g.edges), x: g.x}
		dir, random := t.TempDir(), rand.New(rand.NewPCG(1, 2))
		random.Shuffle(len(other.edges), func(a, b int) {
			other.edges[a], other.edges[b] = other.edges[b], other.edges[a]
		})
		other.write(t, dir, 11, 2, func(e coles.Edge) string { return fmt.Sprintf("%d %d", e.V, e.U) })
		return Job{Features: []string{dir + "/x-*"}, Edges: []string{dir + "/e-1*", dir + "/e-0*"}}
	})
	again("named", func(t *testing.T) Job {
		dir, name := t.TempDir(), func(u int) string { return fmt.Sprintf("node %x", 7919*u) }
		g.write(t, dir, 2, 2, func(e coles.Edge) string { return name(e.U) + "\t" + name(e.V) })
		for k := range 2 {
			var b strings.Builder
			for u := 1000 * k; u < 1000*(k+1); u++ {
				fmt.Fprintln(&b, name(u))
			}
			if err := os.WriteFile(fmt.Sprintf("%s/names-%d", dir, k), []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return Job{Features: []string{dir + "/x-*"}, Edges: []string{dir + "/e-*"}, Names: []string{dir + "/names-*"}}
	})
	again("in steps", func(t *testing.T) Job { return Job{Work: t.TempDir()} })
}

// What is there is not done again, and what has changed is.
func TestSteps(t *testing.T) {
	g := newTestGraph(t)
	job := g.job(t, Job{Work: t.TempDir()})
	job.Settings.Model = 0
	done := func(job Job) string {
		t.Helper()
		_, report, err := runJob(t, job)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, s := range report.Steps {
			if !s.Skipped {
				all = append(all, s.Name)
			}
		}
		return strings.Join(all, " ")
	}
	if got := done(job); got != "prepare hops embed" { // 24 features are too few to measure q
		t.Errorf("first: %s", got)
	}
	if got := done(job); got != "" {
		t.Errorf("again: %s", got)
	}
	job.Settings.Dim = 5
	if got := done(job); got != "embed" {
		t.Errorf("with another d′: %s", got)
	}
	if left, _ := filepath.Glob(job.Out + "/*"); len(left) != 6 { // four shards, model and manifest
		t.Errorf("the folder holds %v", left)
	}
	if err := os.Truncate(filepath.Join(job.Out, shardName(1, 4)), 100); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadEmbedding(t.Context(), job.Out); !errors.Is(err, coles.ErrChecksum) {
		t.Errorf("a shard cut off: %v", err)
	}
	if got := done(job); got != "embed" {
		t.Errorf("after a shard was cut off: %s", got)
	}
	job.Settings.Filter = coles.S2GCSum(3)
	if got := done(job); got != "hops embed" {
		t.Errorf("with another filter: %s", got)
	}
	job.Grid.Height = 400
	if got := done(job); got != "prepare hops embed" {
		t.Errorf("with another grid: %s", got)
	}
	job.Settings.Model = coles.FeatureModel
	if got := done(job); got != "prepare embed" { // which makes no tiles then
		t.Errorf("with features alone: %s", got)
	}
}

// Where q has to be measured, it is as coles.Fit measures it.
func TestStepsMeasure(t *testing.T) {
	set, err := dataset.Communities{Nodes: 600, Features: 60, Words: 8, Classes: 3, Degree: 6, Seed: 5}.Generate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	g := newTestGraph(t)
	g.x, g.edges, g.dir = mat.DenseCopyOf(set.Features), nil, t.TempDir()
	set.Adjacency.DoNonZero(func(u, v int, _ float64) { g.edges = append(g.edges, coles.Edge{U: u, V: v}) })
	g.write(t, g.dir, 2, 2, func(e coles.Edge) string { return fmt.Sprintf("%d %d", e.U, e.V) })
	job := g.job(t, Job{Work: t.TempDir(), Grid: Grid{Height: 200, Messages: coles.Float64}})
	job.Settings.Model = 0
	m, report, err := runJob(t, job)
	if err != nil {
		t.Fatal(err)
	}
	want := g.fit(t, job.Settings).Report()
	if a, b := m.Report().Alignment, want.Alignment; a == nil || a.Columns != b.Columns || math.Abs(a.Ratio-b.Ratio) > 1e-9*b.Ratio || m.Settings().Model != want.Model {
		t.Errorf("q by %+v: %v\nwant %+v: %v", a, m.Settings().Model, b, want.Model)
	}
	if report.Steps[1].Name != "choose" {
		t.Errorf("steps %v", report.Steps)
	}
	if _, report, err = runJob(t, job); err != nil || !report.Steps[0].Skipped {
		t.Errorf("again: %v, %v", report, err)
	}
}

// A job with a model embeds what the model embeds.
func TestRunWithModel(t *testing.T) {
	g := newTestGraph(t)
	job := g.job(t, Job{Grid: Grid{Messages: coles.Float64}})
	job.Model = g.fit(t, job.Settings)
	if _, _, err := runJob(t, job); err != nil {
		t.Fatal(err)
	}
	y, err := ReadEmbedding(t.Context(), job.Out)
	if err != nil {
		t.Fatal(err)
	}
	if off := farthest(job.Model.Embedding(), y); off > 1e-9 {
		t.Errorf("rows %.3g of their length away", off)
	}
}

func TestBytesAreThoseOfTheFormula(t *testing.T) {
	g := newTestGraph(t)
	// Neighbours in random order: of a graph with communities it is that of the generator.
	for _, c := range []struct {
		messages coles.Precision
		height   int64
	}{{coles.Float32, 250}, {coles.Float64, 500}} {
		job := g.job(t, Job{Grid: Grid{Height: c.height, Messages: c.messages}})
		_, report, err := runJob(t, job)
		if err != nil {
			t.Fatal(err)
		}
		cost, err := Estimate(2000, int64(len(g.edges)), 24, 8, 2, job.Grid)
		if err != nil {
			t.Fatal(err)
		}
		counted, total := report.Manifest.Counters, int64(cost.Hops)
		inFX := cost.Total - total*cost.Hop
		for what, pair := range map[string][2]int64{
			"messages and own rows": {counted["message_bytes"], total * (cost.Messages + cost.Own)},
			"state":                 {counted["state_bytes"], total*cost.State + inFX},
		} {
			if ratio := float64(pair[0]) / float64(pair[1]); math.Abs(ratio-1) > .1 {
				t.Errorf("%v, blocks of %d: %s: %d bytes, %.3f of the formula's %d", c.messages, c.height, what, pair[0], ratio, pair[1])
			}
		}
	}
}

func TestProgress(t *testing.T) {
	g := newTestGraph(t)
	var stages []string
	g.run(t, Job{Progress: func(stage string, done, total int64) {
		if done > total || total < 1 {
			t.Errorf("%s: %d of %d", stage, done, total)
		}
		stages = append(stages, stage)
	}})
	if len(stages) == 0 || stages[len(stages)-1] != "embed" {
		t.Errorf("stages %v", stages)
	}
}

func TestRunSaysWhatIsWrong(t *testing.T) {
	g := newTestGraph(t)
	dir := folderOf(t, map[string]string{"far.txt": "0 2000\n", "nan.npy": npyOf(t, 2, 1, math.NaN()), "two.npy": npyOf(t, 2, 1, 2), "e.txt": "0 0\n"})
	for name, c := range map[string]struct {
		change func(*Job)
		want   error
	}{
		"no such node":     {func(j *Job) { j.Edges = []string{dir + "far.txt"} }, coles.ErrIndex},
		"NaN":              {func(j *Job) { j.Features, j.Edges = []string{dir + "nan.npy"}, nil; j.Settings.Dim = 1 }, coles.ErrNotFinite},
		"another width":    {func(j *Job) { j.Features = append(j.Features, dir+"two.npy") }, coles.ErrShape},
		"no features":      {func(j *Job) { j.Features = []string{dir + "x-*"} }, coles.ErrShape},
		"no edges":         {func(j *Job) { j.Edges = []string{dir + "e-*"} }, coles.ErrShape},
		"twice":            {func(j *Job) { j.Features = []string{dir + "two.npy", dir + "*two.npy"} }, coles.ErrShape},
		"drawn negatives":  {func(j *Job) { j.Settings.Negatives = coles.DegreeNegatives(1) }, coles.ErrSetting},
		"no output":        {func(j *Job) { j.Out = "" }, coles.ErrSetting},
		"names of another": {func(j *Job) { j.Names = []string{dir + "e.txt"} }, coles.ErrShape},
	} {
		job := g.job(t, Job{})
		c.change(&job)
		if _, _, err := runJob(t, job); !errors.Is(err, c.want) || strings.Contains(fmt.Sprint(err), "\n\t") {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if job.Out != "" {
			if _, err := os.Stat(filepath.Join(job.Out, manifestName)); err == nil {
				t.Errorf("%s: there is a manifest", name)
			}
		}
	}
}
