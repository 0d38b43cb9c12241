package dataset

import (
	"strings"
	"testing"

	"coles/dataset/parse"
	"coles/internal/testkit"
)

// Ids that a program has written as fractions in one column only are said.
func TestFractionsAmongIDs(t *testing.T) {
	for text, want := range map[string]string{
		"source,target\n1,2.0\n2,3.0\n": `"2" and "2.0" are two nodes`,
		"source,target\n1.0,2.0\n":      "",
		"source,target\nv1,v1.0\n":      `"v1" and "v1.0"`,
	} {
		var said []string
		testkit.Must(ReadEdgeList(strings.NewReader(text), nil, parse.Options{Warn: func(err error) { said = append(said, err.Error()) }}))
		if all := strings.Join(said, "; "); want == "" && all != "" || !strings.Contains(all, want) {
			t.Errorf("%q: said %q, want %q", text, all, want)
		}
	}
}
