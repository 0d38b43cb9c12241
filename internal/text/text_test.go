package text

import (
	"fmt"
	"strings"
	"testing"

	"coles"
	"coles/internal/testkit"
)

// What the first lines of a file show of its layout, and the fields of the line after the header.
func TestLayoutsAreFound(t *testing.T) {
	hasName := func(r *Reader) func() bool { return func() bool { return r.Fields[0] == "id" } }
	for name, c := range map[string]struct {
		text, fields string
		want         Layout
	}{
		"tabs before commas":       {"# c\nid\tx,y\na\t1,2\n", `["a" "1,2"]`, Layout{Separator: '\t', Skipped: 1, Comment: []byte("# c"), Header: []string{"id", "x,y"}, First: 2}},
		"commas":                   {"\xef\xbb\xbfid,x\n\"a b\", 1 \n", `["a b" "1"]`, Layout{Separator: ',', Header: []string{"id", "x"}, First: 1}},
		"semicolons":               {"a;1", `["a" "1"]`, Layout{Separator: ';', First: 1}},
		"spaces":                   {"\n  a  1 2\n", `["a" "1" "2"]`, Layout{Separator: ' ', First: 2}},
		"a separator in quotes":    {"\"a\tb\" \"c,\"\"d\"\n", `["a\tb" "c,\"d"]`, Layout{Separator: ' ', First: 1}},
		"a field of several lines": {"id,x\na,\"1\n2\"\n", `["a" "1\n2"]`, Layout{Separator: ',', Multiline: true, Header: []string{"id", "x"}, First: 1}},
	} {
		r := NewReader(strings.NewReader(c.text), Layout{Multiline: c.want.Multiline})
		if !r.Start(false, hasName(r)) || !r.Next() {
			t.Errorf("%s: no line: %v", name, r.Err)
		}
		testkit.WantSame(t, name, fmt.Sprintf("%q", r.Fields), c.fields)
		testkit.WantSame(t, name, r.Layout, c.want)
		if r.Next() || r.Err != nil {
			t.Errorf("%s: more lines: %q, %v", name, r.Fields, r.Err)
		}
	}
}

// Looking ahead sees a last line without an end, and changes nothing.
func TestAhead(t *testing.T) {
	r := NewReader(strings.NewReader("a 1\nb 2\nc"), Layout{})
	r.Next()
	var seen []string
	for ahead := r.Ahead(); ahead.Next(); {
		seen = append(seen, ahead.Fields[0])
	}
	testkit.WantSame(t, "ahead", seen, []string{"b", "c"})
	for _, want := range []string{"b", "c"} {
		if !r.Next() || r.Fields[0] != want {
			t.Errorf("line %q, want %q", r.Fields, want)
		}
	}
}

// A fault has its line and column, counted in bytes.
func TestPlaces(t *testing.T) {
	r := NewReader(strings.NewReader("é,1\né,x\n"), Layout{})
	r.Next()
	testkit.WantSame(t, "number", r.Number(1), 1.0)
	r.Next()
	r.Number(1)
	testkit.WantError(t, r.Err, coles.ErrFormat)
	testkit.WantSame(t, "error", r.Err.Error(), `2:4: malformed: "x" is not a number`)
	if r.Next() {
		t.Error("it goes on after a fault")
	}
}
