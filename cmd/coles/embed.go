package main

import (
	"context"
	"math"
	"slices"

	"coles/task"

	"github.com/urfave/cli/v3"
)

const embedDescription = `Embeds the nodes of GRAPH and writes one row per node to standard output, as
text, or to the file of -o. For a graph without features some are made of its
edges. Written as npz, the embedding stands in the place of the features, beside
the graph and its labels.

A fit in float32, the default, is written in float32: text has the fewest digits
that read back to the same number of it, and npy and npz take half the bytes.

-settings reads what -print-settings prints; -model keeps a model, with which
-with embeds the same graph grown, or another one with the same features.
-new-features embeds nodes that join the graph, alone: their vectors are made of
their own features and of their neighbours', and no other node's changes; without
features -new-edges alone does.

-knn joins the rows of -features to the nearest, in the place of GRAPH. Its model
keeps them, and embeds more rows by -with MODEL -features FILE alone.

Examples:
   coles embed friends.tsv -features profiles.csv -o friends.npy
   coles embed cora.npz -dim 64 -filter s2gc:8,0.05 -o cora.txt -model cora.model
   zcat friends.tsv.gz | coles embed -with friends.model -features profiles.csv > friends.out
   coles embed web.csr -features web.npy -scratch /var/tmp -memory 8GB -o vectors.npy
   coles embed friends.tsv -features profiles.csv -with friends.model -new-features kim.csv -new-edges kim.tsv`

// embedOptions are the options of the command.
type embedOptions struct {
	inputOptions
	fit                    fitOptions
	out                    embeddingOutput
	new                    newcomerOptions
	with, memory           string
	directed               bool
	printSettings, verbose bool
}

func embedCommand(s streams) *cli.Command {
	o := &embedOptions{}
	return command(s, spec{
		name: "embed", usage: "a vector for every node of a graph", args: "[GRAPH]", description: embedDescription, settings: true,
		first: []string{"features", "labels", "ids", "knn", "for", "dim", "seed", "model", "with", "o"},
		flags: slices.Concat(o.graphFlags(), o.fit.flags(), o.out.flags(), o.new.flags(), []cli.Flag{
			directedFlag(&o.directed),
			ofModel.file(&o.with, "with", "do not fit, embed with the model in `FILE`, also one of \"coles train\""),
			ofModel.text(&o.memory, "memory", "fit in the folder of -scratch what is larger than memory, of which it takes `SIZE`, such as 8GB"),
			ofOutput.yes(&o.printSettings, "print-settings", "print the settings as JSON and do nothing"),
			ofOutput.yes(&o.out.json, "json", "print sizes, seconds and what the fit did as JSON; with -o FILE"),
			ofOutput.yes(&o.verbose, "verbose", "say on standard error what was done"),
		}),
		run: o.run,
	})
}

func (o *embedOptions) run(ctx context.Context, s *session) error {
	r, err := newReader(s, &o.inputOptions)
	if err != nil {
		return err
	}
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
	r.arcs = o.directed
	w := &embedding{o: &o.out, verbose: o.verbose, new: &o.new}
	return w.write(ctx, r, func() (maker, error) { return o.embedder(ctx, r) })
}

// embedder is the embedder that the options ask for.
func (o *embedOptions) embedder(ctx context.Context, r *reader) (*embedder, error) {
	memory, ok := bytesOf(o.memory)
	if r.set("memory") && (!ok || o.scratch == "") {
		return nil, usagef("-memory %s: want a size such as 8GB or 500MB, and -scratch FOLDER", o.memory)
	}
	e, err := newEmbedder(ctx, r, &o.fit, o.with, task.General)
	if err == nil && r.set("memory") {
		e.memory, e.scratch = memory, o.scratch
	}
	return e, err
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
