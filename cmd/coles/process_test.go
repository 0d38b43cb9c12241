package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"coles/dataset"
)

// installed is the program as "go install" makes it.
func installed(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the program")
	}
	bin := t.TempDir()
	install := exec.Command("go", "install", ".")
	install.Env = append(os.Environ(), "GOBIN="+bin, "GOFLAGS=-mod=readonly")
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("go install: %v\n%s", err, out)
	}
	name := "coles"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(bin, name)
}

func TestProcess(t *testing.T) {
	program := installed(t)
	t.Run("exit codes", func(t *testing.T) {
		for args, want := range map[string]int{"-h": 0, "info -": 1, "embed -depth 3": exitUsage} {
			cmd := exec.Command(program, strings.Fields(args)...)
			cmd.Run()
			if got := cmd.ProcessState.ExitCode(); got != want {
				t.Errorf("coles %s: exit %d, want %d", args, got, want)
			}
		}
	})
	t.Run("a pipe", func(t *testing.T) {
		cmd := exec.Command(program, "info")
		cmd.Stdin = strings.NewReader(edgesText)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil || string(out) != must(t, edgesText, "info") || stderr.Len() > 0 {
			t.Errorf("info: %v, %q, standard error %q", err, out, stderr.String())
		}
	})
	t.Run("completion of commands", func(t *testing.T) {
		out, err := exec.Command(program, "--generate-shell-completion").Output()
		for _, name := range []string{"embed:", "eval:", "info:", "similar:", "convert:"} {
			if err != nil || !strings.Contains("\n"+string(out), "\n"+name) {
				t.Errorf("%s is not completed: %v, %q", name, err, out)
			}
		}
	})
	t.Run("interruption", func(t *testing.T) { interrupt(t, program) })
}

// interrupt signals the program at moments from its start to its end, with the exit code of a
// shell, one line and no file but the input as outcome.
func interrupt(t *testing.T, program string) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals to send on Windows")
	}
	d, err := dataset.Communities{Nodes: 20_000, Features: 500, Seed: 1}.Generate(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := dataset.WriteFile(filepath.Join(dir, "in.npz"), func(w io.Writer) error { return dataset.WriteNPZ(w, d) }); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		signal os.Signal
		after  time.Duration
		args   string
	}{
		// Ten thousand hops take minutes; a hop is known to be under way.
		{os.Interrupt, 300 * time.Millisecond, "embed in.npz -filter sgc:10000 -o out.npy -model out.model"},
		{syscall.SIGTERM, 500 * time.Millisecond, "embed in.npz -filter sgc:10000 -o out.tsv"},
		{syscall.SIGHUP, 500 * time.Millisecond, "embed in.npz -filter sgc:10000 -o out.tsv"}, // a terminal that is closed
		{os.Interrupt, 300 * time.Millisecond, "eval in.npz -filter sgc:10000"},
		// Waiting for an input that does not come.
		{os.Interrupt, 300 * time.Millisecond, "convert -from edges - out.npz"},
		{syscall.SIGTERM, 300 * time.Millisecond, "embed -o out.tsv"},
	} {
		// Should the signal not do it, the end of the context does, and fails.
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, program, strings.Fields(c.args)...)
		cmd.Dir = dir
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(c.after)
		if err := cmd.Process.Signal(c.signal); err != nil {
			t.Fatalf("coles %s ended before it was interrupted: %q", c.args, stderr.String())
		}
		start := time.Now()
		err = cmd.Wait()
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("coles %s: stopped only after %v", c.args, took)
		}
		stdin.Close()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
			t.Errorf("coles %s: %v, want exit %d", c.args, err, exitInterrupted)
		}
		if stdout.Len() > 0 || stderr.String() != "coles: interrupted\n" {
			t.Errorf("coles %s: standard output %q, standard error %q", c.args, stdout.String(), stderr.String())
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 {
			t.Errorf("coles %s left files: %v, %v", c.args, entries, err)
		}
	}
}

// Interrupted while the output is written, at any of its blocks: no file.
func TestInterruptedWhileWriting(t *testing.T) {
	dir := t.TempDir()
	s, err := newSink(filepath.Join(dir, "out"), true, nil)
	if err != nil {
		t.Fatal(err)
	}
	block := make([]byte, bufferSize)
	for at := range 4 {
		ctx, cancel := context.WithCancel(context.Background())
		err := s.write(ctx, func(w io.Writer) error {
			for i := range 4 {
				if i == at {
					cancel()
				}
				if _, err := w.Write(block); err != nil {
					return err
				}
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("interrupted at block %d: %v", at, err)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			t.Errorf("interrupted at block %d: %v left behind", at, entries)
		}
	}
}

// A pseudo terminal stands in for a terminal.
func TestTerminal(t *testing.T) {
	_, edges, features := small(t)
	tty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminal to write to: %v", err)
	}
	defer tty.Close()
	if !isTerminal(tty) {
		t.Error("a pseudo terminal is not taken for a terminal")
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if isTerminal(null) || isTerminal(&bytes.Buffer{}) {
		t.Error("what swallows everything, or a buffer, is taken for a terminal")
	}
	for _, args := range [][]string{
		{"embed", edges, "-features", features, "-to", "npy"}, {"embed", edges, "-features", features, "-to", "npz"},
		{"embed", edges, "-features", features, "-o", filepath.Join(t.TempDir(), "y.tsv"), "-model", "-"},
		{"convert", "-to", "npy", "-from", "tsv", features, "-"},
	} {
		var stderr bytes.Buffer
		if code := run(context.Background(), args, strings.NewReader(""), tty, &stderr); code != exitUsage || !strings.Contains(stderr.String(), "terminal") {
			t.Errorf("%v to a terminal: exit %d, %q", args, code, stderr.String())
		}
		stderr.Reset()
		if code := run(context.Background(), args, strings.NewReader(""), null, &stderr); code != 0 {
			t.Errorf("%v to %s: exit %d, %q", args, os.DevNull, code, stderr.String())
		}
	}
	var stderr bytes.Buffer
	if code := run(context.Background(), []string{"embed"}, tty, null, &stderr); code != exitUsage {
		t.Errorf("an input that would have to be typed: exit %d, %q", code, stderr.String())
	}
}

// Whatever an id holds, a terminal is not told to do anything.
func TestNothingControlsTheTerminal(t *testing.T) {
	const ids = "a\x1b]0;title\x07\tb\u009b31m\x7f\r\nç 漢\n"
	for size := 1; size <= len(ids); size++ { // in pieces, which may cut a rune
		var out bytes.Buffer
		w := visible(&out)
		for rest := ids; rest != ""; {
			piece := rest[:min(size, len(rest))]
			if _, err := io.WriteString(w, piece); err != nil {
				t.Fatal(err)
			}
			rest = rest[len(piece):]
		}
		if got, want := out.String(), "a␛]0;title␇\tb\uFFFD31m\uFFFD␍\nç 漢\n"; got != want {
			t.Errorf("in pieces of %d: %q, want %q", size, got, want)
		}
	}
}
