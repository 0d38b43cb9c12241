package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"coles/dataset"
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

// streams are the standard streams of a run.
type streams struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// action has a command do its work, with what its options say of inputs.
func action(s streams, do func(ctx context.Context, c *cli.Command, in *inputs, s streams) error) cli.ActionFunc {
	return func(ctx context.Context, c *cli.Command) error {
		in, err := newInputs(c, s.stdin)
		if err != nil {
			return err
		}
		return in.showing(ctx, func(ctx context.Context) error { return do(ctx, c, in, s) })
	}
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

// symbols are the libraries' words for what an option sets.
var symbols = []struct {
	words  *regexp.Regexp
	option string
}{
	{regexp.MustCompile(`(\w+: )?bad setting: d′ = (\d+) of (\d+) features`), "-dim $2: the features have $3 columns only"},
	{regexp.MustCompile(`(\w+: )?bad setting: d′ = (\d+) of (\d+)`), "-dim $2: at most $3 columns are possible"},
	{regexp.MustCompile(`^invalid value (".*") for flag -(\S+): strconv\.\w+: .*: value out of range`), "-$2 $1: out of range"},
	{regexp.MustCompile(`^invalid value (".*") for flag -(\S+): strconv\.ParseFloat: .*`), "-$2 $1: want a number"},
	{regexp.MustCompile(`^invalid value (".*") for flag -(\S+): strconv\.ParseUint: .*`), "-$2 $1: want a whole number from 0 on"},
	{regexp.MustCompile(`^invalid value (".*") for flag -(\S+): strconv\.\w+: .*`), "-$2 $1: want a whole number"},
	{regexp.MustCompile(`bad setting: κ = ([^,]+), `), "-kappa $1: "},
	{regexp.MustCompile(`bad setting: η′ = ([^,]+), `), "-eta $1: "},
	{regexp.MustCompile(`bad setting: degree share ([^,]+), `), "-degree-share $1: "},
}

// options are the options that the libraries' advice is about.
var options = map[string]string{
	"Header": "-header yes or no", "Missing": "-missing zero, mean or drop", "Kinds": "-categorical, -text, -numeric or -ignore",
}

// oneLine is the text of an error without the packages that it comes from, so that it begins with a
// file and line where there are such, with options in the place of symbols, and without line
// breaks, whatever an id or a file name brings along.
func oneLine(err error) string {
	text := err.Error()
	if parse := (*dataset.ParseError)(nil); errors.As(err, &parse) {
		fault := *parse
		fault.Advice = nil
		own := fault.Error()
		for _, a := range parse.Advice {
			own += "; " + options[a.Field] + " says " + a.Says
		}
		text = strings.Replace(text, parse.Error(), own, 1)
	}
	for _, name := range []string{"coles: ", "gnn: ", "dataset: ", "table: ", "eval: ", "live: "} {
		text = strings.ReplaceAll(strings.TrimPrefix(text, name), ": "+name, ": ")
	}
	for _, s := range symbols {
		text = s.words.ReplaceAllString(text, s.option)
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
standard input or output. Files may be gzipped, and are written so where a name
ends in .gz.

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
		Name:        "coles",
		Usage:       "a vector for every node of a graph",
		Description: fmt.Sprintf(rootDescription, formatList(true), formatList(false)),
		Version:     archive.ModuleVersion(),
		Commands: []*cli.Command{
			embedCommand(s), trainCommand(s), evalCommand(s), predictCommand(s), clusterCommand(s), similarCommand(s), linksCommand(s),
			plotCommand(s), infoCommand(s), convertCommand(s), helpCommand(), versionCommand(),
		},
		Reader: s.stdin, Writer: s.stdout, ErrWriter: s.stderr,
		// run prints errors and returns the code; the default would exit.
		ExitErrHandler: func(context.Context, *cli.Command, error) {},
		Action: func(_ context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return unknownCommand(c, c.Args().First())
			}
			return usagef("which command? one of %s", strings.Join(commandNames(c), ", "))
		},
		OnUsageError:    badUsage,
		HideHelpCommand: true,
	}
	for _, sub := range c.Commands {
		sub.OnUsageError = badUsage
		sub.HideHelpCommand = true
	}
	addCompletion(c)
	return c
}

func helpCommand() *cli.Command {
	return &cli.Command{
		Name: "help", Usage: "the options of a command, and examples", ArgsUsage: "[COMMAND]",
		Action: func(ctx context.Context, c *cli.Command) error {
			args, err := arguments(c, 1)
			switch {
			case err != nil:
				return err
			case len(args) == 0:
				return cli.ShowRootCommandHelp(c.Root())
			case c.Root().Command(args[0]) == nil:
				return unknownCommand(c.Root(), args[0])
			}
			return cli.ShowCommandHelp(ctx, c.Root(), args[0])
		},
	}
}

func versionCommand() *cli.Command {
	return &cli.Command{
		Name: "version", Usage: "the version of this program",
		Action: func(_ context.Context, c *cli.Command) error {
			_, err := arguments(c, 0)
			if err == nil {
				cli.ShowVersion(c.Root())
			}
			return err
		},
	}
}

func unknownCommand(root *cli.Command, name string) error {
	return usagef("unknown command %q%s", name, didYouMean("", name, commandNames(root)))
}

func commandNames(root *cli.Command) []string {
	var names []string
	for _, sub := range root.Commands {
		names = append(names, sub.Name)
	}
	return names
}

// badUsage keeps the flag library from printing help below its errors.
func badUsage(_ context.Context, c *cli.Command, err error, _ bool) error {
	name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !ok {
		return usageError{err.Error()}
	}
	var names []string
	for _, f := range c.Flags {
		names = append(names, f.Names()...)
	}
	return usagef("unknown option -%s%s", name, didYouMean("-", name, names))
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

// atLeast1 checks options that count something, if they are given.
func atLeast1(c *cli.Command, names ...string) error {
	for _, name := range names {
		if c.IsSet(name) && c.Int(name) < 1 {
			return usagef("-%s %d: want at least 1", name, c.Int(name))
		}
	}
	return nil
}

// fileFlag is an option that takes the name of a file, which is never empty: that is a shell
// variable not set.
func fileFlag(name, usage string) cli.Flag {
	return &cli.StringFlag{Name: name, Usage: usage, Validator: func(s string) error {
		if s == "" {
			return fmt.Errorf("-%s: an empty file name", name)
		}
		return nil
	}}
}
