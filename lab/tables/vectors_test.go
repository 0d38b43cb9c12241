package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"coles/examples/shared/clitest"
	"coles/internal/testkit"
)

// Three clouds of rows apart, and a peer that says what it was asked.
func TestRowsWithoutAGraphBesideAPeer(t *testing.T) {
	dir, rng := t.TempDir(), testkit.Random(1)
	lines := "id,a,b,class\n"
	for i := range 60 {
		lines += fmt.Sprintf("r%d,%v,%v,c%d\n", i, rng.Float64()+float64(4*(i%3&1)), rng.Float64()+float64(2*(i%3&2)), i%3)
	}
	testkit.Check(t, os.Mkdir(filepath.Join(dir, "vectors"), 0o777))
	path := vectorsFile(dir, "clouds")
	testkit.Check(t, os.WriteFile(path, []byte(lines), 0o666))
	script := filepath.Join(dir, "peer")
	testkit.Check(t, os.WriteFile(script, []byte(`[ "$2" = `+path+` ] && [ -s "$4" ] || exit 1
[ "$6" = SVM ] && echo '[0.25, 0.75]' || echo '[1, 1]'
`), 0o666))
	all := measuredIn(t, dir, 5*3, "-table", "vectors", "-datasets", "clouds", "-splits", "2", "-peer", "sh "+script)
	for _, line := range all {
		mean := line["mean"].(float64)
		switch line["method"] {
		case "SVM":
			testkit.WantNear(t, "SVM", mean, 50, 1e-9)
		case "COLES":
			if mean < 99 {
				t.Errorf("COLES on clouds apart: %v", line)
			}
		default:
			testkit.WantNear(t, "others", mean, 100, 1e-9)
		}
	}
	testkit.Check(t, os.WriteFile(script, []byte("echo '[1]'"), 0o666))
	args := []string{"-data", dir, "-datasets", "clouds", "-splits", "2", "-peer", "sh " + script}
	clitest.Refuses(t, run, []clitest.Refusal{
		{Name: "too few", Args: append(args, "-table", "vectors"), Text: "1 accuracies of 2 splits"},
		{Name: "another table", Args: args, Text: "-peer is for -table vectors"},
	})
}
