package main

import (
	"bytes"
	"context"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestGCNTrainsAndDraws(t *testing.T) {
	out := filepath.Join(t.TempDir(), "g.png")
	var stdout, stderr bytes.Buffer
	if err := run(context.Background(), []string{"-nodes", "300", "-epochs", "4", "-o", out}, &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"300 nodes", "4 epochs", "raw features", "COLES-GCN", out} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, stdout.String())
		}
	}
	if lines := strings.Count(stderr.String(), "\n"); lines != 4 || !strings.Contains(stderr.String(), "epoch  4 of 4: loss") {
		t.Errorf("progress of four epochs is\n%s", stderr.String())
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := png.Decode(f); err != nil {
		t.Errorf("the picture is no PNG: %v", err)
	}
}

func TestGCNRefuses(t *testing.T) {
	for _, args := range [][]string{{"-nodes", "0"}, {"-epochs", "0", "-nodes", "300"}, {"-patience", "0", "-nodes", "300"}, {"stray"}, {"-nodes", "300", "-epochs", "1", "-o", filepath.Join(t.TempDir(), "g.bmp")}} {
		var stdout, stderr bytes.Buffer
		if err := run(context.Background(), args, &stdout, &stderr); err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
}

func TestInterruptedTrainingLeavesNoPicture(t *testing.T) {
	out := filepath.Join(t.TempDir(), "g.png")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	if err := run(ctx, []string{"-nodes", "300", "-o", out}, &stdout, &stderr); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("there is a picture")
	}
}
