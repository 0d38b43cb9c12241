package main

import (
	"cmp"
	"context"
	"io"
	"slices"

	"coles/dataset"
	"coles/task"

	"github.com/urfave/cli/v3"
)

// convertOptions are the options of the command.
type convertOptions struct {
	inputOptions
	to, out string
	ids     idsOptions
}

func convertCommand(s streams) *cli.Command {
	o := &convertOptions{}
	to := ofOutput.text(&o.to, "to", "`FORMAT` of OUT: "+formatNames(isWritten)+"; by its name if not given")
	to.Aliases = []string{"format"}
	return command(s, spec{
		input: &o.inputOptions, name: "convert", usage: "a graph or vectors in another format", args: "IN [OUT]",
		first: []string{"from", "to", "features", "labels", "ids", "header", "columns", "scratch", "write-ids", "o"},
		flags: append([]cli.Flag{to, ofOutput.file(&o.out, "o", "write to `FILE`, in the place of OUT"), ofInput.file(&o.splits, "splits", "`FILE` of splits, JSON; replaces the masks of an archive"), o.ids.flag()},
			o.flags("IN", formatNames(isGraph)+", "+formatNames(isVectors))...),
		run: o.run,
	})
}

func (o *convertOptions) run(ctx context.Context, s *session) error {
	given := s.args
	if s.set("o") {
		given = append(slices.Clone(given), o.out)
	}
	args, err := arguments(given, 2)
	if err != nil {
		return err
	}
	if len(args) < 2 {
		return usagef("convert what into what? IN and OUT, or - for standard input and output")
	}
	graphOnly := o.features != "" || o.labels != "" || o.splits != ""
	from, to, err := conversion(o.from, args[0], o.to, args[1], graphOnly)
	if err != nil {
		return err
	}
	out, err := s.output(args[:1], "OUT", args[1], to.Binary)
	if err != nil {
		return err
	}
	ids, err := o.ids.output(s, args[:1], args[1], "")
	if err != nil {
		return err
	}
	d, n, err := o.readFrom(ctx, s, args, from, to)
	if err != nil {
		return err
	}
	s.warnOfIDs(ids, to, d.IDs)
	if err := ids.write(ctx, func(w io.Writer) error { return writeIDs(w, d.IDs, n) }); err != nil {
		return err
	}
	return out.write(ctx, func(w io.Writer) error { return to.Write(w, d) })
}

// readFrom reads a graph or vectors, and how many nodes there are.
func (o *convertOptions) readFrom(ctx context.Context, s *session, args []string, from, to dataset.Format) (*dataset.Dataset, int, error) {
	f := &s.files
	if f.Because = args[1]; f.Because == standard {
		f.Because = ""
	}
	if to.Graph {
		if err := s.find(ctx, args[0]); err != nil {
			return nil, 0, err
		}
		f.AsItIs, f.Format = !to.Undirected, cmp.Or(o.from, from.Name)
		d, err := f.Load(ctx)
		if err != nil {
			return nil, 0, s.told(err)
		}
		return d.Dataset, d.Nodes(), s.told(nil)
	}
	file, err := s.source(args[0])
	if err == nil {
		err = s.beside()
	}
	if err != nil {
		return nil, 0, err
	}
	d, y, err := f.Embedding(ctx, file)
	if err = s.told(err); err != nil {
		return nil, 0, err
	}
	n, _ := y.Dims()
	d.Features = y
	return d.Dataset, n, writableIDs(to, d.Dataset, n)
}

// conversion finds the formats that the names of two formats, or of two files, allow: both of a
// graph or, unless options go with a graph only, both of vectors, which may be the features of an
// archive. Where both are possible, as for text, it wants to be told.
func conversion(fromName, in, toName, out string, graphOnly bool) (from, to dataset.Format, err error) {
	froms, err := candidates("-from", fromName, in, isRead)
	if err != nil {
		return from, to, err
	}
	tos, err := candidates("-to", toName, out, isWritten)
	if err != nil {
		return from, to, err
	}
	if fromName == "" && len(froms) == 0 && extensionOf(in) != "" {
		_, err := task.FormatOf("", in, true)
		return from, to, err
	}
	// Text under any other name may be either.
	saysMore := func(f dataset.Format) bool { return f.Name != "edges" }
	if fromName == "" && !slices.ContainsFunc(froms, saysMore) {
		graph, _ := dataset.FormatNamed("edges")
		vectors, _ := dataset.FormatNamed("tsv")
		froms = []dataset.Format{graph, vectors}
	}
	if len(tos) == 0 {
		return from, to, usagef("%s: the name does not tell the format; name one of %s by -to", out, formatNames(isWritten))
	}
	kinds, kind := 0, map[bool]string{true: "a graph", false: "vectors"}
	for _, kind := range []struct {
		from, to func(dataset.Format) bool
		possible bool
	}{{holdsVectors, isVectors, !graphOnly}, {isGraph, isGraph, true}} {
		i, j := slices.IndexFunc(froms, kind.from), slices.IndexFunc(tos, kind.to)
		if kinds > 0 && fromName == "" && i >= 0 && froms[i].Name == "pairs" {
			continue // a matrix is vectors unless -from names edges
		}
		if i >= 0 && j >= 0 && kind.possible {
			from, to = froms[i], tos[j]
			kinds++
		}
	}
	switch {
	case kinds == 2:
		return from, to, usagef("a graph or vectors? name the format of %s by -from", in)
	case kinds == 0 && graphOnly:
		return from, to, usagef("-features, -labels and -splits go with a graph, and not both files are one")
	case kinds == 0:
		return from, to, usagef("%s is %s and %s is %s: neither becomes the other", froms[0].Name, kind[froms[0].Graph], tos[0].Name, kind[tos[0].Graph])
	}
	return from, to, nil
}

// candidates are the formats of that name, or that a file may be in.
func candidates(option, name, path string, pass func(dataset.Format) bool) ([]dataset.Format, error) {
	if name != "" {
		f, ok := dataset.FormatNamed(name)
		if !ok || !pass(f) {
			return nil, usagef("%s %s: unknown, or not for this side", option, name)
		}
		return []dataset.Format{f}, nil
	}
	return slices.DeleteFunc(dataset.FormatsAt(path), func(f dataset.Format) bool { return !pass(f) }), nil
}
