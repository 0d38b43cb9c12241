// Command embed shows the way from files to files with the library: it reads an
// edge list with features, fits and keeps a model, writes the embedding, and
// embeds a node that came later with the model it has kept. For files of your
// own there is the command coles.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"coles"
	"coles/dataset"

	"gonum.org/v1/gonum/mat"
)

// Two circles of friends, what each likes, and one who is new.
const (
	friends  = "ann bob\nbob cy\ncy ann\ncy dan\ndan eve\neve fay\nfay dan\n"
	profiles = "ann 1 0 0\nbob 1 1 0\ncy 1 0 0\ndan 0 0 1\neve 0 1 1\nfay 0 0 1\n"

	laterFriends, laterProfiles = "gil eve\ngil fay\n", "gil 0 1 0\n"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "embed:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("embed", flag.ContinueOnError)
	flags.SetOutput(stderr)
	out := flags.String("o", ".", "folder to write friends.txt and friends.model to")
	if err := flags.Parse(args); err != nil {
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
	vectors, model := filepath.Join(*out, "friends.txt"), filepath.Join(*out, "friends.model")
	if err := dataset.WriteFile(vectors, func(w io.Writer) error { return dataset.WriteWord2Vec(w, d.IDs, m.Embedding()) }); err != nil {
		return err
	}
	if err := dataset.WriteFile(model, func(w io.Writer) error { _, err := m.WriteTo(w); return err }); err != nil {
		return err
	}

	// Later, perhaps in another program: the model, and a graph that has grown.
	f, err := os.Open(model)
	if err != nil {
		return err
	}
	defer f.Close()
	kept, err := coles.ReadModel(f)
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
	return printRows(stdout, d.IDs, y)
}

// read makes a graph of text, as a program would of files.
func read(edges, features string) (*dataset.Dataset, *coles.Graph, error) {
	d, err := dataset.ReadEdgeList(strings.NewReader(edges), strings.NewReader(features), dataset.EdgeListOptions{})
	if err != nil {
		return nil, nil, err
	}
	// Each friendship is listed once, in one direction.
	g, err := coles.FromCSR(d.Adjacency, coles.WithSymmetrization(), coles.WithIDs(d.IDs))
	return d, g, err
}

func printRows(w io.Writer, ids []string, y mat.Matrix) error {
	for i, id := range ids {
		if _, err := fmt.Fprintf(w, "%s  % .3f % .3f\n", id, y.At(i, 0), y.At(i, 1)); err != nil {
			return err
		}
	}
	return nil
}
