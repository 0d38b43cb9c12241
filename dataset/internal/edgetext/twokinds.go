package edgetext

import (
	"strings"

	"coles/dataset/internal/edgeset"
	"coles/dataset/internal/place"
)

// twoKinds are the edges between nodes of two kinds, which have names of their own until it is known which both have.
type twoKinds struct {
	*edgeFiles
	kinds []string // what the ids of each begin with
}

// readTwoKinds reads edges between nodes of two kinds.
func (l *edgeFiles) readTwoKinds(e *edgeReader, opts options) (*twoKinds, error) {
	e.edgeFiles = &edgeFiles{nodes: newNodeIDs(), edges: edgeset.Set{Space: l.edges.Space}, edgesFile: l.edgesFile, told: l.told}
	e.readEdges(opts, true)
	kinds := e.kinds[:]
	if e.types != nil {
		kinds = e.found
	}
	return &twoKinds{e.edgeFiles, kinds}, place.In(l.edgesFile, e.Err)
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
		l.say(l.edgesFile, 0, nil, "the names of the columns tell kinds of nodes, which have ids in common: they are called %s…", strings.Join(s.kinds, "…, "))
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
	for _, kind := range s.byKind {
		kind.Move(rows)
	}
	l.byKind = s.byKind
	l.edges, l.Layouts = s.edges, append(l.Layouts, s.Layouts...)
	if unknown.lines > 0 {
		l.say(l.edgesFile, 0, nil, "edges that are skipped because there is %s: %d, such as of %q", l.nodes.closed, before-l.edges.Count, unknown.id)
	}
	l.nodes.alias()
	if len(s.kinds) != 2 {
		return nil
	}
	l.Sides = make([]bool, l.nodes.count())
	for i, id := range s.nodes.ids {
		if rows[i] >= 0 {
			l.Sides[rows[i]] = strings.HasPrefix(id, s.kinds[1])
		}
	}
	return nil
}
