package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"coles/internal/testkit"
)

// A devtools is a browser's end of the DevTools protocol.
type devtools struct {
	to      io.Writer
	from    *bufio.Reader
	id      int
	session string
}

// call sends a command and returns what is of use of its result.
func (d *devtools) call(method string, params map[string]any) (result struct {
	SessionID   string
	TargetInfos []struct{ TargetID, Type string }
}) {
	d.id++
	message := map[string]any{"id": d.id, "method": method, "params": params}
	if d.session != "" {
		message["sessionId"] = d.session
	}
	d.to.Write(append(testkit.Must(json.Marshal(message)), 0))
	for {
		text, err := d.from.ReadBytes(0)
		if err != nil {
			return result
		}
		answer := struct {
			ID     int
			Result any
		}{Result: &result}
		if json.Unmarshal(text[:len(text)-1], &answer); answer.ID == d.id {
			return result
		}
	}
}

// ofPage sends a command to the page.
func (d *devtools) ofPage(method string, params map[string]any) {
	if d.session == "" {
		targets := d.call("Target.getTargets", nil).TargetInfos
		page := slices.IndexFunc(targets, func(t struct{ TargetID, Type string }) bool { return t.Type == "page" })
		d.session = d.call("Target.attachToTarget", map[string]any{"targetId": targets[page].TargetID, "flatten": true}).SessionID
	}
	d.call(method, params)
}

// scheme has the page think that its user prefers dark or light.
func (d *devtools) scheme(kind string) {
	d.ofPage("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]string{"name": "prefers-color-scheme", "value": kind}}})
}

// press presses the button of a name as the page's user would.
func (d *devtools) press(name string) {
	d.ofPage("Runtime.evaluate", map[string]any{"expression": fmt.Sprintf("find('[name=%s]').click()", name), "userGesture": true})
}

// inBrowser opens the page of a folder in Chromium and returns its contents after each act, in JavaScript.
func inBrowser(t *testing.T, folder, acts string, files map[string]string) map[string]shown {
	t.Helper()
	path := testkit.Browser(t)
	page := testkit.Must(os.ReadFile(filepath.Join(folder, "index.html")))
	page = bytes.Replace(page, []byte("</head>"), []byte(`<script src="driver.js" defer></script></head>`), 1)
	found := make(chan []byte, 1)
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(folder)))
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) { w.Write(page) })
	mux.HandleFunc("/driver.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprintf(w, "const acts = {%s};\n%s", acts, driver)
	})
	for name, file := range files {
		mux.HandleFunc("/"+name, func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) })
	}
	mux.HandleFunc("POST /found", func(_ http.ResponseWriter, r *http.Request) {
		found <- testkit.Must(io.ReadAll(r.Body))
	})
	commands, to, err := os.Pipe()
	testkit.Check(t, err)
	from, answers, err := os.Pipe()
	testkit.Check(t, err)
	tools, downloads := &devtools{to: to, from: bufio.NewReader(from)}, t.TempDir()
	mux.HandleFunc("POST /scheme/{kind}", func(_ http.ResponseWriter, r *http.Request) { tools.scheme(r.PathValue("kind")) })
	mux.HandleFunc("POST /saved/{file}/{button}", func(w http.ResponseWriter, r *http.Request) {
		tools.press(r.PathValue("button"))
		for range 600 { // a download has its name when it is whole
			if text, err := os.ReadFile(filepath.Join(downloads, r.PathValue("file"))); err == nil {
				w.Write(text)
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		fmt.Fprintf(w, "not saved; the folder has %v", testkit.Must(os.ReadDir(downloads)))
	})
	server := httptest.NewServer(mux)
	defer server.Close()

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if end, ok := t.Deadline(); ok { // before which there is time to say what the page said
		defer time.AfterFunc(time.Until(end)-10*time.Second, cancel).Stop()
	}
	run := exec.CommandContext(ctx, path, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=500,900", "--user-data-dir="+t.TempDir(),
		"--enable-logging=stderr", "--remote-debugging-pipe", server.URL+"/")
	run.ExtraFiles = []*os.File{commands, answers}
	var stderr bytes.Buffer
	run.Stderr = &stderr
	testkit.Check(t, run.Start())
	commands.Close()
	answers.Close()
	tools.call("Browser.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": downloads})
	var body []byte
	select {
	case body = <-found:
	case <-ctx.Done():
	}
	if run.Process.Signal(os.Interrupt) != nil { // which lets it end its own processes
		cancel()
	}
	run.Wait()
	if body == nil || strings.Contains(stderr.String(), "CONSOLE") {
		t.Fatalf("%s: %v\n%s", path, ctx.Err(), stderr.String())
	}
	var all map[string]shown
	testkit.Check(t, json.Unmarshal(body, &all))
	return all
}

// built is a folder with the page, which takes a minute to build.
func built(t *testing.T) string {
	t.Helper()
	testkit.Long(t)
	folder := filepath.Join(t.TempDir(), "page")
	testkit.Check(t, run(t.Context(), []string{"-o", folder}, io.Discard, io.Discard))
	return folder
}
