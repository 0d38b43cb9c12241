package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFiguresAreDrawn(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string
	}{
		{nil, []string{"generated, 0.95", "| SampledNCE | 1 |", "| COLES-GCN | 2 |"}},
		{[]string{"-figure", "gain"}, []string{"| generated, 0.2 |", "| generated, 0.95 |", "gain"}},
	} {
		out := filepath.Join(t.TempDir(), "d.svg")
		var stdout, stderr bytes.Buffer
		if err := run(context.Background(), append(c.args, "-nodes", "300", "-epochs", "2", "-pairs", "100", "-o", out), &stdout, &stderr); err != nil {
			t.Fatal(err)
		}
		for _, want := range append(c.want, out) {
			if !strings.Contains(stdout.String(), want) {
				t.Errorf("%v: the output lacks %q:\n%s", c.args, want, stdout.String())
			}
		}
		if picture, err := os.ReadFile(out); err != nil || !bytes.Contains(picture, []byte("<svg")) {
			t.Errorf("%v: no picture: %v", c.args, err)
		}
	}
}

func TestDensitiesRefuses(t *testing.T) {
	for _, args := range [][]string{
		{"-figure", "chairs"}, {"stray"}, {"-nodes", "0"}, {"-pairs", "1"}, {"-epochs", "0"},
		{"-data", t.TempDir()}, {"-datasets", "cora"}, {"-data", t.TempDir(), "-datasets", "nowhere"},
		{"-nodes", "300", "-epochs", "1", "-o", filepath.Join(t.TempDir(), "d.bmp")},
	} {
		var stdout, stderr bytes.Buffer
		if err := run(context.Background(), args, &stdout, &stderr); err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
}
