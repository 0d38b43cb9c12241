package dataset

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMaskSplit(t *testing.T) {
	const o, x = false, true
	for _, c := range []struct {
		name             string
		train, val, test []bool
		want             Split
		cause            error
	}{
		{"three masks", []bool{x, o, o, x, o}, []bool{o, x, o, o, o}, []bool{o, o, x, o, o},
			Split{Train: []int{0, 3}, Val: []int{1}, Test: []int{2}}, nil},
		{"every other node is tested", []bool{o, x}, nil, nil, Split{Train: []int{1}, Val: []int{}}, nil},
		// An empty Test is not the nil one, which stands for all others.
		{"no node is tested", []bool{o, x}, nil, []bool{o, o}, Split{Train: []int{1}, Val: []int{}, Test: []int{}}, nil},
		{"no train", nil, []bool{x}, []bool{o}, Split{}, ErrMissing},
		{"another length of val", []bool{x, o}, []bool{o}, nil, Split{}, ErrShape},
		{"another length of test", []bool{x, o}, nil, []bool{o, o, x}, Split{}, ErrShape},
		{"a node in two", []bool{x, o}, nil, []bool{x, o}, Split{}, ErrDuplicate},
	} {
		got, err := MaskSplit(c.train, c.val, c.test)
		if !errors.Is(err, c.cause) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.cause)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
