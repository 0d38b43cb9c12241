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
