//go:build !linux

package kernel

import "testing"

// guarded is a copy of v: without a page behind it that must not be read.
func guarded[T Float](t *testing.T, v []T) []T { return append([]T(nil), v...) }
