package distributed

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"coles"
	"coles/internal/kernel"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// A Job is a fit from shards to shards.
type Job struct {
	// Features and Edges are globs, see [ReadFeatures] and [ReadEdges]. No Edges is a graph without.
	Features, Edges []string
	// Names are globs, see [ReadNames], where Edges are between names, see [ReadNamedEdges].
	Names []string
	// Out is the folder of the result, on any file system of Beam.
	Out string
	// Work is the folder for the outputs of steps, or "": see [Run].
	Work string
	// Cut is the number of hops after which the state is kept in Work, for a failure not to repeat them. 0
	// keeps it after the last.
	Cut int
	// Settings and Grid are given to [Fit].
	Settings coles.Settings
	Grid     Grid
	// Model, unless nil, embeds the graph as [Embed] does. Nothing is fitted then, and Settings and Work
	// are ignored.
	Model *coles.Model
	// Runner names the runner of Beam: universal, portable, flink or spark on the job service that the flag
	// -endpoint names; dataflow, if the program imports coles/distributed/dataflow. "" is prism, the local
	// engine: in the program itself, which has memory for small graphs only, or at -endpoint.
	Runner string
	// Cancel ends the job of a name where the runner has no job service: dataflow.Cancel.
	Cancel func(ctx context.Context, job string) error
	// Progress, unless nil, is called with the stage, "inputs", "prepare", "choose", "hop 3/9" or "embed", and
	// how many files or blocks are done, one call after the other. Dataflow shows the progress of pipelines in
	// its own pages only.
	Progress func(stage string, done, total int64)
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

// Run reads shards of a graph, fits, and writes to Job.Out a folder coles-… with
//
//   - y-00012-of-06104.npy, the embedding of a block of nodes, in the precision of messages;
//   - model.coles, which coles.ReadModel reads;
//
// and last manifest.json, a [Manifest], which names these files. With it the new result takes the place of an
// old one, model and shards together, and the old files are removed after that: whenever a job ends, by an
// error or a kill, the manifest names one result that is whole. What an attempt has left is written over by
// the next, and removed with the next result. One job at a time should write to a folder.
//
// A job whose result is there already is not run again: one of the same program, settings, grid, and content
// of the inputs. The launching program reads every input once to know its content, and notes it in the
// manifest by path, length and time.
//
// With Job.Work the job is cut into pipelines, prepare, choose, hops and embed, whose outputs lie in
// that folder. A step is skipped if its output is there, whole and of the same inputs and settings:
// after a failure, and where only d′, negatives or the scaling have changed, which cost no hop. A file of Work
// that turns out to be damaged has its step made anew, once. The
// folder takes the bytes of two hops. Where Settings.Kind is open, Work lets q be measured by as few
// columns as coles.Fit needs; without Work they are the most that it takes.
//
// The program must have called beam.Init before any work of its own: as a worker it never returns
// from there. The end of ctx cancels the pipeline, by its job service or by Job.Cancel.
//
// Errors: the first that [Fit], [ReadFeatures], [ReadEdges] or [ReadNamedEdges] names, which errors.Is
// recognises after the engine, too; the file systems', the engine's and ctx's. Before anything is written:
// coles.ErrSetting for inputs that lie in Out or Work, an unknown runner, and flags that are missing;
// coles.ErrTooLarge for a graph that the engine in the program cannot hold.
func Run(ctx context.Context, job Job) (*coles.Model, *Report, error) {
	r, err := newRun(ctx, job)
	if err != nil {
		return nil, nil, err
	}
	if r.engine, err = newEngine(ctx, r.Runner, job.Cancel); err != nil {
		return nil, nil, err
	}
	defer r.engine.close()
	if r.engine.embedded {
		r.plan.job = rand.Text()
		defer clearPlaces(r.plan.job)
	}
	if err := r.fits(ctx); err != nil {
		return nil, nil, err
	}
	if err := r.identify(ctx); err != nil {
		return nil, nil, err
	}
	for again := false; ; again = true {
		model, err := r.fit(ctx)
		if err == nil {
			return model, &r.report, nil
		}
		if again || !errors.Is(err, coles.ErrChecksum) || !r.findDamage(ctx) {
			return nil, nil, err
		}
	}
}

// fit finds or makes the result.
func (r *run) fit(ctx context.Context) (model *coles.Model, err error) {
	result, add := []any{"result", r.content, r.plan, r.model}, func(s beam.Scope, at string) {
		embedding, model := r.plan.fit(s, r.input(s, at))
		r.plan.writeResult(s, at, embedding, model)
	}
	name := "fit"
	if r.Model != nil {
		name, add = "embed", func(s beam.Scope, at string) {
			r.plan.writeResult(s, at, r.plan.byModel(s, r.input(s, at), r.Model, r.model), beam.Create(s, r.model))
		}
	}
	m, _, err := r.there(ctx, "embed", r.Out, result)
	switch {
	case m != nil || err != nil:
	case r.Model != nil || r.Work == "":
		m, err = r.step(ctx, name, r.Out, result, add)
	default:
		m, err = r.inSteps(ctx, result)
	}
	if err != nil {
		return nil, err
	}
	r.report.Manifest = m
	model, err = loadSmall(ctx, r.Out, modelName, m, func(b []byte) (*coles.Model, error) {
		return coles.ReadModel(bytes.NewReader(b))
	})
	if err == nil {
		r.report.Model = model.String()
	}
	return model, err
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
		r.Progress = func(string, int64, int64) {}
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
	in := Input{Nodes: nodesOf(features), Columns: features[0].Columns}
	if job.Model == nil {
		r.plan, err = newPlan(in, job.Settings, job.Grid)
	} else {
		r.plan, r.model, err = planOf(in, job.Model, job.Grid)
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

// identify finds out what the inputs say. The order of edges does not matter.
func (r *run) identify(ctx context.Context) error {
	known := map[string]InputFile{}
	for _, folder := range []string{r.Out, within(r.Work, "prepare")} {
		if m, err := ReadManifest(ctx, folder); err == nil {
			for _, f := range m.Inputs {
				known[f.Path] = f
			}
		}
	}
	if err := identify(ctx, r.inputs, known, func(done int) { r.Progress("inputs", int64(done), int64(len(r.inputs))) }); err != nil {
		return err
	}
	program, err := hashOf(ctx, r.engine.program())
	if err != nil {
		return err
	}
	r.content = []any{program}
	rest := r.inputs
	for _, kind := range kinds {
		var sums []string
		for _, f := range rest[:len(r.shards[kind])] {
			sums = append(sums, f.SHA256)
		}
		if rest = rest[len(sums):]; kind == "edges" {
			slices.Sort(sums)
		}
		r.content = append(r.content, sums)
	}
	return nil
}

// hopHeld and featureHeld are the bytes of memory that the engine in a program takes for each byte of a hop, and
// for each number of the features before the hops: most at 200,000 nodes in 1 to 40 blocks.
const hopHeld, featureHeld = 4.5, 150

// fits refuses what the engine in the program cannot hold.
func (r *run) fits(ctx context.Context) error {
	free := freeMemory()
	if !r.engine.embedded || free == 0 {
		return nil
	}
	cost, err := r.estimate(ctx)
	need := max(hopHeld*float64(cost.Hop), featureHeld*float64(r.plan.Nodes)*float64(r.plan.Columns))
	if err == nil && need > float64(free) {
		err = fmt.Errorf("distributed: %w: the engine in this program takes some %s, and %s are free; name a runner, or use coles.Fit, which takes %s",
			coles.ErrTooLarge, size(int64(need)), size(free), size(cost.Machine))
	}
	return err
}

// findDamage marks the folders of steps whose files are not those of their manifests.
func (r *run) findDamage(ctx context.Context) (some bool) {
	for folder := range r.folders {
		m, err := ReadManifest(ctx, folder)
		r.folders[folder] = err == nil && errors.Is(m.Check(ctx, folder), coles.ErrChecksum)
		some = some || r.folders[folder]
	}
	return some
}

// input adds the reading of all shards to a pipeline, whose attempt has a list of them.
func (r *run) input(s beam.Scope, at string) Input {
	read := func(kind string) beam.PCollection {
		return beam.ParDo(s.Scope(kind), &listShards{within(at, shardsName), kind}, beam.Impulse(s))
	}
	in := Input{Nodes: r.plan.Nodes, Columns: r.plan.Columns, Features: readShards(s, read("features"))}
	switch {
	case r.shards["edges"] == nil:
	case r.shards["names"] != nil:
		in.Edges = readNaming(s, read("names"), r.plan.Nodes).readEdges(s, read("edges"))
	default:
		in.Edges = readEdgeFiles(s, r.plan.Nodes, read("edges"))
	}
	return in
}

// there returns the key of a step, a hash of all that its output depends on, and the manifest of the
// output if that is whole.
func (r *run) there(ctx context.Context, name, folder string, of []any) (m *Manifest, key string, err error) {
	if key, err = keyOf(of...); err == nil {
		if m = r.whole(ctx, folder, key); m != nil {
			r.report.Steps = append(r.report.Steps, Step{Name: name, Skipped: true, Counters: m.Counters})
		}
	}
	return m, key, err
}

// whole is the manifest of a folder with this key that is not known to be damaged.
func (r *run) whole(ctx context.Context, folder, key string) *Manifest {
	damaged := r.folders[folder]
	r.folders[folder] = damaged
	if damaged {
		return nil
	}
	return whole(ctx, folder, key)
}

// step runs a pipeline that writes a folder, unless the folder is whole. The pipeline writes to the folder of an
// attempt within it.
func (r *run) step(ctx context.Context, name, folder string, of []any, build func(s beam.Scope, at string)) (*Manifest, error) {
	m, key, err := r.there(ctx, name, folder, of)
	if m != nil || err != nil {
		return m, err
	}
	start := time.Now()
	p, s := beam.NewPipelineWithRoot()
	at := within(folder, attemptOf(key))
	build(s, at)
	for _, f := range []string{r.Out, r.Work} {
		if f != "" && !r.probed {
			if err := probe(ctx, f); err != nil {
				return nil, err
			}
		}
	}
	r.probed = true
	remove(ctx, within(at, listName), func(string) bool { return true })
	if err := writeShards(ctx, at, r.shards); err != nil {
		return nil, err
	}
	counters, err := r.engine.run(ctx, name, p, func(c Counters) { r.tell(name, c) })
	if err != nil {
		return nil, err
	}
	r.report.Steps = append(r.report.Steps, Step{Name: name, Seconds: time.Since(start).Seconds(), Counters: counters})
	m = &Manifest{
		Key: key, Step: name, Nodes: r.plan.Nodes, Columns: r.plan.Columns, Grid: r.plan.Grid, Settings: r.plan.Settings,
		Counters: counters, Inputs: r.inputs,
	}
	if err := m.swap(ctx, folder); err != nil {
		return nil, err
	}
	r.folders[folder] = false
	return m, nil
}

// tell makes progress of counters: of the last stage that has begun.
func (r *run) tell(step string, c Counters) {
	blocks, hops := r.plan.blocks(), int64(r.plan.hops())
	switch done := c["block_hops"] + r.before; {
	case step == "choose":
		r.Progress(step, min(done, hops*blocks), hops*blocks)
	case c["blocks_embedded"] > 0 || step == "embed" && done == 0:
		r.Progress("embed", c["blocks_embedded"], blocks)
	case done > 0 || step == "hops":
		hop := min(done/blocks, max(hops-1, 0))
		r.Progress(fmt.Sprintf("hop %d/%d", hop+1, hops), min(done-hop*blocks, blocks), blocks)
	default:
		r.Progress("prepare", c["shards_read"], int64(len(r.shards["features"])+len(r.shards["edges"])))
	}
}
