package edgetext

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/dataset/internal/edgeset"
	"coles/dataset/internal/place"
	"coles/internal/text"

	"github.com/james-bowman/sparse"
)

// mostKinds are as many as edges may have: a column of more tells something else.
const mostKinds = 10_000

// findKind finds the column that says the kind of an edge, by the caller's word or by its name. Kinds lie in memory, and
// where edges shall not they are read only if they are asked for.
func (e *edgeReader) findKind(opts options) {
	guess := opts.Type == "" && opts.Scratch == ""
	e.asked = !guess
	e.byKind = make(map[string]*edgeset.Set)
	k, err := strconv.Atoi(opts.Type)
	switch {
	case guess:
		e.kindAt = text.KindColumn(e.Header)
	case opts.Type == "":
	case slices.Contains(e.Header, opts.Type):
		e.kindAt = slices.Index(e.Header, opts.Type)
	case err == nil && 1 <= k && k <= e.width:
		e.kindAt = k - 1
	default:
		e.Fault(-1, "%w: no column %q for the kinds of edges", place.ErrMissing, opts.Type)
	}
}

// settleKind has a column be one thing only, once those of an edge are known.
func (e *edgeReader) settleKind() {
	switch at := slices.Index(e.columns, e.kindAt); {
	case at < 0:
	case !e.asked:
		e.kindAt = -1
	case at == 2:
		e.columns = e.columns[:2]
	default:
		e.Fault(-1, "%w: column %d is an end of an edge, and no kind", coles.ErrSetting, e.kindAt+1)
	}
}

// takeKind takes in an edge of the kind on the current line.
func (e *edgeReader) takeKind(i, j int32, weight []float64) {
	of := e.byKind[e.Fields[e.kindAt]]
	if of == nil && len(e.byKind) == mostKinds {
		e.say(e.edgesFile, e.Line, nil, "column %d tells no kinds of edges: it has more than %d", e.kindAt+1, mostKinds)
		e.kindAt, e.byKind = -1, nil
		return
	}
	if of == nil {
		of = &edgeset.Set{Space: e.edges.Space}
		e.byKind[strings.Clone(e.Fields[e.kindAt])] = of
	}
	if err := of.Add(i, j, weight...); err != nil {
		e.Fail(err)
	}
}

// makeKinds makes the edges of each kind entries of an adjacency of n nodes.
func (l *edgeFiles) makeKinds(n int, repeats string, opts options) error {
	if len(l.byKind) > 0 {
		l.Kinds = make(map[string]*sparse.COO)
	}
	if opts.Type != "" && len(l.byKind) == 0 {
		return place.Fault(l.edgesFile, "%w: Type: kinds of edges are read from columns of text, and are %d at most", coles.ErrSetting, mostKinds)
	}
	for kind, edges := range l.byKind {
		a := edges.CSR(n, n)
		edgeset.JoinRepeats(a, repeats)
		l.Kinds[kind] = a.ToCOO()
	}
	return nil
}

// sayKinds says which kinds of edges there are. A single one that nobody asked for says nothing.
func (e *edgeReader) sayKinds() {
	if e.asked || len(e.byKind) == 0 || e.Err != nil {
		return
	}
	names := slices.Sorted(maps.Keys(e.byKind))
	if len(names) < 2 {
		e.byKind = nil
		e.say(e.edgesFile, 0, nil, "column %d is not read, as all edges are of one kind, %q", e.kindAt+1, strings.Join(names, ""))
		return
	}
	e.say(e.edgesFile, 0, nil, "column %d tells kinds of edges: %d, such as %q", e.kindAt+1, len(names), names[0])
}

// readTwoKinds reads edges between nodes of two kinds, which have names of their own until it is known which both have.
func (l *edgeFiles) readTwoKinds(e *edgeReader, opts options) error {
	e.edgeFiles = &edgeFiles{nodes: newNodeIDs(), edges: edgeset.Set{Space: l.edges.Space}, edgesFile: l.edgesFile, told: l.told}
	e.readEdges(opts, true)
	if e.types == nil {
		e.found = e.kinds[:]
	}
	return place.In(l.edgesFile, e.Err)
}

// join joins the edges to the nodes that are named. Where both kinds have an id, all get their kind before them; other
// files may leave it out where one kind alone has the id.
func (l *edgeFiles) join(e *edgeReader, opts options) error {
	plain, both := make([]string, len(e.nodes.ids)), make(map[string]bool)
	shared := false
	for i, id := range e.nodes.ids {
		_, plain[i], _ = strings.Cut(id, ":")
		_, again := both[plain[i]]
		both[plain[i]], shared = again, shared || again
	}
	if shared && !opts.Bipartite {
		l.say(l.edgesFile, 0, nil, "the names of the columns tell kinds of nodes, which have ids in common: they are called %s…", strings.Join(e.found, "…, "))
	}
	rows, unknown := make([]int32, len(plain)), skipped{}
	for i, id := range e.nodes.ids {
		name := id
		if l.nodes.has(plain[i]) {
			if name = plain[i]; both[name] {
				return ofEither(name, e.found)
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
	before := e.edges.Count
	e.edges.Move(rows)
	for _, kind := range e.byKind {
		kind.Move(rows)
	}
	l.byKind = e.byKind
	l.edges, l.Layouts = e.edges, append(l.Layouts, e.Layouts...)
	if unknown.lines > 0 {
		l.say(l.edgesFile, 0, nil, "edges that are skipped because there is %s: %d, such as of %q", l.nodes.closed, before-l.edges.Count, unknown.id)
	}
	l.nodes.alias()
	if len(e.found) != 2 {
		return nil
	}
	l.Sides = make([]bool, l.nodes.count())
	for i, id := range e.nodes.ids {
		if rows[i] >= 0 {
			l.Sides[rows[i]] = strings.HasPrefix(id, e.found[1])
		}
	}
	return nil
}
