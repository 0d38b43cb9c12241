package distributed

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"

	"coles"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Run reads shards of a graph, fits, and writes to Job.Out a folder coles-… with
//
//   - y-00012-of-06104.npy, the embedding of a block of nodes, in the precision of messages;
//   - model.coles, which coles.ReadModel reads;
//
// and last manifest.json, a [Manifest], which names these files. With it the new result takes the place of an old one, model
// and shards together, and then the old files are removed. Whenever a job ends, by an error or a kill, the manifest names one
// whole result. The next attempt writes over an attempt's remains, and the next result removes them. One job at a time should
// write to a folder.
//
// A job is not run again if its result is there: the result of the same program, settings, grid, and content of the inputs.
// The launching program reads every input once to know its content, and notes it in the manifest by path, length and time. It
// reads the result, too, and makes it anew if it is damaged.
//
// With Job.Work the job is cut into pipelines, prepare, choose, hops and embed, whose outputs lie in that folder. A step is
// skipped if its output is there, whole and of the same inputs and settings. That helps after a failure, and where only d′,
// negatives or the scaling have changed, which cost no hop. A damaged file of Work has its step made anew, once. The folder
// takes the bytes of two hops. Where Settings.Kind is open, Work lets q be measured by as few columns as coles.Fit needs;
// without Work all that it may take are used.
//
// The program must have called beam.Init before any work of its own: as a worker it never returns
// from there. The end of ctx cancels the pipeline, by its job service or by Job.Cancel.
//
// Errors: of bad data, which errors.Is recognises after the engine, too, with file and line: coles.ErrIndex, coles.ErrFormat,
// coles.ErrNotFinite, coles.ErrNegative, coles.ErrChecksum, coles.ErrPrecision, and coles.ErrIDs for a name that is empty, or
// of no node or two; the file systems', the engine's and ctx's. Before anything is written: coles.ErrSetting for settings that
// are not supported, inputs in Out or Work, an unknown runner, and missing flags; coles.ErrShape for globs without a file and
// for shards that do not fit each other or Model, or a Model without features; coles.ErrTooLarge for a graph that the engine
// in the program cannot hold.
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

// findDamage marks the folders of steps whose files differ from their manifests.
func (r *run) findDamage(ctx context.Context) (some bool) {
	for folder := range r.folders {
		m, err := ReadManifest(ctx, folder)
		r.folders[folder] = err == nil && errors.Is(m.Check(ctx, folder), coles.ErrChecksum)
		some = some || r.folders[folder]
	}
	return some
}
