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
	// Read reads a file of the format. Errors are a [text.Error], with the line.
	Read func(r io.Reader) (*Network, error)
}

// Formats are all formats. What a file begins with tells all but the last two.
var Formats = []Format{
	{"gml", "GML", []string{".gml"}, readGML},
	{"graphml", "GraphML", []string{".graphml", ".graphmlz", ".xml"}, readXML},
	{"gexf", "GEXF", []string{".gexf"}, readXML},
	{"json-graph", "JSON of nodes and links: NetworkX, d3, Cytoscape", []string{".json", ".cyjs"}, readJSON},
	{"pajek", "Pajek", []string{".net", ".pajek", ".paj"}, readPajek},
	{"dimacs", "DIMACS", []string{".dimacs", ".col", ".gr", ".max", ".clq"}, readDIMACS},
	{"metis", "METIS: a line of neighbours for each node", []string{".graph", ".metis"}, readMETIS},
	{"sif", "SIF: lines of a node, a kind of link and nodes", []string{".sif"}, readSIF},
}

// looked is how much of a file tells its format.
const looked = 4 << 10

// Of finds the format of a file by what it begins with or, where that does not tell, by its name or extension; nil for
// none of these.
func Of(r *bufio.Reader, name string) *Format {
	head, _ := r.Peek(looked) // an error is for the reader
	begun := begins(bytes.TrimPrefix(head, []byte("\ufeff")))
	k := slices.IndexFunc(Formats, func(f Format) bool { return f.Name == begun })
	if k < 0 {
		extension := filepath.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz"))
		k = slices.IndexFunc(Formats, func(f Format) bool { return f.Name == name || slices.Contains(f.Extensions, extension) })
	}
	if k < 0 {
		return nil
	}
	return &Formats[k]
}

var (
	beforeGML = regexp.MustCompile(`^(?i)((creator|comment|label)\s+"[^"]*"\s*|version\s+\S+\s+)*graph\s*\[\s`)
	problem   = regexp.MustCompile(`^p\s+[a-z]+\s+\d+\s+\d+\s*\n`)
	members   = regexp.MustCompile(`"(nodes|links|edges|elements|adjacency)"\s*:\s*[\[{]`)
	root      = regexp.MustCompile(`^<(?:\w+:)?(graphml|gexf)\b`)
	list      = regexp.MustCompile(`^\[\s*[\[{]`)
)

// begins is the name of the format that a file begins as, "" where that does not tell.
func begins(head []byte) string {
	for {
		head = bytes.TrimLeft(head, " \t\r\n")
		end := ""
		switch first := string(head[:min(len(head), 4)]); {
		case first == "<!--":
			end = "-->"
		case strings.HasPrefix(first, "<?"), strings.HasPrefix(first, "<!"):
			end = ">"
		case strings.HasPrefix(first, "#"), strings.HasPrefix(first, "%"), strings.HasPrefix(first, "c "), strings.HasPrefix(first, "c\n"):
			end = "\n"
		}
		_, rest, ended := bytes.Cut(head, []byte(end))
		if end == "" || !ended {
			break
		}
		head = rest
	}
	if len(head) == 0 {
		return ""
	}
	switch head[0] {
	case '<':
		if name := root.FindSubmatch(head); name != nil {
			return string(name[1])
		}
	case '{', '[':
		if head[0] == '{' && members.Match(head) || list.Match(head) {
			return "json-graph"
		}
	case '*':
		if lower := bytes.ToLower(head); bytes.HasPrefix(lower, []byte("*vertices")) || bytes.HasPrefix(lower, []byte("*network")) {
			return "pajek"
		}
	case 'p':
		if problem.Match(head) {
			return "dimacs"
		}
	case 'g', 'G', 'c', 'C', 'v', 'V', 'l', 'L':
		if beforeGML.Match(head) {
			return "gml"
		}
	}
	return ""
}
