package distributed

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"coles/dataset"
	"coles/internal/testkit"
)

// blocksOf are the blocks of a page in a language.
func blocksOf(t *testing.T, page, language string) (all []string) {
	t.Helper()
	text := string(testkit.Must(os.ReadFile(filepath.Join("..", "docs", page))))
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```").FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// The page's commands run as printed, as far as they can without a cluster: commands for a cluster get as far as
// the files of gs://, or the job server, and name what is missing.
func TestThePagesCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := t.TempDir()
	g := newTestGraph(t, runSample())
	g.write(t, dir, 2, 0, nil)
	var lines strings.Builder
	for _, e := range g.edges {
		lines.WriteString(strings.Join([]string{strconv.Itoa(e.U), strconv.Itoa(e.V)}, " ") + "\n")
	}
	if err := dataset.WriteFile(filepath.Join(dir, "e-0.txt.gz"), func(w io.Writer) error {
		_, err := io.WriteString(w, gzipped(lines.String()))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	sh := func(folder, line string) (string, error) {
		c := exec.Command("sh", "-c", line)
		c.Dir = folder
		c.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOOGLE_APPLICATION_CREDENTIALS="+dir+"/none", "NO_GCE_CHECK=true")
		out, err := c.CombinedOutput()
		return string(out), err
	}
	blocks := blocksOf(t, "distributed.md", "sh")
	if len(blocks) != 2 {
		t.Fatalf("%d blocks of commands", len(blocks))
	}
	local, cluster := strings.Split(strings.TrimSpace(blocks[0]), "\n"), strings.Split(strings.TrimSpace(blocks[1]), "\n")
	build, is := strings.CutPrefix(local[0], "CGO_ENABLED=0 ") // which would compile all of Beam another time
	build = strings.Replace(build, "-o cluster", "-o "+dir+"/cluster", 1)
	if out, err := sh(".", build); err != nil || !is {
		t.Fatalf("%s: %v\n%s", build, err, out)
	}
	for _, line := range local[2:] { // the other is the comparison, which CI runs
		if out, err := sh(dir, line); err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
	for line, says := range map[string]string{
		cluster[1]: "jobserver:8099",
		strings.ReplaceAll(strings.ReplaceAll(cluster[0], "gs://b/", ""), " -project p", ""):               "-project",
		strings.ReplaceAll(cluster[1], "-runner flink", "-runner flimk"):                                   "flimk",
		strings.ReplaceAll(cluster[1], " -endpoint jobserver:8099", ""):                                    "-endpoint",
		strings.ReplaceAll(cluster[1], "-environment_type", "-worker_binary e-0.txt.gz -environment_type"): "go build",
	} {
		line = strings.NewReplacer("x-*'", "x-*.npy'", "'e-*'", "'e-*.gz'", "x-*.npy.npy", "x-*.npy").Replace(line)
		if out, err := sh(dir, line); err == nil || !strings.Contains(out, says) {
			t.Errorf("%s: %v, want %q\n%s", line, err, says, out)
		}
	}
}

// The page's program, and the lines of go.mod that the page on importing prints, make a program.
func TestThePagesProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	programs := blocksOf(t, "distributed.md", "go")
	program := programs[len(programs)-1]
	lines := blocksOf(t, "importing.md", "")
	mod := "module hello\n\ngo 1.26.0\n\n" + strings.ReplaceAll(lines[len(lines)-1], "../coles", testkit.Must(filepath.Abs("..")))
	dir := folderOf(t, map[string]string{"main.go": program, "go.mod": mod, "go.sum": string(testkit.Must(os.ReadFile("go.sum")))})
	for _, args := range [][]string{{"mod", "tidy"}, {"vet", "."}} {
		c := exec.Command("go", args...)
		c.Dir, c.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}
}

// There is no container runtime: of the Dockerfile it is compared what it takes from the module.
func TestDockerfile(t *testing.T) {
	text := testkit.Must(os.ReadFile("Dockerfile"))
	mod := string(testkit.Must(os.ReadFile("go.mod")))
	found := regexp.MustCompile(`\s*github.com/apache/beam/sdks/v2 (v[^ \n]*)`).FindStringSubmatch(mod)
	c := exec.Command("sh", "-c", string(regexp.MustCompile(`sed -n '[^']*' go.mod`).Find(text)))
	out, err := c.Output()
	if err != nil || len(found) < 2 || strings.TrimSpace(string(out)) != found[1] {
		t.Errorf("the version of Beam is %q, %v, want %q", out, err, found)
	}
	for _, part := range []string{"FROM golang:1.26 ", "beam/sdks/v2/go/container@", "/opt/apache/beam/boot\"]"} {
		if !bytes.Contains(text, []byte(part)) {
			t.Errorf("there is no %q", part)
		}
	}
}
