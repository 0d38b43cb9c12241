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
//	coles plot    [options] [GRAPH]      a picture of the nodes in two dimensions
//	coles info    [options] [FILE]       sizes, degrees, homophily, memory; or what a model is
//	coles convert [options] IN OUT       a file in another format
//	coles help    [COMMAND]              the options of a command, and examples
//	coles version                        the version of this program
//	coles completion SHELL               completion for bash, zsh, fish or pwsh
//
// coles help and coles COMMAND -h list the options and give examples. Options may be written with
// one dash or two, before or after arguments.
//
// # Files
//
// coles -h lists the formats of graphs and of vectors, one for every node (features or an
// embedding). -from or the name of the file tells the format.
//
// With an edge list go -features FILE, which names the nodes and gives their order, and -labels
// FILE, a line "id label" for every node that has one. -columns, -unweighted, -bipartite, -missing
// and -skip-unknown say how text is read that is not quite so, and -ids names the rows of a file
// without ids. Everything may be gzipped, and is written so where a name ends in .gz. A file called
// "-", or none where one is expected, is standard input or output; text is the default there.
// Directed edges are made undirected.
//
// # Output
//
// Results go to standard output or to the file of -o, which is written beside its name and takes it
// when it is whole. Binary formats are not written to a terminal. Progress is shown on standard
// error when that is a terminal. An error is one line on standard error, with file and line where
// there are such.
//
// The same input, options and seed give the same bytes on any machine with the same vector
// instructions.
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
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as it is below nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	// A second signal ends the program at once: it may hang on a pipe that nobody reads.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
