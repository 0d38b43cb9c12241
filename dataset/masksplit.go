package dataset

import "fmt"

// MaskSplit is the split that fixed masks describe, one bool a node. A nil val
// is a split without validation nodes; a nil test means every node of neither
// other mask. Nodes are listed in ascending order. The error wraps ErrShape for
// masks of different length, ErrMissing without train, ErrDuplicate for a node
// in two masks.
func MaskSplit(train, val, test []bool) (Split, error) {
	if train == nil {
		return Split{}, fmt.Errorf("dataset: split of masks: %w: train", ErrMissing)
	}
	n := len(train)
	if val != nil && len(val) != n || test != nil && len(test) != n {
		return Split{}, fmt.Errorf("dataset: split of masks of %d, %d and %d nodes: %w", n, len(val), len(test), ErrShape)
	}
	s := Split{Train: masked(train), Val: masked(val)}
	if test != nil {
		s.Test = masked(test)
	}
	if err := s.check(n); err != nil {
		return Split{}, fmt.Errorf("dataset: split of masks: %w", err)
	}
	return s, nil
}

// masked lists the nodes of a mask: not nil, which in Split.Test means others.
func masked(mask []bool) []int {
	nodes := []int{}
	for i, set := range mask {
		if set {
			nodes = append(nodes, i)
		}
	}
	return nodes
}
