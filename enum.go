package coles

import (
	"fmt"
	"strings"
)

// The settings that are one of a few named values are small integers in Go and
// names in JSON. These three functions are what they share.

func enumName[T ~int](v T, names []string) string {
	if v < 0 || int(v) >= len(names) {
		return fmt.Sprintf("%T(%d)", v, int(v))
	}
	return names[v]
}

func marshalEnum[T ~int](v T, names []string) ([]byte, error) {
	if v < 0 || int(v) >= len(names) {
		return nil, fmt.Errorf("coles: %w: %T(%d)", ErrSetting, v, int(v))
	}
	return []byte(names[v]), nil
}

func unmarshalEnum[T ~int](v *T, text []byte, names []string) error {
	for i, name := range names {
		if string(text) == name {
			*v = T(i)
			return nil
		}
	}
	return fmt.Errorf("coles: %w: %q is none of %s", ErrSetting, text, strings.Join(names, ", "))
}
