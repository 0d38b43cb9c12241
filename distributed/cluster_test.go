package distributed

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	flags "flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"coles"
	"coles/internal/kernel"
	"coles/internal/peak"
	"coles/internal/testkit"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/artifact"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// play is the program as a job server or as a worker, by an environment variable: the tests start
// themselves again to have both in processes of their own.
func play() {
	role, address := os.Getenv("COLES_TEST_ROLE"), ""
	var err error
	switch role {
	case "":
		return
	case "server":
		free := testkit.Must(net.Listen("tcp", "localhost:0")) // Prism does not tell which port it takes
		address = free.Addr().String()
		free.Close()
		_, err = prism.CreateJobServer(context.Background(), prism.Options{Port: free.Addr().(*net.TCPAddr).Port})
	case "launcher":
		beam.Init()
		err = launch()
	case "worker":
		beam.Init()
		var worker *extworker.Loopback
		if worker, err = extworker.StartLoopback(context.Background(), 0); err == nil {
			address = worker.EnvironmentConfig(context.Background())
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if role == "launcher" {
		os.Exit(0)
	}
	fmt.Println("ready at", address)
	select {} // until the test is over
}

// boot is the program in a worker's machine, which fetches the program of the job and becomes it. It leaves what
// it fetched where COLES_TEST_STAGED says.
func boot() error {
	id, provision := "", ""
	for _, arg := range os.Args[1:] { // Prism has quotes around the id
		if text, is := strings.CutPrefix(arg, "--id="); is {
			id = strings.Trim(text, "'")
		}
		if text, is := strings.CutPrefix(arg, "--provision_endpoint="); is {
			provision = text
		}
	}
	ctx := grpcx.WriteWorkerID(context.Background(), id)
	info, err := tools.ProvisionInfo(ctx, provision)
	if err != nil {
		return err
	}
	staged := os.Getenv("COLES_TEST_STAGED")
	files, err := artifact.Materialize(ctx, info.GetArtifactEndpoint().GetUrl(), info.GetDependencies(), info.GetRetrievalToken(), staged)
	if err != nil || len(files) != 1 {
		return fmt.Errorf("%d files are staged: %w", len(files), err)
	}
	name, _ := artifact.MustExtractFilePayload(files[0])
	name = filepath.Join(staged, name)
	if err := os.Chmod(name, 0o700); err != nil {
		return err
	}
	os.Unsetenv("COLES_TEST_ROLE")
	// In the same process, which the engine kills when the job ends.
	return syscall.Exec(name, []string{name, "--worker=true", "--id=" + id, "--logging_endpoint=" + info.GetLoggingEndpoint().GetUrl(),
		"--control_endpoint=" + info.GetControlEndpoint().GetUrl(), "--semi_persist_dir=" + staged}, os.Environ())
}

// start starts the program in a role, and returns its address and what kills it.
func start(t *testing.T, role string) (address string, kill func()) {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^$")
	c.Env = append(os.Environ(), "COLES_TEST_ROLE="+role)
	if os.Getenv("COLES_LOUD") != "" {
		c.Stderr = os.Stderr
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	address, is := strings.CutPrefix(strings.TrimSpace(line), "ready at ")
	if err != nil || !is {
		t.Fatalf("the %s says %q, %v", role, line, err)
	}
	return address, func() { c.Process.Kill() }
}

// overSockets has the pipelines of a test run by a server and a worker in two other processes, and
// returns what kills the worker.
func overSockets(t *testing.T) (kill func()) {
	t.Helper()
	if testing.Short() {
		t.Skip("three processes")
	}
	if runtime.GOOS != "linux" {
		t.Skip("the program is none for workers")
	}
	old := []string{*jobopts.Endpoint, *jobopts.EnvironmentType, *jobopts.EnvironmentConfig}
	t.Cleanup(func() {
		*jobopts.Endpoint, *jobopts.EnvironmentType, *jobopts.EnvironmentConfig = old[0], old[1], old[2]
	})
	*jobopts.Endpoint, _ = start(t, "server")
	*jobopts.EnvironmentType = "EXTERNAL"
	*jobopts.EnvironmentConfig, kill = start(t, "worker")
	return kill
}

func TestSocketsGiveTheSameBytes(t *testing.T) {
	g := newTestGraph(t, runSample())
	want := g.run(t, Job{})
	overSockets(t)
	got := g.run(t, Job{Runner: "universal", Grid: Grid{Kernel: kernel.Path()}})
	sameFiles(t, got, want)
}

// Nothing sets the worker by hand: what is staged is this program, begins as a program does, and runs on a worker
// that has nothing but a program that fetches it.
func TestTheProgramIsStaged(t *testing.T) {
	g := newTestGraph(t, runSample())
	want := g.run(t, Job{})
	staged := t.TempDir()
	t.Setenv("COLES_TEST_STAGED", staged)
	overSockets(t)
	*jobopts.EnvironmentType = "PROCESS"
	*jobopts.EnvironmentConfig = fmt.Sprintf(`{"command": %q, "env": {"COLES_TEST_ROLE": "boot"}}`, os.Args[0])
	sameFiles(t, g.run(t, Job{Runner: "flink", Grid: Grid{Kernel: want.Grid.Kernel}}), want) // a job service as any
	files := testkit.Must(filepath.Glob(staged + "/*"))
	if len(files) == 0 {
		t.Fatal("nothing is staged")
	}
	self := testkit.Must(os.Executable())
	if got := testkit.Must(os.ReadFile(files[0])); !bytes.HasPrefix(got, []byte("\x7fELF")) || !bytes.Equal(got, testkit.Must(os.ReadFile(self))) {
		t.Errorf("%d bytes are staged that begin with %q", len(got), got[:min(8, len(got))])
	}
}

// Workers with other best inner loops compute by the plan's.
func TestWorkersWithOtherKernels(t *testing.T) {
	g := newTestGraph(t, runSample())
	if len(kernel.Paths()) < 2 {
		t.Skip("there is one kernel here")
	}
	var all []*Manifest
	for _, c := range []struct{ worker, plan string }{{"portable", "avx2"}, {"avx2", "avx2"}, {"avx2", "portable"}, {"portable", "portable"}} {
		t.Setenv("COLES_KERNEL", c.worker)
		overSockets(t)
		all = append(all, g.run(t, Job{Runner: "universal", Grid: Grid{Kernel: c.plan}}))
	}
	sameFiles(t, all[0], all[1])
	sameFiles(t, all[2], all[3])
	if fmt.Sprint(all[0].Files) == fmt.Sprint(all[2].Files) {
		t.Error("the kernels make the same bytes: nothing is compared")
	}
}

// A job that somebody else cancels returns an error that names it.
func TestCancelledByOthers(t *testing.T) {
	g := newTestGraph(t, runSample())
	set := manyHops(g.job(t, Job{}).Settings)
	job := g.job(t, Job{Settings: set})
	once := sync.OnceFunc(func() {
		client := testkit.Must(startPrism())
		for _, info := range testkit.Must(client.GetJobs(t.Context(), &jobpb.GetJobsRequest{})).GetJobInfo() {
			if info.GetState() == jobpb.JobState_RUNNING {
				client.Cancel(t.Context(), &jobpb.CancelJobRequest{JobId: info.GetJobId()})
			}
		}
	})
	job.Progress = func(stage string, _, _ int) {
		if strings.HasPrefix(stage, "hop") {
			once()
		}
	}
	if _, _, err := runJob(t, job); err == nil || !strings.Contains(err.Error(), "cancel") || !strings.Contains(err.Error(), "coles-fit-") {
		t.Errorf("error %v", err)
	}
}

// On a runner without a job service the end of the context ends the job by Job.Cancel, with the name that the runner
// was given, and a job that ends without a result is an error.
func TestCancelOnDataflow(t *testing.T) {
	if flags.Lookup("staging_location") != nil {
		t.Skip("the runner of the test is there already, from a test before")
	}
	g := newTestGraph(t, runSample())
	if _, _, err := Run(t.Context(), g.job(t, Job{Runner: dataflowName})); !errors.Is(err, coles.ErrSetting) || !strings.Contains(err.Error(), "import") {
		t.Errorf("without the runner: %v", err)
	}
	for _, name := range []string{"project", "region", "staging_location"} {
		if flags.Lookup(name) == nil {
			flags.String(name, "x", "")
		}
	}
	names := make(chan string, 1)
	ended := make(chan struct{})
	beam.RegisterRunner(dataflowName, func(context.Context, *beam.Pipeline) (beam.PipelineResult, error) {
		if _, err := os.Stat(*jobopts.WorkerBinary); err != nil {
			return nil, err
		}
		names <- jobopts.GetJobName()
		<-ended
		return nil, errors.New("ended")
	})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	name, cancelled := "", ""
	go func() {
		name = <-names
		stop()
	}()
	_, _, err := Run(ctx, g.job(t, Job{Runner: dataflowName, Cancel: func(_ context.Context, job string) error {
		cancelled = job
		close(ended)
		return nil
	}}))
	if !errors.Is(err, context.Canceled) || name == "" || cancelled != name {
		t.Errorf("error %v, cancelled %q, the job was %q", err, cancelled, name)
	}
}

// manyHops are settings of a job that takes long enough to be interrupted.
func manyHops(set coles.Settings) coles.Settings {
	set.Filter = coles.S2GCSum(30)
	return set
}

// A worker that is killed ends the job, or the deadline does; the job then goes on where it was, and the old result
// is whole until then.
func TestKilledWorker(t *testing.T) {
	moments := []int{1}
	if os.Getenv("COLES_SHARED") != "" {
		moments = []int{1, 4, 7, 10, 13, 16, 19, 22, 25, 28}
	}
	g := newTestGraph(t, runSample())
	old := Job{Out: t.TempDir()}
	before := g.run(t, old)
	set := manyHops(g.job(t, Job{}).Settings)
	want := g.run(t, Job{Settings: set})
	for _, hop := range moments {
		work := t.TempDir()
		kill := overSockets(t)
		ctx, stop := context.WithTimeout(t.Context(), deadline)
		killed := false
		job := g.job(t, Job{Runner: "universal", Out: old.Out, Work: work, Settings: set, Grid: Grid{Kernel: kernel.Path()}, Progress: func(stage string, _, _ int) {
			var at int
			if fmt.Sscanf(stage, "hop %d/", &at); at >= hop && !killed {
				killed = true
				kill()
				// It may have been the last hop's last moment, or the engine never notices.
				time.AfterFunc(5*time.Second, stop)
			}
		}})
		_, _, err := Run(ctx, job)
		stop()
		if err == nil || !killed {
			t.Fatalf("hop %d: error %v, worker killed: %v", hop, err, killed)
		}
		// The hops may have ended before the worker did: then the step is marked whole, and it must be.
		hops := filepath.Join(work, "hops")
		_, err = os.Stat(filepath.Join(hops, manifestName))
		ended := err == nil
		if ended && testkit.Must(ReadManifest(t.Context(), hops)).Check(t.Context(), hops) != nil {
			t.Error("the step that ended is not whole")
		}
		if m := testkit.Must(ReadManifest(t.Context(), old.Out)); m.Key != before.Key || m.Check(t.Context(), old.Out) != nil {
			t.Error("the old result is not whole")
		}
		overSockets(t)
		job.Progress = nil
		_, report, err := runJob(t, job)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range report.Steps {
			if s.Skipped != (s.Name == "prepare" || s.Name == "hops" && ended) {
				t.Errorf("step %s: skipped is %v", s.Name, s.Skipped)
			}
		}
		sameFiles(t, report.Manifest, want)
		old.Out = t.TempDir()
		before = g.run(t, old)
	}
}

// The end of a context ends the job, long before its work is done, and the engine can go on with another.
func TestCancel(t *testing.T) {
	g := newTestGraph(t, runSample())
	set := manyHops(g.job(t, Job{}).Settings)
	before := peak.Time()
	want := g.run(t, Job{Settings: set})
	whole := peak.Time() - before
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var once sync.Once
	job := g.job(t, Job{Settings: set, Progress: func(string, int, int) {
		once.Do(func() { before = peak.Time() })
		stop()
	}})
	_, _, err := Run(ctx, job)
	after := peak.Time() - before
	if !errors.Is(err, context.Canceled) || after > whole/2 {
		t.Fatalf("error %v after %v of the %v of work of a whole job", err, after, whole)
	}
	if _, err := os.Stat(filepath.Join(job.Out, manifestName)); err == nil {
		t.Error("a job that was cancelled left a manifest")
	}
	sameFiles(t, g.run(t, Job{Settings: set}), want)
}
