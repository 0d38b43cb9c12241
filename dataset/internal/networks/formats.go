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
