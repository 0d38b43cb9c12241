package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coles/examples/shared/clitest"
	"coles/internal/testkit"
)

// Ranks by hand, of figures as they are printed: in the first column 1, 2½, 2½ and 4; in the second 3, 1, 2 and
// 4; the third, in which one is missing, does not count.
func TestMeanRanks(t *testing.T) {
	g := &grid{Columns: []column{{"a", "5"}, {"a", "20"}, {"b", "5"}}}
	for _, means := range [][]float64{{90, 70}, {80.04, 90, 1}, {80, 80, 2}, {10, 60, 3}} {
		row := gridRow{Figures: map[column]*measure{}}
		for k, v := range means {
			row.Figures[g.Columns[k]] = &measure{Mean: v}
		}
		g.Rows = append(g.Rows, row)
	}
	ranks, columns := g.meanRanks()
	testkit.WantSame(t, "ranks", ranks, []float64{2, 1.75, 2.25, 4})
	testkit.WantSame(t, "columns", columns, 2)
}

// The league first prints how long it takes. It keeps trained embeddings: a second run trains nothing, reports it, and
// prints the same; embeddings by other settings are not reused.
func TestLeagueGoesOnWhereItStopped(t *testing.T) {
	keep := t.TempDir()
	args := []string{"-data", testkit.Shared(t, "data"), "-table", "league", "-datasets", "texas", "-methods", "coles-s2gc,cca-ssg", "-splits", "2", "-seeds", "1", "-keep", keep}
	first, stderr := clitest.Run(t, run, args...)
	testkit.WantText(t, stderr, "texas: CCA-SSG takes about", "for 50 epochs", "to train all once takes about")
	testkit.WantText(t, first, "## League, best of three scales\n", "## League, C by cross-validation\n", "| texas, 5 |", "**", "| mean rank in 2 cells |")
	path := testkit.Must(filepath.Glob(filepath.Join(keep, "texas", "*-ccassg-1.npy")))[0]
	kept := testkit.Must(os.ReadFile(path))
	again, stderr := clitest.Run(t, run, args...)
	testkit.WantSame(t, "second run", again, first)
	testkit.WantText(t, stderr, "to train all once takes about 0s")
	if strings.Contains(stderr, "epochs") {
		t.Errorf("the second run trains: %s", stderr)
	}
	testkit.Check(t, os.WriteFile(filepath.Join(keep, "texas", "00000000-ccassg-1.npy"), nil, 0o600))
	again, _ = clitest.Run(t, run, args...)
	testkit.WantSame(t, "beside another setting's", again, first)
	testkit.Check(t, os.WriteFile(path, kept[:len(kept)/2], fs.FileMode(0o600)))
	clitest.Refuses(t, run, []clitest.Refusal{{Name: "half a file", Args: args, Text: "ccassg-1.npy"}})
}
