// Package edgetext reads edges, features and labels of nodes from text, as package parse says: it guesses by the first
// lines, reads all, and says what it guessed.
package edgetext

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"coles/dataset/internal/place"
	"coles/dataset/parse"
	"coles/internal/scratch"
	"coles/internal/source"
	"coles/internal/text"
)

// Read reads edges and, unless that is nil, features.
func Read(edges, features io.Reader, o parse.Options) (*Files, error) {
	opts := options{o}
	if err := opts.check(); err != nil {
		return nil, fmt.Errorf("dataset: edge list: %w", err)
	}
	l := &edgeFiles{nodes: newNodeIDs()}
	if o.Scratch == "" || !o.Undirected {
		return l.read(edges, features, opts)
	}
	space, err := scratch.Open(o.Scratch, scratchHeld)
	if err != nil {
		return nil, fmt.Errorf("dataset: scratch: %w", err)
	}
	l.edges.Space = space
	d, err := l.read(edges, features, opts)
	if err != nil {
		return nil, errors.Join(err, space.Close())
	}
	d.Release = space.Close
	return d, nil
}

// scratchHeld is enough for the pages into which a sort deals edges.
const scratchHeld = 512 << 20

func (l *edgeFiles) read(edges, features io.Reader, opts options) (*Files, error) {
	kinds, take, err := l.begin(edges, &opts)
	if err != nil {
		return nil, place.In(l.edgesFile, err)
	}
	if features != nil {
		l.featuresFile = cmp.Or(opts.FeaturesName, source.Name(features, "features"))
		if err := l.readBeside(features, l.featuresFile, opts, l.readTableOf, l.readFeatures, text.Layout{Multiline: true}); err != nil {
			return nil, err
		}
		if opts.Encoder.AsIs() && opts.Kinds == nil {
			if err := l.arrange(opts); err != nil {
				return nil, err
			}
		}
		if opts.MissingRows == "" || opts.MissingRows == "error" {
			l.nodes.closed, l.nodes.advice = "no line in "+l.featuresFile+" for node", []parse.Advice{nodeAdvice, unknownAdvice}
		}
	}
	if err := l.nameNodes(opts.Nodes, opts.Rows, kinds); err != nil {
		return nil, place.In(l.featuresFile, err)
	}
	if err := take(); err != nil {
		return nil, place.In(l.edgesFile, err)
	}
	if l.nodes.count() == 0 {
		return nil, place.Fault(l.edgesFile, "%w: no edge, and no features to name the nodes", place.ErrMissing)
	}
	l.warnOfIDs()
	l.nodes.closed, l.nodes.advice = "unknown node", nil
	if opts.Labels != nil {
		l.labelsFile = cmp.Or(opts.LabelsName, source.Name(opts.Labels, "labels"))
		layout := text.Layout{Multiline: opts.LabelColumn != ""} // of a table, or lines
		if err := l.readBeside(opts.Labels, l.labelsFile, opts, l.readLabelsOf, l.readLabels, layout); err != nil {
			return nil, err
		}
	}
	d, err := l.dataset(opts)
	return d, place.In(l.featuresFile, err)
}

// begin reads what tells the form of the edges. take takes them in, once nodes are named that have features.
func (l *edgeFiles) begin(r io.Reader, opts *options) (kinds bool, take func() error, err error) {
	l.told, l.edgesFile = opts.Warn, cmp.Or(opts.EdgesName, source.Name(r, "edges"))
	if form := forms[opts.Format]; form != nil {
		l.edgesFile = cmp.Or(opts.EdgesName, source.Name(r, opts.Format))
		return false, func() error { return form(l, r, *opts) }, nil
	}
	network, r, err := networkIn(r, l.edgesFile, opts.Format, true)
	if err != nil || network != nil {
		return false, func() error { return l.readEdgesOf(network, *opts) }, err
	}
	r = l.asKONECT(r, opts)
	t := text.NewReader(r, text.Layout{Edges: true, Commas: isCSV(l.edgesFile), Marks: opts.MissingMarks})
	edge := l.startEdges(t, *opts)
	if kinds = opts.Bipartite || edge.namesTwoKinds(); kinds && t.Err == nil {
		return true, func() error { return l.join(edge, *opts) }, l.readTwoKinds(edge, *opts)
	}
	return kinds, func() error {
		edge.readEdges(*opts, false)
		return t.Err
	}, t.Err
}

// warnOfIDs warns of two nodes that may be one: of a number in two forms, as pandas writes whole numbers as 2.0 where their
// column once had a hole; of characters without a width; of a comment within the file.
func (l *edgeFiles) warnOfIDs() {
	numbers, unseen, marked := false, false, []string(nil)
	for _, id := range l.nodes.ids {
		if id == "" {
			continue
		}
		if whole := asWhole(id); !numbers && whole != id && l.nodes.has(whole) {
			numbers = true
			l.say(l.edgesFile, 0, nil, "%q and %q are two nodes: a program may have written one number in two forms", whole, id)
		}
		if !unseen && max(id[0], id[len(id)-1]) >= utf8.RuneSelf && strings.Trim(id, noWidth) != id {
			unseen = true
			l.say(l.edgesFile, 0, nil, "the id %+q begins or ends with a character that nobody sees", id)
		}
		if id[0] == '#' {
			marked = append(marked, id)
		}
	}
	if len(marked) == 1 && l.nodes.has(marked[0][1:]) {
		l.say(l.edgesFile, 0, nil, "%q and %q are two nodes: behind the first edge, # begins a comment only with a blank behind it", marked[0][1:], marked[0])
	}
}

// asWhole is the whole number that an id stands for: 2 for 2.0, 02, +2 and 2e0. Other ids lose .0 at their end, if any.
func asWhole(id string) string {
	id = strings.TrimSuffix(id, ".0")
	if _, usual := text.Integer(id); usual || id == "" || id[0] != '+' && (id[0] < '0' || id[0] > '9') {
		return id
	}
	if v, err := strconv.ParseFloat(id, 64); err == nil && v == math.Trunc(v) && v >= 0 && v < 1<<53 {
		return strconv.FormatUint(uint64(v), 10)
	}
	return id
}

// noWidth are marks of byte order, spaces without a width, and joiners.
const noWidth = "\ufeff\u200b\u200c\u200d\u2060\u00ad\u00a0"
