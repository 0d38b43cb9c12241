package distributed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"coles"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// A Job is a fit from shards to shards.
type Job struct {
	// Features are the globs of [ReadFeatures]; Edges are those of [ReadEdges], and none is a graph
	// without edges.
	Features, Edges []string
	// Names are the globs of [ReadNames], where Edges are between names; see [ReadNamedEdges].
	Names []string
	// Out is the folder of the result, on any file system of Beam.
	Out string
	// Work is the folder of what may be wanted again, or "": see [Run].
	Work string
	// Settings and Grid are those of [Fit].
	Settings coles.Settings
	Grid     Grid
	// Model, where it is not nil, embeds the graph as [Embed] does: nothing is fitted, and Settings and
	// Work are not looked at.
	Model *coles.Model
	// Runner is the name of Beam's runner, whose package the program must import; "" is "prism", the
	// local engine in the program itself, or on the job service that the flag --endpoint names.
	Runner string
	// Progress, where it is not nil, is called from the goroutine of Run: with the stage, "prepare",
	// "choose", "hop 3/9" or "embed", and how much is done of how many shards or blocks. Dataflow shows progress
	// in its own pages only.
	Progress func(stage string, done, total int64)
}

// A Report says what [Run] did.
type Report struct {
	Steps    []Step    `json:"steps"`
	Manifest *Manifest `json:"manifest"` // of the result
	Model    string    `json:"model"`    // what the model says of itself
}

// A Step of a job is one pipeline.
type Step struct {
	Name     string   `json:"name"`
	Skipped  bool     `json:"skipped"` // its output was there, whole and of the same inputs
	Seconds  float64  `json:"seconds"`
	Counters Counters `json:"counters"`
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
// Every file has its name only when it is whole. A job whose manifest is there and has the same key
// is not run again; otherwise shards that an earlier job left in the folder are removed first.
//
// With Job.Work the job is cut into pipelines, prepare, choose, hops and embed, whose outputs lie in
// that folder. A step that is there, whole and of the same inputs and settings, is skipped: after a
// failure, and where only d′, negatives or the scaling have changed, which cost no hop. The folder
// takes the bytes of two hops. Where Settings.Model is open, q is then measured by as few columns as
// coles.Fit needs; without Work it is measured by 128.
//
// The program must have called beam.Init, before any work of its own: as a worker it never returns
// from there. The end of ctx cancels the pipeline.
//
// Errors: those of [Fit], [ReadFeatures], [ReadEdges] and [ReadNamedEdges], which errors.Is
// recognises after the engine, too, the first where there are several; the file systems' and the
// engine's; ctx's.
func Run(ctx context.Context, job Job) (*coles.Model, *Report, error) {
	r, err := newRun(ctx, job)
	if err != nil {
		return nil, nil, err
	}
	key, err := keyOf("result", r.inputs, r.plan, r.model)
	if err != nil {
		return nil, nil, err
	}
	m := whole(ctx, job.Out, key)
	switch {
	case m != nil:
		r.report.Steps = append(r.report.Steps, Step{Name: "embed", Skipped: true, Counters: m.Counters})
	case job.Model != nil:
		m, err = r.step(ctx, "embed", job.Out, key, func(s beam.Scope) error {
			embedding, err := Embed(s, r.input(s), job.Model, r.plan.Grid)
			if err == nil {
				r.plan.writeResult(s, job.Out, r.single(), embedding, beam.Create(s, r.model))
			}
			return err
		})
	case job.Work == "":
		m, err = r.step(ctx, "fit", job.Out, key, func(s beam.Scope) error {
			embedding, model := r.plan.fit(s, r.input(s))
			r.plan.writeResult(s, job.Out, r.single(), embedding, model)
			return nil
		})
	default:
		m, err = r.inSteps(ctx, key)
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
	plan     plan
	features []featureShard
	names    []nameShard
	edges    []string
	inputs   []stamp
	model    []byte // the file of Model
	report   Report
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
	last := r.features[len(r.features)-1]
	in := Input{Nodes: last.First + last.Rows, Columns: last.Columns}
	if job.Model == nil {
		r.plan, err = newPlan(in, job.Settings, job.Grid)
	} else if err = errors.Join(checkSizes(in.Nodes, in.Columns), job.Grid.check()); err == nil {
		r.plan = plan{in.Nodes, in.Columns, job.Grid.resolved(in.Nodes, in.Columns), job.Model.Settings()}
		var file bytes.Buffer
		_, err = job.Model.WriteTo(&file)
		r.model = file.Bytes()
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
		files, err := expand(ctx, job.Names)
		if err == nil {
			r.names, err = pairShards(files, r.features)
		}
		if err != nil {
			return nil, err
		}
		paths = append(paths, files...)
	}
	r.inputs, err = stamps(ctx, paths)
	return r, err
}

// single reports whether the embedding is written in float32.
func (r *run) single() bool { return r.plan.Grid.Messages == coles.Float32 }

// input adds the reading of all shards to a pipeline.
func (r *run) input(s beam.Scope) Input {
	in := Input{Nodes: r.plan.Nodes, Columns: r.plan.Columns, Features: readShards(s, r.features)}
	switch {
	case r.edges == nil:
	case r.names != nil:
		in.Edges = readNaming(s, r.names, bucketsOf(r.names)).readEdges(s, r.edges)
	default:
		in.Edges = readEdgeFiles(s, r.plan.Nodes, r.edges)
	}
	return in
}

// inSteps is the job by way of Work. The keys of the steps hold what each depends on.
func (r *run) inSteps(ctx context.Context, key string) (*Manifest, error) {
	p := r.plan
	folder := func(step string) string { return within(r.Work, step) }
	set := p.Settings
	prepareKey, err := keyOf("prepare", r.inputs, p.Grid, set.Preparation, set.Model == coles.FeatureModel)
	if err != nil {
		return nil, err
	}
	prepared, err := r.step(ctx, "prepare", folder("prepare"), prepareKey, func(s beam.Scope) error {
		state, facts := p.prepare(s, r.input(s))
		found := beam.ParDo(s, &writeSmall{folder("prepare"), factsName}, beam.ParDo(s, encodeFacts, facts))
		listed(s, folder("prepare"), p.saveState(s, folder("prepare"), state), found)
		return nil
	})
	if err != nil {
		return nil, err
	}
	known, err := loadSmall(ctx, folder("prepare"), factsName, prepared, decodeFacts)
	if err != nil {
		return nil, err
	}
	chosen, err := r.choose(ctx, prepareKey, prepared, known)
	if err != nil {
		return nil, err
	}
	from, at := folder("prepare"), prepared
	if p.Settings.Model = chosen.Model; p.hops() >= 0 {
		hopsKey, err := keyOf("hops", prepareKey, set.Filter)
		if err != nil {
			return nil, err
		}
		from = folder("hops")
		at, err = r.step(ctx, "hops", from, hopsKey, func(s beam.Scope) error {
			state, choice := loadState(s, folder("prepare"), prepared), beam.Create(s, chosen)
			for k := p.hops(); k >= 0; k-- {
				state = p.hop(s, k, state, choice)
			}
			listed(s, from, p.saveState(s, from, state))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return r.step(ctx, "embed", r.Out, key, func(s beam.Scope) error {
		embedding, model := p.finish(s, loadState(s, from, at), beam.Create(s, known), beam.Create(s, chosen))
		p.writeResult(s, r.Out, r.single(), embedding, model)
		return nil
	})
}

// step runs a pipeline that writes a folder, unless the folder is whole.
func (r *run) step(ctx context.Context, name, folder, key string, build func(beam.Scope) error) (*Manifest, error) {
	if m := whole(ctx, folder, key); m != nil {
		r.report.Steps = append(r.report.Steps, Step{Name: name, Skipped: true, Counters: m.Counters})
		return m, nil
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
	m := &Manifest{
		Key: key, Step: name, Nodes: r.plan.Nodes, Columns: r.plan.Columns, Grid: r.plan.Grid, Settings: r.plan.Settings, Counters: counters,
	}
	return m, m.write(ctx, folder)
}

// tell makes progress of counters: of the last stage that has begun.
func (r *run) tell(step string, c Counters) {
	blocks, hops := r.plan.blocks(), int64(r.plan.hops()+1)
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
