package coles

import (
	"fmt"
	"strconv"
	"sync"
)

// nodeIDs names the rows of a graph: by strings, by integers, or (zero value)
// by nothing but the row number.
type nodeIDs struct {
	names   []string
	numbers []int64

	once  sync.Once
	index map[string]int
}

func (ids *nodeIDs) id(row int) string {
	switch {
	case ids.names != nil:
		return ids.names[row]
	case ids.numbers != nil:
		return strconv.FormatInt(ids.numbers[row], 10)
	}
	return strconv.Itoa(row)
}

// copy shares the names, not the index.
func (ids *nodeIDs) copy() *nodeIDs { return &nodeIDs{names: ids.names, numbers: ids.numbers} }

func (ids *nodeIDs) all(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = ids.id(i)
	}
	return names
}

// row finds an id. The index is made at the first call: many graphs are never asked.
func (ids *nodeIDs) row(id string, n int) (int, bool) {
	if ids.names == nil && ids.numbers == nil {
		row, err := strconv.Atoi(id)
		return row, err == nil && row >= 0 && row < n
	}
	ids.once.Do(func() {
		ids.index = make(map[string]int, n)
		for i := range n {
			ids.index[ids.id(i)] = i
		}
	})
	row, ok := ids.index[id]
	return row, ok
}

// check demands one distinct id for each of the n nodes.
func (ids *nodeIDs) check(n int) error {
	if ids.names != nil {
		return checkIDs(ids.names, n)
	}
	if ids.numbers != nil {
		return checkIDs(ids.numbers, n)
	}
	return nil
}

func checkIDs[T comparable](ids []T, n int) error {
	if len(ids) != n {
		return fmt.Errorf("coles: %w: %d ids for %d nodes", ErrIDs, len(ids), n)
	}
	seen := make(map[T]int, n)
	for i, id := range ids {
		if first, ok := seen[id]; ok {
			return fmt.Errorf("coles: %w: nodes %d and %d are both called %v", ErrIDs, first, i, id)
		}
		seen[id] = i
	}
	return nil
}
