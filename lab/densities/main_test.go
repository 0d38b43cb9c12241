package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"coles/examples/shared/clitest"
	"coles/internal/testkit"
)

func TestFiguresAreDrawn(t *testing.T) {
	for figure, want := range map[string][]string{
		"scores": {"generated, 0.95", "| SampledNCE | 1 |", "| COLES-GCN | 2 |"},
		"gain":   {"| generated, 0.2 |", "| generated, 0.95 |", "gain"},
	} {
		out := filepath.Join(t.TempDir(), "d.svg")
		stdout, _ := clitest.Run(t, run, "-figure", figure, "-nodes", "150", "-epochs", "2", "-pairs", "100", "-o", out)
		testkit.WantText(t, stdout, append(want, out)...)
		if picture, err := os.ReadFile(out); err != nil || !bytes.Contains(picture, []byte("<svg")) {
			t.Errorf("%s: no picture: %v", figure, err)
		}
	}
}

func TestDensitiesRefuses(t *testing.T) {
	clitest.Refuses(t, run, []clitest.Refusal{
		{Name: "unknown figure", Args: []string{"-figure", "chairs"}, Text: "chairs"},
		{Name: "no nodes", Args: []string{"-nodes", "0"}, Text: "-nodes 0"},
		{Name: "one pair", Args: []string{"-pairs", "1"}, Text: "-pairs 1"},
		{Name: "no epochs", Args: []string{"-epochs", "0"}, Text: "-epochs 0"},
		{Name: "data without names", Args: []string{"-data", t.TempDir()}, Text: "go together"},
		{Name: "names without data", Args: []string{"-datasets", "cora"}, Text: "go together"},
		{Name: "no such data set", Args: []string{"-data", t.TempDir(), "-datasets", "nowhere"}, Is: os.ErrNotExist, Text: "nowhere"},
		{Name: "unknown picture", Args: []string{"-nodes", "300", "-epochs", "1", "-o", filepath.Join(t.TempDir(), "d.bmp")}, Text: "d.bmp"},
	})
}
