// Command coles embeds the nodes of graphs, and looks at graphs and embeddings in files, by the
// library of the same name.
//
// Usage:
//
//	coles embed   [options] [GRAPH]      a vector for every node of a graph
//	coles train   [options] [GRAPH]      a vector for every node, by a graph neural network
//	coles eval    [options] [GRAPH]      what an embedding is worth, by labels
//	coles predict [options] [GRAPH]      the classes of the nodes that have no label
//	coles cluster [options] [GRAPH]      a cluster for every node
//	coles similar [options] ID...        the nodes nearest to some
//	coles links   [options] [GRAPH]      links that a graph may lack, best first
//	coles plot    [options] [GRAPH]      a picture of the nodes in two dimensions
//	coles info    [options] [FILE]       sizes, degrees, homophily, memory; or what a model is
//	coles convert [options] IN OUT       a file in another format
//	coles help    [COMMAND]              the options of a command, and examples
//	coles version                        the version of this program
//	coles completion SHELL               completion for bash, zsh, fish or pwsh
//
// coles COMMAND -h lists the options that most people need first and gives examples; coles help COMMAND lists all, and
// coles help the formats of files. Options may be written with one dash or two, before or after arguments.
//
// Results go to standard output or to the file of -o, which takes its name when it is whole. An error is one line on
// standard error, with file and line where there are such. The same input, options and seed give the same bytes on any
// machine with the same vector instructions.
//
// # Exit status
//
//	0    done
//	1    it could not be done: a bad file, no such id, a full disk
//	2    the command line makes no sense
//	130  interrupted (SIGINT, SIGTERM, SIGHUP); no partial file is left
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"coles/internal/archive"
	"coles/task"

	"github.com/urfave/cli/v3"
)

// hangup is SIGHUP, which js and wasip1 do not name.
const hangup = syscall.Signal(1)

func main() {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(hangup) { // as it is below nohup
		signals = append(signals, hangup)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	// A second signal ends the program at once: it may hang on a pipe that nobody reads.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// The exit codes, beside 0.
const (
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130 // what a shell reports after SIGINT
)

// run is the whole program but for the process: it returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	err := root(streams{stdin, stdout, stderr, newProgress(stderr)}).Run(ctx, append([]string{"coles"}, args...))
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		fmt.Fprintln(stderr, "coles: interrupted")
		return exitInterrupted
	case errors.As(err, new(usageError)), errors.Is(err, task.ErrWrongFormat):
		fmt.Fprintf(stderr, "coles: %s (-h explains)\n", oneLine(err))
		return exitUsage
	}
	fmt.Fprintf(stderr, "coles: %s\n", oneLine(err))
	return exitFailure
}

// shortRoot is the help on one screen.
func shortRoot(c *cli.Command) string {
	text := "NAME:\n   coles - " + c.Usage + "\n\nUSAGE:\n   coles COMMAND [options] [arguments]\n\nCOMMANDS:\n"
	for _, sub := range c.Commands {
		text += fmt.Sprintf("   %-11s %s\n", sub.Name, sub.Usage)
	}
	return text + "\n" + indented(rootExamples) + `

"coles COMMAND -h" has the options that most people need first, "coles help COMMAND" all, and
"coles help" the formats of files.
`
}

const rootDescription = `Embeds the nodes of graphs by COntrastive Laplacian EigenmapS, and looks at
graphs and embeddings in files. "-", or no file where one is expected, is
standard input or output. Files may be gzipped, and are written so where a name
ends in .gz.

Graphs are in these formats:
%s
Vectors, one for every node, are in these:
%s
` + rootExamples

const rootExamples = `Examples:
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
	c.CustomRootCommandHelpTemplate = shortRoot(c)
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
			args, err := arguments(c.Args().Slice(), 1)
			if err != nil {
				return err
			}
			root := c.Root()
			if len(args) == 0 {
				root.CustomRootCommandHelpTemplate = ""
				return cli.ShowRootCommandHelp(root)
			}
			of := root.Command(args[0])
			if of == nil {
				return unknownCommand(root, args[0])
			}
			if whole, ok := of.Metadata[wholeHelp].(string); ok {
				_, err := io.WriteString(root.Writer, whole)
				return err
			}
			return cli.ShowCommandHelp(ctx, root, args[0])
		},
	}
}

func versionCommand() *cli.Command {
	return &cli.Command{
		Name: "version", Usage: "the version of this program",
		Action: func(_ context.Context, c *cli.Command) error {
			_, err := arguments(c.Args().Slice(), 0)
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
