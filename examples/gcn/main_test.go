package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coles/examples/shared/clitest"
	"coles/internal/testkit"
)

func TestGCNTrainsAndDraws(t *testing.T) {
	out := filepath.Join(t.TempDir(), "g.png")
	stdout, stderr := clitest.Run(t, run, "-nodes", "300", "-epochs", "4", "-o", out)
	testkit.WantText(t, stdout, "300 nodes", "4 epochs", "raw features", "COLES-GCN", out)
	testkit.WantText(t, stderr, "epoch  4 of 4: loss")
	testkit.WantSame(t, "lines of progress", strings.Count(stderr, "\n"), 4)
	clitest.WantPNG(t, out)
}

func TestGCNRefuses(t *testing.T) {
	clitest.Refuses(t, run, []clitest.Refusal{
		{Name: "no nodes", Args: []string{"-nodes", "0"}, Text: "-nodes 0"},
		{Name: "no epochs", Args: []string{"-epochs", "0", "-nodes", "300"}, Text: "poch"},
		{Name: "no patience", Args: []string{"-patience", "0", "-nodes", "300"}, Text: "patience"},
		{Name: "unknown picture", Args: []string{"-nodes", "300", "-epochs", "1", "-o", filepath.Join(t.TempDir(), "g.bmp")}, Text: "g.bmp"},
	})
}

func TestInterruptedTrainingLeavesNoPicture(t *testing.T) {
	out := filepath.Join(t.TempDir(), "g.png")
	clitest.Stops(t, run, "-nodes", "300", "-o", out)
	if _, err := os.Stat(out); err == nil {
		t.Error("there is a picture")
	}
}
