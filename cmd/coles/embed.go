package main

import (
	"context"
	"math"
	"os"
	"slices"

	"coles/task"

	"github.com/urfave/cli/v3"
)

// embedOptions are the options of the command.
type embedOptions struct {
	inputOptions
	fit                    fitOptions
	out                    embeddingOutput
	new                    newcomerOptions
	with, memory, only     string
	directed               bool
	printSettings, verbose bool
}

func embedCommand(s streams) *cli.Command {
	o := &embedOptions{}
	return command(s, spec{
		input: &o.inputOptions, name: "embed", usage: "a vector for every node of a graph", args: "[GRAPH]", settings: true,
		first: []string{"features", "labels", "ids", "knn", "for", "dim", "seed", "model", "with", "o"},
		flags: slices.Concat(o.graphFlags(), o.fit.flags(), o.out.flags(), o.new.flags(), []cli.Flag{
			directedFlag(&o.directed),
			ofModel.file(&o.with, "with", "do not fit, embed with the model in `FILE`, also one of \"coles train\""),
			ofInput.text(&o.only, "only", "`NODES` whose vectors are wanted, a FILE of ids, one a line, or how ids begin; the fit leaves out others with one neighbour"),
			ofModel.text(&o.memory, "memory", "fit in the folder of -scratch what is larger than memory, of which it takes `SIZE`, such as 8GB"),
			ofOutput.yes(&o.printSettings, "print-settings", "print the settings as JSON and do nothing"),
			ofOutput.yes(&o.out.json, "json", "print sizes, seconds and what the fit did as JSON; with -o FILE"),
			ofOutput.yes(&o.verbose, "verbose", "say on standard error what was done"),
		}),
		run: o.run,
	})
}

func (o *embedOptions) run(ctx context.Context, s *session) error {
	if o.printSettings {
		if err := o.fit.read(ctx, s); err != nil {
			return err
		}
		settings, err := o.fit.resolved(s, task.General, math.MaxInt, math.MaxInt)
		if err != nil {
			return err
		}
		return printJSON(s.stdout, settings)
	}
	if err := o.check(s); err != nil {
		return err
	}
	s.files.Arcs = o.directed
	w := &embedding{o: &o.out, verbose: o.verbose, new: &o.new}
	return w.write(ctx, s, func() (maker, error) { return o.embedder(ctx, s) })
}

// embedder embeds as the options ask for.
func (o *embedOptions) embedder(ctx context.Context, s *session) (maker, error) {
	memory, ok := bytesOf(o.memory)
	if s.set("memory") && (!ok || o.opts.Scratch == "") {
		return nil, usagef("-memory %s: want a size such as 8GB or 500MB, and -scratch FOLDER", o.memory)
	}
	how, err := o.fit.how(ctx, s, o.with, task.General)
	if s.set("memory") {
		how.Memory, how.Scratch = memory, o.opts.Scratch
	}
	if err == nil && s.set("only") {
		s.files.Options.Only = []string{o.only + "*"}
		if _, unnamed := os.Stat(o.only); unnamed == nil {
			s.files.Options.Only, err = readIDs(ctx, s, o.only)
		}
	}
	return func(ctx context.Context, d *task.Data) (*task.Fitted, error) { return s.embed(ctx, d, how) }, err
}

// check refuses options that contradict one another.
func (o *embedOptions) check(s *session) error {
	if err := o.out.check(); err != nil {
		return err
	}
	switch {
	case o.with != "" && o.out.model != "":
		return usagef("-model keeps a model that is fitted, and -with has one already")
	case o.new.given() && o.with == "":
		return usagef("new nodes are embedded by -with MODEL -new-features FILE and perhaps -new-edges FILE, without features by -new-edges alone")
	}
	return changesNoFit(s)
}
