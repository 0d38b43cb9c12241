// Package networks reads graphs as tools of graphs write them, each format into the same [Network].
//
// Memory follows the bytes that arrive: a number of nodes that a file declares takes none.
package networks

import (
	"bufio"
	"bytes"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Network is a graph as a file holds it. Nodes and edges are numbered in the order of the file.
type Network struct {
	IDs   []string // of the nodes
	Ends  [][2]int32
	Arcs  []bool  // of edges, whether they have a direction
	Lines []int32 // of edges, in the file
	Sides []bool  // the kind of each node, true for the second; nil for one kind
	// Nodes and Edges are what else the file says of them.
	Nodes, Edges Attributes
	// Unread names what else there is and is not used.
	Unread []string
}

// Attributes are columns with a cell for some nodes, or edges.
type Attributes []*Column

// A Column holds the cells of an attribute, in ascending order of Rows.
type Column struct {
	Name    string
	Rows    []int32
	Cells   []string
	Default string // of all others
}

// Named is the column of a name, nil if there is none.
func (a Attributes) Named(name string) *Column {
	if k := slices.IndexFunc(a, func(c *Column) bool { return c.Name == name }); k >= 0 {
		return a[k]
	}
	return nil
}

// Names are the names of all columns.
func (a Attributes) Names() (names []string) {
	for _, c := range a {
		names = append(names, c.Name)
	}
	return names
}

// All are the cells of n rows, "" for none.
func (c *Column) All(n int) []string {
	all := slices.Repeat([]string{c.Default}, n)
	for k, row := range c.Rows {
		all[row] = c.Cells[k]
	}
	return all
}

// A Format is one way to write down a network.
type Format struct {
	Name, About string
	Extensions  []string // lower case, with the dot
	first       string   // the bytes that a file may begin with behind its preamble, where what begins so tells the format
	begins      *regexp.Regexp
	read        func(b *builder, r io.Reader)
}

// Formats are all formats. What a file begins with tells all but the last two.
var Formats = []Format{
	{"gml", "GML", []string{".gml"}, "gGcCvVlL", regexp.MustCompile(`^(?i)((creator|comment|label)\s+"[^"]*"\s*|version\s+\S+\s+)*graph\s*\[\s`), readGML},
	{"graphml", "GraphML", []string{".graphml", ".graphmlz", ".xml"}, "<", regexp.MustCompile(`^<(?:\w+:)?graphml\b`), readXML},
	{"gexf", "GEXF", []string{".gexf"}, "<", regexp.MustCompile(`^<(?:\w+:)?gexf\b`), readXML},
	{"json-graph", "JSON of nodes and links: NetworkX, d3, Cytoscape", []string{".json", ".cyjs"}, "{[",
		regexp.MustCompile(`(?s)^(\{.*"(nodes|links|edges|elements|adjacency)"\s*:\s*[\[{]|\[\s*[\[{])`), readJSON},
	{"pajek", "Pajek", []string{".net", ".pajek", ".paj"}, "*", regexp.MustCompile(`(?i)^\*(vertices|network)`), readPajek},
	{"dimacs", "DIMACS", []string{".dimacs", ".col", ".gr", ".max", ".clq"}, "p", regexp.MustCompile(`^p\s+[a-z]+\s+\d+\s+\d+\s*\n`), readDIMACS},
	{"metis", "METIS: a line of neighbours for each node", []string{".graph", ".metis"}, "", nil, readMETIS},
	{"sif", "SIF: lines of a node, a kind of link and nodes", []string{".sif"}, "", nil, readSIF},
}

// preambles are comments and declarations of any format.
var preambles = []struct{ begin, end string }{{"<!--", "-->"}, {"<?", ">"}, {"<!", ">"}, {"#", "\n"}, {"%", "\n"}, {"c ", "\n"}, {"c\n", "\n"}}

// behindPreambles is what stands behind them and blanks.
func behindPreambles(head []byte) []byte {
	head = bytes.TrimLeft(head, " \t\r\n")
	for _, p := range preambles {
		if bytes.HasPrefix(head, []byte(p.begin)) {
			if _, rest, ended := bytes.Cut(head, []byte(p.end)); ended {
				return behindPreambles(rest)
			}
			break
		}
	}
	return head
}

const (
	looked        = 4 << 10 // how much of a file tells its format
	byteOrderMark = "\ufeff"
)

// Of finds the format of a file by what it begins with or, where that does not tell, by its name or extension; nil for
// none of these.
func Of(r *bufio.Reader, name string) *Format {
	head, _ := r.Peek(looked) // an error is for the reader
	head = behindPreambles(bytes.TrimPrefix(head, []byte(byteOrderMark)))
	k := slices.IndexFunc(Formats, func(f Format) bool {
		return len(head) > 0 && strings.IndexByte(f.first, head[0]) >= 0 && f.begins.Match(head)
	})
	if k < 0 {
		extension := filepath.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz"))
		k = slices.IndexFunc(Formats, func(f Format) bool { return f.Name == name || slices.Contains(f.Extensions, extension) })
	}
	if k < 0 {
		return nil
	}
	return &Formats[k]
}

// Read reads a file of the format. Errors are a [text.Error], with the line, where that is known.
func (f *Format) Read(r *bufio.Reader) (*Network, error) {
	if mark, _ := r.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		r.Discard(len(mark))
	}
	b := &builder{rows: make(map[string]int32)}
	f.read(b, r)
	return b.network()
}
