// Command tables measures COLES and its baselines by the protocols of the paper
// (Zhu, Sun and Koniusz, NeurIPS 2021) and prints the paper's figures beside.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"coles/dataset"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "tables: interrupted")
		os.Exit(130)
	default:
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error {
		out, err := newReport(w, o.format)
		if err != nil {
			return err
		}
		if err := measureAll(ctx, o, out, newProgress(stderr, o.steps())); err != nil {
			return err
		}
		return out.finish()
	}
	if o.out == "" {
		return write(stdout)
	}
	// The file is opened first: not to be found impossible after minutes.
	return dataset.WriteFile(o.out, write)
}
