package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"coles/internal/testkit"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write what scripts print into their golden files")

// TestScripts runs the scripts of testdata/script in the language of [testscript]. Two commands are added:
//
//	[!] coles ARGS… [< FILE] [> FILE]   the program, with files as standard input and output
//	session FILE                        the lines of FILE that begin with "$ ", each with what it prints, "! " before standard error
//
// "session FILE" and "cmp stdout FILE" compare a session with itself. A run that fails prints one line on standard error, nothing on
// standard output, and leaves no file; its exit code is 2 if the line refers to -h, and 1 otherwise. DOCS is the folder of pages.
func TestScripts(t *testing.T) {
	docs := testkit.Must(filepath.Abs(filepath.Join("..", "..", "docs")))
	testscript.RunT(inTurn{t}, testscript.Params{
		Dir:                testkit.Must(filepath.Abs(filepath.Join("testdata", "script"))),
		UpdateScripts:      *update,
		RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("DOCS", docs)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"coles": func(ts *testscript.TestScript, fails bool, args []string) {
				code, stdout, stderr := scripted(t.Context(), ts, args)
				fmt.Fprint(ts.Stdout(), stdout)
				fmt.Fprint(ts.Stderr(), stderr)
				if (code != 0) != fails {
					ts.Fatalf("exit code %d, standard error %s", code, stderr)
				}
			},
			"session": func(ts *testscript.TestScript, _ bool, args []string) {
				for line := range strings.Lines(ts.ReadFile(args[0])) {
					if strings.HasPrefix(line, "# ") {
						fmt.Fprint(ts.Stdout(), line)
					}
					words, ok := strings.CutPrefix(line, "$ coles")
					if !ok {
						continue
					}
					_, stdout, stderr := scripted(t.Context(), ts, split(words))
					fmt.Fprint(ts.Stdout(), line, stdout)
					for said := range strings.Lines(stderr) {
						fmt.Fprint(ts.Stdout(), "! ", said)
					}
				}
			},
		},
	})
}

// split splits a line of a session into words, between quotes into one.
func split(line string) (words []string) {
	for _, word := range regexp.MustCompile(`'[^']*'|[^ \n]+`).FindAllString(line, -1) {
		words = append(words, strings.Trim(word, "'"))
	}
	return words
}

// scripted runs the program in the folder of a script.
func scripted(ctx context.Context, ts *testscript.TestScript, args []string) (code int, stdout, stderr string) {
	back := testkit.Must(os.Getwd())
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer func() { ts.Check(os.Chdir(back)) }()
	var in, out, errs bytes.Buffer
	to := ""
	for len(args) > 1 {
		redirection, path := args[len(args)-2], args[len(args)-1]
		if redirection == "<" {
			in.WriteString(ts.ReadFile(path))
		} else if redirection == ">" {
			to = path
		} else {
			break
		}
		args = args[:len(args)-2]
	}
	before := entries(ts)
	code = run(ctx, args, &in, &out, &errs)
	stderr = errs.String()
	after := entries(ts)
	if code != 0 {
		wantCode := exitFailure
		if strings.HasSuffix(stderr, "(-h explains)\n") {
			wantCode = exitUsage
		}
		if code != wantCode || !strings.HasPrefix(stderr, "coles: ") || strings.Count(stderr, "\n") != 1 || !strings.HasSuffix(stderr, "\n") || out.Len() > 0 {
			ts.Fatalf("coles %q: exit code %d, want %d; standard error is not one line from coles, or something is on standard output: %s%s", args, code, wantCode, &out, stderr)
		}
		if !slices.Equal(after, before) {
			ts.Fatalf("coles %q: the files were %q, and are %q after a failure", args, before, after)
		}
	} else if slices.ContainsFunc(after, regexp.MustCompile(`partial|coles-scratch`).MatchString) {
		ts.Fatalf("coles %q left something behind: %q", args, after)
	}
	if to != "" {
		ts.Check(os.WriteFile(to, out.Bytes(), 0o666))
		return code, "", stderr
	}
	return code, out.String(), stderr
}

// entries are the files of a script.
func entries(ts *testscript.TestScript) (paths []string) {
	ts.Check(filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		paths = append(paths, path)
		return err
	}))
	return paths
}

// inTurn runs scripts one after the other: the program runs in the test's process, which has one working folder.
type inTurn struct{ *testing.T }

func (inTurn) Parallel()     {}
func (inTurn) Verbose() bool { return testing.Verbose() }
func (t inTurn) Run(name string, do func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { do(inTurn{t}) })
}
