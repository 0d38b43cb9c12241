package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"coles/internal/testkit"
)

func TestReload(t *testing.T) {
	from, _, _, _ := circle(t)
	s := start(t, from)
	ask(t, s, "GET", "/similar?id=gil", "", 404)
	write(t, from.graph, friends+"gil eve\n")
	before := ask(t, s, "GET", "/healthz", "", 200)
	testkit.WantText(t, ask(t, s, "POST", "/reload", "", 500).Error, "gil") // who has no features
	if got := ask(t, s, "GET", "/healthz", "", 200); !got.Since.Equal(before.Since) {
		t.Error("a reload that failed left another state")
	}
	write(t, from.features, profiles+"gil 0 1 0\n")
	if got := ask(t, s, "POST", "/reload", "", 200); got.Nodes != 7 || got.Features != 3 || !got.Since.After(before.Since) {
		t.Errorf("after the reload: %+v, want 7 nodes, 3 features, later than %v", got, before.Since)
	}
	ask(t, s, "GET", "/similar?id=gil", "", 200)
	for origin, want := range map[string]int{"": 200, "http://example.com": 200, "https://example.com": 200, "http://example.com:81": 403, "https://a.page": 403, "null": 403} {
		r, w := httptest.NewRequest("POST", "/reload", nil), httptest.NewRecorder() // of example.com
		r.Header.Set("Origin", origin)
		s.handler(t.Context()).ServeHTTP(w, r)
		testkit.WantSame(t, "status for a page of "+origin, w.Code, want)
	}
}

// Of many who ask for a reload at once one gets it, and one signal more has another follow. Who reads
// meanwhile sees one state or the other, whole.
func TestOneReloadAtATime(t *testing.T) {
	from, _, _, _ := circle(t)
	more := source{graph: filepath.Join(t.TempDir(), "more.txt"), features: filepath.Join(t.TempDir(), "more.txt")}
	write(t, more.graph, friends+"gil eve\n")
	write(t, more.features, strings.ReplaceAll(profiles+"gil 0 1 0\n", "\n", " 1\n")) // one feature more
	states := []*state{testkit.Must(from.load(t.Context())), testkit.Must(more.load(t.Context()))}
	s := start(t, from)
	begun, proceed, loads := make(chan bool), make(chan bool), 0 // not atomic: the race detector looks on
	s.load = func(context.Context) (*state, error) {
		loads++
		begun <- true
		<-proceed
		return states[loads%2], nil
	}
	handler, ctx := s.handler(t.Context()), t.Context()
	reload := func(ctx context.Context) int {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "POST", "/reload", nil))
		return w.Code
	}
	var readers, posts sync.WaitGroup
	done := make(chan bool)
	for range 4 {
		readers.Add(1)
		go func() {
			defer readers.Done()
			for {
				select {
				case <-done:
					return
				default:
				}
				health := ask(t, s, "GET", "/healthz", "", 200)
				got := ask(t, s, "POST", "/embed", `{"neighbours": ["eve"], "features": {"1": 1}, "k": 10}`, 200)
				if health.Features != health.Nodes-3 || len(got.Vector) != len(got.Nearest)-3 {
					t.Errorf("%d nodes of %d features, a vector of %d for %d nodes", health.Nodes, health.Features, len(got.Vector), len(got.Nearest))
				}
			}
		}()
	}
	hangup, signalled := make(chan os.Signal, 1), make(chan bool)
	signals, stop := context.WithCancel(ctx)
	go func() { s.reloadAt(signals, hangup); close(signalled) }()
	for range 5 {
		before := stateOf(s)
		codes := make(chan int, 21)
		asker, leave := context.WithCancel(ctx)
		posts.Add(1)
		go func() { defer posts.Done(); codes <- reload(asker) }()
		<-begun
		hangup <- syscall.SIGHUP
		leave() // which ends nothing
		for range 20 {
			posts.Add(1)
			go func() { defer posts.Done(); codes <- reload(ctx) }()
		}
		for range 20 {
			testkit.WantSame(t, "status while one is under way", <-codes, http.StatusConflict)
		}
		testkit.WantSame(t, "state while one is under way", stateOf(s) == before, true)
		proceed <- true
		testkit.WantSame(t, "status of the one", <-codes, http.StatusOK)
		testkit.WantSame(t, "state after it", stateOf(s) == before, false)
		<-begun // by the signal
		proceed <- true
		posts.Wait()
		for !s.one.TryLock() { // until that is done
			time.Sleep(time.Millisecond)
		}
		s.one.Unlock()
	}
	close(done)
	readers.Wait()
	stop()
	<-signalled
	testkit.WantSame(t, "loads", loads, 10)
}

// A held request is one whose handler waits for its body.
type held struct {
	body   *io.PipeWriter
	answer chan answer
}

// hold sends a request without its body and returns when the handler reads that.
func hold(t *testing.T, url string) held {
	t.Helper()
	pipe, body := io.Pipe()
	reads := make(chan struct{})
	// The server sends "100 Continue" when a handler begins to read.
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got100Continue: func() { close(reads) }})
	r := testkit.Must(http.NewRequestWithContext(ctx, "POST", url, pipe))
	r.Header.Set("Expect", "100-continue")
	h := held{body, make(chan answer, 1)}
	go func() {
		var a answer
		w, err := (&http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute, DisableKeepAlives: true}}).Do(r)
		if err == nil {
			defer w.Body.Close()
			err = json.NewDecoder(w.Body).Decode(&a)
		}
		if err != nil {
			a.Error = err.Error()
		}
		h.answer <- a
	}()
	select {
	case <-reads:
	case a := <-h.answer:
		t.Fatal(a.Error)
	}
	return h
}

// end sends the body.
func (h held) end(t *testing.T, body string) answer {
	t.Helper()
	testkit.Must(io.WriteString(h.body, body))
	h.body.Close()
	a := <-h.answer
	if a.Error != "" {
		t.Error(a.Error)
	}
	return a
}

// A request that has begun before a reload, and been read after it, is answered by the new model, whole.
func TestRequestsUnderWayHaveOneModel(t *testing.T) {
	from, g, x, _ := circle(t)
	s := start(t, from)
	server := httptest.NewServer(s.handler(t.Context()))
	defer server.Close()
	h := hold(t, server.URL+"/embed")
	from.model = narrow(t, g, x)
	s.load = from.load
	ask(t, s, "POST", "/reload", "", 200)
	want := ask(t, s, "POST", "/embed", gil, 200)
	testkit.WantSame(t, "columns after the reload", len(want.Vector), 2)
	testkit.WantSame(t, "the answer", h.end(t, gil), want)
}

func TestStopAnswersRequestsUnderWay(t *testing.T) {
	from, _, _, _ := circle(t)
	s := start(t, from)
	ctx, stop := context.WithCancel(t.Context())
	listener := testkit.Must(net.Listen("tcp", "localhost:0"))
	served := make(chan error, 1)
	go func() { served <- s.serve(ctx, listener) }()
	h := hold(t, "http://"+listener.Addr().String()+"/embed")
	stop()
	for { // until nobody is let in
		c, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			break
		}
		c.Close()
		time.Sleep(time.Millisecond)
	}
	select {
	case err := <-served:
		t.Fatalf("stopped with a request under way (%v)", err)
	default:
	}
	testkit.WantSame(t, "columns of the request under way", len(h.end(t, gil).Vector), 3)
	testkit.Check(t, <-served)
}

// Connections that wait in the kernel when the service stops are answered.
func TestStopAnswersWhoWaits(t *testing.T) {
	from, _, _, _ := circle(t)
	s := start(t, from)
	listener := testkit.Must(net.Listen("tcp", "localhost:0"))
	var waiting []net.Conn
	for range 40 {
		c := testkit.Must(net.Dial("tcp", listener.Addr().String()))
		testkit.Must(io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
		waiting = append(waiting, c)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	testkit.Check(t, s.serve(ctx, listener))
	for k, c := range waiting {
		if answer, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 200") {
			t.Errorf("connection %d: %v, answer %.20q", k, err, answer)
		}
		c.Close()
	}
}
