//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"coles/internal/testkit"
)

func TestSignals(t *testing.T) {
	from, _, _, _ := circle(t)
	stdout, w := io.Pipe()
	ended := make(chan error, 1)
	var logged bytes.Buffer
	go func() {
		ended <- run(t.Context(), []string{"-addr", "localhost:0", "-graph", from.graph, "-features", from.features}, w, &logged)
	}()
	line := testkit.Must(bufio.NewReader(stdout).ReadString('\n'))
	_, url, _ := strings.Cut(strings.TrimSpace(line), " on ")
	health := func() (a answer) {
		r := testkit.Must(http.Get(url + "/healthz"))
		defer r.Body.Close()
		testkit.Check(t, json.NewDecoder(r.Body).Decode(&a))
		return a
	}
	before := health()
	signal := func(s syscall.Signal) {
		testkit.Check(t, syscall.Kill(syscall.Getpid(), s))
	}
	signal(syscall.SIGHUP)
	for !health().Since.After(before.Since) { // or the test runs out of time
		time.Sleep(time.Millisecond)
	}
	signal(syscall.SIGTERM)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	testkit.WantText(t, logged.String(), "reload by SIGHUP: 6 nodes, 7 edges", "stop: ", "stopped\n")
}
