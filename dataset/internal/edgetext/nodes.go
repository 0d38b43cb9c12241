package edgetext

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/dataset/internal/bounds"
	"coles/dataset/internal/place"
	"coles/dataset/parse"
	"coles/internal/names"
	"coles/internal/text"
)

// nodeIDs numbers the nodes in the order they come. Integer ids, as in most large
// graphs, are found by their value.
type nodeIDs struct {
	rows    names.Index      // of ids that are no integers
	direct  []int32          // row plus one of integers below its length
	span    int              // integers below are rows, and there are no other nodes; 0 if there may be
	far     map[uint64]int32 // of larger integers
	ids     []string
	aliases map[string]int      // rows of nodes of two kinds; nil for one kind
	both    map[string][]string // of ids that each kind has, the kinds
	closed  string              // what to say of a new one; "" while there may be some
	advice  []parse.Advice      // what to do about it
	refused string              // the last new one that there may not be
}

func newNodeIDs() *nodeIDs {
	return &nodeIDs{far: make(map[uint64]int32)}
}

// has reports whether an id has been numbered.
func (n *nodeIDs) has(id string) bool {
	if _, ok := n.aliases[id]; ok {
		return true
	}
	if v, ok := text.Integer(id); ok {
		_, ok := n.rowOf(v)
		return ok
	}
	return n.rows.Find(n.rows.Hash(id), n.ids, id) >= 0
}

// number returns the row of an id, adding it unless the set is closed.
func (n *nodeIDs) number(id string) (int, error) {
	if kinds, ok := n.both[id]; ok {
		return 0, ofEither(id, kinds)
	}
	if i, ok := n.aliases[id]; ok {
		return i, nil
	}
	if v, ok := text.Integer(id); ok {
		return n.numberOf(v)
	}
	return n.numberOfName(n.rows.Hash(id), id)
}

// numberOfName is number for an id that is no such integer, by its hash.
func (n *nodeIDs) numberOfName(hash uint32, id string) (int, error) {
	if i := n.rows.Find(hash, n.ids, id); i >= 0 {
		return i, nil
	}
	i, err := n.add(strings.Clone(id)) // a field holds on to its whole line
	if err == nil {
		n.rows.Add(hash, i)
	}
	return i, err
}

// count is the number of nodes.
func (n *nodeIDs) count() int { return max(n.span, len(n.ids)) }

// numberOf is number for an id that is an integer without sign or leading zeros.
func (n *nodeIDs) numberOf(v uint64) (int, error) {
	if i, ok := n.rowOf(v); ok {
		return i, nil
	}
	i, err := n.add(strconv.FormatUint(v, 10))
	if err != nil {
		return 0, err
	}
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
	if v < uint64(n.span) {
		return int(v), true
	}
	i, ok := n.far[v]
	return int(i), ok
}

// add appends a new id where there may be one.
func (n *nodeIDs) add(id string) (int, error) {
	switch {
	case n.closed != "":
		n.refused = id
		return 0, place.Advise(fmt.Errorf("%w: %s %q", coles.ErrIDs, n.closed, id), n.advice...)
	case len(n.ids) == bounds.Dim:
		return 0, fmt.Errorf("more than %d nodes: %w", bounds.Dim, coles.ErrTooLarge)
	}
	n.ids = append(n.ids, id)
	return len(n.ids) - 1, nil
}

// reach keeps direct between two and eight times as long as there are nodes: what few large ids
// there are cannot make it grow beyond the graph.
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

// named is the row of the node that field k names.
func (n *nodeIDs) named(t *text.Reader, k int) int {
	if t.Fields[k] == "" {
		t.Fault(k, "%w: an empty node id", coles.ErrFormat)
		return 0
	}
	i, err := n.number(t.Fields[k])
	if err != nil {
		t.Fault(k, "%w", err)
	}
	return i
}

// newRow numbers the node of the current line.
func (n *nodeIDs) newRow(t *text.Reader) {
	before := len(n.ids)
	if n.named(t, 0) < before {
		t.Fault(0, "%w: features of node %q twice", coles.ErrIDs, t.Fields[0])
	}
}

func ofEither(id string, kinds []string) error {
	return fmt.Errorf("%w: nodes of several kinds are called %q: it is \"%s%s\"", coles.ErrIDs, id, strings.Join(kinds, id+`" or "`), id)
}

// alias has nodes found by their ids, with the kind before them or, where that is one node, without.
func (n *nodeIDs) alias() {
	n.aliases, n.both = make(map[string]int), make(map[string][]string)
	for i, id := range n.ids {
		if kind, plain, ok := strings.Cut(id, ":"); ok {
			if j, twice := n.aliases[plain]; twice {
				other, _, _ := strings.Cut(n.ids[j], ":")
				n.both[plain] = []string{other + ":", kind + ":"}
			}
			n.aliases[plain] = i
		}
	}
	for i, id := range n.ids {
		n.aliases[id] = i
	}
}

// called are the names of nodes: their labels or, where these are numbers, their names and titles, whichever of both
// columns has one. A node without any is called by its id, and so are all nodes where two would have one name. by are the
// columns that the names come from, and words reports whether some name is no number.
func called(ids []string, column func(kind string) []string) (names, by []string, words bool) {
	names = ids
	for _, kinds := range [][]string{{"label"}, {"name", "title"}} {
		of, known := make([]string, len(ids)), make(map[string]bool, len(ids))
		for _, kind := range kinds {
			for i, name := range column(kind) {
				of[i] = cmp.Or(of[i], name)
			}
		}
		words = false
		for i, name := range of {
			words = words || name != "" && !text.IsNumber(name)
			of[i] = cmp.Or(name, ids[i])
			known[of[i]] = true
		}
		if len(known) == len(of) && (words || kinds[0] == "label") {
			if names, by = of, kinds; words {
				return names, by, true
			}
		}
	}
	return names, by, false
}

// call calls the nodes of edges by the words that a column of their table has, in the place of the ids by which all files
// know them.
func (l *edgeFiles) call(opts options) {
	if l.IDs = l.nodes.ids; l.edges.Count == 0 || l.Table == nil && l.names == nil {
		return
	}
	names, by, words := called(l.IDs, func(kind string) []string {
		if l.Table == nil && text.NameKind(l.namesColumn) == kind {
			return l.names
		} else if l.Table == nil {
			return nil
		}
		for _, c := range l.Table.Columns {
			if text.NameKind(c.Name) == kind && c.Name != opts.LabelColumn {
				return c.Cells
			}
		}
		return nil
	})
	if !words {
		return
	}
	l.IDs = names
	for _, layout := range l.Layouts {
		for k, name := range layout.Header[:min(len(layout.Header), len(layout.Columns))] {
			if slices.Contains(by, text.NameKind(name)) && layout.File != l.edgesFile && name != opts.LabelColumn {
				layout.Columns[k] = "name"
			}
		}
	}
}
