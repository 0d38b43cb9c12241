package dataset

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

func readText(edges, features, labels string) (*Dataset, error) {
	opts := EdgeListOptions{}
	if labels != "" {
		opts.Labels = strings.NewReader(labels)
	}
	if features == "" {
		return ReadEdgeList(strings.NewReader(edges), nil, opts)
	}
	return ReadEdgeList(strings.NewReader(edges), strings.NewReader(features), opts)
}

// entries lists the adjacency as "u v weight" by id, row by row.
func entries(d *Dataset) []string {
	var out []string
	raw := d.Adjacency.RawMatrix()
	for i := range raw.I {
		for p := raw.Indptr[i]; p < raw.Indptr[i+1]; p++ {
			out = append(out, fmt.Sprint(d.IDs[i], " ", d.IDs[raw.Ind[p]], " ", raw.Data[p]))
		}
	}
	return out
}

// What stands in quotes does not decide what separates.
func TestSeparatorsInQuotes(t *testing.T) {
	for text, want := range map[string][]string{
		"\"a,b\" \"c\"\n":            {"a,b", "c"},
		"\"a;\"\",b\";c\n":           {"a;\",b", "c"},
		"five\"inch,\"six;seven\"\n": {"five\"inch", "six;seven"},
	} {
		d, err := readText(text, "", "")
		if err != nil || !slices.Equal(d.IDs, want) {
			t.Errorf("%q: %v, %v; want %q", text, d, err, want)
		}
	}
}

func TestEdgeListForms(t *testing.T) {
	plain := []string{"a b 1", "a b 1", "c a 1", "c c 1"}
	weighted := []string{"a b 2", "a b 0.5", "c a -1", "c c 1e-05"}
	for _, c := range []struct {
		name, edges string
		want        []string
	}{
		{"spaces", "a b\na b\nc a\nc c\n", plain},
		{"runs of spaces and tabs", "  a   b\na b \nc\ta\nc c", plain},
		{"tabs", "a\tb\na\tb\nc\ta\nc\tc\n", plain},
		{"commas, Windows line ends, byte order mark", "\ufeffa,b\r\na, b\r\nc,a\r\nc,c\r\n", plain},
		{"semicolons", "a;b\na;b\nc;a\nc;c\n", plain},
		{"comments and empty lines", "# c d\n\n% x\na b\n  # e\na b\nc a\n\nc c\n", plain},
		{"header of known words", "Source,Target\na,b\na,b\nc,a\nc,c\n", plain},
		{"quotes", "\"a\",\"b\"\na,\"b\" \nc,a\nc,c\n", plain},
		{"weights", "a b 2\na b 0.5\nc a -1\nc c 1e-5\n", weighted},
		{"weights under a header", "paper\tcites\tcount\na\tb\t2\na\tb\t0.5\nc\ta\t-1\nc\tc\t1e-5\n", weighted},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := readText(c.edges, "", "")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, entries(d)); diff != "" {
				t.Error(diff)
			}
			if !slices.Equal(d.IDs, []string{"a", "b", "c"}) {
				t.Errorf("ids %v, want the order of first mention", d.IDs)
			}
			if err := d.Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestEdgeListQuotedIDs(t *testing.T) {
	d, err := readText("\"a,b\",\"say \"\"hi\"\"\"\n\"#x\", y z \n", "", "")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a,b", `say "hi"`, "#x", "y z"}; !slices.Equal(d.IDs, want) {
		t.Errorf("ids %q, want %q", d.IDs, want)
	}
}

func TestEdgeListFeatures(t *testing.T) {
	want := mat.NewDense(3, 2, []float64{0.5, -1, 0, 0, 3, 1e3})
	for _, c := range []struct {
		name, features string
		sparse         bool
	}{
		{"commas", "c,0.5,-1\nb,0,0\na,3,1e3\n", false},
		{"commas and header", "paper,x,y\nc,0.5,-1\nb,0,0\na,3,1e3\n", false},
		{"spaces", "# two numbers\nc 0.5 -1\nb 0 0\na 3 1e3", false},
		{"sparse by spaces", "c 0:0.5 1:-1\nb\na 1:1e3 0:3\n", true},
		{"sparse by a tab", "c\t0:0.5 1:-1\nb\t\na\t1:1e3 0:3\n", true},
		{"sparse by tabs, header", "id\twords\nc\t0:0.5\t1:-1\nb\t0:0\na\t1:1e3\t0:3\n", true},
		{"sparse, first node without", "c 0:0.5 1:-1\nb\na 0:3 1:1000\n", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := readText("a b\nc a\n", c.features, "")
			if err != nil {
				t.Fatal(err)
			}
			x := d.Features
			s, isSparse := x.(*sparse.CSR)
			if isSparse {
				x = s.ToDense()
			}
			if isSparse != c.sparse || !mat.Equal(x, want) {
				t.Errorf("sparse: %v\n%v", isSparse, mat.Formatted(x))
			}
			if !slices.Equal(d.IDs, []string{"c", "b", "a"}) {
				t.Errorf("ids %v, want the order of the features file", d.IDs)
			}
			if got := entries(d); !slices.Equal(got, []string{"c a 1", "a b 1"}) {
				t.Errorf("edges %v", got)
			}
		})
	}
}

func TestEdgeListLabels(t *testing.T) {
	for _, c := range []struct {
		name, labels string
		classes      []string
		want         []int
		unlabeled    []int
	}{
		{"text", "a\tspam\nc\tham\n", []string{"ham", "spam"}, []int{1, -1, 0}, []int{1}},
		{"numbers sort as numbers", "id,label\na,10\nb,9\nc,10\n", []string{"9", "10"}, []int{1, 0, 1}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := readText("a b\nb c\n", "", c.labels)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(d.Classes, c.classes) || !slices.Equal(d.Labels, c.want) || !slices.Equal(d.Unlabeled, c.unlabeled) {
				t.Errorf("classes %v, labels %v, unlabeled %v", d.Classes, d.Labels, d.Unlabeled)
			}
		})
	}
}

func TestEdgeListHeaderModes(t *testing.T) {
	read := func(text string, mode HeaderMode) int {
		d, err := ReadEdgeList(strings.NewReader(text), nil, EdgeListOptions{Header: mode})
		if err != nil {
			t.Fatal(err)
		}
		return d.Nodes()
	}
	if n := read("from to\na b\n", NoHeader); n != 4 {
		t.Errorf("NoHeader: %d nodes, want 4", n)
	}
	if n := read("x y\na b\n", WithHeader); n != 2 {
		t.Errorf("WithHeader: %d nodes, want 2", n)
	}
	if n := read("x y\na b\n", DetectHeader); n != 4 {
		t.Errorf("DetectHeader: %d nodes, want 4: unknown words are data", n)
	}
}

func TestEdgeListMalformed(t *testing.T) {
	const features = "a,1,2\nb,3,4\n"
	long := strings.Repeat("x", maxLine+1)
	for _, c := range []struct {
		name, edges, features, labels string
		cause                         error
		place                         string
	}{
		{"nothing", "", "", "", ErrMissing, "edges"},
		{"comments only", "# a b\n", "", "", ErrMissing, "edges"},
		{"one field", "a b\nc\n", "", "", ErrFormat, "edges:2"},
		{"four fields", "a b 1 2\n", "", "", ErrFormat, "edges:1"},
		{"weight on some lines", "a b 1\na c\n", "", "", ErrFormat, "edges:2"},
		{"weight is text", "a b 1\na c heavy\n", "", "", ErrFormat, "edges:2:5"},
		{"weight is NaN", "a b 1\na c NaN\n", "", "", ErrNotFinite, "edges:2:5"},
		{"weight overflows", "a b 1e999\n", "", "", ErrNotFinite, "edges:1:5"},
		{"the first weight is empty", "1,2,\n3,4,0.5\n", "", "", ErrFormat, "edges:1:5"},
		{"header that is an edge", "from to\na from\n", "", "", ErrFormat, `edges:1: malformed input: looks like a header, but "from"`},
		{"weight of the first edge is text", "a b heavy\nb c 1\n", "", "", ErrFormat, `"b" (field 2)`},
		{"features of the first node are text", "a,b\n", "a,red\nb,1\na,2\n", "", ErrFormat, `features:1`},
		{"header of labels is a node", "id,b\n", "", "id,label\nb,x\n", ErrFormat, "labels:1"},
		{"empty id", "a,b\n,c\n", "", "", ErrFormat, "edges:2:1"},
		{"open quote", "a,b\n\"a,b\n", "", "", ErrFormat, "edges:2:1"},
		{"text after a quote", "a,\"b\"c\n", "", "", ErrFormat, "edges:1:3"},
		{"not UTF-8", "a b\n\xff\xfe b\n", "", "", ErrFormat, "edges:2"},
		{"a line past the bound", long, "", "", ErrTooLarge, "edges:1"},
		{"unknown node", "a,b\n# c\na,zoe\n", features, "", ErrUnknownNode, `edges:3:3: unknown node "zoe"`},
		{"unknown node among integers", "1 2\n# c\n2 1\n1 12\n", "1 5\n2 6\n", "", ErrUnknownNode, `edges:4:3: unknown node "12"`},
		{"unknown node before integers", "1 2\n17 1\n", "1 5\n2 6\n", "", ErrUnknownNode, `edges:2:1: unknown node "17"`},
		{"a third field among integers", "1 2\n2 1\n1 2 3\n", "", "", ErrFormat, "edges:3"},
		{"features of no node", "a,b\n", "# nothing\n", "", ErrMissing, "features"},
		{"features twice", "a,b\n", "a,1,2\nb,3,4\na,1,2\n", "", ErrDuplicate, "features:3:1"},
		{"rows of different length", "a,b\n", "a,1,2\nb,3\n", "", ErrShape, "features:2"},
		{"feature is text", "a,b\n", "a,1,2\nb,3,four\n", "", ErrFormat, "features:2:5"},
		{"feature is missing", "a,b\n", "a,1,2\nb,3,\n", "", ErrFormat, "features:2:5"},
		{"feature is infinite", "a,b\n", "a,1,2\nb,3,-Inf\n", "", ErrNotFinite, "features:2:5"},
		{"feature without id", "a,b\n", "a,1,2\n,3,4\n", "", ErrFormat, "features:2:1"},
		{"first features are missing values", "b c\n", "a,NA,?\nb,1,2\nc,2,2\n", "", ErrFormat, "features:1:3"},
		{"a column far behind the others", "b c\n", "a 1:1 2000000000:3\nb 0:1\nc\n", "", ErrTooLarge, "features:1:7"},
		{"pair without colon", "a b\n", "a 0:1\nb 1\n", "", ErrFormat, "features:2:3"},
		{"pair of text", "a b\n", "a 0:1\nb 1:x\n", "", ErrFormat, "features:2:3"},
		{"negative feature index", "a b\n", "a 0:1\nb -1:1\n", "", ErrIndex, "features:2:3"},
		{"feature index past 31 bits", "a b\n", "a 0:1\nb 4294967296:1\n", "", ErrIndex, "features:2:3"},
		{"feature given twice", "a b\n", "a 0:1\nb 1:1 0:2 1:1\n", "", ErrDuplicate, "features:2"},
		{"no feature at all", "a b\n", "a\nb\n", "", ErrMissing, "features"},
		{"label of an unknown node", "a,b\n", features, "a,x\nzoe,y\n", ErrUnknownNode, `labels:2:1: unknown node "zoe"`},
		{"label given twice", "a,b\n", features, "a,x\na,x\n", ErrDuplicate, "labels:2:1"},
		{"label missing", "a,b\n", features, "a,x\nb,\n", ErrFormat, "labels:2"},
		{"label of three fields", "a,b\n", features, "a,x,y\n", ErrFormat, "labels:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readText(c.edges, c.features, c.labels)
			wantError(t, err, c.cause, c.place)
		})
	}
}

func TestEdgeListFailsAtEveryByte(t *testing.T) {
	edges, features, labels := []byte("a,b,1\nb,c,2\n"), []byte("a,1\nb,2\nc,3\n"), []byte("a,x\nb,y\n")
	read := func(e, f, l []byte, which int, at int) error {
		readers := []*bytes.Reader{bytes.NewReader(e), bytes.NewReader(f), bytes.NewReader(l)}
		opts := EdgeListOptions{Labels: readers[2]}
		var err error
		switch which {
		case 0:
			_, err = ReadEdgeList(failAfter(e[:at]), readers[1], opts)
		case 1:
			_, err = ReadEdgeList(readers[0], failAfter(f[:at]), opts)
		default:
			opts.Labels = failAfter(l[:at])
			_, err = ReadEdgeList(readers[0], readers[1], opts)
		}
		return err
	}
	for which, text := range [][]byte{edges, features, labels} {
		for at := range len(text) + 1 {
			wantError(t, read(edges, features, labels, which, at), errDisk, []string{"edges:", "features:", "labels:"}[which])
		}
	}
}

func TestOpenEdgeList(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, pack bool) string {
		data := []byte(text)
		if pack {
			data = gzipped(data)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	edges := file("web.tsv.gz", "a\tb\n", true)
	features := file("x.csv", "a,1\nb,2\n", false)
	labels := file("y.csv.gz", "a,red\nb,blue\n", true)
	d, err := OpenEdgeList(edges, features, labels)
	if err != nil {
		t.Fatal(err)
	}
	if d.Name != "web" || d.Nodes() != 2 || !slices.Equal(d.Labels, []int{1, 0}) || d.Features == nil {
		t.Errorf("%+v", d)
	}
	unknown := file("unknown.tsv", "a\tb\na\tzoe\n", false)
	_, err = OpenEdgeList(unknown, features, "")
	wantError(t, err, ErrUnknownNode, unknown+":2:3")
	whole, err := os.ReadFile(edges)
	if err != nil {
		t.Fatal(err)
	}
	cut := file("cut.gz", string(whole[:len(whole)-4]), false)
	_, err = OpenEdgeList(cut, "", "")
	wantError(t, err, ErrTruncated, cut)
	for _, paths := range [][3]string{{"none", "", ""}, {edges, "none", ""}, {edges, features, "none"}} {
		_, err = OpenEdgeList(paths[0], paths[1], paths[2])
		wantError(t, err, os.ErrNotExist, "none")
	}
	_, err = OpenEdgeList(dir, "", "")
	wantError(t, err, ErrFormat, "folder")
}

func FuzzEdgeList(f *testing.F) {
	f.Add([]byte("a b\nb c\n"), []byte("a,1\nb,2\nc,3\n"), []byte("a\tx\n"))
	f.Add([]byte("source,target,weight\n\"a\",b,1\n"), []byte(""), []byte("b 1\n"))
	f.Add([]byte("a\tb\n"), []byte("a\t0:1 3:2\nb\n"), []byte(""))
	f.Fuzz(func(t *testing.T, edges, features, labels []byte) {
		opts := EdgeListOptions{Labels: bytes.NewReader(labels)}
		for _, with := range []bool{false, true} {
			var d *Dataset
			var err error
			if with {
				d, err = ReadEdgeList(bytes.NewReader(edges), bytes.NewReader(features), opts)
			} else {
				d, err = ReadEdgeList(bytes.NewReader(edges), nil, EdgeListOptions{})
			}
			if err == nil {
				if err := d.Validate(); err != nil {
					t.Errorf("read without error, but %v", err)
				}
			}
		}
	})
}
