package parquet_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"coles/dataset"
	pq "coles/dataset/parquet"

	"gonum.org/v1/gonum/mat"
)

// tools installs DuckDB and polars by npm, and returns a function that runs testdata/tools.mjs.
func tools(t *testing.T) func(args ...string) string {
	t.Helper()
	if os.Getenv("COLES_SHARED") == "" || testing.Short() {
		t.Skip("installs DuckDB and polars: runs where COLES_SHARED=1 is set")
	}
	dir := t.TempDir()
	run := func(name string, args ...string) (string, error) {
		c := exec.CommandContext(t.Context(), name, args...)
		c.Dir = dir
		out, err := c.Output()
		return string(out), err
	}
	const polars = "0.26.1"
	if _, err := run("npm", "install", "--no-audit", "--prefix", dir, "@duckdb/node-api@1.5.6-r.1", "nodejs-polars@"+polars, "nodejs-polars-linux-x64-gnu@"+polars); err != nil {
		t.Skip("npm cannot install DuckDB and polars: ", err)
	}
	script := filepath.Join(dir, "tools.mjs")
	if err := os.WriteFile(script, must(os.ReadFile("testdata/tools.mjs")), 0o666); err != nil {
		t.Fatal(err)
	}
	return func(args ...string) string {
		out, err := run("node", append([]string{script}, args...)...)
		if err != nil {
			t.Fatalf("node %s: %v", args, err)
		}
		return out
	}
}

// objects are the rows of JSON lines.
func objects(t *testing.T, text string) (rows []map[string]any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	for d.UseNumber(); d.More(); {
		var row map[string]any
		if err := d.Decode(&row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// Files of DuckDB and polars are read as these read them, of every type, compression, number of row groups, and with nulls.
func TestFilesOfDuckDBAndPolars(t *testing.T) {
	run, dir := tools(t), t.TempDir()
	run("write", dir)
	files := must(filepath.Glob(filepath.Join(dir, "*.parquet")))
	if len(files) < 300 {
		t.Fatalf("%d files", len(files))
	}
	for _, path := range files {
		name := filepath.Base(path)
		p := strings.Split(name, "-") // tool, content, rows, nulls, compression
		want := objects(t, string(must(os.ReadFile(filepath.Join(dir, strings.Join(p[:4], "-")+".json")))))
		var err error
		var differs string
		switch p[1] {
		case "table":
			differs, err = differentCells(path, want)
		case "edges", "numbers":
			differs, err = differentEdges(path, want)
		default:
			differs, err = differentVectors(path, want)
		}
		switch lz4 := strings.HasPrefix(p[4], "lz4"); {
		case lz4 && (err == nil || !strings.Contains(err.Error(), "LZ4")):
			t.Errorf("%s: error %v, want one that names LZ4", name, err)
		case !lz4 && err != nil:
			t.Errorf("%s: %v", name, err)
		case differs != "":
			t.Errorf("%s: %s", name, differs)
		}
	}
}

func differentCells(path string, want []map[string]any) (string, error) {
	x, err := dataset.Open(path, pq.ReadTable)
	if err != nil {
		return "", err
	}
	if x.Rows() != len(want) {
		return fmt.Sprintf("%d rows, want %d", x.Rows(), len(want)), nil
	}
	for i, row := range want {
		for _, c := range x.Columns {
			if x.IDs[i] != row["id"] || !sameCell(c.Cells[i], row[c.Name]) {
				return fmt.Sprintf("row %d: %q is %q, want %v", i, c.Name, c.Cells[i], row[c.Name]), nil
			}
		}
	}
	return "", nil
}

// sameCell compares a cell with a value of JSON. The tools write float32 with the digits of float64.
func sameCell(cell string, want any) bool {
	switch w := want.(type) {
	case nil:
		return cell == ""
	case json.Number:
		a, err := strconv.ParseFloat(cell, 64)
		b, _ := w.Float64()
		return err == nil && (a == b || float32(a) == float32(b))
	case string:
		if cell == w {
			return true
		}
		at, err := time.Parse(time.RFC3339Nano, cell)
		for _, layout := range []string{time.RFC3339Nano, time.DateTime, time.DateOnly, "2006-01-02 15:04:05-07"} {
			if when, err2 := time.Parse(layout, w); err == nil && err2 == nil {
				return at.Equal(when)
			}
		}
		return false
	}
	return cell == fmt.Sprint(want)
}

func differentEdges(path string, want []map[string]any) (string, error) {
	d, err := dataset.Open(path, pq.ReadEdges)
	if err != nil {
		return "", err
	}
	sums := make(map[string]float64)
	for _, row := range want {
		w, _ := row["weight"].(json.Number).Float64()
		sums[fmt.Sprint(row["source"], " ", row["target"])] += w
	}
	d.Adjacency.DoNonZero(func(i, j int, w float64) { sums[d.IDs[i]+" "+d.IDs[j]] -= w })
	for edge, left := range sums {
		if left != 0 {
			return fmt.Sprintf("the weights of %s differ by %v", edge, left), nil
		}
	}
	return "", nil
}

func differentVectors(path string, want []map[string]any) (string, error) {
	d, err := dataset.Open(path, pq.ReadVectors)
	if err != nil {
		return "", err
	}
	if len(d.IDs) != len(want) {
		return fmt.Sprintf("%d rows, want %d", len(d.IDs), len(want)), nil
	}
	for i, row := range want {
		for j, v := range row["vector"].([]any) {
			if d.IDs[i] != fmt.Sprint(row["id"]) || !sameCell(fmt.Sprint(d.Features.At(i, j)), v) {
				return fmt.Sprintf("row %d: value %d is %v, want %v", i, j, d.Features.At(i, j), v), nil
			}
		}
	}
	return "", nil
}

// What is written is read back to the bit: Parquet by DuckDB and polars, JSON lines by DuckDB.
func TestFilesForDuckDBAndPolars(t *testing.T) {
	run, dir := tools(t), t.TempDir()
	ids := []string{"a", "Böhm, \"K\"", "7"}
	x := mat.NewDense(3, 2, []float64{1.0 / 3, -2e-30, math.MaxFloat32, 0, math.SmallestNonzeroFloat32, math.Pi})
	var single mat.Dense
	single.Apply(func(_, _ int, v float64) float64 { return float64(float32(v)) }, x)
	lines, _ := dataset.FormatNamed("jsonl")
	var text bytes.Buffer
	if err := lines.Write(&text, &dataset.Dataset{IDs: ids, Features: x}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		file  []byte
		times int
		want  mat.Matrix
	}{
		"vectors.parquet": {vectorsFile(t, ids, x), 2, &single},
		"vectors.json":    {text.Bytes(), 1, x},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, c.file, 0o666); err != nil {
			t.Fatal(err)
		}
		rows := objects(t, run("read", path))
		if len(rows) != c.times*len(ids) {
			t.Fatalf("%s: %d rows", name, len(rows))
		}
		for k, row := range rows {
			for j, v := range row["vector"].([]any) {
				got, err := strconv.ParseFloat(fmt.Sprint(v), 64)
				if want := c.want.At(k%3, j); err != nil || row["id"] != ids[k%3] || got != want && (c.times == 1 || float32(got) != float32(want)) {
					t.Errorf("%s: row %d: %v is %v, want %v", name, k, row["id"], v, want)
				}
			}
		}
	}
}
