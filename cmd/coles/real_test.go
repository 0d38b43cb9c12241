package main

import (
	"path/filepath"
	"testing"

	"coles/internal/testkit"
)

// The published files, if they lie next to the project. Sizes come from the file's description:
// Cora has 2,708 nodes, 5,278 edges, 1,433 words, 7 classes.
func TestRealFiles(t *testing.T) {
	data := testkit.Shared(t, "data")
	dir := t.TempDir()
	planetoid, archive := filepath.Join(data, "planetoid", "cora"), filepath.Join(dir, "cora.npz")
	must(t, "", "convert", planetoid, archive)
	for _, path := range []string{planetoid, archive, filepath.Join(data, "npz", "cora.npz")} {
		got := decoded[graphInfo](t, "", "info", "-json", path)
		if got.Graph.Nodes != 2708 || got.Graph.Edges != 5278 || got.Features.Columns != 1433 || got.Labels.Classes != 7 || got.Components != 78 {
			t.Errorf("%s: %+v", path, got)
		}
	}
	if testing.Short() {
		return
	}
	splits := filepath.Join(data, "splits", "cora_20.json")
	if e := evaluated(t, filepath.Join(data, "npz", "cora.npz"), "-splits", splits, "-runs", "0"); e.Classification.Accuracy.String() != "82.9 ± 1.0 %" {
		// It is 82.8501, which tables, of two decimals, have as 82.85 and print as 82.8.
		t.Errorf("accuracy on cora with 20 labels per class is %v, want 82.9 ± 1.0", e.Classification.Accuracy)
	}
}
