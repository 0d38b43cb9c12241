package dataset

import (
	"fmt"
	"strconv"
	"strings"
)

// nodeIDs numbers the nodes in the order they come. Ids that are integers, as those of
// most large graphs are, are found by their value.
type nodeIDs struct {
	rows   map[string]int32 // of ids that are no integers
	direct []int32          // row plus one of integers below its length
	far    map[uint64]int32 // of larger integers
	ids    []string
	closed bool // no new ones
}

func newNodeIDs() *nodeIDs {
	return &nodeIDs{rows: make(map[string]int32), far: make(map[uint64]int32)}
}

var errTooManyNodes = fmt.Errorf("more than %d nodes: %w", maxDim, ErrTooLarge)

func (n *nodeIDs) count() int { return len(n.ids) }

// names are the ids in order of their rows.
func (n *nodeIDs) names() []string { return n.ids }

// has tells whether an id has been numbered.
func (n *nodeIDs) has(id string) bool {
	if v, end, ok := plainInteger([]byte(id), 0); ok && end == len(id) {
		_, ok := n.rowOf(v)
		return ok
	}
	_, ok := n.rows[id]
	return ok
}

// number returns the row of an id, adding it unless the set is closed.
func (n *nodeIDs) number(id string) (int, error) {
	if v, end, ok := plainInteger([]byte(id), 0); ok && end == len(id) {
		return n.numberOf(v)
	}
	if i, ok := n.rows[id]; ok {
		return int(i), nil
	}
	if err := n.open(id); err != nil {
		return 0, err
	}
	id = strings.Clone(id) // a field holds on to its whole line
	i := len(n.ids)
	n.rows[id] = int32(i)
	n.ids = append(n.ids, id)
	return i, nil
}

// numberOf is number for an id that is an integer without sign or leading zeros.
func (n *nodeIDs) numberOf(v uint64) (int, error) {
	if i, ok := n.rowOf(v); ok {
		return i, nil
	}
	if n.closed || len(n.ids) == maxDim {
		return 0, n.open(strconv.FormatUint(v, 10))
	}
	i := len(n.ids)
	n.ids = append(n.ids, strconv.FormatUint(v, 10))
	n.reach()
	if v < uint64(len(n.direct)) {
		n.direct[v] = int32(i + 1)
	} else {
		n.far[v] = int32(i)
	}
	return i, nil
}

// rowOf finds an integer.
func (n *nodeIDs) rowOf(v uint64) (int, bool) {
	if v < uint64(len(n.direct)) {
		i := n.direct[v]
		return int(i) - 1, i > 0
	}
	i, ok := n.far[v]
	return int(i), ok
}

// open refuses a new id where there may be none.
func (n *nodeIDs) open(id string) error {
	switch {
	case n.closed:
		return fmt.Errorf("%w %q", ErrUnknownNode, id)
	case len(n.ids) == maxDim:
		return errTooManyNodes
	}
	return nil
}

// reach keeps direct between two and eight times as long as there are nodes: what few large
// ids there are cannot make it grow beyond the graph.
func (n *nodeIDs) reach() {
	if 2*len(n.ids) <= len(n.direct) {
		return
	}
	longer := make([]int32, max(1024, 8*len(n.ids)))
	copy(longer, n.direct)
	n.direct = longer
	for v, i := range n.far {
		if v < uint64(len(longer)) {
			longer[v] = i + 1
			delete(n.far, v)
		}
	}
}
