package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Flags are flags of a program, of which -h prints the usage first.
func Flags(usage string, stderr io.Writer) *flag.FlagSet {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	return flags
}

// Least has the least number that some flags may be.
type Least map[string]int

// Parse parses the arguments of a program that takes flags alone.
func Parse(flags *flag.FlagSet, args []string, least Least) error {
	err := flags.Parse(args)
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%w (-h explains the flags)", err)
	}
	for _, name := range slices.Sorted(maps.Keys(least)) {
		if n := flags.Lookup(name).Value.(flag.Getter).Get().(int); n < least[name] {
			return fmt.Errorf("-%s %d: at least %d is needed", name, n, least[name])
		}
	}
	return nil
}
