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
