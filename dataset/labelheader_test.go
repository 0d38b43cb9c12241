package dataset

import (
	"fmt"
	"strings"
	"testing"

	"coles"
	"coles/dataset/parse"
	"coles/internal/testkit"
)

// Labels of a and b: which first lines of words that headers do not use are one, and what is said of
// those that are neither that nor a node.
func TestHeadersOfLabels(t *testing.T) {
	const maybe = "; parse.Options.Header says"
	for _, c := range []struct {
		name, labels string
		opts         parse.Options
		want         string // the class of each node, or the error
	}{
		{"no node, and all others are", "who,team\na,x\nb,y\n", parse.Options{}, "[x y]"},
		{"one label is enough", "# teams\nwho,team\nb,x\n", parse.Options{}, "[ x]"},
		{"known words", "node,label\na,x\n", parse.Options{}, "[x ]"},
		{"a node", "a,team\nb,x\n", parse.Options{}, "[team x]"},
		{"a file of one line", "who,team\n", parse.Options{}, `labels:1:1: bad node ids: unknown node "who"` + maybe},
		{"another that is no node", "who,team\na,x\neve,y\n", parse.Options{}, `labels:1:1: bad node ids: unknown node "who"` + maybe},
		{"no node later", "a,x\neve,y\n", parse.Options{}, `labels:2:1: bad node ids: unknown node "eve"`},
		{"a label that others have", "# c\neve,x\na,x\n", parse.Options{}, `labels:2:1: bad node ids: unknown node "eve"` + maybe},
		{"an empty id", ",team\na,x\n", parse.Options{}, `labels:1:1: malformed: an empty node id` + maybe},
		{"a later fault", "who,team\na,x\na,x\n", parse.Options{}, "labels:3:1: label of node"},
		{"it is none", "who,team\na,x\n", parse.Options{Header: parse.NoHeader}, `labels:1:1: bad node ids: unknown node "who"`},
		{"it is one", "a,x\nb,y\n", parse.Options{Header: parse.WithHeader}, "[ y]"},
		{"it is one, and a stranger", "who,team\neve,y\n", parse.Options{Header: parse.WithHeader}, `labels:2:1: bad node ids: unknown node "eve"`},
		{"strangers are skipped", "who,team\na,x\neve,y\n", parse.Options{SkipUnknown: true}, "[x ]"},
		{"strangers alone", "who,team\neve,y\n", parse.Options{SkipUnknown: true}, "[ ]"},
	} {
		// With the nodes named by the caller, and by the edges.
		for _, edges := range []string{"", "a,b,1\n"} {
			opts := c.opts
			if edges == "" {
				opts.Nodes = []string{"a", "b"}
			} else if opts.Header == parse.WithHeader {
				edges = "u,v,w\n" + edges
			}
			d, err := readWith(edges, "", c.labels, opts)
			got := fmt.Sprint(err)
			if err == nil {
				class := make([]string, 2)
				for i, label := range d.Labels {
					if label >= 0 {
						class[i] = d.Classes[label]
					}
				}
				got = fmt.Sprint(class)
			}
			if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
				t.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
			if says := strings.Contains(got, "Header"); says != strings.Contains(c.want, "Header") {
				t.Errorf("%s: %s", c.name, got)
			}
		}
	}
}

// Errors about a gap, and about a field of a first line that may be a header, say what to do.
func TestErrorsSayWhatToDo(t *testing.T) {
	const header, missing = "; parse.Options.Header says whether the first line is a header", "; parse.Options.Missing says what to do with "
	const gap = missing + "gaps"
	const nodes = "; parse.Options.MissingRows says what to do with such nodes; parse.Options.SkipUnknown says that such lines are skipped"
	read := func(edges, features string, mode parse.HeaderMode) error {
		return testkit.Err(readWith(edges, features, "", parse.Options{Header: mode, Missing: "error"}))
	}
	for name, c := range map[string]struct {
		err   error
		named error
		want  string
	}{
		"a gap":                        {read("a,b\n", "a,1\nb,\n", parse.DetectHeader), coles.ErrFormat, `"" is not a number` + gap},
		"a gap of a word":              {read("a,b\n", "a,1\nb,null\n", parse.NoHeader), coles.ErrFormat, `"null" is not a number` + gap},
		"ids on the first line":        {read("who,whom\na,b\n", "a,1\nb,2\n", parse.DetectHeader), coles.ErrIDs, `for node "who"` + nodes + header},
		"ids on another":               {read("a,b\na,who\n", "a,1\nb,2\n", parse.DetectHeader), coles.ErrIDs, `for node "who"` + nodes},
		"a weight that is empty":       {read("a,b,\nb,a,1\n", "", parse.DetectHeader), coles.ErrFormat, `"" is not a number` + header},
		"fields of the first line":     {read("a,b,c,1,2\nd,e,f,1,2\n", "", parse.DetectHeader), coles.ErrFormat, `5 columns, and neither names nor cells tell the ends of an edge: 1 "a", 2 "b", 3 "c", 4 "1", 5 "2"; parse.Options.Columns says which columns an edge is in`},
		"a header that is also a node": {read("id,node\na,id\n", "", parse.DetectHeader), coles.ErrFormat, `"id" (field 1) is a node` + header},
	} {
		testkit.WantError(t, c.err, c.named)
		if c.err != nil && !strings.HasSuffix(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, c.err, c.want)
		}
	}
}
