package dataset

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"coles/internal/source"
	"coles/internal/text"
)

// ReadEdgeList reads a graph from text: edges, one a line, "u v" or "u v weight" (all lines alike;
// the weight is 1 where there is none), or a JSON object, and features, one node a line, either dense, "id v1 v2 …",
// or sparse, "id index:value index:value …" with indices from 0. features may be nil. Where some of
// the first 64 kB of dense features are text, they are a [table.Table] of any cells, and so are JSON
// objects, one a line, but those of an id and a "vector"; Features are made of them. A cell of a table in
// quotes may have line ends.
//
// Fields are separated by tabs, commas, semicolons, bars or spaces, whichever gives the first lines of a file equally
// many; double quotes protect a field. Edges may be NetworkX's, "u v {'weight': 2}", or pairs in brackets. Lines that start
// with # or % before the first line with fields are comments and, of edges, what stands behind a # between blanks. Ids are
// any UTF-8 text but [table.IsHole], unless in quotes.
//
// The names of columns go before their places: source and target, from and to, user and item and their like are the
// ends of an edge, weight, value and count its weight, and never what is called time, year, type or id; id and node name
// the node, label, class and target its label. Without such names the cells of all
// columns on the first lines tell the ends, which have much the same; no times, fractions or numbers of lines are ends, and no
// times a weight. Two readings as good are an error that names both. Names of two kinds, such as user and item, are
// Bipartite. A square of numbers is an adjacency matrix. [Dataset.Layouts] say how each file was read, opts.Warn is told what
// was guessed.
//
// Nodes called 0 to n − 1 come in that order, others in the order of the features file. An edge that names another is
// coles.ErrIDs unless opts.MissingRows allows it; such nodes follow in the order in which the edge list first names them,
// as all do without features. Each line of the edge list is one entry of the adjacency, row u and column v: nothing is
// mirrored or merged. Features are a *mat.Dense or a *sparse.CSR like the file.
//
// Errors have file, line and column (of the field, in bytes): ErrMissing for files without a node,
// coles.ErrSetting for options that make no sense, coles.ErrTooLarge for zeros beyond 2²⁰ and 64 times
// the numbers in the file. Cost: O(bytes + zeros).
func ReadEdgeList(edges, features io.Reader, opts EdgeListOptions) (*Dataset, error) {
	if err := opts.check(); err != nil {
		return nil, fmt.Errorf("dataset: edge list: %w", err)
	}
	return opts.collect(func(l *edgeFiles) (*Dataset, error) { return l.read(edges, features, opts) })
}

func (l *edgeFiles) read(edges, features io.Reader, opts EdgeListOptions) (*Dataset, error) {
	l.told, l.edgesFile = opts.Warn, cmp.Or(opts.EdgesName, source.Name(edges, "edges"))
	marks := text.Marks(opts.MissingMarks)
	network, edges, err := networkIn(edges, l.edgesFile, opts.Format, true)
	if err != nil {
		return nil, err
	}
	var edge *edgeReader
	kinds := opts.Bipartite && network == nil
	if network == nil {
		edges = l.asKONECT(edges, &opts)
		edge = l.startEdges(text.NewReader(edges, text.Layout{Edges: true, Commas: isCSV(l.edgesFile), Marks: marks}), opts)
		if edge.Err != nil {
			return nil, placed(l.edgesFile, edge.Err)
		}
		kinds = opts.Bipartite || edge.namesTwoKinds()
	}
	var sides *twoKinds
	if kinds {
		if sides, err = l.readTwoKinds(edge, opts); err != nil {
			return nil, err
		}
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
			l.nodes.closed, l.nodes.advice = "no line in "+l.featuresFile+" for node", []Advice{nodeAdvice, unknownAdvice}
		}
	}
	if err := l.nameNodes(opts.Nodes, opts.Rows, kinds); err != nil {
		return nil, placed(l.featuresFile, err)
	}
	switch {
	case sides != nil:
		err = l.join(sides, opts)
	case network != nil:
		err = l.readEdgesOf(network, opts)
	default:
		edge.readEdges(opts, false)
		err = edge.Err
	}
	if err != nil {
		return nil, placed(l.edgesFile, err)
	}
	if l.nodes.count() == 0 {
		return nil, fault(l.edgesFile, "%w: no edge, and no features to name the nodes", ErrMissing)
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
	return d, placed(l.featuresFile, err)
}

// isCSV reports whether a file is called so, gzipped or not.
func isCSV(file string) bool {
	return strings.HasSuffix(strings.TrimSuffix(strings.ToLower(file), ".gz"), ".csv")
}

// warnOfIDs warns of two nodes that may be one: pandas writes a column of whole numbers that once had a hole as 2.0, and
// some characters have no width.
func (l *edgeFiles) warnOfIDs() {
	fractions, unseen := 0, 0
	for _, id := range l.nodes.ids {
		if whole, ok := strings.CutSuffix(id, ".0"); ok && l.nodes.has(whole) {
			if fractions++; fractions == 1 {
				l.say(l.edgesFile, 0, nil, "%q and %q are two nodes: a program may have written whole numbers as fractions", whole, id)
			}
		}
		if id != "" && (id[len(id)-1] >= utf8.RuneSelf || id[0] >= utf8.RuneSelf) && strings.Trim(id, noWidth) != id {
			if unseen++; unseen == 1 {
				l.say(l.edgesFile, 0, nil, "the id %+q begins or ends with a character that nobody sees", id)
			}
		}
	}
}

// noWidth are marks of byte order, spaces without a width, and joiners.
const noWidth = "\ufeff\u200b\u200c\u200d\u2060\u00ad\u00a0"

// OpenEdgeList reads the files at the given paths, each gzipped or not, as [ReadEdgeList] does; an empty
// featuresPath or labelsPath means none. The dataset is named after the edge list.
func OpenEdgeList(edgesPath, featuresPath, labelsPath string) (*Dataset, error) {
	var others [2]io.Reader
	for k, path := range []string{featuresPath, labelsPath} {
		if path == "" {
			continue
		}
		f, err := openFile(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		others[k] = f
	}
	return Open(edgesPath, func(edges io.Reader) (*Dataset, error) {
		return ReadEdgeList(edges, others[0], EdgeListOptions{Labels: others[1]})
	})
}
