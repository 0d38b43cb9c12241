package main

import (
	"context"
	"io"
	"slices"

	"coles/dataset"

	"github.com/urfave/cli/v3"
)

// convertOptions are the options of the command.
type convertOptions struct {
	inputOptions
	to, out, splits string
	ids             idsOptions
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
	file, err := s.input(args[0])
	if err != nil {
		return nil, 0, err
	}
	defer file.close()
	if to.Graph {
		s.directed = !to.Undirected
		d, err := s.readGraphAs(ctx, from, file, args[1])
		if err != nil {
			return nil, 0, err
		}
		n := d.Nodes()
		if o.splits != "" {
			d.Splits, err = readSplits(ctx, s, o.splits, n)
		}
		return d.Dataset, n, err
	}
	if o.from == "" {
		from = orTable(ctx, from, file)
	}
	file.guessed(o.from, from, args[1])
	d, err := s.readVectorsAs(ctx, from, file)
	if err != nil {
		return nil, 0, err
	}
	n, _ := d.Features.Dims()
	if err = onlyNumbers(d, args[0]); err == nil {
		err = writableIDs(to, d, n)
	}
	return d, n, err
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
		return from, to, unknownFormat(in, formatNames(isRead))
	}
	// Text under any other name may be either.
	saysMore := func(f dataset.Format) bool { return f.Name != textGraph }
	if fromName == "" && !slices.ContainsFunc(froms, saysMore) {
		graph, _ := formatNamed(textGraph, isRead)
		vectors, _ := formatNamed(textVectors, isRead)
		froms = []dataset.Format{graph, vectors}
	}
	if len(tos) == 0 {
		return from, to, usagef("%s: the name does not tell the format; name one of %s by -to", out, formatNames(isWritten))
	}
	kinds := 0
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
		return from, to, usagef("%s is %s and %s is %s: neither becomes the other", froms[0].Name, kindName(froms[0].Graph), tos[0].Name, kindName(tos[0].Graph))
	}
	return from, to, nil
}

// candidates are the formats of that name, or that a file may be in.
func candidates(option, name, path string, pass func(dataset.Format) bool) ([]dataset.Format, error) {
	if name != "" {
		f, ok := formatNamed(name, pass)
		if !ok {
			return nil, usagef("%s %s: unknown, or not for this side", option, name)
		}
		return []dataset.Format{f}, nil
	}
	return slices.DeleteFunc(dataset.FormatsAt(path), func(f dataset.Format) bool { return !pass(f) }), nil
}
