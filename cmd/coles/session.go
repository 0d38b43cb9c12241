package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"coles/dataset/parse"
	"coles/task"

	"github.com/urfave/cli/v3"
)

// standard is the name of standard input or output on a command line.
const standard = "-"

// streams are the standard streams of a run.
type streams struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	progress       *progressLine // on standard error
}

// A session is one run of a command: its streams and arguments, and how it reads files.
type session struct {
	streams
	args  []string
	given map[string]bool   // whether an option is given, by each of its names
	reads map[string]string // the files that are read, by the option that names them
	taken bool              // standard input is

	*inputOptions
	labelColumn string     // of -labels FILE:COLUMN, or ""
	file        *task.File // whose model embeds what is read; nil for none
	// The graph keeps the direction of edges; it is wanted as its file has it.
	arcs, directed bool
}

// action has a command do its work.
func action(from streams, do func(ctx context.Context, s *session) error) cli.ActionFunc {
	return func(ctx context.Context, c *cli.Command) error {
		s := &session{streams: from, args: c.Args().Slice(), given: map[string]bool{}, reads: map[string]string{}}
		for _, f := range c.Flags {
			text, isText := f.(*cli.StringFlag)
			isRead := isText && text.Validator != nil && text.Category != string(ofOutput)
			for _, name := range f.Names() {
				if s.given[name] = f.IsSet(); isRead {
					s.reads[name] = c.String(name)
				}
			}
		}
		defer s.progress.clear()
		return do(ctx, s)
	}
}

// set reports whether one of these options is given.
func (s *session) set(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return s.given[name] })
}

// say says something on standard error.
func (s *session) say(format string, args ...any) {
	s.progress.clear()
	fmt.Fprintf(s.stderr, "coles: "+format+"\n", args...)
}

// warn says what may be wrong.
func (s *session) warn(err error) { s.say("warning: %s", oneLine(err)) }

// note warns of what a library notes about a file, or about all for "", with the options that say otherwise.
func (s *session) note(file string, notes ...task.Note) {
	for _, n := range notes {
		text, before := n.Text, "; "
		if file != "" {
			text, before = file+" "+text, ": "
		}
		s.warn(fmt.Errorf("%s%s", text, advice(before, n.Advice)))
	}
}

// advice names the options that say otherwise.
func advice(before string, all []parse.Advice) (text string) {
	for _, a := range all {
		text += before + strings.TrimSpace(options[a.Field]+" "+a.Value) + " " + a.Says
	}
	return text
}

// arguments returns what stands beside the options, at most so many.
func (s *session) arguments(most int) ([]string, error) { return arguments(s.args, most) }

// arguments refuses more arguments than most, and empty ones.
func arguments(args []string, most int) ([]string, error) {
	if len(args) > most {
		return nil, usagef("unexpected argument %q", args[most])
	}
	if slices.Contains(args, "") {
		return nil, usagef("an empty file name") // a shell variable not set
	}
	return args, nil
}

// first is the first argument, or "".
func (s *session) first() string { return append(slices.Clone(s.args), "")[0] }

// atLeast1 checks an option that counts something, if it is given.
func (s *session) atLeast1(name string, value int) error {
	if s.set(name) && value < 1 {
		return usagef("-%s %d: want at least 1", name, value)
	}
	return nil
}

// source returns the input at a path; "" and "-" are standard input, which is read once.
func (s *session) source(path string) (*source, error) {
	if path != "" && path != standard {
		return &source{path: path, progress: s.progress}, nil
	}
	if s.taken {
		return nil, usagef("standard input can be read once only")
	}
	s.taken = true
	if path == "" && isTerminal(s.stdin) {
		return nil, usagef("no file is named, and standard input is a terminal")
	}
	return &source{path: standard, stdin: s.stdin, progress: s.progress}, nil
}

// setTo sets a value to what an option says that is given.
func setTo[T any](s *session, name string, value *T, says T) {
	if s.set(name) {
		*value = says
	}
}
