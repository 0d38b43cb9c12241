package distributed

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/source"
	"coles/internal/testkit"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"gonum.org/v1/gonum/mat"
)

// folderOf writes files into a new folder and returns its path with a slash.
func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir + "/"
}

func npyOf(t *testing.T, columns int, data ...float64) string {
	t.Helper()
	var b bytes.Buffer
	if err := dataset.WriteNPY(&b, mat.NewDense(len(data)/columns, columns, data)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

type weighted struct {
	u, v int64
	w    float64
}

// readBack runs a reader of edges and returns them sorted.
func readBack(t *testing.T, read func(s beam.Scope) (beam.PCollection, error)) ([]weighted, error) {
	t.Helper()
	edgesSeen.taken()
	if _, err := runPipeline(t, func(s beam.Scope) {
		edges, err := read(s)
		if err != nil {
			t.Fatal(err)
		}
		beam.ParDo0(s, &collectEdges{}, edges)
	}); err != nil {
		return nil, err
	}
	var all []weighted
	for _, c := range edgesSeen.taken() {
		for q, u := range c.U {
			all = append(all, weighted{u, c.V[q], weightOf(c.Weight, q)})
		}
	}
	slices.SortFunc(all, func(a, b weighted) int {
		return cmp.Or(cmp.Compare(a.u, b.u), cmp.Compare(a.v, b.v), cmp.Compare(a.w, b.w))
	})
	return all, nil
}

// readShardsOf reads the files of globs: edges between numbers below 5.
func readShardsOf(t *testing.T, s beam.Scope, globs ...string) beam.PCollection {
	t.Helper()
	return readEdgeFiles(s, 5, beam.CreateList(s, testkit.Must(fileShards(t.Context(), globs))))
}

// readNamedShards reads edges between the names of rows.
func readNamedShards(t *testing.T, s beam.Scope, features, names, edges string, buckets int64) (beam.PCollection, error) {
	t.Helper()
	rows := testkit.Must(featureShards(t.Context(), []string{features}))
	shards, err := nameShards(t.Context(), []string{names}, rows)
	if err != nil {
		return beam.PCollection{}, err
	}
	files := testkit.Must(fileShards(t.Context(), []string{edges}))
	return readNaming(s, beam.CreateList(s, shards), buckets).readEdges(s, beam.CreateList(s, files)), nil
}

func TestReadEdges(t *testing.T) {
	dir := folderOf(t, map[string]string{
		"e-1.txt":    "# edges\n0 1\n\n2\t 3 0.5\n",
		"e-2.csv.gz": gzipped("1,4\n% a comment\n 3 , 3 ,2\n"),
		"e-3.npy":    npyOf(t, 2, 4, 0, 2, 1),
	})
	got, err := readBack(t, func(s beam.Scope) (beam.PCollection, error) {
		return readShardsOf(t, s, dir+"*.npy", dir+"*.txt", dir+"*.gz"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []weighted{{0, 1, 1}, {1, 4, 1}, {2, 1, 1}, {2, 3, .5}, {3, 3, 2}, {4, 0, 1}}
	if !slices.Equal(got, want) {
		t.Errorf("edges %v, want %v", got, want)
	}
}

// Every error must come through the engine with its name and its place. Edges are between names where
// there are some.
func TestReadEdgesSaysWhatIsWrong(t *testing.T) {
	free := source.FreeBinary
	t.Cleanup(func() { source.FreeBinary = free })
	source.FreeBinary = 1 << 20
	for name, c := range map[string]struct {
		file, content, names string
		want                 error
		place                string
	}{
		"too large":      {"e.txt", "0 1\n1 5\n", "", coles.ErrIndex, "e.txt:2: index out of range: node 5 of 5"},
		"past 64 bits":   {"e.txt", "0 99999999999999999999\n", "", coles.ErrIndex, "e.txt:1"},
		"negative":       {"e.npy", npyOf(t, 2, 0, 1, -1, 2), "", coles.ErrIndex, "row 1"},
		"half a node":    {"e.npy", npyOf(t, 2, 0, 1.5), "", coles.ErrFormat, "row 0"},
		"three columns":  {"e.npy", npyOf(t, 3, 0, 1, 2), "", coles.ErrShape, "1 × 3"},
		"a word":         {"e.txt", "0 b\n", "", coles.ErrFormat, `"b"`},
		"four fields":    {"e.txt", "0 1 2 3\n", "", coles.ErrFormat, "4 fields"},
		"weight":         {"e.txt", "0 1 -2\n", "", coles.ErrNegative, "weight -2"},
		"cut off":        {"e.txt.gz", gzipped(strings.Repeat("0 1\n", 50000))[:100], "", coles.ErrChecksum, "e.txt.gz"},
		"a bomb":         {"e.txt.gz", gzipped(strings.Repeat("0 1\n", 1<<20)), "", coles.ErrTooLarge, "e.txt.gz"},
		"unknown name":   {"e.txt", "a b\nb c\n", "a\nb\n", coles.ErrIDs, `"c"`},
		"a name twice":   {"e.txt", "a a\n", "a\na\n", coles.ErrIDs, `"a"`},
		"no name":        {"e.txt", "a a\n", "a\n\n", coles.ErrIDs, "names:2"},
		"too few names":  {"e.txt", "a a\n", "a\n", coles.ErrShape, "names"},
		"too many names": {"e.txt", "a b\n", "a\nb\nc\n", coles.ErrShape, "names"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folderOf(t, map[string]string{c.file: c.content, "names": c.names, "x.npy": npyOf(t, 1, 1, 2)})
			_, err := readBack(t, func(s beam.Scope) (beam.PCollection, error) {
				if c.names == "" {
					return readShardsOf(t, s, dir+c.file), nil
				}
				return readNamedShards(t, s, dir+"x.npy", dir+"names", dir+c.file, bucketsOf(2))
			})
			if !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.place) || strings.Contains(fmt.Sprint(err), "\n") {
				t.Errorf("error %v, want %v with %q in one line", err, c.want, c.place)
			}
		})
	}
}

func TestReadFeatures(t *testing.T) {
	dir := folderOf(t, map[string]string{
		"x-10.npy": npyOf(t, 2, 6, 7), "x-2.npy": npyOf(t, 2, 0, 1, 2, 3, 4, 5), "x-11.npy.gz": gzipped(npyOf(t, 2, 8, 9)),
	})
	_, err := runPipeline(t, func(s beam.Scope) {
		shards := testkit.Must(featureShards(t.Context(), []string{dir + "x-*"}))
		if nodes, columns := nodesOf(shards), shards[0].Columns; nodes != 5 || columns != 2 {
			t.Fatalf("%d × %d, want 5 × 2", nodes, columns)
		}
		beam.ParDo0(s, &collectRows{}, readShards(s, beam.CreateList(s, shards)))
	})
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, 10)
	for _, r := range rowsSeen.taken() {
		copy(x[r.First*2:], r.Data)
	}
	if want := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}; !slices.Equal(x, want) {
		t.Errorf("rows %v, want %v", x, want)
	}
}

func TestReadFeaturesSaysWhatIsWrong(t *testing.T) {
	ctx := context.Background()
	good := npyOf(t, 2, 1, 2)
	for name, c := range map[string]struct {
		files map[string]string
		want  error
	}{
		"none":       {nil, coles.ErrShape},
		"two widths": {map[string]string{"x-1": good, "x-2": npyOf(t, 3, 1, 2, 3)}, coles.ErrShape},
		"no matrix":  {map[string]string{"x-1": "1 2 3 4 5 6\n"}, coles.ErrFormat},
		"no header":  {map[string]string{"x-1": good[:20]}, coles.ErrChecksum},
		"too many":   {map[string]string{"x-1": strings.Replace(good, "(1, 2)", "(9999999999, 2)", 1)}, coles.ErrTooLarge},
	} {
		dir := folderOf(t, c.files)
		if _, err := featureShards(ctx, []string{dir + "x-*"}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	dir := folderOf(t, map[string]string{"x-1": npyOf(t, 2, 1, 2, 3, math.NaN())})
	_, err := runPipeline(t, func(s beam.Scope) {
		readShards(s, beam.CreateList(s, testkit.Must(featureShards(ctx, []string{dir + "x-*"}))))
	})
	if !errors.Is(err, coles.ErrNotFinite) || !strings.Contains(err.Error(), "row 1, column 1") {
		t.Errorf("NaN: %v", err)
	}
}

func TestCompareNames(t *testing.T) {
	names := []string{"x-10", "x-9", "x-010", "x", "y-1", "x-9b", "x-09"}
	slices.SortFunc(names, compareNames)
	if want := []string{"x", "x-09", "x-9", "x-9b", "x-010", "x-10", "y-1"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

// The nodes have no numbers but their places among the features.
func TestReadNamedEdges(t *testing.T) {
	dir := folderOf(t, map[string]string{
		"x-1.npy": npyOf(t, 1, 1, 2), "x-2.npy": npyOf(t, 1, 3, 4), "names-1.txt": "anna\nbert\n", "names-2.txt.gz": gzipped("carla vom berg\ndie ö"),
		"e-1.tsv": "carla vom berg\tanna\nbert\tdie ö\t3\n", "e-2.tsv": "anna\tbert\n",
	})
	for _, buckets := range []int64{1, 3} {
		got, err := readBack(t, func(s beam.Scope) (beam.PCollection, error) {
			return readNamedShards(t, s, dir+"x-*", dir+"names-*", dir+"e-*", buckets)
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := []weighted{{0, 1, 1}, {1, 3, 3}, {2, 0, 1}}; !slices.Equal(got, want) {
			t.Errorf("%d buckets: edges %v, want %v", buckets, got, want)
		}
	}
}

// An engine's text is cut to the line that names the fault.
func TestEngineError(t *testing.T) {
	plan := "job job-001 failed:\nbundle inst019 failed: while executing Process for Plan[stage-002]:\n1: DataSource\n\tcaused by:\n"
	for _, c := range []struct {
		text, want string
		kind       error
	}{
		{plan + "DoFn[distributed.hop] failed:\ndistributed: x.npy: value is not finite: NaN in row 3", "distributed: x.npy: value is not finite: NaN in row 3", coles.ErrNotFinite},
		{plan + "coles: fit: bad setting: d′ = 7\nfull error: and more", "coles: fit: bad setting: d′ = 7", coles.ErrSetting},
		{plan + "distributed: e.txt: no such file", "distributed: e.txt: no such file", nil},
		{plan + "\tSDK worker disconnected\n", "distributed: the engine: SDK worker disconnected", nil},
	} {
		said := errors.New(c.text)
		err := engineError(said)
		if err.Error() != c.want || c.kind != nil && !errors.Is(err, c.kind) || c.kind == nil && !errors.Is(err, said) {
			t.Errorf("%q: %q, want %q", c.text, err, c.want)
		}
	}
}
