package distributed

import (
	"bytes"
	"cmp"
	"context"
	flags "flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"coles"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// The names of runners.
const (
	prismName    = "prism" // the one that this package brings along
	dataflowName = "dataflow"
)

// services are the runners that are a job service, at the address of -endpoint.
var services = []string{prismName, "universal", "portable", "flink", "spark"}

// embedded reports whether a runner is the engine in this program.
func embedded(runner string) bool { return runner == prismName && *jobopts.Endpoint == "" }

// startPrism starts the local engine in this program.
var startPrism = sync.OnceValues(func() (jobpb.JobServiceClient, error) {
	return prism.CreateJobServer(context.Background(), prism.Options{})
})

// callTime bounds a question to a job service.
const callTime = 5 * time.Second

// An engine runs pipelines: by a job service, or where client is nil by a runner that Beam calls.
type engine struct {
	runner   string
	embedded bool
	loopback bool   // workers are goroutines of this program
	worker   string // the program that workers run
	cancel   func(ctx context.Context, job string) error
	conn     *grpc.ClientConn
	client   jobpb.JobServiceClient
}

// newEngine finds out whether a runner can be had, before anything is written.
//
// Errors: coles.ErrSetting for an unknown runner, a missing flag and a program that workers cannot run; the error of a job
// service that does not answer within five seconds.
func newEngine(ctx context.Context, runner string, cancel func(context.Context, string) error) (*engine, error) {
	e := &engine{runner: runner, embedded: embedded(runner), cancel: cancel}
	e.loopback = e.embedded || jobopts.IsLoopback()
	refuse := func(format string, args ...any) (*engine, error) {
		return nil, fmt.Errorf("distributed: %w: runner %s: %s", coles.ErrSetting, runner, fmt.Sprintf(format, args...))
	}
	service := slices.Contains(services, runner)
	wanted := []string{"endpoint"}
	switch {
	case e.embedded:
		wanted = nil
	case runner == dataflowName && flags.Lookup("staging_location") == nil:
		return refuse("the program does not import coles/distributed/dataflow")
	case runner == dataflowName:
		wanted = []string{"project", "region", "staging_location"}
	case !service:
		return refuse("unknown; there are %s and %s", strings.Join(services, ", "), dataflowName)
	}
	for _, name := range wanted {
		if f := flags.Lookup(name); f == nil || f.Value.String() == "" {
			return refuse("the flag -%s is missing", name)
		}
	}
	if e.worker = os.DevNull; !e.loopback {
		var err error
		if e.worker, err = workerProgram(runner); err != nil {
			return nil, err
		}
	}
	if !service {
		return e, nil
	}
	var err error
	if e.embedded {
		e.client, err = startPrism()
	} else if e.conn, err = grpc.NewClient(*jobopts.Endpoint, grpc.WithTransportCredentials(insecure.NewCredentials())); err == nil {
		e.client = jobpb.NewJobServiceClient(e.conn)
	}
	if err != nil {
		return nil, fmt.Errorf("distributed: runner %s: %w", runner, err)
	}
	asking, stop := context.WithTimeout(ctx, callTime)
	defer stop()
	_, err = e.client.GetJobs(asking, &jobpb.GetJobsRequest{})
	if code := status.Code(err); code == codes.Unavailable || code == codes.DeadlineExceeded || code == codes.Canceled {
		e.close()
		return nil, cmp.Or(ctx.Err(), fmt.Errorf("distributed: runner %s: no job service answers at %s: %w", runner, *jobopts.Endpoint, err))
	}
	return e, nil
}

func (e *engine) close() {
	if e.conn != nil {
		e.conn.Close()
	}
}

// program is the file of the program that computes.
func (e *engine) program() string {
	if !e.loopback {
		return e.worker
	}
	name, _ := os.Executable() // which Run cannot open where there is none
	return name
}

// freeMemory is the memory that the system reports as available, 0 if it does not.
func freeMemory() int64 {
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range bytes.Lines(text) {
		var kilobytes int64
		if _, err := fmt.Sscanf(string(line), "MemAvailable: %d kB", &kilobytes); err == nil {
			return kilobytes << 10
		}
	}
	return 0
}

// workerProgram is the program that workers run: the one of -worker_binary, or this one where it is a program for
// their system. Beam would compile the package of the function that calls it, which is no program.
func workerProgram(runner string) (string, error) {
	const build = "CGO_ENABLED=0 GOOS=linux GOARCH=%s go build -o worker .\n\tand give -worker_binary worker"
	name, arch := *jobopts.WorkerBinary, runtime.GOARCH
	if runner == dataflowName {
		arch = "amd64"
		for _, machine := range []string{"worker_machine_type", "machine_type"} {
			if f := flags.Lookup(machine); f != nil && (strings.HasPrefix(f.Value.String(), "t2a") || strings.HasPrefix(f.Value.String(), "c4a")) {
				arch = "arm64"
			}
		}
	}
	if name == "" && (runtime.GOOS != "linux" || runtime.GOARCH != arch) {
		return "", fmt.Errorf("distributed: %w: workers run linux/%s, and this program is for %s/%s; make another by\n\t"+build,
			coles.ErrSetting, arch, runtime.GOOS, runtime.GOARCH, arch)
	}
	if name == "" {
		var err error
		if name, err = os.Executable(); err != nil {
			return "", fmt.Errorf("distributed: %w", err)
		}
	}
	file, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("distributed: %w", err)
	}
	defer file.Close()
	magic := make([]byte, 4)
	if _, err := io.ReadFull(file, magic); err != nil || string(magic) != "\x7fELF" {
		return "", fmt.Errorf("distributed: %w: %s is no program for linux; make one by\n\t"+build, coles.ErrSetting, name, arch)
	}
	return name, nil
}
