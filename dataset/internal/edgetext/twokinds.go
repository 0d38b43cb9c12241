package edgetext

import (
	"fmt"
	"strings"

	"coles"
	"coles/dataset/internal/edgeset"
	"coles/dataset/internal/place"
)

// twoKinds are the edges between nodes of two kinds, which have names of their own until it is known which both have.
type twoKinds struct {
	*edgeFiles
	kinds [2]string // what the ids of each begin with
}

// readTwoKinds reads edges between nodes of two kinds.
func (l *edgeFiles) readTwoKinds(e *edgeReader, opts options) (*twoKinds, error) {
	e.edgeFiles = &edgeFiles{nodes: newNodeIDs(), edges: edgeset.Set{Space: l.edges.Space}, edgesFile: l.edgesFile, told: l.told}
	e.readEdges(opts, true)
	return &twoKinds{e.edgeFiles, e.kinds}, place.In(l.edgesFile, e.Err)
}

// join joins the edges to the nodes that are named. Where both kinds have an id, all get their kind before them; other
// files may leave it out where one kind alone has the id.
func (l *edgeFiles) join(s *twoKinds, opts options) error {
	plain, both := make([]string, len(s.nodes.ids)), make(map[string]bool)
	shared := false
	for i, id := range s.nodes.ids {
		_, plain[i], _ = strings.Cut(id, ":")
		_, again := both[plain[i]]
		both[plain[i]], shared = again, shared || again
	}
	if shared && !opts.Bipartite {
		l.say(l.edgesFile, 0, nil, "the names of the columns are of two kinds, which have ids in common: nodes are called %s… and %s…", s.kinds[0], s.kinds[1])
	}
	rows, unknown := make([]int32, len(plain)), skipped{}
	for i, id := range s.nodes.ids {
		name := id
		if l.nodes.has(plain[i]) {
			if name = plain[i]; both[name] {
				return ofEither(name, s.kinds)
			}
		} else if !shared && !l.nodes.has(id) {
			name = plain[i]
		}
		row, err := l.nodes.number(name)
		if rows[i] = int32(row); err != nil {
			if rows[i] = -1; !opts.SkipUnknown {
				return err
			}
			unknown.skip(name)
		} else if shared {
			l.nodes.ids[row] = id
		}
	}
	before := s.edges.Count
	s.edges.Move(rows)
	l.edges, l.layouts = s.edges, append(l.layouts, s.layouts...)
	if unknown.lines > 0 {
		l.say(l.edgesFile, 0, nil, "edges that are skipped because there is %s: %d, such as of %q", l.nodes.closed, before-l.edges.Count, unknown.id)
	}
	l.sides = make([]bool, l.nodes.count())
	for i, id := range s.nodes.ids {
		if rows[i] >= 0 {
			l.sides[rows[i]] = strings.HasPrefix(id, s.kinds[1])
		}
	}
	l.nodes.alias()
	return nil
}

func ofEither(id string, kinds [2]string) error {
	return fmt.Errorf("%w: nodes of both kinds are called %q: it is %q or %q", coles.ErrIDs, id, kinds[0]+id, kinds[1]+id)
}

// alias has nodes found by their ids, with the kind before them or, where that is one node, without.
func (n *nodeIDs) alias() {
	n.aliases, n.both = make(map[string]int), make(map[string][2]string)
	for i, id := range n.ids {
		if kind, plain, ok := strings.Cut(id, ":"); ok {
			if j, twice := n.aliases[plain]; twice {
				other, _, _ := strings.Cut(n.ids[j], ":")
				n.both[plain] = [2]string{other + ":", kind + ":"}
			}
			n.aliases[plain] = i
		}
	}
	for i, id := range n.ids {
		n.aliases[id] = i
	}
}
