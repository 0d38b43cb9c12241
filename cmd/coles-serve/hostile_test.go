package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"coles/internal/peak"
	"coles/internal/testkit"
)

// Requests that no client should send, made from seeds, have a status of 4xx each, in words if they come as far as a handler. They change nothing,
// the memory they take is bounded, and the service goes on.
func TestHostileRequests(t *testing.T) {
	count := 60
	if !testing.Short() && os.Getenv("COLES_SHARED") != "" {
		count = 10_000
	}
	defer func(before time.Duration) { patience = before }(patience)
	patience = 2 * time.Second
	from, _, _, _ := circle(t)
	s := keeping(t, from, t.TempDir())
	size, goroutines := s.journal.size, runtime.NumGoroutine()
	listener := testkit.Must(net.Listen("tcp", "localhost:0"))
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error)
	go func() { served <- s.serve(ctx, listener) }()
	peak.Reset()
	before := peak.Bytes()
	seeds := make(chan int)
	var all sync.WaitGroup
	for range 20 {
		all.Add(1)
		go func() {
			defer all.Done()
			for seed := range seeds {
				request := hostile(rand.New(rand.NewPCG(uint64(seed), 0)))
				status, body, err := sendRaw(listener.Addr().String(), request)
				odd := status == http.StatusNotImplemented || status == http.StatusTemporaryRedirect // net/http has them for transfer codings and paths with ".."
				if err != nil || (status < 400 || status > 499) && !odd {
					t.Errorf("seed %d: %d, %v for %.200q: %.200q", seed, status, err, request, body)
				}
				if bytes.HasPrefix(body, []byte("{")) && (!json.Valid(body) || foreign.Match(body)) {
					t.Errorf("seed %d: the answer to %.200q is %.300q", seed, request, body)
				}
			}
		}()
	}
	for seed := range count {
		seeds <- seed
	}
	close(seeds)
	all.Wait()
	more := (peak.Bytes() - before) >> 20
	t.Logf("%d requests of 20 clients, %d MB more memory", count, more)
	if more > 20*16 { // 16 MB for each body of 1 MB that there is at a time, with what JSON makes of it
		t.Errorf("%d MB of memory", more)
	}
	if s.journal.size != size || s.now.book.nodes() != 6 {
		t.Errorf("%d bytes more in the journal, %d nodes", s.journal.size-size, s.now.book.nodes())
	}
	ask(t, s, "GET", "/similar?id=ann", "", 200)
	stop()
	testkit.Check(t, <-served)
	for runtime.NumGoroutine() > goroutines { // or the test runs out of time
		time.Sleep(time.Millisecond)
	}
	testkit.WantSame(t, "bytes of requests under way", s.taken.Load(), int64(0))
}

// foreign words are of the packages behind the service.
var foreign = regexp.MustCompile(`Go |main\.|told[NE]|tcp|max depth|json|member`)

// sendRaw sends bytes and reads what is answered. The connection stays open for more.
func sendRaw(addr string, request []byte) (status int, body []byte, err error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return 0, nil, err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(60 * time.Second))
	go c.Write(request) // the answer may come before all is sent
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0, nil, err
	}
	defer r.Body.Close()
	body, err = io.ReadAll(r.Body)
	return r.StatusCode, body, err
}

// hostile makes a request.
func hostile(rng *rand.Rand) []byte {
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	to := pick("POST /nodes", "DELETE /nodes", "POST /edges", "DELETE /edges", "PUT /features", "POST /embed")
	body, headers, missing, host := "", "", 0, pick("localhost", "127.0.0.1:8080")
	switch rng.IntN(11) {
	case 0: // sizes
		body = pick(`["`, `[[`, `{"`, `[`) + strings.Repeat(pick("a", "[],", `"a",`, " ", "9"), maxBody+rng.IntN(maxBody))
	case 1: // depths
		body = strings.Repeat(pick("[", `{"a":`, `[{"id":`, `{"ann":{"0":`), 1<<(2+rng.IntN(15)))
	case 2: // encodings
		body = pick(`[{"id": "kin"}]`, `["ann"]`, `{"ann": {}}`)
		switch rng.IntN(4) {
		case 0:
			var wide bytes.Buffer
			for _, u := range utf16.Encode([]rune(body)) {
				wide.Write([]byte{byte(u), byte(u >> 8)})
			}
			body = wide.String()
		case 1:
			body = "\xef\xbb\xbf" + body
		case 2:
			body = strings.Replace(body, "n", pick("\xff", "\xc0\xaf", "\xed\xa0\x80", "\x00"), 1)
		case 3:
			body, headers = "\x1f\x8b"+body, "Content-Encoding: gzip\r\n"
		}
	case 3: // slow bodies
		body, missing = `[{"id": "kim`, 1+rng.IntN(1000)
	case 4: // types
		odd := pick("7", "true", `"x"`, `["x"]`, `{"x": 1}`, "1e400", "-1", "[[]]", `{"ann": {"0": "x"}}`)
		to, body = "POST /nodes", strings.Replace(pick(`[{"id": "kim", "edges": ?}]`, `[{"id": "kim", "features": ?}]`, `[{"id": "kim", "edges": [{"to": ?}]}]`,
			`[{"id": "kim", "edges": [{"to": "ann", "weight": -?}]}]`, `?`, `[?]`), "?", odd, 1)
	case 5: // paths
		to = pick("GET", "PUT", "TRACE", "BREW") + " /" + pick("", "..%2f", "nodes/", "similar/", "%00", "%ff", "a?id=ann", "../nodes", "//", "healthz/..%5c", ".git/config") + fmt.Sprint(rng.Uint64())
	case 6: // arguments
		to = "GET " + pick("/similar", "/links") + "?id=" + pick("ann", "", "%ff", "zed", strings.Repeat("a", 1+rng.IntN(1<<13))) + "&k=" + pick("0", "-1", "1e9", "x", "%31%30.5", "99999999999999999999")
	case 7: // protocol
		switch rng.IntN(4) {
		case 0:
			headers = "X: " + strings.Repeat("x", 1<<15+rng.IntN(1<<15)) + "\r\n"
		case 1:
			headers = "Transfer-Encoding: " + pick("gzip", "chunked, gzip", "nothing") + "\r\n"
		case 2:
			headers = "Content-Length: " + pick("-1", "x", "99999999999999999999") + "\r\n"
		case 3:
			return []byte(fmt.Sprintf("%x\r\n\r\n", rng.Uint64()))
		}
	case 8: // numbers of changes
		body = "[" + strings.Repeat(pick(`"ann",`, `{"id": "a"},`, `{},`), mostTold) + `{}]`
	case 9: // what a decoder takes in silence, and what cannot be
		to, body = "POST /nodes", pick(`[{"id": "a", "id": "b"}]`, `[{"id": "a", "features": {"0": 1, "0": 2}}]`, `[{"id": "a", "features": {"0": 1, "\u0030": 2}}]`, `[{"id": "\ud800"}]`, `[{"id": "a", "Id": "b"}]`, `[{"id": "a", "edges": [{"to": "ann", "weight": "1"}]}]`,
			`[{"id": "a\u0000"}]`, `[{"id": " a"}]`, `[{"id": "a", "features": {"0": 1e308}}]`, `[{"id": "a", "features": {"0": null}}]`, `[{"id": "a", "edges": [{"to": "ann", "weight": 1e308}]}]`,
			`[{"id": "a", "edges": [{"to": "ann", "weight": 0}]}]`)
	case 10: // who may not ask
		body = `["ann"]`
		if host = pick("evil.example", "localhost.evil.example", "10.0.0.1", "0.0.0.0:8080", "a@localhost"); rng.IntN(2) == 0 {
			host, headers = "localhost", "Origin: "+pick("null", "http://evil.example", "http://localhost:1", "file://")+"\r\n"
		}
	}
	if !strings.Contains(headers, "Length") && !strings.Contains(headers, "Transfer") {
		headers += fmt.Sprintf("Content-Length: %d\r\n", len(body)+missing)
	}
	return []byte(to + " HTTP/1.1\r\nHost: " + host + "\r\n" + headers + "\r\n" + body)
}
