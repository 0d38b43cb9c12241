package distributed

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coles"
	"coles/internal/testkit"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
)

// play is the program as a job server or as a worker, by an environment variable: the tests start
// themselves again to have both in processes of their own.
func play() {
	role, port, _ := strings.Cut(os.Getenv("COLES_TEST_ROLE"), ":")
	var number int
	fmt.Sscan(port, &number)
	var err error
	switch role {
	case "":
		return
	case "server":
		_, err = prism.CreateJobServer(context.Background(), prism.Options{Port: number})
	case "worker":
		beam.Init()
		_, err = extworker.StartLoopback(context.Background(), number)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("ready")
	bufio.NewReader(os.Stdin).ReadByte() // until the test is over
	os.Exit(0)
}

// start starts the program in a role, and returns its address and what kills it.
func start(t *testing.T, role string) (address string, kill func()) {
	t.Helper()
	port := testkit.Must(freePort())
	c := exec.Command(os.Args[0], "-test.run=^$")
	c.Env = append(os.Environ(), fmt.Sprintf("COLES_TEST_ROLE=%s:%d", role, port))
	if os.Getenv("COLES_LOUD") != "" {
		c.Stderr = os.Stderr
	}
	if _, err := c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the %s says %q, %v", role, line, err)
	}
	return fmt.Sprintf("localhost:%d", port), func() { c.Process.Kill() }
}

// overSockets has the pipelines of a test run by a server and a worker in two other processes, and
// returns what kills the worker.
func overSockets(t *testing.T) (kill func()) {
	t.Helper()
	if testing.Short() {
		t.Skip("three processes")
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
	got := g.run(t, Job{Runner: "universal"})
	sameFiles(t, got, want)
}

// manyHops are settings of a job that takes long enough to be interrupted.
func manyHops(set coles.Settings) coles.Settings {
	set.Filter = coles.S2GCSum(30)
	return set
}

// A worker that is killed ends the job, or the deadline does; the job then goes on where it was.
func TestKilledWorker(t *testing.T) {
	g := newTestGraph(t, runSample())
	set := manyHops(g.job(t, Job{}).Settings)
	want := g.run(t, Job{Settings: set})
	work := t.TempDir()
	kill := overSockets(t)
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	killed := false
	job := g.job(t, Job{Runner: "universal", Work: work, Settings: set, Progress: func(stage string, _, _ int64) {
		if strings.HasPrefix(stage, "hop") && !killed {
			killed = true
			kill()
			// It may have been the last hop's last moment, or the engine never notices.
			time.AfterFunc(5*time.Second, stop)
		}
	}})
	if _, _, err := Run(ctx, job); err == nil || !killed {
		t.Fatalf("error %v, worker killed: %v", err, killed)
	}
	if _, err := os.Stat(filepath.Join(work, "hops", manifestName)); err == nil {
		t.Error("the step that failed says that it is whole")
	}
	overSockets(t)
	job.Progress = nil
	_, report, err := runJob(t, job)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range report.Steps {
		if s.Skipped != (s.Name == "prepare") {
			t.Errorf("step %s: skipped is %v", s.Name, s.Skipped)
		}
	}
	sameFiles(t, report.Manifest, want)
}

// The end of a context ends the job, soon, and the engine can go on with another.
func TestCancel(t *testing.T) {
	g := newTestGraph(t, runSample())
	set := manyHops(g.job(t, Job{}).Settings)
	want := g.run(t, Job{Settings: set})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var at time.Time
	job := g.job(t, Job{Settings: set, Progress: func(string, int64, int64) {
		at = time.Now()
		stop()
	}})
	_, _, err := Run(ctx, job)
	if !errors.Is(err, context.Canceled) || time.Since(at) > 2*time.Second {
		t.Fatalf("error %v after %v", err, time.Since(at))
	}
	if _, err := os.Stat(filepath.Join(job.Out, manifestName)); err == nil {
		t.Error("a job that was cancelled left a manifest")
	}
	sameFiles(t, g.run(t, Job{Settings: set}), want)
}
