package distributed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"coles"
	"coles/internal/testkit"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
)

// contents are the files of a folder with what is in them.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return all
}

// A job that cannot be had, by whatever reason, fails with an error by name, before the deadline, and leaves its
// folders as they were.
func TestRefusedJobsTouchNothing(t *testing.T) {
	g := newTestGraph(t, runSample())
	link := filepath.Join(t.TempDir(), "link")
	result := g.job(t, Job{})
	g.run(t, result)
	nobody := "unix:" + filepath.Join(t.TempDir(), "none")
	dir := folderOf(t, map[string]string{"far.txt": "0 2000\n", "nan.npy": npyOf(t, 24, slices.Repeat([]float64{0}, 24*2000)...)})
	for name, c := range map[string]struct {
		change func(*Job)
		want   error
		says   string
	}{
		"a wrong edge":      {func(j *Job) { j.Edges = []string{dir + "far.txt"} }, coles.ErrIndex, "far.txt:1"},
		"an unknown runner": {func(j *Job) { j.Runner = "flimk" }, coles.ErrSetting, "flimk"},
		"no endpoint":       {func(j *Job) { j.Runner = "flink" }, coles.ErrSetting, "-endpoint"},
		"a dead endpoint":   {func(j *Job) { j.Runner = "universal"; *jobopts.Endpoint = nobody }, nil, nobody},
		"a worker's archive": {func(j *Job) {
			j.Runner, *jobopts.Endpoint = "universal", nobody
			*jobopts.WorkerBinary = folderOf(t, map[string]string{"w": "!<arch>\n"}) + "w"
		}, coles.ErrSetting, "go build"},
		"an unknown kernel": {func(j *Job) { j.Grid.Kernel = "abacus" }, coles.ErrSetting, "abacus"},
		"inputs in the output": {func(j *Job) {
			m := testkit.Must(ReadManifest(t.Context(), j.Out))
			j.Features = []string{filepath.Dir(m.shard(t, j.Out, shardName(0, 4))) + "/y-*.npy"}
		}, coles.ErrSetting, "y-00000"},
		"inputs in the output by a link": {func(j *Job) {
			if err := os.Symlink(j.Out, link); err != nil {
				t.Fatal(err)
			}
			j.Features = []string{link + "/*/y-*.npy"}
		}, coles.ErrSetting, "y-00000"},
		"inputs in the work": {func(j *Job) { j.Work = g.dir + "/." }, coles.ErrSetting, "x-0.npy"},
		"output in the work": {func(j *Job) { j.Work = filepath.Dir(j.Out) }, coles.ErrSetting, "work"},
		"too large": {func(j *Job) { // 3 TB of zeros that take no disk
			header := testkit.Must(os.ReadFile(g.dir + "/x-0.npy"))[:128]
			text := strings.Replace(string(header), "(666, 24)", "(2000000000, 200)", 1)
			path := folderOf(t, map[string]string{"x.npy": strings.Replace(text, strings.Repeat(" ", 8), "", 1)}) + "x.npy"
			if len(text)-8 != len(header) {
				t.Fatalf("header %q", text)
			}
			if err := os.Truncate(path, 128+2e9*200*8); err != nil {
				t.Fatal(err)
			}
			j.Features, j.Edges = []string{path}, nil
		}, coles.ErrTooLarge, "coles.Fit"},
	} {
		t.Run(name, func(t *testing.T) {
			endpoint, worker := *jobopts.Endpoint, *jobopts.WorkerBinary
			defer func() { *jobopts.Endpoint, *jobopts.WorkerBinary = endpoint, worker }()
			job := result
			job.Settings.Dim = 7
			before := contents(t, job.Out)
			c.change(&job)
			_, _, err := runJob(t, job)
			if c.want != nil && !errors.Is(err, c.want) || err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %v with %q", err, c.want, c.says)
			}
			sameResult(t, job.Out, before, name == "a wrong edge")
		})
	}
}

// sameResult compares a folder with what it was. An attempt that began may have left files that no manifest names.
func sameResult(t *testing.T, folder string, before map[string]string, began bool) {
	t.Helper()
	after := contents(t, folder)
	for path, text := range before {
		if after[path] != text {
			t.Errorf("%s has changed or is gone", path)
		}
	}
	if !began && len(after) != len(before) {
		t.Errorf("%d files, there were %d", len(after), len(before))
	}
}

// Folders that cannot be written are found out before the first step.
func TestFoldersAreTried(t *testing.T) {
	if os.Getuid() == 0 {
		t.Log("root writes everywhere: a file in the place of the folder")
	}
	g := newTestGraph(t, runSample())
	file := folderOf(t, map[string]string{"file": ""}) + "file"
	for name, change := range map[string]func(*Job){
		"output": func(j *Job) { j.Out, j.Work = file+"/y", t.TempDir() },
		"work":   func(j *Job) { j.Work = file + "/w" },
	} {
		job := g.job(t, Job{Progress: func(stage string, _, _ int) {
			if stage != "inputs" {
				t.Errorf("%s: the job got to %s", name, stage)
			}
		}})
		change(&job)
		if _, _, err := runJob(t, job); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A disk that is full keeps the old result: here one that takes no file of more than 20 or 40 kB.
func TestFullDisk(t *testing.T) {
	g := newTestGraph(t, runSample())
	job := g.job(t, Job{Work: t.TempDir()})
	old := g.run(t, Job{Out: job.Out})
	before := contents(t, job.Out)
	c := exec.Command("sh", "-c", `ulimit -f 40; exec "$0" -test.run=^$`, os.Args[0]) // 512 or 1024 bytes each
	c.Env = job.launcher(g).Env
	out, err := c.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "file too large") {
		t.Errorf("%v, %s", err, out)
	}
	sameResult(t, job.Out, before, true)
	if err := old.Check(t.Context(), job.Out); err != nil {
		t.Error(err)
	}
}

// The launching program is killed at ten moments. At each the folder holds the old result or the new one, whole;
// a step that was whole is not made again; and in the end the bytes equal an undisturbed job's.
func TestKilledLauncher(t *testing.T) {
	g := newTestGraph(t, runSample())
	set := manyHops(g.job(t, Job{}).Settings)
	job := g.job(t, Job{Work: t.TempDir(), Cut: 8})
	old := g.run(t, Job{Out: job.Out})
	start := time.Now()
	job.Settings = set
	want := g.run(t, Job{Settings: set, Work: t.TempDir(), Cut: 8})
	whole, done := time.Since(start), map[string]bool{}
	for k := range 10 {
		c := job.launcher(g)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(time.Duration(1+k)*whole/12, func() { c.Process.Kill() })
		c.Wait()
		kill.Stop()
		m := testkit.Must(ReadManifest(t.Context(), job.Out))
		if err := m.Check(t.Context(), job.Out); err != nil || m.Key != old.Key && m.Settings.Filter.String() != set.Filter.String() {
			t.Fatalf("kill %d: %v, %v", k, m.Settings, err)
		}
		for _, folder := range testkit.Must(filepath.Glob(job.Work + "/*")) {
			if m, err := ReadManifest(t.Context(), folder); err == nil {
				if err := m.Check(t.Context(), folder); err != nil {
					t.Errorf("kill %d: %v", k, err)
				}
				done[m.Step] = true
			}
		}
	}
	_, report, err := runJob(t, job)
	if err != nil {
		t.Fatal(err)
	}
	if report.Steps[0].Name == "prepare" && done["prepare"] && !report.Steps[0].Skipped {
		t.Errorf("steps %v", report.Steps)
	}
	sameFiles(t, report.Manifest, want)
	for path := range contents(t, job.Out) {
		if filepath.Base(path) != manifestName && !strings.Contains(path, attemptOf(report.Manifest.Key)) && !strings.Contains(path, "/.p") {
			t.Errorf("%s is left over", path)
		}
	}
	t.Logf("steps that were whole after a kill: %v; at last: %v", done, report.Steps)
}

// launcher is a process that runs a job of many hops.
func (j Job) launcher(g *testGraph) *exec.Cmd {
	c := exec.Command(os.Args[0], "-test.run=^$")
	c.Env = append(os.Environ(), "COLES_TEST_ROLE=launcher", "COLES_TEST_JOB="+strings.Join([]string{g.dir, j.Out, j.Work}, "\n"))
	return c
}

// launch is the program in that process.
func launch() error {
	part := strings.Split(os.Getenv("COLES_TEST_JOB"), "\n")
	set := coles.DefaultSettings()
	set.Dim, set.Kind = 8, coles.UseGraph
	_, _, err := Run(context.Background(), Job{
		Features: []string{part[0] + "/x-*"}, Edges: []string{part[0] + "/e-*"}, Out: part[1], Work: part[2], Cut: 8,
		Settings: manyHops(set), Grid: Grid{Height: 500},
	})
	return err
}

// A file of Work that is damaged has its step made anew, once, and nothing else; one of the output shows by
// Check, and the next run makes it anew.
func TestDamagedWork(t *testing.T) {
	g := newTestGraph(t, runSample())
	job := g.job(t, Job{Work: t.TempDir()})
	want := g.run(t, job)
	for _, c := range []struct{ glob, steps string }{
		{"hops/*/state-00001*", "prepare* hops embed"},
		{"prepare/*/state-00000*", "prepare hops* embed"},
		{"prepare/*/facts.bin", "prepare hops* embed"},
	} {
		files, _ := filepath.Glob(filepath.Join(job.Work, c.glob))
		if len(files) != 1 {
			t.Fatalf("%s: %v", c.glob, files)
		}
		text := testkit.Must(os.ReadFile(files[0]))
		text[len(text)/2] ^= 1
		if err := os.WriteFile(files[0], text, 0o644); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(c.glob, "prepare/*/state") { // it is read for another filter only
			if err := os.RemoveAll(filepath.Join(job.Work, "hops")); err != nil {
				t.Fatal(err)
			}
			c.steps = "prepare hops embed"
		}
		job.Out = t.TempDir()
		_, report, err := runJob(t, job)
		if err != nil {
			t.Fatalf("%s: %v", c.glob, err)
		}
		last := map[string]bool{}
		for _, s := range report.Steps {
			last[s.Name] = s.Skipped
		}
		for _, name := range strings.Fields(c.steps) {
			if skipped := strings.HasSuffix(name, "*"); last[strings.TrimSuffix(name, "*")] != skipped {
				t.Errorf("%s: steps %v, want %s", c.glob, report.Steps, c.steps)
			}
		}
		sameFiles(t, report.Manifest, want)
	}
	shard := want.shard(t, job.Out, shardName(1, 4))
	if err := os.WriteFile(shard, make([]byte, len(testkit.Must(os.ReadFile(shard)))), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := testkit.Must(ReadManifest(t.Context(), job.Out)).Check(t.Context(), job.Out); !errors.Is(err, coles.ErrChecksum) {
		t.Errorf("a shard of zeros: %v", err)
	}
	sameFiles(t, g.run(t, job), want)
	testkit.Check(t, testkit.Must(ReadManifest(t.Context(), job.Out)).Check(t.Context(), job.Out))
}

// The key depends on the content of inputs, and neither on their times nor on the spelling of paths.
func TestKeysKnowContents(t *testing.T) {
	g := newTestGraph(t, runSample())
	job := g.job(t, Job{})
	g.run(t, job)
	skipped := func(what string, want bool) {
		t.Helper()
		_, report, err := runJob(t, job)
		if err != nil {
			t.Fatal(err)
		}
		if got := report.Steps[0].Skipped; got != want {
			t.Errorf("%s: skipped is %v", what, got)
		}
	}
	skipped("again", true)
	files := testkit.Must(filepath.Glob(g.dir + "/*"))
	for _, f := range files {
		if err := os.Chtimes(f, time.Now(), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	skipped("touched", true)
	job.Features, job.Edges = []string{g.dir + "/./x-*"}, []string{g.dir + "//e-*"}
	skipped("spelled otherwise", true)
	info := testkit.Must(os.Stat(files[0]))
	text := testkit.Must(os.ReadFile(files[0]))
	at := slices.IndexFunc(text, func(b byte) bool { return b > '1' && b <= '9' })
	text[at]--
	if err := os.WriteFile(files[0], text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(files[0], info.ModTime().Add(1), info.ModTime().Add(1)); err != nil {
		t.Fatal(err)
	}
	skipped("another edge", false)
}

// With cuts the bytes are the same, and a failure repeats the hops since the last cut only.
func TestCuts(t *testing.T) {
	g := newTestGraph(t, runSample())
	job := g.job(t, Job{})
	job.Settings.Filter = coles.S2GCSum(60)
	want := g.run(t, job)
	job.Work, job.Cut, job.Out = t.TempDir(), 24, t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	job.Progress = func(stage string, _, _ int) {
		var hop int // some may be passed in a fifth of a second
		if fmt.Sscanf(stage, "hop %d/", &hop); hop > 25 {
			stop()
		}
	}
	if _, _, err := Run(ctx, job); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	job.Progress = nil
	_, report, err := runJob(t, job)
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	for _, s := range report.Steps {
		steps = append(steps, fmt.Sprintf("%s %v %d", s.Name, s.Skipped, s.Counters["block_hops"]))
	}
	// 61 hops of four blocks: 24 are there, 24 and 13 follow.
	if want := []string{"prepare true 0", "hops true 96", "hops false 96", "hops false 52", "embed false 0"}; !slices.Equal(steps, want) {
		t.Errorf("steps %v, want %v", steps, want)
	}
	sameFiles(t, report.Manifest, want)
	if left := testkit.Must(filepath.Glob(job.Work + "/hops*/" + manifestName)); len(left) != 1 {
		t.Errorf("states %v are left", left)
	}
}

// Of two jobs in one program one is cancelled, again and again, and the other ends as it should.
func TestTwoJobs(t *testing.T) {
	times := 3
	if os.Getenv("COLES_SHARED") != "" {
		times = 50
	}
	g := newTestGraph(t, runSample())
	want := g.run(t, Job{})
	set := manyHops(g.job(t, Job{}).Settings)
	for k := range times {
		ctx, stop := context.WithCancel(t.Context())
		var wait sync.WaitGroup
		wait.Go(func() {
			job := g.job(t, Job{Settings: set, Progress: func(stage string, _, _ int) {
				if strings.HasSuffix(stage, "/31") { // any hop: it may pass some in a fifth of a second
					stop()
				}
			}})
			if _, _, err := Run(ctx, job); !errors.Is(err, context.Canceled) {
				t.Errorf("%d: the job that was cancelled: %v", k, err)
			}
		})
		_, report, err := runJob(t, g.job(t, Job{Progress: func(stage string, _, _ int) {
			if strings.HasSuffix(stage, "/31") {
				t.Errorf("progress of the other job: %s", stage)
			}
		}}))
		if err != nil {
			t.Fatalf("%d: the other job: %v", k, err)
		}
		sameFiles(t, report.Manifest, want)
		wait.Wait()
		stop()
	}
}
