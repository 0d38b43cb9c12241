package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
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

// Fields splits a comma-separated list, dropping blanks.
func Fields(list string) []string {
	var fields []string
	for f := range strings.SplitSeq(list, ",") {
		if f = strings.TrimSpace(f); f != "" {
			fields = append(fields, f)
		}
	}
	return fields
}

// Names lists what there is, each name once.
func Names[T fmt.Stringer](all []T) string {
	var names []string
	for _, one := range all {
		if name := one.String(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// Find looks up what the comma-separated list of a flag names: each once, in the order of the list.
func Find[T fmt.Stringer](flag, list string, all []T, named func(one T, name string) bool) ([]T, error) {
	var found []T
	for _, name := range Fields(list) {
		known := false
		for _, one := range all {
			if !named(one, name) {
				continue
			}
			known = true
			if !slices.ContainsFunc(found, func(have T) bool { return have.String() == one.String() }) {
				found = append(found, one)
			}
		}
		if !known {
			return nil, fmt.Errorf("-%s: %q is none of %s", flag, name, Names(all))
		}
	}
	if found == nil {
		return nil, fmt.Errorf("-%s names none of %s", flag, Names(all))
	}
	return found, nil
}
