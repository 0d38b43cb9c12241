// Package clitest has the parts that tests of example programs share.
package clitest

import (
	"bytes"
	"context"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coles/dataset"
	"coles/examples/shared/cli"
	"coles/internal/testkit"
)

// Run runs a program that is not expected to fail, and returns what it prints.
func Run(t *testing.T, run cli.Program, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if err := run(t.Context(), args, &out, &errs); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return out.String(), errs.String()
}

// Long reports whether COLES_SHARED is set: where it is not, a test takes the small half of its cases.
func Long() bool { return os.Getenv("COLES_SHARED") != "" }

// Files writes texts to files of a folder.
func Files(t testing.TB, folder string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		path := filepath.Join(folder, filepath.FromSlash(name))
		testkit.Check(t, os.MkdirAll(filepath.Dir(path), 0o777))
		testkit.Check(t, os.WriteFile(path, []byte(text), 0o666))
	}
}

// Archive writes a data set to a folder, as the programs look for it there.
func Archive(t testing.TB, folder, name string, d *dataset.Dataset) {
	t.Helper()
	var b bytes.Buffer
	testkit.Check(t, dataset.WriteNPZ(&b, d))
	Files(t, folder, map[string]string{"npz/" + name + ".npz": b.String()})
}

// A Refusal has arguments that a program must not accept.
type Refusal struct {
	Name string   // of the subtest
	Args []string // of the program
	Text string   // a part of the error
	Is   error    // what the error wraps; nil for a message of the program
}

// Refuses checks that a program refuses arguments by saying what is wrong, and prints nothing else.
func Refuses(t *testing.T, run cli.Program, refusals []Refusal) {
	t.Helper()
	for _, r := range refusals {
		t.Run(r.Name, func(t *testing.T) {
			var out, errs bytes.Buffer
			err := run(t.Context(), r.Args, &out, &errs)
			if err == nil || !strings.Contains(err.Error(), r.Text) {
				t.Errorf("%q: error %v, want one that mentions %q", r.Args, err, r.Text)
			}
			if r.Is != nil && !errors.Is(err, r.Is) {
				t.Errorf("%q: error %v, want one that wraps %q", r.Args, err, r.Is)
			}
		})
	}
}

// Stops checks that an interrupted program reports it.
func Stops(t *testing.T, run cli.Program, args ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	if err := run(ctx, args, &out, &errs); !errors.Is(err, context.Canceled) {
		t.Errorf("%q: error %v, want context.Canceled", args, err)
	}
}

// WantPNG checks that a file is a picture.
func WantPNG(t *testing.T, path string) {
	t.Helper()
	f := testkit.Must(os.Open(path))
	defer f.Close()
	if _, err := png.Decode(f); err != nil {
		t.Errorf("%s is no PNG: %v", path, err)
	}
}

// NoLitter gives a test a folder for temporary files, and checks that none is left.
func NoLitter(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Cleanup(func() {
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
			t.Errorf("%s is left behind", left)
		}
	})
}
