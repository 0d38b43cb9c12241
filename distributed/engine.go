package distributed

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"coles"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/metricsx"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Counters are the counts of a pipeline by name, summed over its steps.
type Counters map[string]int64

// prismName is the runner that this package brings along.
const prismName = "prism"

// startPrism starts the local engine in this program, unless flags name another job service. Beam
// would start it with the first job, and say its address to no other goroutine.
var startPrism = sync.OnceValue(func() error {
	if *jobopts.Endpoint != "" {
		return nil
	}
	port, err := freePort()
	if err == nil {
		_, err = prism.CreateJobServer(context.Background(), prism.Options{Port: port})
	}
	if err != nil {
		return fmt.Errorf("distributed: %w", err)
	}
	*jobopts.Endpoint = fmt.Sprintf("localhost:%d", port)
	if *jobopts.EnvironmentType == "" {
		*jobopts.EnvironmentType = "loopback"
	}
	return nil
})

// freePort finds a port of this machine that nobody listens at.
func freePort() (int, error) {
	free, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return 0, err
	}
	return free.Addr().(*net.TCPAddr).Port, free.Close()
}

const (
	// watchTries is how often a job is looked for: it takes some time to begin, and some services do
	// not list jobs.
	watchTries = 50
	// watchTime bounds a question to the job service.
	watchTime = 5 * time.Second
)

// execute runs a pipeline on a runner of Beam, and calls seen with the counters as they grow, where
// the engine has a job service that tells them.
func execute(ctx context.Context, runner string, p *beam.Pipeline, seen func(Counters)) (Counters, error) {
	if runner == prismName {
		if err := startPrism(); err != nil {
			return nil, err
		}
	}
	old := dial()
	before := old.jobs(ctx)
	old.close()
	type outcome struct {
		result beam.PipelineResult
		err    error
	}
	ended := make(chan outcome, 1)
	// Not ctx: Beam would leave the job running, and the engine is to be told to cancel it.
	inside, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	go func() {
		result, err := beam.Run(inside, runner, p)
		ended <- outcome{result, err}
	}()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	var w *watch
	defer func() { w.close() }()
	for tries := 0; ; tries++ {
		select {
		case <-tick.C:
			if w == nil && tries < watchTries {
				w = newWatch(ctx, before)
			}
			if c := w.counters(ctx); c != nil {
				seen(c)
			}
		case <-ctx.Done():
			if w == nil {
				w = newWatch(inside, before)
			}
			w.cancel(inside)
			stop()
			return nil, ctx.Err()
		case o := <-ended:
			if o.err != nil {
				return nil, engineError(o.err)
			}
			total := sumCounters(o.result.Metrics().AllMetrics().Counters())
			seen(total)
			return total, nil
		}
	}
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

// A watch looks at one job of a job service.
type watch struct {
	conn   *grpc.ClientConn
	client jobpb.JobServiceClient
	job    string
}

// dial connects to the job service, or returns nil: Dataflow has none, and Prism in the program itself
// starts one with the first job.
func dial() *watch {
	if *jobopts.Endpoint == "" {
		return nil
	}
	conn, err := grpc.NewClient(*jobopts.Endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil
	}
	return &watch{conn: conn, client: jobpb.NewJobServiceClient(conn)}
}

// jobs lists the jobs that the service knows.
func (w *watch) jobs(ctx context.Context) (all []string) {
	if w == nil {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, watchTime)
	defer stop()
	if list, err := w.client.GetJobs(ctx, &jobpb.GetJobsRequest{}); err == nil {
		for _, job := range list.GetJobInfo() {
			all = append(all, job.GetJobId())
		}
	}
	return all
}

// newWatch finds the job that was not there before; nil if it cannot be told.
func newWatch(ctx context.Context, before []string) *watch {
	w := dial()
	for _, job := range w.jobs(ctx) {
		if !slices.Contains(before, job) {
			w.job = job
			return w
		}
	}
	w.close()
	return nil
}

func (w *watch) counters(ctx context.Context) Counters {
	if w == nil {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, watchTime)
	defer stop()
	got, err := w.client.GetJobMetrics(ctx, &jobpb.GetJobMetricsRequest{JobId: w.job})
	if err != nil {
		return nil
	}
	return sumCounters(metricsx.FromMonitoringInfos(nil, got.GetMetrics().GetAttempted(), got.GetMetrics().GetCommitted()).AllMetrics().Counters())
}

func (w *watch) cancel(ctx context.Context) {
	if w != nil {
		ctx, stop := context.WithTimeout(ctx, watchTime)
		defer stop()
		w.client.Cancel(ctx, &jobpb.CancelJobRequest{JobId: w.job}) // an engine that cannot goes on
	}
}

func (w *watch) close() {
	if w != nil {
		w.conn.Close()
	}
}

// named are the errors of coles that a pipeline may end with.
var named = []error{
	coles.ErrShape, coles.ErrIndex, coles.ErrNotFinite, coles.ErrTooLarge, coles.ErrNegative, coles.ErrIDs,
	coles.ErrSetting, coles.ErrPrecision, coles.ErrFormat, coles.ErrChecksum,
}

// engineError makes of what an engine says, the same error several times with the plan of the whole
// stage each time, its last line that is ours, and gives it the name that stands in it.
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

// A pipelineError has passed an engine, which keeps the text alone. It wraps the named error, or what
// the engine said.
type pipelineError struct {
	text string
	kind error
}

func (e *pipelineError) Error() string { return e.text }
func (e *pipelineError) Unwrap() error { return e.kind }
