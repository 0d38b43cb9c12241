package kernel

import (
	"os"
	"slices"
	"testing"
)

// onEveryPath runs a test, given for each type of numbers, once for each path
// that this machine supports.
func onEveryPath(t *testing.T, double, single func(t *testing.T)) {
	before := active
	defer func() { active = before }()
	for _, p := range available() {
		active = p
		t.Run(p.name+"/float64", double)
		t.Run(p.name+"/float32", single)
	}
}

func TestThePathIsTheOneAskedForOrElseTheBest(t *testing.T) {
	fast, middle, slow := &path{name: "avx512"}, &path{name: "avx2"}, &path{name: "portable"}
	all := []*path{fast, middle, slow}
	for _, c := range []struct {
		asked string
		there []*path
		want  *path
	}{
		{"", all, fast},
		{"avx512", all, fast},
		{"avx2", all, middle},
		{"portable", all, slow},
		{"AVX2", all, fast}, // names are lower-case
		{"sse9", all, fast},
		{"avx512", all[1:], middle},
		{"avx2", all[2:], slow},
		{"portable", all[2:], slow},
	} {
		if got := choose(c.there, c.asked); got != c.want {
			t.Errorf("%q of %d paths: %s, want %s", c.asked, len(c.there), got.name, c.want.name)
		}
	}
	names := []string{}
	for _, p := range available() {
		names = append(names, p.name)
	}
	if names[len(names)-1] != "portable" {
		t.Errorf("paths %v do not end with the portable one", names)
	}
	if asked := os.Getenv("COLES_KERNEL"); slices.Contains(names, asked) && Path() != asked {
		t.Errorf("path %s in use where COLES_KERNEL=%s", Path(), asked)
	}
}
