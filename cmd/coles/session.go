package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"coles/dataset/parse"
	"coles/table"
	"coles/task"

	"github.com/urfave/cli/v3"
)

// streams are the standard streams of a run.
type streams struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	progress       *progressLine // on standard error
}

// A session is one run of a command: its streams and arguments, and the files that it reads.
type session struct {
	streams
	args  []string
	given map[string]bool   // whether an option is given, by each of its names
	reads map[string]string // the files that are read, by the option that names them
	taken bool              // standard input is

	*inputOptions
	files task.Files
	quiet bool // about what a fit chose
}

// action has a command do its work.
func action(from streams, do func(ctx context.Context, s *session) error) cli.ActionFunc {
	return func(ctx context.Context, c *cli.Command) error {
		s := &session{streams: from, args: c.Args().Slice(), given: map[string]bool{}, reads: map[string]string{}}
		for _, f := range c.Flags {
			file, isText := f.(*cli.StringFlag)
			isRead := isText && file.Validator != nil && file.Category != string(ofOutput) // by [group.file]
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
		s.warn(errors.New(strings.TrimSpace(file+" "+n.Text) + advice(n.Advice)))
	}
}

// advice names the options that say otherwise.
func advice(all []parse.Advice) (text string) {
	for _, a := range all {
		text += "; " + strings.TrimSpace(options[a.Field]+" "+a.Value) + " " + a.Says
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

// source is the input at a path; "" and "-" are standard input, which is read once.
func (s *session) source(path string) (*task.Source, error) {
	of := &task.Source{Path: nameOf(path)}
	of.Arrived = func(n, size int64) { s.progress.bytes(of.Path, n, size) }
	if path != "" && path != standard {
		return of, nil
	}
	if s.taken {
		return nil, usagef("standard input can be read once only")
	}
	s.taken = true
	if path == "" && isTerminal(s.stdin) {
		return nil, usagef("no file is named, and standard input is a terminal")
	}
	of.Stream = s.stdin
	return of, nil
}

// nameOf is the name of a file in errors.
func nameOf(path string) string {
	if path == "" || path == standard {
		return "standard input"
	}
	return path
}

// readPath reads the file at a path by way of read.
func readPath[T any](ctx context.Context, s *session, path string, read func(r io.Reader) (T, error)) (v T, err error) {
	from, err := s.source(path)
	if err != nil {
		return v, err
	}
	defer s.progress.clear()
	return task.Read(ctx, from, read)
}

// setTo sets a value to what an option says that is given.
func setTo[T any](s *session, name string, value *T, says T) {
	if s.set(name) {
		*value = says
	}
}

// inputOptions say what a graph is made of.
type inputOptions struct {
	from, features, labels, names, ids string
	splits                             string // of nodes, of the commands that take some
	header, columns, marks             string
	categorical, text, numeric, ignore string // names of columns, between commas
	knn                                int
	opts                               parse.Options // how text is read
}

// flags are the options for an argument in one of these formats.
func (o *inputOptions) flags(argument, formats string) []cli.Flag {
	const otherwise = " (default: by their cells)"
	const how = ": error, zero, mean (of the others) or drop (default: "
	return []cli.Flag{
		ofInput.text(&o.from, "from", "`FORMAT` of "+argument+": "+formats+"; by its name if not given"),
		ofInput.file(&o.features, "features", "features of the nodes, `FILE` of vectors; replaces those of an archive"),
		ofInput.file(&o.labels, "labels", "`FILE` of lines \"id label\", or FILE:COLUMN of a table or of the nodes of a graph; replaces the labels of an archive"),
		o.idsFlag(), o.headerFlag(),
		ofInput.text(&o.columns, "columns", "`COLUMNS` of an edge list with the two ids and perhaps the weight, from 1 (default: 1,2,3)"),
		ofInput.text(&o.opts.Type, "type", "`COLUMN` of an edge list that tells the kind of an edge, by name or number (default: type, kind, relation or predicate)"),
		ofInput.text(&o.opts.Weight, "weight", "`NAME` of what weighs an edge of a graph tool's file (default: weight, value, amount or count)"),
		ofInput.yes(&o.opts.Unweighted, "unweighted", "edges have no weight, whatever stands in the third column"),
		ofInput.text(&o.opts.Repeats, "repeats", "`HOW` the weights of an edge that is given again are joined: sum, max or first (default: sum)"),
		ofInput.yes(&o.opts.Bipartite, "bipartite", "the two columns of edges name different kinds of nodes, even by the same ids"),
		ofColumns.text(&o.categorical, "categorical", "`COLUMNS` of the features, names between commas, that are categories"+otherwise),
		ofColumns.text(&o.text, "text", "`COLUMNS` of the features, names between commas, that are free text"+otherwise),
		ofColumns.text(&o.numeric, "numeric", "`COLUMNS` of the features, names between commas, that are numbers"+otherwise),
		ofColumns.text(&o.ignore, "ignore", "`COLUMNS` of the features, names between commas, that make no features"+otherwise),
		ofColumns.text(&o.opts.Missing, "missing", "`HOW` empty cells, NA and the like are dealt with"+how+"mean)"),
		ofColumns.text(&o.opts.MissingRows, "missing-rows", "`HOW` nodes without a row of features in text are dealt with"+how+"error)"),
		ofColumns.text(&o.marks, "missing-marks", "`MARKS` between commas that say nothing as a cell, a label or an end of an edge (default: NA, NaN, null, None, \\N, ?, -, . and the like)"),
		ofInput.yes(&o.opts.SkipUnknown, "skip-unknown", "skip labels and features of nodes that the graph does not have, and edges of nodes that the features do not have"),
		ofInput.text(&o.opts.Scratch, "scratch", "`FOLDER` on a disk for what is as long as a large list of edges, in the place of memory"),
	}
}

// graphFlags are the options for GRAPH.
func (o *inputOptions) graphFlags() []cli.Flag {
	return append(o.flags("GRAPH", formatNames(isGraph)),
		ofInput.whole(&o.knn, "knn", "in the place of GRAPH: join each row of -features to the `K` nearest (default: 10, of fewer than 40 rows a quarter, where no GRAPH is given)"))
}

// idsFlag is the option that names rows.
func (o *inputOptions) idsFlag() cli.Flag {
	return ofInput.file(&o.ids, "ids", "ids of the rows of a file that has none, such as npy: `FILE` of one a line")
}

// namesFlag is the option that says what answers call nodes.
func (o *inputOptions) namesFlag() cli.Flag {
	return ofInput.file(&o.names, "names", "answers call nodes by names: `FILE` of lines \"id name\", or FILE:COLUMN of a table")
}

// headerFlag is the option for the first line of text.
func (o *inputOptions) headerFlag() cli.Flag {
	f := ofInput.text(&o.header, "header", "text begins with a `LINE` of column names: yes, no or detect")
	f.Value = "detect"
	return f
}

// begin takes the options that say how text is read, and checks them, as far as a command has them.
func (s *session) begin(o *inputOptions) error {
	s.inputOptions = o
	o.opts.Kinds = o.kinds(s)
	if file, column, ok := cutColumn(o.labels); ok {
		o.labels, o.opts.LabelColumn, s.reads["labels"] = file, column, file
	}
	if file, column, ok := cutColumn(o.names); ok {
		o.names, s.files.NameColumn, s.reads["names"] = file, column, file
	}
	for name, how := range map[string]string{"missing": o.opts.Missing, "missing-rows": o.opts.MissingRows} {
		if !slices.Contains([]string{"", "error", "zero", "mean", "drop"}, how) {
			return usagef("-%s %s: want error, zero, mean or drop", name, how)
		}
	}
	if s.set("repeats") && !slices.Contains([]string{"sum", "max", "first"}, o.opts.Repeats) {
		return usagef("-repeats %s: want sum, max or first", o.opts.Repeats)
	}
	if s.set("missing-marks") {
		o.opts.MissingMarks = strings.Split(o.marks, ",")
	}
	if s.set("columns") {
		fields := strings.Split(o.columns, ",")
		wrong := len(fields) < 2 || len(fields) > 3
		for _, field := range fields {
			k, err := strconv.Atoi(field)
			wrong = wrong || err != nil || k < 1 || slices.Contains(o.opts.Columns, k)
			o.opts.Columns = append(o.opts.Columns, k)
		}
		if wrong {
			return usagef("-columns %s: want two or three different numbers from 1, such as 1,2,4", o.columns)
		}
	}
	modes := map[string]parse.HeaderMode{"": parse.DetectHeader, "detect": parse.DetectHeader, "yes": parse.WithHeader, "no": parse.NoHeader}
	var ok bool
	if o.opts.Header, ok = modes[o.header]; !ok || s.set("header") && o.header == "" {
		return usagef("-header %s: want yes, no or detect", o.header)
	}
	s.files.Format, s.files.Options, s.files.Progress = o.from, o.opts, s.progress.show
	return nil
}

// kinds are the kinds of columns that the options set, nil where they set none.
func (o *inputOptions) kinds(s *session) map[string]table.Kind {
	var of map[string]table.Kind
	for _, set := range []struct {
		name, columns string
		kind          table.Kind
	}{{"categorical", o.categorical, table.Category}, {"text", o.text, table.Text}, {"numeric", o.numeric, table.Number}, {"ignore", o.ignore, table.Ignore}} {
		if !s.set(set.name) {
			continue
		}
		if of == nil {
			of = make(map[string]table.Kind)
		}
		for _, column := range strings.Split(set.columns, ",") {
			of[column] = set.kind
		}
	}
	return of
}

// cutColumn cuts the name of a column from the end of FILE:COLUMN, if there is no file of the whole name.
func cutColumn(path string) (file, column string, ok bool) {
	at := strings.LastIndexByte(path, ':')
	if at <= 0 || at == len(path)-1 {
		return path, "", false
	}
	if _, err := os.Stat(path); err == nil {
		return path, "", false
	}
	_, err := os.Stat(path[:at])
	return path[:at], path[at+1:], err == nil
}

// beside finds the files that say more of nodes.
func (s *session) beside() (err error) {
	f := &s.files
	for _, of := range []struct {
		path string
		to   **task.Source
	}{{s.labels, &f.Labels}, {s.names, &f.Names}, {s.ids, &f.IDs}, {s.splits, &f.Splits}} {
		if of.path != "" && err == nil {
			*of.to, err = s.source(of.path)
		}
	}
	return err
}

// find finds the graph at a path, and the files beside it. Rows of features stand in the place of the graph because of -knn,
// or because no edges come on standard input.
func (s *session) find(ctx context.Context, path string) (err error) {
	f := &s.files
	rows := s.set("knn")
	switch {
	case rows && path != "":
		return usagef("-knn makes a graph of -features, and %s is one already", path)
	case rows && s.features == "":
		return usagef("-knn joins rows: name them by -features FILE")
	case rows && s.set("from"):
		return usagef("-from is the format of GRAPH, and -knn makes one")
	case f.Arcs && s.opts.Bipartite:
		return usagef("-directed is for nodes of one kind: -bipartite says the direction")
	}
	f.Nearest, err = s.knn, s.atLeast1("knn", s.knn)
	if alone := path == "" && s.features != "" && s.features != standard && !s.set("from"); !rows && !(alone && isTerminal(s.stdin)) && err == nil {
		if f.Graph, err = s.source(path); alone && err == nil {
			var none error
			if _, none = f.Graph.Peek(ctx, 1); none == io.EOF {
				f.Graph = nil
			}
		}
	}
	if f.Graph == nil && f.Arcs {
		return usagef("-directed is for edges that are given")
	}
	if s.features != "" && err == nil {
		f.Features, err = s.source(s.features)
	}
	return cmp.Or(err, s.beside())
}

// read reads the graph that the one argument, or standard input, is.
func (s *session) read(ctx context.Context) (*task.Data, error) {
	args, err := s.arguments(1)
	if err != nil {
		return nil, err
	}
	return s.readAt(ctx, append(args, "")[0])
}

// readAt reads the graph at a path.
func (s *session) readAt(ctx context.Context, path string) (*task.Data, error) {
	if err := s.find(ctx, path); err != nil {
		return nil, err
	}
	d, err := s.files.Read(ctx)
	return d, s.told(err)
}

// told says what there was to say about files. The error of reading one names the datasets in a folder.
func (s *session) told(err error) error {
	s.note("", s.files.Notes...)
	s.files.Notes = nil
	s.progress.clear()
	if where := (*parse.Error)(nil); errors.As(err, &where) && isFolder(where.File) {
		return fmt.Errorf("%w%s", err, holding(where.File))
	}
	return err
}
