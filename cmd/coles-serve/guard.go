package main

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
)

// Estimates of the memory that requests take, in bytes.
const (
	perRequest = 1 << 16
	perByte    = 16      // of a body, with what JSON makes of it
	perNode    = 16      // of the graph, to search it
	room       = 1 << 28 // for all at once
	searches   = 64      // there is room for as many more
)

// readToken reads the token that requests must have; nil without a path.
func readToken(path string) (*[sha256.Size]byte, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return nil, fmt.Errorf("%s: want one word, the token", path)
	}
	sum := sha256.Sum256([]byte(token))
	return &sum, nil
}

// address is where to listen. To listen beyond this machine takes a token.
func address(addr string, token bool) (*net.TCPAddr, error) {
	at, err := net.ResolveTCPAddr("tcp", addr)
	if err == nil && !at.IP.IsLoopback() && !token {
		err = fmt.Errorf("-addr %s lets other machines in: name a file with a token by -token-file, or listen on localhost", addr)
	}
	return at, err
}

// guarded refuses requests without leave, and finds room for the others.
func (s *service) guarded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, done := s.look()
		search := int64(perNode * v.Graph.Nodes())
		done()
		length := min(uint64(r.ContentLength), maxBody) // which -1, of a length that is not said, is beyond
		cost := perRequest + perByte*int64(length) + search
		defer s.taken.Add(-cost)
		err := s.refused(w, r)
		if s.taken.Add(cost) > room+searches*search && err == nil {
			err = failure{http.StatusTooManyRequests, errors.New("too many requests at once for the memory; ask again in a second")}
		}
		if err != nil {
			handler(func(http.ResponseWriter, *http.Request) (any, error) { return nil, err }).ServeHTTP(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// refused is an error unless a request is for a host of this service, has the token, and is not by a page of another origin.
func (s *service) refused(w http.ResponseWriter, r *http.Request) error {
	if err := s.hosts.Check(r); err != nil {
		return failure{http.StatusForbidden, err}
	}
	if o := r.Header.Get("Origin"); r.Method != http.MethodGet && o != "" && o != "http://"+r.Host && o != "https://"+r.Host {
		return failure{http.StatusForbidden, fmt.Errorf("a page of %q must not ask here", o)}
	}
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if sum := sha256.Sum256([]byte(given)); s.token != nil && (!ok || subtle.ConstantTimeCompare(sum[:], s.token[:]) == 0) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		return failure{http.StatusUnauthorized, errors.New(`the token is missing or wrong: send "Authorization: Bearer TOKEN"`)}
	}
	return nil
}
