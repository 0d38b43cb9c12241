package main

import (
	"os"
	"path/filepath"
	"testing"

	"coles/examples/shared/clitest"
	"coles/internal/testkit"
)

func TestQuickstartMeasuresAndDraws(t *testing.T) {
	out := filepath.Join(t.TempDir(), "q.png")
	stdout, _ := clitest.Run(t, run, "-nodes", "200", "-o", out)
	testkit.WantText(t, stdout, "200 nodes", "raw features", "S²GC", "COLES-S²GC", out)
	clitest.WantPNG(t, out)
}

func TestQuickstartRefusesAnUnknownPicture(t *testing.T) {
	out := filepath.Join(t.TempDir(), "q.bmp")
	clitest.Refuses(t, run, []clitest.Refusal{{Name: "bmp", Args: []string{"-nodes", "400", "-o", out}, Text: "q.bmp"}})
	if _, err := os.Stat(out); err == nil {
		t.Error("a file was left behind")
	}
}
