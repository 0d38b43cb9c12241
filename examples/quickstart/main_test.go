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

func TestQuickstartMeasuresAndDraws(t *testing.T) {
	out := filepath.Join(t.TempDir(), "q.png")
	var stdout, stderr bytes.Buffer
	if err := run(context.Background(), []string{"-nodes", "400", "-o", out}, &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"400 nodes", "raw features", "S²GC", "COLES-S²GC", out} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, stdout.String())
		}
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

func TestQuickstartRefusesAnUnknownPicture(t *testing.T) {
	out := filepath.Join(t.TempDir(), "q.bmp")
	var stdout, stderr bytes.Buffer
	if err := run(context.Background(), []string{"-nodes", "400", "-o", out}, &stdout, &stderr); err == nil || !strings.Contains(err.Error(), "q.bmp") {
		t.Errorf("error %v, want one that names q.bmp", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a file was left behind")
	}
}
