package programs

import (
	"fmt"
	"slices"
	"strings"
)

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
