package distributed

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/kernel"
	"coles/internal/testkit"
)

// A testGraph is a sample in shards.
type testGraph struct {
	sample
	dir string
}

func newTestGraph(t *testing.T, c sample) *testGraph {
	t.Helper()
	g := &testGraph{c, t.TempDir()}
	g.write(t, g.dir, 3, 5, func(e coles.Edge) string { return fmt.Sprintf("%d %d", e.U, e.V) })
	return g
}

// runSample is the graph of most jobs.
func runSample() sample { return communities(2000, 24, false, false) }

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
				fmt.Fprint(b, line(g.edges[q]))
				if g.weights != nil {
					fmt.Fprint(b, " ", g.weights[q])
				}
				fmt.Fprintln(b)
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
		job.Settings.Dim, job.Settings.Filter, job.Settings.Kind = 8, coles.S2GCSum(2), coles.UseGraph
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
	files := func(m *Manifest) []File {
		all := slices.Clone(m.Files)
		for k := range all {
			all[k].Name = path.Base(all[k].Name)
		}
		return all
	}
	if len(want.Files) != 5 || !slices.Equal(files(got), files(want)) { // four blocks and a model
		t.Errorf("files %+v\nwant %+v", got.Files, want.Files)
	}
}

// shard is the path of a file of a result.
func (m *Manifest) shard(t *testing.T, folder, name string) string {
	t.Helper()
	for _, f := range m.Files {
		if path.Base(f.Name) == name {
			return filepath.Join(folder, f.Name)
		}
	}
	t.Fatalf("there is no %s in %+v", name, m.Files)
	return ""
}

func TestRunIsFit(t *testing.T) {
	for _, c := range []struct {
		sample
		messages  coles.Precision
		tolerance float64
	}{
		{runSample(), coles.Float64, 1e-9},
		{communities(2000, 24, true, true), coles.Float32, 1e-6},
		{communities(2000, 24, false, false).counts(1), coles.Float32, 1e-6},
	} {
		g := newTestGraph(t, c.sample)
		job := g.job(t, Job{Grid: Grid{Messages: c.messages}})
		m, report, err := runJob(t, job)
		if err != nil {
			t.Fatal(err)
		}
		wantLike(t, g.sample, job.Settings, testkit.Must(ReadEmbedding(t.Context(), job.Out)), m, c.tolerance)
		if report.Manifest.Nodes != 2000 || report.Manifest.Columns != 24 || report.Manifest.Grid.Kernel != kernel.Path() {
			t.Errorf("%v: manifest %+v", c.messages, report.Manifest)
		}
	}
}

// The bytes depend on the graph, settings and grid only; TestFitSameBytes has other numbers of
// processors.
func TestSameBytes(t *testing.T) {
	g := newTestGraph(t, runSample())
	want := g.run(t, Job{})
	again := func(name string, job func(t *testing.T) Job) {
		t.Run(name, func(t *testing.T) { sameFiles(t, g.run(t, job(t)), want) })
	}
	again("reordered and recut", func(t *testing.T) Job {
		other := &testGraph{sample: sample{edges: slices.Clone(g.edges), x: g.x}}
		dir := t.TempDir()
		testkit.Random(1).Shuffle(len(other.edges), func(a, b int) {
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
	g := newTestGraph(t, runSample())
	job := g.job(t, Job{Work: t.TempDir()})
	job.Settings.Kind = 0
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
	for _, c := range []struct {
		name   string
		change func(*Job)
		want   string
	}{
		{"first", func(*Job) {}, "prepare choose hops embed"}, // 24 features are too few for q, and ask the graph
		{"again", func(*Job) {}, ""},
		{"with another d′", func(j *Job) { j.Settings.Dim = 5 }, "embed"},
		{"after a shard was cut off", func(j *Job) {
			if left, _ := filepath.Glob(j.Out + "/*/*"); len(left) != 5 { // four shards and a model
				t.Errorf("the folder holds %v", left)
			}
			m := testkit.Must(ReadManifest(t.Context(), j.Out))
			if err := os.Truncate(m.shard(t, j.Out, shardName(1, 4)), 100); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadEmbedding(t.Context(), j.Out); !errors.Is(err, coles.ErrChecksum) {
				t.Errorf("a shard cut off: %v", err)
			}
		}, "embed"},
		{"with another filter", func(j *Job) { j.Settings.Filter = coles.S2GCSum(3) }, "hops embed"},
		{"with another grid", func(j *Job) { j.Grid.Height = 400 }, "prepare choose hops embed"},
		{"with features alone", func(j *Job) { j.Settings = j.Settings.WithoutGraph() }, "prepare embed"}, // which makes no tiles then
	} {
		c.change(&job)
		if got := done(job); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Where s has to be measured, it is as coles.Fit measures it.
func TestStepsMeasure(t *testing.T) {
	g := newTestGraph(t, communities(600, 60, false, false).counts(1))
	job := g.job(t, Job{Work: t.TempDir(), Grid: Grid{Height: 200, Messages: coles.Float64}})
	job.Settings.Kind = 0
	m, report, err := runJob(t, job)
	if err != nil {
		t.Fatal(err)
	}
	want := testkit.Must(coles.Fit(t.Context(), g.graph(), g.x, coles.WithSettings(job.Settings), coles.WithPrecision(coles.Float64))).Report()
	if a, b := m.Report().Alignment, want.Alignment; a == nil || math.Abs(a.Neighbours-b.Neighbours) > 1e-9 || m.Settings().Kind != want.Kind {
		t.Errorf("s by %+v: %v\nwant %+v: %v", a, m.Settings().Kind, b, want.Kind)
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
	g := newTestGraph(t, runSample())
	job := g.job(t, Job{Grid: Grid{Messages: coles.Float64}})
	job.Model = testkit.Must(coles.Fit(t.Context(), g.graph(), g.x, coles.WithSettings(job.Settings)))
	if _, _, err := runJob(t, job); err != nil {
		t.Fatal(err)
	}
	y := testkit.Must(ReadEmbedding(t.Context(), job.Out))
	if off := testkit.MaxDiff(job.Model.Embedding(), y); off > 1e-9*job.Settings.Scaling.Norm {
		t.Errorf("rows are off by %.2g", off)
	}
}

func TestBytesAreThoseOfTheFormula(t *testing.T) {
	g := newTestGraph(t, runSample())
	for _, c := range []struct {
		messages coles.Precision
		height   int64
	}{{coles.Float32, 250}, {coles.Float64, 500}, {coles.Float32, 100}} {
		job := g.job(t, Job{Grid: Grid{Height: c.height, Messages: c.messages}})
		_, report, err := runJob(t, job)
		if err != nil {
			t.Fatal(err)
		}
		cost, err := Estimate(2000, int64(g.graph().Report().Edges), 24, 8, 2, job.Grid)
		if err != nil {
			t.Fatal(err)
		}
		counted, total := report.Manifest.Counters, int64(cost.Hops)
		inFX := cost.Total - total*cost.Hop
		for what, pair := range map[string][2]int64{
			"messages and own rows": {counted["message_bytes"], total * (cost.Messages + cost.Own)},
			"state":                 {counted["state_bytes"], total*cost.State + inFX},
			"elements":              {counted["elements"], total * cost.Elements},
		} {
			if ratio := float64(pair[0]) / float64(pair[1]); math.Abs(ratio-1) > .1 {
				t.Errorf("%v, blocks of %d: %s: %d bytes, %.3f of the formula's %d", c.messages, c.height, what, pair[0], ratio, pair[1])
			}
		}
	}
}

func TestProgress(t *testing.T) {
	g := newTestGraph(t, runSample())
	var stages []string
	g.run(t, Job{Progress: func(stage string, done, total int) {
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
	g := newTestGraph(t, runSample())
	dir := folderOf(t, map[string]string{"far.txt": "0 2000\n", "nan.npy": npyOf(t, 2, 1, math.NaN()), "two.npy": npyOf(t, 2, 1, 2), "e.txt": "0 0\n"})
	for name, c := range map[string]struct {
		change func(*Job)
		want   error
	}{
		"no such node":     {func(j *Job) { j.Edges = []string{dir + "far.txt"} }, coles.ErrIndex},
		"NaN":              {func(j *Job) { j.Features, j.Edges = []string{dir + "nan.npy"}, nil; j.Settings.Dim = 1 }, coles.ErrNotFinite},
		"no edges":         {func(j *Job) { j.Edges = []string{dir + "e-*"} }, coles.ErrShape},
		"twice":            {func(j *Job) { j.Features = []string{dir + "two.npy", dir + "*two.npy"} }, coles.ErrShape},
		"drawn negatives":  {func(j *Job) { j.Settings.Negatives = coles.DegreeNegatives(1) }, coles.ErrSetting},
		"a span":           {func(j *Job) { j.Settings.WeightSpan = 10 }, coles.ErrSetting},
		"a filter unused":  {func(j *Job) { j.Settings.Kind, j.Settings.Filter = coles.UseFeatures, coles.SGC(3) }, coles.ErrSetting},
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
