// Command embed shows the way from files to files with the library: it reads an edge list with
// features, fits and keeps a model, writes the embedding, and embeds a node that came later with
// the model it has kept. For files of your own there is the command coles.
package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"coles"
	"coles/dataset"
	"coles/dataset/parse"
	"coles/examples/shared/cli"

	"gonum.org/v1/gonum/mat"
)

// Two circles of friends, what each likes, and one who is new.
const (
	friends  = "ann bob\nbob cy\ncy ann\ncy dan\ndan eve\neve fay\nfay dan\n"
	profiles = "ann 1 0 0\nbob 1 1 0\ncy 1 0 0\ndan 0 0 1\neve 0 1 1\nfay 0 0 1\n"

	laterFriends, laterProfiles = "gil eve\ngil fay\n", "gil 0 1 0\n"
)

const usage = "Usage: embed [flags]\n\nEmbeds two circles of friends, and later one who is new.\n\nFlags:\n"

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := cli.Flags(usage, stderr)
	name := flags.String("vectors", "friends.txt", "name of the file of vectors; how it ends tells the format")
	out := flags.String("o", ".", "folder to write friends.txt and friends.model to")
	if err := cli.Parse(flags, args, nil); err != nil {
		return err
	}
	d, g, err := read(friends, profiles)
	if err != nil {
		return err
	}
	m, err := coles.Fit(ctx, g, d.Features, coles.WithDim(2))
	if err != nil {
		return err
	}
	if err := write(filepath.Join(*out, *name), d.IDs, m.Embedding()); err != nil {
		return err
	}
	model := filepath.Join(*out, "friends.model")
	if err := dataset.WriteFile(model, func(w io.Writer) error { _, err := m.WriteTo(w); return err }); err != nil {
		return err
	}

	// Later, perhaps in another program: the model, and a graph that has grown.
	kept, err := dataset.Open(model, coles.ReadModel)
	if err != nil {
		return err
	}
	d, g, err = read(friends+laterFriends, profiles+laterProfiles)
	if err != nil {
		return err
	}
	y, err := kept.Embed(ctx, g, d.Features)
	if err != nil {
		return err
	}
	for i, id := range d.IDs {
		fmt.Fprintf(stdout, "%s  % .3f % .3f\n", id, y.At(i, 0), y.At(i, 1))
	}
	return nil
}

// read makes a graph of text, as a program would of files.
func read(edges, features string) (*dataset.Dataset, *coles.Graph, error) {
	d, err := dataset.ReadEdgeList(strings.NewReader(edges), strings.NewReader(features), parse.Options{})
	if err != nil {
		return nil, nil, err
	}
	// Each friendship is listed once, in one direction.
	g, err := coles.FromCSR(d.Adjacency, coles.WithMirrors(), coles.WithIDs(d.IDs))
	return d, g, err
}

// write writes the vectors of nodes in the first format of vectors that fits a file's name.
func write(path string, ids []string, y mat.Matrix) error {
	for _, f := range dataset.FormatsAt(path) {
		if !f.Graph && f.Write != nil {
			return dataset.WriteFile(path, func(w io.Writer) error { return f.Write(w, &dataset.Dataset{IDs: ids, Features: y}) })
		}
	}
	return fmt.Errorf("%s: %w: no format of vectors has such a name", path, coles.ErrFormat)
}
