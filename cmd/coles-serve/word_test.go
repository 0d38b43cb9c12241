package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"coles/examples/shared/cli"
	"coles/internal/testkit"
)

// Without features a node whose neighbours the last fit has not seen, or that has none, is taken, has no vector until the next fit, and is
// there after a start; so is one that loses its last edge or neighbour.
func TestNodesWithoutVectors(t *testing.T) {
	from, _, _, _ := circle(t)
	from.features = ""
	dir := t.TempDir()
	s := keeping(t, from, dir)
	ask(t, s, "POST", "/nodes", `[{"id": "kim", "edges": [{"to": "ann"}]}, {"id": "max", "edges": [{"to": "bob"}, {"to": "cy"}]}]`, 200)
	ask(t, s, "POST", "/nodes", `[{"id": "lea", "edges": [{"to": "kim"}]}, {"id": "solo"}]`, 200)
	ask(t, s, "DELETE", "/edges", `[{"from": "ann", "to": "kim"}]`, 200)
	ask(t, s, "POST", "/nodes", `[{"id": "lea"}]`, 409)
	if got := ask(t, s, "POST", "/embed", `{"neighbours": ["max"]}`, 200).Nearest; len(got) != 7 || !slices.ContainsFunc(got, func(m match) bool { return m.ID == "max" }) {
		t.Errorf("near a neighbour of max are %v", got)
	}
	for range 2 {
		for id, want := range map[string]bool{"kim": false, "lea": false, "solo": false, "max": true} {
			if got := ask(t, s, "GET", "/similar?id="+id, "", 200).Nearest; len(got) > 0 != want {
				t.Errorf("near %s are %v", id, got)
			}
		}
		s = keeping(t, from, dir)
	}
	ask(t, s, "POST", "/reload", "", 200)
	ask(t, s, "DELETE", "/nodes", `["bob", "cy"]`, 200)
	ask(t, s, "DELETE", "/edges", `[{"from": "lea", "to": "kim"}]`, 200)
	s = keeping(t, from, dir)
	testkit.WantSame(t, "nodes", ask(t, s, "GET", "/healthz", "", 200).Nodes, 8)
	ask(t, s, "DELETE", "/nodes", `["ann", "dan", "eve", "fay", "kim", "max"]`, 200) // and all edges
	ask(t, s, "POST", "/reload", "", 200)
	testkit.WantText(t, ask(t, s, "GET", "/links?id=lea", "", 404).Error, "without edges")
}

// What cannot be placed or fitted is refused, is not in the journal, and leaves everything as it was.
func TestTriedBeforeItIsWritten(t *testing.T) {
	from, _, _, _ := circle(t)
	dir := t.TempDir()
	s := keeping(t, from, dir)
	ask(t, s, "POST", "/nodes", kim, 200)
	size, before := s.journal.size, ask(t, s, "GET", "/similar?id=kim", "", 200)
	const huge = `{"0": 1e308, "1": -1e308}`
	for _, r := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/nodes", `[{"id": "a"}, {"id": "b", "features": ` + huge + `}]`, 400},
		{"PUT", "/features", `{"kim": ` + huge + `}`, 400},
		{"PUT", "/features", `{"ann": ` + huge + `}`, 400},
		{"POST", "/edges", `[{"from": "kim", "to": "ann", "weight": 1e308}]`, 400},
		{"DELETE", "/edges", `[{"from": "ann", "to": "fay"}]`, 404},
		{"DELETE", "/edges", `[{"from": "ann", "to": "bob"}, {"from": "bob", "to": "ann"}]`, 404},
		{"POST", "/nodes", `[{"id": "a", "edges": [{"to": "ann", "weight": 0}]}]`, 404},
		{"DELETE", "/nodes", `["ann", "bob", "cy", "dan", "eve", "fay", "kim"]`, 400},
		{"POST", "/nodes", `[{"id": " a"}]`, 400}, {"POST", "/nodes", `[{"id": "a\nb"}]`, 400}, {"POST", "/nodes", `[{"id": "\ud800"}]`, 400},
		{"POST", "/nodes", `[{"id": "a", "id": "b"}]`, 400}, {"POST", "/nodes", `[{"id": "a", "features": {"0": 1, "\u0030": 2}}]`, 400},
		{"POST", "/nodes", `[{"id": "a", "ID": "b"}]`, 400}, {"POST", "/nodes", `[{"id": "a", "features": {"0": 1}, "Features": {"0": 2}}]`, 400},
		{"POST", "/nodes", `[{"id": "` + strings.Repeat("é", 501) + `"}]`, 400},
		{"PUT", "/features", `{"kim": {"0": 1e999}}`, 400}, {"PUT", "/features", `{"ann": {}, "ann": {}}`, 400},
	} {
		if a := ask(t, s, r.method, r.path, r.body, r.status); a.Error == "" {
			t.Errorf("%s %s: no word", r.method, r.body)
		}
	}
	testkit.WantSame(t, "bytes of the journal", s.journal.size, size)
	testkit.WantSame(t, "the answer", ask(t, s, "GET", "/similar?id=kim", "", 200), before)
	testkit.WantSame(t, "the answer after a start", ask(t, keeping(t, from, dir), "GET", "/similar?id=kim", "", 200), before)
}

// All nodes of the files may go, as long as there are others.
func TestNodesOfTheFilesGo(t *testing.T) {
	from, _, _, _ := circle(t)
	dir := t.TempDir()
	s := keeping(t, from, dir)
	ask(t, s, "POST", "/nodes", `[{"id": "kim", "features": {"0": 1}}, {"id": "lea", "features": {"1": 1}, "edges": [{"to": "kim"}]}]`, 200)
	ask(t, s, "DELETE", "/nodes", `["ann", "bob", "cy", "dan", "eve", "fay"]`, 200)
	ask(t, s, "POST", "/reload", "", 200)
	want := ask(t, s, "GET", "/similar?id=kim", "", 200)
	testkit.WantSame(t, "the answer after a start", ask(t, keeping(t, from, dir), "GET", "/similar?id=kim", "", 200), want)
}

// One line of a journal that cannot be taken is an error with its number and the way out, which is to set it aside, and what needs it.
func TestLinesAreSetAside(t *testing.T) {
	from, _, _, _ := circle(t)
	dir := t.TempDir()
	s := keeping(t, from, dir)
	for _, id := range []string{"a", "b", "c"} {
		ask(t, s, "POST", "/nodes", `[{"id": "`+id+`", "edges": [{"to": "ann"}]}]`, 200)
	}
	ask(t, s, "POST", "/edges", `[{"from": "a", "to": "c"}]`, 200)
	ask(t, s, "POST", "/edges", `[{"from": "b", "to": "c"}]`, 200)
	path := filepath.Join(dir, "journal")
	lines := strings.SplitAfter(string(testkit.Must(os.ReadFile(path))), "\n")
	lines[1] = strings.Replace(lines[1], "ann", "bob", 1) // line 2, and line 5 needs it
	write(t, path, strings.Join(lines, ""))
	testkit.Check(t, os.Chmod(path, 0o640))
	_, err := kept(t, from, dir, false)
	testkit.WantText(t, fmt.Sprint(err), "journal:2: ", "-set-aside")
	s = testkit.Must(kept(t, from, dir, true))
	testkit.WantSame(t, "nodes", s.now.book.order, []string{"b", "c"})
	testkit.WantSame(t, "lines set aside", string(testkit.Must(os.ReadFile(path+".aside"))), lines[1]+lines[4])
	testkit.WantSame(t, "lines that stay", string(testkit.Must(os.ReadFile(path))), lines[0]+lines[2]+lines[3]+lines[5])
	ask(t, s, "POST", "/reload", "", 200)
	testkit.WantSame(t, "mode", testkit.Must(os.Stat(path)).Mode().Perm(), os.FileMode(0o640))
	testkit.WantSame(t, "nodes after a start", keeping(t, from, dir).now.book.order, []string{"b", "c"})
}

// A folder has one service: another is told whose it is, and gets it when that one has ended.
func TestOneOwner(t *testing.T) {
	from, _, _, _ := circle(t)
	dir := t.TempDir()
	s := keeping(t, from, dir)
	d, f, err := from.files(t.Context())
	testkit.Check(t, err)
	other := &service{log: log.New(io.Discard, "", 0)}
	testkit.WantText(t, fmt.Sprint(other.keep(t.Context(), dir, false, d, f)), "another service, process "+fmt.Sprint(os.Getpid()))
	ask(t, s, "POST", "/nodes", kim, 200)
	ask(t, keeping(t, from, dir), "GET", "/similar?id=kim", "", 200)
	_, notes, err := openJournal(t.TempDir(), "", false, nil)
	testkit.Check(t, err)
	testkit.WantText(t, fmt.Sprint(notes), "journal is empty, and begins")
}

// A journal that is moved, removed, replaced, cut or written to by others is an error to each change and each fit, until it is there again.
func TestJournalLeaves(t *testing.T) {
	from, _, _, _ := circle(t)
	for name, do := range map[string]func(dir, path string) error{
		"moved":   func(_, path string) error { return os.Rename(path, path+".1") },
		"removed": func(_, path string) error { return os.Remove(path) },
		"replaced": func(_, path string) error {
			text := testkit.Must(os.ReadFile(path))
			testkit.Check(t, os.Rename(path, path+".1"))
			return os.WriteFile(path, text, 0o600)
		},
		"cut":     func(_, path string) error { return os.Truncate(path, 30) },
		"emptied": func(_, path string) error { return os.Truncate(path, 0) },
		"folder":  func(dir, _ string) error { return os.RemoveAll(dir) },
	} {
		dir := filepath.Join(t.TempDir(), "kept")
		s := keeping(t, from, dir)
		path := filepath.Join(dir, "journal")
		ask(t, s, "POST", "/nodes", kim, 200)
		testkit.Check(t, do(dir, path))
		before, logged := stateOf(s), &bytes.Buffer{}
		s.log.SetOutput(logged)
		for _, r := range [][3]string{{"POST", "/nodes", `[{"id": "lea"}]`}, {"DELETE", "/nodes", `["ann"]`}, {"POST", "/reload", ""}} {
			if text := ask(t, s, r[0], r[1], r[2], 500).Error; !strings.Contains(text, "journal") {
				t.Errorf("%s: %q", name, text)
			}
		}
		ask(t, s, "GET", "/similar?id=lea", "", 404)
		testkit.WantSame(t, "the fit goes on", stateOf(s) == before, true)
		testkit.WantText(t, logged.String(), "fit by", "the last one goes on")
		if name == "moved" {
			testkit.Check(t, os.Rename(path+".1", path))
			ask(t, s, "POST", "/nodes", `[{"id": "lea"}]`, 200)
			ask(t, keeping(t, from, dir), "GET", "/similar?id=lea", "", 200)
		}
	}
}

// Every answer knows the edges, nodes and removals that were told.
func TestAnswersKnowWhatIsTold(t *testing.T) {
	from, _, _, _ := circle(t)
	from.labels = labelled(t)
	dir := t.TempDir()
	s := keeping(t, from, dir)
	best := ask(t, s, "GET", "/links?id=ann&k=1", "", 200).Links[0].ID
	ask(t, s, "POST", "/edges", `[{"from": "ann", "to": "`+best+`"}]`, 200)
	if got := ask(t, s, "GET", "/links?id=ann", "", 200).Links; slices.ContainsFunc(got, func(e edge) bool { return e.ID == best }) {
		t.Errorf("links %v have %s, which is joined", got, best)
	}
	ask(t, s, "POST", "/nodes", `[{"id": "kim", "edges": [{"to": "ann"}, {"to": "eve"}]}]`, 200)
	got := ask(t, s, "POST", "/embed", `{"neighbours": ["kim"], "features": {"1": 1}}`, 200).Nearest
	if !slices.ContainsFunc(got, func(m match) bool { return m.ID == "kim" }) {
		t.Errorf("nearest %v have no kim", got)
	}
	ask(t, s, "POST", "/predict", `{"neighbours": ["kim"]}`, 200)
	testkit.WantSame(t, "classes of kim", len(ask(t, s, "GET", "/predict?id=kim", "", 200).Classes), 2)
	ask(t, s, "DELETE", "/nodes", `["bob"]`, 200)
	for _, path := range []string{"/embed", "/predict"} {
		testkit.WantText(t, ask(t, s, "POST", path, `{"neighbours": ["bob"]}`, 400).Error, `no node "bob"`)
		ask(t, s, "GET", "/predict?id=bob", "", 404)
	}
	for _, m := range ask(t, s, "POST", "/embed", `{"neighbours": ["ann"], "k": 20}`, 200).Nearest {
		if m.ID == "bob" {
			t.Error("bob is near, and gone")
		}
	}
	for _, l := range ask(t, s, "GET", "/links?id=cy", "", 200).Links {
		if slices.Contains(l.Common, "bob") || l.ID == "bob" {
			t.Errorf("link %v", l)
		}
	}
	before := ask(t, s, "GET", "/similar?id=kim", "", 200).Nearest
	ask(t, s, "DELETE", "/nodes", `["ann"]`, 200)
	after := ask(t, s, "GET", "/similar?id=kim", "", 200).Nearest
	if slices.Equal(before, after) {
		t.Error("kim has the vector of a neighbour that is gone")
	}
	testkit.WantSame(t, "near kim after a start", ask(t, keeping(t, from, dir), "GET", "/similar?id=kim", "", 200).Nearest, after)
}

// Null features are none: after a start, too.
func TestNullIsNone(t *testing.T) {
	from, _, _, _ := circle(t)
	var all []answer
	for _, body := range []string{`{"ann": null}`, `{"ann": {}}`} {
		dir := t.TempDir()
		s := keeping(t, from, dir)
		ask(t, s, "PUT", "/features", `{"ann": {"2": 9}}`, 200)
		ask(t, s, "PUT", "/features", body, 200)
		for range 2 {
			ask(t, s, "POST", "/reload", "", 200)
			all = append(all, ask(t, s, "GET", "/similar?id=ann", "", 200))
			s = keeping(t, from, dir)
		}
	}
	for _, a := range all[1:] {
		testkit.WantSame(t, "the answer", a, all[0])
	}
}

// Once the labels that are left teach nothing, fits go on without them: of one class, or two numbers.
func TestLabelsGo(t *testing.T) {
	from, _, _, _ := circle(t)
	classes, numbers := labelled(t), filepath.Join(t.TempDir(), "numbers")
	write(t, numbers, "eve 2.5\nann 1.5\nbob 1.25\ndan 2.75\n")
	for _, from.labels = range []string{classes, numbers} {
		dir := t.TempDir()
		s := keeping(t, from, dir)
		ask(t, s, "DELETE", "/nodes", `["ann", "bob"]`, 200)
		for range 2 {
			ask(t, s, "POST", "/reload", "", 200)
			testkit.WantText(t, ask(t, s, "GET", "/predict?id=cy", "", 404).Error, "labels")
			s = keeping(t, from, dir)
		}
	}
}

// Only who asks for a host of the service gets an answer, with the token if there is one.
func TestWhoMayAsk(t *testing.T) {
	from, _, _, _ := circle(t)
	s := start(t, from)
	s.hosts = cli.HostsOf("service.example:8080", "other.example, third.example:9")
	file := filepath.Join(t.TempDir(), "token")
	status := func(host, origin, token string) int {
		w, r := httptest.NewRecorder(), httptest.NewRequest("POST", "/embed", strings.NewReader(gil))
		r.Host = host
		for name, value := range map[string]string{"Origin": origin, "Authorization": token} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		s.handler(t.Context()).ServeHTTP(w, r)
		return w.Code
	}
	for host, want := range map[string]int{"localhost": 200, "LOCALHOST:80": 200, "127.0.0.1:8080": 200, "[::1]:1": 200, "127.9.9.9": 200, "service.example": 200, "service.example.:8080": 200,
		"other.example": 200, "third.example:8": 200, "": 403, "evil.example": 403, "evil.example:8080": 403, "localhost.evil.example": 403, "10.0.0.1": 403, "0.0.0.0": 403, "a@localhost": 403} {
		testkit.WantSame(t, "status for "+host, status(host, "", ""), want)
	}
	testkit.WantSame(t, "status for a page that was rebound", status("evil.example:8080", "http://evil.example:8080", ""), 403)
	testkit.WantSame(t, "status for another page", status("localhost:8080", "http://evil.example", ""), 403)
	write(t, file, "open sesame\n")
	testkit.WantText(t, fmt.Sprint(testkit.Err(readToken(file))), "one word")
	write(t, file, "sesame\n")
	s.token = testkit.Must(readToken(file))
	for token, want := range map[string]int{"": 401, "Bearer ": 401, "Bearer sesam": 401, "sesame": 401, "Bearer sesame": 200} {
		testkit.WantSame(t, "status with the token "+token, status("localhost", "", token), want)
	}
	for addr, closed := range map[string]bool{"localhost:0": true, "127.0.0.1:0": true, "[::1]:0": true, ":0": false, "0.0.0.0:0": false, "192.0.2.1:0": false} {
		_, err := address(addr, false)
		testkit.WantSame(t, "whether "+addr+" needs no token", err == nil, closed)
		testkit.Check(t, testkit.Err(address(addr, true)))
	}
	testkit.WantText(t, fmt.Sprint(run(t.Context(), []string{"-addr", ":0"}, io.Discard, io.Discard)), "-token-file")
}

// Requests that together would take more memory than there is room for get 429, and the room is there again when they end.
func TestRoomForRequests(t *testing.T) {
	from, _, _, _ := circle(t)
	s := start(t, from)
	server := httptest.NewServer(s.handler(t.Context()))
	defer server.Close()
	var waiting []net.Conn
	statuses := map[int]int{}
	for range room/(perByte*maxBody) + 10 {
		c := testkit.Must(net.Dial("tcp", server.Listener.Addr().String()))
		testkit.Must(fmt.Fprintf(c, "POST /embed HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", maxBody))
		waiting = append(waiting, c)
		var line [12]byte
		testkit.Must(io.ReadFull(c, line[:])) // of 100 Continue, or the status
		statuses[int(line[9]-'0')]++
	}
	if statuses[1] < 10 || statuses[4] < 10 {
		t.Errorf("statuses %v", statuses)
	}
	for _, c := range waiting {
		c.Close()
	}
	for s.taken.Load() > 0 { // or the test runs out of time
		time.Sleep(time.Millisecond)
	}
	testkit.WantSame(t, "status", testkit.Must(http.Get(server.URL+"/similar?id=ann")).StatusCode, 200)
}
