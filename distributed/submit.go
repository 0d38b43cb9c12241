package distributed

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"coles"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/metricsx"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
)

// submitting guards Beam's options, which a program has once.
var submitting sync.Mutex

// submit hands a pipeline to a job service. It returns the number of the job, and a function to call when the job has ended.
// Until the pipeline is handed over, the end of ctx ends it.
func (e *engine) submit(ctx, inside context.Context, name string, p *beam.Pipeline) (job string, done func(), err error) {
	submitting.Lock()
	defer submitting.Unlock()
	edges, _, err := p.Build()
	if err != nil {
		return "", nil, err
	}
	done = func() {}
	kind, config := jobopts.GetEnvironmentUrn(ctx), jobopts.GetEnvironmentConfig
	if e.loopback {
		server, err := extworker.StartLoopback(inside, 0)
		if err != nil {
			return "", nil, err
		}
		kind, config, done = "beam:env:external:v1", server.EnvironmentConfig, func() { server.Stop(inside) }
	}
	defer func() {
		if err != nil {
			done()
		}
	}()
	environment, err := graphx.CreateEnvironment(ctx, kind, config)
	if err != nil {
		return "", nil, err
	}
	graph, err := graphx.Marshal(edges, &graphx.Options{Environment: environment, PipelineResourceHints: jobopts.GetPipelineResourceHints()})
	if err == nil {
		err = runnerlib.UpdateGoEnvironmentWorker(e.worker, graph)
	}
	if err != nil {
		return "", nil, err
	}
	prepared, artifacts, token, err := runnerlib.Prepare(ctx, e.client, graph, &runnerlib.JobOptions{
		Name: name, Experiments: jobopts.GetExperiments(), Worker: e.worker,
		RetainDocker: *jobopts.RetainDockerContainers, Parallelism: *jobopts.Parallelism,
	})
	if err == nil {
		token, err = runnerlib.Stage(ctx, prepared, artifacts, e.worker, token)
	}
	if err == nil {
		job, err = runnerlib.Submit(inside, e.client, prepared, token)
	}
	return job, done, err
}

// elsewhere is held by the job of a runner that Beam calls, which takes its name from a flag.
var elsewhere = make(chan struct{}, 1)

// cancelTries is how often a job is to be cancelled, every two seconds: it may not have begun yet.
const cancelTries = 30

// runElsewhere runs a pipeline on a runner that Beam calls. Such a runner does not look at the end of ctx.
func (e *engine) runElsewhere(ctx context.Context, name string, p *beam.Pipeline) (Counters, error) {
	select {
	case elsewhere <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	type outcome struct {
		result beam.PipelineResult
		err    error
	}
	ended := make(chan outcome, 1)
	inside := context.WithoutCancel(ctx)
	before, worker := *jobopts.JobName, *jobopts.WorkerBinary
	*jobopts.JobName, *jobopts.WorkerBinary = name, e.worker
	go func() {
		result, err := beam.Run(inside, e.runner, p)
		*jobopts.JobName, *jobopts.WorkerBinary = before, worker
		<-elsewhere
		ended <- outcome{result, err}
	}()
	select {
	case o := <-ended:
		if o.err != nil {
			return nil, engineError(o.err)
		}
		return sumCounters(o.result.Metrics().AllMetrics().Counters()), nil
	case <-ctx.Done():
	}
	err := errors.New("there is no Job.Cancel")
	for tries := 0; e.cancel != nil && tries < cancelTries; tries++ {
		if err = e.cancel(inside, name); err == nil {
			return nil, ctx.Err()
		}
		select {
		case <-ended:
			return nil, ctx.Err()
		case <-time.After(2 * time.Second):
		}
	}
	return nil, fmt.Errorf("%w; the job %s goes on: %w", ctx.Err(), name, err)
}

// named are the errors of coles that a pipeline may end with.
var named = []error{
	coles.ErrShape, coles.ErrIndex, coles.ErrNotFinite, coles.ErrTooLarge, coles.ErrNegative, coles.ErrIDs,
	coles.ErrSetting, coles.ErrPrecision, coles.ErrFormat, coles.ErrChecksum,
}

// engineError reduces an engine's text to its last line that is ours, and wraps the named error in it. The text has the same
// error several times, each time with the plan of the whole stage.
func engineError(err error) error {
	text := err.Error()
	for _, mark := range []string{"distributed: ", "coles: "} {
		at := strings.LastIndex(text, mark)
		if at < 0 {
			continue
		}
		text, _, _ = strings.Cut(text[at:], "\n")
		for _, kind := range named {
			if strings.Contains(text, ": "+kind.Error()) {
				return &pipelineError{text, kind}
			}
		}
		return &pipelineError{text, err}
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return &pipelineError{"distributed: the engine: " + strings.TrimSpace(lines[len(lines)-1]), err}
}

// A pipelineError has passed an engine, which keeps only the text. It wraps the named error, or the engine's words.
type pipelineError struct {
	text string
	kind error
}

func (e *pipelineError) Error() string { return e.text }
func (e *pipelineError) Unwrap() error { return e.kind }

// jobName is a name that no other job has.
func jobName(step string) string {
	return strings.ToLower(fmt.Sprintf("%s-%s-%s", cmp.Or(*jobopts.JobName, "coles"), step, rand.Text()[:10]))
}

// run runs a pipeline and calls seen with the counters as they grow, if a job service tells them. The end of ctx cancels this
// job and no other.
func (e *engine) run(ctx context.Context, step string, p *beam.Pipeline, seen func(Counters)) (Counters, error) {
	name := jobName(step)
	if e.client == nil {
		return e.runElsewhere(ctx, name, p)
	}
	// Not ctx: the engine is to be told to cancel a job that runs.
	inside, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	job, done, err := e.submit(ctx, inside, name, p)
	if err != nil {
		return nil, cmp.Or(ctx.Err(), engineError(err))
	}
	defer done()
	ended := make(chan error, 1)
	go func() { ended <- runnerlib.WaitForCompletion(inside, e.client, job) }()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if c, err := e.counters(ctx, job); err == nil {
				seen(c)
			}
		case <-ctx.Done():
			asking, stop := context.WithTimeout(inside, callTime)
			defer stop()
			if _, err := e.client.Cancel(asking, &jobpb.CancelJobRequest{JobId: job}); err != nil {
				return nil, fmt.Errorf("%w; the job %s may go on: %w", ctx.Err(), name, err)
			}
			return nil, ctx.Err()
		case err := <-ended:
			if err != nil {
				return nil, engineError(err)
			}
			if state, err := e.client.GetState(inside, &jobpb.GetJobStateRequest{JobId: job}); err == nil && state.GetState() == jobpb.JobState_CANCELLED {
				return nil, fmt.Errorf("distributed: somebody cancelled the job %s", name)
			}
			c, err := e.counters(inside, job)
			if err != nil {
				return nil, engineError(err)
			}
			seen(c)
			return c, nil
		}
	}
}

// counters asks a job service for the counters of a job.
func (e *engine) counters(ctx context.Context, job string) (Counters, error) {
	ctx, stop := context.WithTimeout(ctx, callTime)
	defer stop()
	got, err := e.client.GetJobMetrics(ctx, &jobpb.GetJobMetricsRequest{JobId: job})
	if err != nil {
		return nil, err
	}
	return sumCounters(metricsx.FromMonitoringInfos(nil, got.GetMetrics().GetAttempted(), got.GetMetrics().GetCommitted()).AllMetrics().Counters()), nil
}

func sumCounters(all []metrics.CounterResult) Counters {
	c := Counters{}
	for _, q := range all {
		if q.Key.Namespace == "coles" {
			c[q.Key.Name] += cmp.Or(q.Committed, q.Attempted) // attempts may be given up
		}
	}
	return c
}

// Counters are the counts of a pipeline by name, summed over its steps.
type Counters map[string]int64
