package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"coles/internal/archive"

	"github.com/urfave/cli/v3"
)

// The exit codes, beside 0.
const (
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130 // what a shell reports after SIGINT
)

// errUsage marks errors of the command line itself.
var errUsage = errors.New("usage")

// A usageError is a command line that makes no sense.
type usageError struct{ text string }

func (e usageError) Error() string        { return e.text }
func (e usageError) Is(target error) bool { return target == errUsage }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// streams are what a run reads and writes besides files.
type streams struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// run is the whole program but for the process: it returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	err := root(streams{stdin, stdout, stderr}).Run(ctx, append([]string{"coles"}, args...))
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		fmt.Fprintln(stderr, "coles: interrupted")
		return exitInterrupted
	case errors.Is(err, errUsage):
		fmt.Fprintf(stderr, "coles: %s (-h explains)\n", oneLine(err))
		return exitUsage
	}
	fmt.Fprintf(stderr, "coles: %s\n", oneLine(err))
	return exitFailure
}

// oneLine is the text of an error without the packages that it comes from, so that it begins with a
// file and line where there are such, and without line breaks, whatever an id or a file name brings
// along.
func oneLine(err error) string {
	text := err.Error()
	for _, name := range []string{"coles: ", "dataset: ", "eval: "} {
		text = strings.ReplaceAll(strings.TrimPrefix(text, name), ": "+name, ": ")
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ReplaceAll(text, "\n", "; "))
}

const rootDescription = `Embeds the nodes of graphs by COntrastive Laplacian EigenmapS, and looks at
graphs and embeddings in files. "-", or no file where one is expected, is
standard input or output. Files may be gzipped.

Graphs are in these formats:
%s
Vectors, one for every node, are in these:
%s
Examples:
   coles embed friends.tsv -features profiles.csv -o friends.npy
   coles info cora.npz
   source <(coles completion bash)`

// root is the tree of commands.
func root(s streams) *cli.Command {
	c := &cli.Command{
		Name:                  "coles",
		Usage:                 "a vector for every node of a graph",
		Description:           fmt.Sprintf(rootDescription, formatList(true), formatList(false)),
		Version:               archive.ModuleVersion(),
		EnableShellCompletion: true,
		ConfigureShellCompletionCommand: func(c *cli.Command) {
			c.Hidden, c.Usage = false, "Print a completion script for bash, zsh, fish or pwsh"
		},
		Commands: []*cli.Command{embedCommand(s), evalCommand(s), infoCommand(s), similarCommand(s), convertCommand(s)},
		Reader:   s.stdin, Writer: s.stdout, ErrWriter: s.stderr,
		// run prints errors and returns the code; the default would exit.
		ExitErrHandler: func(context.Context, *cli.Command, error) {},
		Action: func(_ context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return usagef("unknown command %q", c.Args().First())
			}
			return usagef("which command? embed, eval, info, similar or convert")
		},
		OnUsageError:    badUsage,
		HideHelpCommand: true,
	}
	for _, sub := range c.Commands {
		sub.OnUsageError = badUsage
		sub.HideHelpCommand = true
	}
	return c
}

// badUsage keeps the flag library from printing help below its errors.
func badUsage(_ context.Context, _ *cli.Command, err error, _ bool) error {
	return usageError{err.Error()}
}

// arguments returns what stands beside the options, at most so many.
func arguments(c *cli.Command, most int) ([]string, error) {
	args := c.Args().Slice()
	if len(args) > most {
		return nil, usagef("unexpected argument %q", args[most])
	}
	if slices.Contains(args, "") {
		return nil, usagef("an empty file name") // a shell variable not set
	}
	return args, nil
}

// fileFlag is an option that takes the name of a file, which is never empty: that is a shell
// variable not set.
func fileFlag(name, usage string, aliases ...string) cli.Flag {
	return &cli.StringFlag{Name: name, Aliases: aliases, Usage: usage, HideDefault: true, Validator: func(s string) error {
		if s == "" {
			return fmt.Errorf("-%s: an empty file name", name)
		}
		return nil
	}}
}
