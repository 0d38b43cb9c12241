package coles

import (
	"fmt"
	"slices"
	"strconv"
)

// growingIDs are the names of nodes that become more.
type growingIDs struct {
	names   []string
	numbers []int64
	taken   map[string]bool
}

func newGrowingIDs(g *Graph) *growingIDs {
	ids := &growingIDs{names: slices.Clip(g.ids.names), numbers: slices.Clip(g.ids.numbers)}
	if ids.named() {
		ids.taken = make(map[string]bool, g.Nodes())
		for i := range g.Nodes() {
			ids.taken[g.ids.id(i)] = true
		}
	}
	return ids
}

func (ids *growingIDs) named() bool { return ids.names != nil || ids.numbers != nil }

// check demands one new name for each of count nodes, or none where nodes are
// numbered only.
func (ids *growingIDs) check(count int, names []string) error {
	if !ids.named() {
		if len(names) > 0 {
			return fmt.Errorf("coles: grow: %w: names for a graph whose nodes are only numbered", ErrIDs)
		}
		return nil
	}
	if len(names) != count {
		return fmt.Errorf("coles: grow: %w: %d ids for %d new nodes", ErrIDs, len(names), count)
	}
	fresh := make(map[string]bool, count)
	for k, id := range names {
		if ids.taken[id] || fresh[id] {
			return fmt.Errorf("coles: grow: %w: new node %d is called %q as another is", ErrIDs, k, id)
		}
		fresh[id] = true
		if ids.numbers != nil {
			if v, err := strconv.ParseInt(id, 10, 64); err != nil || strconv.FormatInt(v, 10) != id {
				return fmt.Errorf("coles: grow: %w: new node %d is called %q where ids are integers", ErrIDs, k, id)
			}
		}
	}
	return nil
}

// add takes checked names.
func (ids *growingIDs) add(names []string) {
	for _, id := range names {
		ids.taken[id] = true
		if ids.numbers != nil {
			v, _ := strconv.ParseInt(id, 10, 64) // checked
			ids.numbers = append(ids.numbers, v)
		} else {
			ids.names = append(ids.names, id)
		}
	}
}
