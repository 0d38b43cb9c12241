// Package enum is what settings share that are one of a few named values: small
// integers in Go, names in JSON.
package enum

import (
	"fmt"
	"strings"
)

// Name is the name of v, and its type and number where it has none.
func Name[T ~int](v T, names []string) string {
	if v < 0 || int(v) >= len(names) {
		return fmt.Sprintf("%T(%d)", v, int(v))
	}
	return names[v]
}

// Marshal is the name of v as text. A value without one is an error that wraps bad.
func Marshal[T ~int](v T, names []string, bad error) ([]byte, error) {
	if v < 0 || int(v) >= len(names) {
		return nil, fmt.Errorf("%w: %T(%d)", bad, v, int(v))
	}
	return []byte(names[v]), nil
}

// Unmarshal sets v to the value called text. An unknown name is an error that
// wraps bad and lists the known ones.
func Unmarshal[T ~int](v *T, text []byte, names []string, bad error) error {
	for i, name := range names {
		if string(text) == name {
			*v = T(i)
			return nil
		}
	}
	return fmt.Errorf("%w: %q is none of %s", bad, text, strings.Join(names, ", "))
}
