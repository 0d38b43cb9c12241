package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/internal/testkit"
)

// A process with this variable is the program, and no test of it.
const asProgram = "COLES_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// process runs the program in a process of its own.
func process(ctx context.Context, dir, args string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, testkit.Must(os.Executable()), split(args)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), asProgram+"=1")
	return cmd
}

func TestProcess(t *testing.T) {
	for args, want := range map[string]int{"-h": 0, "info -": 1, "embed -depth 3": exitUsage} {
		cmd := process(t.Context(), "", args)
		cmd.Run()
		testkit.WantSame(t, "exit code of coles "+args, cmd.ProcessState.ExitCode(), want)
	}
	cmd := process(t.Context(), "", "info")
	cmd.Stdin = strings.NewReader(edgesText)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if out, err := cmd.Output(); err != nil || string(out) != must(t, edgesText, "info") || stderr.Len() > 0 {
		t.Errorf("info of a pipe: %v, %q, standard error %q", err, out, stderr.String())
	}
	out, err := process(t.Context(), "", "--generate-shell-completion").Output()
	for _, name := range []string{"embed:", "eval:", "info:", "similar:", "convert:"} {
		if err != nil || !strings.Contains("\n"+string(out), "\n"+name) {
			t.Errorf("%s is not completed: %v, %q", name, err, out)
		}
	}
}

// A signal ends the program at once with the exit code of a shell, one line and no file,
// in the midst of a fit and while it waits for an input that does not come.
func TestSignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals to send on Windows")
	}
	d := testkit.Must(synthetic.Communities{Nodes: 5000, Features: 500, Seed: 1}.Generate(t.Context()))
	archive := text(t, func(b *bytes.Buffer) error { return dataset.WriteNPZ(b, d) })
	// Ten thousand hops take a minute.
	const fit = "-from npz -filter sgc:10000"
	for args, sent := range map[string]os.Signal{
		"embed " + fit + " -o out.npy -model out.model": os.Interrupt,
		"embed " + fit + " -o out.tsv":                  syscall.SIGTERM,
		"embed " + fit + " -o out.csv":                  syscall.SIGHUP, // a terminal that is closed
		"eval " + fit:                                   os.Interrupt,
		"convert -from edges - out.npz":                 os.Interrupt,
		"embed -o out.tsv":                              syscall.SIGTERM,
	} {
		t.Run(args, func(t *testing.T) {
			if signal.Ignored(sent) {
				t.Skip("who started this test has it ignored, as nohup does")
			}
			if strings.Contains(args, fit) {
				interrupt(t, archive, true, args, sent)
			} else {
				interrupt(t, strings.Repeat("# nothing\n", 1<<15), false, args, sent)
			}
		})
	}
}

// interrupt sends a signal to the program once it has read some of its standard input, of which a pipe takes 64 KB, and
// had time to begin what follows if that ends.
func interrupt(t *testing.T, input string, ends bool, args string, sent os.Signal) {
	// Should the signal not do it, the end of the context does, and fails.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	dir := t.TempDir()
	cmd := process(ctx, dir, args)
	stdin := testkit.Must(cmd.StdinPipe())
	defer stdin.Close()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	testkit.Check(t, cmd.Start())
	if n, err := io.WriteString(stdin, input); err != nil || n < 1<<17 {
		t.Fatalf("%d bytes were read: %v", n, err)
	}
	if ends {
		stdin.Close()
		time.Sleep(500 * time.Millisecond)
	}
	if err := cmd.Process.Signal(sent); err != nil {
		t.Fatalf("it ended before it was interrupted: %q", stderr.String())
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted || stdout.Len() > 0 || stderr.String() != "coles: interrupted\n" {
		t.Errorf("%v, want exit %d; standard output %q, standard error %q", err, exitInterrupted, stdout.String(), stderr.String())
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("files are left: %v, %v", entries, err)
	}
}

// Interrupted while the output is written, at any of its blocks: no file.
func TestInterruptedWhileWriting(t *testing.T) {
	dir := t.TempDir()
	s := sink{path: filepath.Join(dir, "out")}
	block := make([]byte, bufferSize)
	for at := range 4 {
		ctx, cancel := context.WithCancel(t.Context())
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
	null := testkit.Must(os.OpenFile(os.DevNull, os.O_RDWR, 0))
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
		if code := run(t.Context(), args, strings.NewReader(""), tty, &stderr); code != exitUsage || !strings.Contains(stderr.String(), "terminal") {
			t.Errorf("%v to a terminal: exit %d, %q", args, code, stderr.String())
		}
		stderr.Reset()
		testkit.WantSame(t, "exit code to "+os.DevNull, run(t.Context(), args, strings.NewReader(""), null, &stderr), 0)
	}
	var stderr bytes.Buffer
	testkit.WantSame(t, "exit code of an input to be typed", run(t.Context(), []string{"embed"}, tty, null, &stderr), exitUsage)
}

// Whatever an id holds, a terminal is not told to do anything.
func TestNothingControlsTheTerminal(t *testing.T) {
	const ids = "a\x1b]0;title\x07\tb\u009b31m\x7f\r\nç 漢\n"
	for size := 1; size <= len(ids); size++ { // in pieces, which may cut a rune
		var out bytes.Buffer
		w := visible(&out)
		for rest := ids; rest != ""; {
			piece := rest[:min(size, len(rest))]
			testkit.Must(io.WriteString(w, piece))
			rest = rest[len(piece):]
		}
		testkit.WantSame(t, fmt.Sprint("in pieces of ", size), out.String(), "a␛]0;title␇\tb\uFFFD31m\uFFFD␍\nç 漢\n")
	}
}
