package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coles/internal/testkit"
)

// call runs the program in the test's process.
func call(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(context.Background(), args, strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

// must is the standard output of a run that has to succeed and be silent on standard error.
func must(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	code, stdout, stderr := call(stdin, args...)
	unexpected := slices.DeleteFunc(strings.Split(strings.TrimSpace(stderr), "\n"), func(line string) bool { // of small graphs, of matrices, and the names of clusters
		return line == "" || strings.HasPrefix(line, "coles: clusters 0 ") || strings.Contains(line, "holds no ids") || strings.Contains(line, "whose vectors are zero")
	})
	if code != 0 || len(unexpected) > 0 {
		t.Fatalf("coles %s: exit %d, standard error %q", strings.Join(args, " "), code, stderr)
	}
	return stdout
}

// prints checks what such a run prints.
func prints(t *testing.T, want, stdin string, args ...string) {
	t.Helper()
	testkit.WantSame(t, "coles "+strings.Join(args, " "), must(t, stdin, args...), want)
}

// decoded is the JSON that a run prints.
func decoded[T any](t *testing.T, stdin string, args ...string) (v T) {
	t.Helper()
	testkit.Check(t, json.Unmarshal([]byte(must(t, stdin, args...)), &v))
	return v
}

// folder writes files and returns their folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	return dir
}

// write writes a text to a file and returns its path.
func write(t *testing.T, path, text string) string {
	t.Helper()
	testkit.Check(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// The graph of most tests: a triangle with a tail.
const (
	edgesText    = "ann\tbob\nbob\tcy\ncy\tann\ncy\tdan\n"
	featuresText = "ann,1,0,0\nbob,0,1,0\ncy,0,1,1\ndan,1,1,0\n"
	labelsText   = "ann x\nbob x\ncy y\ndan y\n"
)

func small(t *testing.T) (dir, edges, features string) {
	dir = folder(t, map[string]string{"edges.tsv": edgesText, "features.csv": featuresText, "labels.txt": labelsText})
	return dir, filepath.Join(dir, "edges.tsv"), filepath.Join(dir, "features.csv")
}

// refused runs the program, checks its error and returns it.
func refused(t *testing.T, dir string, want int, text, stdin string, args ...string) string {
	t.Helper()
	code, stdout, stderr := call(stdin, args...)
	checkError(t, dir, code, want, stdout, stderr, text)
	return stderr
}

// checkError checks the code, one line with a text, and that nothing is written.
func checkError(t *testing.T, dir string, code, want int, stdout, stderr, text string) {
	t.Helper()
	testkit.WantSame(t, "exit code", code, want)
	if !strings.HasPrefix(stderr, "coles: ") || strings.Count(stderr, "\n") != 1 || !strings.HasSuffix(stderr, "\n") {
		t.Errorf("standard error is not one line that begins with the program's name: %q", stderr)
	}
	testkit.WantText(t, stderr, text)
	testkit.WantSame(t, "standard output", stdout, "")
	for _, e := range testkit.Must(os.ReadDir(dir)) {
		if strings.HasPrefix(e.Name(), "out") || strings.Contains(e.Name(), "partial") {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

// The help of a command is one screen, and all of it a word away.
func TestHelp(t *testing.T) {
	for _, sub := range root(streams{}).Commands {
		if sub.Name == "help" || sub.Name == "version" || sub.Name == "completion" {
			continue
		}
		short, whole := must(t, "", sub.Name, "-h"), must(t, "", "help", sub.Name)
		if n := strings.Count(short, "\n"); n > 45 {
			t.Errorf("coles %s -h prints %d lines", sub.Name, n)
		}
		_, listed, _ := strings.Cut(short, "OPTIONS:")
		if n := strings.Count(listed, "\n   -"); len(sub.Flags) > 11 && n != 10 {
			t.Errorf("coles %s -h lists %d options, want ten", sub.Name, n)
		}
		for _, f := range sub.Flags {
			if testkit.WantText(t, whole, "-"+f.Names()[0]); groupOf(f) < 0 {
				t.Errorf("coles %s: -%s is in no group", sub.Name, f.Names()[0])
			}
		}
	}
	if n := strings.Count(must(t, "", "-h"), "\n"); n > 45 {
		t.Errorf("coles -h prints %d lines", n)
	}
	testkit.WantText(t, must(t, "", "help"), "word2vec-binary", "COMMANDS:")
}
