package distributed

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"coles"

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
	// Settings and Grid are given to [Fit].
	Settings coles.Settings
	Grid     Grid
	// Model, unless nil, embeds the graph as [Embed] does. Nothing is fitted then, and Settings and Work
	// are ignored.
	Model *coles.Model
	// Runner names the runner of Beam, whose package the program must import. "" is "prism", the local
	// engine in the program itself, or on the job service that the flag --endpoint names.
	Runner string
	// Progress, unless nil, is called from the goroutine of Run: with the stage, "prepare", "choose",
	// "hop 3/9" or "embed", and how many shards or blocks are done. Dataflow shows progress in its own
	// pages only.
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

// Run reads shards of a graph, fits, and writes to Job.Out
//
//   - y-00012-of-06104.npy, the embedding of a block of nodes, in the precision of messages;
//   - model.coles, which coles.ReadModel reads;
//   - manifest.json, a [Manifest], last.
//
// A file gets its name when it is whole. A job whose manifest is there and has the same key is not run
// again; otherwise shards that an earlier job left in the folder are removed first.
//
// With Job.Work the job is cut into pipelines, prepare, choose, hops and embed, whose outputs lie in
// that folder. A step is skipped if its output is there, whole and of the same inputs and settings:
// after a failure, and where only d′, negatives or the scaling have changed, which cost no hop. The
// folder takes the bytes of two hops. Where Settings.Model is open, Work lets q be measured by as few
// columns as coles.Fit needs; without Work they are the most that it takes.
//
// The program must have called beam.Init before any work of its own: as a worker it never returns
// from there. The end of ctx cancels the pipeline.
//
// Errors: the first that [Fit], [ReadFeatures], [ReadEdges] or [ReadNamedEdges] names, which errors.Is
// recognises after the engine, too; the file systems', the engine's and ctx's.
func Run(ctx context.Context, job Job) (*coles.Model, *Report, error) {
	r, err := newRun(ctx, job)
	if err != nil {
		return nil, nil, err
	}
	result := []any{"result", r.inputs, r.plan, r.model}
	m, _, err := r.there(ctx, "embed", job.Out, result)
	switch {
	case m != nil || err != nil:
	case job.Model != nil:
		m, err = r.step(ctx, "embed", job.Out, result, func(s beam.Scope) error {
			embedding, err := Embed(s, r.input(s), job.Model, r.plan.Grid)
			if err == nil {
				r.plan.writeResult(s, job.Out, embedding, beam.Create(s, r.model))
			}
			return err
		})
	case job.Work == "":
		m, err = r.step(ctx, "fit", job.Out, result, func(s beam.Scope) error {
			embedding, model := r.plan.fit(s, r.input(s))
			r.plan.writeResult(s, job.Out, embedding, model)
			return nil
		})
	default:
		m, err = r.inSteps(ctx, result)
	}
	if err != nil {
		return nil, nil, err
	}
	r.report.Manifest = m
	model, err := loadSmall(ctx, job.Out, modelName, m, func(b []byte) (*coles.Model, error) {
		return coles.ReadModel(bytes.NewReader(b))
	})
	if err != nil {
		return nil, nil, err
	}
	r.report.Model = model.String()
	return model, &r.report, nil
}

// A run is a job with what the launching program has found out about it.
type run struct {
	Job
	plan            plan
	features, names []rowShard
	edges           []string
	inputs          []stamp
	model           []byte // the file of Model
	report          Report
}

// newRun checks everything that can be checked before any work.
func newRun(ctx context.Context, job Job) (*run, error) {
	r := &run{Job: job}
	if job.Out == "" || job.Out == job.Work {
		return nil, fmt.Errorf("distributed: %w: output to folder %q, with work in %q", coles.ErrSetting, job.Out, job.Work)
	}
	if r.Runner == "" {
		r.Runner = prismName
	}
	if r.Progress == nil {
		r.Progress = func(string, int64, int64) {}
	}
	var err error
	if r.features, err = featureShards(ctx, job.Features); err != nil {
		return nil, err
	}
	in := Input{Nodes: nodesOf(r.features), Columns: r.features[0].Columns}
	if job.Model == nil {
		r.plan, err = newPlan(in, job.Settings, job.Grid)
	} else {
		r.plan, r.model, err = planOf(in, job.Model, job.Grid)
	}
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, f := range r.features {
		paths = append(paths, f.Path)
	}
	if len(job.Edges) > 0 {
		if r.edges, err = expand(ctx, job.Edges); err != nil {
			return nil, err
		}
		paths = append(paths, r.edges...)
	}
	if len(job.Names) > 0 {
		if r.names, err = nameShards(ctx, job.Names, r.features); err != nil {
			return nil, err
		}
		for _, f := range r.names {
			paths = append(paths, f.Path)
		}
	}
	r.inputs, err = stamps(ctx, paths)
	return r, err
}

// input adds the reading of all shards to a pipeline.
func (r *run) input(s beam.Scope) Input {
	in := Input{Nodes: r.plan.Nodes, Columns: r.plan.Columns, Features: readShards(s, r.features)}
	switch {
	case r.edges == nil:
	case r.names != nil:
		in.Edges = readNaming(s, r.names).readEdges(s, r.edges)
	default:
		in.Edges = readEdgeFiles(s, r.plan.Nodes, r.edges)
	}
	return in
}

// inSteps is the job by way of Work.
func (r *run) inSteps(ctx context.Context, result []any) (*Manifest, error) {
	p, set, from := r.plan, r.plan.Settings, within(r.Work, "prepare")
	of := []any{"prepare", r.inputs, p.Grid, set.Preparation, set.Model == coles.FeatureModel}
	prepared, err := r.step(ctx, "prepare", from, of, func(s beam.Scope) error {
		state, facts := p.prepare(s, r.input(s))
		found := beam.ParDo(s, &writeSmall{from, factsName}, beam.ParDo(s, encodeFacts, facts))
		listed(s, from, p.saveState(s, from, state), found)
		return nil
	})
	if err != nil {
		return nil, err
	}
	known, err := loadSmall(ctx, from, factsName, prepared, decodeFacts)
	if err != nil {
		return nil, err
	}
	chosen, err := r.choose(ctx, prepared, known)
	if err != nil {
		return nil, err
	}
	at := prepared
	if p.Settings.Model = chosen.Model; p.hops() > 0 {
		to := within(r.Work, "hops")
		at, err = r.step(ctx, "hops", to, []any{"hops", prepared.Key, set.Filter}, func(s beam.Scope) error {
			state := p.filtered(s, loadState(s, from, prepared), beam.Create(s, chosen))
			listed(s, to, p.saveState(s, to, state))
			return nil
		})
		if err != nil {
			return nil, err
		}
		from = to
	}
	return r.step(ctx, "embed", r.Out, result, func(s beam.Scope) error {
		embedding, model := p.finish(s, loadState(s, from, at), beam.Create(s, known), beam.Create(s, chosen))
		p.writeResult(s, r.Out, embedding, model)
		return nil
	})
}

// there returns the key of a step, a hash of all that its output depends on, and the manifest of the
// output if that is whole.
func (r *run) there(ctx context.Context, name, folder string, of []any) (m *Manifest, key string, err error) {
	if key, err = keyOf(of); err == nil {
		if m = whole(ctx, folder, key); m != nil {
			r.report.Steps = append(r.report.Steps, Step{Name: name, Skipped: true, Counters: m.Counters})
		}
	}
	return m, key, err
}

// step runs a pipeline that writes a folder, unless the folder is whole.
func (r *run) step(ctx context.Context, name, folder string, of []any, build func(beam.Scope) error) (*Manifest, error) {
	m, key, err := r.there(ctx, name, folder, of)
	if m != nil || err != nil {
		return m, err
	}
	start := time.Now()
	p, s := beam.NewPipelineWithRoot()
	if err := build(s); err != nil {
		return nil, err
	}
	// The manifest goes first: without it the folder is not whole.
	remove(ctx, within(folder, manifestName), within(folder, "y-*-of-*.npy"), within(folder, statePrefix+"*-of-*.bin"))
	counters, err := execute(ctx, r.Runner, p, func(c Counters) { r.tell(name, c) })
	if err != nil {
		return nil, err
	}
	r.report.Steps = append(r.report.Steps, Step{Name: name, Seconds: time.Since(start).Seconds(), Counters: counters})
	m = &Manifest{
		Key: key, Step: name, Nodes: r.plan.Nodes, Columns: r.plan.Columns, Grid: r.plan.Grid, Settings: r.plan.Settings, Counters: counters,
	}
	return m, m.write(ctx, folder)
}

// tell makes progress of counters: of the last stage that has begun.
func (r *run) tell(step string, c Counters) {
	blocks, hops := r.plan.blocks(), int64(r.plan.hops())
	switch done := c["block_hops"]; {
	case step == "choose":
		r.Progress(step, min(done, hops*blocks), hops*blocks)
	case c["blocks_embedded"] > 0 || step == "embed" && done == 0:
		r.Progress("embed", c["blocks_embedded"], blocks)
	case done > 0 || step == "hops":
		hop := min(done/blocks, max(hops-1, 0))
		r.Progress(fmt.Sprintf("hop %d/%d", hop+1, hops), min(done-hop*blocks, blocks), blocks)
	default:
		r.Progress("prepare", c["shards_read"], int64(len(r.features)+len(r.edges)))
	}
}
