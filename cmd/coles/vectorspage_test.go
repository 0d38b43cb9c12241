package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"coles/dataset"
	"coles/internal/testkit"
)

// The commands of the page on stores of vectors run, and what they write for a store has every vector to the last digit.
func TestVectorsPage(t *testing.T) {
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("jq is not installed, which the page reshapes lines with")
	}
	docs := filepath.Join("..", "..", "docs")
	page := testkit.Must(os.ReadFile(filepath.Join(docs, "vectors.md")))
	dir := t.TempDir()
	testkit.Check(t, os.CopyFS(dir, os.DirFS(filepath.Join(docs, "sample"))))
	t.Chdir(dir)
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		for line := range strings.Lines(block[1]) {
			if args := strings.Fields(line); args[0] == "coles" {
				must(t, "", args[1:]...)
			} else if out, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil || len(out) > 0 {
				t.Fatalf("%s%v: %s", line, err, out)
			}
		}
	}
	type row struct {
		ID     string
		Vector []float64
	}
	var want []row
	for line := range strings.Lines(read(t, "v.jsonl")) {
		var r row
		testkit.Check(t, json.Unmarshal([]byte(line), &r))
		want = append(want, r)
	}
	ids := strings.Fields(read(t, "v.ids"))
	x := testkit.Must(dataset.ReadNPY(strings.NewReader(read(t, "v.npy"))))
	for i, r := range want {
		testkit.WantSame(t, "the matrix", row{ids[i], x.RawRowView(i)}, r)
	}

	var copied []row
	for _, fields := range testkit.Must(csv.NewReader(strings.NewReader(read(t, "v.csv"))).ReadAll()) {
		r := row{ID: fields[0]}
		testkit.Check(t, json.Unmarshal([]byte(fields[1]), &r.Vector)) // pgvector writes lists as JSON does
		copied = append(copied, r)
	}
	testkit.WantSame(t, "rows to copy", copied, want)

	var points struct {
		Points []struct {
			ID      int
			Vector  []float64
			Payload struct{ Name string }
		}
	}
	testkit.Check(t, json.Unmarshal([]byte(read(t, "points.json")), &points))
	tensors, names := strings.Split(strings.TrimSpace(read(t, "tensors.tsv")), "\n"), strings.Fields(read(t, "metadata.tsv"))
	testkit.WantSame(t, "number of points", len(points.Points), len(want))
	for i, p := range points.Points {
		testkit.WantSame(t, "a point", row{p.Payload.Name, p.Vector}, want[i])
		testkit.WantSame(t, "the id of a point", p.ID, i)
		numbers := []float64{}
		testkit.Check(t, json.Unmarshal([]byte("["+strings.ReplaceAll(tensors[i], "\t", ",")+"]"), &numbers))
		testkit.WantSame(t, "a line of the projector", row{names[i], numbers}, want[i])
	}
}
