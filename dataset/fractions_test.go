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
		"007,7\n08,007\n":               `"7" and "007" are two nodes`,
		"007,07\n08,007\n":              "",
		"1000,1e3\n1000,2\n":            `"1000" and "1e3"`,
		"+1,2\n1,2\n":                   `"1" and "+1"`,
		"1.5,2\n1,2\n":                  "",
		"a,b\nb,c\n#c,a\n":              `"c" and "#c" are two nodes`,
		"a,b\nb,#c\n#c,#a\n":            "",
	} {
		var said []string
		testkit.Must(ReadEdgeList(strings.NewReader(text), nil, parse.Options{Warn: func(err error) { said = append(said, err.Error()) }}))
		if all := strings.Join(said, "; "); want == "" && all != "" || !strings.Contains(all, want) {
			t.Errorf("%q: said %q, want %q", text, all, want)
		}
	}
}
