package edgetext

import (
	"slices"
	"strings"

	"coles/dataset/internal/place"
	"coles/internal/setting"
)

// findOnly finds the nodes whose vectors are wanted, and others that have one neighbour or none.
func (l *edgeFiles) findOnly(opts options) error {
	if opts.Only == nil {
		return nil
	}
	if opts.Nodes != nil || l.nodes.span > 0 {
		return place.In(l.edgesFile, setting.Bad("Only", "some", "none for nodes that the files do not name"))
	}
	l.only = make([]bool, l.nodes.count())
	unknown := skipped{}
	for _, id := range opts.Only {
		found := l.nodes.has(id)
		if found {
			i, err := l.nodes.number(id)
			if err != nil {
				return err
			}
			l.only[i] = true
		} else if begin, all := strings.CutSuffix(id, "*"); all {
			for i, name := range l.nodes.ids {
				if strings.HasPrefix(name, begin) {
					l.only[i], found = true, true
				}
			}
		}
		if !found {
			unknown.skip(id)
		}
	}
	if !slices.Contains(l.only, true) {
		return place.Fault(l.edgesFile, "%w: no node is wanted, for none is called %q", place.ErrMissing, unknown.id)
	}
	if unknown.lines > 0 {
		l.say(l.edgesFile, 0, nil, "wanted nodes that are not there: %d, such as %q", unknown.lines, unknown.id)
	}
	g, _, err := l.edges.Graph(len(l.only), nil, "max")
	if err != nil {
		return place.In(l.edgesFile, err)
	}
	l.leaves = make([]bool, len(l.only))
	for i, wanted := range l.only {
		near, _ := g.Neighbors(i)
		l.leaves[i] = !wanted && len(near) < 2
	}
	return nil
}

// onlyFirst is the order of the nodes in which those that are wanted come first, nil where all are.
func (l *edgeFiles) onlyFirst() (order []int) {
	order = where(l.only, true)
	l.Wanted = len(order)
	return append(order, where(l.only, false)...)
}

// where are the places of a mask that are set, or those that are not.
func where(mask []bool, set bool) (places []int) {
	for i, is := range mask {
		if is == set {
			places = append(places, i)
		}
	}
	return places
}
