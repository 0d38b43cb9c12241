package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coles/examples/shared/clitest"
	"coles/internal/testkit"
)

func TestServes(t *testing.T) {
	testkit.Long(t)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stdout, printed := io.Pipe()
	ended := make(chan error)
	go func() {
		err := run(ctx, []string{"-listen", "127.0.0.1:0"}, printed, io.Discard)
		printed.Close()
		ended <- err
	}()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(<-ended)
	}
	for name, want := range map[string]struct{ kind, start string }{
		"":             {"text/html", "<!doctype html>"},
		"worker.js":    {"text/javascript", `"use strict"`},
		"wasm_exec.js": {"text/javascript", "// Copyright"},
		"coles.wasm":   {"application/wasm", "\x00asm"},
	} {
		r := testkit.Must(http.Get(strings.TrimSpace(line) + "/" + name))
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if kind := r.Header.Get("Content-Type"); err != nil || !strings.HasPrefix(kind, want.kind) || !strings.HasPrefix(string(body), want.start) {
			t.Errorf("%q: %v, %s, %.20q", name, err, kind, body)
		}
	}
	rebound := testkit.Must(http.NewRequest("GET", strings.TrimSpace(line), nil))
	rebound.Host = "evil.example"
	r := testkit.Must(http.DefaultClient.Do(rebound))
	r.Body.Close()
	testkit.WantSame(t, "status for another host", r.StatusCode, http.StatusForbidden)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("ended by %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(temporary, "coles-page-*")); left != nil {
		t.Errorf("left behind: %q", left)
	}
}

func TestRefusals(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	testkit.Check(t, os.WriteFile(file, nil, 0o666))
	clitest.Refuses(t, run, []clitest.Refusal{
		{Name: "unknown flag", Args: []string{"-port", "1"}, Text: "-port"},
		{Name: "argument", Args: []string{"folder"}, Text: "unexpected argument"},
		{Name: "no address", Args: []string{"-listen", "nowhere"}, Text: "nowhere"},
		{Name: "a file for a folder", Args: []string{"-o", file}, Text: file},
	})
	clitest.Stops(t, run, "-o", filepath.Join(t.TempDir(), "page"))
}
